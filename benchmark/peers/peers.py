#!/usr/bin/env python3
"""Times ONNX models on libMNN and on the engines that PyPI serves: onnxruntime, MNN, ncnn. All in fp32, all with the
same number of threads, in turns (round after round, so that a busy moment hits everyone), each round in a process of its
own. A round gives a median; the figure is the median of the rounds.

    peers.py MODEL.onnx... [--random-weights] [--threads 1,2] [--rounds 5] [--loops 20] [--build FOLDER] [--json FILE]

Example: benchmark/peers/peers.py ../shared/data/onnx-light/light_resnet50.onnx --random-weights --json peers.json

Prints a table, with each engine's time as a multiple of libMNN's and how far its output is from onnxruntime's. Writes
rows {model, threads, engine, median_ms}. An engine that cannot run a model is named, with the reason.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENGINES = ("libMNN", "onnxruntime", "MNN", "ncnn")
# ncnn and its converter work without the torch that pnnx names, which alone is ten times the rest.
WITHOUT_DEPENDENCIES = ("ncnn==1.0.20261020", "pnnx==20261020")


def peers_python():
    script = f". {ROOT}/tools/packages.sh && python_env {ROOT}/tools/requirements-peers.txt"
    python = subprocess.run(["bash", "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", *WITHOUT_DEPENDENCIES], check=False)
    return python


def run(*words):
    """Standard output of a command; RuntimeError with its last words when it fails."""
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        words_left = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise RuntimeError(f"{pathlib.Path(str(words[0])).name} ended with status {done.returncode}: {words_left[0]}")
    return done.stdout


def find_command(build, name):
    found = next((p for p in sorted(build.rglob(name)) if p.is_file() and p.stat().st_mode & 0o100), None) or shutil.which(name)
    if not found:
        raise RuntimeError(f"no {name} under {build}; build it or name the folder with --build")
    return found


class Bench:
    def __init__(self, arguments, scratch):
        self.arguments, self.scratch, self.python = arguments, scratch, peers_python()

    def worker(self, *words):
        return run(self.python, HERE / "worker.py", *words)

    def prepare(self, engine, model):
        """Makes the file that an engine runs."""
        file = self.scratch / f"{model.stem}.{engine}"
        if engine == "libMNN":
            run(find_command(self.arguments.build, "MNNConvert"), "-f", "ONNX", "--modelFile", model, "--MNNModel", file, "--bizCode", "bench")
            return file
        self.worker("prepare", engine, model, file)
        return file

    def round(self, engine, file, model, threads):
        """Median milliseconds of one round."""
        output = self.scratch / f"{engine}.npy"
        if engine != "libMNN":
            return json.loads(self.worker("time", engine, file, model, output, threads, self.arguments.loops).splitlines()[-1])
        mnn = find_command(self.arguments.build, "mnn")
        text = run(mnn, "bench", file, "--loops", self.arguments.loops, "--warmup", 3, "--threads", threads, "--precision", "high", "--json")
        return find_key(json.loads(text), "median_ms")

    def output_of_ours(self, file, model):
        folder = self.scratch / "ours"
        name = self.worker("input", model, self.scratch / "input.npy").splitlines()[-1]
        run(find_command(self.arguments.build, "mnn"), "run", file, "--input", f"{name}={self.scratch / 'input.npy'}",
            "--output-dir", folder, "--precision", "high")
        next(iter(sorted(folder.rglob("*.npy")))).rename(self.scratch / "libMNN.npy")
        shutil.rmtree(folder)

    def difference(self, engine):
        return self.worker("difference", self.scratch / f"{engine}.npy", self.scratch / "onnxruntime.npy").strip().splitlines()[-1]


def find_key(value, key):
    """The first value of a key, wherever it stands."""
    if isinstance(value, dict):
        if key in value:
            return float(value[key])
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        if (found := find_key(part, key)) is not None:
            return found
    return None


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure(bench, model, threads, skipped):
    files = {}
    for engine in ENGINES:
        progress(f"{model.stem}: preparing {engine}")
        try:
            files[engine] = bench.prepare(engine, model)
            if engine == "libMNN":
                bench.output_of_ours(files[engine], model)
        except (RuntimeError, OSError, StopIteration) as error:
            files.pop(engine, None)
            skipped.append(f"{engine} on {model.stem}: {error}")
    rows = []
    for count in threads:
        rounds = {engine: [] for engine in files}
        for number in range(bench.arguments.rounds):
            # Who goes first changes, so that what one engine leaves behind (a warm or a slowed machine) meets each of them.
            turn = number % len(files)
            order = list(files.items())
            for engine, file in order[turn:] + order[:turn]:
                progress(f"{model.stem}: {count} threads, round {number + 1} of {bench.arguments.rounds}: {engine}")
                try:
                    rounds[engine].append(bench.round(engine, file, model, count))
                except (RuntimeError, ValueError, TypeError) as error:
                    skipped.append(f"{engine} on {model.stem}, {count} threads: {error}")
        for engine, medians in rounds.items():
            if medians and None not in medians:
                rows.append({"model": model.stem, "threads": count, "engine": engine, "median_ms": round(statistics.median(medians), 3)})
    progress("")
    for row in rows:
        row["difference"] = bench.difference(row["engine"])
    return rows


def print_table(rows):
    print(f"{'model':24} {'threads':>7} {'engine':12} {'median ms':>10} {'x libMNN':>9}  largest difference from onnxruntime")
    for row in rows:
        ours = next((r["median_ms"] for r in rows if r["engine"] == "libMNN" and (r["model"], r["threads"]) == (row["model"], row["threads"])), None)
        ratio = f"{row['median_ms'] / ours:9.2f}" if ours else f"{'-':>9}"
        print(f"{row['model']:24} {row['threads']:7} {row['engine']:12} {row['median_ms']:10.2f} {ratio}  {row['difference']}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--random-weights", action="store_true", help="replace constant weights by seeded random ones")
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(t) for t in text.split(",")])
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--loops", default=20, type=int)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path, help="where MNNConvert and mnn are (default: build)")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def main():
    arguments = parse()
    rows, skipped = [], []
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, pathlib.Path(scratch))
        for model in arguments.models:
            if arguments.random_weights:
                run(bench.python, ROOT / "tools/oracle/randomize_weights.py", model, bench.scratch / model.name)
                model = bench.scratch / model.name
            rows += measure(bench, model, arguments.threads, skipped)
    print_table(rows)
    for reason in skipped:
        print(f"skipped: {reason}")
    if arguments.json:
        keys = ("model", "threads", "engine", "median_ms")
        arguments.json.write_text(json.dumps([{k: row[k] for k in keys} for row in rows], indent=1) + "\n")
    return 0 if any(row["engine"] == "libMNN" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
