// Appends ops and tensors to a net that has its final numbers already.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "MNN_generated.h"

namespace MNN {
namespace Converter {

class NetEditor {
public:
    explicit NetEditor(NetT& net);

    // Each appends one op and gives its new output tensor. `name` gets a tail when it is taken.
    template <class Param>
    int op(OpType type, Param&& param, const std::vector<int>& inputs, const std::string& name) {
        const int output = newTensor(name);
        opInto(output, type, std::forward<Param>(param), inputs, mNet.tensorName[static_cast<size_t>(output)]);
        return output;
    }
    int ints(const std::vector<int>& values, const std::string& name);
    int reshape(int x, const std::vector<int>& dims, const std::string& name);
    int convert(int x, MNN_DATA_FORMAT from, MNN_DATA_FORMAT to, const std::string& name);

    // The same into a tensor that exists.
    template <class Param>
    void opInto(int output, OpType type, Param&& param, const std::vector<int>& inputs, const std::string& name) {
        OpT& made = append(output, type, inputs, name);
        made.main.Set(std::forward<Param>(param));
    }
    void convertInto(int output, int x, MNN_DATA_FORMAT from, MNN_DATA_FORMAT to);

    int newTensor(const std::string& name);

private:
    OpT& append(int output, OpType type, const std::vector<int>& inputs, const std::string& name);

    NetT& mNet;
    std::set<std::string> mTaken;
};

}  // namespace Converter
}  // namespace MNN
