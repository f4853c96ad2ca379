#include "ShapeTest.hpp"

namespace MNN {
namespace test {
namespace {

constexpr OpType kExtra = OpType_Extra;

TEST(ExtraShape, Pool) {
    const In x{1, 2, 8, 7};
    const auto pool = [](std::vector<Attr> more) {
        more.insert(more.begin(), Attr("kernel_shape", Shape{3, 3}));
        return extraOp("MaxPool", more);
    };
    check({
        {"plain", kExtra, pool({}), {x}, {{1, 2, 6, 5}}},
        {"stride, pads", kExtra, pool({{"strides", Shape{2, 2}}, {"pads", Shape{1, 0, 0, 1}}}), {x}, {{1, 2, 4, 3}}},
        {"dilated", kExtra, pool({{"dilations", Shape{2, 3}}}), {x}, {{1, 2, 4, 1}}},
        {"ceil", kExtra, pool({{"strides", Shape{2, 2}}, {"ceil_mode", 1}}), {x}, {{1, 2, 4, 3}}},
        {"same", kExtra, pool({{"strides", Shape{2, 2}}, {"auto_pad", "SAME_LOWER"}}), {x}, {{1, 2, 4, 4}}},
        {"indices", kExtra, pool({}), {x}, {{1, 2, 6, 5}, {1, 2, 6, 5}}},
        {"1-D", kExtra, extraOp("AveragePool", {{"kernel_shape", Shape{2}}}), {{1, 2, 8}}, {{1, 2, 7}}},
        {"3-D",
         kExtra,
         extraOp("AveragePool", {{"kernel_shape", Shape{2, 2, 2}}}),
         {{1, 2, 3, 4, 5}},
         {{1, 2, 2, 3, 4}}},
        {"kernel missing", kExtra, extraOp("MaxPool"), {x}, kRefused},
        {"strides short", kExtra, pool({{"strides", Shape{2}}}), {x}, kRefused},
        {"pads short", kExtra, pool({{"pads", Shape{2, 2}}}), {x}, kRefused},
        {"stride 0", kExtra, pool({{"strides", Shape{0, 1}}}), {x}, kRefused},
    });
}

TEST(ExtraShape, Recurrent) {
    const auto layer = [](const char* type, int layout, const char* direction, Shape places) {
        return extraOp(type, {{"hidden_size", 5}, {"layout", layout}, {"direction", direction}, {"inputs", places}});
    };
    const In x{7, 2, 3};
    check({
        {"lstm",
         kExtra,
         layer("LSTM", 0, "forward", {0, 1, 2}),
         {x, {1, 20, 3}, {1, 20, 5}},
         {{7, 1, 2, 5}, {1, 2, 5}, {1, 2, 5}}},
        {"lstm, first c only",
         kExtra,
         layer("LSTM", 0, "reverse", {0, 1, 2, 6}),
         {x, {1, 20, 3}, {1, 20, 5}, {1, 2, 5}},
         {{7, 1, 2, 5}, {1, 2, 5}, {1, 2, 5}}},
        {"gru both ways",
         kExtra,
         layer("GRU", 0, "bidirectional", {0, 1, 2, 3}),
         {x, {2, 15, 3}, {2, 15, 5}, {2, 30}},
         {{7, 2, 2, 5}, {2, 2, 5}}},
        {"rnn batch first",
         kExtra,
         layer("RNN", 1, "forward", {0, 1, 2}),
         {x, {1, 5, 3}, {1, 5, 5}},
         {{7, 2, 1, 5}, {7, 1, 5}}},
        {"lengths",
         kExtra,
         layer("RNN", 0, "forward", {0, 1, 2, 4}),
         {x, {1, 5, 3}, {1, 5, 5}, {2}},
         {{7, 1, 2, 5}, {1, 2, 5}}},
        {"weights", kExtra, layer("RNN", 0, "forward", {0, 1, 2}), {x, {1, 5, 4}, {1, 5, 5}}, kRefused},
        {"directions", kExtra, layer("RNN", 0, "bidirectional", {0, 1, 2}), {x, {1, 5, 3}, {1, 5, 5}}, kRefused},
        {"place", kExtra, layer("RNN", 0, "forward", {0, 1, 2, 9}), {x, {1, 5, 3}, {1, 5, 5}, {2}}, kRefused},
    });
}

TEST(ExtraShape, Resize) {
    const In x{1, 2, 4, 6};
    const auto scales = extraOp("Resize", {{"has_scales", 1}});
    const auto sizes = [](std::vector<Attr> more) {
        more.insert(more.begin(), Attr("has_sizes", 1));
        return extraOp("Resize", more);
    };
    const Attr spatial("axes", Shape{2, -1});
    check({
        {"scales", kExtra, scales, {x, In::ofFloats({1, 1, 0.6f, 2})}, {{1, 2, 2, 12}}},
        {"sizes", kExtra, sizes({}), {x, In::ofInts({1, 2, 8, 3})}, {{1, 2, 8, 3}}},
        {"axes", kExtra, sizes({spatial}), {x, In::ofInts({8, 3})}, {{1, 2, 8, 3}}},
        {"not larger",
         kExtra,
         sizes({spatial, {"keep_aspect_ratio_policy", "not_larger"}}),
         {x, In::ofInts({8, 6})},
         {{1, 2, 4, 6}}},
        {"not smaller",
         kExtra,
         sizes({spatial, {"keep_aspect_ratio_policy", "not_smaller"}}),
         {x, In::ofInts({7, 8})},
         {{1, 2, 7, 11}}},
        {"roi",
         kExtra,
         extraOp("Resize", {{"has_roi", 1}, {"has_sizes", 1}}),
         {x, {8}, In::ofInts({1, 2, 3, 3})},
         {{1, 2, 3, 3}}},
        {"count", kExtra, sizes({}), {x, In::ofInts({8, 3})}, kRefused},
        {"unknown", kExtra, scales, {x, {4}}, kRefused},
        {"nothing", kExtra, extraOp("Resize"), {x, {4}}, kRefused},
    });
}

TEST(ExtraShape, TransformsAndPatches) {
    const In offset{1, 18, 3, 3};
    check({
        {"dft", kExtra, extraOp("DFT", {{"axis", 1}}), {{2, 9, 1}}, {{2, 9, 2}}},
        {"dft onesided", kExtra, extraOp("DFT", {{"axis", 1}, {"onesided", 1}}), {{2, 9, 1}}, {{2, 5, 2}}},
        {"dft length",
         kExtra,
         extraOp("DFT", {{"axis", -2}, {"has_length", 1}}),
         {{2, 9, 2}, In::scalar(4)},
         {{2, 4, 2}}},
        {"dft last axis", kExtra, extraOp("DFT", {{"axis", -1}}), {{2, 9, 2}}, kRefused},
        {"stft window",
         kExtra,
         extraOp("STFT", {{"onesided", 1}, {"has_window", 1}}),
         {{1, 64, 1}, In::scalar(8), {16}},
         {{1, 7, 9, 2}}},
        {"stft length",
         kExtra,
         extraOp("STFT", {{"onesided", 0}, {"has_length", 1}}),
         {{1, 64, 1}, In::scalar(8), In::scalar(16)},
         {{1, 7, 16, 2}}},
        {"stft step 0", kExtra, extraOp("STFT", {{"has_window", 1}}), {{1, 64, 1}, In::scalar(0), {16}}, kRefused},
        {"col2im", kExtra, extraOp("Col2Im"), {{1, 5, 5}, In::ofInts({5, 5}), In::ofInts({1, 5})}, {{1, 1, 5, 5}}},
        {"col2im places", kExtra, extraOp("Col2Im"), {{1, 5, 6}, In::ofInts({5, 5}), In::ofInts({1, 5})}, kRefused},
        {"deform", kExtra, extraOp("DeformConv"), {{1, 4, 5, 5}, {6, 4, 3, 3}, offset}, {{1, 6, 3, 3}}},
        {"deform offset", kExtra, extraOp("DeformConv"), {{1, 4, 5, 5}, {6, 4, 2, 2}, offset}, kRefused},
        {"grid", kExtra, extraOp("GridSample", {{"mode", "cubic"}}), {{1, 3, 4, 4}, {1, 5, 6, 2}}, {{1, 3, 5, 6}}},
        {"reshape keeps zero", kExtra, extraOp("Reshape", {{"allowzero", 1}}), {{0, 4}, In::ofInts({3, 0})}, {{3, 0}}},
        {"identity", kExtra, extraOp("Identity"), {{2}}, {{2}}},
        {"unknown type", kExtra, extraOp("Frobnicate"), {{2}}, kRefused},
        {"other engine", kExtra, extraOp("Identity", {}, "ONNX"), {{2}}, kRefused},
        {"no table", kExtra, nullptr, {{2}}, kRefused},
    });
}

TEST(ExtraShape, ValuesDecide) {
    const auto boxes = In::ofFloats({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9f});
    const auto scores = In::ofFloats({1, 2, 2}, {0.9f, 0.8f, 0.1f, 0.2f});
    const auto half = In::ofFloats({}, {0.5f}), low = In::ofFloats({}, {0.0f});
    check({
        {"nms", kExtra, extraOp("NonMaxSuppression"), {boxes, scores, In::scalar(3), half, low}, {{2, 3}}},
        {"nms none", kExtra, extraOp("NonMaxSuppression"), {boxes, scores, In::scalar(0), half, low}, {{0, 3}}},
        {"unique",
         kExtra,
         extraOp("Unique", {{"sorted", 1}}),
         {In::ofInts({2, 2}, {1, 2, 1, 3})},
         {{3}, {3}, {4}, {3}}},
        {"unique rows",
         kExtra,
         extraOp("Unique", {{"axis", 0}}),
         {In::ofInts({3, 2}, {1, 2, 1, 2, 1, 3})},
         {{2, 2}, {2}, {3}, {2}}},
        {"unique axis", kExtra, extraOp("Unique", {{"axis", 2}}), {In::ofInts({3, 2}, {1, 2, 1, 2, 1, 3})}, kRefused},
    });
}

}  // namespace
}  // namespace test
}  // namespace MNN
