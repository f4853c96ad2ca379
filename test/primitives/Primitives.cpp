#include "Primitives.hpp"

#include "Families.hpp"

namespace mnn_primitives {

Input plain(Array array) { return Input{std::move(array), false, Front::None}; }
Input constant(Array array) { return Input{std::move(array), true, Front::None}; }

std::string describe(const Case& c) {
    static const char* const kFronts[] = {"", " packed", " pooled", " permuted", " sliced", " concatenated"};
    std::string text = c.title;
    for (size_t i = 0; i < c.inputs.size(); ++i) {
        text += (i == 0 ? " of " : ", ") + textOf(c.inputs[i].array);
        text += c.inputs[i].constant ? " constant" : kFronts[static_cast<int>(c.inputs[i].front)];
    }
    return text;
}

bool canHaveFront(const Input& input, Front front) {
    if (input.constant) return false;
    const Shape& shape = input.array.shape;
    switch (front) {
        case Front::None:
            return true;
        case Front::Packed:
            return shape.size() == 4;
        case Front::Pooled:
            return shape.size() == 4 && input.array.type == Type::Float && countOf(shape) > 0;
        case Front::Permute:
            return shape.size() >= 2;
        case Front::Slice:
            return !shape.empty();
        case Front::Concat:
            return !shape.empty() && (shape[0] > 1 || (shape.size() > 1 && shape[1] > 1));
    }
    return false;
}

void visitFronts(const Case& c, const Visit& visit) {
    visit(c);
    for (Front front : {Front::Packed, Front::Pooled, Front::Permute, Front::Slice, Front::Concat}) {
        Case viewed = c;
        bool any = false;
        for (Input& input : viewed.inputs) {
            if (!canHaveFront(input, front)) continue;
            input.front = front;
            any = true;
        }
        if (any) visit(viewed);
    }
}

const std::vector<int>& edgeSizes() {
    static const std::vector<int> sizes = {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17};
    return sizes;
}

const std::vector<Family>& families() {
    static const std::vector<Family> table = {
        {"Raster", rasterCases},
        {"Unary", unaryCases},
        {"Binary", binaryCases},
        {"Select", selectCases},
        {"Cast", castCases},
        {"PerChannel", perChannelCases},
        {"Reduce", reduceCases},
        {"ArgReduce", argReduceCases},
        {"Cumulate", cumulateCases},
        {"Softmax", softmaxCases},
        {"Norm", normCases},
        {"MatMul", matMulCases},
        {"Convolution", convolutionCases},
        {"Depthwise", depthwiseCases},
        {"Deconvolution", deconvolutionCases},
        {"Pool", poolCases},
        {"Interp", interpCases},
        {"GridSample", gridSampleCases},
        {"Gather", gatherCases},
        {"Scatter", scatterCases},
        {"TopK", topKCases},
        {"Makers", makerCases},
        {"Quantize", quantizeCases},
        {"Recurrent", recurrentCases},
        {"RoPE", ropeCases},
    };
    return table;
}

}  // namespace mnn_primitives
