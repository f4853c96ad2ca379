#include "onnx/OnnxNode.hpp"

#include <algorithm>

#include "graph/BlobView.hpp"

namespace MNN {
namespace Converter {

Value Node::in(size_t i) const {
    if (!has(i)) fail("input " + std::to_string(i) + " is required");
    return mInputs[i];
}

const std::vector<Value>& Node::all() const {
    if (mInputs.empty()) fail("needs at least one input");
    for (size_t i = 0; i < mInputs.size(); ++i) in(i);
    return mInputs;
}

const onnx::AttributeProto* Node::find(const char* key) const {
    for (const auto& attr : mNode.attribute()) {
        if (attr.name() == key) return &attr;
    }
    return nullptr;
}

static int clampInt(int64_t value) {
    return static_cast<int>(std::min<int64_t>(std::max<int64_t>(value, INT32_MIN), INT32_MAX));
}

int Node::i(const char* key, int64_t fallback) const {
    const auto* attr = find(key);
    return clampInt(attr ? attr->i() : fallback);
}

float Node::f(const char* key, float fallback) const {
    const auto* attr = find(key);
    return attr ? attr->f() : fallback;
}

std::string Node::s(const char* key, const char* fallback) const {
    const auto* attr = find(key);
    return attr ? attr->s() : fallback;
}

std::vector<int> Node::ints(const char* key) const {
    std::vector<int> values;
    if (const auto* attr = find(key)) {
        for (int64_t v : attr->ints()) values.push_back(clampInt(v));
    }
    return values;
}

std::vector<float> Node::floats(const char* key) const {
    const auto* attr = find(key);
    return attr ? std::vector<float>(attr->floats().begin(), attr->floats().end()) : std::vector<float>();
}

std::vector<std::string> Node::strings(const char* key) const {
    const auto* attr = find(key);
    return attr ? std::vector<std::string>(attr->strings().begin(), attr->strings().end()) : std::vector<std::string>();
}

bool Node::tensor(const char* key, BlobT& blob, DataType& sourceType) const {
    const auto* attr = find(key);
    if (!attr || !attr->has_t()) return false;
    blob = decodeTensor(attr->t(), mModel.path, std::string("attribute '") + key + "'");
    sourceType = dataTypeOf(attr->t().data_type());
    return true;
}

const onnx::GraphProto& Node::graphOf(const char* key) const {
    const auto* attr = find(key);
    if (!attr || !attr->has_g()) fail(std::string("attribute '") + key + "' must be a graph");
    return attr->g();
}

InnerGraph Node::innerGraph(const char* key, const std::vector<TensorInfo>& parameters,
                            const GraphImporter::Prologue& prologue) const {
    return mGraphs.apart(key, graphOf(key), parameters, prologue);
}

Outputs Node::inlinedGraph(const char* key) const { return mGraphs.inlined(graphOf(key)); }

std::vector<int> Node::constInts(size_t i) const {
    const BlobT* blob = b.constantOf(in(i));
    if (!blob) fail("input " + std::to_string(i) + " must be a constant here; it is computed at run time");
    const BlobView view(*blob);
    std::vector<int> values(view.count);
    for (size_t k = 0; k < view.count; ++k) values[k] = clampInt(view.intAt(k));
    return values;
}

std::vector<float> Node::constFloats(size_t i) const {
    const BlobT* blob = b.constantOf(in(i));
    if (!blob) fail("input " + std::to_string(i) + " must be a constant here; it is computed at run time");
    const BlobView view(*blob);
    std::vector<float> values(view.count);
    for (size_t k = 0; k < view.count; ++k) values[k] = static_cast<float>(view.at(k));
    return values;
}

int Node::rank(size_t i) const {
    if (!b.rankKnown(in(i)))
        fail("the rank of input " + std::to_string(i) + " ('" + b.info(in(i)).name +
             "') is not known; run shape inference on the model, or give its inputs a shape");
    return b.rank(in(i));
}

int Node::axis(const char* key, int64_t fallback, int rank) const {
    const int given = i(key, fallback);
    const int value = given < 0 ? given + rank : given;
    if (value < 0 || value >= rank)
        fail("axis " + std::to_string(given) + " is outside the " + std::to_string(rank) + " axes of the input");
    return value;
}

static size_t editDistance(const std::string& a, const std::string& b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t change = diagonal + (std::tolower(a[i - 1]) != std::tolower(b[j - 1]));
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row[b.size()];
}

const OpImporter* findImporter(const std::string& domain, const std::string& op, int opset) {
    const OpImporter* best = nullptr;
    const std::string name = domain.empty() ? op : domain + "::" + op;
    for (const OpFamily& family : opFamilies()) {
        for (size_t i = 0; i < family.count; ++i) {
            const OpImporter& row = family.rows[i];
            if (name == row.op && row.since <= opset && (!best || row.since > best->since)) best = &row;
        }
    }
    return best;
}

std::vector<std::string> supportedOps() {
    std::vector<std::string> names;
    for (const OpFamily& family : opFamilies()) {
        for (size_t i = 0; i < family.count; ++i) names.push_back(family.rows[i].op);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::string nearestOp(const std::string& op) {
    std::string best;
    size_t distance = SIZE_MAX;
    for (const std::string& name : supportedOps()) {
        const size_t d = editDistance(op, name);
        if (d < distance) {
            distance = d;
            best = name;
        }
    }
    return best;
}

}  // namespace Converter
}  // namespace MNN
