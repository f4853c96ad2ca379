// MatMuls by a constant matrix as 1x1 convolutions over a picture of one pixel per row.
#include <algorithm>
#include <map>
#include <set>

#include "writer/ModelWriter.hpp"
#include "writer/NetEditor.hpp"

namespace MNN {
namespace Converter {

namespace {

class MatMulConverter {
public:
    explicit MatMulConverter(NetT& net) : mNet(net), mEdit(net) {
        for (const auto& op : net.oplists) {
            if (op->type == OpType_Const && !op->outputIndexes.empty()) mConstants[op->outputIndexes[0]] = op.get();
        }
    }

    void run() {
        std::vector<std::unique_ptr<OpT>> ops;
        ops.swap(mNet.oplists);
        for (auto& op : ops) {
            if (convertible(*op))
                convert(*op);
            else
                mNet.oplists.push_back(std::move(op));
        }
        dropUnreadConstants();
    }

private:
    const BlobT* floatsOf(int tensor, size_t rank) const {
        const auto found = mConstants.find(tensor);
        const BlobT* blob = found == mConstants.end() ? nullptr : found->second->main.AsBlob();
        return blob && blob->dims.size() == rank && !blob->float32s.empty() ? blob : nullptr;
    }

    bool convertible(const OpT& op) const {
        const MatMulT* param = op.type == OpType_MatMul ? op.main.AsMatMul() : nullptr;
        if (!param || param->transposeA || op.inputIndexes.size() < 2) return false;
        const BlobT* matrix = floatsOf(op.inputIndexes[1], 2);
        if (!matrix) return false;
        if (op.inputIndexes.size() == 2) return true;
        const BlobT* bias = floatsOf(op.inputIndexes[2], 1);
        return bias && static_cast<int>(bias->float32s.size()) == matrix->dims[param->transposeB ? 0 : 1];
    }

    // [out][in], as a convolution keeps it.
    static std::vector<float> weightsOf(const BlobT& matrix, bool transposed) {
        if (transposed) return matrix.float32s;
        const size_t in = static_cast<size_t>(matrix.dims[0]), out = static_cast<size_t>(matrix.dims[1]);
        std::vector<float> weights(matrix.float32s.size());
        for (size_t i = 0; i < in; ++i) {
            for (size_t o = 0; o < out; ++o) weights[o * in + i] = matrix.float32s[i * out + o];
        }
        return weights;
    }

    void convert(const OpT& op) {
        const bool transposed = op.main.AsMatMul()->transposeB;
        const BlobT& matrix = *floatsOf(op.inputIndexes[1], 2);
        const int in = matrix.dims[transposed ? 1 : 0], out = matrix.dims[transposed ? 0 : 1];
        Convolution2DT conv;
        conv.common = std::make_unique<Convolution2DCommonT>();
        conv.common->inputCount = in;
        conv.common->outputCount = out;
        conv.common->padMode = PadMode_CAFFE;
        conv.weight = weightsOf(matrix, transposed);
        conv.bias = op.inputIndexes.size() > 2 ? floatsOf(op.inputIndexes[2], 1)->float32s
                                               : std::vector<float>(static_cast<size_t>(out), 0.0f);
        const int x = op.inputIndexes[0], y = op.outputIndexes[0];
        const int rows = mEdit.reshape(x, {-1, in, 1, 1}, op.name + "/rows");
        const int packed = mEdit.convert(rows, MNN_DATA_FORMAT_NCHW, MNN_DATA_FORMAT_NC4HW4, op.name + "/blocks_in");
        const int made = mEdit.op(OpType_Convolution, std::move(conv), {packed}, op.name + "__matmul_converted");
        const int plain = mEdit.convert(made, MNN_DATA_FORMAT_NC4HW4, MNN_DATA_FORMAT_NCHW, op.name + "/blocks_out");
        ReshapeT shape;
        shape.dimType = MNN_DATA_FORMAT_NCHW;
        mEdit.opInto(y, OpType_Reshape, std::move(shape), {plain, shapeWith(x, out, op.name)}, op.name);
    }

    // x's sizes with another last one.
    int shapeWith(int x, int last, const std::string& name) {
        StridedSliceParamT all;
        all.Index = DataType_DT_INT32;
        all.T = DataType_DT_INT32;
        all.fromType = 1;
        const int shape = mEdit.op(OpType_Shape, ShapeParamT(), {x}, name + "/shape");
        const int leading = mEdit.op(OpType_StridedSlice, std::move(all),
                                     {shape, mEdit.ints({0}, name + "/begin"), mEdit.ints({-1}, name + "/end"),
                                      mEdit.ints({0}, name + "/axis"), mEdit.ints({1}, name + "/step")},
                                     name + "/leading");
        AxisT axis;
        axis.axis = 0;
        return mEdit.op(OpType_Concat, std::move(axis), {leading, mEdit.ints({last}, name + "/last")}, name + "/sizes");
    }

    void dropUnreadConstants() {
        std::set<int> read;
        for (const auto& op : mNet.oplists) read.insert(op->inputIndexes.begin(), op->inputIndexes.end());
        const auto wanted = [&](int tensor) {
            const std::string& name = mNet.tensorName[static_cast<size_t>(tensor)];
            return read.count(tensor) != 0 ||
                   std::find(mNet.outputName.begin(), mNet.outputName.end(), name) != mNet.outputName.end();
        };
        auto& ops = mNet.oplists;
        ops.erase(std::remove_if(ops.begin(), ops.end(),
                                 [&](const std::unique_ptr<OpT>& op) {
                                     return op->type == OpType_Const && !wanted(op->outputIndexes[0]);
                                 }),
                  ops.end());
    }

    NetT& mNet;
    NetEditor mEdit;
    std::map<int, const OpT*> mConstants;
};

}  // namespace

void convolutionsForMatMuls(NetT& net) { MatMulConverter(net).run(); }

}  // namespace Converter
}  // namespace MNN
