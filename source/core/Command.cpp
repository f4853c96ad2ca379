#include "core/Command.hpp"

namespace MNN {

OwnedOp::OwnedOp(const OpT& op) {
    flatbuffers::FlatBufferBuilder builder(256);
    builder.ForceDefaults(true);
    builder.Finish(Op::Pack(builder, &op));
    mBuffer = builder.Release();
    mOp = flatbuffers::GetRoot<Op>(mBuffer.data());
}

OwnedOp::OwnedOp(flatbuffers::FlatBufferBuilder&& builder) {
    mBuffer = builder.Release();
    mOp = flatbuffers::GetRoot<Op>(mBuffer.data());
}

bool OwnedOp::sameAs(const OwnedOp& other) const {
    return mBuffer.size() == other.mBuffer.size() &&
           std::equal(mBuffer.data(), mBuffer.data() + mBuffer.size(), other.mBuffer.data());
}

}  // namespace MNN
