// Reads and writes by index.
#include <algorithm>
#include <map>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

template <typename T>
std::vector<T> run(const OpT& op, const std::vector<TensorPtr>& inputs, const Dims& out, int threads = 1,
                   ErrorCode want = NO_ERROR) {
    TensorPtr y = poisoned(out, halide_type_of<T>());
    EXPECT_EQ(runOp(op, inputs, {y}, threads), want);
    return valuesIn<T>(y);
}

TensorPtr scalar(int value) { return tensorOf<int>({}, {value}); }

OpT scatterOp(OpType type, int kind) {
    if (kind < 0) return opOf(type);
    BinaryOpT p;
    p.opType = static_cast<BinaryOpOperation>(kind);
    return opOf(type, p);
}

float combined(int kind, float old, float update) {
    switch (kind) {
        case BinaryOpOperation_ADD:
            return old + update;
        case BinaryOpOperation_MUL:
            return old * update;
        case BinaryOpOperation_MAXIMUM:
            return std::max(old, update);
        case BinaryOpOperation_MINIMUM:
            return std::min(old, update);
        default:
            return update;
    }
}
const int kKinds[] = {-1, BinaryOpOperation_ADD, BinaryOpOperation_MUL, BinaryOpOperation_MAXIMUM,
                      BinaryOpOperation_MINIMUM};

TEST(CPUGather, EveryAxis) {
    const Dims dims = {3, 5, 70}, at = {2, 40};
    const std::vector<float> x = uniform(countOf(dims), 1);
    for (int axis = -3; axis < 3; ++axis) {
        const int a = (axis + 3) % 3;
        const std::vector<int> indices = integers(countOf(at), 2, -dims[a], dims[a] - 1);
        Dims out = dims;
        out.erase(out.begin() + a);
        out.insert(out.begin() + a, at.begin(), at.end());
        std::vector<float> want;
        forEachIndex(out, [&](const Dims& o) {
            Dims from(o.begin(), o.begin() + a);
            const int index = indices[flatOf(at, {o[a], o[a + 1]})];
            from.push_back(index < 0 ? index + dims[a] : index);
            from.insert(from.end(), o.begin() + a + 2, o.end());
            want.push_back(x[flatOf(dims, from)]);
        });
        for (int threads : {1, 3}) {
            EXPECT_EQ(run<float>(opOf(OpType_GatherV2), {tensorOf(dims, x), tensorOf(at, indices), scalar(axis)}, out,
                                 threads),
                      want);
        }
        AxisT param;
        param.axis = axis;
        EXPECT_EQ(run<float>(opOf(OpType_GatherV2, param), {tensorOf(dims, x), tensorOf(at, indices)}, out), want);
    }
}

TEST(CPUGather, OutsideIsAnErrorAndEmptyIsNot) {
    const TensorPtr x = tensorOf<float>({3, 2}, {1, 2, 3, 4, 5, 6});
    run<float>(opOf(OpType_GatherV2), {x, tensorOf<int>({1}, {3}), scalar(0)}, {1, 2}, 1, INVALID_VALUE);
    run<float>(opOf(OpType_GatherV2), {x, tensorOf<int>({1}, {-4}), scalar(0)}, {1, 2}, 1, INVALID_VALUE);
    run<float>(opOf(OpType_GatherV2), {x, tensorOf<int>({1}, {0}), scalar(2)}, {1, 2}, 1, INVALID_VALUE);
    run<float>(opOf(OpType_GatherV2), {x, tensorOf<int>({0}, {}), scalar(0)}, {0, 2});
    EXPECT_EQ(run<uint8_t>(opOf(OpType_GatherV2), {tensorOf<uint8_t>({3}, {7, 8, 9}), scalar(-1), scalar(0)}, {}),
              std::vector<uint8_t>{9});
}

TEST(CPUGather, NdWithBatches) {
    const Dims dims = {2, 3, 4, 5};
    const std::vector<int> x = integers(countOf(dims), 3, 0, 1000);
    for (int batch = 0; batch < 3; ++batch) {
        for (int depth = 0; batch + depth <= 4; ++depth) {
            Dims at(dims.begin(), dims.begin() + batch);
            at.insert(at.end(), {6, depth});
            std::vector<int> indices, want;
            Dims out(at.begin(), at.end() - 1);
            out.insert(out.end(), dims.begin() + batch + depth, dims.end());
            const std::vector<int> random = integers(countOf(at), 4, 0, 1000);
            for (size_t i = 0; i < random.size(); ++i) {
                const int length = dims[batch + i % depth];
                indices.push_back(random[i] % (2 * length) - length);
            }
            forEachIndex(out, [&](const Dims& o) {
                Dims from(o.begin(), o.begin() + batch);
                for (int k = 0; k < depth; ++k) {
                    Dims place(o.begin(), o.begin() + batch + 1);
                    place.push_back(k);
                    const int index = indices[flatOf(at, place)];
                    from.push_back(index < 0 ? index + dims[batch + k] : index);
                }
                from.insert(from.end(), o.begin() + batch + 1, o.end());
                want.push_back(x[flatOf(dims, from)]);
            });
            AxisT param;
            param.axis = batch;
            EXPECT_EQ(run<int>(opOf(OpType_GatherND, param), {tensorOf(dims, x), tensorOf(at, indices)}, out), want)
                << batch << depth;
        }
    }
    run<int>(opOf(OpType_GatherND), {tensorOf(dims, x), tensorOf<int>({1, 2}, {0, 3})}, {1, 4, 5}, 1, INVALID_VALUE);
}

TEST(CPUGather, ElementsOfSmallerIndices) {
    const Dims dims = {4, 5, 6}, at = {3, 7, 5};
    const std::vector<float> x = uniform(countOf(dims), 5);
    for (int axis = 0; axis < 3; ++axis) {
        Dims shape = {4, 5, 6};
        shape[axis] = at[axis];
        shape[(axis + 1) % 3] -= 1;
        const std::vector<int> indices = integers(countOf(shape), 6, -dims[axis], dims[axis] - 1);
        std::vector<float> want;
        forEachIndex(shape, [&](const Dims& o) {
            Dims from = o;
            const int index = indices[flatOf(shape, o)];
            from[axis] = index < 0 ? index + dims[axis] : index;
            want.push_back(x[flatOf(dims, from)]);
        });
        for (int threads : {1, 3}) {
            EXPECT_EQ(run<float>(opOf(OpType_GatherElements),
                                 {tensorOf(dims, x), tensorOf(shape, indices), scalar(axis)}, shape, threads),
                      want);
        }
    }
    run<float>(opOf(OpType_GatherElements), {tensorOf(dims, x), tensorOf<int>({1, 1, 1}, {6}), scalar(2)}, {1, 1, 1}, 1,
               INVALID_VALUE);
}

TEST(CPUScatter, NdWithEveryReduction) {
    const Dims dims = {4, 3, 5};
    const std::vector<float> x = uniform(countOf(dims), 7);
    for (int kind : kKinds) {
        for (int depth = 1; depth <= 3; ++depth) {
            const Dims at = {9, depth};
            std::vector<int> indices = integers(countOf(at), 8, 0, 1000);
            for (size_t i = 0; i < indices.size(); ++i) indices[i] %= dims[i % depth];
            indices[0] -= dims[0];
            Dims shape = {9};
            shape.insert(shape.end(), dims.begin() + depth, dims.end());
            const std::vector<float> updates = uniform(countOf(shape), 9);
            const int64_t inner = countOf(shape) / 9;
            for (bool withData : {true, false}) {
                std::vector<float> want = withData ? x : std::vector<float>(x.size(), 0.0f);
                for (int u = 0; u < 9; ++u) {
                    int64_t to = 0;
                    for (int k = 0; k < depth; ++k) to = to * dims[k] + (indices[u * depth + k] + dims[k]) % dims[k];
                    for (int64_t i = 0; i < inner; ++i) {
                        const int rule = kind < 0 && !withData ? static_cast<int>(BinaryOpOperation_ADD) : kind;
                        want[to * inner + i] = combined(rule, want[to * inner + i], updates[u * inner + i]);
                    }
                }
                std::vector<TensorPtr> inputs = {tensorOf(at, indices), tensorOf(shape, updates),
                                                 tensorOf<int>({3}, dims)};
                if (withData) inputs.push_back(tensorOf(dims, x));
                EXPECT_EQ(run<float>(scatterOp(OpType_ScatterNd, kind), inputs, dims), want)
                    << kind << depth << withData;
            }
        }
    }
    run<float>(opOf(OpType_ScatterNd), {tensorOf<int>({1, 1}, {4}), tensorOf<float>({1}, {0}), tensorOf<int>({1}, {4})},
               {4}, 1, INVALID_VALUE);
}

TEST(CPUScatter, ElementsWithEveryReduction) {
    const Dims dims = {4, 3, 5};
    const std::vector<float> x = uniform(countOf(dims), 10);
    for (int kind : kKinds) {
        for (int axis = 0; axis < 3; ++axis) {
            Dims shape = dims;
            shape[axis] = 6;
            shape[(axis + 1) % 3] -= 1;
            const std::vector<int> indices = integers(countOf(shape), 11, -dims[axis], dims[axis] - 1);
            const std::vector<float> updates = uniform(countOf(shape), 12);
            std::vector<float> want = x;
            forEachIndex(shape, [&](const Dims& o) {
                Dims to = o;
                to[axis] = (indices[flatOf(shape, o)] + dims[axis]) % dims[axis];
                float& cell = want[flatOf(dims, to)];
                cell = combined(kind, cell, updates[flatOf(shape, o)]);
            });
            EXPECT_EQ(
                run<float>(scatterOp(OpType_ScatterElements, kind),
                           {tensorOf(dims, x), tensorOf(shape, indices), tensorOf(shape, updates), scalar(axis)}, dims),
                want);
        }
    }
    run<float>(opOf(OpType_ScatterElements),
               {tensorOf<float>({2}, {1, 2}), tensorOf<int>({1}, {2}), tensorOf<float>({1}, {3}), scalar(0)}, {2}, 1,
               INVALID_VALUE);
}

TEST(CPUTopK, BestFirstAndTiesByIndex) {
    const Dims dims = {3, 7, 4};
    std::vector<float> x;
    for (int v : integers(countOf(dims), 13, -4, 4)) x.push_back(static_cast<float>(v));
    for (int axis = 0; axis < 3; ++axis) {
        for (bool largest : {true, false}) {
            for (int k : {0, 1, 2, dims[axis]}) {
                Dims out = dims;
                out[axis] = k;
                std::vector<float> values(countOf(out));
                std::vector<int> indices(countOf(out));
                Dims rows = dims;
                rows[axis] = 1;
                forEachIndex(rows, [&](const Dims& row) {
                    std::vector<std::pair<float, int>> cells;
                    for (int i = 0; i < dims[axis]; ++i) {
                        Dims at = row;
                        at[axis] = i;
                        cells.push_back({largest ? -x[flatOf(dims, at)] : x[flatOf(dims, at)], i});
                    }
                    std::sort(cells.begin(), cells.end());
                    for (int i = 0; i < k; ++i) {
                        Dims at = row;
                        at[axis] = i;
                        values[flatOf(out, at)] = largest ? -cells[i].first : cells[i].first;
                        indices[flatOf(out, at)] = cells[i].second;
                    }
                });
                TopKV2T p;
                p.largest = largest;
                const TensorPtr y = poisoned(out, halide_type_of<float>()),
                                at = poisoned(out, halide_type_of<int32_t>());
                ASSERT_EQ(runOp(opOf(OpType_TopKV2, p), {tensorOf(dims, x), scalar(k), scalar(axis)}, {y, at}, 3),
                          NO_ERROR);
                EXPECT_EQ(valuesIn<float>(y), values);
                EXPECT_EQ(valuesIn<int>(at), indices);
            }
        }
    }
    const TensorPtr y = poisoned({3}, halide_type_of<float>()), at = poisoned({3}, halide_type_of<int32_t>());
    EXPECT_EQ(runOp(opOf(OpType_TopKV2), {tensorOf<float>({2}, {1, 2}), scalar(3)}, {y, at}), INVALID_VALUE);
}

TEST(CPUSelection, WhereListsCoordinates) {
    const TensorPtr x = tensorOf<int>({2, 3}, {0, 5, 0, -1, 0, 7});
    EXPECT_EQ(run<int>(opOf(OpType_Where), {x}, {3, 2}), (std::vector<int>{0, 1, 1, 0, 1, 2}));
    EXPECT_EQ(run<int>(opOf(OpType_Where), {tensorOf<float>({2}, {0.0f, -0.0f})}, {0, 1}), std::vector<int>());
    run<int>(opOf(OpType_Where), {x}, {2, 2}, 1, INVALID_VALUE);
}

TEST(CPUSelection, UniqueSortedAndByOccurrenceAndAlongAnAxis) {
    const TensorPtr x = tensorOf<float>({6}, {2, 1, 1, 3, 4, 3});
    const auto outputs = [](int n, int total) {
        return std::vector<TensorPtr>{poisoned({n}, halide_type_of<float>()), poisoned({n}, halide_type_of<int>()),
                                      poisoned({total}, halide_type_of<int>()), poisoned({n}, halide_type_of<int>())};
    };
    std::vector<TensorPtr> y = outputs(4, 6);
    ASSERT_EQ(runOp(ExtraOp("Unique").i("sorted", 1).op(), {x}, y), NO_ERROR);
    EXPECT_EQ(valuesIn<float>(y[0]), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(valuesIn<int>(y[1]), (std::vector<int>{1, 0, 3, 4}));
    EXPECT_EQ(valuesIn<int>(y[2]), (std::vector<int>{1, 0, 0, 2, 3, 2}));
    EXPECT_EQ(valuesIn<int>(y[3]), (std::vector<int>{2, 1, 2, 1}));
    y = outputs(4, 6);
    ASSERT_EQ(runOp(ExtraOp("Unique").i("sorted", 0).op(), {x}, y), NO_ERROR);
    EXPECT_EQ(valuesIn<float>(y[0]), (std::vector<float>{2, 1, 3, 4}));
    EXPECT_EQ(valuesIn<int>(y[1]), (std::vector<int>{0, 1, 3, 4}));
    EXPECT_EQ(valuesIn<int>(y[2]), (std::vector<int>{0, 1, 1, 2, 3, 2}));
    EXPECT_EQ(valuesIn<int>(y[3]), (std::vector<int>{1, 2, 2, 1}));
    const std::vector<TensorPtr> columns = {poisoned({2, 2}, halide_type_of<int>())};
    ASSERT_EQ(runOp(ExtraOp("Unique").i("axis", -1).op(), {tensorOf<int>({2, 3}, {2, 1, 2, 3, 0, 3})}, columns),
              NO_ERROR);
    EXPECT_EQ(valuesIn<int>(columns[0]), (std::vector<int>{1, 2, 0, 3}));
    const std::vector<TensorPtr> tf = {poisoned({4}, halide_type_of<float>()), poisoned({6}, halide_type_of<int>())};
    ASSERT_EQ(runOp(opOf(OpType_Unique), {x}, tf), NO_ERROR);
    EXPECT_EQ(valuesIn<int>(tf[1]), (std::vector<int>{1, 0, 0, 2, 3, 2}));
}

TEST(CPUSelection, SetDifference) {
    const TensorPtr y = poisoned({3}, halide_type_of<int>()), at = poisoned({3}, halide_type_of<int>());
    ASSERT_EQ(
        runOp(opOf(OpType_SetDiff1D), {tensorOf<int>({6}, {1, 2, 3, 4, 5, 6}), tensorOf<int>({3}, {1, 3, 5})}, {y, at}),
        NO_ERROR);
    EXPECT_EQ(valuesIn<int>(y), (std::vector<int>{2, 4, 6}));
    EXPECT_EQ(valuesIn<int>(at), (std::vector<int>{1, 3, 5}));
}

// The example of ONNX's documentation: three clusters of two boxes, one of each survives.
const std::vector<float> kBoxes = {0, 0,  1, 1,  0, 0.1f,  1, 1.1f,  0, -0.1f, 1, 0.9f,
                                   0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100,   1, 101};
const std::vector<float> kScores = {0.9f, 0.75f, 0.6f, 0.95f, 0.5f, 0.3f};

TEST(CPUSelection, NonMaxSuppression) {
    const auto number = [](float v) { return tensorOf<float>({}, {v}); };
    EXPECT_EQ(run<int>(opOf(OpType_NonMaxSuppressionV2),
                       {tensorOf({6, 4}, kBoxes), tensorOf({6}, kScores), scalar(3), number(0.5f), number(0.4f)}, {2}),
              (std::vector<int>{3, 0}));
    EXPECT_EQ(run<int>(opOf(OpType_NonMaxSuppressionV2),
                       {tensorOf({6, 4}, kBoxes), tensorOf({6}, kScores), scalar(2), number(0.5f)}, {2}),
              (std::vector<int>{3, 0}));
    std::vector<float> two = kScores;
    two.insert(two.end(), kScores.begin(), kScores.end());
    EXPECT_EQ(run<int>(ExtraOp("NonMaxSuppression").op(),
                       {tensorOf({1, 6, 4}, kBoxes), tensorOf({1, 2, 6}, two), scalar(2), number(0.5f), number(0.0f)},
                       {4, 3}),
              (std::vector<int>{0, 0, 3, 0, 0, 0, 0, 1, 3, 0, 1, 0}));
    EXPECT_EQ(run<int>(ExtraOp("NonMaxSuppression").i("center_point_box", 1).op(),
                       {tensorOf<float>({1, 2, 4}, {0.5f, 0.5f, 1, 1, 0.5f, 0.6f, 1, 1}),
                        tensorOf<float>({1, 1, 2}, {0.5f, 0.6f}), scalar(9), number(0.5f), number(0.0f)},
                       {1, 3}),
              (std::vector<int>{0, 0, 1}));
}

}  // namespace
}  // namespace MNN
