// A shape case: an op, its inputs, and the shapes it must give, or that it must be refused.
#ifndef MNN_TEST_SHAPE_SHAPETEST_HPP
#define MNN_TEST_SHAPE_SHAPETEST_HPP

#include <gtest/gtest.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "shape/Shape.hpp"

namespace MNN {
namespace test {

using Shape = std::vector<int>;

struct In {
    Shape dims;
    halide_type_t type = halide_type_of<float>();
    MNN_DATA_FORMAT format = MNN_DATA_FORMAT_NCHW;
    std::vector<int> ints;      // content when type is int32
    std::vector<float> floats;  // content when type is float

    In(Shape d) : dims(std::move(d)) {}
    In(std::initializer_list<int> d) : dims(d) {}
    static In ofInts(std::vector<int> values) { return ofInts({static_cast<int>(values.size())}, values); }
    static In ofInts(Shape d, std::vector<int> values);
    static In ofFloats(std::vector<float> values) { return ofFloats({static_cast<int>(values.size())}, values); }
    static In ofFloats(Shape d, std::vector<float> values);
    static In scalar(int value) { return ofInts({}, {value}); }
    static In nhwc(Shape d);
    In as(halide_type_t t) const;
};

struct Result {
    bool ok = false;
    std::vector<Shape> shapes;
    std::vector<halide_type_t> types;
    std::vector<MNN_DATA_FORMAT> formats;
    std::string message;
    float mflops = 0.0f;
};

using Edit = std::function<void(OpT*)>;

// Runs the rule of an op built by `edit` (which sets main).
Result inferOp(OpType type, const Edit& edit, const std::vector<In>& inputs, int outputs = 1);

// Sets the parameter table: param<ReluT>(OpParameter_Relu, [](ReluT* p) { ... }).
template <typename T>
Edit param(OpParameter kind, std::function<void(T*)> edit = nullptr) {
    return [=](OpT* op) {
        auto* p = new T;
        if (edit) edit(p);
        op->main.type = kind;
        op->main.value = p;
    };
}

// An Extra op of the engine "MNN". Attributes are integers, lists of integers or strings.
struct Attr {
    std::string key;
    int i = 0;
    Shape list;
    std::string s;
    Attr(const char* k, int v) : key(k), i(v) {}
    Attr(const char* k, Shape v) : key(k), list(std::move(v)) {}
    Attr(const char* k, const char* v) : key(k), s(v) {}
};
Edit extraOp(const std::string& type, std::vector<Attr> attributes = {}, const std::string& engine = "MNN");

struct Case {
    std::string name;
    OpType type;
    Edit edit;
    std::vector<In> inputs;
    std::vector<Shape> want;  // empty: the op must be refused
};
void check(const std::vector<Case>& cases);

const std::vector<Shape> kRefused;

}  // namespace test
}  // namespace MNN
#endif
