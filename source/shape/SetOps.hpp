// Sets of numbers: the values of Unique and SetDiff1D, for the shape rules (which need the count) and the CPU
// executions.
#ifndef MNN_SHAPE_SETOPS_HPP
#define MNN_SHAPE_SETOPS_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

namespace MNN {

// Orders numbers with every NaN behind them and equal to one another.
template <typename T>
bool numberLess(T a, T b) {
    return a < b || (a == a && b != b);
}

template <typename T>
struct UniqueResult {
    std::vector<T> values;         // ascending
    std::vector<int32_t> first;    // where each value first stands
    std::vector<int32_t> inverse;  // the value's index, per input element
    std::vector<int32_t> counts;
};

template <typename T>
UniqueResult<T> uniqueSorted(const T* data, int32_t count) {
    std::vector<int32_t> order(count);
    for (int32_t i = 0; i < count; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [=](int32_t a, int32_t b) { return numberLess(data[a], data[b]); });
    UniqueResult<T> result;
    result.inverse.resize(count);
    for (int32_t i : order) {
        if (result.values.empty() || numberLess(result.values.back(), data[i])) {
            result.values.push_back(data[i]);
            result.first.push_back(i);
            result.counts.push_back(0);
        }
        result.inverse[i] = static_cast<int32_t>(result.values.size()) - 1;
        ++result.counts.back();
    }
    return result;
}

// Places in x of the elements that y lacks, in order.
template <typename T>
std::vector<int32_t> setDifference(const T* x, int32_t xCount, const T* y, int32_t yCount) {
    std::vector<T> sorted(y, y + yCount);
    std::sort(sorted.begin(), sorted.end(), numberLess<T>);
    std::vector<int32_t> places;
    for (int32_t i = 0; i < xCount; ++i) {
        if (!std::binary_search(sorted.begin(), sorted.end(), x[i], numberLess<T>)) places.push_back(i);
    }
    return places;
}

}  // namespace MNN
#endif
