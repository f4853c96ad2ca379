# Sourced by demo.sh and test.sh: installs Debian packages that are not there yet.
# shellcheck shell=bash disable=SC2034

# as_root COMMAND...: runs it directly for root, through sudo for anyone else.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages NAME...: apt-get installs the missing ones; says nothing when all are present.
install_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
    done
    [ ${#missing[@]} = 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "These packages are missing, and this system has no apt-get: ${missing[*]}" >&2
        return 1
    fi
    echo "Installing ${missing[*]}"
    as_root apt-get update -qq || return 1
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

BUILD_PACKAGES=(cmake ninja-build g++ ccache pkg-config python3 python3-venv
    flatbuffers-compiler libflatbuffers-dev libprotobuf-dev protobuf-compiler libhwy-dev
    libcli11-dev nlohmann-json3-dev libfmt-dev libstb-dev)

TEST_PACKAGES=(git libgtest-dev libbenchmark-dev libonnx-testdata clang-format
    g++-aarch64-linux-gnu qemu-user)

# Downloads and Python environments outlive a build folder, so that a second clone does not fetch them again.
cache_folder() {
    echo "${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/libmnn"
}

# python_env REQUIREMENTS: prints the Python of a virtual environment with exactly these packages, made on first use.
python_env() {
    local requirements=$1 env
    env=$(cache_folder)/venv-$(python3 -V 2>&1 | tr -d ' ')-$(sha256sum <"$requirements" | cut -c1-12)
    if [ ! -e "$env/complete" ]; then
        rm -rf "$env"
        mkdir -p "$(dirname "$env")"
        python3 -m venv "$env" >&2 && "$env/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements" >&2 || return 1
        touch "$env/complete"
    fi
    echo "$env/bin/python"
}
