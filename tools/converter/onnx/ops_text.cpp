// Counting n-grams of numbers.
#include <algorithm>

#include "graph/BlobView.hpp"
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// The n-grams of one length: pool[gram * length + position].
struct Grams {
    int length = 0;
    std::vector<int> pool;
    int count() const { return static_cast<int>(pool.size()) / length; }
};

std::vector<Grams> readPool(const Node& n) {
    const std::vector<int> pool = n.ints("pool_int64s"), starts = n.ints("ngram_counts");
    if (n.hasAttr("pool_strings")) n.fail("n-grams of strings are not supported");
    std::vector<Grams> all;
    for (size_t i = 0; i < starts.size(); ++i) {
        const int begin = starts[i], end = i + 1 < starts.size() ? starts[i + 1] : static_cast<int>(pool.size());
        Grams grams;
        grams.length = static_cast<int>(i) + 1;
        if (begin < 0 || end < begin || end > static_cast<int>(pool.size()) || (end - begin) % grams.length != 0)
            n.fail("ngram_counts do not divide the pool of " + std::to_string(pool.size()) + " numbers");
        grams.pool.assign(pool.begin() + begin, pool.begin() + end);
        all.push_back(std::move(grams));
    }
    return all;
}

// How often each of the n-grams occurs in x [N, C] with its members `step` apart: [N, grams].
Value occurrences(Builder& b, Value x, const Grams& grams, int step) {
    Value all = kNone;
    for (int i = 0; i < grams.length; ++i) {
        const int after = (grams.length - 1 - i) * step;
        const Value part = b.slice(x, {i * step}, {after == 0 ? INT32_MAX : -after}, {1}, {1});
        std::vector<int> wanted(grams.count());
        for (int g = 0; g < grams.count(); ++g) wanted[g] = grams.pool[static_cast<size_t>(g) * grams.length + i];
        const Value equal = b.binary(BinaryOpOperation_EQUAL, b.unsqueeze(part, {1}), b.unsqueeze(b.ints(wanted), {1}));
        const Value here = b.cast(equal, DataType_DT_FLOAT);
        all = i == 0 ? here : b.mul(all, here);
    }
    return b.reduce(ReductionType_SUM, all, {2}, false);
}

// The counts of some n-grams in the columns that ngram_indexes gives them; all other columns are 0.
Value placeColumns(Node& n, Value counts, const std::vector<int>& places, int columns) {
    Builder& b = n.b;
    std::vector<int> source(columns, static_cast<int>(places.size()));
    for (size_t g = 0; g < places.size(); ++g) source[places[g]] = static_cast<int>(g);
    const Value none = b.mul(b.slice(counts, {0}, {1}, {1}, {1}), b.real(0));
    return b.gather(b.concat({counts, none}, 1), b.ints(source), 1);
}

int columnsOf(const Node& n, const std::vector<int>& indexes) {
    constexpr int kMost = 1 << 24;
    int columns = 0;
    for (int at : indexes) {
        if (at < 0 || at >= kMost) n.fail("ngram_indexes holds " + std::to_string(at) + ", which is out of range");
        columns = std::max(columns, at + 1);
    }
    return columns;
}

Value weigh(Node& n, Value counts, const std::vector<float>& weights) {
    Builder& b = n.b;
    const std::string mode = n.s("mode", "TF");
    if (mode == "IDF") counts = b.binary(BinaryOpOperation_MINIMUM, counts, b.real(1));
    if (mode == "TF" || weights.empty()) return counts;
    return b.mul(counts, b.reals(weights, {static_cast<int>(weights.size())}));
}

Outputs tfIdf(Node& n) {
    Builder& b = n.b;
    const int shortest = n.i("min_gram_length", 1), longest = n.i("max_gram_length", 1),
              skips = n.i("max_skip_count", 0);
    const int rank = n.rank(0);
    if (rank != 1 && rank != 2) n.fail("the input must have one or two axes");
    if (shortest < 1 || longest < shortest || skips < 0 || skips > 1000)
        n.fail("gram lengths or skips are out of range");
    const Value x = b.cast(rank == 1 ? b.unsqueeze(n.in(0), {0}) : n.in(0), DataType_DT_INT32);
    const std::vector<int> indexes = n.ints("ngram_indexes");
    const std::vector<float> weights = n.floats("weights");
    std::vector<Value> counts;
    std::vector<int> places;
    std::vector<float> used;
    size_t first = 0;
    for (const Grams& grams : readPool(n)) {
        const size_t end = first + static_cast<size_t>(grams.count());
        if (end > indexes.size() || (!weights.empty() && weights.size() != indexes.size()))
            n.fail("ngram_indexes or weights do not match the pool");
        if (grams.length >= shortest && grams.length <= longest && grams.count() > 0) {
            Value sum = occurrences(b, x, grams, 1);
            for (int s = 1; s <= skips && grams.length > 1; ++s) sum = b.add(sum, occurrences(b, x, grams, s + 1));
            counts.push_back(sum);
            places.insert(places.end(), indexes.begin() + first, indexes.begin() + end);
            if (!weights.empty()) used.insert(used.end(), weights.begin() + first, weights.begin() + end);
        }
        first = end;
    }
    if (counts.empty()) n.fail("no n-gram of the pool has a length from min_gram_length to max_gram_length");
    const Value y = placeColumns(n, weigh(n, b.concat(counts, 1), used), places, columnsOf(n, indexes));
    return {rank == 1 ? b.squeeze(y, {0}) : y};
}

const OpImporter kRows[] = {
    {"TfIdfVectorizer", 9, tfIdf},
};

}  // namespace

OpFamily textOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
