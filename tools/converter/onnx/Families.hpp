// The op families, one file each.
#pragma once

#include "onnx/OnnxNode.hpp"

namespace MNN {
namespace Converter {

OpFamily elementwiseOps();
OpFamily viewOps();
OpFamily convOps();
OpFamily poolOps();
OpFamily matmulOps();
OpFamily normOps();
OpFamily reduceOps();
OpFamily indexOps();
OpFamily constantOps();
OpFamily imageOps();
OpFamily recurrentOps();
OpFamily quantOps();
OpFamily lossOps();
OpFamily signalOps();
OpFamily einsumOps();
OpFamily sequenceOps();
OpFamily attentionOps();
OpFamily textOps();
OpFamily controlOps();

}  // namespace Converter
}  // namespace MNN
