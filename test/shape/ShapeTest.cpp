#include "ShapeTest.hpp"

#include <MNN/Log.hpp>
#include <cstring>

namespace MNN {
namespace test {

In In::ofInts(Shape d, std::vector<int> values) {
    In in(std::move(d));
    in.type = halide_type_of<int32_t>();
    in.ints = std::move(values);
    return in;
}
In In::ofFloats(Shape d, std::vector<float> values) {
    In in(std::move(d));
    in.floats = std::move(values);
    return in;
}
In In::nhwc(Shape d) {
    In in(std::move(d));
    in.format = MNN_DATA_FORMAT_NHWC;
    return in;
}
In In::as(halide_type_t t) const {
    In in = *this;
    in.type = t;
    return in;
}

namespace {
std::unique_ptr<Tensor> makeTensor(const In& in) {
    std::unique_ptr<Tensor> t(new Tensor(0));
    shape::set(t.get(), in.dims, in.type, in.format);
    if (in.ints.empty() && in.floats.empty()) return t;
    EXPECT_TRUE(TensorUtils::allocHost(t.get()));
    if (!in.ints.empty()) memcpy(t->host<int>(), in.ints.data(), in.ints.size() * sizeof(int));
    if (!in.floats.empty()) memcpy(t->host<float>(), in.floats.data(), in.floats.size() * sizeof(float));
    return t;
}
void collect(int, const char* message, void* user) { *static_cast<std::string*>(user) += message; }
}  // namespace

Result inferOp(OpType type, const Edit& edit, const std::vector<In>& inputs, int outputs) {
    OpT object;
    object.type = type;
    object.name = "node";
    if (edit) edit(&object);
    std::vector<std::unique_ptr<Tensor>> holders;
    Tensors ins, outs;
    for (const In& in : inputs) {
        object.inputIndexes.push_back(static_cast<int>(ins.size()));
        holders.push_back(makeTensor(in));
        ins.push_back(holders.back().get());
    }
    for (int i = 0; i < outputs; ++i) {
        holders.emplace_back(new Tensor(0));
        outs.push_back(holders.back().get());
    }
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(CreateOp(builder, &object));
    const Op* op = flatbuffers::GetRoot<Op>(builder.GetBufferPointer());
    Result result;
    MNNSetLogCallback(collect, &result.message);
    result.ok = inferShape(op, ins, outs);
    MNNSetLogCallback(nullptr, nullptr);
    if (!result.ok) return result;
    result.mflops = opFlops(op, ins, outs);
    for (const Tensor* t : outs) {
        result.shapes.push_back(t->shape());
        result.types.push_back(t->getType());
        result.formats.push_back(TensorUtils::describe(t)->format);
    }
    return result;
}

Edit extraOp(const std::string& type, std::vector<Attr> attributes, const std::string& engine) {
    return param<ExtraT>(OpParameter_Extra, [=](ExtraT* p) {
        p->type = type;
        p->engine = engine;
        for (const Attr& attribute : attributes) {
            std::unique_ptr<AttributeT> a(new AttributeT);
            a->key = attribute.key;
            a->i = attribute.i;
            a->s = attribute.s;
            if (!attribute.list.empty()) {
                a->list.reset(new ListValueT);
                a->list->i = attribute.list;
            }
            p->attr.push_back(std::move(a));
        }
    });
}

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const int outputs = c.want.empty() ? 1 : static_cast<int>(c.want.size());
        const Result r = inferOp(c.type, c.edit, c.inputs, outputs);
        if (c.want.empty()) {
            EXPECT_FALSE(r.ok);
            EXPECT_NE(r.message.find("node"), std::string::npos) << r.message;
            EXPECT_NE(r.message.find(EnumNameOpType(c.type)), std::string::npos) << r.message;
        } else {
            EXPECT_TRUE(r.ok) << r.message;
            EXPECT_EQ(r.shapes, c.want);
            EXPECT_EQ(r.message, "");
        }
    }
}

}  // namespace test
}  // namespace MNN
