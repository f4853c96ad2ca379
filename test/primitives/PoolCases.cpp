#include <algorithm>
#include <limits>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

struct Pool {
    bool average = false, ceil = false, countsPads = false, global = false, indices = false;
    MNN::PoolPadType mode = MNN::PoolPadType_CAFFE;
    int kernel[2] = {2, 2}, stride[2] = {2, 2}, before[2] = {0, 0}, behind[2] = {0, 0};
};

Pool square(bool average, int kernel, int stride, int pad = 0) {
    Pool p;
    p.average = average;
    for (int d = 0; d < 2; ++d) p.kernel[d] = kernel, p.stride[d] = stride, p.before[d] = p.behind[d] = pad;
    return p;
}

// The pool with kernel and pads as they are for images of x's size, and the output's size.
Pool resolved(Pool p, const Shape& x, Shape* out) {
    *out = x;
    for (int d = 0; d < 2; ++d) {
        const int in = x[2 + d];
        if (p.global) p.kernel[d] = in, p.stride[d] = 1, p.before[d] = p.behind[d] = 0;
        int& length = (*out)[2 + d];
        if (p.mode == MNN::PoolPadType_SAME && !p.global) {
            length = (in + p.stride[d] - 1) / p.stride[d];
            const int total = std::max((length - 1) * p.stride[d] + p.kernel[d] - in, 0);
            p.before[d] = total / 2, p.behind[d] = total - total / 2;
            continue;
        }
        const int room = in + p.before[d] + p.behind[d] - p.kernel[d];
        length = room / p.stride[d] + 1;
        // A last window that the ceiling adds begins on the input or the pad in front of it.
        if (p.ceil && room % p.stride[d] != 0 && length * p.stride[d] < in + p.before[d]) ++length;
    }
    return p;
}

std::vector<Array> pooled(const Array& x, const Pool& stated) {
    Shape shape;
    const Pool p = resolved(stated, x.shape, &shape);
    Array y{Type::Float, shape, {}}, at{Type::Int, shape, {}};
    forEach(shape, [&](const Index& o) {
        double sum = 0, best = -std::numeric_limits<double>::infinity();
        size_t place = 0;
        int cells = 0, padded = 0;
        forEach({p.kernel[0], p.kernel[1]}, [&](const Index& k) {
            const int row = o[2] * p.stride[0] - p.before[0] + k[0], column = o[3] * p.stride[1] - p.before[1] + k[1];
            if (row < x.shape[2] + p.behind[0] && column < x.shape[3] + p.behind[1]) ++padded;
            if (row < 0 || column < 0 || row >= x.shape[2] || column >= x.shape[3]) return;
            const size_t here = placeOf(x.shape, {o[0], o[1], row, column});
            ++cells;
            sum += x.values[here];
            if (x.values[here] > best) best = x.values[here], place = here;
        });
        y.values.push_back(p.average ? sum / (p.countsPads ? padded : cells) : best);
        at.values.push_back(static_cast<double>(place));
    });
    if (!p.indices) return {y};
    return {y, at};
}

Case poolCase(Array x, const Pool& p) {
    Case c;
    c.title = std::string("Pool ") + (p.average ? "average" : "maximum") + (p.global ? " global" : "") +
              (p.ceil ? " ceil" : "") + (p.countsPads ? " counts pads" : "") +
              (p.mode == MNN::PoolPadType_SAME ? " same" : "") + " kernel " + textOf(Shape{p.kernel[0], p.kernel[1]}) +
              " stride " + textOf(Shape{p.stride[0], p.stride[1]}) + " pads " +
              textOf(Shape{p.before[0], p.before[1], p.behind[0], p.behind[1]});
    c.inputs = {plain(std::move(x))};
    if (p.indices) c.outputs = {"y", "at"};
    const std::vector<std::string> outputs = c.outputs;
    c.build = [p, outputs](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::PoolT;
        param->type = p.average ? MNN::PoolType_AVEPOOL : MNN::PoolType_MAXPOOL;
        param->isGlobal = p.global;
        param->kernelY = p.kernel[0], param->kernelX = p.kernel[1];
        param->strideY = p.stride[0], param->strideX = p.stride[1];
        param->pads = {p.before[0], p.before[1], p.behind[0], p.behind[1]};
        param->padType = p.mode;
        param->ceilModel = p.ceil;
        param->countType = p.countsPads ? MNN::AvgPoolCountType_INCLUDE_PADDING : MNN::AvgPoolCountType_EXCLUDE_PADDING;
        net.addMany(MNN::OpType_Pooling, "y", in, outputs, MNN::OpParameter_Pool, param);
    };
    c.reference = [p](const std::vector<Array>& in) { return pooled(in[0], p); };
    return c;
}

}  // namespace

void poolCases(const Visit& visit) {
    Random random(14);
    for (bool average : {false, true}) {
        for (int channels : edgeSizes()) {
            if (channels == 0) continue;
            visitFronts(poolCase(random.floats({2, channels, 5, 7}), square(average, 3, 2, 1)), visit);
            visit(poolCase(random.floats({1, channels, 5, 7}), square(average, 2, 2)));
            Pool global = square(average, 1, 1);
            global.global = true;
            visitFronts(poolCase(random.floats({2, channels, 5, 7}), global), visit);
        }
        for (int size : {1, 2, 3, 8, 17, 33}) {
            for (bool ceil : {false, true}) {
                for (bool counts : {false, average}) {
                    Pool p = square(average, 3, 2, 1);
                    p.ceil = ceil, p.countsPads = counts;
                    visit(poolCase(random.floats({1, 5, size, size + 1}), p));
                    p.before[0] = 0, p.behind[1] = 2, p.kernel[1] = 4, p.stride[0] = 1;
                    if (size > 1) visit(poolCase(random.floats({1, 17, size, size}), p));
                }
            }
            Pool same = square(average, 3, 2);
            same.mode = MNN::PoolPadType_SAME;
            visit(poolCase(random.floats({1, 5, size, size + 1}), same));
        }
        visit(poolCase(random.floats({0, 5, 5, 5}), square(average, 2, 2)));
        visit(poolCase(random.floats({1, 33, 40, 41}), square(average, 3, 2, 1)));
    }
    for (int channels : {1, 4, 5, 17}) {
        Pool p = square(false, 3, 2, 1);
        p.indices = true;
        visitFronts(poolCase(random.distinct({2, channels, 5, 7}), p), visit);
    }
}

}  // namespace mnn_primitives
