// Every op with every kind of parameter table, all of them empty, on inputs of many ranks: refusal or a shape, never a
// crash.
#include "ShapeTest.hpp"

#include <MNN/Log.hpp>

namespace MNN {
namespace test {
namespace {

struct Pool {
    std::vector<std::unique_ptr<Tensor>> tensors;

    Tensor* add(const Shape& dims, halide_type_t type, bool content, MNN_DATA_FORMAT format) {
        tensors.emplace_back(new Tensor(0));
        Tensor* t = tensors.back().get();
        shape::set(t, dims, type, format);
        if (content && TensorUtils::allocHost(t)) {
            for (int64_t i = 0; i < TensorUtils::elements(t); ++i) t->host<int32_t>()[i] = static_cast<int32_t>(i) - 1;
        }
        return t;
    }
};

const Op* emptyTableOp(flatbuffers::FlatBufferBuilder* builder, OpType type, int parameter) {
    flatbuffers::Offset<void> table;
    if (parameter != OpParameter_NONE) {
        const auto start = builder->StartTable();
        table = flatbuffers::Offset<void>(builder->EndTable(start));
    }
    OpBuilder op(*builder);
    op.add_type(type);
    op.add_main_type(static_cast<OpParameter>(parameter));
    if (!table.IsNull()) op.add_main(table);
    builder->Finish(op.Finish());
    return flatbuffers::GetRoot<Op>(builder->GetBufferPointer());
}

void expectLegal(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    if (!inferShape(op, inputs, outputs)) return;
    for (const Tensor* t : outputs) {
        ASSERT_LE(t->dimensions(), kMaxRank) << EnumNameOpType(op->type());
        for (int d : t->shape()) ASSERT_GE(d, 0) << EnumNameOpType(op->type());
    }
    opFlops(op, inputs, outputs);
}

TEST(ShapeRobustness, EmptyTables) {
    MNNSetLogCallback([](int, const char*, void*) {}, nullptr);
    const std::vector<Shape> shapes = {{},     {0},       {1},          {3},          {2, 3},
                                       {0, 3}, {1, 3, 4}, {1, 2, 4, 4}, {1, 0, 4, 4}, {1, 2, 4, 4, 4}};
    for (OpType type : EnumValuesOpType()) {
        for (int parameter = OpParameter_MIN; parameter <= OpParameter_MAX; ++parameter) {
            flatbuffers::FlatBufferBuilder builder;
            const Op* op = emptyTableOp(&builder, type, parameter);
            Pool pool;
            const Tensors outputs = {pool.add({}, halide_type_of<float>(), false, MNN_DATA_FORMAT_NCHW)};
            expectLegal(op, {}, outputs);
            for (size_t i = 0; i < shapes.size(); ++i) {
                if (parameter != OpParameter_NONE && (i + parameter + type) % 4 != 0)
                    continue;  // a quarter of the pairs
                const auto format = i % 2 ? MNN_DATA_FORMAT_NHWC : MNN_DATA_FORMAT_NCHW;
                Tensors inputs = {pool.add(shapes[i], halide_type_of<float>(), i % 3 == 0, format)};
                for (size_t k = 0; k < 5; ++k) {
                    expectLegal(op, inputs, outputs);
                    const Shape& next = shapes[(i * 3 + k) % shapes.size()];
                    inputs.push_back(pool.add(next, halide_type_of<int32_t>(), k % 2 == 0, format));
                }
            }
        }
    }
    MNNSetLogCallback(nullptr, nullptr);
}

}  // namespace
}  // namespace test
}  // namespace MNN
