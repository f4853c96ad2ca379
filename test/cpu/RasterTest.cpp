// Raster against a copy element by element: every element size, random Regions, planes that must be cut.
#include <algorithm>
#include <numeric>
#include "backend/cpu/kernels/Raster.hpp"
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

template <typename T>
void checkPlane(const cpu::CopyPlane& p, cpu::Isa isa) {
    const auto extent = [](int64_t rows, int64_t columns, int64_t row, int64_t column) {
        return static_cast<size_t>((rows - 1) * row + (columns - 1) * column + 1);
    };
    std::vector<T> src(extent(p.rows, p.columns, p.srcRow, p.srcColumn));
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<T>(i * 2654435761u >> 7);
    std::vector<T> got(extent(p.rows, p.columns, p.dstRow, p.dstColumn), T(123)), want = got;
    for (int64_t i = 0; i < p.rows; ++i) {
        for (int64_t j = 0; j < p.columns; ++j)
            want[i * p.dstRow + j * p.dstColumn] = src[i * p.srcRow + j * p.srcColumn];
    }
    cpu::copyPlaneKernel(isa)(p, sizeof(T), src.data(), got.data());
    ASSERT_EQ(got, want) << cpu::isaName(isa) << " " << sizeof(T) << " bytes, " << p.rows << "x" << p.columns << " src "
                         << p.srcRow << "," << p.srcColumn << " dst " << p.dstRow << "," << p.dstColumn;
}

void checkPlaneOfEachSize(const cpu::CopyPlane& p) {
    for (cpu::Isa isa : cpu::availableIsas()) {
        checkPlane<uint8_t>(p, isa);
        checkPlane<uint16_t>(p, isa);
        checkPlane<uint32_t>(p, isa);
        checkPlane<uint64_t>(p, isa);
    }
}

TEST(CopyPlaneKernel, TransposesOfEveryEdge) {
    for (int64_t rows : {1, 2, 3, 4, 5, 8, 15, 16, 17, 49, 64, 65, 130}) {
        for (int64_t columns : {1, 2, 3, 4, 7, 8, 9, 16, 17, 63, 64, 66}) {
            checkPlaneOfEachSize({rows, columns, 1, rows + 3, columns + 1, 1});
            checkPlaneOfEachSize({rows, columns, 1, rows, columns, 1});
            checkPlaneOfEachSize({columns, rows, rows + 1, 1, 1, columns + 2});  // the loops the other way round
            if (HasFatalFailure()) return;
        }
    }
    checkPlaneOfEachSize({100, 80, 1, 1024, 256, 1});
    checkPlaneOfEachSize({80, 100, 1, 128, 1024, 1});
}

TEST(CopyPlaneKernel, CopiesFillsAndStrides) {
    for (int64_t rows : {1, 3, 20}) {
        for (int64_t columns : {1, 2, 4, 8, 16, 19, 100}) {
            checkPlaneOfEachSize({rows, columns, columns, 1, columns, 1});
            checkPlaneOfEachSize({rows, columns, columns + 5, 1, columns + 1, 1});
            checkPlaneOfEachSize({rows, columns, 1, 0, columns, 1});
            checkPlaneOfEachSize({rows, columns, 0, 1, columns, 1});
            checkPlaneOfEachSize({rows, columns, 2 * columns, 2, columns, 1});
            checkPlaneOfEachSize({rows, columns, columns, 1, 3 * columns, 3});
            if (HasFatalFailure()) return;
        }
    }
}

void runRaster(const std::vector<core::Region>& regions, const TensorPtr& output, int threads) {
    TensorUtils::describe(output.get())->regions.assign(regions.begin(), regions.end());
    ASSERT_EQ(runOp(opOf(OpType_Raster), {}, {output}, threads), NO_ERROR);
}

// A permutation of a random dense tensor with up to six loops in random order: every element once.
TEST(CPURaster, RandomPermutations) {
    std::mt19937 random(3);
    for (int round = 0; round < 150; ++round) {
        core::Region region;
        int order[core::kRegionLoops];
        std::iota(order, order + core::kRegionLoops, 0);
        std::shuffle(order, order + core::kRegionLoops, random);
        int64_t total = 1;
        for (int k = 0; k < core::kRegionLoops; ++k) {
            const int limit = round % 10 == 0 && k == 2 ? 400 : 9;
            region.size[k] = 1 + static_cast<int>(random() % limit);
            if (random() % 3 == 0) region.size[k] = 1;
        }
        for (int k = core::kRegionLoops - 1; k >= 0; --k) {
            region.src.stride[k] = total;
            total *= region.size[k];
        }
        int64_t dense = 1;
        for (int k : order) {
            region.dst.stride[k] = dense;
            dense *= region.size[k];
        }
        region.dst.offset = 2;
        const TensorPtr origin = tensorOf<int>({static_cast<int>(total)}, integers(total, round, 0, 1 << 30));
        region.origin = origin.get();
        std::vector<int> want(static_cast<size_t>(total) + 5, 0);
        forEachIndex(Dims(region.size.begin(), region.size.end()), [&](const Dims& at) {
            int64_t from = 0, to = region.dst.offset;
            for (int k = 0; k < core::kRegionLoops; ++k)
                from += at[k] * region.src.stride[k], to += at[k] * region.dst.stride[k];
            want[to] = origin->host<int>()[from];
        });
        for (int threads : {1, 3}) {
            const TensorPtr output = poisoned({static_cast<int>(total) + 5}, halide_type_of<int>());
            runRaster({region}, output, threads);
            ASSERT_EQ(valuesIn<int>(output), want) << round;
        }
    }
}

// One plane far larger than a tile, copied, broadcast and transposed.
TEST(CPURaster, LargePlanesAreCut) {
    const int rows = 700, columns = 333, total = rows * columns;
    const TensorPtr origin = tensorOf<int>({total}, integers(total, 1, 0, 1 << 30));
    for (int kind = 0; kind < 4; ++kind) {
        core::Region region;
        region.origin = origin.get();
        region.size[4] = rows, region.size[5] = columns;
        region.dst.stride[4] = columns, region.dst.stride[5] = 1;
        if (kind == 0) region.src.stride[4] = columns, region.src.stride[5] = 1;
        if (kind == 1) region.src.stride[4] = 1, region.src.stride[5] = rows;
        if (kind == 2) region.src.stride[4] = 0, region.src.stride[5] = 1;
        if (kind == 3) {
            region.size[4] = 1, region.size[5] = total;
            region.src.stride[5] = 1;
        }
        std::vector<int> want(total);
        for (int i = 0; i < total; ++i)
            want[i] = origin->host<
                int>()[kind == 3 ? i : i / columns * region.src.stride[4] + i % columns * region.src.stride[5]];
        for (int threads : {1, 3}) {
            const TensorPtr output = poisoned({total}, halide_type_of<int>());
            runRaster({region}, output, threads);
            ASSERT_EQ(valuesIn<int>(output), want) << kind;
        }
    }
}

}  // namespace
}  // namespace MNN
