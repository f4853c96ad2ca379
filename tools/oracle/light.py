"""The light_* models through MNNConvert and mnn: as they are against their recorded outputs, and with seeded random
weights against onnxruntime.

    light.py FOLDER SCRATCH
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from engine import case, compare, convert, only, run
from randomize_weights import example_input, randomize

# Hundreds of layers of fp32 sums in another order: a part in a thousand of the value, or of the mean probability.
RTOL, ATOL = 1e-3, 1e-6


def recorded(source, scratch):
    model = onnx.load(source)
    weights = {t.name for t in model.graph.initializer}
    name, shape = next((i.name, [d.dim_value for d in i.type.tensor_type.shape.dim]) for i in model.graph.input if i.name not in weights)
    size = int(np.prod(shape))
    want = onnx.TensorProto()
    want.ParseFromString(source.with_name(source.stem + "_output_0.pb").read_bytes())
    convert(source, scratch / "model.mnn")
    got = run(scratch / "model.mnn", {name: (np.arange(size) / size).astype(np.float32).reshape(shape)})
    compare(only(got), numpy_helper.to_array(want), RTOL, ATOL)


def randomized(source, scratch):
    model = randomize(onnx.load(source), seed=1)
    inputs = example_input(model)
    onnx.save(model, scratch / "model.onnx")
    del model
    want = onnxruntime.InferenceSession(scratch / "model.onnx", providers=["CPUExecutionProvider"]).run(None, inputs)[0]
    convert(scratch / "model.onnx", scratch / "model.mnn")
    compare(only(run(scratch / "model.mnn", inputs)), want, RTOL, ATOL)


def main(folder, scratch):
    scratch = pathlib.Path(scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    for source in sorted(pathlib.Path(folder).glob("light_*.onnx")):
        case(f"{source.stem} recorded output", lambda: recorded(source, scratch))
        case(f"{source.stem} random weights", lambda: randomized(source, scratch))
        for name in ("model.onnx", "model.mnn"):
            (scratch / name).unlink(missing_ok=True)


main(*sys.argv[1:])
