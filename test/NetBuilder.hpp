// Builds small .mnn models in memory for tests.
#ifndef MNN_TEST_NETBUILDER_HPP
#define MNN_TEST_NETBUILDER_HPP

#include <MNN/Interpreter.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "MNN_generated.h"

namespace mnn_test {

class NetBuilder {
public:
    NetBuilder() { mNet.sourceType = MNN::NetSource_ONNX; }

    // Each returns the name it was given, so that calls nest.
    std::string input(const std::string& name, std::vector<int> dims, MNN::DataType type = MNN::DataType_DT_FLOAT,
                      MNN::MNN_DATA_FORMAT format = MNN::MNN_DATA_FORMAT_NCHW) {
        auto* param = new MNN::InputT;
        param->dims = std::move(dims);
        param->dtype = type;
        param->dformat = format;
        return add(MNN::OpType_Input, name, {}, MNN::OpParameter_Input, param);
    }
    std::string constant(const std::string& name, std::vector<int> dims, std::vector<float> values) {
        auto* blob = new MNN::BlobT;
        blob->dims = std::move(dims);
        blob->dataType = MNN::DataType_DT_FLOAT;
        blob->dataFormat = MNN::MNN_DATA_FORMAT_NCHW;
        blob->float32s = std::move(values);
        return add(MNN::OpType_Const, name, {}, MNN::OpParameter_Blob, blob);
    }
    std::string constantInts(const std::string& name, std::vector<int> dims, std::vector<int32_t> values) {
        auto* blob = new MNN::BlobT;
        blob->dims = std::move(dims);
        blob->dataType = MNN::DataType_DT_INT32;
        blob->dataFormat = MNN::MNN_DATA_FORMAT_NCHW;
        blob->int32s = std::move(values);
        return add(MNN::OpType_Const, name, {}, MNN::OpParameter_Blob, blob);
    }
    template <typename T>
    std::string add(MNN::OpType type, const std::string& name, const std::vector<std::string>& inputs,
                    MNN::OpParameter kind, T* param) {
        return addMany(type, name, inputs, {name}, kind, param);
    }
    std::string add(MNN::OpType type, const std::string& name, const std::vector<std::string>& inputs) {
        return addMany(type, name, inputs, {name}, MNN::OpParameter_NONE, static_cast<void*>(nullptr));
    }
    template <typename T>
    std::string addMany(MNN::OpType type, const std::string& name, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, MNN::OpParameter kind, T* param) {
        std::unique_ptr<MNN::OpT> op(new MNN::OpT);
        op->name = name;
        op->type = type;
        op->defaultDimentionFormat = MNN::MNN_DATA_FORMAT_NCHW;
        op->main.type = kind;
        op->main.value = param;
        for (const auto& input : inputs) op->inputIndexes.push_back(index(input));
        for (const auto& output : outputs) op->outputIndexes.push_back(index(output));
        mNet.oplists.push_back(std::move(op));
        return outputs.front();
    }
    std::string unary(const std::string& name, MNN::UnaryOpOperation kind, const std::string& x) {
        auto* param = new MNN::UnaryOpT;
        param->opType = kind;
        return add(MNN::OpType_UnaryOp, name, {x}, MNN::OpParameter_UnaryOp, param);
    }
    std::string binary(const std::string& name, MNN::BinaryOpOperation kind, const std::string& a,
                       const std::string& b) {
        auto* param = new MNN::BinaryOpT;
        param->opType = kind;
        return add(MNN::OpType_BinaryOp, name, {a, b}, MNN::OpParameter_BinaryOp, param);
    }
    std::string concat(const std::string& name, int axis, const std::vector<std::string>& parts) {
        auto* param = new MNN::AxisT;
        param->axis = axis;
        return add(MNN::OpType_Concat, name, parts, MNN::OpParameter_Axis, param);
    }
    std::string permute(const std::string& name, std::vector<int> dims, const std::string& x) {
        auto* param = new MNN::PermuteT;
        param->dims = std::move(dims);
        return add(MNN::OpType_Permute, name, {x}, MNN::OpParameter_Permute, param);
    }
    std::string reshape(const std::string& name, std::vector<int> dims, const std::string& x) {
        auto* param = new MNN::ReshapeT;
        param->dims = std::move(dims);
        return add(MNN::OpType_Reshape, name, {x}, MNN::OpParameter_Reshape, param);
    }
    // Square kernel, weights OIHW.
    std::string convolution(const std::string& name, const std::string& x, int inputs, int outputs, int kernel, int pad,
                            int stride, std::vector<float> weight, std::vector<float> bias) {
        auto* conv = new MNN::Convolution2DT;
        conv->common.reset(new MNN::Convolution2DCommonT);
        auto& c = *conv->common;
        c.kernelX = c.kernelY = kernel;
        c.padX = c.padY = pad;
        c.strideX = c.strideY = stride;
        c.inputCount = inputs;
        c.outputCount = outputs;
        conv->weight = std::move(weight);
        conv->bias = std::move(bias);
        return add(MNN::OpType_Convolution, name, {x}, MNN::OpParameter_Convolution2D, conv);
    }
    void output(const std::string& name) { mNet.outputName.push_back(name); }
    MNN::NetT& net() { return mNet; }

    std::vector<uint8_t> bytes() {
        flatbuffers::FlatBufferBuilder builder;
        builder.ForceDefaults(true);
        builder.Finish(MNN::Net::Pack(builder, &mNet));
        return std::vector<uint8_t>(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    }
    std::unique_ptr<MNN::Interpreter> interpreter() {
        const std::vector<uint8_t> model = bytes();
        return std::unique_ptr<MNN::Interpreter>(MNN::Interpreter::createFromBuffer(model.data(), model.size()));
    }

private:
    int index(const std::string& name) {
        const auto found = mIndexes.find(name);
        if (found != mIndexes.end()) return found->second;
        const int next = static_cast<int>(mNet.tensorName.size());
        mIndexes[name] = next;
        mNet.tensorName.push_back(name);
        mNet.tensorNumber = next + 1;
        return next;
    }
    MNN::NetT mNet;
    std::map<std::string, int> mIndexes;
};

inline std::vector<float> floats(const MNN::Tensor* tensor) {
    MNN::Tensor host(tensor, MNN::Tensor::CAFFE, true);
    if (!tensor->copyToHostTensor(&host)) return {};
    return std::vector<float>(host.host<float>(), host.host<float>() + host.elementSize());
}

inline void fill(MNN::Tensor* tensor, const std::vector<float>& values) {
    MNN::Tensor host(tensor, MNN::Tensor::CAFFE, true);
    for (size_t i = 0; i < values.size(); ++i) host.host<float>()[i] = values[i];
    tensor->copyFromHostTensor(&host);
}

}  // namespace mnn_test
#endif
