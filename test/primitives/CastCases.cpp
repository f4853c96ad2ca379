#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

MNN::DataType schemaType(Type type) {
    const MNN::DataType types[] = {MNN::DataType_DT_FLOAT, MNN::DataType_DT_INT32, MNN::DataType_DT_INT8,
                                   MNN::DataType_DT_UINT8};
    return types[static_cast<int>(type)];
}

// Toward zero, in range.
Case castCase(Array x, Type to) {
    Case c;
    c.title = "Cast to " + textOf(Array{to, {}, {}}).substr(0, textOf(Array{to, {}, {}}).find('['));
    const Type from = x.type;
    c.inputs = {plain(std::move(x))};
    c.build = [from, to](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::CastParamT;
        param->srcT = schemaType(from);
        param->dstT = schemaType(to);
        net.add(MNN::OpType_Cast, "y", in, MNN::OpParameter_CastParam, param);
    };
    c.reference = [to](const std::vector<Array>& in) {
        Array y = in[0];
        y.type = to;
        for (double& v : y.values) v = to == Type::Float ? v : std::trunc(v);
        return std::vector<Array>{y};
    };
    return c;
}

Case toBoolCase(Array x) {
    Case c = castCase(std::move(x), Type::Int);
    c.title = "Cast to bool";
    const MNN::DataType from = schemaType(c.inputs[0].array.type);
    c.build = [from](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::CastParamT;
        param->srcT = from;
        param->dstT = MNN::DataType_DT_BOOL;
        net.add(MNN::OpType_Cast, "y", in, MNN::OpParameter_CastParam, param);
    };
    c.reference = [](const std::vector<Array>& in) {
        Array y = in[0];
        y.type = Type::Int;
        for (double& v : y.values) v = v != 0 ? 1 : 0;
        return std::vector<Array>{y};
    };
    return c;
}

}  // namespace

void castCases(const Visit& visit) {
    Random random(6);
    const auto values = [&](Type type, Type to, const Shape& shape) {
        const bool isUnsigned = type == Type::Uint8 || to == Type::Uint8;
        return type == Type::Float ? random.floats(shape, isUnsigned ? 0 : -7, 7)
                                   : random.ints(shape, isUnsigned ? 0 : -100, 100, type);
    };
    for (Type from : {Type::Float, Type::Int, Type::Int8, Type::Uint8}) {
        for (Type to : {Type::Float, Type::Int, Type::Int8, Type::Uint8}) {
            for (int n : edgeSizes()) visit(castCase(values(from, to, {n}), to));
            visitFronts(castCase(values(from, to, {2, 5, 3, 3}), to), visit);
            visitFronts(castCase(values(from, to, {3, 17}), to), visit);
            visit(castCase(values(from, to, {70001}), to));
        }
        visitFronts(toBoolCase(values(from, Type::Int, {2, 17})), visit);
        visitFronts(toBoolCase(values(from, Type::Int, {2, 5, 3, 3})), visit);
    }
}

}  // namespace mnn_primitives
