// A backend in the fewest lines that still show every duty of one (docs/adding-a-backend.md). Its tensors live in a
// store that host pointers cannot reach: buffer().device holds an address there and buffer().host stays nullptr.
#ifndef EXAMPLE_BACKEND_HPP
#define EXAMPLE_BACKEND_HPP

#include <map>
#include <utility>
#include <vector>
#include "DeviceMemory.hpp"
#include "core/Backend.hpp"
#include "core/MemoryPlanner.hpp"

namespace example {

using MNN::Backend;
using MNN::BackendConfig;
using MNN::Op;
using MNN::StorageType;
using MNN::Tensor;

// What the backend was asked to do since the counters were cleared.
struct Counters {
    int toDevice = 0;
    int toHost = 0;
    int within = 0;
    int rasters = 0;
    int kernels = 0;   // other than Raster
    int unleased = 0;  // uses of a tensor whose lease had not begun or was over: always a mistake of the session
    int copies() const { return toDevice + toHost + within; }
};

// What the backends of all sessions on this runtime share.
class ExampleRuntime final : public MNN::Runtime {
public:
    explicit ExampleRuntime(const Info& info) : Runtime(info) {}
    Backend* onCreate(const BackendConfig* config) const override;

    DeviceMemory& memory() const { return mMemory; }
    Counters& counters() const { return mCounters; }

private:
    mutable DeviceMemory mMemory;
    mutable Counters mCounters;
};

class ExampleBackend final : public Backend {
public:
    explicit ExampleBackend(const ExampleRuntime* runtime) : Backend(MNN_FORWARD_USER_0), mRuntime(runtime) {}
    ~ExampleBackend() override { freeArena(); }

    MNN::BackendTraits traits() const override;
    MNN::Execution* onCreate(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                             const Op* op) override;
    bool keepsWhole(const Op* op) const override;
    bool canWriteInto(const Op* op, int index) const override;
    bool canRunInPlace(const Op* op, int index) const override;

    void onResizeBegin() override { onClearBuffer(); }
    MNN::ErrorCode onResizeEnd() override;
    bool onAcquireBuffer(Tensor* tensor, StorageType storage) override;
    bool onReleaseBuffer(Tensor* tensor, StorageType storage) override;
    void onClearBuffer() override;
    bool onCopyBuffer(const Tensor* src, Tensor* dst) const override;
    size_t plannedBytes() const override { return mArenaBytes; }
    size_t plannedLowerBound() const override { return mPlanner.lowerBound(); }

    // Where the elements of a real tensor are, for kernels. nullptr, counted, when that memory is gone.
    uint8_t* data(const Tensor* tensor) const;
    Counters& counters() const { return mRuntime->counters(); }

    // The guard: leases alive when a command was planned, by number. While it runs all else of the arena is poison.
    std::vector<int> leasesAround(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs);
    void poisonExcept(const std::vector<int>& leases);

private:
    struct Lease {
        Tensor* tensor;
        size_t bytes;
        bool alive;
    };
    void freeArena();
    bool isLeased(const Tensor* root) const;

    const ExampleRuntime* mRuntime;
    MNN::MemoryPlanner mPlanner;
    std::vector<Lease> mLeases;             // by the planner's numbers
    std::map<const Tensor*, int> mNumbers;  // of the leases alive
    std::map<const Tensor*, uint64_t> mPrivate;
    uint64_t mArena = 0;
    size_t mArenaBytes = 0;
};

// Makes MNN_FORWARD_USER_0 mean this backend in this process.
bool addExampleBackend();

}  // namespace example
#endif
