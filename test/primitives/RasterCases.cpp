// Ops that only move elements: whatever a backend reads through views or writes out itself.
#include <algorithm>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;
using Reference = std::function<Array(const std::vector<Array>&)>;

Case moveCase(std::string title, std::vector<Input> inputs, std::function<void(NetBuilder&, const Names&)> build,
              Reference reference) {
    Case c;
    c.title = "Raster " + std::move(title);
    c.inputs = std::move(inputs);
    c.build = std::move(build);
    c.reference = [reference](const std::vector<Array>& in) { return std::vector<Array>{reference(in)}; };
    c.tolerance = {0, 0};
    return c;
}

Case permuteCase(Array x, const std::vector<int>& perm) {
    return moveCase(
        "Permute " + textOf(perm), {plain(std::move(x))},
        [perm](NetBuilder& net, const Names& in) { net.permute("y", perm, in[0]); },
        [perm](const std::vector<Array>& in) { return transposed(in[0], perm); });
}

Case reshapeCase(Array x, const Shape& shape) {
    return moveCase(
        "Reshape to " + textOf(shape), {plain(std::move(x))},
        [shape](NetBuilder& net, const Names& in) { net.reshape("y", shape, in[0]); },
        [shape](const std::vector<Array>& in) {
            return Array{in[0].type, shape, in[0].values};
        });
}

Case concatCase(std::vector<Input> parts, int axis) {
    return moveCase(
        "Concat along " + std::to_string(axis), std::move(parts),
        [axis](NetBuilder& net, const Names& in) { net.concat("y", axis, in); },
        [axis](const std::vector<Array>& in) {
            const int a = axisOf(axis, in[0].shape.size());
            Shape shape = in[0].shape;
            for (size_t i = 1; i < in.size(); ++i) shape[a] += in[i].shape[a];
            return generate(in[0].type, shape, [&](Index at) {
                size_t part = 0;
                while (at[a] >= in[part].shape[a]) at[a] -= in[part++].shape[a];
                return in[part].at(at);
            });
        });
}

// Slices of ONNX (fromType 1): inputs begin, end, axes, steps.
Case stridedSliceCase(Array x, const std::vector<int>& begin, const std::vector<int>& end,
                      const std::vector<int>& step) {
    const int n = static_cast<int>(begin.size());
    std::vector<int> axes;
    for (int i = 0; i < n; ++i) axes.push_back(i);
    std::vector<Input> inputs = {plain(std::move(x)), constant(ints({n}, begin)), constant(ints({n}, end)),
                                 constant(ints({n}, axes)), constant(ints({n}, step))};
    return moveCase(
        "StridedSlice from " + textOf(begin) + " to " + textOf(end) + " by " + textOf(step), std::move(inputs),
        [](NetBuilder& net, const Names& in) {
            auto* param = new MNN::StridedSliceParamT;
            param->fromType = 1;
            net.add(MNN::OpType_StridedSlice, "y", in, MNN::OpParameter_StridedSliceParam, param);
        },
        [=](const std::vector<Array>& in) {
            Shape shape = in[0].shape;
            for (int d = 0; d < n; ++d)
                shape[d] = std::max(0, (end[d] - begin[d] + step[d] - (step[d] > 0 ? 1 : -1)) / step[d]);
            return generate(in[0].type, shape, [&](Index at) {
                for (int d = 0; d < n; ++d) at[d] = begin[d] + at[d] * step[d];
                return in[0].at(at);
            });
        });
}

int paddedPlace(MNN::PadValueMode mode, int place, int length) {
    if (mode == MNN::PadValueMode_EDGE) return std::min(std::max(place, 0), length - 1);
    if (mode == MNN::PadValueMode_CONSTANT) return place < 0 || place >= length ? -1 : place;
    if (place < 0) place = -place;
    return place >= length ? 2 * (length - 1) - place : place;  // REFLECT
}

// pads: begin and end of each axis.
Case padCase(Array x, const std::vector<int>& pads, MNN::PadValueMode mode) {
    const int rank = static_cast<int>(x.shape.size());
    std::vector<Input> inputs = {plain(std::move(x)), constant(ints({rank, 2}, pads))};
    if (mode == MNN::PadValueMode_CONSTANT) inputs.push_back(constant(Array{Type::Float, {1}, {1.5}}));
    return moveCase(
        std::string("Padding ") + MNN::EnumNamePadValueMode(mode) + " " + textOf(pads), std::move(inputs),
        [mode](NetBuilder& net, const Names& in) {
            auto* param = new MNN::PadParamT;
            param->mode = mode;
            net.add(MNN::OpType_Padding, "y", in, MNN::OpParameter_PadParam, param);
        },
        [=](const std::vector<Array>& in) {
            Shape shape = in[0].shape;
            for (int d = 0; d < rank; ++d) shape[d] += pads[2 * d] + pads[2 * d + 1];
            return generate(in[0].type, shape, [&](Index at) {
                for (int d = 0; d < rank; ++d) {
                    at[d] = paddedPlace(mode, at[d] - pads[2 * d], in[0].shape[d]);
                    if (at[d] < 0) return 1.5;
                }
                return in[0].at(at);
            });
        });
}

Case tileCase(Array x, const std::vector<int>& times) {
    return moveCase(
        "Tile " + textOf(times), {plain(std::move(x)), constant(ints({static_cast<int>(times.size())}, times))},
        [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_Tile, "y", in); },
        [times](const std::vector<Array>& in) {
            Shape shape = in[0].shape;
            for (size_t d = 0; d < shape.size(); ++d) shape[d] *= times[d];
            return generate(in[0].type, shape, [&](Index at) {
                for (size_t d = 0; d < at.size(); ++d) at[d] %= in[0].shape[d];
                return in[0].at(at);
            });
        });
}

Case broadcastCase(Array x, const Shape& shape) {
    return moveCase(
        "BroadcastTo " + textOf(shape), {plain(std::move(x)), constant(ints({static_cast<int>(shape.size())}, shape))},
        [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_BroadcastTo, "y", in); },
        [shape](const std::vector<Array>& in) {
            return generate(in[0].type, broadcast(in[0].shape, shape), [&](const Index& at) { return in[0].at(at); });
        });
}

Case reverseCase(Array x, int axis) {
    return moveCase(
        "Reverse along " + std::to_string(axis), {plain(std::move(x)), constant(ints({1}, {axis}))},
        [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_Reverse, "y", in); },
        [axis](const std::vector<Array>& in) {
            return generate(in[0].type, in[0].shape, [&](Index at) {
                at[axis] = in[0].shape[axis] - 1 - at[axis];
                return in[0].at(at);
            });
        });
}

// A channel of depth is block row, block column, channel (DCR), or channel, block row, block column (CRD).
Case blocksCase(Array x, int block, bool toSpace, MNN::DepthToSpaceMode mode) {
    const MNN::OpType type = toSpace ? MNN::OpType_DepthToSpace : MNN::OpType_SpaceToDepth;
    return moveCase(
        std::string(MNN::EnumNameOpType(type)) + " " + MNN::EnumNameDepthToSpaceMode(mode) + " by " +
            std::to_string(block),
        {plain(std::move(x))},
        [=](NetBuilder& net, const Names& in) {
            auto* param = new MNN::DepthSpaceParamT;
            param->blockSize = block;
            param->mode = mode;
            net.add(type, "y", in, MNN::OpParameter_DepthSpaceParam, param);
        },
        [=](const std::vector<Array>& in) {
            const Array& x = in[0];
            const Shape& s = x.shape;
            const int b = block;
            const int channels = toSpace ? s[1] / (b * b) : s[1];
            const auto deep = [&](int c, int row, int column) {
                return mode == MNN::DepthToSpaceMode_CRD ? (c * b + row) * b + column
                                                         : (row * b + column) * channels + c;
            };
            if (toSpace) {
                return generate(x.type, {s[0], channels, s[2] * b, s[3] * b}, [&](const Index& at) {
                    return x.at({at[0], deep(at[1], at[2] % b, at[3] % b), at[2] / b, at[3] / b});
                });
            }
            Array y = generate(x.type, {s[0], s[1] * b * b, s[2] / b, s[3] / b}, [](const Index&) { return 0; });
            forEach(s, [&](const Index& at) {
                y.at({at[0], deep(at[1], at[2] % b, at[3] % b), at[2] / b, at[3] / b}) = x.at(at);
            });
            return y;
        });
}

void permuteCases(const Visit& visit, Random& random) {
    std::vector<int> perm = {0, 1, 2};
    do {
        for (Type type : {Type::Float, Type::Int, Type::Int8, Type::Uint8}) {
            visitFronts(permuteCase(random.ints({2, 9, 5}, 0, 99, type), perm), visit);
        }
    } while (std::next_permutation(perm.begin(), perm.end()));
    perm = {0, 1, 2, 3};
    do visitFronts(permuteCase(random.floats({2, 5, 3, 4}), perm), visit);
    while (std::next_permutation(perm.begin(), perm.end()));
    for (int n : edgeSizes()) {
        visit(permuteCase(random.floats({n, 7}), {1, 0}));
        visit(permuteCase(random.floats({n, n}), {1, 0}));
        visit(permuteCase(random.ints({3, n, 9}, 0, 99, Type::Uint8), {0, 2, 1}));
        visitFronts(permuteCase(random.floats({2, n, 3, 5}), {0, 2, 3, 1}), visit);
    }
    visit(permuteCase(random.floats({300, 301}), {1, 0}));
    visit(permuteCase(random.floats({2, 33, 40, 41}), {0, 2, 3, 1}));
    visit(permuteCase(random.floats({2, 40, 41, 33}), {0, 3, 1, 2}));
    visit(permuteCase(random.floats({2, 3, 2, 3, 2, 3}), {5, 3, 1, 0, 2, 4}));
}

void joinCases(const Visit& visit, Random& random) {
    for (int axis = -1; axis < 4; ++axis) {
        Shape other = {2, 5, 3, 4};
        other[axisOf(axis, 4)] = 2;
        visitFronts(concatCase({plain(random.floats({2, 5, 3, 4})), plain(random.floats(other)),
                                plain(random.floats({2, 5, 3, 4}))},
                               axis),
                    visit);
        visit(concatCase(
            {plain(random.ints(other, 0, 9, Type::Uint8)), plain(random.ints({2, 5, 3, 4}, 0, 9, Type::Uint8))}, axis));
    }
    for (int n : edgeSizes()) {
        visitFronts(concatCase({plain(random.floats({2, n, 3, 3})), plain(random.floats({2, 4, 3, 3}))}, 1), visit);
        visit(concatCase({plain(random.floats({n})), plain(random.floats({3})), constant(random.floats({n}))}, 0));
    }
}

void selectionCases(const Visit& visit, Random& random) {
    visitFronts(stridedSliceCase(random.floats({2, 5, 7}), {0, 1, 2}, {2, 4, 7}, {1, 1, 2}), visit);
    visitFronts(stridedSliceCase(random.floats({2, 9, 7, 6}), {0, 3, 1, 0}, {1, 9, 6, 6}, {1, 2, 3, 5}), visit);
    visitFronts(stridedSliceCase(random.floats({2, 9, 7, 6}), {1, 8, 0, 5}, {0, 2, 7, 1}, {-1, -3, 1, -2}), visit);
    visit(stridedSliceCase(random.floats({5}), {3}, {3}, {1}));
    visit(stridedSliceCase(random.ints({17, 3}, 0, 9, Type::Int8), {15, 0}, {2, 3}, {-2, 1}));
    for (MNN::PadValueMode mode : {MNN::PadValueMode_CONSTANT, MNN::PadValueMode_REFLECT, MNN::PadValueMode_EDGE}) {
        visitFronts(padCase(random.floats({2, 5, 3, 4}), {0, 0, 2, 1, 1, 2, 0, 3}, mode), visit);
        visitFronts(padCase(random.floats({4, 7}), {1, 3, 0, 2}, mode), visit);
        visit(padCase(random.floats({9}), {8, 8}, mode));
    }
    visitFronts(tileCase(random.floats({2, 5, 3, 1}), {1, 2, 1, 3}), visit);
    visitFronts(tileCase(random.ints({3, 4}, -9, 9), {2, 2}), visit);
    visit(tileCase(random.floats({3, 4}), {0, 2}));
    visitFronts(broadcastCase(random.floats({5, 1, 4}), {2, 5, 3, 4}), visit);
    visitFronts(broadcastCase(random.floats({2, 1, 3, 1}), {2, 5, 3, 4}), visit);
    visit(broadcastCase(random.floats({}), {3, 5}));
    for (int axis = 0; axis < 4; ++axis) visitFronts(reverseCase(random.floats({2, 5, 3, 4}), axis), visit);
}

void shapeCases(const Visit& visit, Random& random) {
    visitFronts(reshapeCase(random.floats({2, 5, 3, 4}), {10, 12}), visit);
    visitFronts(reshapeCase(random.floats({2, 5, 3, 4}), {2, 3, 4, 5}), visit);
    visitFronts(reshapeCase(random.floats({2, 8, 3, 4}), {4, 4, 12, 1}), visit);
    visit(reshapeCase(random.floats({0, 4}), {0, 2, 2}));
    for (MNN::DepthToSpaceMode mode : {MNN::DepthToSpaceMode_DCR, MNN::DepthToSpaceMode_CRD}) {
        for (int channels : {1, 4, 5}) {
            visitFronts(blocksCase(random.floats({2, channels * 4, 3, 5}), 2, true, mode), visit);
            visit(blocksCase(random.floats({1, channels * 9, 2, 1}), 3, true, mode));
        }
    }
    for (int channels : {1, 4, 5})
        visitFronts(blocksCase(random.floats({2, channels, 4, 6}), 2, false, MNN::DepthToSpaceMode_DCR), visit);
}

}  // namespace

void rasterCases(const Visit& visit) {
    Random random(1);
    permuteCases(visit, random);
    joinCases(visit, random);
    selectionCases(visit, random);
    shapeCases(visit, random);
}

}  // namespace mnn_primitives
