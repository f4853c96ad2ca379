"""Trains digits.onnx, a small convolutional classifier, on scikit-learn's handwritten digits, and draws digit.png.

Deterministic: the same packages (requirements.txt beside this file) give the same files.

    python train.py

The network reads a [N, 1, 8, 8] image whose pixels are 0 for paper and 1 for ink and gives [N, 10] probabilities:
two 3x3 convolutions with ReLU, a 2x2 maximum, one dense layer and Softmax.
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

HERE = pathlib.Path(__file__).parent
SEED = 2024
EPOCHS = 60
CHANNELS = (12, 24)


def patches(x):
    """[N, C, 8, 8] to the 3x3 neighbourhood of each pixel, zeros outside: [N, 8, 8, C * 9]."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(len(x), 8, 8, -1)


def unpatch(grad, channels):
    """The gradient of patches(): adds each neighbourhood back to where it was read."""
    grad = grad.reshape(len(grad), 8, 8, channels, 3, 3)
    padded = np.zeros((len(grad), channels, 10, 10), np.float32)
    for dy in range(3):
        for dx in range(3):
            padded[:, :, dy:dy + 8, dx:dx + 8] += grad[:, :, :, :, dy, dx].transpose(0, 3, 1, 2)
    return padded[:, :, 1:9, 1:9]


class Net:
    def __init__(self, rng):
        def he(*shape, fan):
            return (rng.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32)

        first, second = CHANNELS
        self.weights = {
            "conv1_w": he(first, 9, fan=9), "conv1_b": np.zeros(first, np.float32),
            "conv2_w": he(second, first * 9, fan=first * 9), "conv2_b": np.zeros(second, np.float32),
            "dense_w": he(second * 16, 10, fan=second * 16), "dense_b": np.zeros(10, np.float32),
        }

    def forward(self, x):
        w = self.weights
        p1 = patches(x)
        a1 = np.maximum(p1 @ w["conv1_w"].T + w["conv1_b"], 0)
        p2 = patches(a1.transpose(0, 3, 1, 2))
        a2 = np.maximum(p2 @ w["conv2_w"].T + w["conv2_b"], 0)
        blocks = a2.reshape(len(x), 4, 2, 4, 2, -1)
        pooled = blocks.max(axis=(2, 4))
        flat = pooled.transpose(0, 3, 1, 2).reshape(len(x), -1)
        logits = flat @ w["dense_w"] + w["dense_b"]
        e = np.exp(logits - logits.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True), (p1, a1, p2, a2, blocks, pooled, flat)

    def gradients(self, x, labels):
        w = self.weights
        probabilities, (p1, a1, p2, a2, blocks, pooled, flat) = self.forward(x)
        d = probabilities.copy()
        d[np.arange(len(x)), labels] -= 1
        d /= len(x)
        g = {"dense_w": flat.T @ d, "dense_b": d.sum(axis=0)}
        d = (d @ w["dense_w"].T).reshape(len(x), -1, 4, 4).transpose(0, 2, 3, 1)
        chosen = blocks == pooled[:, :, None, :, None, :]
        d = (chosen * d[:, :, None, :, None, :]).reshape(a2.shape) * (a2 > 0)
        g["conv2_w"] = np.einsum("nyxo,nyxi->oi", d, p2, optimize=True)
        g["conv2_b"] = d.sum(axis=(0, 1, 2))
        d = unpatch(d @ w["conv2_w"], CHANNELS[0]).transpose(0, 2, 3, 1) * (a1 > 0)
        g["conv1_w"] = np.einsum("nyxo,nyxi->oi", d, p1, optimize=True)
        g["conv1_b"] = d.sum(axis=(0, 1, 2))
        return g


def train(net, x, labels, rng):
    """Adam, with random shifts by a pixel and a little noise so that a photographed digit still fits."""
    moments = {name: (np.zeros_like(v), np.zeros_like(v)) for name, v in net.weights.items()}
    step = 0
    for epoch in range(EPOCHS):
        rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(x))
        for begin in range(0, len(x), 64):
            rows = order[begin:begin + 64]
            batch = np.roll(x[rows], rng.integers(-1, 2, 2), axis=(2, 3))
            batch = batch + rng.normal(0, 0.05, batch.shape).astype(np.float32)
            step += 1
            for name, grad in net.gradients(batch, labels[rows]).items():
                m, v = moments[name]
                m += 0.1 * (grad - m)
                v += 0.001 * (grad * grad - v)
                net.weights[name] -= (rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)).astype(np.float32)


def export(net, path):
    first, second = CHANNELS
    w = dict(net.weights)
    w["conv1_w"] = w["conv1_w"].reshape(first, 1, 3, 3)
    w["conv2_w"] = w["conv2_w"].reshape(second, first, 3, 3)
    nodes = [
        helper.make_node("Conv", ["image", "conv1_w", "conv1_b"], ["c1"], "conv1", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("Conv", ["r1", "conv2_w", "conv2_b"], ["c2"], "conv2", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"], "relu2"),
        helper.make_node("MaxPool", ["r2"], ["p2"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p2"], ["flat"], "flatten", axis=1),
        helper.make_node("Gemm", ["flat", "dense_w", "dense_b"], ["logits"], "dense"),
        helper.make_node("Softmax", ["logits"], ["probabilities"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", 10])],
        [numpy_helper.from_array(v.astype(np.float32), k) for k, v in w.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="libMNN demo")
    onnx.checker.check_model(model)
    onnx.save(model, path)


def draw(pixels, path):
    """Ink on paper: dark strokes on white, enlarged 16 times."""
    image = Image.fromarray(np.uint8(np.round(255 * (1 - pixels)))).resize((128, 128), Image.Resampling.BICUBIC)
    image.save(path, optimize=True)


def main():
    digits = load_digits()
    x = (digits.images / 16).astype(np.float32)[:, None]
    x_train, x_test, y_train, y_test = train_test_split(x, digits.target, test_size=0.2, random_state=SEED, stratify=digits.target)
    rng = np.random.default_rng(SEED)
    net = Net(rng)
    train(net, x_train, y_train, rng)
    guesses = net.forward(x_test)[0].argmax(axis=1)
    print(f"{(guesses == y_test).mean():.1%} of {len(y_test)} held-out digits are right")
    export(net, HERE / "digits.onnx")
    # The first held-out seven: a picture that the network has never seen.
    draw(x_test[np.flatnonzero(y_test == 7)[0], 0], HERE / "digit.png")
    (HERE / "digit.txt").write_text("7\n")


if __name__ == "__main__":
    main()
