// The one table of primitives: what each backend must compute, against references written for clarity.
#ifndef MNN_PRIMITIVES_PRIMITIVES_HPP
#define MNN_PRIMITIVES_PRIMITIVES_HPP

#include <functional>
#include <string>
#include <vector>
#include "Arrays.hpp"
#include "NetBuilder.hpp"

namespace mnn_primitives {

// What stands between a session input and the op. All but None and Packed make a view, which the op then reads as it is
// or has written out first.
enum class Front : uint8_t {
    None,
    Packed,   // the session input itself is NC4HW4
    Pooled,   // the result of an image op: NC4HW4 in the backend's own pack, with undefined lanes behind the channels
    Permute,  // the last dimension came first
    Slice,    // a part of a longer tensor, NaN around it
    Concat,   // two tensors joined
};

struct Input {
    Array array;
    bool constant = false;  // in the model; else a session input
    Front front = Front::None;
};

// |got - want| <= absolute + relative * |want|, at 24 bits of mantissa; at low precision both are those of 11 bits.
struct Tolerance {
    double relative = 1e-5, absolute = 1e-5;
};

struct Case {
    std::string title;  // family first: "Softmax axis 1"; the runner adds the inputs
    std::vector<Input> inputs;
    // Adds the op that reads the tensors `inputs` and writes the tensors `outputs`.
    std::function<void(mnn_test::NetBuilder& net, const std::vector<std::string>& inputs)> build;
    // What the outputs must hold.
    std::function<std::vector<Array>(const std::vector<Array>& inputs)> reference;
    std::vector<std::string> outputs = {"y"};
    Tolerance tolerance;
};

// Session inputs without anything in front, and constants.
Input plain(Array array);
Input constant(Array array);
std::string describe(const Case& c);  // title, inputs and fronts

using Visit = std::function<void(const Case&)>;
// The case as it is, then with each front that its session inputs can have.
void visitFronts(const Case& c, const Visit& visit);
bool canHaveFront(const Input& input, Front front);

// 0, 1, and one less, equal to and one more than 4, 8 and 16: the channel blocks of backends.
const std::vector<int>& edgeSizes();

struct Family {
    const char* name;
    void (*cases)(const Visit& visit);
};
// Every family, one row each.
const std::vector<Family>& families();

}  // namespace mnn_primitives
#endif
