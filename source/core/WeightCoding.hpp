// The weights of a Convolution2D in every coding a model file knows: floats, half floats, or 8-bit values (raw, dense
// or sparse, with scales per output or per block), in the op or in the side file.
#ifndef MNN_CORE_WEIGHTCODING_HPP
#define MNN_CORE_WEIGHTCODING_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include "MNN_generated.h"
#include "core/HostMemory.hpp"

namespace MNN {

// Weights and bias as floats. They point into the op or side file where they are stored so, else into `memory`.
struct FloatWeights {
    const float* weight = nullptr;
    int64_t weightCount = 0;
    const float* bias = nullptr;
    int64_t biasCount = 0;
    std::shared_ptr<HostMemory> memory;
};

// Weights as stored 8-bit values: real = value * scale[group] + (asymmetric ? offset[group] : 0), where a group is a
// run of count / groups neighbouring weights, in the order of the outputs.
struct Int8Weights {
    std::shared_ptr<HostMemory> values;  // int8_t
    int64_t count = 0;
    std::shared_ptr<HostMemory> scales;  // float[groups], then float[groups] of offsets when asymmetric
    int64_t groups = 0;
    bool asymmetric = false;

    const int8_t* data() const { return static_cast<const int8_t*>(values->data()); }
    const float* scale() const { return static_cast<const float*>(scales->data()); }
    const float* offset() const { return asymmetric ? scale() + groups : nullptr; }
};

// Whether the op's weights are 8-bit codes, which decodeInt8Weights reads.
bool hasInt8Weights(const Convolution2D* conv);

// Both are false after MNN_ERROR when the coding is unknown, cut short, or contradicts itself, or memory is short.
// `external` is the side file (nullptr and 0 when there is none).
bool decodeWeights(const Convolution2D* conv, const uint8_t* external, size_t externalBytes, FloatWeights* result);
bool decodeInt8Weights(const Convolution2D* conv, const uint8_t* external, size_t externalBytes, Int8Weights* result);

}  // namespace MNN
#endif
