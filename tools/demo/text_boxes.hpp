// From the detector's map to boxes around lines of text ("Real-time Scene Text Detection with Differentiable
// Binarization", Liao et al. 2020): threshold, connected components, smallest rectangle, score, and growth by the
// margin that training shrank the boxes by.
#pragma once

#include <vector>

namespace demo {

/// A rectangle that may be turned: `right` is the unit vector along the text, `width` runs along it.
struct TextBox {
    float centreX = 0, centreY = 0;
    float rightX = 1, rightY = 0;
    float width = 0, height = 0;
    float score = 0;
};

struct TextBoxRules {
    float threshold = 0.3f;  // a pixel belongs to text from here on
    float minScore = 0.5f;   // mean of the map over the pixels of a patch
    float unclip = 1.8f;     // margin = area * unclip / perimeter
    float minSide = 3.0f;    // smaller specks are dropped, in pixels of the map
};

/// Boxes in reading order: rows from top to bottom, each from left to right. `map` is height rows of width values.
std::vector<TextBox> findTextBoxes(const float* map, int width, int height, const TextBoxRules& rules = TextBoxRules());

}  // namespace demo
