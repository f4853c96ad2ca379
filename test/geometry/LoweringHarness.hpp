// Lowers one op and evaluates the Commands with plain loops, to compare with a definition of the op written in the
// test.
#ifndef MNN_TEST_LOWERING_HARNESS_HPP
#define MNN_TEST_LOWERING_HARNESS_HPP

#include <gtest/gtest.h>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>
#include "geometry/Geometry.hpp"
#include "geometry/GeometryUtils.hpp"

namespace MNN {
namespace test {

using Dims = std::vector<int>;
using Values = std::vector<float>;

int64_t count(const Dims& dims);
// All indices of dims in row-major order.
void forEachIndex(const Dims& dims, const std::function<void(const Dims&)>& body);
int64_t flat(const Dims& dims, const Dims& index);

class Harness {
public:
    explicit Harness(int pack = 8);

    // Inputs. Row-major values; `pack` > 1 stores them in NC4HW4 with poisoned lanes.
    Tensor* input(const Dims& dims, const Values& values, int pack = 1, halide_type_t type = halide_type_of<float>());
    // A constant that lowerings may read.
    Tensor* constant(const Dims& dims, const std::vector<int>& values);
    Tensor* constantFloats(const Dims& dims, const Values& values);
    Tensor* output(const Dims& dims, halide_type_t type = halide_type_of<float>());
    // 1, 2, 3, ...
    static Values ramp(const Dims& dims);
    static Values noise(const Dims& dims, uint32_t seed, float low = -1.0f, float high = 1.0f);

    bool lower(const OpT& op, const Tensors& inputs, const Tensors& outputs);
    // Runs the commands; row-major elements of t.
    Values read(Tensor* t);
    int commands(OpType type) const;
    GeometryContext& context() { return *mContext; }

private:
    const Values& storage(Tensor* t);
    Values rowMajor(Tensor* t);
    void write(Tensor* t, const Values& rowMajorValues);
    void run(const Command& command);
    void topK(const Command& command, const Values& x);

    CommandBuffer mBuffer;
    std::unique_ptr<GeometryContext> mContext;
    std::vector<std::shared_ptr<Tensor>> mTensors;
    std::vector<std::shared_ptr<OwnedOp>> mOps;
    std::map<Tensor*, Values> mStorage;
    size_t mRun = 0;
};

void expectNear(const Values& got, const Values& want, float tolerance = 0.0f);

}  // namespace test
}  // namespace MNN
#endif
