#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. The last line is `N passed, M failed, K skipped`.
#
#   tools/test.sh [--quick] [STAGE...]
#
# Without STAGE all of them run, in the order of ALL below; --quick runs the short ones. Builds go to build-release,
# build-sanitize, build-thread and build-aarch64, logs to build-test; downloads and Python environments to
# $XDG_CACHE_HOME/libmnn.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
ROOT=$PWD
. tools/packages.sh

ALL=(format build unit conformance light mnn_files ocr demo package sanitize thread aarch64)
QUICK=(format build unit package)
# One folder deep, like a developer's own build: so ccache finds the same relative paths.
RELEASE=$ROOT/build-release
BUILD=$ROOT/build-test
LOGS=$BUILD/logs
RESULTS=$BUILD/results.tsv
JOBS=${MNN_TEST_JOBS:-$(nproc)}
TESTDATA=/usr/share/libonnx-testdata/data
SHARED=$ROOT/../shared

# pass NAME, fail NAME REASON, skip NAME REASON: one row each in the results.
pass() { printf 'pass\t%s: %s\t\n' "$STAGE" "$1" >>"$RESULTS"; }
fail() { printf 'fail\t%s: %s\t%s\n' "$STAGE" "$1" "${2:-}" | tee -a "$RESULTS"; }
skip() { printf 'skip\t%s: %s\t%s\n' "$STAGE" "$1" "${2:-}" | tee -a "$RESULTS"; }

# count LOG: adds the tests that a log speaks of to the results; fails when it speaks of none.
count() {
    local rows
    rows=$(awk -v stage="$STAGE" -f tools/count_tests.awk "$1")
    if [ -z "$rows" ]; then fail "$(basename "$1" .log)" "no test ran; see $1"; return; fi
    printf '%s\n' "$rows" >>"$RESULTS"
    grep '^fail' <<<"$rows"
    return 0
}

# quietly LOG COMMAND...: output goes to the log; its end is shown when the command fails.
quietly() {
    local log=$LOGS/$1 status; shift
    "$@" >"$log" 2>&1 </dev/null; status=$?
    [ $status = 0 ] || { echo "--- $* (status $status), from the end of $log:"; tail -n 40 "$log"; }
    return $status
}

# configure_and_build FOLDER NAME "TARGETS" CMAKE_ARGUMENT...
configure_and_build() {
    local folder=$1 name=$2 targets=$3; shift 3
    quietly "$name-configure.log" cmake -G Ninja -S "$ROOT" -B "$folder" "$@" || { fail "$name configures"; return 1; }
    # shellcheck disable=SC2086  # the targets are a list
    quietly "$name-build.log" ninja -C "$folder" -j "$JOBS" -k 0 $targets || { fail "$name builds"; return 1; }
    # The checks that sanitizers weave in make GCC warn of faults that are not there.
    case $name in sanitize | thread) pass "$name builds"; return ;; esac
    warnings=$(grep -c 'warning:' "$LOGS/$name-build.log")
    if [ "$warnings" = 0 ]; then pass "$name builds without warnings"
    else fail "$name builds without warnings" "$warnings in $LOGS/$name-build.log"; fi
}

# run_ctest FOLDER NAME [CTEST_ARGUMENT...]: each test of each program counts. UNDER is a command to run them under.
UNDER=()
run_ctest() {
    local folder=$1 name=$2; shift 2
    quietly "$name-ctest.log" "${UNDER[@]}" ctest --test-dir "$folder" -V --timeout 1200 "$@"
    count "$LOGS/$name-ctest.log"
}

# built NAME: the path of a command in the release build; fails when there is none.
built() {
    local path
    path=$(find "$RELEASE" -type f -perm -u+x -name "$1" -print -quit 2>/dev/null)
    [ -n "$path" ] && echo "$path"
}

# need NAME...: sets PATH so that these release commands are found, or records why the stage cannot run.
need() {
    local name path
    for name in "$@"; do
        path=$(built "$name") || { fail "needs $name" "the release build did not make it"; return 1; }
        PATH=$(dirname "$path"):$PATH
    done
}

# oracle PACKAGES SCRIPT ARGUMENT...: a checker of tools/oracle, with the packages pinned in tools/requirements-PACKAGES.txt.
oracle() {
    local packages=$1 script=$2 python; shift 2
    python=$(python_env "tools/requirements-$packages.txt") || { fail "$script" "its Python packages cannot be installed"; return 1; }
    quietly "$script.log" "$python" "tools/oracle/$script.py" "$@"
    count "$LOGS/$script.log"
}

# --- stages ----------------------------------------------------------------------------------------------------

# Lines that changed since MNN_FORMAT_BASE, the published main, or a day ago are as .clang-format wants them.
# Only changed lines, because versions of clang-format differ in small ways.
stage_format() {
    local base=${MNN_FORMAT_BASE:-} head
    head=$(git rev-parse HEAD 2>/dev/null) || { skip "changed lines" "not a git checkout"; return; }
    [ -n "$base" ] || base=$(git merge-base HEAD origin/main 2>/dev/null)
    if [ -z "$base" ] || [ "$base" = "$head" ]; then base=$(git rev-list -1 --before='24 hours ago' HEAD); fi
    [ -n "$base" ] || base=$(git hash-object -t tree /dev/null)
    git clang-format --diff --extensions c,cc,cpp,h,hpp "$base" -- source include tools test benchmark >"$LOGS/format.log" 2>&1
    if grep -q '^diff --git' "$LOGS/format.log"; then
        grep '^+++ ' "$LOGS/format.log" | head -20
        fail "changed lines" "run: git clang-format $base"
    else pass "changed lines"; fi
}

stage_build() {
    configure_and_build "$RELEASE" release "" -DCMAKE_BUILD_TYPE=Release -DMNN_BUILD_TEST=ON -DMNN_BUILD_BENCHMARK=ON
}

stage_unit() { run_ctest "$RELEASE" unit; }

# Whole folders of ONNX's own tests: floors first, then every case that does not pass is listed by name.
stage_conformance() {
    need mnn || return
    if [ ! -d "$TESTDATA" ]; then skip "onnx test data" "no package libonnx-testdata"; return; fi
    conformance simple 100
    conformance pytorch-converted 100
    conformance pytorch-operator 85
    conformance node 70
}

# conformance FOLDER FLOOR: at least FLOOR percent of the folder's cases pass.
conformance() {
    local folder=$1 floor=$2 log=$LOGS/conformance-$1.log passed failed percent
    quietly "conformance-$folder.log" timeout 1800 mnn conformance "$TESTDATA/$folder" --json "$LOGS/conformance-$folder.json" >/dev/null
    read -r passed failed < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, .*/\1 \2/p' "$log" | tail -1)
    if [ -z "${passed:-}" ] || [ $((passed + failed)) = 0 ]; then fail "$folder" "no verdict; see $log"; return; fi
    percent=$(awk -v p="$passed" -v f="$failed" 'BEGIN { printf "%.1f", 100 * p / (p + f) }')
    echo "conformance: $folder: $passed of $((passed + failed)) pass ($percent %)"
    if awk -v p="$percent" -v f="$floor" 'BEGIN { exit !(p >= f) }'; then pass "$folder reaches $floor %"
    else fail "$folder reaches $floor %" "$percent %"; fi
}

# The light_* models with their own weights against the recorded outputs, and with seeded random ones against onnxruntime.
stage_light() {
    need mnn MNNConvert || return
    if [ ! -d "$SHARED/data/onnx-light" ]; then skip "light_*" "no ../shared/data/onnx-light"; return; fi
    oracle oracle light "$SHARED/data/onnx-light" "$BUILD/light"
}

# Small models of different make; MNN itself says what their files mean.
stage_mnn_files() {
    need mnn MNNConvert || return
    if [ ! -d "$SHARED/data/onnx-light" ]; then skip "files of MNN's converter" "no ../shared/data/onnx-light"; return; fi
    oracle peers mnn_files "$BUILD/mnn_files" "$SHARED"/data/onnx-light/light_{squeezenet,shufflenet,resnet50}.onnx
}

stage_ocr() {
    need mnn MNNConvert || return
    local models
    models=$(bash tools/demo/ocr/fetch_models.sh) || { skip "det and rec against onnxruntime" "the models cannot be downloaded"; return; }
    oracle oracle ocr "$models" "$BUILD/ocr"
}

# What a newcomer's first command prints.
stage_demo() {
    need mnn MNNConvert || return
    local kind
    for kind in digits ocr; do
        if MNN_DEMO_BUILD=$RELEASE quietly "demo-$kind.log" bash tools/demo.sh --only "$kind"; then pass "$kind"
        else fail "$kind" "see $LOGS/demo-$kind.log"; fi
    done
}

# Another project finds the installed library with CMake and with pkg-config, and its program runs.
stage_package() {
    local prefix=$BUILD/installed user=$BUILD/package model=$BUILD/package/digits.mnn lib
    rm -rf "$prefix" "$user"
    quietly install.log cmake --install "$RELEASE" --prefix "$prefix" || { fail "installs"; return; }
    mkdir -p "$user/pkg-config"
    if quietly package-convert.log "$prefix/bin/MNNConvert" -f ONNX --modelFile tools/demo/digits/digits.onnx --MNNModel "$model" --bizCode test
    then pass "installed MNNConvert"; else fail "installed MNNConvert"; return; fi
    if quietly package-cmake.log cmake -S test/package/cmake -B "$user/cmake" -DCMAKE_PREFIX_PATH="$prefix" &&
        quietly package-cmake-build.log cmake --build "$user/cmake" &&
        quietly package-cmake-run.log "$user/cmake/user" "$model"; then pass "find_package(MNN)"
    else fail "find_package(MNN)"; fi
    lib=$(dirname "$(find "$prefix" -name 'MNN.pc' -print -quit)")
    # --define-prefix: the files were installed elsewhere than configured.
    # shellcheck disable=SC2046
    if quietly package-pkg-config.log g++ -std=c++11 test/package/main.cpp -o "$user/pkg-config/user" \
        $(PKG_CONFIG_PATH=$lib pkg-config --define-prefix --cflags --libs MNN) -Wl,-rpath,"$(dirname "$lib")" &&
        quietly package-pkg-config-run.log "$user/pkg-config/user" "$model"; then pass "pkg-config MNN"
    else fail "pkg-config MNN"; fi
}

# -O1 keeps the checked programs fast enough; one SIMD target keeps the build short.
stage_sanitize() {
    configure_and_build "$ROOT/build-sanitize" sanitize "" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g1" -DMNN_BUILD_TEST=ON \
        -DMNN_SANITIZE=address,undefined -DMNN_SIMD_TARGETS=AVX2 || return
    # Debian's protobuf is not instrumented, so vectors that cross into it would look overflown.
    # Memory that a damaged model asks for without reason is refused, as a system would, before its shadow fills the machine.
    ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1:max_allocation_size_mb=2048 \
        UBSAN_OPTIONS=print_stacktrace=1 run_ctest "$ROOT/build-sanitize" sanitize
}

stage_thread() {
    configure_and_build "$ROOT/build-thread" thread test_session -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g1" -DMNN_BUILD_TEST=ON \
        -DMNN_BUILD_CONVERTER=OFF -DMNN_BUILD_TOOLS=OFF -DMNN_SANITIZE=thread -DMNN_SIMD_TARGETS=AVX2 || return
    # GCC's ThreadSanitizer cannot start where a kernel scatters addresses over more than 28 bits.
    if setarch "$(uname -m)" -R true 2>/dev/null; then local UNDER=(setarch "$(uname -m)" -R); fi
    # Damaged models say nothing of threads, and the memory they ask for fills the machine with shadow.
    GTEST_FILTER='-BadModel.*' TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 run_ctest "$ROOT/build-thread" thread -R '^session$'
}

stage_aarch64() {
    local deps=$BUILD/aarch64-deps rooms
    rooms=$(for room in core geometry shape cpu primitives; do compgen -G "test/$room/*.cpp" >/dev/null && printf '%s ' $room; done)
    rooms=${rooms% }
    mkdir -p "$deps/include"
    ln -sfn /usr/include/hwy "$deps/include/hwy"
    ln -sfn /usr/include/flatbuffers "$deps/include/flatbuffers"
    local toolchain=(-DCMAKE_TOOLCHAIN_FILE="$ROOT/cmake/toolchains/aarch64-linux-gnu.cmake" -DMNN_CROSS_PREFIX="$deps")
    if [ ! -e "$deps/lib/libgtest.a" ]; then
        { quietly aarch64-gtest.log cmake -G Ninja -S /usr/src/googletest -B "$BUILD/aarch64-gtest" "${toolchain[@]}" \
            -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$deps" -DBUILD_GMOCK=OFF &&
            quietly aarch64-gtest-build.log ninja -C "$BUILD/aarch64-gtest" -j "$JOBS" install; } || { fail "GoogleTest builds"; return; }
    fi
    # shellcheck disable=SC2086
    configure_and_build "$ROOT/build-aarch64" aarch64 "$(printf 'test_%s ' $rooms)" "${toolchain[@]}" -DCMAKE_BUILD_TYPE=Release \
        -DMNN_BUILD_TEST=ON -DMNN_BUILD_CONVERTER=OFF -DMNN_BUILD_TOOLS=OFF || return
    run_ctest "$ROOT/build-aarch64" aarch64 -R "^(${rooms// /|})(_[a-z0-9]+)?\$"
}

# --- the run ---------------------------------------------------------------------------------------------------

summary() {
    local passed failed skipped
    passed=$(grep -c '^pass' "$RESULTS"); failed=$(grep -c '^fail' "$RESULTS"); skipped=$(grep -c '^skip' "$RESULTS")
    echo
    if [ "$failed" != 0 ]; then echo "Failed:"; sed -nE 's/^fail\t([^\t]*)\t(.*)/  \1  \2/p' "$RESULTS"; fi
    if [ "$skipped" != 0 ]; then echo "Skipped:"; sed -nE 's/^skip\t([^\t]*)\t(.*)/  \1  (\2)/p' "$RESULTS"; fi
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

main() {
    local stages=() argument started
    for argument in "$@"; do
        case $argument in
        --quick) stages+=("${QUICK[@]}") ;;
        -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; echo "Stages: ${ALL[*]}"; exit 0 ;;
        *) declare -F "stage_$argument" >/dev/null || { echo "No stage '$argument'. Stages: ${ALL[*]}" >&2; exit 2; }
           stages+=("$argument") ;;
        esac
    done
    [ ${#stages[@]} != 0 ] || stages=("${ALL[@]}")
    mkdir -p "$LOGS" && : >"$RESULTS"
    STAGE=packages
    install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" || fail "packages" "apt-get could not install them"
    for STAGE in "${stages[@]}"; do
        started=$SECONDS
        echo "== $STAGE"
        "stage_$STAGE"
        echo "   $STAGE took $((SECONDS - started)) s"
    done
    summary
}

main "$@"
