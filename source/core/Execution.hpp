// A prepared primitive on one backend.
#ifndef MNN_CORE_EXECUTION_HPP
#define MNN_CORE_EXECUTION_HPP

#include <MNN/ErrorCode.hpp>
#include <MNN/Tensor.hpp>
#include <vector>

namespace MNN {
class Backend;
struct Op;

// Life: created once for a command, resized each time shapes change, executed many times.
//   constructor  read attributes; pack constant weights (inputs that are constants already hold their values)
//   onResize     choose algorithms, acquire scratch (Backend::onAcquireBuffer with StorageType::Scratch, released
//   before
//                returning). Tensors have shapes but no memory yet: never read host pointers of non-constants here.
//   onExecute    no allocation, no shape logic. Host pointers are read here, each time.
class Execution {
public:
    explicit Execution(Backend* backend) : mBackend(backend) {}
    virtual ~Execution() = default;
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    virtual ErrorCode onResize(const std::vector<Tensor*>& /*inputs*/, const std::vector<Tensor*>& /*outputs*/) {
        return NO_ERROR;
    }
    virtual ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) = 0;

    // Makes a copy for another backend of the same runtime that shares this one's packed weights. Returns false when
    // the execution cannot be shared; with dst == nullptr only answers whether it can.
    virtual bool onClone(Backend* /*dst*/, const Op* /*op*/, Execution** /*result*/) { return false; }

    Backend* backend() const { return mBackend; }

private:
    Backend* mBackend;
};

}  // namespace MNN
#endif
