#!/usr/bin/env bash
# From an ONNX model to an answer on a picture: installs packages, builds, converts, runs.
#
#   tools/demo.sh [--only ocr|digits]
#
# Reads the lines of tools/demo/ocr/lines.png with the PP-OCRv4 models, which PyPI serves; where they cannot be
# downloaded, names the handwritten digit on tools/demo/digits/digit.png with a network that lies in this repository.
# Ends with status 0 only when the answer is the right one. MNN_DEMO_BUILD names a folder that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/packages.sh

step() { echo "== $*"; }

# quietly LOG COMMAND...: on a terminal the command shows its own progress; elsewhere its output is kept in a log,
# whose end is shown when it fails.
quietly() {
    local log=$1; shift
    if [ -t 1 ]; then "$@"; return; fi
    "$@" >"$log" 2>&1 </dev/null || { local status=$?; tail -n 30 "$log"; return $status; }
}

build() {
    BUILD=${MNN_DEMO_BUILD:-}
    [ -z "$BUILD" ] || return 0
    step "Packages"
    install_packages "${BUILD_PACKAGES[@]}"
    step "Build (several minutes the first time)"
    BUILD=$PWD/build-release
    mkdir -p "$BUILD"
    cmake -G Ninja -S . -B "$BUILD" -DCMAKE_BUILD_TYPE=Release >"$BUILD/configure.log" 2>&1 || { tail -n 30 "$BUILD/configure.log"; return 1; }
    quietly "$BUILD/build.log" ninja -C "$BUILD" MNNConvert ocr_demo digit_demo
}

# command NAME: where the build put it.
command_path() { find "$BUILD" -type f -perm -u+x -name "$1" -print -quit; }

convert() {
    "$(command_path MNNConvert)" -f ONNX --modelFile "$1" --MNNModel "$2" --bizCode demo
}

run_digits() {
    step "Convert tools/demo/digits/digits.onnx"
    convert tools/demo/digits/digits.onnx "$BUILD/digits.mnn"
    step "Run"
    "$(command_path digit_demo)" "$BUILD/digits.mnn" tools/demo/digits/digit.png --expect tools/demo/digits/digit.txt
}

run_ocr() {
    local models=$1 out=$BUILD/ocr
    mkdir -p "$out"
    cp "$models/characters.txt" "$out/"
    step "Convert the PP-OCRv4 detector and reader"
    convert "$models/det.onnx" "$out/det.mnn"
    convert "$models/rec.onnx" "$out/rec.mnn"
    step "Run"
    "$(command_path ocr_demo)" "$out" tools/demo/ocr/lines.png --expect tools/demo/ocr/lines.txt
}

only=
case ${1:-} in
"") ;;
--only) only=${2:-}; case $only in ocr | digits) ;; *) echo "--only takes ocr or digits" >&2; exit 2 ;; esac ;;
*) sed -n '2,8s/^# \{0,1\}//p' "$0"; [ "$1" = --help ] && exit 0; exit 2 ;;
esac

build
if [ "$only" = digits ]; then run_digits; exit; fi
step "Models"
if models=$(bash tools/demo/ocr/fetch_models.sh); then run_ocr "$models"
elif [ "$only" = ocr ]; then echo "The PP-OCRv4 models cannot be downloaded." >&2; exit 1
else
    echo "The PP-OCRv4 models cannot be downloaded; here is a handwritten digit instead."
    run_digits
fi
