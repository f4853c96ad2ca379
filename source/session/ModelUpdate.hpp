// Constants that a session changed, on their way back into the model.
#ifndef MNN_SESSION_MODELUPDATE_HPP
#define MNN_SESSION_MODELUPDATE_HPP

#include <MNN/ErrorCode.hpp>
#include <memory>
#include <vector>
#include "session/Model.hpp"
#include "session/Schedule.hpp"

namespace MNN {

// Lists the places of the model whose constants have other values in the session's table, which must be one of this
// model or of an earlier state of it. The changes refer to the table's tensors. NOT_SUPPORT after MNN_ERROR when a
// changed constant has no such place.
ErrorCode changedConstants(const std::shared_ptr<Model>& model, const TensorTable& table,
                           std::vector<Model::Change>* changes);

}  // namespace MNN
#endif
