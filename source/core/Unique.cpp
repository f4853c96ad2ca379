#include "core/Unique.hpp"

#include <algorithm>
#include <numeric>

namespace MNN {
namespace {

template <typename T>
int compare(T a, T b) {
    if (a < b) return -1;
    if (b < a) return 1;
    // Only NaN is neither below, above nor equal.
    const bool nanA = a != a, nanB = b != b;
    return nanA == nanB ? 0 : nanA ? 1 : -1;
}

template <typename T>
UniqueSlices findAs(const T* data, int64_t outer, int length, int64_t inner, bool sorted) {
    const auto compareSlices = [=](int a, int b) {
        for (int64_t o = 0; o < outer; ++o) {
            const T* pa = data + (o * length + a) * inner;
            const T* pb = data + (o * length + b) * inner;
            for (int64_t i = 0; i < inner; ++i) {
                if (const int order = compare(pa[i], pb[i])) return order;
            }
        }
        return 0;
    };
    std::vector<int> order(length);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return compareSlices(a, b) < 0; });
    UniqueSlices found;
    found.inverse.resize(length);
    for (int i = 0; i < length; ++i) {
        if (i == 0 || compareSlices(order[i - 1], order[i]) != 0) {
            found.first.push_back(order[i]);
            found.counts.push_back(0);
        }
        ++found.counts.back();
        found.inverse[order[i]] = static_cast<int>(found.first.size()) - 1;
    }
    if (sorted) return found;
    const int groups = static_cast<int>(found.first.size());
    std::vector<int> byPlace(groups), rank(groups);
    std::iota(byPlace.begin(), byPlace.end(), 0);
    std::sort(byPlace.begin(), byPlace.end(), [&](int a, int b) { return found.first[a] < found.first[b]; });
    UniqueSlices result = found;
    for (int i = 0; i < groups; ++i) {
        rank[byPlace[i]] = i;
        result.first[i] = found.first[byPlace[i]];
        result.counts[i] = found.counts[byPlace[i]];
    }
    for (int& group : result.inverse) group = rank[group];
    return result;
}

}  // namespace

UniqueSlices findUnique(const void* data, halide_type_t type, int64_t outer, int length, int64_t inner, bool sorted) {
    if (type == halide_type_of<float>()) return findAs(static_cast<const float*>(data), outer, length, inner, sorted);
    if (type == halide_type_of<int32_t>())
        return findAs(static_cast<const int32_t*>(data), outer, length, inner, sorted);
    if (type == halide_type_of<int8_t>()) return findAs(static_cast<const int8_t*>(data), outer, length, inner, sorted);
    if (type == halide_type_of<uint8_t>())
        return findAs(static_cast<const uint8_t*>(data), outer, length, inner, sorted);
    return UniqueSlices();
}

}  // namespace MNN
