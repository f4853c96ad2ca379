"""Files that MNN's own converter makes of the same ONNX models load here and give the outputs that MNN gives; files of our
MNNConvert load in MNN and give there what onnxruntime computes.

    mnn_files.py SCRATCH MODEL.onnx...

The models' constant weights are replaced by seeded random ones.
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

from engine import Failure, case, command, compare, convert, only, run
from randomize_weights import example_input, randomize

# Each coding of weights that MNN's converter writes.
CODINGS = {"fp32": [], "fp16": ["--fp16"], "int8": ["--weightQuantBits", "8"], "int4": ["--weightQuantBits", "4"]}

MNN_RUN = """
import sys, numpy as np, MNN
model, source, result = sys.argv[1:]
net = MNN.Interpreter(model)
session = net.createSession({"backend": "CPU", "numThread": 1, "precision": "high"})
values = np.load(source)
target = net.getSessionInput(session)
net.resizeTensor(target, values.shape)
net.resizeSession(session)
target.copyFrom(MNN.Tensor(values.shape, MNN.Halide_Type_Float, values, MNN.Tensor_DimensionType_Caffe))
net.runSession(session)
output = net.getSessionOutput(session)
zeros = np.zeros(output.getShape(), np.float32)
copy = MNN.Tensor(zeros.shape, MNN.Halide_Type_Float, zeros, MNN.Tensor_DimensionType_Caffe)
output.copyToHostTensor(copy)
np.save(result, copy.getNumpyData())
"""


# The converter is called below MNN.tools, whose module installs a log client when it is loaded.
MNN_CONVERT = "import sys, _tools; _tools.mnnconvert(['mnnconvert', *sys.argv[1:]])"


def convert_by_mnn(source, mnn_file, flags):
    mnn_file.unlink(missing_ok=True)
    words = ["-f", "ONNX", "--modelFile", str(source), "--MNNModel", str(mnn_file), "--bizCode", "test", *flags]
    subprocess.run([sys.executable, "-c", MNN_CONVERT, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    if not mnn_file.exists():
        raise Failure("MNN's converter made no file")


def run_by_mnn(mnn_file, value, scratch):
    np.save(scratch / "input.npy", value)
    command(sys.executable, "-c", MNN_RUN, mnn_file, scratch / "input.npy", scratch / "output.npy")
    return np.load(scratch / "output.npy")


def check(source, inputs, scratch, flags):
    mnn_file = scratch / "model.mnn"
    convert_by_mnn(source, mnn_file, flags)
    name, value = next(iter(inputs.items()))
    want = run_by_mnn(mnn_file, value, scratch)
    # MNN unpacks quantised weights to fp32 in other roundings than ours: allow a little more.
    compare(only(run(mnn_file, {name: value})), want, rtol=1e-3, atol=1e-5)


def check_ours(source, inputs, scratch, flags):
    mnn_file = scratch / "ours.mnn"
    convert(source, mnn_file, *flags)
    name, value = next(iter(inputs.items()))
    got = run_by_mnn(mnn_file, value, scratch)
    # Of a file with rounded weights, our engine says what it means.
    want = only(run(mnn_file, inputs)) if flags else onnxruntime.InferenceSession(
        source, providers=["CPUExecutionProvider"]).run(None, inputs)[0]
    compare(got, want, rtol=1e-3, atol=1e-3 * float(np.abs(want).max()))


def main(scratch, *models):
    scratch = pathlib.Path(scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, models):
        model = randomize(onnx.load(path), seed=2)
        onnx.save(model, scratch / "model.onnx")
        for coding, flags in CODINGS.items():
            case(f"{path.stem} {coding}", lambda: check(scratch / "model.onnx", example_input(model), scratch, flags))
            case(f"{path.stem} {coding}, ours in MNN", lambda: check_ours(scratch / "model.onnx", example_input(model), scratch, flags))


main(*sys.argv[1:])
