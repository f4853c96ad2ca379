// GeometryContext, and how a tensor becomes a view.
#include "geometry/Geometry.hpp"

#include <algorithm>
#include <iterator>
#include "geometry/GeometryUtils.hpp"

namespace MNN {

using core::RegionList;

GeometryContext::GeometryContext(CommandBuffer* buffer, const BackendTraits& traits, const BackendConfig& config)
    : mBuffer(buffer), mTraits(traits), mConfig(config) {}

Tensor* GeometryContext::makeTensor(const std::vector<int>& dims, halide_type_t type, MNN_DATA_FORMAT format) {
    std::shared_ptr<Tensor> t(Tensor::createDevice(dims, type, Tensor::CAFFE));
    TensorUtils::setFormat(t.get(), format);
    TensorUtils::setLinearLayout(t.get());
    mBuffer->extras.push_back(t);
    return t.get();
}

Tensor* GeometryContext::allocConst(const std::vector<int>& dims, halide_type_t type, MNN_DATA_FORMAT format) {
    Tensor* t = makeTensor(dims, type, format);
    if (!TensorUtils::allocHost(t)) {
        MNN_ERROR("no memory for a constant %s\n", TensorUtils::text(t).c_str());
        return nullptr;
    }
    auto* describe = TensorUtils::describe(t);
    describe->usage = TensorUsage::Constant;
    describe->hostKnown = true;
    return t;
}

Tensor* GeometryContext::constInts(const std::vector<int>& values) {
    Tensor* t = allocConst({static_cast<int>(values.size())}, halide_type_of<int32_t>());
    if (t != nullptr) std::copy(values.begin(), values.end(), t->host<int32_t>());
    return t;
}

Tensor* GeometryContext::constFloat(float value) {
    Tensor* t = allocConst({}, halide_type_of<float>());
    if (t != nullptr) t->host<float>()[0] = value;
    return t;
}

Tensor* GeometryContext::plain(Tensor* t) {
    if (!TensorUtils::isPacked(t)) return t;
    Tensor*& view = mViews[{t, 1}];
    if (view == nullptr) {
        view = makeTensor(t->shape(), t->getType());
        RegionList regions;
        const int channels = geometry::imageSize(t).channels;
        geometry::moveChannels(t, 0, channels, 1, 0, channels, &regions);
        geometry::setStorageView(view, std::move(regions), *this);
        mShows[view] = t;
    }
    return view;
}

Tensor* GeometryContext::packed(Tensor* t, int pack) {
    auto shown = mShows.find(t);
    if (shown != mShows.end()) t = shown->second;
    if (TensorUtils::isPacked(t) && TensorUtils::describe(t)->pack == pack) return t;
    Tensor*& view = mViews[{t, pack}];
    if (view == nullptr) {
        view = makeTensor(t->shape(), t->getType());
        TensorUtils::setFormat(view, MNN_DATA_FORMAT_NC4HW4, pack);
        RegionList regions;
        const int channels = geometry::imageSize(t).channels;
        geometry::moveChannels(t, 0, channels, pack, 0, channels, &regions);
        geometry::setStorageView(view, std::move(regions), *this);
    }
    return view;
}

int GeometryContext::packFor(int channels) const {
    int pack = std::max(4, mTraits.pack);
    auto wasteful = [channels](int p) {
        const int64_t stored = (static_cast<int64_t>(channels) + p - 1) / p * p;
        return (stored - channels) * 4 > stored;
    };
    while (pack > 4 && wasteful(pack)) pack /= 2;
    return pack;
}

Tensor* GeometryContext::packedOutput(Tensor* output, int pack) {
    auto* describe = TensorUtils::describe(output);
    if (TensorUtils::isPacked(output) && describe->pack == pack) return output;
    if (describe->usage == TensorUsage::Normal) {
        TensorUtils::setFormat(output, MNN_DATA_FORMAT_NC4HW4, pack);
        return output;
    }
    Tensor* stored = makeTensor(output->shape(), output->getType());
    TensorUtils::setFormat(stored, MNN_DATA_FORMAT_NC4HW4, pack);
    RegionList regions;
    const int channels = geometry::imageSize(output).channels;
    geometry::moveChannels(stored, 0, channels, geometry::storagePack(output), 0, channels, &regions);
    geometry::setStorageView(output, std::move(regions), *this);
    mShows[output] = stored;
    return stored;
}

Tensor* GeometryContext::plainOutput(Tensor* output) {
    if (!TensorUtils::isPacked(output)) return output;
    Tensor* stored = makeTensor(output->shape(), output->getType());
    RegionList regions;
    const int channels = geometry::imageSize(output).channels;
    geometry::moveChannels(stored, 0, channels, geometry::storagePack(output), 0, channels, &regions);
    geometry::setStorageView(output, std::move(regions), *this);
    return stored;
}

Command* GeometryContext::addWhole(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    auto command = std::make_shared<Command>();
    command->op = op;
    for (Tensor* t : inputs) command->inputs.push_back(geometry::resolve(t));
    command->outputs = outputs;
    command->source = mSource;
    mBuffer->commands.push_back(command);
    return command.get();
}

Command* GeometryContext::add(std::shared_ptr<OwnedOp> op, const Tensors& inputs, const Tensors& outputs) {
    Command* command = addWhole(op->get(), inputs, outputs);
    command->ownedOp = std::move(op);
    return command;
}

Command* GeometryContext::add(const OpT& op, const Tensors& inputs, const Tensors& outputs) {
    return add(std::make_shared<OwnedOp>(op), inputs, outputs);
}

void GeometryContext::clearViews() {
    mViews.clear();
    mShows.clear();
}

namespace geometry {
namespace {

// Regions on real origins only; materialises a virtual origin that cannot be composed.
RegionList composeAll(const RegionList& regions, GeometryContext& ctx) {
    RegionList result;
    for (const core::Region& region : regions) {
        if (region.elements() == 0) continue;
        Tensor* origin = region.origin;
        const bool composed =
            TensorUtils::isVirtual(origin) && core::compose(region, TensorUtils::describe(origin)->regions,
                                                            TensorUtils::storageElements(origin), &result, kMaxRegions);
        if (composed) continue;
        if (TensorUtils::isVirtual(origin)) makeRaster(ctx, origin);
        result.push_back(region);
    }
    return core::fuseRegions(std::move(result));
}

bool tooMany(const RegionList& regions, int bytes) {
    const int count = static_cast<int>(regions.size());
    if (count > kMaxRegions) return true;
    if (count <= kFineRegions) return false;
    int64_t total = 0;
    for (const core::Region& region : regions) total += region.elements() * bytes;
    return total < static_cast<int64_t>(count) * kMinRegionBytes;
}

bool isScattered(const Tensor* t) { return TensorUtils::isVirtual(t) && TensorUtils::describe(t)->regions.size() > 1; }

}  // namespace

void setStorageView(Tensor* output, RegionList regions, GeometryContext& ctx) {
    RegionList composed = composeAll(regions, ctx);
    const int bytes = output->getType().bytes();
    if (composed.size() > regions.size() && tooMany(composed, bytes)) {
        for (const core::Region& region : regions) {
            if (TensorUtils::isVirtual(region.origin)) makeRaster(ctx, region.origin);
        }
        composed = core::fuseRegions(std::move(regions));
    }
    const bool materialise = static_cast<int>(composed.size()) > kMaxRegions;
    TensorUtils::setVirtual(output, std::move(composed));
    if (materialise) makeRaster(ctx, output);
}

void setView(Tensor* output, RegionList regions, GeometryContext& ctx) {
    if (!TensorUtils::isPacked(output)) return setStorageView(output, std::move(regions), ctx);
    Tensor* plain = ctx.makeTensor(output->shape(), output->getType());
    setStorageView(plain, std::move(regions), ctx);
    RegionList packing;
    const int channels = imageSize(output).channels;
    moveChannels(plain, 0, channels, storagePack(output), 0, channels, &packing);
    setStorageView(output, std::move(packing), ctx);
}

void makeRaster(GeometryContext& ctx, Tensor* virtualTensor) {
    auto* describe = TensorUtils::describe(virtualTensor);
    Tensors origins;
    for (const core::Region& region : describe->regions) {
        if (std::find(origins.begin(), origins.end(), region.origin) == origins.end()) origins.push_back(region.origin);
    }
    describe->memory = TensorMemory::None;
    ctx.add(makeOp(OpType_Raster), origins, {virtualTensor});
    // Commands that were to read the view now read the real tensor, so it must be written before the first of them.
    auto& commands = ctx.buffer()->commands;
    const auto raster = std::prev(commands.end());
    const auto reader = std::find_if(commands.begin(), raster, [&](const std::shared_ptr<Command>& command) {
        return std::find(command->inputs.begin(), command->inputs.end(), virtualTensor) != command->inputs.end();
    });
    std::rotate(reader, raster, commands.end());
}

Tensor* singleRegion(Tensor* t, GeometryContext& ctx) {
    if (isScattered(t)) makeRaster(ctx, t);
    return t;
}

Tensor* resolve(Tensor* t) {
    while (TensorUtils::isVirtual(t)) {
        const RegionList& regions = TensorUtils::describe(t)->regions;
        if (regions.size() != 1) return t;
        Tensor* origin = regions[0].origin;
        const int64_t elements = TensorUtils::storageElements(t);
        const bool same = TensorUtils::sameStorage(t, origin) && TensorUtils::sameShape(t, origin) &&
                          t->getType() == origin->getType() && core::isIdentity(regions[0], elements);
        if (!same) return t;
        t = origin;
    }
    return t;
}

void setReshape(Tensor* output, Tensor* input, GeometryContext& ctx) {
    const ImageSize in = imageSize(input), out = imageSize(output);
    const bool sameImage = in.batch == out.batch && in.channels == out.channels && in.area == out.area;
    if (TensorUtils::isPacked(input) && sameImage && TensorUtils::describe(output)->usage == TensorUsage::Normal &&
        output->dimensions() >= 2) {
        TensorUtils::setFormat(output, MNN_DATA_FORMAT_NC4HW4, TensorUtils::describe(input)->pack);
        setStorageView(output, {core::copyAll(input, TensorUtils::storageElements(input))}, ctx);
        return;
    }
    Tensor* from = ctx.plain(input);
    setView(output, {core::copyAll(from, TensorUtils::elements(from))}, ctx);
}

void setStridedView(Tensor* output, Tensor* input, int64_t offset, const std::vector<int64_t>& strides,
                    GeometryContext& ctx) {
    const std::vector<int> dims = output->shape();
    RegionList regions;
    appendMove(&regions, input, dims, offset, strides, 0, rowMajorStrides(dims));
    setView(output, std::move(regions), ctx);
}

Tensor* broadcastTo(Tensor* input, const std::vector<int>& dims, GeometryContext& ctx) {
    input = ctx.plain(input);
    const std::vector<int> from = input->shape();
    if (from == dims) return input;
    if (product(dims) > product(from)) input = singleRegion(input, ctx);
    const std::vector<int64_t> dense = rowMajorStrides(from);
    std::vector<int64_t> strides(dims.size(), 0);
    for (size_t back = 1; back <= from.size() && back <= dims.size(); ++back) {
        if (from[from.size() - back] != 1) strides[dims.size() - back] = dense[from.size() - back];
    }
    Tensor* output = ctx.makeTensor(dims, input->getType(), TensorUtils::describe(input)->format);
    setStridedView(output, input, 0, strides, ctx);
    return output;
}

Tensor* reshape(Tensor* input, const std::vector<int>& dims, GeometryContext& ctx) {
    if (input->shape() == dims) return input;
    Tensor* output = ctx.makeTensor(dims, input->getType());
    setReshape(output, input, ctx);
    return output;
}

Tensor* permute(Tensor* input, const std::vector<int>& perm, GeometryContext& ctx) {
    input = ctx.plain(input);
    const std::vector<int> from = input->shape();
    const std::vector<int64_t> dense = rowMajorStrides(from);
    std::vector<int> dims;
    std::vector<int64_t> strides;
    for (int axis : perm) {
        dims.push_back(from[axis]);
        strides.push_back(dense[axis]);
    }
    Tensor* output = ctx.makeTensor(dims, input->getType());
    setStridedView(output, input, 0, strides, ctx);
    return output;
}

std::vector<int64_t> rowMajorStrides(const std::vector<int>& dims) { return core::rowMajorStrides(dims); }

}  // namespace geometry
}  // namespace MNN
