"""One engine in a process of its own, for peers.py.

    worker.py prepare ENGINE MODEL.onnx FILE       makes the file that the engine runs
    worker.py time ENGINE FILE MODEL.onnx OUTPUT.npy THREADS LOOPS    prints the median in milliseconds
    worker.py input MODEL.onnx INPUT.npy           writes the input, prints its name
    worker.py difference A.npy B.npy
"""
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np

WARM_UP = 3


def model_input(model_file):
    """Name and seeded values of a model's one input; free dimensions are 1."""
    import onnx

    graph = onnx.load(model_file, load_external_data=False).graph
    weights = {t.name for t in graph.initializer}
    value = next(i for i in graph.input if i.name not in weights)
    shape = [d.dim_value or 1 for d in value.type.tensor_type.shape.dim]
    return value.name, np.random.default_rng(0).random(shape, np.float32)


def timed(step, loops):
    for _ in range(WARM_UP):
        step()
    times = []
    for _ in range(loops):
        start = time.perf_counter()
        step()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


class Onnxruntime:
    def prepare(self, model, file):
        shutil.copy(model, file)

    def load(self, file, name, values, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        self.step = lambda: session.run(None, {name: values})
        self.result = lambda: self.step()[0]


class Mnn:
    def prepare(self, model, file):
        from MNN.tools import mnnconvert

        sys.argv = ["mnnconvert", "-f", "ONNX", "--modelFile", str(model), "--MNNModel", str(file), "--bizCode", "bench"]
        mnnconvert.main()
        if not pathlib.Path(file).exists():
            raise SystemExit("MNN's converter made no file")

    def load(self, file, name, values, threads):
        import MNN

        net = MNN.Interpreter(str(file))
        session = net.createSession({"backend": "CPU", "numThread": threads, "precision": "high"})
        target = net.getSessionInput(session)
        net.resizeTensor(target, values.shape)
        net.resizeSession(session)
        host = MNN.Tensor(values.shape, MNN.Halide_Type_Float, values, MNN.Tensor_DimensionType_Caffe)
        target.copyFrom(host)
        output = net.getSessionOutput(session)
        self.keep = (net, session, host)
        self.step = lambda: net.runSession(session)

        def result():
            self.step()
            zeros = np.zeros(output.getShape(), np.float32)  # the tensor borrows this array
            copy = MNN.Tensor(zeros.shape, MNN.Halide_Type_Float, zeros, MNN.Tensor_DimensionType_Caffe)
            output.copyToHostTensor(copy)
            return np.array(copy.getNumpyData())

        self.result = result


class Ncnn:
    def prepare(self, model, file):
        import importlib.util

        import onnxruntime

        package = pathlib.Path(importlib.util.find_spec("pnnx").submodule_search_locations[0])
        folder = pathlib.Path(file)
        folder.mkdir()
        shutil.copy(package / "pnnx", folder / "pnnx")
        (folder / "pnnx").chmod(0o755)
        # pnnx stumbles over old BatchNormalization nodes; onnxruntime folds them, which also is ncnn's best case.
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(folder / "model.onnx")
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        shape = ",".join(str(d) for d in model_input(model)[1].shape)
        done = subprocess.run([folder / "pnnx", "model.onnx", f"inputshape=[{shape}]", "fp16=0"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not (folder / "model.ncnn.bin").exists():
            raise SystemExit(f"pnnx made no file (status {done.returncode})")

    def load(self, file, name, values, threads):
        import ncnn

        net = ncnn.Net()
        net.opt.num_threads = threads
        for option in ("use_vulkan_compute", "use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage", "use_bf16_packed"):
            if hasattr(net.opt, option):
                setattr(net.opt, option, False)
        folder = pathlib.Path(file)
        net.load_param(str(folder / "model.ncnn.param"))
        net.load_model(str(folder / "model.ncnn.bin"))
        data = ncnn.Mat(values[0]).clone()  # a Mat of an array only borrows it

        def step():
            extractor = net.create_extractor()
            extractor.input("in0", data)
            return extractor.extract("out0")[1]

        self.keep = (net, data)
        self.step = step
        self.result = lambda: np.array(step())


ENGINES = {"onnxruntime": Onnxruntime, "MNN": Mnn, "ncnn": Ncnn}


def difference(a, b):
    a, b = np.load(a).ravel(), np.load(b).ravel()
    return f"{np.abs(a - b).max() / np.abs(b).max():.1e} of the largest value" if a.shape == b.shape else "another shape"


def main(verb, *words):
    if verb == "prepare":
        ENGINES[words[0]]().prepare(words[1], words[2])
    elif verb == "time":
        engine, file, model, output, threads, loops = words
        worker = ENGINES[engine]()
        worker.load(file, *model_input(model), int(threads))
        np.save(output, worker.result())
        print(f"{timed(worker.step, int(loops)):.4f}")
    elif verb == "input":
        name, values = model_input(words[0])
        np.save(words[1], values)
        print(name)
    elif verb == "difference":
        print(difference(*words))


main(*sys.argv[1:])
