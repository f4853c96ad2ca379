// Structs to share a GPU device with libMNN (BackendConfig::sharedContext) and to look at a tensor's native memory
// (Tensor::getDeviceInfo). Define MNN_VULKAN, MNN_METAL or MNN_USER_SET_DEVICE before including this file to get a
// part.
#ifndef MNN_MNNSHAREDCONTEXT_H
#define MNN_MNNSHAREDCONTEXT_H

#include <stdint.h>
#include <MNN/HalideRuntime.h>
#include <MNN/MNNDefine.h>

#ifdef MNN_VULKAN
// The handles as Vulkan's own header declares them, so that this file does not need it.
#ifndef VULKAN_CORE_H_
typedef struct VkInstance_T* VkInstance;
typedef struct VkPhysicalDevice_T* VkPhysicalDevice;
typedef struct VkDevice_T* VkDevice;
typedef struct VkQueue_T* VkQueue;
#if UINTPTR_MAX > 0xFFFFFFFFu
typedef struct VkBuffer_T* VkBuffer;
#else
typedef uint64_t VkBuffer;
#endif
typedef uint64_t VkDeviceSize;
#endif

/// A Vulkan device of the application to run on. All handles are borrowed and must outlive the session; access to the
/// queue must be serialised with the session's by the application.
struct MNNVulkanContext {
    VkInstance pInstance;
    VkPhysicalDevice pPhysicalDevice;
    VkDevice pDevice;
    VkQueue pQueue;
    /// Family that pQueue belongs to; it must allow compute.
    uint32_t iQueueFamilyIndex;
};

/// Where a tensor lives in Vulkan memory. The session owns the buffer.
struct MNNVulkanTensorContent {
    VkBuffer buffer;
    /// Bytes of the tensor.
    VkDeviceSize size;
    /// First byte of the tensor in the buffer.
    VkDeviceSize offset;
    /// Element type in the buffer, which precision options may have changed.
    halide_type_t realType;
    /// Reserved.
    int32_t mask;
};
#endif

#ifdef MNN_METAL
#import <Metal/Metal.h>

/// A Metal device and queue of the application to run on; borrowed, they must outlive the session.
struct MNNMetalSharedContext {
    id<MTLDevice> device;
    id<MTLCommandQueue> queue;
};

/// Where a tensor lives in Metal memory. The session owns buffer and texture; the one not in use is nil.
struct MNNMetalTensorContent {
    id<MTLBuffer> buffer;
    /// First byte of the tensor in the buffer.
    int32_t offset;
    id<MTLTexture> texture;
    /// Element type in the memory.
    halide_type_t type;
    /// Reserved.
    int32_t mask;
    int32_t forFuture[8];
};

#ifdef __cplusplus
extern "C" {
#endif
/// Fills `content` from a MNN::Tensor. 0 on success, -1 when the tensor does not live in Metal memory.
MNN_PUBLIC int MNNMetalGetTensorContent(MNNMetalTensorContent* content, void* tensor);
#ifdef __cplusplus
}
#endif
#endif

#ifdef MNN_USER_SET_DEVICE
/// Which device to run on when a machine has several.
typedef struct MNNDeviceContext {
    /// Device within its platform.
    uint32_t deviceId = 0;
    /// Platform (card vendor) by index.
    uint32_t platformId = 0;
    /// Number of platforms; 0 lets libMNN count.
    uint32_t platformSize = 0;
    /// An OpenCL context (cl_context) of the application to run in, borrowed, or nullptr.
    void* contextPtr = nullptr;
} MNNDeviceContext;
#endif

#endif
