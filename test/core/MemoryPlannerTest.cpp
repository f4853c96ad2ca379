#include "core/MemoryPlanner.hpp"
#include <gtest/gtest.h>
#include <random>

namespace {

using MNN::MemoryPlanner;

// The planner's times: one tick per call of acquire and release.
struct Plan {
    struct Lease {
        int number;
        size_t bytes;
        int begin;
        int end = INT32_MAX;
    };
    MemoryPlanner planner;
    std::vector<Lease> leases;
    int now = 0;

    int acquire(size_t bytes) {
        leases.push_back({planner.acquire(bytes), bytes, now++});
        return static_cast<int>(leases.size()) - 1;
    }
    void release(int lease) {
        planner.release(leases[lease].number);
        leases[lease].end = now++;
    }
    // Leases alive at one time share no byte and all lie inside the arena.
    void expectValid(size_t arena) const {
        for (size_t i = 0; i < leases.size(); ++i) {
            const Lease& a = leases[i];
            const size_t at = planner.offset(a.number);
            ASSERT_EQ(at % MemoryPlanner::kAlignment, 0u);
            ASSERT_LE(at + a.bytes, arena);
            for (size_t j = i + 1; j < leases.size(); ++j) {
                const Lease& b = leases[j];
                if (a.end < b.begin || b.end < a.begin) continue;
                const size_t other = planner.offset(b.number);
                ASSERT_TRUE(at + a.bytes <= other || other + b.bytes <= at) << "leases " << i << " and " << j;
            }
        }
    }
};

TEST(MemoryPlanner, NothingNeedsNothing) {
    MemoryPlanner planner;
    EXPECT_EQ(planner.place(), 0u);
    EXPECT_EQ(planner.lowerBound(), 0u);
}

TEST(MemoryPlanner, AnEmptyLeaseHasAnAddressOfItsOwn) {
    Plan plan;
    plan.acquire(0);
    plan.acquire(0);
    plan.expectValid(plan.planner.place());
    EXPECT_NE(plan.planner.offset(0), plan.planner.offset(1));
}

TEST(MemoryPlanner, ALeaseThatIsOverGivesItsBytesAway) {
    Plan plan;
    plan.release(plan.acquire(1000));
    plan.release(plan.acquire(1000));
    EXPECT_EQ(plan.planner.place(), 1024u);
    EXPECT_EQ(plan.planner.lowerBound(), 1024u);
}

TEST(MemoryPlanner, ClearForgetsEverything) {
    Plan plan;
    plan.acquire(1 << 20);
    plan.planner.clear();
    plan.leases.clear();
    plan.now = 0;
    plan.acquire(64);
    EXPECT_EQ(plan.planner.place(), 64u);
}

TEST(MemoryPlanner, RandomLifetimesNeverOverlap) {
    for (uint32_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        Plan plan;
        std::vector<int> alive;
        for (int i = 0; i < 120; ++i) {
            if (!alive.empty() && random() % 2 != 0) {
                std::swap(alive[random() % alive.size()], alive.back());
                plan.release(alive.back());
                alive.pop_back();
            } else {
                alive.push_back(plan.acquire(random() % 4 == 0 ? random() % 100000 : random() % 1000));
            }
        }
        const size_t arena = plan.planner.place();
        EXPECT_GE(arena, plan.planner.lowerBound());
        plan.expectValid(arena);
    }
}

size_t overBound(const Plan& plan, size_t arena) { return arena - plan.planner.lowerBound(); }

// Layer after layer: the output is acquired, scratch comes and goes, the input is released.
TEST(MemoryPlanner, ChainsOfLayersAreWithinFivePercentOfTheBound) {
    for (uint32_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        Plan plan;
        size_t bytes = 3 * 224 * 224 * 4;
        int input = plan.acquire(bytes);
        for (int layer = 0; layer < 60; ++layer) {
            if (layer % 8 == 7) bytes = bytes / 2 + 64;
            const int output = plan.acquire(layer % 3 == 0 ? bytes : bytes + bytes / 4);
            if (random() % 3 == 0) plan.release(plan.acquire(random() % 65536));
            plan.release(input);
            input = output;
        }
        const size_t arena = plan.planner.place();
        plan.expectValid(arena);
        EXPECT_LE(overBound(plan, arena) * 20, plan.planner.lowerBound());
    }
}

// As above with a shortcut over every two layers, as in residual networks.
TEST(MemoryPlanner, ResidualChainsAreWithinFivePercentOfTheBound) {
    Plan plan;
    size_t bytes = 64 * 56 * 56 * 4;
    int trunk = plan.acquire(bytes);
    for (int block = 0; block < 16; ++block) {
        if (block % 4 == 3) bytes /= 2;
        const int a = plan.acquire(bytes / 4);
        const int b = plan.acquire(bytes / 4);
        plan.release(a);
        const int c = plan.acquire(bytes);
        plan.release(b);
        const int sum = plan.acquire(bytes);
        plan.release(c);
        plan.release(trunk);
        trunk = sum;
    }
    const size_t arena = plan.planner.place();
    plan.expectValid(arena);
    EXPECT_LE(overBound(plan, arena) * 20, plan.planner.lowerBound());
}

}  // namespace
