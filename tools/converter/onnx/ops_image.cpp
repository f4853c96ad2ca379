// Resampling of images and regions.
#include <cmath>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// Everything a Resize may ask for, as attributes of the Extra op that carries it.
struct ResizeRequest {
    std::string mode, coordinates, nearest, policy;
    float cubicA = -0.75f, extrapolation = 0.0f;
    bool excludeOutside = false, antialias = false;
    std::vector<int> axes;
    Value roi = kNone, scales = kNone, sizes = kNone;
};

std::vector<ExtraAttr> resizeAttrs(const ResizeRequest& r) {
    std::vector<ExtraAttr> attrs = {
        ExtraAttr::text("mode", r.mode),
        ExtraAttr::text("coordinate_transformation_mode", r.coordinates),
        ExtraAttr::text("nearest_mode", r.nearest),
        ExtraAttr::text("keep_aspect_ratio_policy", r.policy),
        ExtraAttr::real("cubic_coeff_a", r.cubicA),
        ExtraAttr::real("extrapolation_value", r.extrapolation),
        ExtraAttr::integer("exclude_outside", r.excludeOutside),
        ExtraAttr::integer("antialias", r.antialias),
        // Which of roi, scales and sizes follow x among the inputs, in this order.
        ExtraAttr::integer("has_roi", r.roi != kNone),
        ExtraAttr::integer("has_scales", r.scales != kNone),
        ExtraAttr::integer("has_sizes", r.sizes != kNone),
    };
    if (!r.axes.empty()) attrs.push_back(ExtraAttr::list("axes", r.axes));
    return attrs;
}

// The transformation in MNN's terms; NotSet when MNN has none.
CoordinateTransformationMode transformation(const std::string& name) {
    if (name == "align_corners") return CoordinateTransformationMode_AlignCorners;
    if (name == "half_pixel") return CoordinateTransformationMode_HalfPixels;
    if (name == "pytorch_half_pixel") return CoordinateTransformationMode_PytorchHalfPixels;
    if (name == "asymmetric") return CoordinateTransformationMode_Asymmetric;
    return CoordinateTransformationMode_NotSet;
}

// MNN's resize types: 1 nearest (floor), 2 linear, 3 cubic, 4 nearest (half rounds down).
int resizeType(const ResizeRequest& r) {
    if (r.mode == "linear") return 2;
    if (r.mode == "cubic") return r.excludeOutside ? 0 : 3;
    if (r.nearest == "floor") return 1;
    return r.nearest == "round_prefer_floor" ? 4 : 0;
}

// Constant scales or sizes that leave batch and channels alone, of a 4-D image.
bool planeAmounts(Node& n, const ResizeRequest& r, std::vector<float>& scales, std::vector<int>& sizes) {
    Builder& b = n.b;
    if (!b.rankKnown(n.in(0)) || b.rank(n.in(0)) != 4 || !r.axes.empty()) return false;
    if (r.sizes != kNone) {
        const BlobT* blob = b.constantOf(r.sizes);
        if (!blob || blob->int32s.size() != 4) return false;
        sizes = blob->int32s;
        return b.size(n.in(0), 0) == sizes[0] && b.size(n.in(0), 1) == sizes[1] && sizes[2] > 0 && sizes[3] > 0;
    }
    const BlobT* blob = r.scales == kNone ? nullptr : b.constantOf(r.scales);
    if (!blob || blob->float32s.size() != 4) return false;
    scales = blob->float32s;
    // MNN aligns the corners of whole lengths, ONNX those of in * scale.
    const bool whole = scales[2] == std::floor(scales[2]) && scales[3] == std::floor(scales[3]);
    if (r.coordinates == "align_corners" && !whole) return false;
    return scales[0] == 1.0f && scales[1] == 1.0f && scales[2] > 0 && scales[3] > 0;
}

Outputs resizeOp(Node& n, const ResizeRequest& r) {
    Builder& b = n.b;
    std::vector<float> scales;
    std::vector<int> sizes;
    const auto ctm = transformation(r.coordinates);
    const bool exact = ctm != CoordinateTransformationMode_NotSet && resizeType(r) > 0 && !r.antialias &&
                       (r.policy.empty() || r.policy == "stretch") && isFloat(n.type());
    if (exact && planeAmounts(n, r, scales, sizes)) {
        InterpT param;
        param.resizeType = resizeType(r);
        param.ctm = ctm;
        param.alignCorners = ctm == CoordinateTransformationMode_AlignCorners;
        param.halfPixelCenters = ctm == CoordinateTransformationMode_HalfPixels;
        param.cubicCoeffA = r.cubicA;
        if (!sizes.empty()) {
            param.outputHeight = sizes[2];
            param.outputWidth = sizes[3];
        } else {
            param.heightScale = scales[2];
            param.widthScale = scales[3];
        }
        std::vector<Value> in = {n.in(0)};
        // MNN takes fractions from an input alone.
        if (!scales.empty()) in.push_back(r.scales);
        return {b.op(OpType_Interp, std::move(param), in)};
    }
    std::vector<Value> in = {n.in(0)};
    for (Value v : {r.roi, r.scales, r.sizes}) {
        if (v != kNone) in.push_back(v);
    }
    return b.extra("Resize", resizeAttrs(r), in, {n.type()});
}

// An absent input may also be written as an empty constant.
Value given(Node& n, size_t i) { return n.has(i) && n.b.size(n.in(i), 0) != 0 ? n.in(i) : kNone; }

Outputs resize(Node& n) {
    ResizeRequest r;
    r.mode = n.s("mode", "nearest");
    r.coordinates = n.s("coordinate_transformation_mode", n.opset < 11 ? "asymmetric" : "half_pixel");
    r.nearest = n.s("nearest_mode", n.opset < 11 ? "floor" : "round_prefer_floor");
    r.policy = n.s("keep_aspect_ratio_policy", "stretch");
    r.cubicA = n.f("cubic_coeff_a", -0.75f);
    r.extrapolation = n.f("extrapolation_value", 0.0f);
    r.excludeOutside = n.i("exclude_outside", 0) != 0;
    r.antialias = n.i("antialias", 0) != 0;
    r.axes = n.ints("axes");
    if (n.opset < 11) {
        r.scales = n.in(1);
    } else {
        if (r.coordinates == "tf_crop_and_resize") r.roi = given(n, 1);
        r.scales = given(n, 2);
        r.sizes = given(n, 3);
        if (r.sizes != kNone) r.scales = kNone;
        if (r.scales == kNone && r.sizes == kNone) n.fail("needs scales or sizes");
    }
    return resizeOp(n, r);
}

Outputs upsample(Node& n) {
    ResizeRequest r;
    r.mode = n.s("mode", "nearest");
    if (r.mode == "bilinear" || r.mode == "trilinear") r.mode = "linear";
    r.coordinates = "asymmetric";
    r.nearest = "floor";
    r.policy = "stretch";
    if (n.opset >= 9) {
        r.scales = n.in(1);
    } else {
        const std::vector<float> scales =
            n.opset >= 7 ? n.floats("scales") : std::vector<float>{1, 1, n.f("height_scale", 1), n.f("width_scale", 1)};
        r.scales = n.b.reals(scales, {static_cast<int>(scales.size())});
    }
    return resizeOp(n, r);
}

Outputs gridSample(Node& n) {
    Builder& b = n.b;
    const std::string mode = n.s("mode", "bilinear"), padding = n.s("padding_mode", "zeros");
    const bool nearest = mode == "nearest";
    if (mode == "cubic" || mode == "bicubic") {
        return b.extra("GridSample",
                       {ExtraAttr::text("mode", "cubic"), ExtraAttr::text("padding_mode", padding),
                        ExtraAttr::integer("align_corners", n.i("align_corners", 0))},
                       {n.in(0), n.in(1)}, {n.type()});
    }
    GridSampleT param;
    param.mode = nearest ? SampleMode_NEAREST : SampleMode_BILINEAR;
    param.paddingMode = padding == "border"       ? BorderMode_CLAMP
                        : padding == "reflection" ? BorderMode_REFLECTION
                                                  : BorderMode_ZEROS;
    param.alignCorners = n.i("align_corners", 0) != 0;
    return {b.op(OpType_GridSample, std::move(param), {n.in(0), n.in(1)})};
}

// Before opset 16 box coordinates were not shifted by half a pixel.
Outputs roiAlign(Node& n) {
    RoiParametersT param;
    param.pooledHeight = n.i("output_height", 1);
    param.pooledWidth = n.i("output_width", 1);
    param.spatialScale = n.f("spatial_scale", 1.0f);
    const int ratio = n.i("sampling_ratio", 0);
    param.samplingRatio = ratio > 0 ? ratio : -1;
    const char* fallback = n.opset < 16 ? "output_half_pixel" : "half_pixel";
    param.aligned = n.s("coordinate_transformation_mode", fallback) == "half_pixel";
    param.poolType = n.s("mode", "avg") == "max" ? PoolType_MAXPOOL : PoolType_AVEPOOL;
    return {n.b.op(OpType_ROIAlign, std::move(param), {n.in(0), n.in(1), n.in(2)})};
}

Outputs maxRoiPool(Node& n) {
    RoiParametersT param;
    const std::vector<int> size = n.ints("pooled_shape");
    if (size.size() != 2) n.fail("pooled_shape must hold a height and a width");
    param.pooledHeight = size[0];
    param.pooledWidth = size[1];
    param.spatialScale = n.f("spatial_scale", 1.0f);
    param.poolType = PoolType_MAXPOOL;
    return {n.b.op(OpType_ROIPooling, std::move(param), {n.in(0), n.in(1)})};
}

Outputs col2Im(Node& n) {
    const int axes = n.b.size(n.in(1), 0);
    if (axes < 1) n.fail("the number of image axes is not known");
    const auto per = [&](const char* key, int fallback, int count) {
        std::vector<int> values = n.ints(key);
        if (values.empty()) values.assign(count, fallback);
        return values;
    };
    return n.b.extra(
        "Col2Im",
        {ExtraAttr::list("strides", per("strides", 1, axes)), ExtraAttr::list("dilations", per("dilations", 1, axes)),
         ExtraAttr::list("pads", per("pads", 0, axes * 2))},
        {n.in(0), n.in(1), n.in(2)}, {n.type()});
}

// Coordinates from -1 to 1 along an axis of `size` points, at pixel centres unless corners are aligned.
Value gridCoordinates(Builder& b, int size, bool alignCorners) {
    std::vector<float> values(size);
    for (int i = 0; i < size; ++i) {
        if (alignCorners)
            values[i] = size > 1 ? -1.0f + 2.0f * i / static_cast<float>(size - 1) : 0.0f;
        else
            values[i] = (2.0f * i + 1.0f) / static_cast<float>(size) - 1.0f;
    }
    return b.reals(values, {size});
}

// theta [N, k, k + 1] times the homogeneous points of the target grid.
Outputs affineGrid(Node& n) {
    Builder& b = n.b;
    const std::vector<int> size = n.constInts(1);
    const int k = static_cast<int>(size.size()) - 2;
    if (k != 2 && k != 3) n.fail("size must name a 2-D or 3-D image");
    const std::vector<int> spatial(size.begin() + 2, size.end());
    if (elementCount(spatial) < 1 || elementCount(spatial) > (1 << 24)) n.fail("size is out of range");
    std::vector<Value> columns;
    for (int axis = k - 1; axis >= 0; --axis) {
        std::vector<int> dims(k, 1);
        dims[axis] = spatial[axis];
        const Value line = b.reshape(gridCoordinates(b, spatial[axis], n.i("align_corners", 0) != 0), dims);
        columns.push_back(b.reshape(b.broadcastTo(line, b.ints(spatial)), {-1, 1}));
    }
    columns.push_back(b.fill(b.ints({static_cast<int>(elementCount(spatial)), 1}), b.real(1)));
    const Value points = b.unsqueeze(b.concat(columns, 1), {0});
    std::vector<int> out = {size[0]};
    out.insert(out.end(), spatial.begin(), spatial.end());
    out.push_back(k);
    return {b.reshape(b.matmul(points, n.in(0), false, true), out)};
}

const OpImporter kRows[] = {
    {"Resize", 10, resize},         {"Upsample", 1, upsample},     {"GridSample", 16, gridSample},
    {"RoiAlign", 10, roiAlign},     {"MaxRoiPool", 1, maxRoiPool}, {"Col2Im", 18, col2Im},
    {"AffineGrid", 20, affineGrid},
};

}  // namespace

OpFamily imageOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
