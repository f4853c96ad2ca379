// Greedy selection of boxes, for the shape rules (which need the count) and the CPU execution.
#ifndef MNN_SHAPE_NONMAXSUPPRESSION_HPP
#define MNN_SHAPE_NONMAXSUPPRESSION_HPP

#include <vector>

namespace MNN {

struct NmsOptions {
    int maxOutput = 0;
    float iouThreshold = 0.0f;
    // Only boxes that score above this are candidates; without one all but NaN are.
    bool hasScoreThreshold = false;
    float scoreThreshold = 0.0f;
    // Boxes are (x center, y center, width, height) instead of two opposite corners in any order.
    bool centerBox = false;
};

// Indices of the selected boxes, best first; ties go to the lower index. A box is dropped when its intersection over
// union with a selected one is above iouThreshold.
std::vector<int> nonMaxSuppression(const float* boxes, const float* scores, int count, const NmsOptions& options);

}  // namespace MNN
#endif
