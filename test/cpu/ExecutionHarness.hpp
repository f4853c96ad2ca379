// Runs one op on the CPU backend: tensors given and read in row-major order, whatever their storage.
#ifndef MNN_TEST_CPU_EXECUTIONHARNESS_HPP
#define MNN_TEST_CPU_EXECUTIONHARNESS_HPP

#include <gtest/gtest.h>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include "backend/cpu/CPUBackend.hpp"
#include "core/Command.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {
namespace harness {

using TensorPtr = std::shared_ptr<Tensor>;
using Dims = std::vector<int>;

inline int64_t countOf(const Dims& dims) {
    int64_t n = 1;
    for (int d : dims) n *= d;
    return n;
}

// Calls body(index) for every index of dims, in row-major order.
inline void forEachIndex(const Dims& dims, const std::function<void(const Dims&)>& body) {
    Dims index(dims.size(), 0);
    for (int64_t n = countOf(dims); n > 0; --n) {
        body(index);
        for (int d = static_cast<int>(dims.size()) - 1; d >= 0 && ++index[d] == dims[d]; --d) index[d] = 0;
    }
}

inline int64_t flatOf(const Dims& dims, const Dims& index) {
    int64_t at = 0;
    for (size_t d = 0; d < dims.size(); ++d) at = at * dims[d] + index[d];
    return at;
}

// Place of row-major element i in the storage.
inline int64_t placeOf(const Tensor* t, int64_t i) {
    if (!TensorUtils::isPacked(t)) return i;
    const int64_t pack = TensorUtils::describe(t)->pack, channels = t->length(1), blocks = (channels + pack - 1) / pack;
    int64_t area = 1;
    for (int d = 2; d < t->dimensions(); ++d) area *= t->length(d);
    const int64_t s = i % area, c = i / area % channels, n = i / area / channels;
    return ((n * blocks + c / pack) * area + s) * pack + c % pack;
}

// Every byte is 0xFF: NaN as a float, -1 as an integer. pack 0: row-major.
inline TensorPtr poisoned(const Dims& dims, halide_type_t type, int pack = 0) {
    TensorPtr t(new Tensor(static_cast<int>(dims.size()), Tensor::CAFFE));
    t->buffer().type = type;
    TensorUtils::setShape(t.get(), dims);
    if (pack > 0) TensorUtils::setFormat(t.get(), MNN_DATA_FORMAT_NC4HW4, pack);
    EXPECT_TRUE(TensorUtils::allocHost(t.get()));
    std::memset(t->host<uint8_t>(), 0xFF, TensorUtils::storageBytes(t.get()));
    return t;
}

template <typename T>
TensorPtr tensorOf(const Dims& dims, const std::vector<T>& values, int pack = 0) {
    TensorPtr t = poisoned(dims, halide_type_of<T>(), pack);
    EXPECT_EQ(static_cast<int64_t>(values.size()), countOf(dims));
    for (size_t i = 0; i < values.size(); ++i) t->host<T>()[placeOf(t.get(), i)] = values[i];
    return t;
}

template <typename T>
std::vector<T> valuesIn(const TensorPtr& t) {
    std::vector<T> values(static_cast<size_t>(TensorUtils::elements(t.get())));
    for (size_t i = 0; i < values.size(); ++i) values[i] = t->host<T>()[placeOf(t.get(), i)];
    return values;
}

inline std::vector<float> uniform(int64_t n, uint32_t seed, float low = -1.0f, float high = 1.0f) {
    std::mt19937 random(seed);
    std::vector<float> values(static_cast<size_t>(n));
    for (float& v : values) v = std::uniform_real_distribution<float>(low, high)(random);
    return values;
}

inline std::vector<int> integers(int64_t n, uint32_t seed, int low, int high) {
    std::mt19937 random(seed);
    std::vector<int> values(static_cast<size_t>(n));
    for (int& v : values) v = std::uniform_int_distribution<int>(low, high)(random);
    return values;
}

template <typename Param>
OpT opOf(OpType type, Param param) {
    OpT op;
    op.type = type;
    op.name = "tested";
    op.main.Set(std::move(param));
    return op;
}

inline OpT opOf(OpType type) {
    OpT op;
    op.type = type;
    op.name = "tested";
    return op;
}

// An Extra op; attributes are added with the chained setters.
class ExtraOp {
public:
    explicit ExtraOp(const char* type) {
        mExtra.type = type;
        mExtra.engine = "MNN";
    }
    ExtraOp& i(const char* key, int value) {
        return add(key, [&](AttributeT* a) { a->i = value; });
    }
    ExtraOp& f(const char* key, float value) {
        return add(key, [&](AttributeT* a) { a->f = value; });
    }
    ExtraOp& s(const char* key, const char* value) {
        return add(key, [&](AttributeT* a) { a->s = value; });
    }
    ExtraOp& ints(const char* key, std::vector<int> values) {
        return add(key, [&](AttributeT* a) { a->list.reset(new ListValueT), a->list->i = std::move(values); });
    }
    ExtraOp& floats(const char* key, std::vector<float> values) {
        return add(key, [&](AttributeT* a) { a->list.reset(new ListValueT), a->list->f = std::move(values); });
    }
    ExtraOp& texts(const char* key, std::vector<std::string> values) {
        return add(key, [&](AttributeT* a) { a->list.reset(new ListValueT), a->list->s = std::move(values); });
    }
    OpT op() const { return opOf(OpType_Extra, mExtra); }

private:
    ExtraOp& add(const char* key, const std::function<void(AttributeT*)>& set) {
        mExtra.attr.emplace_back(new AttributeT);
        mExtra.attr.back()->key = key;
        set(mExtra.attr.back().get());
        return *this;
    }
    ExtraT mExtra;
};

// NO_ERROR, why running failed, or NO_EXECUTION when nothing was created.
inline ErrorCode runOp(const OpT& op, const std::vector<TensorPtr>& inputs, const std::vector<TensorPtr>& outputs,
                       int threads = 1) {
    Runtime::Info info;
    info.numThread = threads;
    CPURuntime runtime(info);
    std::unique_ptr<Backend> backend(runtime.onCreate(nullptr));
    const OwnedOp owned(op);
    std::vector<Tensor*> in, out;
    for (const TensorPtr& t : inputs) in.push_back(t.get());
    for (const TensorPtr& t : outputs) out.push_back(t.get());
    std::unique_ptr<Execution> execution(backend->onCreate(in, out, owned.get()));
    if (execution == nullptr) return NO_EXECUTION;
    backend->onResizeBegin();
    ErrorCode code = execution->onResize(in, out);
    if (code == NO_ERROR) code = backend->onResizeEnd();
    return code == NO_ERROR ? execution->onExecute(in, out) : code;
}

inline void expectNear(const std::vector<float>& got, const std::vector<float>& want, float tolerance,
                       const std::string& what = "") {
    ASSERT_EQ(got.size(), want.size()) << what;
    for (size_t i = 0; i < got.size(); ++i) {
        if (got[i] == want[i]) continue;
        ASSERT_NEAR(got[i], want[i], tolerance * (1.0f + std::abs(want[i]))) << what << " at " << i;
    }
}

}  // namespace harness
}  // namespace MNN
#endif
