// What a call that can fail returns.
#ifndef MNN_ERRORCODE_HPP
#define MNN_ERRORCODE_HPP

namespace MNN {
// A Windows header defines NO_ERROR as a macro.
#ifdef NO_ERROR
#undef NO_ERROR
#endif

/// Result of a fallible call. The reason behind any value but NO_ERROR goes to the log (MNN/Log.hpp).
enum ErrorCode {
    NO_ERROR = 0,            ///< Success.
    OUT_OF_MEMORY = 1,       ///< An allocation failed.
    NOT_SUPPORT = 2,         ///< The op, format or option is not supported here.
    COMPUTE_SIZE_ERROR = 3,  ///< The shape of some tensor cannot be inferred from its inputs.
    NO_EXECUTION = 4,        ///< No backend of the session can run an op.
    INVALID_VALUE = 5,       ///< An argument or a tensor value is out of range.

    INPUT_DATA_ERROR = 10,  ///< An input of the model is missing or malformed.
    CALL_BACK_STOP = 11,    ///< A callback returned false, so the run ended early.

    TENSOR_NOT_SUPPORT = 20,  ///< An execution cannot take a tensor of this layout or type.
    TENSOR_NEED_DIVIDE = 21,  ///< A tensor is too large to be handled in one piece.

    FILE_CREATE_FAILED = 30,  ///< A file could not be created.
    FILE_REMOVE_FAILED = 31,  ///< A file could not be removed.
    FILE_OPEN_FAILED = 32,    ///< A file could not be opened.
    FILE_CLOSE_FAILED = 33,   ///< A file could not be closed.
    FILE_RESIZE_FAILED = 34,  ///< A file could not be truncated or extended.
    FILE_SEEK_FAILED = 35,    ///< A position in a file could not be reached.
    FILE_NOT_EXIST = 36,      ///< A file does not exist.
    FILE_UNMAP_FAILED = 37,   ///< A mapped file could not be unmapped.
};
}  // namespace MNN

#endif
