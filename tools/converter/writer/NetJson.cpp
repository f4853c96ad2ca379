#include "writer/NetJson.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "MNN_bfbs_generated.h"
#include "flatbuffers/idl.h"
#include "flatbuffers/minireflect.h"
#include "writer/TempFile.hpp"

namespace MNN {
namespace Converter {

namespace {

// Floats with all their digits, so that reading them back gives the same bits.
struct ExactText : flatbuffers::ToStringVisitor {
    ExactText() : ToStringVisitor("\n", true, "  ", true) {}
    void Float(float x) override { number(static_cast<double>(x), "%.9g"); }
    void Double(double x) override { number(x, "%.17g"); }

private:
    void number(double x, const char* format) {
        char text[32];
        std::snprintf(text, sizeof(text), format, x);
        // JSON has no word for these; the parser takes them.
        s += std::isnan(x) ? "nan" : text;
    }
};

}  // namespace

void writeNetJson(const NetT& net, const std::string& path) {
    flatbuffers::FlatBufferBuilder builder;
    builder.ForceDefaults(true);
    builder.Finish(Net::Pack(builder, &net));
    ExactText text;
    flatbuffers::IterateFlatBuffer(builder.GetBufferPointer(), NetTypeTable(), &text);
    writeWholeFile(path, text.s + "\n");
}

std::unique_ptr<NetT> readNetJson(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw ConvertError("cannot open '" + path + "'");
    return parseNetJson({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, path);
}

std::unique_ptr<NetT> parseNetJson(const std::string& text, const std::string& path) {
    flatbuffers::IDLOptions options;
    options.force_defaults = true;
    options.skip_unexpected_fields_in_json = true;
    flatbuffers::Parser parser(options);
    if (!parser.Deserialize(NetBinarySchema::data(), NetBinarySchema::size()))
        throw ConvertError("the schema built into this converter cannot be read");
    if (!parser.Parse(text.c_str(), nullptr, path.c_str())) throw ConvertError("not a net in JSON: " + parser.error_);
    const auto& builder = parser.builder_;
    const ConvertError none("'" + path + "' holds no net");
    // The builder's bytes may be asked for only when there are any.
    if (builder.GetSize() == 0) throw none;
    flatbuffers::Verifier verifier(builder.GetBufferPointer(), builder.GetSize(), 64, 10000000);
    if (!verifier.VerifyBuffer<Net>(nullptr)) throw none;
    std::unique_ptr<NetT> net(flatbuffers::GetRoot<Net>(builder.GetBufferPointer())->UnPack());
    if (net->oplists.empty()) throw none;
    return net;
}

}  // namespace Converter
}  // namespace MNN
