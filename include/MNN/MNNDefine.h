// Version, symbol visibility and logging macros. Usable from C and C++.
#ifndef MNN_MNNDEFINE_H
#define MNN_MNNDEFINE_H

#include <assert.h>

#if defined(__APPLE__)
#include <TargetConditionals.h>
#if TARGET_OS_IPHONE
#define MNN_BUILD_FOR_IOS
#endif
#endif

// MNN_PUBLIC marks what libMNN exports.
#if defined(_MSC_VER)
#if defined(BUILDING_MNN_DLL)
#define MNN_PUBLIC __declspec(dllexport)
#elif defined(USING_MNN_DLL)
#define MNN_PUBLIC __declspec(dllimport)
#else
#define MNN_PUBLIC
#endif
#else
#define MNN_PUBLIC __attribute__((visibility("default")))
#endif

#if defined(__GNUC__) || defined(__clang__)
#define MNN_PRINTF_LIKE(formatIndex, firstArgument) __attribute__((format(printf, formatIndex, firstArgument)))
#else
#define MNN_PRINTF_LIKE(formatIndex, firstArgument)
#endif

#ifdef __cplusplus
extern "C" {
#endif
/// Sends one printf-style message to the callback of MNNSetLogCallback (MNN/Log.hpp), or, without one, to stdout
/// (level 0) or stderr (higher levels). `level` is a MNNLogLevel of MNN/Log.hpp: 0 info, 1 warning, 2 error.
/// Safe to call from any thread.
MNN_PUBLIC void MNNLog(int level, const char* format, ...) MNN_PRINTF_LIKE(2, 3);
#ifdef __cplusplus
}
#endif

/// Logs what went wrong (level 2). printf arguments.
#define MNN_ERROR(...) MNNLog(2, __VA_ARGS__)
/// Logs something worth knowing (level 0). printf arguments; nothing is appended, so end a line with \n.
#define MNN_PRINT(...) MNNLog(0, __VA_ARGS__)

/// Checks an invariant in builds that define DEBUG, where a failure stops the program; costs nothing elsewhere.
#ifdef DEBUG
#define MNN_ASSERT(x)                                                              \
    do {                                                                           \
        if (!(x)) {                                                                \
            MNN_ERROR("Assertion failed: %s, at %s:%d\n", #x, __FILE__, __LINE__); \
            assert(x);                                                             \
        }                                                                          \
    } while (0)
#else
#define MNN_ASSERT(x)
#endif

/// Logs an int expression with its text, file line and function.
#define FUNC_PRINT(x) MNN_PRINT(#x "=%d in %s, %d \n", x, __func__, __LINE__)
/// The same for any type; `type` is the printf conversion without the percent sign, e.g. FUNC_PRINT_ALL(ratio, f).
#define FUNC_PRINT_ALL(x, type) MNN_PRINT(#x "= %" #type " in %s, %d \n", x, __func__, __LINE__)

/// Logs `log` when `success` is false; it does not leave the function.
#define MNN_CHECK(success, log)                                     \
    do {                                                            \
        if (!(success)) {                                           \
            MNN_ERROR("Check failed: %s ==> %s\n", #success, #log); \
        }                                                           \
    } while (0)

#define STR_IMP(x) #x
#define STR(x) STR_IMP(x)

#define MNN_VERSION_MAJOR 3
#define MNN_VERSION_MINOR 6
#define MNN_VERSION_PATCH 1
/// The interface version as a string, "3.6.1".
#define MNN_VERSION STR(MNN_VERSION_MAJOR) "." STR(MNN_VERSION_MINOR) "." STR(MNN_VERSION_PATCH)

#endif
