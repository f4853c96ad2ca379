// Shared by the ImageProcess tests.
#ifndef MNN_TEST_CV_IMAGETESTUTIL_HPP
#define MNN_TEST_CV_IMAGETESTUTIL_HPP

#include <MNN/ImageProcess.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace MNN {
namespace CV {

struct DestroyImageProcess {
    void operator()(ImageProcess* p) const { ImageProcess::destroy(p); }
};
using ProcessPtr = std::unique_ptr<ImageProcess, DestroyImageProcess>;

inline ProcessPtr makeProcess(ImageFormat source, ImageFormat dest, Filter filter = NEAREST,
                              Wrap wrap = CLAMP_TO_EDGE) {
    ImageProcess::Config config;
    config.sourceFormat = source;
    config.destFormat = dest;
    config.filterType = filter;
    config.wrap = wrap;
    return ProcessPtr(ImageProcess::create(config));
}

inline std::vector<uint8_t> randomBytes(size_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<uint8_t> bytes(count);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random() >> 8);
    return bytes;
}

}  // namespace CV
}  // namespace MNN

#endif
