#include <set>

#include "writer/ModelWriter.hpp"
#include "writer/NetEditor.hpp"

namespace MNN {
namespace Converter {

namespace {

// Ops that MNN computes on NC4HW4 alone, without converting by itself as it does for convolutions and pools. In a model
// whose inputs are NCHW every tensor is, convolutions' outputs too.
const std::set<OpType> kWantPacked = {OpType_Scale, OpType_PReLU, OpType_GridSample, OpType_ROIAlign,
                                      OpType_ROIPooling};

}  // namespace

void packForMNN(NetT& net) {
    NetEditor edit(net);
    std::vector<std::unique_ptr<OpT>> ops;
    ops.swap(net.oplists);
    for (auto& op : ops) {
        const bool wrap =
            kWantPacked.count(op->type) != 0 && op->outputIndexes.size() == 1 && !op->inputIndexes.empty();
        if (!wrap) {
            net.oplists.push_back(std::move(op));
            continue;
        }
        const int input = op->inputIndexes[0], output = op->outputIndexes[0];
        const std::string name = net.tensorName[static_cast<size_t>(output)];
        const int made = edit.newTensor(name + "/blocks_out");
        op->inputIndexes[0] = edit.convert(input, MNN_DATA_FORMAT_NCHW, MNN_DATA_FORMAT_NC4HW4, name + "/blocks_in");
        op->outputIndexes[0] = made;
        net.oplists.push_back(std::move(op));
        edit.convertInto(output, made, MNN_DATA_FORMAT_NC4HW4, MNN_DATA_FORMAT_NCHW);
    }
}

}  // namespace Converter
}  // namespace MNN
