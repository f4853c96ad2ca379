#include "writer/NetEditor.hpp"

namespace MNN {
namespace Converter {

NetEditor::NetEditor(NetT& net) : mNet(net), mTaken(net.tensorName.begin(), net.tensorName.end()) {}

int NetEditor::newTensor(const std::string& name) {
    std::string free = name;
    while (!mTaken.insert(free).second) free += "_";
    mNet.tensorName.push_back(free);
    mNet.tensorNumber = static_cast<int>(mNet.tensorName.size());
    return mNet.tensorNumber - 1;
}

OpT& NetEditor::append(int output, OpType type, const std::vector<int>& inputs, const std::string& name) {
    auto op = std::make_unique<OpT>();
    op->type = type;
    op->name = name;
    op->defaultDimentionFormat = MNN_DATA_FORMAT_NCHW;
    op->inputIndexes = inputs;
    op->outputIndexes = {output};
    mNet.oplists.push_back(std::move(op));
    return *mNet.oplists.back();
}

int NetEditor::ints(const std::vector<int>& values, const std::string& name) {
    BlobT blob;
    blob.dims = {static_cast<int>(values.size())};
    blob.dataType = DataType_DT_INT32;
    blob.dataFormat = MNN_DATA_FORMAT_NCHW;
    blob.int32s = values;
    return op(OpType_Const, std::move(blob), {}, name);
}

int NetEditor::reshape(int x, const std::vector<int>& dims, const std::string& name) {
    ReshapeT param;
    param.dims = dims;
    param.dimType = MNN_DATA_FORMAT_NCHW;
    return op(OpType_Reshape, std::move(param), {x}, name);
}

int NetEditor::convert(int x, MNN_DATA_FORMAT from, MNN_DATA_FORMAT to, const std::string& name) {
    const int output = newTensor(name);
    convertInto(output, x, from, to);
    return output;
}

void NetEditor::convertInto(int output, int x, MNN_DATA_FORMAT from, MNN_DATA_FORMAT to) {
    TensorConvertInfoT info;
    info.source = from;
    info.dest = to;
    opInto(output, OpType_ConvertTensor, std::move(info), {x}, mNet.tensorName[static_cast<size_t>(output)]);
}

}  // namespace Converter
}  // namespace MNN
