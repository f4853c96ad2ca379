// Plugin: a kernel that the user registered, found by its type.
#include <MNN/plugin/PluginKernel.hpp>
#include <unordered_map>
#include "backend/cpu/executions/Refuse.hpp"

namespace MNN {
namespace {

using plugin::CPUComputeKernel;
using plugin::CPUKernelContext;

class CPUPlugin final : public Execution {
public:
    // The context holds copies of the attributes, so the op may go away.
    CPUPlugin(CPUBackend* backend, std::unique_ptr<CPUComputeKernel> kernel, const Plugin* param, const Tensors& inputs,
              const Tensors& outputs, std::string name)
        : Execution(backend),
          mContext(param->type()->str(), backend, inputs, outputs, ""),
          mKernel(std::move(kernel)),
          mName(std::move(name)) {
        if (param->attr() == nullptr) return;
        for (const Attribute* attribute : *param->attr()) {
            if (attribute->key() == nullptr) continue;
            const std::unique_ptr<AttributeT> unpacked(attribute->UnPack());
            mBuilders.emplace_back(new flatbuffers::FlatBufferBuilder);
            mBuilders.back()->Finish(Attribute::Pack(*mBuilders.back(), unpacked.get()));
            mContext.setAttr(attribute->key()->str(),
                             flatbuffers::GetRoot<Attribute>(mBuilders.back()->GetBufferPointer()));
        }
    }

    bool init() { return mKernel->init(&mContext); }

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        mContext.reset(inputs, outputs);
        return mKernel->resize(&mContext) ? NO_ERROR : fault(NOT_SUPPORT, mName, inputs, "the plugin's resize failed");
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        mContext.reset(inputs, outputs);
        return mKernel->compute(&mContext) ? NO_ERROR
                                           : fault(INVALID_VALUE, mName, inputs, "the plugin's compute failed");
    }

private:
    CPUKernelContext mContext;
    std::unique_ptr<CPUComputeKernel> mKernel;
    std::vector<std::unique_ptr<flatbuffers::FlatBufferBuilder>> mBuilders;
    std::string mName;
};

}  // namespace

Execution* createCPUPlugin(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const Plugin* param = op->main_as_Plugin();
    if (param == nullptr || param->type() == nullptr) return refuse(op, inputs, outputs, "a plugin without a type");
    std::unique_ptr<CPUComputeKernel> kernel(
        plugin::ComputeKernelRegistry<CPUComputeKernel>::get(param->type()->str()));
    if (kernel == nullptr) return nullptr;
    std::unique_ptr<CPUPlugin> execution(new CPUPlugin(backend, std::move(kernel), param, inputs, outputs, opText(op)));
    if (!execution->init()) return refuse(op, inputs, outputs, "the plugin's init failed");
    return execution.release();
}

}  // namespace MNN
