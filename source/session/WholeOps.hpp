// Ops that the file keeps in pieces, put together: parameters that lie in the side file, Regions that lie beside the
// op. Shape rules, lowerings and backends then see one form only.
#ifndef MNN_SESSION_WHOLEOPS_HPP
#define MNN_SESSION_WHOLEOPS_HPP

#include "session/Schedule.hpp"

namespace MNN {

// What a model, or one of its sub-graphs, says about tensors beside its ops.
using TensorDescribes = flatbuffers::Vector<flatbuffers::Offset<TensorDescribe>>;

// Replaces node->op by a whole one where it is in pieces (the large weights of convolutions stay in the side file).
// False after MNN_ERROR when a piece is missing or broken.
bool makeWhole(const Model& model, const TensorDescribes* describes, const TensorTable& table, OpNode* node);

}  // namespace MNN
#endif
