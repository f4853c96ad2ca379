#include "backend/cpu/ThreadPool.hpp"
#include <gtest/gtest.h>
#include <atomic>
#include <thread>
#include <vector>

namespace {

using MNN::cpu::ThreadPool;

TEST(ThreadPool, RunsEachTileOnce) {
    for (int threads : {0, 1, 2, 3, 8}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), std::max(threads, 1));
        for (int tiles : {0, 1, 2, 7, 1000}) {
            std::vector<int> count(tiles, 0);
            std::atomic<bool> workersKnown{true};
            pool.parallelFor(tiles, [&](int tile, int worker) {
                ++count[tile];
                if (worker < 0 || worker >= pool.threads()) workersKnown = false;
            });
            EXPECT_EQ(count, std::vector<int>(tiles, 1));
            EXPECT_TRUE(workersKnown);
        }
    }
}

TEST(ThreadPool, AWorkerNumberIsUsedByOneThreadAtATime) {
    ThreadPool pool(4);
    std::vector<int> sums(4, 0);  // no atomics: ThreadSanitizer would tell
    for (int job = 0; job < 50; ++job) pool.parallelFor(64, [&](int, int worker) { ++sums[worker]; });
    int total = 0;
    for (int sum : sums) total += sum;
    EXPECT_EQ(total, 50 * 64);
}

TEST(ThreadPool, NestedJobsRunInTheirTile) {
    ThreadPool pool(3);
    std::vector<std::vector<int>> count(10, std::vector<int>(20, 0));
    pool.parallelFor(10, [&](int outer, int) { pool.parallelFor(20, [&](int inner, int) { ++count[outer][inner]; }); });
    for (const auto& row : count) EXPECT_EQ(row, std::vector<int>(20, 1));
}

TEST(ThreadPool, ConcurrentCallersEachGetTheirTiles) {
    ThreadPool pool(2);
    std::vector<std::thread> callers;
    std::vector<int> wrong(4, 0);
    for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&, caller] {
            for (int job = 0; job < 200; ++job) {
                std::vector<int> count(17, 0);
                pool.parallelFor(17, [&](int tile, int) { ++count[tile]; });
                wrong[caller] += count != std::vector<int>(17, 1);
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(ThreadPool, ManyShortJobsSeeTheResultsOfTheOneBefore) {
    ThreadPool pool(2);
    std::vector<int> values(8, 0);
    for (int job = 0; job < 3000; ++job) pool.parallelFor(8, [&](int tile, int) { ++values[(tile + job) % 8]; });
    EXPECT_EQ(values, std::vector<int>(8, 3000));
}

TEST(ThreadPool, PoolsComeAndGo) {
    for (int i = 0; i < 20; ++i) {
        ThreadPool pool(3);
        std::atomic<int> tiles{0};
        if (i % 2 == 0) pool.parallelFor(5, [&](int, int) { ++tiles; });
        EXPECT_EQ(tiles, i % 2 == 0 ? 5 : 0);
    }
}

}  // namespace
