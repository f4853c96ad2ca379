// Tensor: a typed, shaped array in host memory or on a backend.
#ifndef MNN_TENSOR_HPP
#define MNN_TENSOR_HPP

#include <stddef.h>
#include <stdint.h>
#include <vector>
#include <MNN/HalideRuntime.h>
#include <MNN/MNNDefine.h>

namespace MNN {

/// A typed, shaped array. It is either a host tensor, whose elements host<T>() reaches, or a device tensor, whose
/// elements live where a backend put them and are reached by copyFromHostTensor, copyToHostTensor or map.
///
/// Ownership: tensors from create*, clone and createHostTensorFromDevice belong to the caller (destroy or delete).
/// Tensors from an Interpreter belong to its session and die with it.
/// Threads: const members may be called together from several threads; anything else needs the caller's lock.
class MNN_PUBLIC Tensor {
public:
    struct InsideDescribe;

    /// The order of the dimensions of an image-like tensor.
    enum DimensionType {
        TENSORFLOW,  ///< NHWC: batch, height, width, channel.
        CAFFE,       ///< NCHW: batch, channel, height, width.
        CAFFE_C4,    ///< NC4HW4: shape as NCHW, memory [batch, ceil(channel/4), height, width, 4]; pads are undefined.
    };

    /// What an element of halide_type_handle points to.
    enum HandleDataType {
        HANDLE_NONE = 0,    ///< Plain pointer, or the element is no handle.
        HANDLE_STRING = 1,  ///< char* of a C string owned by the tensor.
    };

    /// Direction of map and wait.
    enum MapType {
        MAP_TENSOR_WRITE = 0,  ///< The host writes, the device reads.
        MAP_TENSOR_READ = 1,   ///< The device wrote, the host reads.
    };

    /// A float tensor of `dimSize` dimensions, each of extent 1, without memory.
    Tensor(int dimSize = 4, DimensionType type = CAFFE);

    /// A tensor with the element type and shape of `tensor` in layout `type`: the extents are reordered when `type`
    /// and the layout of `tensor` differ in order. Host memory is allocated when allocMemory is true (zero bytes are
    /// not guaranteed; host<T>() is null when the allocation failed). No data is copied.
    Tensor(const Tensor* tensor, DimensionType type = CAFFE, bool allocMemory = true);

    /// Frees what the tensor owns.
    ~Tensor();

    Tensor(const Tensor&) = delete;
    Tensor(const Tensor&&) = delete;
    Tensor& operator=(const Tensor&) = delete;
    Tensor& operator=(const Tensor&&) = delete;

    /// A tensor of the given shape and type without any memory. `shape` is in the order of dimType. The caller owns it.
    static Tensor* createDevice(const std::vector<int>& shape, halide_type_t type, DimensionType dimType = TENSORFLOW);
    template <typename T>
    static Tensor* createDevice(const std::vector<int>& shape, DimensionType dimType = TENSORFLOW) {
        return createDevice(shape, halide_type_of<T>(), dimType);
    }

    /// A host tensor of the given shape and type. `shape` is in the order of dimType. With `data` the tensor uses that
    /// memory, which must hold size() bytes and outlive the tensor; otherwise it allocates its own, uninitialised.
    /// The caller owns the tensor; nullptr when memory runs out.
    static Tensor* create(const std::vector<int>& shape, halide_type_t type, void* data = NULL,
                          DimensionType dimType = TENSORFLOW);
    template <typename T>
    static Tensor* create(const std::vector<int>& shape, void* data = NULL, DimensionType dimType = TENSORFLOW) {
        return create(shape, halide_type_of<T>(), data, dimType);
    }

    /// A second tensor over the same memory, which `src` must outlive. deepCopy is not supported and returns nullptr.
    static Tensor* clone(const Tensor* src, bool deepCopy = false);

    /// Deletes a tensor the caller owns, inside the library that allocated it. nullptr is allowed.
    static void destroy(Tensor* tensor);

    /// Writes the elements of a host tensor into this tensor, converting the layout. Shape and type must agree.
    /// False, with the reason in the log, when they do not or when this tensor has no memory yet.
    bool copyFromHostTensor(const Tensor* hostTensor);

    /// Writes the elements of this tensor into a host tensor, converting the layout; waits for the device first.
    /// False, with the reason in the log, when shape or type disagree or one of them has no memory.
    bool copyToHostTensor(Tensor* hostTensor) const;

    /// A host tensor with shape, type and layout of deviceTensor, holding its elements when copyData is true.
    /// The caller owns it; nullptr when memory runs out or the copy fails.
    static Tensor* createHostTensorFromDevice(const Tensor* deviceTensor, bool copyData = true);

    /// The underlying buffer description. Strides are elements.
    const halide_buffer_t& buffer() const { return mBuffer; }
    halide_buffer_t& buffer() { return mBuffer; }

    /// The layout that shape(), host<T>() and the copies show. A backend's internal packing never shows.
    DimensionType getDimensionType() const;

    /// What handle elements point to.
    HandleDataType getHandleDataType() const;

    /// Sets the element type from a DataType of the model schema (DT_FLOAT = 1, DT_INT32 = 3, ...). Memory already
    /// allocated is not resized.
    void setType(int type);

    /// Element type.
    halide_type_t getType() const { return mBuffer.type; }

    /// First element in host memory, nullptr for a device tensor. T is not checked against getType().
    template <typename T>
    T* host() const {
        return reinterpret_cast<T*>(mBuffer.host);
    }

    /// The backend's handle of the memory, 0 for a host tensor.
    uint64_t deviceId() const { return mBuffer.device; }

    /// Number of dimensions.
    int dimensions() const { return mBuffer.dimensions; }

    /// All extents, outermost first.
    std::vector<int> shape() const;

    /// Bytes the elements take, for NC4HW4 with the channels rounded up to 4. Saturates at INT_MAX; see usize().
    int size() const;
    /// The same, not saturated.
    size_t usize() const;
    /// Elements, for NC4HW4 with the channels rounded up to 4. Saturates at INT_MAX.
    int elementSize() const;

    /// Extents by name according to the layout; 0 when the tensor has fewer dimensions.
    int width() const { return length(getDimensionType() == TENSORFLOW ? 2 : 3); }
    int height() const { return length(getDimensionType() == TENSORFLOW ? 1 : 2); }
    int channel() const { return length(getDimensionType() == TENSORFLOW ? 3 : 1); }
    int batch() const { return length(0); }

    /// Stride of dimension `index` in elements, 0 when there is no such dimension.
    int stride(int index) const { return hasDimension(index) ? mBuffer.dim[index].stride : 0; }
    /// Extent of dimension `index`, 0 when there is no such dimension.
    int length(int index) const { return hasDimension(index) ? mBuffer.dim[index].extent : 0; }

    /// Writes one stride or extent; ignored when there is no such dimension. Memory is not resized. To resize a model
    /// input use Interpreter::resizeTensor.
    void setStride(int index, int stride) {
        if (hasDimension(index)) mBuffer.dim[index].stride = stride;
    }
    void setLength(int index, int length) {
        if (hasDimension(index)) mBuffer.dim[index].extent = length;
    }

    /// Fills the struct of MNN/MNNSharedContext.h that describes native memory of backend `forwardType`
    /// (MNNVulkanTensorContent, MNNMetalTensorContent, ...). False when the tensor does not live there.
    bool getDeviceInfo(void* dst, int forwardType) const;

    /// Logs all elements, or the extents only, for debugging.
    void print() const;
    void printShape() const;

    /// Makes the elements reachable by the host in layout dtype until unmap. With MAP_TENSOR_READ the memory holds the
    /// tensor's elements; with MAP_TENSOR_WRITE its content is undefined and unmap writes it back. nullptr on failure.
    void* map(MapType mtype, DimensionType dtype);
    /// Ends a mapping; the arguments are those of map and its result.
    void unmap(MapType mtype, DimensionType dtype, void* mapPtr);

    /// Waits until the device no longer reads (MAP_TENSOR_WRITE) or no longer writes (MAP_TENSOR_READ) this tensor;
    /// with `finish`, until all its work is done. 0 on success.
    int wait(MapType mtype, bool finish);

    /// Lets the tensor use native memory of kind memoryType (a MNNForwardType) instead of the session's. Borrowed: it
    /// must stay valid while the session runs. False when the backend cannot.
    bool setDevicePtr(const void* devicePtr, int memoryType);

private:
    Tensor(bool deepCopy, const Tensor* tensor);
    bool hasDimension(int index) const { return index >= 0 && index < mBuffer.dimensions; }

    halide_buffer_t mBuffer;
    struct InsideDescribe* mDescribe;

    friend class TensorUtils;
};

}  // namespace MNN

#endif
