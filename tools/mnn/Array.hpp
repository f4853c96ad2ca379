// Arrays on the host as tools read and write them: .npy files, and copies into and out of tensors.
#ifndef MNN_TOOLS_ARRAY_HPP
#define MNN_TOOLS_ARRAY_HPP

#include <MNN/Tensor.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace mnn_tools {

enum class Type : uint8_t { Float16, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Bool };

size_t typeBytes(Type type);
const char* typeName(Type type);
bool isFloat(Type type);

// Row-major. Values are held as doubles for floating types and as int64 for the others; both hold every value exactly.
struct Array {
    Type type = Type::Float32;
    std::vector<int64_t> shape;
    std::vector<double> reals;
    std::vector<int64_t> integers;

    int64_t elements() const;
    double at(int64_t i) const { return isFloat(type) ? reals[i] : static_cast<double>(integers[i]); }
    std::string text() const;  // "float32[1,3]"
};

// Decodes little-endian raw elements. Throws std::runtime_error when the bytes are fewer than the shape needs.
Array decodeArray(Type type, std::vector<int64_t> shape, const void* data, size_t bytes);

// NumPy's .npy format, versions 1 to 3. Throw std::runtime_error naming the file.
Array readNpy(const std::string& path);
Array parseNpy(const std::string& bytes, const std::string& path);
void writeNpy(const std::string& path, const Array& array);

// Copies into a session input of the same shape, converting the type: integers must fit the tensor's, floats are
// rounded to float32. Throws std::runtime_error when a value does not fit or the shapes differ.
void toTensor(const Array& array, MNN::Tensor* tensor);
// Reads any tensor in its logical row-major order.
Array fromTensor(const MNN::Tensor* tensor);

}  // namespace mnn_tools
#endif
