// Runs a command of the build as a process, and files for it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace mnn_test {

struct Ended {
    bool crashed = false;
    int status = -1;
    std::string text;  // standard output and standard error together
    bool mentions(const std::string& part) const { return text.find(part) != std::string::npos; }
};

inline std::string shellQuoted(const std::string& text) {
    std::string result = "'";
    for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// `arguments` is a shell text. A process that a signal ended has crashed; so has one that a sanitizer stopped.
inline Ended runProcess(const std::string& program, const std::string& arguments) {
    Ended ended;
    FILE* pipe = popen((shellQuoted(program) + " " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return ended;
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) ended.text.append(buffer, n);
    const int status = pclose(pipe);
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    // A shell reports a signal of its child as 128 + number.
    ended.crashed = !WIFEXITED(status) || ended.status >= 128 || ended.mentions("Sanitizer");
    return ended;
}

// A folder that goes away with its owner.
class Folder {
public:
    explicit Folder(const std::string& name)
        : mPath(std::filesystem::temp_directory_path() / (name + "." + std::to_string(getpid()))) {
        std::filesystem::remove_all(mPath);
        std::filesystem::create_directories(mPath);
    }
    ~Folder() { std::filesystem::remove_all(mPath); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (mPath / name).string(); }
    bool has(const std::string& name) const { return std::filesystem::exists(mPath / name); }
    bool empty() const { return std::filesystem::is_empty(mPath); }
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(mPath / name, std::ios::binary) << bytes;
        return *this / name;
    }
    std::string read(const std::string& name) const {
        std::ifstream file(mPath / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

private:
    const std::filesystem::path mPath;
};

}  // namespace mnn_test
