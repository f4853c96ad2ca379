#include "Runner.hpp"

#include <MNN/Log.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>
#include "Compare.hpp"
#include "core/Backend.hpp"
#include "core/TensorUtils.hpp"

namespace mnn_primitives {

using mnn_test::NetBuilder;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

MNN::DataType schemaType(Type type) {
    switch (type) {
        case Type::Float:
            return MNN::DataType_DT_FLOAT;
        case Type::Int:
            return MNN::DataType_DT_INT32;
        case Type::Int8:
            return MNN::DataType_DT_INT8;
        case Type::Uint8:
            return MNN::DataType_DT_UINT8;
    }
    return MNN::DataType_DT_INVALID;
}

std::string addConstant(NetBuilder& net, const std::string& name, const Array& array) {
    return array.type == Type::Float ? net.constant(name, array.shape, floatsOf(array))
                                     : net.constantInts(name, array.shape, intsOf(array));
}

// Adds inputs and what stands in front of them to a net.
class Feeder {
public:
    Feeder(NetBuilder& net, std::map<std::string, Array>& feeds) : mNet(net), mFeeds(feeds) {}

    // The name of the tensor that holds the input's array.
    std::string add(const std::string& name, const Input& input) {
        if (input.constant) return addConstant(mNet, name, input.array);
        switch (input.front) {
            case Front::None:
                return feed(name, input.array);
            case Front::Packed:
                return feed(name, input.array, MNN::MNN_DATA_FORMAT_NC4HW4);
            case Front::Pooled:
                return pooled(name, input.array);
            case Front::Permute:
                return permuted(name, input.array);
            case Front::Slice:
                return slicedFrom(name, input.array);
            case Front::Concat:
                return joined(name, input.array);
        }
        return name;
    }

private:
    std::string feed(const std::string& name, const Array& array,
                     MNN::MNN_DATA_FORMAT format = MNN::MNN_DATA_FORMAT_NCHW) {
        mFeeds[name] = array;
        return mNet.input(name, array.shape, schemaType(array.type), format);
    }
    std::string pooled(const std::string& name, const Array& array) {
        auto* pool = new MNN::PoolT;
        pool->kernelX = pool->kernelY = pool->strideX = pool->strideY = 1;
        return mNet.add(MNN::OpType_Pooling, name + "_pooled", {feed(name, array)}, MNN::OpParameter_Pool, pool);
    }
    std::string permuted(const std::string& name, const Array& array) {
        const int rank = static_cast<int>(array.shape.size());
        std::vector<int> forward = {rank - 1}, back;
        for (int d = 0; d + 1 < rank; ++d) forward.push_back(d), back.push_back(d + 1);
        back.push_back(0);
        return mNet.permute(name + "_permuted", back, feed(name, transposed(array, forward)));
    }
    std::string slicedFrom(const std::string& name, const Array& array) {
        const int axis = array.shape.size() > 1 ? 1 : 0, before = 1, behind = 2;
        Shape longer = array.shape;
        longer[axis] += before + behind;
        const double around = array.type == Type::Float ? kNaN : 77;
        const Array source = generate(array.type, longer, [&](Index at) {
            at[axis] -= before;
            if (at[axis] < 0 || at[axis] >= array.shape[axis]) return around;
            return array.at(at);
        });
        auto* slice = new MNN::SliceT;
        slice->axis = axis;
        slice->slicePoints = {before, array.shape[axis], behind};
        slice->sourceType = MNN::NetSource_ONNX;
        const std::vector<std::string> parts = {name + "_before", name + "_sliced", name + "_behind"};
        mNet.addMany(MNN::OpType_Slice, name + "_slice", {feed(name, source)}, parts, MNN::OpParameter_Slice, slice);
        return parts[1];
    }
    std::string joined(const std::string& name, const Array& array) {
        const int axis = array.shape.size() > 1 && array.shape[1] > 1 ? 1 : 0;
        const int first = array.shape[axis] / 2, second = array.shape[axis] - first;
        return mNet.concat(
            name + "_joined", axis,
            {feed(name + "_0", sliced(array, axis, 0, first)), feed(name + "_1", sliced(array, axis, first, second))});
    }
    NetBuilder& mNet;
    std::map<std::string, Array>& mFeeds;
};

void capture(int level, const char* message, void* user) {
    if (level < MNN_LOG_ERROR) return;
    std::string& log = *static_cast<std::string*>(user);
    log += (log.empty() ? "" : "; ") + std::string(message);
}

bool contains(const std::string& text, const std::string& part) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

Outcome failed(std::string why) { return {Verdict::Failed, std::move(why)}; }

}  // namespace

std::string missing(MNNForwardType backend) {
    const MNN::BackendEntry* entry = MNN::findBackend(backend);
    if (entry == nullptr) return "not in this build";
    MNN::Runtime::Info info;
    info.type = backend;
    info.numThread = 1;
    std::string why;
    const std::unique_ptr<MNN::Runtime> runtime(entry->create(info, &why));
    return runtime != nullptr ? "" : why.empty() ? "cannot be created" : why;
}

Runner::Runner(const RunOptions& options) : mOptions(options) {
    mConfig.precision = options.precision;
    mSchedule.type = options.backend;
    mSchedule.numThread = options.threads;
    mSchedule.backendConfig = &mConfig;
    MNNSetLogCallback(capture, &mLog);
    mRuntime = MNN::Interpreter::createRuntime({mSchedule});
}

Runner::~Runner() { MNNSetLogCallback(nullptr, nullptr); }

Outcome Runner::run(const Case& c) {
    mLog.clear();
    NetBuilder net;
    std::map<std::string, Array> feeds;
    std::vector<std::string> names;
    Feeder feeder(net, feeds);
    for (size_t i = 0; i < c.inputs.size(); ++i) names.push_back(feeder.add("x" + std::to_string(i), c.inputs[i]));
    c.build(net, names);
    for (const std::string& output : c.outputs) net.output(output);
    const std::unique_ptr<MNN::Interpreter> interpreter = net.interpreter();
    if (interpreter == nullptr) return failed("the model is refused: " + mLog);
    Outcome outcome = runNet(interpreter.get(), c, feeds);
    if (outcome.verdict == Verdict::Failed && !mLog.empty()) outcome.detail += " (" + mLog + ")";
    return outcome;
}

Outcome Runner::runNet(MNN::Interpreter* net, const Case& c, const std::map<std::string, Array>& feeds) {
    MNN::Session* session = net->createSession(mSchedule, mRuntime);
    if (session == nullptr) return failed("no session");
    std::vector<MNN::Tensor*> outputs;
    for (const std::string& name : c.outputs) {
        outputs.push_back(net->getSessionOutput(session, name.c_str()));
        if (outputs.back() == nullptr) return failed("no output '" + name + "'");
        // Memory of outputs may also serve inputs, so it is poisoned before they are written. An output whose shape
        // depends on values has none yet.
        if (!outputs.back()->shape().empty() || outputs.back()->host<void>() != nullptr) poison(outputs.back());
    }
    for (const auto& feed : feeds) {
        if (!write(net->getSessionInput(session, feed.first.c_str()), feed.second)) return failed("input refused");
    }
    // Commands of other backends mean that this one does not run the primitive on its own.
    std::set<std::string> foreign;
    const MNN::TensorCallBackWithInfo before = [](const std::vector<MNN::Tensor*>&, const MNN::OperatorInfo*) {
        return true;
    };
    const MNN::TensorCallBackWithInfo after = [&](const std::vector<MNN::Tensor*>& tensors,
                                                  const MNN::OperatorInfo* info) {
        for (const MNN::Tensor* t : tensors) {
            const MNN::Backend* home = MNN::TensorUtils::describe(t)->backend;
            if (home != nullptr && home->type() != mOptions.backend) foreign.insert(info->type());
        }
        return true;
    };
    const MNN::ErrorCode code = net->runSessionWithCallBackInfo(session, before, after);
    if (code != MNN::NO_ERROR) return failed("error " + std::to_string(code));
    std::vector<Array> inputs;
    for (const Input& input : c.inputs) inputs.push_back(input.array);
    const std::vector<Array> wants = c.reference(inputs);
    const double coarser = mOptions.precision == MNN::BackendConfig::Precision_Low ? 8192 : 1;
    const Tolerance tolerance = {c.tolerance.relative * coarser, c.tolerance.absolute * coarser};
    for (size_t i = 0; i < outputs.size(); ++i) {
        const std::string why = mismatch(outputs[i], wants[i], tolerance);
        if (!why.empty()) return failed("output " + c.outputs[i] + ": " + why);
    }
    if (foreign.empty()) return {};
    Outcome skipped{Verdict::Skipped, ""};
    for (const std::string& type : foreign) skipped.detail += (skipped.detail.empty() ? "" : "+") + type;
    return skipped;
}

int Totals::skippedCount() const {
    int count = 0;
    for (const auto& entry : skipped) count += entry.second;
    return count;
}

namespace {

void visitMatching(const Family& family, const std::string& filter, const Visit& visit) {
    family.cases([&](const Case& c) {
        if (contains(describe(c), filter)) visit(c);
    });
}

void runInto(Totals* totals, Runner& runner, const Family& family, const std::string& filter, const Report& report) {
    visitMatching(family, filter, [&](const Case& c) {
        const Outcome outcome = runner.run(c);
        if (outcome.verdict == Verdict::Passed) ++totals->passed;
        if (outcome.verdict == Verdict::Failed) ++totals->failed;
        if (outcome.verdict == Verdict::Skipped) ++totals->skipped[outcome.detail];
        report(describe(c), outcome);
    });
}

}  // namespace

Totals runFamily(const RunOptions& options, const Family& family, const std::string& filter, const Report& report) {
    Totals totals;
    Runner runner(options);
    runInto(&totals, runner, family, filter, report);
    return totals;
}

Totals runTable(const RunOptions& options, const std::string& filter, const Report& report) {
    Totals totals;
    Runner runner(options);
    for (const Family& family : families()) runInto(&totals, runner, family, filter, report);
    return totals;
}

void listTable(const std::string& filter, const Visit& visit) {
    for (const Family& family : families()) visitMatching(family, filter, visit);
}

}  // namespace mnn_primitives
