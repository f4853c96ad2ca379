#include "core/LayoutCopy.hpp"
#include <gtest/gtest.h>
#include <cstring>
#include <memory>
#include "core/TensorUtils.hpp"

namespace {

using namespace MNN;

struct Layout {
    MNN_DATA_FORMAT format;
    int pack;
};
const Layout kLayouts[] = {{MNN_DATA_FORMAT_NCHW, 4},
                           {MNN_DATA_FORMAT_NHWC, 4},
                           {MNN_DATA_FORMAT_NC4HW4, 4},
                           {MNN_DATA_FORMAT_NC4HW4, 8},
                           {MNN_DATA_FORMAT_NC4HW4, 16}};

// n, c, then the other lengths.
std::unique_ptr<Tensor> make(const std::vector<int>& ncs, halide_type_t type, Layout layout) {
    std::vector<int> dims = ncs;
    if (layout.format == MNN_DATA_FORMAT_NHWC && dims.size() > 2) {
        dims.erase(dims.begin() + 1);
        dims.push_back(ncs[1]);
    }
    std::unique_ptr<Tensor> t(new Tensor(static_cast<int>(dims.size())));
    t->buffer().type = type;
    TensorUtils::setFormat(t.get(), layout.format, layout.pack);
    TensorUtils::setShape(t.get(), dims);
    EXPECT_TRUE(TensorUtils::allocHost(t.get()));
    std::memset(t->host<void>(), 0xee, TensorUtils::storageBytes(t.get()));
    return t;
}

// Where (n, c, s) lies, said once more in the plainest way.
int64_t at(const std::vector<int>& ncs, Layout layout, int n, int c, int s) {
    int64_t area = 1;
    for (size_t i = 2; i < ncs.size(); ++i) area *= ncs[i];
    const int channels = ncs.size() > 1 ? ncs[1] : 1;
    if (layout.format == MNN_DATA_FORMAT_NHWC) return (n * area + s) * channels + c;
    if (layout.format == MNN_DATA_FORMAT_NCHW || ncs.size() < 2) return (int64_t(n) * channels + c) * area + s;
    const int blocks = (channels + layout.pack - 1) / layout.pack;
    return ((int64_t(n) * blocks + c / layout.pack) * area + s) * layout.pack + c % layout.pack;
}

template <typename F>
void forAll(const std::vector<int>& ncs, F&& f) {
    int area = 1;
    for (size_t i = 2; i < ncs.size(); ++i) area *= ncs[i];
    for (int n = 0; n < (ncs.empty() ? 1 : ncs[0]); ++n) {
        for (int c = 0; c < (ncs.size() > 1 ? ncs[1] : 1); ++c) {
            for (int s = 0; s < area; ++s) f(n, c, s);
        }
    }
}

uint8_t* element(const Tensor* t, int64_t index) { return t->host<uint8_t>() + index * t->getType().bytes(); }

void write(uint8_t* target, int bytes, uint64_t value) { std::memcpy(target, &value, static_cast<size_t>(bytes)); }

class LayoutCopy : public ::testing::TestWithParam<std::vector<int>> {};

TEST_P(LayoutCopy, EveryLayoutTypeAndPackIntoEveryOther) {
    const std::vector<int>& ncs = GetParam();
    const halide_type_t types[] = {halide_type_of<uint8_t>(), halide_type_of<int8_t>(),
                                   halide_type_t(halide_type_float, 16), halide_type_of<int32_t>(),
                                   halide_type_of<float>()};
    for (const halide_type_t& type : types) {
        const int bytes = type.bytes();
        for (const Layout& a : kLayouts) {
            for (const Layout& b : kLayouts) {
                auto src = make(ncs, type, a), dst = make(ncs, type, b);
                uint64_t value = 1;
                forAll(ncs,
                       [&](int n, int c, int s) { write(element(src.get(), at(ncs, a, n, c, s)), bytes, value++); });
                ASSERT_TRUE(copyLayout(src.get(), dst.get()));
                value = 1;
                bool same = true;
                forAll(ncs, [&](int n, int c, int s) {
                    uint64_t wanted = 0;
                    write(reinterpret_cast<uint8_t*>(&wanted), bytes, value++);
                    same &=
                        std::memcmp(element(dst.get(), at(ncs, b, n, c, s)), &wanted, static_cast<size_t>(bytes)) == 0;
                });
                EXPECT_TRUE(same) << "format " << a.format << " pack " << a.pack << " to " << b.format << " pack "
                                  << b.pack << ", " << bytes << " bytes";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayoutCopy,
                         ::testing::Values(std::vector<int>{}, std::vector<int>{5}, std::vector<int>{2, 7},
                                           std::vector<int>{2, 1, 3}, std::vector<int>{1, 3, 4, 4},
                                           std::vector<int>{2, 4, 1, 3}, std::vector<int>{1, 5, 2, 2},
                                           std::vector<int>{3, 17, 2, 3}, std::vector<int>{1, 8, 2, 1, 3},
                                           std::vector<int>{0, 3, 2, 2}, std::vector<int>{1, 16, 1, 1}));

TEST(LayoutCopyRefuses, OtherTypesShapesAndMissingMemory) {
    auto a = make({1, 3, 2, 2}, halide_type_of<float>(), kLayouts[0]);
    auto ints = make({1, 3, 2, 2}, halide_type_of<int32_t>(), kLayouts[0]);
    auto larger = make({1, 3, 2, 3}, halide_type_of<float>(), kLayouts[0]);
    auto swapped = make({1, 2, 3, 2}, halide_type_of<float>(), kLayouts[1]);
    EXPECT_FALSE(copyLayout(a.get(), ints.get()));
    EXPECT_FALSE(copyLayout(a.get(), larger.get()));
    EXPECT_FALSE(copyLayout(a.get(), swapped.get()));
    a->buffer().host = nullptr;
    auto b = make({1, 3, 2, 2}, halide_type_of<float>(), kLayouts[0]);
    EXPECT_FALSE(copyLayout(a.get(), b.get()));
    EXPECT_FALSE(copyLayout(b.get(), a.get()));
}

TEST(LayoutCopyRefuses, NothingWhenThereIsNothingToCopy) {
    auto a = make({0, 3, 2, 2}, halide_type_of<float>(), kLayouts[0]);
    auto b = make({0, 3, 2, 2}, halide_type_of<float>(), kLayouts[2]);
    a->buffer().host = nullptr;
    EXPECT_TRUE(copyLayout(a.get(), b.get()));
}

}  // namespace
