// Reads the .npy files of test data: little-endian float32 and int32 in row-major order.
#ifndef MNN_TEST_NPY_HPP
#define MNN_TEST_NPY_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace mnn_test {

struct Npy {
    std::vector<int> shape;
    bool isFloat = true;
    std::vector<float> floats;
    std::vector<int32_t> ints;

    // False when the file is missing or something else.
    bool load(const std::string& path);
};

}  // namespace mnn_test
#endif
