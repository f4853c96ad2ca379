// The buffer description shared with Halide: element types, dimensions and halide_buffer_t. Usable from C and C++.
#ifndef HALIDE_HALIDERUNTIME_H
#define HALIDE_HALIDERUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _MSC_VER
#define HALIDE_ALWAYS_INLINE __forceinline
#define HALIDE_NEVER_INLINE __declspec(noinline)
#define HALIDE_ATTRIBUTE_ALIGN(x) __declspec(align(x))
#else
#define HALIDE_ALWAYS_INLINE __attribute__((always_inline)) inline
#define HALIDE_NEVER_INLINE __attribute__((noinline))
#define HALIDE_ATTRIBUTE_ALIGN(x) __attribute__((aligned(x)))
#endif

/// The family of a scalar type; halide_type_t::bits gives its width.
typedef enum halide_type_code_t
#if defined(__cplusplus)
    : uint8_t
#endif
{ halide_type_int = 0,     ///< Signed integer.
  halide_type_uint = 1,    ///< Unsigned integer.
  halide_type_float = 2,   ///< IEEE floating point.
  halide_type_handle = 3,  ///< Opaque pointer (void*); strings.
  halide_type_bfloat = 4,  ///< bfloat: an IEEE float with its low mantissa bits cut off.
} halide_type_code_t;

/// An element type, four bytes in all.
struct halide_type_t {
    /// Family; byte-typed in C and for MSVC so that the struct is the same size everywhere.
#if defined(_MSC_VER) || !defined(__cplusplus)
    HALIDE_ATTRIBUTE_ALIGN(1) uint8_t code;
#else
    HALIDE_ATTRIBUTE_ALIGN(1) halide_type_code_t code;
#endif
    /// Bits of one scalar.
    HALIDE_ATTRIBUTE_ALIGN(1) uint8_t bits;
    /// Scalars in one element; 1 for anything but a vector type.
    HALIDE_ATTRIBUTE_ALIGN(2) uint16_t lanes;

#ifdef __cplusplus
    HALIDE_ALWAYS_INLINE halide_type_t(halide_type_code_t code, uint8_t bits, uint16_t lanes = 1)
        : code(code), bits(bits), lanes(lanes) {}

    /// The zero type: no bits, no lanes.
    HALIDE_ALWAYS_INLINE halide_type_t() : code(static_cast<halide_type_code_t>(0)), bits(0), lanes(0) {}

    HALIDE_ALWAYS_INLINE bool operator==(const halide_type_t& other) const {
        return code == other.code && bits == other.bits && lanes == other.lanes;
    }
    HALIDE_ALWAYS_INLINE bool operator!=(const halide_type_t& other) const { return !(*this == other); }

    /// Bytes of one scalar, rounded up. Lanes do not count.
    HALIDE_ALWAYS_INLINE int bytes() const { return (bits + 7) / 8; }
#endif
};

struct halide_buffer_t;
struct halide_device_interface_impl_t;

/// Functions of a device that holds the data of a halide_buffer_t. Each int result is 0 on success. libMNN leaves
/// halide_buffer_t::device_interface null; the struct exists for code that passes buffers on to Halide.
struct halide_device_interface_t {
    /// Allocates device storage for buf.
    int (*device_malloc)(void* user_context, struct halide_buffer_t* buf,
                         const struct halide_device_interface_t* device_interface);
    /// Frees what device_malloc allocated.
    int (*device_free)(void* user_context, struct halide_buffer_t* buf);
    /// Waits for the work queued on buf.
    int (*device_sync)(void* user_context, struct halide_buffer_t* buf);
    /// Releases everything the device holds.
    void (*device_release)(void* user_context, const struct halide_device_interface_t* device_interface);
    /// Copies device data to host memory.
    int (*copy_to_host)(void* user_context, struct halide_buffer_t* buf);
    /// Copies host data to the device.
    int (*copy_to_device)(void* user_context, struct halide_buffer_t* buf,
                          const struct halide_device_interface_t* device_interface);
    /// Allocates host and device storage together.
    int (*device_and_host_malloc)(void* user_context, struct halide_buffer_t* buf,
                                  const struct halide_device_interface_t* device_interface);
    /// Frees what device_and_host_malloc allocated.
    int (*device_and_host_free)(void* user_context, struct halide_buffer_t* buf);
    /// Copies from one buffer to another, wherever they are.
    int (*buffer_copy)(void* user_context, struct halide_buffer_t* src,
                       const struct halide_device_interface_t* dst_device_interface, struct halide_buffer_t* dst);
    /// Makes dst an alias of a part of src.
    int (*device_crop)(void* user_context, const struct halide_buffer_t* src, struct halide_buffer_t* dst);
    /// Drops an alias made by device_crop.
    int (*device_release_crop)(void* user_context, struct halide_buffer_t* buf);
    /// Adopts a handle of the native interface as the device storage of buf.
    int (*wrap_native)(void* user_context, struct halide_buffer_t* buf, uint64_t handle,
                       const struct halide_device_interface_t* device_interface);
    /// Gives a handle adopted by wrap_native back.
    int (*detach_native)(void* user_context, struct halide_buffer_t* buf);
    /// Private to the device.
    const struct halide_device_interface_impl_t* impl;
};

/// One dimension of a buffer; extent and stride count elements.
typedef struct halide_dimension_t {
    /// First index, size, and distance between neighbours in elements.
    int32_t min, extent, stride;
    /// Reserved, zero.
    uint32_t flags;

#ifdef __cplusplus
    HALIDE_ALWAYS_INLINE halide_dimension_t() : min(0), extent(0), stride(0), flags(0) {}
    HALIDE_ALWAYS_INLINE halide_dimension_t(int32_t m, int32_t e, int32_t s, uint32_t f = 0)
        : min(m), extent(e), stride(s), flags(f) {}

    HALIDE_ALWAYS_INLINE bool operator==(const halide_dimension_t& other) const {
        return min == other.min && extent == other.extent && stride == other.stride && flags == other.flags;
    }
    HALIDE_ALWAYS_INLINE bool operator!=(const halide_dimension_t& other) const { return !(*this == other); }
#endif
} halide_dimension_t;

/// Bits of halide_buffer_t::flags.
typedef enum {
    halide_buffer_flag_host_dirty = 1,    ///< The host copy is newer than the device copy.
    halide_buffer_flag_device_dirty = 2,  ///< The device copy is newer than the host copy.
} halide_buffer_flags;

/// A multi-dimensional array in host memory, on a device, or both. Describes memory and owns none of it.
typedef struct halide_buffer_t {
    /// Handle of the device copy, 0 without one.
    uint64_t device;
    /// Functions of the device, null without one.
    const struct halide_device_interface_t* device_interface;
    /// First byte of the host copy, null without one.
    uint8_t* host;
    /// halide_buffer_flags.
    uint64_t flags;
    /// Element type.
    struct halide_type_t type;
    /// Number of dimensions.
    int32_t dimensions;
    /// The dimensions, `dimensions` of them, outermost first.
    halide_dimension_t* dim;
    /// Keeps the size and alignment that Halide has.
    void* padding;
} halide_buffer_t;

#ifdef __cplusplus
/// Maps a C++ type to its halide_type_t; only the types below have one.
template <typename T>
struct halide_type_of_helper;

template <typename T>
struct halide_type_of_helper<T*> {
    static HALIDE_ALWAYS_INLINE halide_type_t get() { return halide_type_t(halide_type_handle, 64); }
};

#define MNN_HALIDE_TYPE(T, code, bits)                                                        \
    template <>                                                                               \
    struct halide_type_of_helper<T> {                                                         \
        static HALIDE_ALWAYS_INLINE halide_type_t get() { return halide_type_t(code, bits); } \
    }
MNN_HALIDE_TYPE(float, halide_type_float, 32);
MNN_HALIDE_TYPE(double, halide_type_float, 64);
MNN_HALIDE_TYPE(bool, halide_type_uint, 1);
MNN_HALIDE_TYPE(uint8_t, halide_type_uint, 8);
MNN_HALIDE_TYPE(uint16_t, halide_type_uint, 16);
MNN_HALIDE_TYPE(uint32_t, halide_type_uint, 32);
MNN_HALIDE_TYPE(uint64_t, halide_type_uint, 64);
MNN_HALIDE_TYPE(int8_t, halide_type_int, 8);
MNN_HALIDE_TYPE(int16_t, halide_type_int, 16);
MNN_HALIDE_TYPE(int32_t, halide_type_int, 32);
MNN_HALIDE_TYPE(int64_t, halide_type_int, 64);
#undef MNN_HALIDE_TYPE

/// The element type of C++ type T: float, double, bool (1 bit), the fixed-width integers, or any pointer (64-bit
/// handle). Any other T does not compile.
template <typename T>
HALIDE_ALWAYS_INLINE halide_type_t halide_type_of() {
    return halide_type_of_helper<T>::get();
}
#endif

#endif
