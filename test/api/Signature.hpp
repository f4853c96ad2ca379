// has<Signature>(&member) compiles only while `member` has exactly that signature, and links only while it is exported.
#ifndef MNN_TEST_API_SIGNATURE_HPP
#define MNN_TEST_API_SIGNATURE_HPP

#include <cstddef>

extern volatile unsigned char signatureSink;

template <typename Signature>
void has(Signature pointer) {
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&pointer);
    for (std::size_t i = 0; i < sizeof(pointer); ++i) signatureSink = bytes[i];
}

#endif
