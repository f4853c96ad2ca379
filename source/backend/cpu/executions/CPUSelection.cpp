// Ops whose output length depends on values: Where, Unique, SetDiff1D, NonMaxSuppression. The shape rule has counted
// before; an execution writes no more than the output holds and says so when the counts differ.
#include <algorithm>
#include <unordered_set>
#include "backend/cpu/executions/FunctionExecution.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "core/ExtraAttributes.hpp"
#include "core/NonMaxSuppression.hpp"
#include "core/Unique.hpp"

namespace MNN {
namespace {

constexpr const char* kOtherCount = "the number of results differs from the output's length";

bool isNonZero(const Tensor* t, int64_t i) {
    switch (t->getType().bytes()) {
        case 1:
            return t->host<uint8_t>()[i] != 0;
        case 4:
            return isFloat32(t) ? t->host<float>()[i] != 0.0f : t->host<int32_t>()[i] != 0;
        default:
            return false;
    }
}

// Out: [count, rank] coordinates of what is not zero.
ErrorCode listNonZero(const std::string& name, const Tensors& inputs, const Tensors& outputs) {
    const Tensor* x = inputs[0];
    const int64_t room = outputs[0]->length(0);
    const int rank = x->dimensions(), width = outputs[0]->length(1);
    const int64_t count = TensorUtils::elements(x);
    const Strides strides = rowMajorStrides(x);
    int64_t found = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (!isNonZero(x, i)) continue;
        if (found < room) {
            int32_t* to = outputs[0]->host<int32_t>() + found * width;
            for (int d = 0; d < width; ++d) to[d] = d < rank ? static_cast<int32_t>(i / strides[d] % x->length(d)) : 0;
        }
        ++found;
    }
    return found == room ? NO_ERROR : fault(INVALID_VALUE, name, inputs, kOtherCount);
}

// Values of x that are not in y, and their places.
template <typename T>
ErrorCode listDifference(const std::string& name, const Tensors& inputs, const Tensors& outputs) {
    const T* x = inputs[0]->host<T>();
    const T* y = inputs[1]->host<T>();
    const std::unordered_set<T> taken(y, y + TensorUtils::elements(inputs[1]));
    const int64_t room = TensorUtils::elements(outputs[0]), count = TensorUtils::elements(inputs[0]);
    int64_t found = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (taken.count(x[i]) != 0) continue;
        if (found < room) {
            outputs[0]->host<T>()[found] = x[i];
            if (outputs.size() > 1) outputs[1]->host<int32_t>()[found] = static_cast<int32_t>(i);
        }
        ++found;
    }
    return found == room ? NO_ERROR : fault(INVALID_VALUE, name, inputs, kOtherCount);
}

void copyInts(const std::vector<int>& from, Tensor* to) {
    if (!from.empty()) std::memcpy(to->host<int32_t>(), from.data(), from.size() * sizeof(int32_t));
}

struct UniqueParams {
    bool sorted = true;
    bool flat = true;
    int axis = 0;
};

// Out: values, then [first indices, inverse, counts] (ONNX) or, of two outputs, inverse (TensorFlow).
ErrorCode listUnique(const UniqueParams& params, const std::string& name, const Tensors& inputs,
                     const Tensors& outputs) {
    const Tensor* x = inputs[0];
    AxisSplit split;
    split.axis = TensorUtils::elements(x);
    if (!params.flat) {
        const int64_t axis = wrapIndex(params.axis, x->dimensions());
        if (axis < 0) return fault(INVALID_VALUE, name, inputs, "bad axis");
        split = splitAt(x, static_cast<int>(axis));
    }
    const UniqueSlices found = findUnique(x->host<uint8_t>(), x->getType(), split.outside, static_cast<int>(split.axis),
                                          split.inside, params.sorted);
    const int64_t groups = static_cast<int64_t>(found.first.size());
    if (groups * split.outside * split.inside != TensorUtils::elements(outputs[0])) {
        return fault(INVALID_VALUE, name, inputs, kOtherCount);
    }
    const int64_t bytes = split.inside * x->getType().bytes();
    for (int64_t o = 0; o < split.outside; ++o) {
        for (int64_t g = 0; g < groups; ++g) {
            copyBytes(outputs[0]->host<uint8_t>() + (o * groups + g) * bytes,
                      x->host<uint8_t>() + (o * split.axis + found.first[g]) * bytes, bytes);
        }
    }
    const std::vector<int>* lists[] = {&found.first, &found.inverse, &found.counts};
    const bool tensorflow = outputs.size() == 2;
    for (size_t i = 1; i < outputs.size() && i < 4; ++i) {
        const std::vector<int>& list = tensorflow ? found.inverse : *lists[i - 1];
        if (static_cast<int64_t>(list.size()) != TensorUtils::elements(outputs[i])) {
            return fault(INVALID_VALUE, name, inputs, kOtherCount);
        }
        copyInts(list, outputs[i]);
    }
    return NO_ERROR;
}

BoxSelection readSelection(const Tensors& inputs, bool centerSize) {
    BoxSelection how;
    how.maxBoxes = inputs.size() > 2 ? integerAt(inputs[2], 0, 0) : 0;
    how.iouThreshold = static_cast<float>(inputs.size() > 3 ? numberAt(inputs[3], 0, 0.0) : 0.0);
    how.scoreThreshold = static_cast<float>(inputs.size() > 4 ? numberAt(inputs[4], 0, -3.4e38) : -3.4e38);
    how.centerSize = centerSize;
    return how;
}

// Boxes [n, 4] and scores [n] give [count] indices; boxes [batch, n, 4] and scores [batch, classes, n] give [count, 3]
// of batch, class, index.
ErrorCode suppress(bool batched, bool centerSize, const std::string& name, const Tensors& inputs,
                   const Tensors& outputs) {
    const BoxSelection how = readSelection(inputs, centerSize);
    const int batches = batched ? inputs[1]->length(0) : 1, classes = batched ? inputs[1]->length(1) : 1;
    const int boxes = inputs[1]->length(inputs[1]->dimensions() - 1), width = batched ? 3 : 1;
    if (TensorUtils::elements(inputs[0]) != int64_t(batches) * boxes * 4) {
        return fault(INPUT_DATA_ERROR, name, inputs, "boxes and scores differ in number");
    }
    const int64_t room = TensorUtils::elements(outputs[0]) / width;
    int32_t* to = outputs[0]->host<int32_t>();
    int64_t found = 0;
    for (int row = 0; row < batches * classes; ++row) {
        const int batch = row / classes;
        const std::vector<int> chosen = selectBoxes(inputs[0]->host<float>() + int64_t(batch) * boxes * 4,
                                                    inputs[1]->host<float>() + int64_t(row) * boxes, boxes, how);
        for (int index : chosen) {
            if (found++ >= room) continue;
            if (batched) *to++ = batch, *to++ = row % classes;
            *to++ = index;
        }
    }
    return found == room ? NO_ERROR : fault(INVALID_VALUE, name, inputs, kOtherCount);
}

Execution* createSuppression(bool batched, const Op* op, const Tensors& inputs, const Tensors& outputs,
                             CPUBackend* backend) {
    const bool good = inputs.size() >= 2 && isFloat32(inputs[0]) && isFloat32(inputs[1]) && isInt32(outputs[0]) &&
                      inputs[0]->dimensions() == (batched ? 3 : 2) && inputs[1]->dimensions() == (batched ? 3 : 1);
    if (!good) return refuse(op, inputs, outputs, "needs float32 boxes and scores, and int32 indices as output");
    const bool center = extra::integer(op, "center_point_box", 0) != 0;
    const std::string name = opText(op);
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return suppress(batched, center, name, in, out); });
}

Execution* createUnique(const UniqueParams& params, const Op* op, const Tensors& inputs, const Tensors& outputs,
                        CPUBackend* backend) {
    const int bytes = inputs[0]->getType().bytes();
    bool good = inputs[0]->getType() == outputs[0]->getType() && (bytes == 1 || bytes == 4);
    for (size_t i = 1; i < outputs.size(); ++i) good = good && isInt32(outputs[i]);
    if (!good) return refuse(op, inputs, outputs, "needs values of 1 or 4 bytes, and int32 outputs behind the first");
    const std::string name = opText(op);
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return listUnique(params, name, in, out); });
}

}  // namespace

Execution* createCPUWhere(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const int bytes = inputs[0]->getType().bytes();
    if ((bytes != 1 && bytes != 4) || !isInt32(outputs[0]) || outputs[0]->dimensions() != 2) {
        return refuse(op, inputs, outputs,
                      "needs an input of 1 or 4 bytes an element, and int32[count, rank] as output");
    }
    const std::string name = opText(op);
    return new FunctionExecution(backend,
                                 [=](const Tensors& in, const Tensors& out) { return listNonZero(name, in, out); });
}

Execution* createCPUUnique(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    return createUnique(UniqueParams(), op, inputs, outputs, backend);
}

// Attributes: sorted; axis, without which the input is flattened.
Execution* createCPUUniqueExtra(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    UniqueParams params;
    params.sorted = extra::integer(op, "sorted", 1) != 0;
    params.flat = extra::find(op, "axis") == nullptr;
    params.axis = static_cast<int>(extra::integer(op, "axis", 0));
    return createUnique(params, op, inputs, outputs, backend);
}

Execution* createCPUSetDiff(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 2 && inputs[0]->getType() == inputs[1]->getType() &&
                      inputs[0]->getType() == outputs[0]->getType() && (isInt32(inputs[0]) || isFloat32(inputs[0])) &&
                      (outputs.size() < 2 || isInt32(outputs[1]));
    if (!good) return refuse(op, inputs, outputs, "needs two inputs and an output of float32 or int32");
    const std::string name = opText(op);
    if (isInt32(inputs[0])) {
        return new FunctionExecution(
            backend, [=](const Tensors& in, const Tensors& out) { return listDifference<int32_t>(name, in, out); });
    }
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return listDifference<float>(name, in, out); });
}

Execution* createCPUNonMaxSuppression(const Op* op, const Tensors& inputs, const Tensors& outputs,
                                      CPUBackend* backend) {
    return createSuppression(op->type() == OpType_Extra, op, inputs, outputs, backend);
}

}  // namespace MNN
