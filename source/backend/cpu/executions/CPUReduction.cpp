// Reduction over one axis of [outside, axis, inside], which may be read through strides.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/AxisSplit.hpp"
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/Reduce.hpp"

namespace MNN {
namespace {

using cpu::ReduceKind;
static_assert(static_cast<int>(ReduceKind::All) == ReductionType_ALL, "kernels number the kinds like the schema");

template <typename T, typename Acc>
struct ReduceFns {
    Acc (*row)(const T*, size_t);
    void (*columns)(Acc*, const T*, int64_t, size_t, size_t);
};

template <typename T, typename Acc>
class CPUReduction final : public Execution {
public:
    CPUReduction(CPUBackend* backend, const Op* op, ReduceKind kind, int axis, ReduceFns<T, Acc> fns)
        : Execution(backend), mCPU(backend), mText(describeOp(op)), mKind(kind), mAxis(axis), mFns(fns) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const bool fits =
            mSplit.set(inputs[0], mAxis) && TensorUtils::elements(outputs[0]) == mSplit.outside * mSplit.inside;
        const std::vector<int> lengths = {static_cast<int>(mSplit.outside), static_cast<int>(mSplit.axis),
                                          static_cast<int>(mSplit.inside)};
        if (!fits || !stridedInput(inputs[0], lengths, &mInput)) {
            MNN_ERROR("%s: cannot reduce axis %d of %s to %s\n", mText.c_str(), mAxis,
                      TensorUtils::text(inputs[0]).c_str(), TensorUtils::text(outputs[0]).c_str());
            return INPUT_DATA_ERROR;
        }
        planTiles();
        return NO_ERROR;
    }

    ErrorCode onExecute(const std::vector<Tensor*>&, const std::vector<Tensor*>& outputs) override {
        const T* src = mInput.template data<T>();
        T* dst = outputs[0]->host<T>();
        mCPU->parallelFor(static_cast<int>(mTiles * mBlocks), [&](int index, int) {
            const int64_t block = index / mTiles, tile = index % mTiles;
            const int64_t begin = block * mBlockRows, rows = std::min(mBlockRows, mSplit.axis - begin);
            if (mByColumns) {
                columnTile(src, dst, ColumnTile(mSplit, cpu::kReduceColumns, tile), block, begin, rows);
            } else {
                rowTile(src, dst, tile, block, begin, rows);
            }
        });
        if (mBlocks > 1) joinBlocks(dst);
        return NO_ERROR;
    }

private:
    // Elements that one tile should read.
    static constexpr int64_t kTileElements = 32 * 1024;

    void planTiles() {
        const int64_t results = mSplit.outside * mSplit.inside;
        mByColumns = mSplit.inside > 1 && mInput.stride[2] == 1;
        mRowsPerTile = std::max<int64_t>(kTileElements / std::max<int64_t>(mSplit.axis, 1), 1);
        mTiles =
            mByColumns ? mSplit.outside * tilesOf(mSplit.inside, cpu::kReduceColumns) : tilesOf(results, mRowsPerTile);
        // Few results of many elements: the axis is cut too. The cut depends on shapes alone, so results do not depend
        // on threads.
        constexpr int64_t kEnoughTiles = 16;
        mBlocks = 1;
        if (mTiles > 0 && mTiles < kEnoughTiles) {
            const int64_t perTile = results / mTiles * mSplit.axis;
            mBlocks = std::min(std::max<int64_t>(perTile / kTileElements, 1), kEnoughTiles / mTiles);
        }
        mBlockRows = tilesOf(mSplit.axis, mBlocks);
        if (mBlockRows > 0) mBlocks = tilesOf(mSplit.axis, mBlockRows);
        mPartial.assign(mBlocks > 1 ? static_cast<size_t>(mBlocks * results) : 0, Acc(0));
    }

    void columnTile(const T* src, T* dst, const ColumnTile& tile, int64_t block, int64_t begin, int64_t rows) {
        Acc acc[cpu::kReduceColumns];
        std::fill_n(acc, tile.count, cpu::reduceIdentity<Acc>(mKind));
        const T* from = src + tile.outside * mInput.stride[0] + begin * mInput.stride[1] + tile.begin;
        mFns.columns(acc, from, mInput.stride[1], static_cast<size_t>(rows), static_cast<size_t>(tile.count));
        for (int64_t c = 0; c < tile.count; ++c) put(dst, tile.outside * mSplit.inside + tile.begin + c, block, acc[c]);
    }

    void rowTile(const T* src, T* dst, int64_t tile, int64_t block, int64_t begin, int64_t rows) {
        const int64_t results = mSplit.outside * mSplit.inside;
        const int64_t end = std::min(results, (tile + 1) * mRowsPerTile);
        for (int64_t at = tile * mRowsPerTile; at < end; ++at) {
            const T* from = src + at / mSplit.inside * mInput.stride[0] + at % mSplit.inside * mInput.stride[2] +
                            begin * mInput.stride[1];
            put(dst, at, block, foldRow(from, rows));
        }
    }

    Acc foldRow(const T* src, int64_t n) const {
        const int64_t stride = mInput.stride[1];
        if (stride == 1) return mFns.row(src, static_cast<size_t>(n));
        constexpr int64_t kChunk = 512;
        T buffer[kChunk];
        Acc acc = cpu::reduceIdentity<Acc>(mKind);
        for (int64_t i = 0; i < n; i += kChunk) {
            const int64_t count = std::min(kChunk, n - i);
            for (int64_t k = 0; k < count; ++k) buffer[k] = src[(i + k) * stride];
            acc = cpu::reduceCombine(mKind, acc, mFns.row(buffer, static_cast<size_t>(count)));
        }
        return acc;
    }

    void put(T* dst, int64_t at, int64_t block, Acc value) {
        if (mBlocks > 1) {
            mPartial[static_cast<size_t>(block * mSplit.outside * mSplit.inside + at)] = value;
        } else {
            dst[at] = static_cast<T>(cpu::reduceFinish(mKind, value, mSplit.axis));
        }
    }

    void joinBlocks(T* dst) const {
        const int64_t results = mSplit.outside * mSplit.inside;
        for (int64_t at = 0; at < results; ++at) {
            Acc acc = mPartial[static_cast<size_t>(at)];
            for (int64_t b = 1; b < mBlocks; ++b)
                acc = cpu::reduceCombine(mKind, acc, mPartial[static_cast<size_t>(b * results + at)]);
            dst[at] = static_cast<T>(cpu::reduceFinish(mKind, acc, mSplit.axis));
        }
    }

    CPUBackend* mCPU;
    std::string mText;
    ReduceKind mKind;
    int mAxis;
    ReduceFns<T, Acc> mFns;
    AxisSplit mSplit;
    StridedInput mInput;
    bool mByColumns = false;
    int64_t mTiles = 0, mBlocks = 1, mBlockRows = 1, mRowsPerTile = 1;
    std::vector<Acc> mPartial;  // [mBlocks][results], when the axis is cut
};

}  // namespace

Execution* createCPUReduction(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                              CPUBackend* backend) {
    const ReductionParam* param = op->main_as_ReductionParam();
    if (param == nullptr || inputs.empty() || outputs.empty() || param->dim() == nullptr || param->dim()->size() != 1 ||
        param->operation() < 0 || param->operation() >= cpu::kReduceKinds) {
        MNN_ERROR("%s: a reduction here takes one known axis\n", describeOp(op).c_str());
        return nullptr;
    }
    const auto kind = static_cast<ReduceKind>(param->operation());
    const int at = static_cast<int>(kind), axis = param->dim()->Get(0);
    const cpu::ReduceKernels& kernels = cpu::reduceKernels(backend->isa());
    const halide_type_t type = inputs[0]->getType();
    if (type == outputs[0]->getType() && type == halide_type_of<float>()) {
        return new CPUReduction<float, double>(backend, op, kind, axis, {kernels.rowF32[at], kernels.columnsF32[at]});
    }
    if (type == outputs[0]->getType() && type == halide_type_of<int32_t>()) {
        return new CPUReduction<int32_t, int64_t>(backend, op, kind, axis,
                                                  {kernels.rowI32[at], kernels.columnsI32[at]});
    }
    MNN_ERROR("%s: cannot reduce %s to %s; float32 and int32 are supported\n", describeOp(op).c_str(),
              TensorUtils::text(inputs[0]).c_str(), TensorUtils::text(outputs[0]).c_str());
    return nullptr;
}

}  // namespace MNN
