#include "backend/cpu/ThreadPool.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
#include "core/platform/Platform.hpp"

namespace MNN {
namespace cpu {

namespace {
// About 100 microseconds: longer than the gap between two commands, short enough to leave an idle core alone.
constexpr int kSpins = 2000;
thread_local bool insideTile = false;
}  // namespace

struct ThreadPool::State {
    // The job. Written by the caller while `open` is even; read by workers that joined while it was odd.
    void (*body)(void*, int, int) = nullptr;
    void* context = nullptr;
    int tiles = 0;
    std::atomic<int> next{0};

    std::atomic<uint64_t> open{0};  // odd: a job accepts workers; grows by one at each opening and closing
    std::atomic<int> joined{0};     // workers that may be reading the job
    std::atomic<int> sleepers{0};
    std::atomic<bool> busy{false};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::condition_variable wake;
    std::vector<std::thread> workers;

    void work(int worker) {
        insideTile = true;
        for (int tile = next.fetch_add(1); tile < tiles; tile = next.fetch_add(1)) body(context, tile, worker);
        insideTile = false;
    }

    // Waits until a job other than `seen` is open or the pool stops.
    uint64_t awaitJob(uint64_t seen) {
        const auto fresh = [&](uint64_t now) { return (now & 1) != 0 && now != seen; };
        for (int i = 0; i < kSpins; ++i) {
            const uint64_t now = open.load();
            if (fresh(now) || stop.load()) return now;
            platform::spinPause();
        }
        std::unique_lock<std::mutex> lock(mutex);
        sleepers.fetch_add(1);
        wake.wait(lock, [&] { return stop.load() || fresh(open.load()); });
        sleepers.fetch_sub(1);
        return open.load();
    }

    void loop(int worker) {
        uint64_t seen = 0;
        while (true) {
            awaitJob(seen);
            if (stop.load()) return;
            joined.fetch_add(1);
            const uint64_t now = open.load();
            if ((now & 1) != 0) {
                work(worker);
                seen = now;
            }
            joined.fetch_sub(1);
        }
    }
};

ThreadPool::ThreadPool(int threads) : mThreads(threads < 1 ? 1 : threads), mState(new State) {
    for (int i = 1; i < mThreads; ++i) mState->workers.emplace_back([this, i] { mState->loop(i); });
}

ThreadPool::~ThreadPool() {
    {
        std::lock_guard<std::mutex> lock(mState->mutex);
        mState->stop.store(true);
    }
    mState->wake.notify_all();
    for (std::thread& worker : mState->workers) worker.join();
}

void ThreadPool::run(int tiles, void (*body)(void*, int, int), void* context) {
    State& s = *mState;
    if (tiles <= 1 || mThreads == 1 || insideTile || s.busy.exchange(true)) {
        for (int tile = 0; tile < tiles; ++tile) body(context, tile, 0);
        return;
    }
    s.body = body;
    s.context = context;
    s.tiles = tiles;
    s.next.store(0);
    s.open.fetch_add(1);
    if (s.sleepers.load() > 0) {
        { std::lock_guard<std::mutex> lock(s.mutex); }
        s.wake.notify_all();
    }
    s.work(0);
    // Nobody may join from here on; those who did finish the tiles they claimed.
    s.open.fetch_add(1);
    while (s.joined.load() != 0) platform::spinPause();
    s.busy.store(false);
}

}  // namespace cpu
}  // namespace MNN
