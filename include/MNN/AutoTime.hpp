// A stopwatch, and a scope timer on top of it.
#ifndef MNN_AUTOTIME_HPP
#define MNN_AUTOTIME_HPP

#include <stdint.h>
#include <MNN/MNNDefine.h>

namespace MNN {

/// A stopwatch over a clock that never steps back. One thread at a time.
class MNN_PUBLIC Timer {
public:
    /// Starts at construction.
    Timer();
    ~Timer();
    Timer(const Timer&) = delete;
    Timer(const Timer&&) = delete;
    Timer& operator=(const Timer&) = delete;
    Timer& operator=(const Timer&&) = delete;

    /// Starts again from zero.
    void reset();
    /// Microseconds since construction or the last reset.
    uint64_t durationInUs();
    /// The start time itself in microseconds, on the clock's own scale.
    uint64_t current() const { return mLastResetTime; }

protected:
    uint64_t mLastResetTime;
};

/// Logs the time between its construction and its destruction, with a line number and a function name.
class MNN_PUBLIC AutoTime : Timer {
public:
    /// `func` is kept as a pointer and must outlive the object.
    AutoTime(int line, const char* func);
    ~AutoTime();
    AutoTime(const AutoTime&) = delete;
    AutoTime(const AutoTime&&) = delete;
    AutoTime& operator=(const AutoTime&) = delete;
    AutoTime& operator=(const AutoTime&&) = delete;

private:
    int mLine;
    const char* mName;
};

}  // namespace MNN

/// Logs how long the rest of the scope takes, in builds that define MNN_OPEN_TIME_TRACE.
#ifdef MNN_OPEN_TIME_TRACE
#define AUTOTIME MNN::AutoTime mnnAutoTimeOfScope(__LINE__, __func__)
#else
#define AUTOTIME
#endif

#endif
