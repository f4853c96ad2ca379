#include "Arrays.hpp"

#include <algorithm>
#include <cmath>

namespace mnn_primitives {

size_t countOf(const Shape& shape) {
    size_t count = 1;
    for (int length : shape) count *= static_cast<size_t>(length);
    return count;
}

std::string textOf(const Shape& shape) {
    std::string text = "[";
    for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
    return text + "]";
}

void forEach(const Shape& shape, const std::function<void(const Index&)>& visit) {
    const size_t count = countOf(shape);
    Index index(shape.size(), 0);
    for (size_t i = 0; i < count; ++i) {
        visit(index);
        for (size_t d = shape.size(); d-- > 0;) {
            if (++index[d] < shape[d]) break;
            index[d] = 0;
        }
    }
}

size_t placeOf(const Shape& shape, const Index& index) {
    const size_t extra = index.size() - shape.size();
    size_t place = 0;
    for (size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + (shape[d] == 1 ? 0 : index[extra + d]);
    return place;
}

Shape broadcast(const Shape& a, const Shape& b) {
    Shape out(std::max(a.size(), b.size()), 1);
    for (const Shape* s : {&a, &b}) {
        const size_t extra = out.size() - s->size();
        for (size_t d = 0; d < s->size(); ++d) {
            if ((*s)[d] != 1) out[extra + d] = (*s)[d];
        }
    }
    return out;
}

int axisOf(int axis, size_t rank) { return axis < 0 ? axis + static_cast<int>(rank) : axis; }

std::string textOf(const Array& array) {
    static const char* const kNames[] = {"float", "int32", "int8", "uint8"};
    return kNames[static_cast<int>(array.type)] + textOf(array.shape);
}

Array generate(Type type, const Shape& shape, const std::function<double(const Index&)>& f) {
    Array array{type, shape, {}};
    array.values.reserve(countOf(shape));
    forEach(shape, [&](const Index& at) { array.values.push_back(f(at)); });
    return array;
}

Array transposed(const Array& array, const std::vector<int>& perm) {
    Shape shape;
    for (int p : perm) shape.push_back(array.shape[p]);
    return generate(array.type, shape, [&](const Index& at) {
        Index from(at.size());
        for (size_t i = 0; i < at.size(); ++i) from[perm[i]] = at[i];
        return array.at(from);
    });
}

Array sliced(const Array& array, int axis, int begin, int length) {
    Shape shape = array.shape;
    shape[axis] = length;
    return generate(array.type, shape, [&](Index at) {
        at[axis] += begin;
        // A length of 1 would broadcast in at(); here the whole index counts.
        size_t place = 0;
        for (size_t d = 0; d < at.size(); ++d) place = place * array.shape[d] + at[d];
        return array.values[place];
    });
}

Array ints(const Shape& shape, const std::vector<int>& values) {
    return Array{Type::Int, shape, std::vector<double>(values.begin(), values.end())};
}

std::vector<float> floatsOf(const Array& array) { return std::vector<float>(array.values.begin(), array.values.end()); }

std::vector<int32_t> intsOf(const Array& array) {
    return std::vector<int32_t>(array.values.begin(), array.values.end());
}

Random::Random(const std::string& text) {
    uint32_t seed = 0;
    for (char c : text) seed = seed * 31 + static_cast<unsigned char>(c);
    mEngine.seed(seed);
}

int Random::between(int low, int high) {
    return low + static_cast<int>(mEngine() % (static_cast<uint32_t>(high - low) + 1));
}

Array Random::floats(const Shape& shape, double low, double high) {
    constexpr double kStep = 1.0 / 128;
    const int first = static_cast<int>(std::ceil(low / kStep)), last = static_cast<int>(std::floor(high / kStep));
    return generate(Type::Float, shape, [&](const Index&) { return between(first, last) * kStep; });
}

Array Random::ints(const Shape& shape, int low, int high, Type type) {
    return generate(type, shape, [&](const Index&) { return between(low, high); });
}

Array Random::distinct(const Shape& shape, Type type) {
    const int count = static_cast<int>(countOf(shape));
    Array array{type, shape, {}};
    for (int i = 0; i < count; ++i) array.values.push_back((i - count / 2) * (type == Type::Float ? 1.0 / 128 : 1.0));
    std::shuffle(array.values.begin(), array.values.end(), mEngine);
    return array;
}

}  // namespace mnn_primitives
