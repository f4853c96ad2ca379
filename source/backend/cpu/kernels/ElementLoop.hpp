// Walks arrays of one shape in step: a dense output and inputs that are read through strides.
#ifndef MNN_CPU_KERNELS_ELEMENTLOOP_HPP
#define MNN_CPU_KERNELS_ELEMENTLOOP_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace MNN {
namespace cpu {

class ElementLoop {
public:
    static constexpr int kMaxInputs = 3;
    static constexpr int kMaxLoops = 9;

    struct Input {
        int bytes = 4;                // of an element: 1, 2, 4 or 8
        std::vector<int64_t> stride;  // one for each length, in elements
    };
    // What the body of run() gets: n elements from output index `at`. step[i] is 1 when src[i] has n elements, 0 when
    // it has one that serves all.
    struct Span {
        int64_t at;
        size_t n;
        const void* src[kMaxInputs];
        int step[kMaxInputs];
    };

    // At most kMaxLoops lengths (after those of 1 are dropped) and kMaxInputs inputs.
    bool plan(const std::vector<int>& lengths, const std::vector<Input>& inputs);
    int64_t elements() const { return mElements; }

    // Calls body(context, span) for consecutive spans that cover the output elements [begin, end).
    void run(const uint8_t* const* base, int64_t begin, int64_t end, void (*body)(void* context, const Span& span),
             void* context) const;

    template <typename F>
    void run(const uint8_t* const* base, int64_t begin, int64_t end, F&& body) const {
        run(
            base, begin, end,
            [](void* f, const Span& span) { (*static_cast<typename std::remove_reference<F>::type*>(f))(span); },
            const_cast<void*>(static_cast<const void*>(&body)));
    }

private:
    enum class Kind : uint8_t { Linear, Scalar, Strided };
    struct Plan {
        int bytes;
        Kind kind;
        int64_t stride[kMaxLoops];
    };
    void runRows(const uint8_t* const* base, int64_t begin, int64_t end, void (*body)(void*, const Span&),
                 void* context) const;
    void runChunks(const uint8_t* const* base, int64_t begin, int64_t end, void (*body)(void*, const Span&),
                   void* context) const;
    // Copies n elements from output index `at` on, read through the input's strides.
    void gather(const Plan& input, const uint8_t* base, int64_t at, size_t n, uint8_t* dst) const;

    // Moves `steps` along a loop that has that many left, carrying into the loops around it.
    void advance(const Plan& input, int64_t* index, int64_t* offset, int loop, int64_t steps) const;

    int mLoops = 0;
    int mInputs = 0;
    int64_t mElements = 0;
    int64_t mSize[kMaxLoops];  // outermost first; neighbours that every input walks alike are one loop
    Plan mPlan[kMaxInputs];
    bool mRows = false;
};

}  // namespace cpu
}  // namespace MNN
#endif
