#include "picture.hpp"

#include <cstdio>
#include <fstream>
#include <unistd.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#include <stb/stb_image.h>

namespace demo {

bool loadPicture(const std::string& file, int channels, Picture* picture) {
    int inFile = 0;
    std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load(file.c_str(), &picture->width, &picture->height, &inFile, channels), stbi_image_free);
    if (!pixels) {
        std::fprintf(stderr, "Cannot read the picture %s: %s\n", file.c_str(), stbi_failure_reason());
        return false;
    }
    picture->channels = channels;
    picture->pixels.assign(pixels.get(), pixels.get() + size_t(picture->width) * picture->height * channels);
    return true;
}

bool loadLines(const std::string& file, std::vector<std::string>* lines) {
    std::ifstream in(file);
    if (!in) {
        std::fprintf(stderr, "Cannot read %s\n", file.c_str());
        return false;
    }
    for (std::string line; std::getline(in, line);) lines->push_back(line);
    return true;
}

void progress(const std::string& what) {
    static const bool terminal = isatty(STDERR_FILENO) != 0;
    if (terminal) std::fprintf(stderr, "\r\033[K%s%s", what.c_str(), what.empty() ? "" : " ...");
}

}  // namespace demo
