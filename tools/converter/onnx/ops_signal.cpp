// Spectra and windows.
#include <cmath>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

constexpr double kPi = 3.14159265358979323846;

Outputs dft(Node& n) {
    Builder& b = n.b;
    int axis = n.i("axis", 1);
    if (n.opset >= 20) axis = n.has(2) ? n.constInts(2).at(0) : -2;
    std::vector<Value> in = {n.in(0)};
    if (n.has(1)) in.push_back(b.reshape(n.in(1), {}));
    return b.extra("DFT",
                   {ExtraAttr::integer("axis", axis), ExtraAttr::integer("inverse", n.i("inverse", 0)),
                    ExtraAttr::integer("onesided", n.i("onesided", 0)), ExtraAttr::integer("has_length", n.has(1))},
                   in, {n.type()});
}

Outputs stft(Node& n) {
    Builder& b = n.b;
    std::vector<Value> in = {n.in(0), b.reshape(n.in(1), {})};
    if (n.has(2)) in.push_back(n.in(2));
    if (n.has(3)) in.push_back(b.reshape(n.in(3), {}));
    return b.extra("STFT",
                   {ExtraAttr::integer("onesided", n.i("onesided", 1)), ExtraAttr::integer("has_window", n.has(2)),
                    ExtraAttr::integer("has_length", n.has(3))},
                   in, {n.type()});
}

// a0 + a1 cos(t) + a2 cos(2 t) with t from 0 over `size` points; a periodic window is one point short of closing.
Outputs cosineWindow(Node& n, float a0, float a1, float a2) {
    Builder& b = n.b;
    const Value size = b.reshape(b.cast(n.in(0), DataType_DT_INT64), {});
    const Value points =
        b.cast(b.op(OpType_Range, RangeT(), {b.integer(0), size, b.integer(1)}, DataType_DT_INT32), DataType_DT_FLOAT);
    const Value span = b.cast(size, DataType_DT_FLOAT);
    const bool periodic = n.i("periodic", 1) != 0;
    const Value angle =
        b.div(b.mul(points, b.real(static_cast<float>(2 * kPi))), periodic ? span : b.sub(span, b.real(1)));
    Value window = b.add(b.mul(b.unary(UnaryOpOperation_COS, angle), b.real(a1)), b.real(a0));
    if (a2 != 0.0f) {
        const Value second = b.unary(UnaryOpOperation_COS, b.mul(angle, b.real(2)));
        window = b.add(window, b.mul(second, b.real(a2)));
    }
    return {b.cast(window, dataTypeOf(n.i("output_datatype", 1)))};
}

Outputs hann(Node& n) { return cosineWindow(n, 0.5f, -0.5f, 0); }
Outputs hamming(Node& n) { return cosineWindow(n, 25.0f / 46.0f, -21.0f / 46.0f, 0); }
Outputs blackman(Node& n) { return cosineWindow(n, 0.42f, -0.5f, 0.08f); }

double hertzToMel(double hertz) { return 2595.0 * std::log10(1.0 + hertz / 700.0); }
double melToHertz(double mel) { return 700.0 * (std::pow(10.0, mel / 2595.0) - 1.0); }

// The same matrix by arithmetic of the run time: rows go down, mel bins across.
Outputs melWeightFormula(Node& n) {
    Builder& b = n.b;
    const auto scalar = [&](size_t i, DataType type) { return b.reshape(b.cast(n.in(i), type), {}); };
    const auto range = [&](Value count) {
        return b.op(OpType_Range, RangeT(), {b.integer(0), count, b.integer(1)}, DataType_DT_INT32);
    };
    const auto mel = [&](Value hertz) {
        const Value ratio = b.add(b.mul(hertz, b.real(1.0f / 700.0f)), b.real(1));
        return b.mul(b.unary(UnaryOpOperation_LOG, ratio), b.real(static_cast<float>(2595.0 / std::log(10.0))));
    };
    const Value bins = scalar(0, DataType_DT_INT32), length = scalar(1, DataType_DT_INT32);
    const Value rate = scalar(2, DataType_DT_FLOAT);
    const Value low = mel(scalar(3, DataType_DT_FLOAT)), high = mel(scalar(4, DataType_DT_FLOAT));
    const Value points = b.add(bins, b.integer(2));
    const Value step = b.div(b.sub(high, low), b.cast(points, DataType_DT_FLOAT));
    const Value mels = b.add(b.mul(b.cast(range(points), DataType_DT_FLOAT), step), low);
    const Value grown = b.unary(UnaryOpOperation_EXP, b.mul(mels, b.real(static_cast<float>(std::log(10.0) / 2595.0))));
    const Value hertz = b.mul(b.sub(grown, b.real(1)), b.real(700));
    const Value perHertz = b.div(b.cast(b.add(length, b.integer(1)), DataType_DT_FLOAT), rate);
    const Value edges = b.unary(UnaryOpOperation_FLOOR, b.mul(hertz, perHertz));
    const auto from = [&](int first) {
        return b.sliceAxis(edges, 0, b.ints({first}), b.reshape(b.add(bins, b.integer(first)), {1}));
    };
    const Value begin = from(0), centre = from(1), end = from(2);
    const Value half = b.binary(BinaryOpOperation_FLOORDIV, length, b.integer(2));
    const Value row = b.unsqueeze(b.cast(range(b.add(half, b.integer(1))), DataType_DT_FLOAT), {1});
    const auto slope = [&](Value rise, Value width) {
        return b.div(rise, b.binary(BinaryOpOperation_MAXIMUM, width, b.real(1)));
    };
    const Value up = slope(b.sub(row, begin), b.sub(centre, begin)), down = slope(b.sub(end, row), b.sub(end, centre));
    const Value side = b.select(b.binary(BinaryOpOperation_LESS, row, centre), up, down);
    const Value peak = b.cast(b.binary(BinaryOpOperation_EQUAL, row, centre), DataType_DT_FLOAT);
    return {b.binary(BinaryOpOperation_MAXIMUM, side, peak)};
}

// Triangles between neighbouring mel points, as a constant [bins of the spectrum, mel bins].
Outputs melWeightMatrix(Node& n) {
    for (size_t i = 0; i < 5; ++i) {
        if (!n.isConstant(i)) return melWeightFormula(n);
    }
    const int bins = n.constInts(0).at(0), length = n.constInts(1).at(0), rate = n.constInts(2).at(0);
    const double low = hertzToMel(n.constFloats(3).at(0)), high = hertzToMel(n.constFloats(4).at(0));
    if (bins < 1 || bins > (1 << 16) || length < 1 || length > (1 << 16) || rate < 1)
        n.fail("num_mel_bins, dft_length and sample_rate must be positive and of a sensible size");
    const int rows = length / 2 + 1;
    if (static_cast<int64_t>(rows) * bins > (1 << 26)) n.fail("the matrix is too large");
    std::vector<int> points(bins + 2);
    for (int i = 0; i < bins + 2; ++i) {
        const double hertz = melToHertz(low + i * (high - low) / (bins + 2));
        points[i] = static_cast<int>(std::floor((length + 1) * hertz / rate));
    }
    std::vector<float> weights(static_cast<size_t>(rows) * bins, 0.0f);
    for (int i = 0; i < bins; ++i) {
        const int begin = points[i], centre = points[i + 1], end = points[i + 2];
        if (begin < 0 || end > rows) n.fail("the edges lie outside the spectrum");
        if (begin == centre && centre < rows) weights[static_cast<size_t>(centre) * bins + i] = 1.0f;
        for (int j = begin; j <= centre && j < rows && centre > begin; ++j)
            weights[static_cast<size_t>(j) * bins + i] =
                static_cast<float>(j - begin) / static_cast<float>(centre - begin);
        for (int j = centre; j < end; ++j)
            weights[static_cast<size_t>(j) * bins + i] = static_cast<float>(end - j) / static_cast<float>(end - centre);
    }
    return {n.b.reals(weights, {rows, bins})};
}

const OpImporter kRows[] = {
    {"DFT", 17, dft},
    {"STFT", 17, stft},
    {"HannWindow", 17, hann},
    {"HammingWindow", 17, hamming},
    {"BlackmanWindow", 17, blackman},
    {"MelWeightMatrix", 17, melWeightMatrix},
};

}  // namespace

OpFamily signalOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
