// Worker threads of one CPU runtime: spin briefly, then sleep; tiles are claimed dynamically, so slow cores take fewer.
#ifndef MNN_CPU_THREADPOOL_HPP
#define MNN_CPU_THREADPOOL_HPP

#include <cstdint>
#include <functional>
#include <memory>

namespace MNN {
namespace cpu {

class ThreadPool {
public:
    // threads counts the caller of run(); 1 makes no thread at all.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    int threads() const { return mThreads; }

    // Calls body(context, tile, worker) once for each tile below `tiles`, on up to threads() threads; returns when all
    // are done. worker < threads(). One caller uses the workers at a time; a second concurrent caller, or a nested
    // call, runs its tiles itself (as worker 0).
    void run(int tiles, void (*body)(void* context, int tile, int worker), void* context);

    template <typename F>
    void parallelFor(int tiles, F&& body) {
        run(
            tiles,
            [](void* f, int tile, int worker) {
                (*static_cast<typename std::remove_reference<F>::type*>(f))(tile, worker);
            },
            const_cast<void*>(static_cast<const void*>(&body)));
    }

private:
    struct State;
    int mThreads;
    std::unique_ptr<State> mState;
};

}  // namespace cpu
}  // namespace MNN
#endif
