#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

Case scaleCase(Random& random, const Shape& shape, bool bias) {
    Case c;
    const Array scale = random.floats({shape[1]}), shift = random.floats({shape[1]});
    c.title = std::string("PerChannel Scale") + (bias ? " and bias" : "");
    c.inputs = {plain(random.floats(shape))};
    c.build = [=](NetBuilder& net, const Names& in) {
        auto* param = new MNN::ScaleT;
        param->channels = static_cast<int>(scale.count());
        param->scaleData = floatsOf(scale);
        if (bias) param->biasData = floatsOf(shift);
        net.add(MNN::OpType_Scale, "y", in, MNN::OpParameter_Scale, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        return std::vector<Array>{generate(Type::Float, in[0].shape, [&](const Index& at) {
            return in[0].at(at) * scale.values[at[1]] + (bias ? shift.values[at[1]] : 0);
        })};
    };
    return c;
}

Case preluCase(Random& random, const Shape& shape, bool shared) {
    Case c;
    const Array slope = random.floats({shared ? 1 : shape[1]});
    c.title = std::string("PerChannel PReLU") + (shared ? " of one slope" : "");
    c.inputs = {plain(random.floats(shape))};
    c.build = [=](NetBuilder& net, const Names& in) {
        auto* param = new MNN::PReluT;
        param->slopeCount = static_cast<int>(slope.count());
        param->slope = floatsOf(slope);
        net.add(MNN::OpType_PReLU, "y", in, MNN::OpParameter_PRelu, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        return std::vector<Array>{generate(Type::Float, in[0].shape, [&](const Index& at) {
            const double x = in[0].at(at);
            return x > 0 ? x : x * slope.values[shared ? 0 : at[1]];
        })};
    };
    return c;
}

}  // namespace

void perChannelCases(const Visit& visit) {
    Random random(7);
    for (int channels : edgeSizes()) {
        if (channels == 0) continue;
        for (const Shape& shape :
             {Shape{2, channels, 3, 5}, Shape{2, channels}, Shape{1, channels, 7}, Shape{1, channels, 2, 3, 2}}) {
            visitFronts(scaleCase(random, shape, channels % 2 == 0), visit);
            visitFronts(preluCase(random, shape, channels % 4 == 0), visit);
        }
    }
    visit(scaleCase(random, {2, 5, 0, 3}, true));
    visit(preluCase(random, {0, 5, 3, 3}, false));
}

}  // namespace mnn_primitives
