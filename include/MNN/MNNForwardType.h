// Which backend runs a model, and how it should weigh memory, power and precision.
#ifndef MNN_MNNFORWARDTYPE_H
#define MNN_MNNFORWARDTYPE_H

#include <stddef.h>
#include <stdint.h>
#include <MNN/MNNDefine.h>

/// A kind of backend. A kind that this build or this device lacks falls back to ScheduleConfig::backupType.
typedef enum {
    MNN_FORWARD_CPU = 0,  ///< The processor; always present.

    MNN_FORWARD_AUTO = 4,  ///< The first present of the accelerators, else the CPU.

    MNN_FORWARD_METAL = 1,   ///< Apple Metal.
    MNN_FORWARD_CUDA = 2,    ///< NVIDIA CUDA.
    MNN_FORWARD_OPENCL = 3,  ///< OpenCL.
    MNN_FORWARD_NN = 5,      ///< The system's neural network service (NNAPI, CoreML, QNN).
    MNN_FORWARD_OPENGL = 6,  ///< OpenGL compute.
    MNN_FORWARD_VULKAN = 7,  ///< Vulkan.

    MNN_FORWARD_USER_0 = 8,    ///< For a backend of the application.
    MNN_FORWARD_USER_1 = 9,    ///< For a backend of the application.
    MNN_FORWARD_HEXAGON = 10,  ///< Qualcomm Hexagon.
    MNN_FORWARD_USER_3 = 11,   ///< For a backend of the application.

    MNN_FORWARD_ALL = 12,  ///< Matches any kind; one more than the last kind that holds tensors.

    MNN_FORWARD_CPU_EXTENSION = 13,   ///< Internal: a CPU variant for one instruction set.
    MNN_MEMORY_AHARDWAREBUFFER = 14,  ///< Memory type of Tensor::setDevicePtr: Android hardware buffer.
    MNN_FORWARD_MUSA = 15,            ///< Moore Threads MUSA.

    MNN_CONVERT_QNN = 32,         ///< Offline conversion for QNN.
    MNN_CONVERT_NEUROPILOT = 33,  ///< Offline conversion for NeuroPilot.
    MNN_CONVERT_COREML = 34,      ///< Offline conversion for CoreML.
} MNNForwardType;

/// Bits of ScheduleConfig::mode for GPU backends: at most one tuning bit, one memory bit and one record bit.
typedef enum {
    MNN_GPU_TUNING_NONE = 1 << 0,    ///< Take default work-group sizes.
    MNN_GPU_TUNING_HEAVY = 1 << 1,   ///< Try every candidate; slow to start.
    MNN_GPU_TUNING_WIDE = 1 << 2,    ///< Try many candidates; the default.
    MNN_GPU_TUNING_NORMAL = 1 << 3,  ///< Try some candidates.
    MNN_GPU_TUNING_FAST = 1 << 4,    ///< Try few candidates.

    MNN_GPU_MEMORY_BUFFER = 1 << 6,  ///< Keep tensors in buffers.
    MNN_GPU_MEMORY_IMAGE = 1 << 7,   ///< Keep tensors in images where the device has them.

    MNN_GPU_RECORD_OP = 1 << 8,     ///< Record the commands of each op and replay them.
    MNN_GPU_RECORD_BATCH = 1 << 9,  ///< Record the commands of many ops together and replay them.
} MNNGpuMode;

/// Bits of BackendConfig::flags for a QNN backend.
typedef enum {
    MNN_QNN_DUMP_INTERMEDIATE_OUTPUTS = 1 << 16,  ///< Write intermediate outputs to the folder MNN_QNN_DUMP_DIR.
} MNNQnnMode;

#ifdef __cplusplus
namespace MNN {
/// Wishes a backend takes into account. Plain data; whoever makes it keeps it alive until createSession returns.
struct BackendConfig {
    /// What to give up when memory and speed conflict.
    enum MemoryMode {
        Memory_Normal = 0,  ///< A balance.
        Memory_High,        ///< More memory for more speed.
        Memory_Low,         ///< Less memory: quantised weights stay quantised.
    };
    MemoryMode memory = Memory_Normal;

    /// Which cores or clocks to prefer.
    enum PowerMode {
        Power_Normal = 0,  ///< The system's choice.
        Power_High,        ///< Fast cores.
        Power_Low,         ///< Frugal cores.
    };
    PowerMode power = Power_Normal;

    /// The lowest precision floating-point work may be done in.
    enum PrecisionMode {
        Precision_Normal = 0,  ///< The backend's default.
        Precision_High,        ///< 32-bit floats throughout.
        Precision_Low,         ///< 16-bit floats allowed.
        Precision_Low_BF16,    ///< bfloat16 allowed.
    };
    PrecisionMode precision = Precision_Normal;

    union {
        /// A context of MNN/MNNSharedContext.h to run in, or nullptr. Borrowed: it must outlive the session.
        void* sharedContext = nullptr;
        /// Backend-specific flags, where the backend takes no context. For the CPU: see Interpreter::HintMode.
        size_t flags;
    };
};

/// What a backend may be asked about itself.
enum RuntimeStatus {
    STATUS_SUPPORT_FP16,               ///< 16-bit float arithmetic.
    STATUS_SUPPORT_DOT_PRODUCT,        ///< 8-bit dot-product instructions.
    STATUS_SUPPORT_POWER_LOW,          ///< A frugal power mode.
    STATUS_SUPPORT_SIMD_GROUP_REDUCE,  ///< Reductions within a SIMD group (Metal).
    STATUS_SUPPORT_FUSED_PROJ,         ///< Runs a fused linear projection as one op.
    STATUS_COUNT,                      ///< Number of values above.
};
}  // namespace MNN
#endif

#endif
