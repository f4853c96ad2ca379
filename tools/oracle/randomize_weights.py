"""Gives a model whose weights are constants (ConstantOfShape nodes, as in the light_* models) seeded random ones.

    randomize_weights.py MODEL.onnx RANDOM.onnx [--seed N]

Constant weights hide mistakes: any order of the channels gives the same sums. What is drawn depends on how a weight is
used, so that activations keep their size through the net: He's normal distribution for convolutions and dense layers,
near one for scales and variances, small for biases and means. The layer before the last Softmax is then scaled until
its results spread by about 2, so that no class takes all. Needs onnx, numpy and onnxruntime.
"""
import argparse

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

LIKE_RESHAPE = ("Unsqueeze", "Reshape", "Identity", "Squeeze")


def consumers(graph):
    users = {}
    for node in graph.node:
        for index, name in enumerate(node.input):
            users.setdefault(name, []).append((node, index))
    return users


def role(name, users):
    """How a tensor is used, seen through views of it: (operator type, input index)."""
    for node, index in users.get(name, []):
        if node.op_type in LIKE_RESHAPE and index == 0:
            return role(node.output[0], users)
        return node.op_type, index
    return None


def draw(rng, shape, used_as):
    def normal(deviation):
        return rng.standard_normal(shape) * deviation

    match used_as:
        case ("Conv" | "ConvTranspose", 1):
            return normal(np.sqrt(2 / max(1, np.prod(shape[1:]))))
        case ("Gemm" | "MatMul", _) if len(shape) == 2:
            return normal(np.sqrt(2 / max(shape)))
        case ("BatchNormalization", 4):
            return rng.uniform(0.8, 1.25, shape)
        case ("BatchNormalization", 1) | ("Mul" | "Div", _):
            return rng.uniform(0.8, 1.2, shape)
        case _:
            return normal(0.1)


def constant_shapes(graph):
    """Names of the outputs of ConstantOfShape nodes whose shape is known, with that shape."""
    known = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    return {n.output[0]: tuple(int(d) for d in known[n.input[0]])
            for n in graph.node if n.op_type == "ConstantOfShape" and n.input[0] in known}


def randomize(model, seed):
    graph, rng = model.graph, np.random.default_rng(seed)
    users = consumers(graph)
    shapes = constant_shapes(graph)
    dropped = {n.input[0] for n in graph.node if n.op_type == "ConstantOfShape" and n.output[0] in shapes}
    for tensor in graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and role(tensor.name, users):
            shapes[tensor.name] = tuple(tensor.dims)
    drawn = [numpy_helper.from_array(np.asarray(draw(rng, shape, role(name, users)), np.float32), name)
             for name, shape in shapes.items()]

    replaced = set(shapes) | dropped
    nodes = [n for n in graph.node if n.output[0] not in shapes]
    kept = [t for t in graph.initializer if t.name in users and t.name not in replaced]
    # Weights are no inputs of the model: IR version 4 allows initializers that the inputs do not list.
    names = {t.name for t in graph.initializer} | replaced
    inputs = [i for i in graph.input if i.name not in names]
    new = helper.make_graph(nodes, graph.name, inputs, graph.output, kept + drawn)
    result = helper.make_model(new, opset_imports=model.opset_import, ir_version=max(model.ir_version, 4), producer_name="randomize_weights")
    calm_last_layer(result)
    onnx.checker.check_model(result)
    return result


def example_input(model):
    """The input that the light_* models' recorded outputs belong to."""
    value = model.graph.input[0]
    shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
    size = int(np.prod(shape))
    return {value.name: (np.arange(size) / size).astype(np.float32).reshape(shape)}


def calm_last_layer(model, spread=2.0):
    softmax = next((n for n in reversed(model.graph.node) if n.op_type == "Softmax"), None)
    if softmax is None:
        return
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.append(helper.make_tensor_value_info(softmax.input[0], onnx.TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    logits = session.run([softmax.input[0]], example_input(model))[0]
    made = {o: n for n in model.graph.node for o in n.output}
    weights = {t.name: t for t in model.graph.initializer}
    node = made[softmax.input[0]]
    while not any(len(weights[i].dims) > 1 for i in node.input if i in weights):  # views and pools stand between
        node = made[node.input[0]]
    for name in node.input:
        if name in weights:
            scaled = numpy_helper.to_array(weights[name]) * np.float32(spread / logits.std())
            weights[name].CopyFrom(numpy_helper.from_array(scaled.astype(np.float32), name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("result")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    onnx.save(randomize(onnx.load(arguments.model), arguments.seed), arguments.result)


if __name__ == "__main__":
    main()
