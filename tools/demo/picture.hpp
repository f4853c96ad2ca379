// What both demos need around the engine: a picture from a file, a clock, and a progress line for terminals.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace demo {

/// Pixels row by row, `channels` bytes each: 3 is RGB, 1 is grey.
struct Picture {
    int width = 0, height = 0, channels = 0;
    std::vector<uint8_t> pixels;
};

/// Reads a PNG or JPEG file. Returns false, and says why on standard error, when it cannot.
bool loadPicture(const std::string& file, int channels, Picture* picture);

/// Lines of a text file, without line ends.
bool loadLines(const std::string& file, std::vector<std::string>* lines);

class Stopwatch {
public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - mStart).count();
    }

private:
    std::chrono::steady_clock::time_point mStart = std::chrono::steady_clock::now();
};

/// Says on a terminal what is going on, in one line that the next one replaces; silent where output is no terminal.
void progress(const std::string& what);

}  // namespace demo
