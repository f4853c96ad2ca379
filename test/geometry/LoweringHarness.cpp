#include "geometry/LoweringHarness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace MNN {
namespace test {

int64_t count(const Dims& dims) { return geometry::product(dims); }

void forEachIndex(const Dims& dims, const std::function<void(const Dims&)>& body) {
    const int64_t total = count(dims);
    Dims index(dims.size(), 0);
    for (int64_t n = 0; n < total; ++n) {
        body(index);
        for (int d = static_cast<int>(dims.size()) - 1; d >= 0 && ++index[d] == dims[d]; --d) index[d] = 0;
    }
}

int64_t flat(const Dims& dims, const Dims& index) {
    int64_t at = 0;
    for (size_t d = 0; d < dims.size(); ++d) at = at * dims[d] + index[d];
    return at;
}

namespace {

const float kPoison = std::numeric_limits<float>::quiet_NaN();

// Place of each row-major element in the storage of t.
std::vector<int64_t> placesOf(const Tensor* t) {
    const int64_t elements = TensorUtils::elements(t);
    std::vector<int64_t> places(elements);
    const geometry::ImageSize size = geometry::imageSize(t);
    const int64_t pack = geometry::storagePack(t), blocks = (size.channels + pack - 1) / pack;
    for (int64_t i = 0; i < elements; ++i) {
        const int64_t s = i % size.area, c = i / size.area % size.channels, n = i / size.area / size.channels;
        places[i] = ((n * blocks + c / pack) * size.area + s) * pack + c % pack;
    }
    return places;
}

Values rasterise(const core::RegionList& regions, int64_t elements, Values result,
                 const std::function<const Values&(Tensor*)>& source) {
    for (const core::Region& r : regions) {
        const Values& from = source(r.origin);
        const Dims size(r.size.begin(), r.size.end());
        forEachIndex(size, [&](const Dims& index) {
            int64_t src = r.src.offset, dst = r.dst.offset;
            for (int k = 0; k < core::kRegionLoops; ++k) {
                src += index[k] * r.src.stride[k];
                dst += index[k] * r.dst.stride[k];
            }
            ASSERT_GE(src, 0);
            ASSERT_LT(src, static_cast<int64_t>(from.size()));
            ASSERT_GE(dst, 0);
            ASSERT_LT(dst, elements);
            result[dst] = from[src];
        });
    }
    return result;
}

float unary(UnaryOpOperation kind, float x) {
    switch (kind) {
        case UnaryOpOperation_ABS:
            return std::fabs(x);
        case UnaryOpOperation_NEG:
            return -x;
        case UnaryOpOperation_SQUARE:
            return x * x;
        case UnaryOpOperation_SQRT:
            return std::sqrt(x);
        case UnaryOpOperation_RSQRT:
            return 1.0f / std::sqrt(x);
        case UnaryOpOperation_EXP:
            return std::exp(x);
        case UnaryOpOperation_EXPM1:
            return std::expm1(x);
        case UnaryOpOperation_LOG:
            return std::log(x);
        case UnaryOpOperation_RECIPROCAL:
            return 1.0f / x;
        case UnaryOpOperation_SIGMOID:
            return 1.0f / (1.0f + std::exp(-x));
        case UnaryOpOperation_TANH:
            return std::tanh(x);
        case UnaryOpOperation_SILU:
            return x / (1.0f + std::exp(-x));
        default:
            ADD_FAILURE() << "unary " << kind;
            return kPoison;
    }
}

float binary(BinaryOpOperation kind, float a, float b) {
    switch (kind) {
        case BinaryOpOperation_ADD:
            return a + b;
        case BinaryOpOperation_SUB:
            return a - b;
        case BinaryOpOperation_MUL:
            return a * b;
        case BinaryOpOperation_REALDIV:
            return a / b;
        case BinaryOpOperation_POW:
            return std::pow(a, b);
        case BinaryOpOperation_MAXIMUM:
            return std::fmax(a, b);
        case BinaryOpOperation_MINIMUM:
            return std::fmin(a, b);
        case BinaryOpOperation_GREATER:
            return a > b;
        case BinaryOpOperation_GREATER_EQUAL:
            return a >= b;
        case BinaryOpOperation_LESS:
            return a < b;
        case BinaryOpOperation_EQUAL:
            return a == b;
        case BinaryOpOperation_SquaredDifference:
            return (a - b) * (a - b);
        default:
            ADD_FAILURE() << "binary " << kind;
            return kPoison;
    }
}

float reduce(ReductionType kind, const Values& v) {
    float sum = 0, product = 1, largest = v.empty() ? 0 : v[0], smallest = largest;
    float absolute = 0, squares = 0;
    for (float x : v) {
        sum += x;
        product *= x;
        absolute += std::fabs(x);
        squares += x * x;
        largest = std::fmax(largest, x);
        smallest = std::fmin(smallest, x);
    }
    switch (kind) {
        case ReductionType_SUM:
            return sum;
        case ReductionType_ASUM:
            return absolute;
        case ReductionType_SUMSQ:
            return squares;
        case ReductionType_MEAN:
            return sum / v.size();
        case ReductionType_MAXIMUM:
        case ReductionType_ANY:
            return largest;
        case ReductionType_MINIMUM:
        case ReductionType_ALL:
            return smallest;
        case ReductionType_PROD:
            return product;
    }
    return kPoison;
}

Values matmul(const MatMul* param, const Tensor* ta, const Tensor* tb, const Values& a, const Values& b,
              const Tensor* out, const Values* bias) {
    const int rank = out->dimensions(), M = out->length(rank - 2), N = out->length(rank - 1);
    EXPECT_EQ(ta->dimensions(), rank);
    EXPECT_EQ(tb->dimensions(), rank);
    const int K = ta->length(rank - (param->transposeA() ? 2 : 1));
    const int64_t batch = M * N == 0 ? 0 : TensorUtils::elements(out) / (int64_t(M) * N);
    Values y(batch * M * N);
    for (int64_t n = 0; n < batch; ++n) {
        for (int i = 0; i < M; ++i) {
            for (int j = 0; j < N; ++j) {
                float sum = bias != nullptr ? (*bias)[j] : 0.0f;
                for (int k = 0; k < K; ++k) {
                    const int64_t pa = n * M * K + (param->transposeA() ? k * M + i : i * K + k);
                    const int64_t pb = n * K * N + (param->transposeB() ? j * K + k : k * N + j);
                    sum += a[pa] * b[pb];
                }
                y[(n * M + i) * N + j] = sum;
            }
        }
    }
    return y;
}

Values convolution(const Convolution2D* param, const Tensor* x, const Values& v, const Tensor* y, const Values* weights,
                   bool depthwise) {
    const auto* c = param->common();
    const int OC = y->length(1), OH = y->length(2), OW = y->length(3), IC = x->length(1), IH = x->length(2),
              IW = x->length(3);
    const int group = depthwise         ? IC
                      : c->group() == 0 ? 1
                                        : c->group(),
              perGroup = IC / group, KY = c->kernelY(), KX = c->kernelX();
    const int padY = c->pads() != nullptr && c->pads()->size() > 1 ? c->pads()->Get(0) : c->padY();
    const int padX = c->pads() != nullptr && c->pads()->size() > 1 ? c->pads()->Get(1) : c->padX();
    Values result(count(y->shape()));
    forEachIndex(y->shape(), [&](const Dims& i) {
        float sum = param->bias() != nullptr && param->bias()->size() > 0 ? param->bias()->Get(i[1]) : 0.0f;
        const int g = i[1] / (OC / group);
        for (int k = 0; k < perGroup; ++k) {
            for (int ky = 0; ky < KY; ++ky) {
                for (int kx = 0; kx < KX; ++kx) {
                    const int h = i[2] * c->strideY() - padY + ky * c->dilateY();
                    const int w = i[3] * c->strideX() - padX + kx * c->dilateX();
                    if (h < 0 || w < 0 || h >= IH || w >= IW) continue;
                    const int64_t at = ((int64_t(i[1]) * perGroup + k) * KY + ky) * KX + kx;
                    const float weight = weights != nullptr ? (*weights)[at] : param->weight()->Get(at);
                    sum += weight * v[flat(x->shape(), {i[0], g * perGroup + k, h, w})];
                }
            }
        }
        if (c->relu()) sum = std::fmax(sum, 0.0f);
        result[flat({y->length(0), OC, OH, OW}, i)] = sum;
    });
    return result;
}

Values deconvolution(const Convolution2D* param, const Tensor* x, const Values& v, const Tensor* y) {
    const auto* c = param->common();
    const int OC = y->length(1), group = c->group() == 0 ? 1 : c->group(), IC = x->length(1), KY = c->kernelY(),
              KX = c->kernelX();
    const int perOut = OC / group, perIn = IC / group;
    Values result(count(y->shape()), 0.0f);
    forEachIndex(x->shape(), [&](const Dims& i) {
        const int g = i[1] / perIn;
        for (int o = 0; o < perOut; ++o) {
            for (int ky = 0; ky < KY; ++ky) {
                for (int kx = 0; kx < KX; ++kx) {
                    const int h = i[2] * c->strideY() - c->pads()->Get(0) + ky * c->dilateY();
                    const int w = i[3] * c->strideX() - c->pads()->Get(1) + kx * c->dilateX();
                    if (h < 0 || w < 0 || h >= y->length(2) || w >= y->length(3)) continue;
                    result[flat(y->shape(), {i[0], g * perOut + o, h, w})] +=
                        v[flat(x->shape(), i)] *
                        param->weight()->Get(((int64_t(i[1]) * perOut + o) * KY + ky) * KX + kx);
                }
            }
        }
    });
    return result;
}

Values pool(const Pool* p, const Tensor* x, const Values& v, const Tensor* y) {
    Values result(count(y->shape()));
    const int padY = p->pads() != nullptr && p->pads()->size() > 1 ? p->pads()->Get(0) : p->padY();
    const int padX = p->pads() != nullptr && p->pads()->size() > 1 ? p->pads()->Get(1) : p->padX();
    const int KY = p->isGlobal() ? x->length(2) : p->kernelY(), KX = p->isGlobal() ? x->length(3) : p->kernelX();
    forEachIndex(y->shape(), [&](const Dims& i) {
        Values window;
        for (int ky = 0; ky < KY; ++ky) {
            for (int kx = 0; kx < KX; ++kx) {
                const int h = (p->isGlobal() ? 0 : i[2] * p->strideY() - padY) + ky;
                const int w = (p->isGlobal() ? 0 : i[3] * p->strideX() - padX) + kx;
                if (h < 0 || w < 0 || h >= x->length(2) || w >= x->length(3)) continue;
                window.push_back(v[flat(x->shape(), {i[0], i[1], h, w})]);
            }
        }
        const bool average = p->type() == PoolType_AVEPOOL;
        float value = reduce(average ? ReductionType_SUM : ReductionType_MAXIMUM, window);
        if (average) value /= p->countType() == AvgPoolCountType_INCLUDE_PADDING ? KX * KY : window.size();
        result[flat(y->shape(), i)] = value;
    });
    return result;
}

}  // namespace

Harness::Harness(int pack) {
    BackendTraits traits;
    traits.pack = pack;
    mContext.reset(new GeometryContext(&mBuffer, traits, BackendConfig()));
}

Tensor* Harness::output(const Dims& dims, halide_type_t type) {
    std::shared_ptr<Tensor> t(Tensor::createDevice(dims, type, Tensor::CAFFE));
    mTensors.push_back(t);
    return t.get();
}

Tensor* Harness::input(const Dims& dims, const Values& values, int pack, halide_type_t type) {
    Tensor* t = output(dims, type);
    if (pack > 1) TensorUtils::setFormat(t, MNN_DATA_FORMAT_NC4HW4, pack);
    write(t, values);
    return t;
}

Tensor* Harness::constant(const Dims& dims, const std::vector<int>& values) {
    Tensor* t = output(dims, halide_type_of<int32_t>());
    EXPECT_TRUE(TensorUtils::allocHost(t));
    std::copy(values.begin(), values.end(), t->host<int32_t>());
    TensorUtils::describe(t)->usage = TensorUsage::Constant;
    TensorUtils::describe(t)->hostKnown = true;
    return t;
}

Tensor* Harness::constantFloats(const Dims& dims, const Values& values) {
    Tensor* t = output(dims, halide_type_of<float>());
    EXPECT_TRUE(TensorUtils::allocHost(t));
    std::copy(values.begin(), values.end(), t->host<float>());
    TensorUtils::describe(t)->usage = TensorUsage::Constant;
    TensorUtils::describe(t)->hostKnown = true;
    return t;
}

Values Harness::ramp(const Dims& dims) {
    Values v(count(dims));
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i + 1);
    return v;
}

Values Harness::noise(const Dims& dims, uint32_t seed, float low, float high) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    Values v(count(dims));
    for (float& x : v) x = uniform(random);
    return v;
}

bool Harness::lower(const OpT& op, const Tensors& inputs, const Tensors& outputs) {
    mOps.push_back(std::make_shared<OwnedOp>(op));
    return lowerOp(mOps.back()->get(), inputs, outputs, *mContext);
}

int Harness::commands(OpType type) const {
    int n = 0;
    for (const auto& command : mBuffer.commands) n += command->op->type() == type;
    return n;
}

const Values& Harness::storage(Tensor* t) {
    auto found = mStorage.find(t);
    if (found != mStorage.end()) return found->second;
    const auto* describe = TensorUtils::describe(t);
    const int64_t elements = TensorUtils::storageElements(t);
    Values values(elements, kPoison);
    if (t->host<void>() != nullptr) {
        for (int64_t i = 0; i < elements; ++i) {
            values[i] = t->getType().code == halide_type_float ? t->host<float>()[i] : t->host<int32_t>()[i];
        }
    } else if (TensorUtils::isVirtual(t)) {
        // What no Region writes is zero, but nobody may count on the pad lanes.
        for (int64_t place : placesOf(t)) values[place] = 0.0f;
        values =
            rasterise(describe->regions, elements, values, [this](Tensor* o) -> const Values& { return storage(o); });
    } else {
        ADD_FAILURE() << "read before it was written: " << TensorUtils::text(t);
    }
    return mStorage[t] = values;
}

Values Harness::rowMajor(Tensor* t) {
    const Values& from = storage(t);
    Values values;
    for (int64_t place : placesOf(t)) values.push_back(from[place]);
    return values;
}

void Harness::write(Tensor* t, const Values& values) {
    Values to(TensorUtils::storageElements(t), kPoison);
    const std::vector<int64_t> places = placesOf(t);
    ASSERT_EQ(places.size(), values.size()) << TensorUtils::text(t);
    for (size_t i = 0; i < places.size(); ++i) to[places[i]] = values[i];
    mStorage[t] = to;
}

void Harness::run(const Command& command) {
    Tensor* out = command.outputs[0];
    const Op* op = command.op;
    std::vector<Values> in;
    if (op->type() != OpType_Raster) {
        for (Tensor* t : command.inputs) in.push_back(rowMajor(t));
    }
    // Element-wise commands see storage, pad lanes included.
    auto lanes = [&](const std::function<float(size_t)>& f) {
        Values y(TensorUtils::elements(out));
        for (size_t i = 0; i < y.size(); ++i) y[i] = f(i);
        write(out, y);
        for (Tensor* t : command.inputs) EXPECT_TRUE(TensorUtils::sameStorage(t, out)) << TensorUtils::text(t);
    };
    switch (op->type()) {
        case OpType_Raster: {
            Values zeros(TensorUtils::storageElements(out), kPoison);
            for (int64_t place : placesOf(out)) zeros[place] = 0.0f;
            const auto& regions = TensorUtils::describe(out)->regions;
            mStorage[out] = rasterise(regions, TensorUtils::storageElements(out), zeros,
                                      [this](Tensor* o) -> const Values& { return storage(o); });
            break;
        }
        case OpType_UnaryOp:
            lanes([&](size_t i) { return unary(op->main_as_UnaryOp()->opType(), in[0][i]); });
            break;
        case OpType_BinaryOp:
            lanes([&](size_t i) { return binary(op->main_as_BinaryOp()->opType(), in[0][i], in[1][i]); });
            break;
        case OpType_Select:
            lanes([&](size_t i) { return in[0][i] != 0 ? in[1][i] : in[2][i]; });
            break;
        case OpType_Cast:
            lanes([&](size_t i) { return out->getType().code == halide_type_float ? in[0][i] : std::trunc(in[0][i]); });
            break;
        case OpType_Scale: {
            const int64_t area = geometry::imageSize(out).area, channels = geometry::imageSize(out).channels;
            const auto* p = op->main_as_Scale();
            lanes([&](size_t i) {
                const int c = static_cast<int>(i / area % channels);
                return in[0][i] * p->scaleData()->Get(c) +
                       (p->biasData() != nullptr && p->biasData()->size() > 0 ? p->biasData()->Get(c) : 0.0f);
            });
            break;
        }
        case OpType_Reduction: {
            const Dims d = command.inputs[0]->shape();
            ASSERT_EQ(d.size(), 3u);
            Values y(int64_t(d[0]) * d[2]);
            for (int o = 0; o < d[0]; ++o) {
                for (int s = 0; s < d[2]; ++s) {
                    Values line;
                    for (int k = 0; k < d[1]; ++k) line.push_back(in[0][(o * d[1] + k) * d[2] + s]);
                    y[o * d[2] + s] = reduce(op->main_as_ReductionParam()->operation(), line);
                }
            }
            write(out, y);
            break;
        }
        case OpType_Softmax: {
            const Dims d = out->shape();
            const int axis = op->main_as_Axis()->axis();
            const int64_t inside = geometry::product(d, axis + 1, d.size()), n = d[axis];
            Values y(in[0].size());
            for (size_t i = 0; i < y.size(); ++i) {
                const int64_t first = i - (i / inside % n) * inside;
                float sum = 0;
                for (int64_t k = 0; k < n; ++k) sum += std::exp(in[0][first + k * inside]);
                y[i] = std::exp(in[0][i]) / sum;
            }
            write(out, y);
            break;
        }
        case OpType_LayerNorm: {
            const auto* p = op->main_as_LayerNorm();
            const Dims d = command.inputs[0]->shape();
            const int64_t n = geometry::product(d, d.size() - p->axis()->size(), d.size());
            Values y(in[0].size());
            for (size_t i = 0; i < y.size(); ++i) {
                const size_t first = i / n * n;
                float mean = 0, variance = 0;
                for (int64_t k = 0; k < n && !p->useRMSNorm(); ++k) mean += in[0][first + k] / n;
                for (int64_t k = 0; k < n; ++k) variance += (in[0][first + k] - mean) * (in[0][first + k] - mean) / n;
                y[i] = (in[0][i] - mean) / std::sqrt(variance + p->epsilon());
                if (p->gamma() != nullptr && p->gamma()->size() > 0) {
                    y[i] = y[i] * p->gamma()->Get(i % n) + p->beta()->Get(i % n);
                }
            }
            write(out, y);
            break;
        }
        case OpType_MatMul:
            write(out, matmul(op->main_as_MatMul(), command.inputs[0], command.inputs[1], in[0], in[1], out,
                              in.size() > 2 ? &in[2] : nullptr));
            break;
        case OpType_Convolution:
        case OpType_ConvolutionDepthwise:
            write(out, convolution(op->main_as_Convolution2D(), command.inputs[0], in[0], out,
                                   in.size() > 1 ? &in[1] : nullptr, op->type() == OpType_ConvolutionDepthwise));
            break;
        case OpType_Deconvolution:
            write(out, deconvolution(op->main_as_Convolution2D(), command.inputs[0], in[0], out));
            break;
        case OpType_ReLU6: {
            const auto* p = op->main_as_Relu6();
            lanes([&](size_t i) { return std::fmin(std::fmax(in[0][i], p->minValue()), p->maxValue()); });
            break;
        }
        case OpType_TopKV2:
            topK(command, in[0]);
            break;
        case OpType_Pooling:
            write(out, pool(op->main_as_Pool(), command.inputs[0], in[0], out));
            break;
        default:
            ADD_FAILURE() << "no reference for " << EnumNameOpType(op->type());
    }
}

// The k largest along the last dimension, in order.
void Harness::topK(const Command& command, const Values& x) {
    const Tensor* in = command.inputs[0];
    const int n = in->length(in->dimensions() - 1), k = command.outputs[0]->length(in->dimensions() - 1);
    Values values, indices;
    for (size_t row = 0; row < x.size(); row += n) {
        std::vector<int> order(n);
        for (int i = 0; i < n; ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[row + a] > x[row + b]; });
        for (int i = 0; i < k; ++i) {
            values.push_back(x[row + order[i]]);
            indices.push_back(static_cast<float>(order[i]));
        }
    }
    write(command.outputs[0], values);
    write(command.outputs[1], indices);
}

Values Harness::read(Tensor* t) {
    for (; mRun < mBuffer.commands.size(); ++mRun) run(*mBuffer.commands[mRun]);
    return rowMajor(t);
}

void expectNear(const Values& got, const Values& want, float tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
        ASSERT_NEAR(got[i], want[i], tolerance * std::fmax(1.0f, std::fabs(want[i])))
            << "element " << i << " of " << want.size();
    }
}

}  // namespace test
}  // namespace MNN
