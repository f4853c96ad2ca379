// Greedy choice of boxes: best score first, none that overlaps a chosen one too much.
#ifndef MNN_CORE_NONMAXSUPPRESSION_HPP
#define MNN_CORE_NONMAXSUPPRESSION_HPP

#include <cstdint>
#include <vector>

namespace MNN {

struct BoxSelection {
    float iouThreshold = 0.0f;    // a box is dropped when its overlap with a chosen one is above
    float scoreThreshold = 0.0f;  // and when its score is not above
    int64_t maxBoxes = 0;         // chosen at most
    int64_t maxCandidates = 0;    // only so many of the best are looked at; 0: all
    bool centerSize = false;      // boxes are x, y of the centre, width, height; else two opposite corners
};

// Indices into count boxes [count][4] with scores [count], best first; equal scores in order of index. NaN scores never
// win.
std::vector<int> selectBoxes(const float* boxes, const float* scores, int count, const BoxSelection& how);

// Intersection over union of two boxes; 0 when either is empty.
float boxOverlap(const float* a, const float* b, bool centerSize);

}  // namespace MNN
#endif
