// What a shape rule works with: its op, the inputs and outputs, checks that explain themselves, and the ways to finish.
#ifndef MNN_SHAPE_RULE_HPP
#define MNN_SHAPE_RULE_HPP

#include <cstdarg>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>
#include "shape/Shape.hpp"

namespace MNN {
namespace shape {

// Rules compute in 64 bits; Rule::set checks that the result is a shape this library can hold.
using Dims = std::vector<int64_t>;

// Saturates at INT64_MAX, so that a product of sizes from a file cannot wrap.
int64_t product(std::initializer_list<int64_t> factors);
int64_t product(const Dims& dims, size_t begin, size_t end);
std::string text(const Dims& dims);

MNN_DATA_FORMAT formatOf(const Tensor* t);  // NC4HW4 reads as NCHW
int channelAxis(const Tensor* t);           // of an image: 1 for NCHW, last for NHWC
int spatialAxis(const Tensor* t);           // the first of rank - 2 spatial dimensions
Dims dimsOf(const Tensor* t);

// The run-time type of a model's type: bool and the integers wider than a byte become int32; double, half and bfloat16
// float.
halide_type_t typeOf(DataType type);

struct Rule {
    const Op* op;
    const Tensors& inputs;
    const Tensors& outputs;

    // Logs the message with the op and the inputs' shapes. Always false.
    bool fail(const char* format, ...) const __attribute__((format(printf, 2, 3)));

    bool has(size_t input) const { return input < inputs.size() && inputs[input] != nullptr; }
    // At least so many inputs and outputs.
    bool arity(size_t minInputs, size_t minOutputs = 1) const;
    // The op's parameter table, or nullptr after a message.
    template <typename T>
    const T* param() const {
        const T* p = op->main_as<T>();
        if (p == nullptr) {
            fail("the op needs %s parameters and has %s", EnumNameOpParameter(OpParameterTraits<T>::enum_value),
                 EnumNameOpParameter(op->main_type()));
        }
        return p;
    }
    int rank(size_t input) const { return inputs[input]->dimensions(); }
    int64_t length(size_t input, int dim) const { return inputs[input]->length(dim); }
    bool rankBetween(size_t input, int low, int high) const;
    // value in [-rank, rank) made non-negative.
    bool axis(int value, int rank, int* result) const;
    // The content of an input as integers.
    bool ints(size_t input, std::vector<int>* values) const;
    // The same of a tensor with one element at least.
    bool scalar(size_t input, int* value) const;

    // Finish an output: dimensions in [0, 2^31), rank at most kMaxRank, fewer than 2^31 elements.
    bool set(size_t output, const Dims& dims, halide_type_t type, MNN_DATA_FORMAT format) const;
    bool setLike(size_t output, const Dims& dims, const Tensor* like) const;
    bool setLike(size_t output, const Dims& dims) const { return setLike(output, dims, inputs[0]); }
    // Every output has the shape, type and format of input 0.
    bool same() const;
};

// Makes a ShapeFunction of a rule.
template <bool (*Function)(const Rule&)>
bool run(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    return Function(Rule{op, inputs, outputs});
}

bool vfail(const Op* op, const Tensors& inputs, const char* format, va_list arguments);

}  // namespace shape
}  // namespace MNN
#endif
