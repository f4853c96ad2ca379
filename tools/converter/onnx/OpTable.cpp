#include "onnx/Families.hpp"

namespace MNN {
namespace Converter {

const std::vector<OpFamily>& opFamilies() {
    static const std::vector<OpFamily> families = {
        elementwiseOps(), viewOps(),     convOps(),      poolOps(),      matmulOps(),  normOps(), reduceOps(),
        indexOps(),       constantOps(), imageOps(),     recurrentOps(), quantOps(),   lossOps(), signalOps(),
        einsumOps(),      sequenceOps(), attentionOps(), textOps(),      controlOps(),
    };
    return families;
}

}  // namespace Converter
}  // namespace MNN
