#include "core/MemoryPlanner.hpp"

#include <algorithm>
#include <numeric>

namespace MNN {

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

// Largest first; each goes to the tightest gap between leases already placed that are alive at the same time.
size_t MemoryPlanner::place() {
    std::vector<int> order(mLeases.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return mLeases[a].bytes > mLeases[b].bytes; });
    std::vector<int> placed;  // sorted by offset
    size_t total = 0;
    for (int id : order) {
        Lease& lease = mLeases[id];
        size_t cursor = 0, best = SIZE_MAX, bestGap = SIZE_MAX;
        for (int other : placed) {
            const Lease& o = mLeases[other];
            if (o.end < lease.begin || o.begin > lease.end) continue;
            if (o.offset >= cursor + lease.bytes && o.offset - cursor < bestGap) {
                bestGap = o.offset - cursor;
                best = cursor;
            }
            cursor = std::max(cursor, o.offset + o.bytes);
        }
        lease.offset = best == SIZE_MAX ? cursor : best;
        total = std::max(total, lease.offset + lease.bytes);
        placed.insert(std::upper_bound(placed.begin(), placed.end(), id,
                                       [&](int a, int b) { return mLeases[a].offset < mLeases[b].offset; }),
                      id);
    }
    return total;
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
