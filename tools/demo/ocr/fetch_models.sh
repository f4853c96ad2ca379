#!/usr/bin/env bash
# Downloads the PP-OCRv4 models that PyPI's rapidocr-onnxruntime carries (Apache-2.0) into the cache folder and prints
# the folder: det.onnx, rec.onnx and characters.txt, the reader's alphabet. Fails where there is no network.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../../packages.sh"

VERSION=1.4.4
folder=$(cache_folder)/pp-ocrv4-$VERSION
if [ ! -e "$folder/complete" ]; then
    mkdir -p "$folder"
    pip=$(python_env "$HERE/requirements.txt")
    "$pip" -m pip download -q --disable-pip-version-check --no-deps -d "$folder" "rapidocr-onnxruntime==$VERSION" >&2
    python3 "$HERE/unpack_models.py" "$folder"/rapidocr_onnxruntime-*.whl "$folder" >&2
    rm "$folder"/rapidocr_onnxruntime-*.whl
    touch "$folder/complete"
fi
echo "$folder"
