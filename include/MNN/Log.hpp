// Where libMNN's messages go.
#ifndef MNN_LOG_HPP
#define MNN_LOG_HPP

#include <MNN/MNNDefine.h>

/// How grave a message is. New levels may be added above the highest.
enum MNNLogLevel {
    MNN_LOG_INFO = 0,     ///< Progress and dumps the caller asked for (MNN_PRINT).
    MNN_LOG_WARNING = 1,  ///< The call succeeds, but not as asked: a fallback, an ignored option.
    MNN_LOG_ERROR = 2,    ///< The call fails; the message says what, where and what to do (MNN_ERROR).
};

extern "C" {
/// Receives one message. `message` is UTF-8, holds no trailing newline, and lives only during the call; `user` is the
/// pointer given to MNNSetLogCallback. May be called from any thread, also from several at once, and must not throw.
typedef void (*MNNLogCallback)(int level, const char* message, void* user);

/// Sends every later message of libMNN to `callback`; nullptr restores the default, stdout for MNN_LOG_INFO and stderr
/// for the rest. One callback per process. Safe to call from any thread, but a message already under way in another
/// thread may still reach the old callback, so keep its `user` alive.
MNN_PUBLIC void MNNSetLogCallback(void (*callback)(int level, const char* message, void* user), void* user);
}

#endif
