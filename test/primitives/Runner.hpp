// Runs cases of the table on one backend through the public API.
#ifndef MNN_PRIMITIVES_RUNNER_HPP
#define MNN_PRIMITIVES_RUNNER_HPP

#include <map>
#include "Primitives.hpp"

namespace mnn_primitives {

struct RunOptions {
    MNNForwardType backend = MNN_FORWARD_CPU;
    MNN::BackendConfig::PrecisionMode precision = MNN::BackendConfig::Precision_High;
    int threads = 1;
};

enum class Verdict : uint8_t { Passed, Failed, Skipped };

struct Outcome {
    Verdict verdict = Verdict::Passed;
    std::string detail;  // failed: what is wrong; skipped: the op types that another backend ran
};

// One backend's runtime, shared by every case. Log messages of the library go into the outcomes meanwhile, so there is
// one Runner at a time.
class Runner {
public:
    explicit Runner(const RunOptions& options);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    Outcome run(const Case& c);

private:
    Outcome runNet(MNN::Interpreter* net, const Case& c, const std::map<std::string, Array>& feeds);
    RunOptions mOptions;
    MNN::BackendConfig mConfig;
    MNN::ScheduleConfig mSchedule;
    MNN::RuntimeInfo mRuntime;
    std::string mLog;
};

// "" when this machine and build have the backend; else why not.
std::string missing(MNNForwardType backend);

// Counts of a run over the table.
struct Totals {
    int passed = 0, failed = 0;
    std::map<std::string, int> skipped;  // by op type
    int skippedCount() const;
};

using Report = std::function<void(const std::string& description, const Outcome& outcome)>;
// Runs every case of a family whose description contains `filter`, in any case of letters; `report` sees each outcome.
Totals runFamily(const RunOptions& options, const Family& family, const std::string& filter, const Report& report);
// The same over all families.
Totals runTable(const RunOptions& options, const std::string& filter, const Report& report);
// The same cases, not run.
void listTable(const std::string& filter, const Visit& visit);

}  // namespace mnn_primitives
#endif
