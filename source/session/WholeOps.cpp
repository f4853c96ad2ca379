#include "session/WholeOps.hpp"

#include <MNN/MNNDefine.h>
#include <cstring>

namespace MNN {
namespace {

bool fail(const Op* op, const char* why) {
    MNN_ERROR("op '%s' (%s): %s\n", op->name() == nullptr ? "" : op->name()->c_str(), EnumNameOpType(op->type()), why);
    return false;
}

template <typename Param>
void replace(OpNode* node, Param param) {
    OpT made;
    if (node->op->name() != nullptr) made.name = node->op->name()->str();
    made.type = node->op->type();
    made.defaultDimentionFormat = node->op->defaultDimentionFormat();
    made.main.Set(std::move(param));
    node->owned = std::make_shared<OwnedOp>(made);
    node->op = node->owned->get();
}

const TensorDescribe* describeOf(const TensorDescribes* all, int tensor) {
    for (uint32_t i = 0; all != nullptr && i < all->size(); ++i) {
        if (all->Get(i)->index() == tensor) return all->Get(i);
    }
    return nullptr;
}

std::unique_ptr<AttributeT> integers(const char* key, std::vector<int32_t> values) {
    std::unique_ptr<AttributeT> attribute(new AttributeT);
    attribute->key = key;
    attribute->list.reset(new ListValueT);
    attribute->list->i = std::move(values);
    return attribute;
}

bool appendView(const View* view, std::vector<int32_t>* numbers) {
    if (view == nullptr || view->stride() == nullptr || view->stride()->size() != 3) return false;
    numbers->push_back(view->offset());
    numbers->insert(numbers->end(), view->stride()->begin(), view->stride()->end());
    return true;
}

// As the attribute `region` lists it: source offset and strides, destination offset and strides, sizes.
bool appendRegion(const Region* region, std::vector<int32_t>* numbers) {
    if (!appendView(region->src(), numbers) || !appendView(region->dst(), numbers)) return false;
    if (region->size() == nullptr || region->size()->size() != 3) return false;
    numbers->insert(numbers->end(), region->size()->begin(), region->size()->end());
    return true;
}

// A file that is lowered already (INFERENCE_STATIC) describes what a Raster op moves, and its output's shape, in
// Net.extraTensorDescribe. Both become Extra attributes, and each Region gets an input of its own.
bool takeDescribedRegions(const TensorDescribes* describes, const TensorTable& table, OpNode* node) {
    const Op* op = node->op;
    if (op->outputIndexes() == nullptr || op->outputIndexes()->size() != 1) return true;
    const TensorDescribe* describe = describeOf(describes, op->outputIndexes()->Get(0));
    if (describe == nullptr || describe->regions() == nullptr || describe->blob() == nullptr) return true;
    std::vector<int32_t> numbers, shape;
    std::vector<Tensor*> origins;
    bool good = true;
    for (const Region* region : *describe->regions()) {
        // The origin counts the op's inputs.
        const auto* inputs = op->inputIndexes();
        good = good && inputs != nullptr && region->origin() >= 0 &&
               region->origin() < static_cast<int>(inputs->size()) && appendRegion(region, &numbers);
        if (!good) break;
        origins.push_back(table.tensors[inputs->Get(region->origin())].get());
    }
    if (!good) {
        return fail(op, "the regions described for its output are broken");
    }
    if (describe->blob()->dims() != nullptr)
        shape.assign(describe->blob()->dims()->begin(), describe->blob()->dims()->end());
    ExtraT extra;
    extra.engine = "MNN";
    extra.type = "Raster";
    extra.attr.push_back(integers("region", std::move(numbers)));
    extra.attr.push_back(integers("shape", std::move(shape)));
    if (!origins.empty()) node->inputs = std::move(origins);
    replace(node, std::move(extra));
    return true;
}

// Piece `index` of `external`, which lists an offset and then the bytes of each piece. Empty where it is not listed.
bool sidePiece(const Op* op, const std::vector<int64_t>& external, size_t index, const Backend::ExternalData& file,
               std::vector<float>* values) {
    values->clear();
    if (external.size() < index + 2) return true;
    uint64_t begin = 0;
    for (size_t i = 0; i < index + 2; ++i) {
        const bool inside = external[i] >= 0 && static_cast<uint64_t>(external[i]) <= file.size - begin;
        if (!inside) return fail(op, "its parameters lie past the end of the weight file");
        if (i <= index) begin += static_cast<uint64_t>(external[i]);
    }
    values->resize(static_cast<size_t>(external[index + 1]) / sizeof(float));
    if (!values->empty()) std::memcpy(values->data(), file.data + begin, values->size() * sizeof(float));
    return true;
}

// Fills two vectors of a parameter table from the side file, and drops the note that they lie there.
template <typename Native>
bool fillFromSideFile(const Model& model, const Op* op, Native* param, std::vector<float> Native::*first,
                      std::vector<float> Native::*second) {
    const Backend::ExternalData file = model.external();
    if (!sidePiece(op, param->external, 0, file, &(param->*first)) ||
        !sidePiece(op, param->external, 1, file, &(param->*second))) {
        return false;
    }
    param->external.clear();
    return true;
}

template <typename Table>
bool inSideFile(const Table* stored) {
    return stored != nullptr && stored->external() != nullptr && stored->external()->size() >= 2;
}

template <typename Param>
bool takeFromSideFile(const Model& model, OpNode* node, const Param* stored,
                      std::vector<float> Param::NativeTableType::*first,
                      std::vector<float> Param::NativeTableType::*second) {
    if (!inSideFile(stored)) return true;
    std::unique_ptr<typename Param::NativeTableType> param(stored->UnPack());
    if (!fillFromSideFile(model, node->op, param.get(), first, second)) return false;
    replace(node, std::move(*param));
    return true;
}

bool takeHeadNorms(const Model& model, OpNode* node, const RoPEParam* stored) {
    if (stored == nullptr || (!inSideFile(stored->q_norm()) && !inSideFile(stored->k_norm()))) return true;
    std::unique_ptr<RoPEParamT> param(stored->UnPack());
    for (LayerNormT* norm : {param->q_norm.get(), param->k_norm.get()}) {
        if (norm == nullptr || norm->external.size() < 2) continue;
        if (!fillFromSideFile(model, node->op, norm, &LayerNormT::gamma, &LayerNormT::beta)) return false;
    }
    replace(node, std::move(*param));
    return true;
}

}  // namespace

bool makeWhole(const Model& model, const TensorDescribes* describes, const TensorTable& table, OpNode* node) {
    const Op* op = node->op;
    switch (op->main_type()) {
        case OpParameter_LayerNorm:
            return takeFromSideFile(model, node, op->main_as_LayerNorm(), &LayerNormT::gamma, &LayerNormT::beta);
        case OpParameter_GroupNorm:
            return takeFromSideFile(model, node, op->main_as_GroupNorm(), &GroupNormT::gamma, &GroupNormT::beta);
        case OpParameter_Scale:
            return takeFromSideFile(model, node, op->main_as_Scale(), &ScaleT::scaleData, &ScaleT::biasData);
        case OpParameter_RoPEParam:
            return takeHeadNorms(model, node, op->main_as_RoPEParam());
        case OpParameter_NONE:
            return op->type() != OpType_Raster || takeDescribedRegions(describes, table, node);
        default:
            return true;
    }
}

}  // namespace MNN
