// Moving arrays into and out of tensors, and the comparison.
#ifndef MNN_PRIMITIVES_COMPARE_HPP
#define MNN_PRIMITIVES_COMPARE_HPP

#include <MNN/Tensor.hpp>
#include "Primitives.hpp"

namespace mnn_primitives {

// False, with the reason in the log, when shape or type differ.
bool write(MNN::Tensor* tensor, const Array& array);
// NaN, or -1, in every byte.
void poison(MNN::Tensor* tensor);
// "" or the first element that is not as wanted.
std::string mismatch(const MNN::Tensor* tensor, const Array& want, const Tolerance& tolerance);

}  // namespace mnn_primitives
#endif
