// Arrays of the primitive table: inputs, and what references compute.
#ifndef MNN_PRIMITIVES_ARRAYS_HPP
#define MNN_PRIMITIVES_ARRAYS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace mnn_primitives {

using Shape = std::vector<int>;
using Index = std::vector<int>;

enum class Type : uint8_t { Float, Int, Int8, Uint8 };

size_t countOf(const Shape& shape);
std::string textOf(const Shape& shape);  // "[2,3]"
// Calls `visit` for every index of `shape`, last dimension fastest. Once, with an empty index, for rank 0.
void forEach(const Shape& shape, const std::function<void(const Index&)>& visit);
// Place of `index` in row-major order of `shape`. An index of higher rank, or along a dimension of 1, broadcasts.
size_t placeOf(const Shape& shape, const Index& index);
Shape broadcast(const Shape& a, const Shape& b);
int axisOf(int axis, size_t rank);

// Row-major. Doubles hold every value of the types above exactly.
struct Array {
    Type type = Type::Float;
    Shape shape;
    std::vector<double> values;

    size_t count() const { return values.size(); }
    double at(const Index& index) const { return values[placeOf(shape, index)]; }
    double& at(const Index& index) { return values[placeOf(shape, index)]; }
};

std::string textOf(const Array& array);  // "float[2,3]"
// An array whose element at each index is what `f` gives.
Array generate(Type type, const Shape& shape, const std::function<double(const Index&)>& f);
Array transposed(const Array& array, const std::vector<int>& perm);  // output dimension i is input dimension perm[i]
Array sliced(const Array& array, int axis, int begin, int length);
Array ints(const Shape& shape, const std::vector<int>& values);
std::vector<float> floatsOf(const Array& array);
std::vector<int32_t> intsOf(const Array& array);

// Seeded values. Floats are multiples of 1/128 and small, so that a half holds them too: at low precision only the
// computation is inexact, and comparisons and roundings come out as at high precision.
class Random {
public:
    explicit Random(uint32_t seed) : mEngine(seed) {}
    // The same values for the same text, on any machine.
    explicit Random(const std::string& text);
    Array floats(const Shape& shape, double low = -2, double high = 2);
    Array ints(const Shape& shape, int low, int high, Type type = Type::Int);  // low to high, both included
    // Every value once, in any order: no ties.
    Array distinct(const Shape& shape, Type type = Type::Float);

private:
    int between(int low, int high);
    std::mt19937 mEngine;
};

}  // namespace mnn_primitives
#endif
