"""Runs our commands from Python, and words the verdicts that tools/count_tests.awk reads."""
import pathlib
import subprocess
import tempfile

import numpy as np


class Failure(Exception):
    pass


def command(*words):
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        tail = " | ".join(done.stdout.strip().splitlines()[-3:])
        raise Failure(f"{pathlib.Path(words[0]).name} ended with status {done.returncode}: {tail}")
    return done.stdout


def convert(onnx_file, mnn_file, *flags):
    pathlib.Path(mnn_file).parent.mkdir(parents=True, exist_ok=True)
    command("MNNConvert", "-f", "ONNX", "--modelFile", onnx_file, "--MNNModel", mnn_file, "--bizCode", "test", *flags)


def run(mnn_file, inputs, *flags):
    """Outputs by name, for inputs by name."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        words = []
        for i, (name, value) in enumerate(inputs.items()):
            np.save(folder / f"in{i}.npy", value)
            words += ["--input", f"{name}={folder / f'in{i}.npy'}"]
        command("mnn", "run", mnn_file, *words, "--output-dir", folder / "out", *flags)
        return {str(f.relative_to(folder / "out"))[:-4]: np.load(f) for f in (folder / "out").rglob("*.npy")}


def only(outputs):
    if len(outputs) != 1:
        raise Failure(f"one output was expected, not {sorted(outputs)}")
    return next(iter(outputs.values()))


def compare(got, want, rtol=1e-3, atol=1e-7):
    if got.shape != want.shape or got.dtype != want.dtype:
        raise Failure(f"{got.dtype}{list(got.shape)} where {want.dtype}{list(want.shape)} was expected")
    if not np.isfinite(got).all():
        raise Failure(f"{(~np.isfinite(got)).sum()} of {got.size} values are not finite")
    excess = np.abs(got - want) - (atol + rtol * np.abs(want))
    if excess.max() > 0:
        at = np.unravel_index(excess.argmax(), got.shape)
        raise Failure(f"{(excess > 0).sum()} of {got.size} values differ; at {[int(i) for i in at]} {got[at]} where {want[at]} was expected")


def case(name, test):
    """Runs one test and prints its verdict; a test returns a reason when it has to be skipped."""
    try:
        reason = test()
        print(f"SKIP {name}: {reason}" if reason else f"PASS {name}", flush=True)
    except Exception as error:  # whatever goes wrong is this test's verdict, and the others still run
        print(f"FAIL {name}: {type(error).__name__}: {error}".replace("\n", " | "), flush=True)
