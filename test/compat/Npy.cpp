#include "Npy.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace mnn_test {
namespace {

// The numbers of "(2, 3, )".
std::vector<int> numbersAfter(const std::string& header, const char* key) {
    std::vector<int> numbers;
    size_t at = header.find(key);
    at = at == std::string::npos ? at : header.find('(', at);
    while (at != std::string::npos && at < header.size() && header[at] != ')') {
        ++at;
        char* end = nullptr;
        const long value = std::strtol(header.c_str() + at, &end, 10);
        if (end == header.c_str() + at) continue;
        numbers.push_back(static_cast<int>(value));
        at = static_cast<size_t>(end - header.c_str());
    }
    return numbers;
}

}  // namespace

bool Npy::load(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    // "\x93NUMPY", version 1.0, 16 bits of header length, a Python dictionary.
    if (bytes.size() < 10 || bytes.compare(1, 5, "NUMPY") != 0 || bytes[6] != 1) return false;
    const size_t length = static_cast<uint8_t>(bytes[8]) | static_cast<size_t>(static_cast<uint8_t>(bytes[9])) << 8;
    if (bytes.size() < 10 + length) return false;
    const std::string header = bytes.substr(10, length);
    if (header.find("'fortran_order': False") == std::string::npos) return false;
    isFloat = header.find("'<f4'") != std::string::npos;
    if (!isFloat && header.find("'<i4'") == std::string::npos) return false;
    shape = numbersAfter(header, "'shape'");
    size_t count = 1;
    for (int n : shape) count *= static_cast<size_t>(n);
    if (bytes.size() != 10 + length + 4 * count) return false;
    floats.resize(isFloat ? count : 0);
    ints.resize(isFloat ? 0 : count);
    void* to = isFloat ? static_cast<void*>(floats.data()) : static_cast<void*>(ints.data());
    if (count > 0) std::memcpy(to, bytes.data() + 10 + length, 4 * count);
    return true;
}

}  // namespace mnn_test
