// What element-wise executions share: inputs, perhaps views, read in the storage order of the output.
#ifndef MNN_CPU_EXECUTIONS_ELEMENTWISE_HPP
#define MNN_CPU_EXECUTIONS_ELEMENTWISE_HPP

#include <vector>
#include "backend/cpu/CPUBackend.hpp"
#include "backend/cpu/kernels/ElementLoop.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {

// "Add_3 (BinaryOp)": how messages name an op.
std::string describeOp(const Op* op);

class ElementwiseInputs {
public:
    // An input of one element serves every element of the output; others must have the output's storage elements.
    ErrorCode resize(const std::vector<Tensor*>& inputs, const Tensor* output, const std::string& opText);

    // Calls body(span) for parts of the output, on several threads; `cost` is the rough price of an element in simple
    // operations.
    template <typename F>
    void run(CPUBackend* backend, int cost, F&& body) const {
        const uint8_t* base[cpu::ElementLoop::kMaxInputs];
        for (size_t i = 0; i < mViews.size(); ++i) {
            base[i] = mViews[i].storage->host<uint8_t>() + mViews[i].offset * mViews[i].storage->getType().bytes();
        }
        const int64_t tile = kTileOperations / cost;
        const int tiles = static_cast<int>((mLoop.elements() + tile - 1) / tile);
        const auto runTile = [&](int index, int) {
            mLoop.run(base, index * tile, std::min((index + 1) * tile, mLoop.elements()), body);
        };
        if (tiles == 1) {
            runTile(0, 0);
        } else {
            backend->parallelFor(tiles, runTile);
        }
    }

    int64_t elements() const { return mLoop.elements(); }

private:
    // Enough work to pay for claiming a tile, few enough elements to stay in the second-level cache.
    static constexpr int64_t kTileOperations = 32 * 1024;

    cpu::ElementLoop mLoop;
    std::vector<StridedInput> mViews;
};

}  // namespace MNN
#endif
