// The stopwatch of MNN/AutoTime.hpp.
#include <MNN/AutoTime.hpp>

#include <chrono>

namespace MNN {

namespace {

uint64_t nowInUs() {
    const auto sinceStart = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(sinceStart).count());
}

}  // namespace

Timer::Timer() : mLastResetTime(nowInUs()) {}

Timer::~Timer() = default;

void Timer::reset() { mLastResetTime = nowInUs(); }

uint64_t Timer::durationInUs() { return nowInUs() - mLastResetTime; }

AutoTime::AutoTime(int line, const char* func) : mLine(line), mName(func) {}

AutoTime::~AutoTime() {
    MNN_PRINT("%s, %d, cost time: %.3f ms\n", mName, mLine, static_cast<double>(durationInUs()) / 1000.0);
}

}  // namespace MNN
