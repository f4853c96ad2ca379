#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include "core/TensorUtils.hpp"
#include "geometry/RegionAlgebra.hpp"

namespace {

using namespace MNN;

// A real tensor holding 0, 1, 2, ...
std::unique_ptr<Tensor> counting(const std::vector<int>& dims) {
    std::unique_ptr<Tensor> t(Tensor::create<float>(dims, nullptr, Tensor::CAFFE));
    std::iota(t->host<float>(), t->host<float>() + TensorUtils::elements(t.get()), 0.0f);
    return t;
}

std::unique_ptr<Tensor> view(const std::vector<int>& dims, core::RegionList regions) {
    std::unique_ptr<Tensor> t(Tensor::createDevice<float>(dims, Tensor::CAFFE));
    TensorUtils::setVirtual(t.get(), std::move(regions));
    return t;
}

// All elements in the row-major order of `lengths`.
std::vector<float> read(const StridedInput& input, const std::vector<int>& lengths) {
    std::vector<float> values;
    int64_t count = 1;
    for (int n : lengths) count *= n;
    for (int64_t i = 0; i < count; ++i) {
        int64_t offset = 0, rest = i;
        for (int d = static_cast<int>(lengths.size()) - 1; d >= 0; --d) {
            offset += rest % lengths[d] * input.stride[d];
            rest /= lengths[d];
        }
        values.push_back(input.data<float>()[offset]);
    }
    return values;
}

// What a Raster would write.
std::vector<float> raster(const Tensor* t) {
    std::vector<float> values(TensorUtils::storageElements(t));
    for (const core::Region& r : TensorUtils::describe(t)->regions) {
        for (int64_t n = 0; n < r.elements(); ++n) {
            int64_t from = r.src.offset, to = r.dst.offset, rest = n;
            for (int k = core::kRegionLoops - 1; k >= 0; --k) {
                from += rest % r.size[k] * r.src.stride[k];
                to += rest % r.size[k] * r.dst.stride[k];
                rest /= r.size[k];
            }
            values[to] = r.origin->host<float>()[from];
        }
    }
    return values;
}

TEST(StridedInput, ARealTensorUnderAnyLengths) {
    auto t = counting({2, 3, 4});
    for (const std::vector<int>& lengths : {std::vector<int>{24}, {2, 12}, {6, 4}, {2, 3, 4}, {1, 24, 1}}) {
        StridedInput input;
        ASSERT_TRUE(stridedInput(t.get(), lengths, &input));
        EXPECT_EQ(input.storage, t.get());
        const std::vector<float> values = read(input, lengths);
        for (int i = 0; i < 24; ++i) EXPECT_EQ(values[i], static_cast<float>(i));
    }
    StridedInput input;
    EXPECT_FALSE(stridedInput(t.get(), {2, 3}, &input));
}

TEST(StridedInput, ScalarsAndEmptyTensors) {
    auto scalar = counting({});
    StridedInput input;
    ASSERT_TRUE(stridedInput(scalar.get(), {}, &input));
    ASSERT_TRUE(stridedInput(scalar.get(), {1, 1}, &input));
    EXPECT_EQ(read(input, {1, 1}), (std::vector<float>{0}));
    auto empty = counting({2, 0});
    ASSERT_TRUE(stridedInput(empty.get(), {0, 5}, &input));
    EXPECT_FALSE(stridedInput(empty.get(), {1}, &input));
}

TEST(StridedInput, SeveralRegionsAndGapsAreRefused) {
    auto t = counting({8});
    core::Region half;
    half.origin = t.get();
    half.size[5] = 4;
    half.src.stride[5] = half.dst.stride[5] = 1;
    core::Region second = half;
    second.dst.offset = 4;
    StridedInput input;
    EXPECT_FALSE(stridedInput(view({8}, {half, second}).get(), {8}, &input));
    EXPECT_FALSE(stridedInput(view({8}, {half}).get(), {8}, &input));
    EXPECT_TRUE(stridedInput(view({4}, {half}).get(), {4}, &input));
}

// Whenever it says yes, it reads what the Raster writes; for the view's own lengths it always says yes.
TEST(StridedInput, RandomViewsReadTheirElements) {
    for (uint32_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const int rank = 1 + random() % 4;
        std::vector<int> dims;
        std::vector<int64_t> strides;
        int64_t reach = random() % 5, offset = reach;
        for (int d = 0; d < rank; ++d) {
            dims.push_back(1 + random() % 4);
            strides.push_back(random() % 7);
            reach += (dims.back() - 1) * strides.back();
        }
        auto t = counting({static_cast<int>(reach) + 1});
        core::RegionList regions;
        ASSERT_TRUE(core::fromShape(t.get(), dims, strides, offset, core::rowMajorStrides(dims), 0, &regions));
        auto v = view(dims, regions);
        StridedInput input;
        ASSERT_TRUE(stridedInput(v.get(), dims, &input));
        EXPECT_EQ(read(input, dims), raster(v.get()));
        const int total = static_cast<int>(TensorUtils::elements(v.get()));
        for (int outer = 1; outer <= total; ++outer) {
            if (total % outer != 0) continue;
            const std::vector<int> lengths = {outer, total / outer};
            if (!stridedInput(v.get(), lengths, &input)) continue;
            EXPECT_EQ(read(input, lengths), raster(v.get()));
        }
    }
}

}  // namespace
