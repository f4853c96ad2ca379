#include "core/MemoryPlanner.hpp"

#include <algorithm>
#include <numeric>

namespace MNN {
namespace {

enum class Side {
    Low,          // at the low end of the gap
    LongestKept,  // at the end whose neighbour lives longer, so that short lives lie together and leave large gaps
};

// Gives the leases offsets in this order, each in the tightest gap between those placed before that are alive at the
// same time; above them all when it fits nowhere below `capacity`. Returns the bytes used.
template <typename Lease>
size_t placeInOrder(const std::vector<int>& order, size_t capacity, Side side, std::vector<Lease>* leases) {
    std::vector<int> placed;  // sorted by offset
    size_t total = 0;
    for (int id : order) {
        Lease& lease = (*leases)[id];
        size_t cursor = 0, best = SIZE_MAX, bestGap = SIZE_MAX;
        int below = INT32_MAX;  // when the neighbour below ends; the arena's edges never do
        auto offer = [&](size_t end, int above) {
            if (end < cursor + lease.bytes || end - cursor >= bestGap) return;
            bestGap = end - cursor;
            best = side == Side::Low || below >= above ? cursor : end - lease.bytes;
        };
        for (int other : placed) {
            const Lease& o = (*leases)[other];
            if (o.end < lease.begin || o.begin > lease.end) continue;
            offer(o.offset, o.end);
            if (o.offset + o.bytes >= cursor) below = o.end;
            cursor = std::max(cursor, o.offset + o.bytes);
        }
        if (capacity != SIZE_MAX) offer(capacity, INT32_MAX);
        lease.offset = best == SIZE_MAX ? cursor : best;
        total = std::max(total, lease.offset + lease.bytes);
        const auto at = std::upper_bound(placed.begin(), placed.end(), id,
                                         [&](int a, int b) { return (*leases)[a].offset < (*leases)[b].offset; });
        placed.insert(at, id);
    }
    return total;
}

template <typename F>
std::vector<int> sorted(size_t count, F&& before) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), before);
    return order;
}

}  // namespace

int MemoryPlanner::acquire(size_t bytes) {
    Lease lease;
    lease.bytes = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    lease.begin = mTime++;
    mLeases.push_back(lease);
    return static_cast<int>(mLeases.size()) - 1;
}

void MemoryPlanner::release(int lease) { mLeases[lease].end = mTime++; }

void MemoryPlanner::clear() {
    mLeases.clear();
    mTime = 0;
}

// No single order is best for all graphs: largest first serves networks whose sizes shrink, the order of time with two
// ends serves chains whose sizes go up and down. The smallest arena wins.
size_t MemoryPlanner::place() {
    const size_t bound = lowerBound();
    auto bySize = [&](int a, int b) { return mLeases[a].bytes > mLeases[b].bytes; };
    auto byTime = [&](int a, int b) { return mLeases[a].begin < mLeases[b].begin; };
    auto byLife = [&](int a, int b) {
        return int64_t(mLeases[a].end) - mLeases[a].begin > int64_t(mLeases[b].end) - mLeases[b].begin;
    };
    const size_t count = mLeases.size();
    std::vector<Lease> best = mLeases;
    size_t smallest = placeInOrder(sorted(count, bySize), SIZE_MAX, Side::Low, &best);
    const std::vector<int> orders[] = {sorted(count, byTime), sorted(count, bySize), sorted(count, byLife)};
    for (const std::vector<int>& order : orders) {
        if (smallest <= bound) break;
        std::vector<Lease> other = mLeases;
        const size_t bytes = placeInOrder(order, bound, Side::LongestKept, &other);
        if (bytes >= smallest) continue;
        smallest = bytes;
        best.swap(other);
    }
    mLeases.swap(best);
    return smallest;
}

size_t MemoryPlanner::lowerBound() const {
    std::vector<std::pair<int, int64_t>> events;
    for (const Lease& lease : mLeases) {
        events.push_back({lease.begin, static_cast<int64_t>(lease.bytes)});
        if (lease.end != INT32_MAX) events.push_back({lease.end, -static_cast<int64_t>(lease.bytes)});
    }
    std::sort(events.begin(), events.end());
    int64_t alive = 0, most = 0;
    for (const auto& event : events) {
        alive += event.second;
        most = std::max(most, alive);
    }
    return static_cast<size_t>(most);
}

}  // namespace MNN
