// Backend: where commands run. Runtime: what its sessions share. A backend is one table row in backend/backends.cpp.
#ifndef MNN_CORE_BACKEND_HPP
#define MNN_CORE_BACKEND_HPP

#include <MNN/ErrorCode.hpp>
#include <MNN/Interpreter.hpp>
#include <MNN/MNNForwardType.h>
#include <MNN/Tensor.hpp>
#include <memory>
#include <string>
#include <vector>
#include "core/Command.hpp"
#include "core/Execution.hpp"

namespace MNN {

// Who needs a tensor's memory, and for how long (docs/architecture.md, Memory).
enum class StorageType : uint8_t {
    Private,  // weights and state: own memory until released
    Shared,   // activations: planned, from acquire to release
    Scratch,  // inside one Execution: planned, for the command being resized
};

// Facts about a backend that the Geometry Compiler may use; plain data, so geometry never calls a backend.
struct BackendTraits {
    int pack = 4;            // channel block the image kernels prefer
    bool hostMemory = true;  // Tensor::host pointers of its tensors are real
};

class Backend {
public:
    explicit Backend(MNNForwardType type) : mType(type) {}
    virtual ~Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    MNNForwardType type() const { return mType; }
    virtual BackendTraits traits() const { return BackendTraits(); }

    // The Execution for a command, or nullptr when this backend has none (the Pipeline then uses the backup backend).
    virtual Execution* onCreate(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                                const Op* op) = 0;
    // Whether the backend's own Execution takes the model's op whole, before geometry lowers it.
    virtual bool keepsWhole(const Op* /*op*/) const { return false; }
    // Whether the command may read inputs[index], a virtual tensor, as it is: no Raster in front. (optional)
    virtual bool canRead(const Op* /*op*/, const std::vector<Tensor*>& /*inputs*/,
                         const std::vector<Tensor*>& /*outputs*/, int /*index*/) const {
        return false;
    }
    // Whether the command may write outputs[index] into a contiguous part of a larger tensor. (optional)
    virtual bool canWriteInto(const Op* /*op*/, int /*index*/) const { return false; }
    // Whether the command may write its output over inputs[index] of the same storage. (optional)
    virtual bool canRunInPlace(const Op* /*op*/, int /*index*/) const { return false; }

    virtual void onResizeBegin() {}
    // Places everything acquired since onResizeBegin.
    virtual ErrorCode onResizeEnd() = 0;
    virtual void onExecuteBegin() const {}
    virtual void onExecuteEnd() const {}

    // Between onResizeBegin and onResizeEnd Shared and Scratch leases are only recorded; memory exists after
    // onResizeEnd. Private memory is there at once. False when memory is short or the tensor's size is absurd.
    virtual bool onAcquireBuffer(Tensor* tensor, StorageType storage) = 0;
    virtual bool onReleaseBuffer(Tensor* tensor, StorageType storage) = 0;
    // Drops every planned lease.
    virtual void onClearBuffer() = 0;

    // Copies the content; either side may be a plain host tensor. Layout and pack are converted, types must match.
    virtual bool onCopyBuffer(const Tensor* src, Tensor* dst) const = 0;
    virtual void* onMapTensor(Tensor::MapType /*type*/, Tensor::DimensionType /*layout*/, const Tensor* /*tensor*/) {
        return nullptr;
    }
    virtual bool onUnmapTensor(Tensor::MapType /*type*/, Tensor::DimensionType /*layout*/, void* /*host*/,
                               const Tensor* /*tensor*/) {
        return false;
    }
    virtual int onSync(Tensor::MapType /*type*/, bool /*toCpu*/, const Tensor* /*tensor*/) { return 0; }
    // The side file of weights (`external` offsets of ops point into it), or empty. Set once by the session, outlives
    // the backend.
    struct ExternalData {
        const uint8_t* data = nullptr;
        size_t size = 0;
    };
    void setExternal(ExternalData external) { mExternal = external; }
    const ExternalData& external() const { return mExternal; }
    // Bytes of planned memory (arena) and of what must be alive at once at least; for getSessionInfo and `mnn inspect`.
    virtual size_t plannedBytes() const { return 0; }
    virtual size_t plannedLowerBound() const { return 0; }
    // Bytes of what Executions hold between runs: packed weights, state. (optional)
    virtual size_t privateBytes() const { return 0; }

private:
    MNNForwardType mType;
    ExternalData mExternal;
};

// Hints of Interpreter::setSessionHint, as plain data.
struct RuntimeHint {
    int geometryMask = 0xFFFF;
    int memoryAllocatorType = 0;
    int winogradMemoryLevel = 3;
    int dynamicQuantOption = 0;
    int strictCheckModel = 1;
    int littleCoreRate = 50;
    int initThreadNumber = 0;
    bool materializeViews = false;  // every view becomes a Raster: for finding a wrong absorption by comparison
    std::vector<int> cpuIds;
};

class Runtime {
public:
    struct Info {
        MNNForwardType type = MNN_FORWARD_CPU;
        int numThread = 4;  // GPU backends read it as MNNGpuMode bits
        BackendConfig config;
    };
    virtual ~Runtime() = default;
    virtual Backend* onCreate(const BackendConfig* config = nullptr) const = 0;
    virtual void onGabageCollect(int /*level*/) {}
    virtual float onGetMemoryInMB() { return 0.0f; }
    // What onGetCache gave in an earlier process: copied if kept, checked before it is trusted. False when it is of no
    // use. (optional)
    virtual bool onSetCache(const void* /*buffer*/, size_t /*size*/) { return false; }
    // What the next process should have (compiled kernels, tuning results), valid until the next call. (optional)
    virtual std::pair<const void*, size_t> onGetCache() { return {nullptr, 0}; }
    virtual int onGetRuntimeStatus(RuntimeStatus /*status*/) const { return 0; }
    int numThread() const { return mInfo.numThread; }
    const Info& info() const { return mInfo; }
    void setHint(const RuntimeHint& hint) { mHint = hint; }
    const RuntimeHint& hint() const { return mHint; }

protected:
    explicit Runtime(const Info& info) : mInfo(info) {}
    Info mInfo;
    RuntimeHint mHint;
};

// One backend as the library knows it. create returns nullptr when the device is absent; why then says the reason.
struct BackendEntry {
    MNNForwardType type;
    const char* name;
    Runtime* (*create)(const Runtime::Info& info, std::string* why);
};

// The built-in backends (backend/backends.cpp) and those added by MNNAddBackend, found by type; nullptr when unknown.
const BackendEntry* findBackend(MNNForwardType type);
std::vector<const BackendEntry*> allBackends();
// Adds or replaces a backend for this process. The entry must outlive it. Not thread-safe against session creation.
MNN_PUBLIC bool MNNAddBackend(const BackendEntry* entry);

}  // namespace MNN
#endif
