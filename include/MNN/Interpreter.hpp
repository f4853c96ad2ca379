// Interpreter: a loaded model, and the sessions that run it.
#ifndef MNN_INTERPRETER_HPP
#define MNN_INTERPRETER_HPP

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <MNN/ErrorCode.hpp>
#include <MNN/MNNForwardType.h>
#include <MNN/Tensor.hpp>

namespace MNN {

/// How to run a model, or a part of it.
struct ScheduleConfig {
    /// Names of intermediate tensors to keep readable after a run, through getSessionOutput.
    std::vector<std::string> saveTensors;
    /// Backend to run on.
    MNNForwardType type = MNN_FORWARD_CPU;
    union {
        /// CPU: number of threads.
        int numThread = 4;
        /// GPU: bits of MNNGpuMode.
        int mode;
    };

    /// A part of the graph: the ops that lead from `inputs` to `outputs`. Empty lists mean the whole graph.
    struct Path {
        std::vector<std::string> inputs;
        std::vector<std::string> outputs;

        /// What the names above name.
        enum Mode {
            Op = 0,      ///< Operators.
            Tensor = 1,  ///< Tensors.
        };
        Mode mode = Op;
    };
    Path path;

    /// Backend for the ops that `type` cannot run.
    MNNForwardType backupType = MNN_FORWARD_CPU;
    /// Further wishes, or nullptr for defaults. Read during createSession only; the caller owns it.
    BackendConfig* backendConfig = nullptr;
};

class Session;
struct Content;
class Tensor;
class Backend;
class Runtime;

/// What a callback may ask about the operator it is called for. Valid during the callback only.
class MNN_PUBLIC OperatorInfo {
    struct Info;

public:
    /// Name of the operator in the model.
    const std::string& name() const;
    /// Type of the operator, e.g. "Convolution".
    const std::string& type() const;
    /// Work of the operator in millions of floating-point operations.
    float flops() const;

protected:
    OperatorInfo();
    ~OperatorInfo();
    Info* mContent;
};

/// Called around each operator with its tensors and its name. False skips the operator when called before it, and stops
/// the run with CALL_BACK_STOP when called after it.
typedef std::function<bool(const std::vector<Tensor*>&, const std::string& /*opName*/)> TensorCallBack;
/// The same with all facts about the operator.
typedef std::function<bool(const std::vector<Tensor*>&, const OperatorInfo*)> TensorCallBackWithInfo;
/// Backend runtimes by type, and the CPU runtime every session needs.
typedef std::pair<std::map<MNNForwardType, std::shared_ptr<Runtime>>, std::shared_ptr<Runtime>> RuntimeInfo;

/// The library's version, e.g. "3.6.1".
MNN_PUBLIC const char* getVersion();

/// A loaded model. It owns its sessions, and they own their tensors.
///
/// Threads: creating, resizing and releasing sessions of one Interpreter is serialised inside. Different sessions may
/// run at the same time in different threads; one session must not be used from two threads at once.
class MNN_PUBLIC Interpreter {
public:
    /// Loads a .mnn file. nullptr, with the reason in the log, when it cannot be read or is no valid model.
    static Interpreter* createFromFile(const char* file);
    /// Loads a model from memory, which is copied. nullptr as above.
    static Interpreter* createFromBuffer(const void* buffer, size_t size);
    /// Releases the model and all its sessions.
    ~Interpreter();
    /// Deletes an Interpreter inside the library that allocated it. nullptr is allowed.
    static void destroy(Interpreter* net);

    Interpreter(const Interpreter&) = delete;
    Interpreter(const Interpreter&&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&&) = delete;

    /// Flags for sessions created later; call setSessionMode once per pair to change it from its default.
    enum SessionMode {
        Session_Debug = 0,    ///< Callbacks see every operator (default).
        Session_Release = 1,  ///< Callbacks are not called; operators may be fused across.

        Session_Input_Inside = 2,  ///< The session allocates its inputs (default).
        /// The caller sets buffer().host of each input to memory of its own before each run; it is read in place.
        Session_Input_User = 3,

        Session_Output_Inside = 4,  ///< Outputs live in the session (default).
        /// The caller may set buffer().host of an output to its own memory, at least size() bytes; on the CPU each run
        /// then writes there directly. It stays set over resizeSession: set a larger one first when the output grows.
        Session_Output_User = 5,

        Session_Resize_Direct = 6,  ///< createSession also plans and allocates (default).
        Session_Resize_Defer = 7,   ///< Planning waits for the first resizeSession.

        Session_Backend_Fix = 8,   ///< Use the requested backend (default).
        Session_Backend_Auto = 9,  ///< Choose a backend per operator.

        Session_Memory_Collect = 10,  ///< Free what a resize no longer needs.
        Session_Memory_Cache = 11,    ///< Keep it for the next resize.

        Session_Codegen_Disable = 12,  ///< No generated kernels (default).
        Session_Codegen_Enable = 13,   ///< Fuse operators by generated kernels.

        Session_Resize_Check = 14,  ///< Record what a resize changes.
        Session_Resize_Fix = 15,    ///< Redo at a resize only what was recorded.

        Module_Forward_Separate = 16,  ///< Express modules resize and compute in two calls.
        Module_Forward_Combine = 17,   ///< Express modules do both in one call (default).
    };
    /// Sets one flag for sessions created later.
    void setSessionMode(SessionMode mode);

    /// File that keeps tuning results and compiled kernels between processes. Call before createSession, which gives
    /// the backends what the file holds for this model and this version of the library; a missing, torn, foreign or
    /// stale file is ignored. keySize is accepted for compatibility. Nothing is written before updateCacheFile, and
    /// nothing at all for sessions whose backends have nothing to keep, as those on the CPU alone.
    void setCacheFile(const char* cacheFile, size_t keySize = 128);
    /// File that holds weights the model keeps outside itself. Call before createSession. flag is reserved.
    void setExternalFile(const char* file, size_t flag = 128);
    /// Writes the cache file beside its place and renames it there, when the backends of the session have something to
    /// keep that the file does not hold already. NO_ERROR too when there is nothing to write; FILE_CREATE_FAILED when
    /// it cannot be written, which the session does not mind. flag is reserved.
    ErrorCode updateCacheFile(Session* session, int flag = 0);

    /// Named integers that tune later sessions; see each for its unit.
    enum HintMode {
        MAX_TUNING_NUMBER = 0,              ///< Operators tuned in the background.
        STRICT_CHECK_MODEL = 1,             ///< 1: verify the model file before use (default); 0: trust it.
        MEM_ALLOCATOR_TYPE = 2,             ///< 0: plan memory after all shapes are known; 1: as they come.
        WINOGRAD_MEMORY_LEVEL = 3,          ///< 0 to 3: how much memory Winograd convolution may take (default 3).
        GEOMETRY_COMPUTE_MASK = 4,          ///< Bits of GeometryComputeMask (default all).
        DYNAMIC_QUANT_OPTIONS = 5,          ///< How activations are quantised at run time (default 0).
        CPU_LITTLECORE_DECREASE_RATE = 6,   ///< Share of work for little cores, 0 to 100 percent (default 50).
        ATTENTION_OPTION = 7,               ///< value % 8: quantisation of keys and values; value / 8: flash attention.
        KVCACHE_SIZE_LIMIT = 8,             ///< Tokens of key-value cache kept in memory per layer.
        OP_ENCODER_NUMBER_FOR_COMMIT = 9,   ///< GPU operators per submit.
        KVCACHE_INFO = 10,                  ///< Pointer to the key-value cache state; set through the int* form.
        MMAP_FILE_SIZE = 11,                ///< Size of one mapped file in KB.
        USE_CACHED_MMAP = 12,               ///< 1: map packed weights written by an earlier run.
        INIT_THREAD_NUMBER = 13,            ///< Threads that prepare weights (default 0: none extra).
        CPU_CORE_IDS = 14,                  ///< Cores to bind threads to; set through the int* form.
        CPU_SME2_INSTRUCTIONS = 15,         ///< 1: Arm SME2 kernels allowed.
        CPU_ENABLE_KLEIDIAI = 16,           ///< 1: KleidiAI kernels allowed.
        CPU_SME2_NEON_DIVISION_RATIO = 17,  ///< Share of work for SME against NEON (default 41).
        CPU_SME_CORES = 18,                 ///< Number of SME units (default 2).
    };

    /// What a path given to Express::Executor::RuntimeManager::setExternalPath is for.
    enum ExternalPathType {
        EXTERNAL_PATH_KVCACHE_DIR = 0,      ///< Folder for key-value caches too large for memory.
        EXTERNAL_FEATUREMAP_DIR = 1,        ///< Folder for activations too large for memory.
        EXTERNAL_WEIGHT_DIR = 2,            ///< Folder for packed weights.
        EXTERNAL_NPU_FILE_DIR = 3,          ///< Folder of NPU models.
        EXTERNAL_PATH_PREFIXCACHE_DIR = 4,  ///< Folder for key-value caches of prompt prefixes.
    };

    /// Bits of GEOMETRY_COMPUTE_MASK.
    enum GeometryComputeMask {
        GEOMETRCOMPUTEMASK_FUSEREGION = 1 << 0,        ///< Merge chains of Regions.
        GEOMETRCOMPUTEMASK_FUSEREGION_MULTI = 1 << 1,  ///< Merge into inputs made of several Regions.
        GEOMETRCOMPUTEMASK_USELOOP = 1 << 2,           ///< Prefer a loop over many commands.
        GEOMETRCOMPUTEMASK_OPENCACHE = 1 << 3,         ///< Reuse the lowering when only shapes change.
        GEOMETRCOMPUTEMASK_ALL = 0xFFFF,               ///< All of them.
    };

    /// Sets one hint for sessions created later.
    void setSessionHint(HintMode hint, int value);
    /// Sets a hint that is a list, e.g. CPU_CORE_IDS; `size` is the number of ints, which are copied.
    void setSessionHint(HintMode hint, int* value, size_t size);

    /// Runtimes for the backends of `configs`, to share between sessions of several interpreters. A backend that is
    /// missing is left out and the reason logged.
    static RuntimeInfo createRuntime(const std::vector<ScheduleConfig>& configs);

    /// A session that runs the model as `config` says. The Interpreter owns it. nullptr, with the reason in the log,
    /// when an operator has no backend, a named path does not exist, or memory runs out. When a shape cannot be
    /// inferred yet (an input has unknown extents) the session is made and waits for resizeTensor and resizeSession.
    Session* createSession(const ScheduleConfig& config);
    /// The same on runtimes made by createRuntime.
    Session* createSession(const ScheduleConfig& config, const RuntimeInfo& runtime);
    /// A session that runs several paths one after another, each on its own backend.
    Session* createMultiPathSession(const std::vector<ScheduleConfig>& configs);
    /// The same on runtimes made by createRuntime.
    Session* createMultiPathSession(const std::vector<ScheduleConfig>& configs, const RuntimeInfo& runtime);

    /// Releases a session and its tensors. False when it does not belong to this Interpreter.
    bool releaseSession(Session* session);

    /// Infers shapes, chooses kernels and plans memory after resizeTensor. Does nothing when no shape has changed.
    /// Failures are logged, and runSession then returns an error.
    void resizeSession(Session* session);
    /// The same; needRelloc = 1 plans and allocates again even when no shape has changed.
    void resizeSession(Session* session, int needRelloc);

    /// Drops the model's own memory. Existing sessions go on; no new ones can be created.
    void releaseModel();
    /// The model as bytes to save, valid until releaseModel or updateSessionToModel. {nullptr, 0} after releaseModel.
    std::pair<const void*, size_t> getModelBuffer() const;
    /// Version of the converter that wrote the model, never nullptr.
    const char* getModelVersion() const;

    /// Puts the session's constants and trainable parameters, which a caller may have changed
    /// (ScheduleConfig::saveTensors gives them), into the model that getModelBuffer returns and that later sessions are
    /// made from; no file and no other session changes. INPUT_DATA_ERROR after releaseModel; NOT_SUPPORT, and the model
    /// as it was, when one that changed lies in the side file, or in a type that is converted on loading (half, double,
    /// 64-bit integers).
    ErrorCode updateSessionToModel(Session* session);

    /// Runs the session once, on the inputs as they are. On a GPU the work may still be under way when it returns;
    /// reading an output waits for it.
    ErrorCode runSession(Session* session) const;
    /// Runs operator by operator, calling `before` with the inputs and `end` with the outputs of each. With `sync`,
    /// each operator is finished before `end` is called. Callbacks need Session_Debug.
    ErrorCode runSessionWithCallBack(const Session* session, const TensorCallBack& before, const TensorCallBack& end,
                                     bool sync = false) const;
    /// The same with OperatorInfo.
    ErrorCode runSessionWithCallBackInfo(const Session* session, const TensorCallBackWithInfo& before,
                                         const TensorCallBackWithInfo& end, bool sync = false) const;

    /// An input by name, or the first with name nullptr. The session owns it. nullptr when there is none.
    Tensor* getSessionInput(const Session* session, const char* name);
    /// An output (or a tensor of saveTensors) by name, or the first with name nullptr. The session owns it.
    Tensor* getSessionOutput(const Session* session, const char* name);

    /// Questions for getSessionInfo; the comment gives the type behind ptr.
    enum SessionInfoCode {
        MEMORY = 0,         ///< float*: megabytes the session holds: activations, constants and packed weights.
        FLOPS = 1,          ///< float*: millions of floating-point operations of one run.
        BACKENDS = 2,       ///< int*: MNNForwardType of each config, one int per config.
        RESIZE_STATUS = 3,  ///< int*: 0 ready to run, 1 needs memory only, 2 needs resizeSession.
        THREAD_NUMBER = 4,  ///< int*: threads of the CPU, or the mode of a GPU.
        ALL,                ///< Number of questions above.
    };
    /// Answers a question about a session through ptr. False when it cannot be answered.
    bool getSessionInfo(const Session* session, SessionInfoCode code, void* ptr);

    /// All outputs, all inputs by name. The maps live as long as the session.
    const std::map<std::string, Tensor*>& getSessionOutputAll(const Session* session) const;
    const std::map<std::string, Tensor*>& getSessionInputAll(const Session* session) const;

    /// Sets the shape of an input, in the order of its layout. Takes effect at resizeSession; the tensor's memory must
    /// not be used before. Invalid shapes are logged and ignored.
    void resizeTensor(Tensor* tensor, const std::vector<int>& dims);
    /// The same for an image tensor of any layout.
    void resizeTensor(Tensor* tensor, int batch, int channel, int height, int width);

    /// The backend that holds a tensor of the session, nullptr for the default CPU backend's host memory.
    const Backend* getBackend(const Session* session, const Tensor* tensor) const;

    /// Business code and unique id stored in the model, "" when it has none.
    const char* bizCode() const;
    const char* uuid() const;

private:
    static Interpreter* createFromBufferInternal(Content* net, bool enforceCheck);
    explicit Interpreter(Content* net);

    Content* mNet = nullptr;
};

}  // namespace MNN

#endif
