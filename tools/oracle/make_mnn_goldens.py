"""Makes the files of test/data/mnn: small models converted by MNN's own converter, and the outputs that MNN computes.

    make_mnn_goldens.py FOLDER [MODEL...]

A model lies in FOLDER/MODEL: CODING.mnn per set of converter flags, in.NAME.npy per input, CODING.NAME.npy per output.
Needs the packages of requirements-mnn.txt. Files are committed because they have to load for ever; run this again only
to add some. MNN's converter writes a random id into each file.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

import golden_models

# Sets of flags of MNN's converter, by the name of the file that they make.
FLAGS = {
    "plain": [],
    "fp16": ["--fp16"],
    "external": ["--saveExternalData"],
    "fp16_external": ["--fp16", "--saveExternalData"],
    "int8_external": ["--weightQuantBits", "8", "--saveExternalData"],
    "int4_external": ["--weightQuantBits", "4", "--weightQuantBlock", "32", "--saveExternalData"],
    # In MNN 3.6 quantised weights are asymmetric unless this flag is given.
    "symmetric": ["--weightQuantBits", "8", "--weightQuantAsymmetric"],
    "block": ["--weightQuantBits", "8", "--weightQuantBlock", "32"],
    "int4_block": ["--weightQuantBits", "4", "--weightQuantBlock", "32"],
    "int4_symmetric": ["--weightQuantBits", "4", "--weightQuantAsymmetric", "--weightQuantBlock", "32"],
    "hqq": ["--weightQuantBits", "4", "--weightQuantBlock", "32", "--hqq"],
    "half_scales": ["--weightQuantBits", "8", "--weightQuantScaleBit", "16"],
    "symmetric_half_scales": ["--weightQuantBits", "8", "--weightQuantAsymmetric", "--weightQuantScaleBit", "16"],
    "split_blocks": ["--weightQuantBits", "4", "--weightQuantBlock", "32", "--splitBlockQuant"],
    "sparse_speed": ["--detectSparseSpeedUp"],
    "native_groups": ["--groupConvNative"],
    "no_matmul_to_conv": ["--convertMatmulToConv", "0"],
    "fastest": ["--optimizeLevel", "2", "--optimizePrefer", "2"],
    "other_format": ["--keepInputFormat", "0"],
    "training": ["--forTraining"],
    "old_version": ["--weightQuantBits", "8", "--targetVersion", "1.1"],
    "static": ["--saveStaticModel"],
    "whole_layer": ["--useOriginRNNImpl"],
}
for bits in range(2, 9):
    FLAGS[f"int{bits}"] = ["--weightQuantBits", str(bits)]

CASES = {
    "image_net": ["plain", "fp16", "int8", "external", "fastest", "other_format", "training", "static"],
    "tiny_conv": ["plain", "fp16", *(f"int{b}" for b in range(2, 9)), "symmetric", "half_scales", "symmetric_half_scales",
                  "old_version",
                  "external", "fp16_external", "int8_external"],
    "dense": ["plain", "fp16", "int8", "int4", "block", "int4_block", "int4_symmetric", "hqq", "split_blocks", "no_matmul_to_conv",
              "external", "int4_external"],
    "pruned": ["plain", "int8", "int4", "sparse_speed", "int8_external"],
    "convolutions": ["plain", "int8", "native_groups"],
    "convolution_1d_3d": ["plain"],
    "views": ["plain"],
    "image_views": ["plain", "other_format", "external"],
    "encoder": ["plain", "fp16", "symmetric", "external", "no_matmul_to_conv"],
    "norms": ["plain", "external"],
    "resize": ["plain"],
    "reductions": ["plain"],
    "elementwise": ["plain"],
    "shapes": ["plain"],
    "matmuls": ["plain"],
    "detection": ["plain"],
    "lstm": ["whole_layer"],
    "gru": ["whole_layer"],
    "gru_both_ways": ["whole_layer"],
}

# Outputs that MNN computes wrongly of its own right file (cubic resizing in packed layouts, ScatterND on data, batch norm in
# training files): onnxruntime's take their place.
REPLACED = [("resize", "plain", "y5"), ("detection", "plain", "y2"), ("image_net", "training", "y0")]

# MNN may end its process on a model that it cannot take, so that converting and running have processes of their own.
# The converter is called below MNN.tools, which would send a log of the conversion.
CONVERT = "import sys, _tools; _tools.mnnconvert(['mnnconvert', *sys.argv[1:]])"

RUN = """
import pathlib, sys, numpy as np, MNN
model, folder, result = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
net = MNN.Interpreter(model)
session = net.createSession({"backend": "CPU", "numThread": 1, "precision": "high"})
kinds = {np.dtype(np.float32): MNN.Halide_Type_Float, np.dtype(np.int32): MNN.Halide_Type_Int}
values = {name: np.load(folder / f"in.{name}.npy") for name in net.getSessionInputAll(session)}
for name, target in net.getSessionInputAll(session).items():
    net.resizeTensor(target, values[name].shape)
net.resizeSession(session)
for name, target in net.getSessionInputAll(session).items():
    value = values[name]
    target.copyFrom(MNN.Tensor(value.shape, kinds[value.dtype], value, MNN.Tensor_DimensionType_Caffe))
net.runSession(session)
for name, output in net.getSessionOutputAll(session).items():
    kind = next(k for k, v in kinds.items() if v == output.getDataType())
    copy = MNN.Tensor(output.getShape(), output.getDataType(), np.zeros(output.getShape(), kind), MNN.Tensor_DimensionType_Caffe)
    output.copyToHostTensor(copy)
    np.save(f"{result}.{name}.npy", copy.getNumpyData().reshape(output.getShape()))
"""


def python(code, *words):
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    return done.stdout


def distance(got, want):
    if got.shape != want.shape:
        return f"{list(got.shape)} for {list(want.shape)}"
    return f"{np.abs(got - want).max() / max(1e-30, np.abs(want).max()):.0e}"


def make(model, inputs, coding, folder, scratch):
    """Makes the files of a coding; says how far MNN's outputs are from onnxruntime's."""
    onnx.save(model, scratch / "model.onnx")
    target = scratch / f"{coding}.mnn"
    log = python(CONVERT, "-f", "ONNX", "--modelFile", scratch / "model.onnx", "--MNNModel", target, "--bizCode", "golden", *FLAGS[coding])
    if not target.exists():
        return f"not converted: {log.strip()[-200:]}"
    log = python(RUN, target, folder, scratch / coding)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    words = []
    for name, exact in zip((o.name for o in session.get_outputs()), session.run(None, inputs)):
        made = scratch / f"{coding}.{name}.npy"
        if not made.exists():
            return f"not run: {log.strip()[-200:]}"
        words.append(distance(np.load(made), exact))
        if (folder.name, coding, name) in REPLACED:
            words[-1] += " replaced"
            np.save(made, exact.astype(np.int32) if exact.dtype == np.int64 else exact)
    for made in scratch.glob(f"{coding}.*"):
        shutil.copy(made, folder / made.name)
    return " ".join(words)


def main(folder, *names):
    for name in names or CASES:
        model, inputs = getattr(golden_models, name)()
        onnx.checker.check_model(model)
        target = pathlib.Path(folder) / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for key, value in inputs.items():
            np.save(target / f"in.{key}.npy", value)
        for coding in CASES[name]:
            with tempfile.TemporaryDirectory() as scratch:
                print(f"{name} {coding}: {make(model, inputs, coding, target, pathlib.Path(scratch))}", flush=True)


main(*sys.argv[1:])
