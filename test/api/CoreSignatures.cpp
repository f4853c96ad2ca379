// Every member of Tensor, Interpreter, the log, timers and the forward types, as MNN 3.6 declares them.
#define MNN_VULKAN
#define MNN_USER_SET_DEVICE
#include <MNN/AutoTime.hpp>
#include <MNN/ErrorCode.hpp>
#include <MNN/HalideRuntime.h>
#include <MNN/Interpreter.hpp>
#include <MNN/Log.hpp>
#include <MNN/MNNDefine.h>
#include <MNN/MNNForwardType.h>
#include <MNN/MNNSharedContext.h>
#include <MNN/Tensor.hpp>
#include <type_traits>
#include "Signature.hpp"

using namespace MNN;

namespace {

typedef std::vector<int> Shape;
typedef std::map<std::string, Tensor*> TensorMap;

static_assert(MNN_VERSION_MAJOR == 3 && MNN_VERSION_MINOR == 6 && MNN_VERSION_PATCH == 1, "interface version");
static_assert(sizeof(MNN_VERSION) == sizeof("3.6.1"), "interface version");

static_assert(NO_ERROR == 0 && OUT_OF_MEMORY == 1 && NOT_SUPPORT == 2 && COMPUTE_SIZE_ERROR == 3 && NO_EXECUTION == 4 &&
                  INVALID_VALUE == 5 && INPUT_DATA_ERROR == 10 && CALL_BACK_STOP == 11 && TENSOR_NOT_SUPPORT == 20 &&
                  TENSOR_NEED_DIVIDE == 21 && FILE_CREATE_FAILED == 30 && FILE_REMOVE_FAILED == 31 &&
                  FILE_OPEN_FAILED == 32 && FILE_CLOSE_FAILED == 33 && FILE_RESIZE_FAILED == 34 &&
                  FILE_SEEK_FAILED == 35 && FILE_NOT_EXIST == 36 && FILE_UNMAP_FAILED == 37,
              "ErrorCode");

static_assert(MNN_FORWARD_CPU == 0 && MNN_FORWARD_METAL == 1 && MNN_FORWARD_CUDA == 2 && MNN_FORWARD_OPENCL == 3 &&
                  MNN_FORWARD_AUTO == 4 && MNN_FORWARD_NN == 5 && MNN_FORWARD_OPENGL == 6 && MNN_FORWARD_VULKAN == 7 &&
                  MNN_FORWARD_USER_0 == 8 && MNN_FORWARD_USER_1 == 9 && MNN_FORWARD_HEXAGON == 10 &&
                  MNN_FORWARD_USER_3 == 11 && MNN_FORWARD_ALL == 12 && MNN_FORWARD_CPU_EXTENSION == 13 &&
                  MNN_MEMORY_AHARDWAREBUFFER == 14 && MNN_FORWARD_MUSA == 15 && MNN_CONVERT_QNN == 32 &&
                  MNN_CONVERT_NEUROPILOT == 33 && MNN_CONVERT_COREML == 34,
              "MNNForwardType");
static_assert(MNN_GPU_TUNING_NONE == 1 && MNN_GPU_TUNING_HEAVY == 2 && MNN_GPU_TUNING_WIDE == 4 &&
                  MNN_GPU_TUNING_NORMAL == 8 && MNN_GPU_TUNING_FAST == 16 && MNN_GPU_MEMORY_BUFFER == 64 &&
                  MNN_GPU_MEMORY_IMAGE == 128 && MNN_GPU_RECORD_OP == 256 && MNN_GPU_RECORD_BATCH == 512 &&
                  MNN_QNN_DUMP_INTERMEDIATE_OUTPUTS == 65536,
              "modes");
static_assert(BackendConfig::Memory_Normal == 0 && BackendConfig::Memory_High == 1 && BackendConfig::Memory_Low == 2 &&
                  BackendConfig::Power_Normal == 0 && BackendConfig::Power_High == 1 && BackendConfig::Power_Low == 2 &&
                  BackendConfig::Precision_Normal == 0 && BackendConfig::Precision_High == 1 &&
                  BackendConfig::Precision_Low == 2 && BackendConfig::Precision_Low_BF16 == 3,
              "BackendConfig");
static_assert(STATUS_SUPPORT_FP16 == 0 && STATUS_SUPPORT_DOT_PRODUCT == 1 && STATUS_SUPPORT_POWER_LOW == 2 &&
                  STATUS_SUPPORT_SIMD_GROUP_REDUCE == 3 && STATUS_SUPPORT_FUSED_PROJ == 4 && STATUS_COUNT == 5,
              "RuntimeStatus");

static_assert(sizeof(halide_type_t) == 4 && halide_type_int == 0 && halide_type_uint == 1 && halide_type_float == 2 &&
                  halide_type_handle == 3 && halide_type_bfloat == 4 && halide_buffer_flag_host_dirty == 1 &&
                  halide_buffer_flag_device_dirty == 2,
              "Halide");
static_assert(Tensor::TENSORFLOW == 0 && Tensor::CAFFE == 1 && Tensor::CAFFE_C4 == 2 && Tensor::HANDLE_NONE == 0 &&
                  Tensor::HANDLE_STRING == 1 && Tensor::MAP_TENSOR_WRITE == 0 && Tensor::MAP_TENSOR_READ == 1,
              "Tensor");
static_assert(!std::is_copy_constructible<Tensor>::value && !std::is_copy_constructible<Interpreter>::value,
              "owners are not copied");

typedef Interpreter I;
static_assert(I::Session_Debug == 0 && I::Session_Release == 1 && I::Session_Input_Inside == 2 &&
                  I::Session_Input_User == 3 && I::Session_Output_Inside == 4 && I::Session_Output_User == 5 &&
                  I::Session_Resize_Direct == 6 && I::Session_Resize_Defer == 7 && I::Session_Backend_Fix == 8 &&
                  I::Session_Backend_Auto == 9 && I::Session_Memory_Collect == 10 && I::Session_Memory_Cache == 11 &&
                  I::Session_Codegen_Disable == 12 && I::Session_Codegen_Enable == 13 &&
                  I::Session_Resize_Check == 14 && I::Session_Resize_Fix == 15 && I::Module_Forward_Separate == 16 &&
                  I::Module_Forward_Combine == 17,
              "SessionMode");
static_assert(I::MAX_TUNING_NUMBER == 0 && I::STRICT_CHECK_MODEL == 1 && I::MEM_ALLOCATOR_TYPE == 2 &&
                  I::WINOGRAD_MEMORY_LEVEL == 3 && I::GEOMETRY_COMPUTE_MASK == 4 && I::DYNAMIC_QUANT_OPTIONS == 5 &&
                  I::CPU_LITTLECORE_DECREASE_RATE == 6 && I::ATTENTION_OPTION == 7 && I::KVCACHE_SIZE_LIMIT == 8 &&
                  I::OP_ENCODER_NUMBER_FOR_COMMIT == 9 && I::KVCACHE_INFO == 10 && I::MMAP_FILE_SIZE == 11 &&
                  I::USE_CACHED_MMAP == 12 && I::INIT_THREAD_NUMBER == 13 && I::CPU_CORE_IDS == 14 &&
                  I::CPU_SME2_INSTRUCTIONS == 15 && I::CPU_ENABLE_KLEIDIAI == 16 &&
                  I::CPU_SME2_NEON_DIVISION_RATIO == 17 && I::CPU_SME_CORES == 18,
              "HintMode");
static_assert(I::EXTERNAL_PATH_KVCACHE_DIR == 0 && I::EXTERNAL_FEATUREMAP_DIR == 1 && I::EXTERNAL_WEIGHT_DIR == 2 &&
                  I::EXTERNAL_NPU_FILE_DIR == 3 && I::EXTERNAL_PATH_PREFIXCACHE_DIR == 4,
              "ExternalPathType");
static_assert(I::GEOMETRCOMPUTEMASK_FUSEREGION == 1 && I::GEOMETRCOMPUTEMASK_FUSEREGION_MULTI == 2 &&
                  I::GEOMETRCOMPUTEMASK_USELOOP == 4 && I::GEOMETRCOMPUTEMASK_OPENCACHE == 8 &&
                  I::GEOMETRCOMPUTEMASK_ALL == 0xFFFF,
              "GeometryComputeMask");
static_assert(I::MEMORY == 0 && I::FLOPS == 1 && I::BACKENDS == 2 && I::RESIZE_STATUS == 3 && I::THREAD_NUMBER == 4 &&
                  I::ALL == 5,
              "SessionInfoCode");
static_assert(ScheduleConfig::Path::Op == 0 && ScheduleConfig::Path::Tensor == 1, "Path::Mode");
static_assert(
    std::is_same<TensorCallBack, std::function<bool(const std::vector<Tensor*>&, const std::string&)> >::value,
    "TensorCallBack");
static_assert(
    std::is_same<TensorCallBackWithInfo, std::function<bool(const std::vector<Tensor*>&, const OperatorInfo*)> >::value,
    "TensorCallBackWithInfo");
static_assert(
    std::is_same<RuntimeInfo,
                 std::pair<std::map<MNNForwardType, std::shared_ptr<Runtime> >, std::shared_ptr<Runtime> > >::value,
    "RuntimeInfo");
static_assert(MNN_LOG_INFO == 0 && MNN_LOG_WARNING == 1 && MNN_LOG_ERROR == 2, "levels");

}  // namespace

void tensorSignatures() {
    has<Tensor* (*)(const Shape&, halide_type_t, Tensor::DimensionType)>(&Tensor::createDevice);
    has<Tensor* (*)(const Shape&, Tensor::DimensionType)>(&Tensor::createDevice<float>);
    has<Tensor* (*)(const Shape&, halide_type_t, void*, Tensor::DimensionType)>(&Tensor::create);
    has<Tensor* (*)(const Shape&, void*, Tensor::DimensionType)>(&Tensor::create<int8_t>);
    has<Tensor* (*)(const Tensor*, bool)>(&Tensor::clone);
    has<void (*)(Tensor*)>(&Tensor::destroy);
    has<bool (Tensor::*)(const Tensor*)>(&Tensor::copyFromHostTensor);
    has<bool (Tensor::*)(Tensor*) const>(&Tensor::copyToHostTensor);
    has<Tensor* (*)(const Tensor*, bool)>(&Tensor::createHostTensorFromDevice);
    has<const halide_buffer_t& (Tensor::*)() const>(&Tensor::buffer);
    has<halide_buffer_t& (Tensor::*)()>(&Tensor::buffer);
    has<Tensor::DimensionType (Tensor::*)() const>(&Tensor::getDimensionType);
    has<Tensor::HandleDataType (Tensor::*)() const>(&Tensor::getHandleDataType);
    has<void (Tensor::*)(int)>(&Tensor::setType);
    has<halide_type_t (Tensor::*)() const>(&Tensor::getType);
    has<float* (Tensor::*)() const>(&Tensor::host<float>);
    has<uint64_t (Tensor::*)() const>(&Tensor::deviceId);
    has<int (Tensor::*)() const>(&Tensor::dimensions);
    has<Shape (Tensor::*)() const>(&Tensor::shape);
    has<int (Tensor::*)() const>(&Tensor::size);
    has<size_t (Tensor::*)() const>(&Tensor::usize);
    has<int (Tensor::*)() const>(&Tensor::elementSize);
    has<int (Tensor::*)() const>(&Tensor::width);
    has<int (Tensor::*)() const>(&Tensor::height);
    has<int (Tensor::*)() const>(&Tensor::channel);
    has<int (Tensor::*)() const>(&Tensor::batch);
    has<int (Tensor::*)(int) const>(&Tensor::stride);
    has<int (Tensor::*)(int) const>(&Tensor::length);
    has<void (Tensor::*)(int, int)>(&Tensor::setStride);
    has<void (Tensor::*)(int, int)>(&Tensor::setLength);
    has<bool (Tensor::*)(void*, int) const>(&Tensor::getDeviceInfo);
    has<void (Tensor::*)() const>(&Tensor::print);
    has<void (Tensor::*)() const>(&Tensor::printShape);
    has<void* (Tensor::*)(Tensor::MapType, Tensor::DimensionType)>(&Tensor::map);
    has<void (Tensor::*)(Tensor::MapType, Tensor::DimensionType, void*)>(&Tensor::unmap);
    has<int (Tensor::*)(Tensor::MapType, bool)>(&Tensor::wait);
    has<bool (Tensor::*)(const void*, int)>(&Tensor::setDevicePtr);
}

void interpreterSignatures() {
    has<const char* (*)()>(&getVersion);
    has<I* (*)(const char*)>(&I::createFromFile);
    has<I* (*)(const void*, size_t)>(&I::createFromBuffer);
    has<void (*)(I*)>(&I::destroy);
    has<void (I::*)(I::SessionMode)>(&I::setSessionMode);
    has<void (I::*)(const char*, size_t)>(&I::setCacheFile);
    has<void (I::*)(const char*, size_t)>(&I::setExternalFile);
    has<ErrorCode (I::*)(Session*, int)>(&I::updateCacheFile);
    has<void (I::*)(I::HintMode, int)>(&I::setSessionHint);
    has<void (I::*)(I::HintMode, int*, size_t)>(&I::setSessionHint);
    has<RuntimeInfo (*)(const std::vector<ScheduleConfig>&)>(&I::createRuntime);
    has<Session* (I::*)(const ScheduleConfig&)>(&I::createSession);
    has<Session* (I::*)(const ScheduleConfig&, const RuntimeInfo&)>(&I::createSession);
    has<Session* (I::*)(const std::vector<ScheduleConfig>&)>(&I::createMultiPathSession);
    has<Session* (I::*)(const std::vector<ScheduleConfig>&, const RuntimeInfo&)>(&I::createMultiPathSession);
    has<bool (I::*)(Session*)>(&I::releaseSession);
    has<void (I::*)(Session*)>(&I::resizeSession);
    has<void (I::*)(Session*, int)>(&I::resizeSession);
    has<void (I::*)()>(&I::releaseModel);
    has<std::pair<const void*, size_t> (I::*)() const>(&I::getModelBuffer);
    has<const char* (I::*)() const>(&I::getModelVersion);
    has<ErrorCode (I::*)(Session*)>(&I::updateSessionToModel);
    has<ErrorCode (I::*)(Session*) const>(&I::runSession);
    has<ErrorCode (I::*)(const Session*, const TensorCallBack&, const TensorCallBack&, bool) const>(
        &I::runSessionWithCallBack);
    has<ErrorCode (I::*)(const Session*, const TensorCallBackWithInfo&, const TensorCallBackWithInfo&, bool) const>(
        &I::runSessionWithCallBackInfo);
    has<Tensor* (I::*)(const Session*, const char*)>(&I::getSessionInput);
    has<Tensor* (I::*)(const Session*, const char*)>(&I::getSessionOutput);
    has<bool (I::*)(const Session*, I::SessionInfoCode, void*)>(&I::getSessionInfo);
    has<const TensorMap& (I::*)(const Session*) const>(&I::getSessionOutputAll);
    has<const TensorMap& (I::*)(const Session*) const>(&I::getSessionInputAll);
    has<void (I::*)(Tensor*, const Shape&)>(&I::resizeTensor);
    has<void (I::*)(Tensor*, int, int, int, int)>(&I::resizeTensor);
    has<const Backend* (I::*)(const Session*, const Tensor*) const>(&I::getBackend);
    has<const char* (I::*)() const>(&I::bizCode);
    has<const char* (I::*)() const>(&I::uuid);
    has<const std::string& (OperatorInfo::*)() const>(&OperatorInfo::name);
    has<const std::string& (OperatorInfo::*)() const>(&OperatorInfo::type);
    has<float (OperatorInfo::*)() const>(&OperatorInfo::flops);
}

void otherCoreSignatures() {
    has<void (*)(int, const char*, ...)>(&MNNLog);
    has<void (*)(void (*)(int, const char*, void*), void*)>(&MNNSetLogCallback);
    has<void (Timer::*)()>(&Timer::reset);
    has<uint64_t (Timer::*)()>(&Timer::durationInUs);
    has<uint64_t (Timer::*)() const>(&Timer::current);
    has<int (halide_type_t::*)() const>(&halide_type_t::bytes);
    has<MNNLogCallback>(nullptr);
    const bool types = halide_type_of<bool>() == halide_type_t(halide_type_uint, 1) &&
                       halide_type_of<double>() == halide_type_t(halide_type_float, 64) &&
                       halide_type_of<char*>() == halide_type_t(halide_type_handle, 64) &&
                       halide_type_of<int64_t>() == halide_type_t(halide_type_int, 64);
    halide_buffer_t buffer;
    halide_dimension_t dimension(0, 1, 1);
    buffer.dim = &dimension;
    buffer.device = types ? 1 : 0;
    buffer.flags = halide_buffer_flag_host_dirty;
    has<halide_dimension_t*>(buffer.dim);
    has<uint64_t>(buffer.device + buffer.flags);
    MNNDeviceContext device;
    device.deviceId = device.platformId + device.platformSize;
    has<void*>(device.contextPtr);
    MNNVulkanContext vulkan = MNNVulkanContext();
    has<uint32_t>(vulkan.iQueueFamilyIndex);
    MNNVulkanTensorContent content;
    content.mask = 0;
    has<int32_t>(content.mask);
}
