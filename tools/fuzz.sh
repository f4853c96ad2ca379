#!/usr/bin/env bash
# Fuzzes every reader with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer. Not part of tools/test.sh.
#
#   tools/fuzz.sh [--seconds 600] [READER...]       e.g. tools/fuzz.sh --seconds 60 onnx
#
# READER is mnn, onnx, json or npy; all by default, --seconds each. What is found grows a corpus in build-fuzz/corpus; an
# input that breaks a reader is left beside it and named. The last line is `N passed, M failed, 0 skipped`.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
ROOT=$PWD
. tools/packages.sh
BUILD=$ROOT/build-fuzz
SECONDS_EACH=600
READERS=()

while [ $# != 0 ]; do
    case $1 in
    --seconds) SECONDS_EACH=$2; shift 2 ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    mnn | onnx | json | npy) READERS+=("$1"); shift ;;
    *) echo "No reader '$1'. Readers: mnn onnx json npy" >&2; exit 2 ;;
    esac
done
[ ${#READERS[@]} != 0 ] || READERS=(mnn onnx json npy)

# seed READER: files that are right, to begin with; small ones, so that a mutation hits something.
seed() {
    local corpus=$BUILD/corpus/$1
    mkdir -p "$corpus"
    case $1 in
    mnn) find test/data/mnn -name '*.mnn' -size -40k -exec cp -n {} "$corpus/" \; ;;
    onnx) find /usr/share/libonnx-testdata/data/node tools/demo -name '*.onnx' -size -8k 2>/dev/null | while read -r file; do
              cp -n "$file" "$corpus/$(tr / _ <<<"${file#/}")"; done ;;
    json) echo '{oplists: [{name: "x", type: "Input", outputIndexes: [0], main_type: "Input", main: {dims: [1, 3]}}], tensorName: ["x"]}' \
              >"$corpus/input.json" ;;
    npy) find test/data -name '*.npy' -size -8k | while read -r file; do cp -n "$file" "$corpus/$(tr / _ <<<"$file")"; done ;;
    esac
}

install_packages "${BUILD_PACKAGES[@]}" clang libclang-rt-dev || exit 1
mkdir -p "$BUILD"
cmake -G Ninja -S "$ROOT" -B "$BUILD" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g1" -DCMAKE_C_COMPILER=clang \
    -DCMAKE_CXX_COMPILER=clang++ -DMNN_BUILD_FUZZ=ON -DMNN_BUILD_TOOLS=OFF -DMNN_SIMD_TARGETS=AVX2 \
    -DMNN_SANITIZE=fuzzer-no-link,address,undefined >"$BUILD/configure.log" 2>&1 ||
    { tail -20 "$BUILD/configure.log"; exit 1; }
ninja -C "$BUILD" "${READERS[@]/#/fuzz_}" || exit 1

passed=0 failed=0
for reader in "${READERS[@]}"; do
    seed "$reader"
    echo "== $reader, $SECONDS_EACH s"
    if (cd "$BUILD" && ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1:max_allocation_size_mb=1024 "test/fuzz/fuzz_$reader" \
        -max_total_time="$SECONDS_EACH" -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 "corpus/$reader" 2>"fuzz-$reader.log")
    then passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "fuzz_$reader stopped; from $BUILD/fuzz-$reader.log:"
        grep -E 'SUMMARY|Test unit written|ERROR' "$BUILD/fuzz-$reader.log" | head -5
    fi
    grep -E 'number_of_executed_units' "$BUILD/fuzz-$reader.log"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
