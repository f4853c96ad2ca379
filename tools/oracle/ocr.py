"""The PP-OCR models through MNNConvert and mnn on the demo's picture: their outputs are onnxruntime's within 1e-3.

    ocr.py MODEL_FOLDER SCRATCH
"""
import pathlib
import sys

import numpy as np
import onnxruntime
from PIL import Image

from engine import case, compare, convert, only, run

PICTURE = pathlib.Path(__file__).parents[1] / "demo/ocr/lines.png"
# Where the lines stand: left, top, right, bottom.
LINES = [(20, 18, 446, 54), (20, 72, 390, 104), (20, 114, 406, 148), (32, 166, 294, 198), (356, 170, 534, 196)]


def normalized(picture, mean, deviation):
    """[1, 3, H, W], channels in the order blue, green, red."""
    pixels = np.asarray(picture, np.float32)[..., ::-1] / 255
    return np.ascontiguousarray(((pixels - np.float32(mean)) / np.float32(deviation)).transpose(2, 0, 1)[None])


def check(model, mnn_file, pixels):
    # Node by node: onnxruntime's own fusions move a doubtful character of line 3 by 1.5e-3.
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    want = session.run(None, {"x": pixels})[0]
    compare(only(run(mnn_file, {"x": pixels})), want, rtol=1e-3, atol=1e-5)


def main(models, scratch):
    models, scratch = pathlib.Path(models), pathlib.Path(scratch)
    picture = Image.open(PICTURE).convert("RGB")
    for name in ("det", "rec"):
        case(f"{name} converts", lambda: convert(models / f"{name}.onnx", scratch / f"{name}.mnn"))
    whole = normalized(picture, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    case("det", lambda: check(models / "det.onnx", scratch / "det.mnn", whole))
    for number, box in enumerate(LINES, 1):
        line = picture.crop(box)
        line = line.resize((round(48 * line.width / line.height), 48), Image.Resampling.BILINEAR)
        case(f"rec line {number}", lambda: check(models / "rec.onnx", scratch / "rec.mnn", normalized(line, [0.5] * 3, [0.5] * 3)))


main(*sys.argv[1:])
