// Ops that read boxes of an image: ROIPooling, ROIAlign, CropAndResize. Row-major images.
#include <algorithm>
#include <cmath>
#include <limits>
#include "backend/cpu/executions/FunctionExecution.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"

namespace MNN {
namespace {

struct RoiParams {
    int pooledHeight = 0, pooledWidth = 0;
    float scale = 1.0f;
    int samplingRatio = 0;
    bool aligned = false;
    bool max = false;
};

// A box and its image. Rows of rois are x1, y1, x2, y2, behind the image's number unless that comes as a tensor of its
// own.
struct Box {
    int image;
    float x1, y1, x2, y2;
};

int64_t boxCount(const Tensor* rois) { return rois->length(0); }

bool readBox(const Tensor* rois, const Tensor* images, int64_t i, int batches, Box* box) {
    const int64_t width = TensorUtils::elements(rois) / std::max<int64_t>(boxCount(rois), 1);
    const float* r = rois->host<float>() + i * width;
    const float image = images != nullptr ? static_cast<float>(numberAt(images, i, -1.0)) : width >= 5 ? *r++ : 0.0f;
    if (!(image >= 0.0f && image < static_cast<float>(batches))) return false;
    *box = {static_cast<int>(image), r[0], r[1], r[2], r[3]};
    return true;
}

// Caffe's ROI pooling: the maximum of each cell; borders are rounded to whole elements.
void poolRoi(const RoiParams& p, const Box& box, const Tensor* x, float* dst) {
    const int height = x->length(2), width = x->length(3);
    const auto rounded = [&](float v) {
        return static_cast<int>(std::lround(std::min(std::max(v * p.scale, -1e8f), 1e8f)));
    };
    const int x1 = rounded(box.x1), y1 = rounded(box.y1);
    const float cellH = static_cast<float>(std::max(rounded(box.y2) - y1 + 1, 1)) / static_cast<float>(p.pooledHeight);
    const float cellW = static_cast<float>(std::max(rounded(box.x2) - x1 + 1, 1)) / static_cast<float>(p.pooledWidth);
    const auto clip = [](double v, int high) {
        return static_cast<int>(std::min(std::max(v, 0.0), static_cast<double>(high)));
    };
    for (int channel = 0; channel < x->length(1); ++channel) {
        const float* src = x->host<float>() + (int64_t(box.image) * x->length(1) + channel) * height * width;
        for (int py = 0; py < p.pooledHeight; ++py) {
            const int top = clip(std::floor(py * cellH) + y1, height),
                      bottom = clip(std::ceil((py + 1) * cellH) + y1, height);
            for (int px = 0; px < p.pooledWidth; ++px) {
                const int left = clip(std::floor(px * cellW) + x1, width),
                          right = clip(std::ceil((px + 1) * cellW) + x1, width);
                float best = bottom > top && right > left ? -std::numeric_limits<float>::infinity() : 0.0f;
                for (int y = top; y < bottom; ++y) {
                    for (int c = left; c < right; ++c) best = std::max(best, src[int64_t(y) * width + c]);
                }
                *dst++ = best;
            }
        }
    }
}

// The four elements around a place and their weights; all weights 0 when it is over one element outside.
struct Corners {
    int64_t at[4] = {};
    float weight[4] = {};
};

Corners cornersAt(float y, float x, int height, int width) {
    Corners c;
    if (!(y >= -1.0f && y <= static_cast<float>(height) && x >= -1.0f && x <= static_cast<float>(width))) return c;
    y = std::max(y, 0.0f), x = std::max(x, 0.0f);
    const int top = std::min(static_cast<int>(y), height - 1), left = std::min(static_cast<int>(x), width - 1);
    const int bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
    const float fy = top == height - 1 ? 0.0f : y - static_cast<float>(top),
                fx = left == width - 1 ? 0.0f : x - static_cast<float>(left);
    const int64_t rowT = int64_t(top) * width, rowB = int64_t(bottom) * width;
    c.at[0] = rowT + left, c.at[1] = rowT + right, c.at[2] = rowB + left, c.at[3] = rowB + right;
    c.weight[0] = (1 - fy) * (1 - fx), c.weight[1] = (1 - fy) * fx, c.weight[2] = fy * (1 - fx), c.weight[3] = fy * fx;
    return c;
}

struct AlignCell {
    float y, x, stepY, stepX;  // of the first sample, and between samples
    int samplesY, samplesX;
};

float alignCell(const AlignCell& cell, bool max, const float* src, int height, int width) {
    float sum = 0.0f, best = -std::numeric_limits<float>::infinity();
    for (int iy = 0; iy < cell.samplesY; ++iy) {
        for (int ix = 0; ix < cell.samplesX; ++ix) {
            const Corners c = cornersAt(cell.y + static_cast<float>(iy) * cell.stepY,
                                        cell.x + static_cast<float>(ix) * cell.stepX, height, width);
            for (int k = 0; k < 4; ++k) {
                const float part = c.weight[k] == 0.0f ? 0.0f : c.weight[k] * src[c.at[k]];
                sum += part;
                // ONNX defines the maximum over the weighted corners, not over their sums.
                best = std::max(best, part);
            }
        }
    }
    const int count = cell.samplesY * cell.samplesX;
    if (count == 0) return 0.0f;
    return max ? best : sum / static_cast<float>(count);
}

void alignRoi(const RoiParams& p, const Box& box, const Tensor* x, float* dst) {
    const int height = x->length(2), width = x->length(3);
    const float shift = p.aligned ? 0.5f : 0.0f;
    const float x1 = box.x1 * p.scale - shift, y1 = box.y1 * p.scale - shift;
    float roiH = box.y2 * p.scale - shift - y1, roiW = box.x2 * p.scale - shift - x1;
    if (!p.aligned) roiH = std::max(roiH, 1.0f), roiW = std::max(roiW, 1.0f);
    const float cellH = roiH / static_cast<float>(p.pooledHeight), cellW = roiW / static_cast<float>(p.pooledWidth);
    // A box far larger than any image must not turn into an endless loop.
    const auto samples = [&](float cell) {
        return p.samplingRatio > 0 ? p.samplingRatio
                                   : static_cast<int>(std::min(std::max(std::ceil(cell), 0.0f), 4096.0f));
    };
    AlignCell cell;
    cell.samplesY = samples(cellH), cell.samplesX = samples(cellW);
    cell.stepY = cellH / static_cast<float>(std::max(cell.samplesY, 1)),
    cell.stepX = cellW / static_cast<float>(std::max(cell.samplesX, 1));
    for (int channel = 0; channel < x->length(1); ++channel) {
        const float* src = x->host<float>() + (int64_t(box.image) * x->length(1) + channel) * height * width;
        for (int py = 0; py < p.pooledHeight; ++py) {
            for (int px = 0; px < p.pooledWidth; ++px) {
                cell.y = y1 + static_cast<float>(py) * cellH + 0.5f * cell.stepY;
                cell.x = x1 + static_cast<float>(px) * cellW + 0.5f * cell.stepX;
                *dst++ = alignCell(cell, p.max, src, height, width);
            }
        }
    }
}

using RoiFunction = void (*)(const RoiParams&, const Box&, const Tensor*, float*);

ErrorCode runRois(CPUBackend* backend, RoiFunction function, const RoiParams& p, const std::string& name,
                  const Tensors& inputs, const Tensors& outputs) {
    const Tensor* x = inputs[0];
    const Tensor* images = inputs.size() > 2 ? inputs[2] : nullptr;
    const int64_t count = boxCount(inputs[1]), each = int64_t(x->length(1)) * p.pooledHeight * p.pooledWidth;
    if (count * each != TensorUtils::elements(outputs[0]))
        return fault(INPUT_DATA_ERROR, name, inputs, "output and boxes do not fit");
    if (count * each == 0) return NO_ERROR;
    if (x->length(2) == 0 || x->length(3) == 0) return fault(INPUT_DATA_ERROR, name, inputs, "the image is empty");
    Box box;
    for (int64_t i = 0; i < count; ++i) {
        if (!readBox(inputs[1], images, i, x->length(0), &box))
            return fault(INVALID_VALUE, name, inputs, "a box names an image that is not there");
    }
    backend->parallelFor(static_cast<int>(count), [&](int i, int) {
        Box mine;
        readBox(inputs[1], images, i, x->length(0), &mine);
        function(p, mine, x, outputs[0]->host<float>() + i * each);
    });
    return NO_ERROR;
}

Execution* createRoi(RoiFunction function, const Op* op, const Tensors& inputs, const Tensors& outputs,
                     CPUBackend* backend) {
    const RoiParameters* param = op->main_as_RoiParameters();
    const bool good = param != nullptr && !param->outputGrad() && param->pooledHeight() > 0 &&
                      param->pooledWidth() > 0 && inputs.size() >= 2 && isFloat32(inputs[0]) && isFloat32(inputs[1]) &&
                      isFloat32(outputs[0]) && inputs[0]->dimensions() == 4 && inputs[1]->dimensions() >= 2 &&
                      !TensorUtils::isPacked(inputs[0]) && inputs[1]->length(1) >= 4;
    if (!good)
        return refuse(op, inputs, outputs,
                      "needs its sizes, a row-major float32 image and float32 boxes of 4 or 5 numbers");
    RoiParams p;
    p.pooledHeight = param->pooledHeight(), p.pooledWidth = param->pooledWidth();
    p.scale = param->spatialScale();
    p.samplingRatio = param->samplingRatio();
    p.aligned = param->aligned();
    p.max = param->poolType() == PoolType_MAXPOOL;
    const std::string name = opText(op);
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return runRois(backend, function, p, name, in, out); });
}

struct CropParams {
    float outsideValue = 0.0f;
    bool nearest = false;
};

// Steps of an image [N, C, H, W] or [N, H, W, C].
struct ImageSteps {
    int channels, height, width;
    int64_t channel, row, column;
    explicit ImageSteps(const Tensor* t) {
        const bool last = TensorUtils::describe(t)->format == MNN_DATA_FORMAT_NHWC;
        channels = t->length(last ? 3 : 1), height = t->length(last ? 1 : 2), width = t->length(last ? 2 : 3);
        channel = last ? 1 : int64_t(height) * width;
        column = last ? channels : 1;
        row = column * width;
    }
    int64_t image() const { return int64_t(channels) * height * width; }
};

// TensorFlow's crop_and_resize; box is y1, x1, y2, x2 in [0, 1].
void cropOne(const CropParams& p, const float* box, const ImageSteps& in, const float* src, const ImageSteps& out,
             float* dst) {
    const auto place = [](float from, float to, int i, int count, int length) {
        const float end = static_cast<float>(length - 1);
        return count > 1 ? from * end + static_cast<float>(i) * ((to - from) * end / static_cast<float>(count - 1))
                         : 0.5f * (from + to) * end;
    };
    for (int y = 0; y < out.height; ++y) {
        const float fy = place(box[0], box[2], y, out.height, in.height);
        for (int x = 0; x < out.width; ++x) {
            const float fx = place(box[1], box[3], x, out.width, in.width);
            float* to = dst + y * out.row + x * out.column;
            const bool inside = fy >= 0.0f && fy <= static_cast<float>(in.height - 1) && fx >= 0.0f &&
                                fx <= static_cast<float>(in.width - 1);
            if (!inside) {
                for (int c = 0; c < out.channels; ++c) to[c * out.channel] = p.outsideValue;
                continue;
            }
            const float y0 = p.nearest ? std::round(fy) : std::floor(fy),
                        x0 = p.nearest ? std::round(fx) : std::floor(fx);
            const float wy = p.nearest ? 0.0f : fy - y0, wx = p.nearest ? 0.0f : fx - x0;
            const float* a = src + static_cast<int64_t>(y0) * in.row + static_cast<int64_t>(x0) * in.column;
            const int64_t down = wy > 0.0f ? in.row : 0, right = wx > 0.0f ? in.column : 0;
            for (int c = 0; c < out.channels; ++c, a += in.channel) {
                const float top = a[0] + (a[right] - a[0]) * wx, bottom = a[down] + (a[down + right] - a[down]) * wx;
                to[c * out.channel] = top + (bottom - top) * wy;
            }
        }
    }
}

ErrorCode cropAndResize(CPUBackend* backend, const CropParams& p, const std::string& name, const Tensors& inputs,
                        const Tensors& outputs) {
    const ImageSteps in(inputs[0]), out(outputs[0]);
    const int64_t count = outputs[0]->length(0);
    if (count * out.image() == 0) return NO_ERROR;
    if (TensorUtils::elements(inputs[1]) != count * 4 || TensorUtils::elements(inputs[2]) != count ||
        in.channels != out.channels || in.image() == 0) {
        return fault(INPUT_DATA_ERROR, name, inputs, "image, boxes and output do not fit");
    }
    const int32_t* images = inputs[2]->host<int32_t>();
    for (int64_t i = 0; i < count; ++i) {
        if (images[i] < 0 || images[i] >= inputs[0]->length(0))
            return fault(INVALID_VALUE, name, inputs, "a box names an image that is not there");
    }
    backend->parallelFor(static_cast<int>(count), [&](int i, int) {
        cropOne(p, inputs[1]->host<float>() + int64_t(i) * 4, in, inputs[0]->host<float>() + images[i] * in.image(),
                out, outputs[0]->host<float>() + i * out.image());
    });
    return NO_ERROR;
}

}  // namespace

Execution* createCPUROIPooling(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    return createRoi(poolRoi, op, inputs, outputs, backend);
}

Execution* createCPUROIAlign(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    return createRoi(alignRoi, op, inputs, outputs, backend);
}

Execution* createCPUCropAndResize(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const CropAndResize* param = op->main_as_CropAndResize();
    const bool good = param != nullptr && inputs.size() >= 3 && isFloat32(inputs[0]) && isFloat32(inputs[1]) &&
                      isInt32(inputs[2]) && isFloat32(outputs[0]) && inputs[0]->dimensions() == 4 &&
                      outputs[0]->dimensions() == 4 && !TensorUtils::isPacked(inputs[0]);
    if (!good)
        return refuse(op, inputs, outputs,
                      "needs its parameters, a row-major float32 image, float32 boxes and int32 image numbers");
    CropParams p;
    p.outsideValue = param->extrapolationValue();
    p.nearest = param->method() == CropAndResizeMethod_NEAREST;
    const std::string name = opText(op);
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return cropAndResize(backend, p, name, in, out); });
}

}  // namespace MNN
