// The one door through which messages leave the library.
#include <MNN/Log.hpp>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

namespace {

struct Sink {
    MNNLogCallback callback = nullptr;
    void* user = nullptr;
};

// Constant-initialised, so that constructors of other files may log.
std::mutex gSinkLock;
Sink gSink;

Sink currentSink() {
    std::lock_guard<std::mutex> lock(gSinkLock);
    return gSink;
}

void deliver(int level, char* message, size_t length) {
    const Sink sink = currentSink();
    if (sink.callback == nullptr) {
        FILE* stream = level == MNN_LOG_INFO ? stdout : stderr;
        std::fwrite(message, 1, length, stream);
        const bool unfinished = level != MNN_LOG_INFO && (length == 0 || message[length - 1] != '\n');
        if (unfinished) std::fputc('\n', stream);
        return;
    }
    if (length > 0 && message[length - 1] == '\n') message[length - 1] = '\0';
    sink.callback(level, message, sink.user);
}

}  // namespace

extern "C" void MNNSetLogCallback(void (*callback)(int, const char*, void*), void* user) {
    std::lock_guard<std::mutex> lock(gSinkLock);
    gSink.callback = callback;
    gSink.user = user;
}

extern "C" void MNNLog(int level, const char* format, ...) {
    char small[1024];
    va_list arguments;
    va_start(arguments, format);
    const int needed = std::vsnprintf(small, sizeof(small), format, arguments);
    va_end(arguments);
    if (needed < 0) {
        char unprintable[] = "a message could not be formatted";
        deliver(level, unprintable, sizeof(unprintable) - 1);
        return;
    }
    const size_t length = static_cast<size_t>(needed);
    if (length < sizeof(small)) {
        deliver(level, small, length);
        return;
    }
    std::unique_ptr<char[]> large(new (std::nothrow) char[length + 1]);
    if (!large) {
        deliver(level, small, sizeof(small) - 1);
        return;
    }
    va_start(arguments, format);
    std::vsnprintf(large.get(), length + 1, format, arguments);
    va_end(arguments);
    deliver(level, large.get(), length);
}
