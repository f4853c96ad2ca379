"""The small seeded ONNX models that make_mnn_goldens.py has MNN convert: each function gives (model, inputs by name)."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64, np.dtype(np.int32): TensorProto.INT32}


class Graph:
    """Collects nodes; every call gives the name of the node's first output."""

    def __init__(self, seed, opset=17):
        self.rng, self.opset = np.random.default_rng(seed), opset
        self.nodes, self.weights, self.inputs, self.values = [], [], [], {}

    def input(self, name, *shape, integers_below=0, shape_in_file=None):
        if integers_below:
            value = self.rng.integers(0, integers_below, shape).astype(np.int32)
        else:
            value = self.rng.standard_normal(shape).astype(np.float32)
        self.values[name] = value
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[value.dtype], shape_in_file or shape))
        return name

    def constant(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def normal(self, *shape, scale=None):
        scale = scale or 1 / np.sqrt(max(1, np.prod(shape[1:])))
        return self.constant((self.rng.standard_normal(shape) * scale).astype(np.float32))

    def near_one(self, *shape):
        return self.constant(self.rng.uniform(0.7, 1.3, shape).astype(np.float32))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def floats(self, *values):
        return self.constant(np.array(values, np.float32))

    def __call__(self, op, *inputs, outputs=1, **attributes):
        made = [f"t{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(op, [i or "" for i in inputs], made, name=f"{op.lower()}{len(self.nodes)}", **attributes))
        return made[0] if outputs == 1 else made

    def conv(self, x, channels_in, channels_out, kernel=3, group=1, bias=True, **attributes):
        w = self.normal(channels_out, channels_in // group, kernel, kernel)
        b = [self.normal(channels_out, scale=0.1)] if bias else []
        return self("Conv", x, w, *b, group=group, kernel_shape=[kernel, kernel], **attributes)

    def linear(self, x, width_in, width_out):
        return self("Add", self("MatMul", x, self.normal(width_in, width_out, scale=width_in ** -0.5)), self.normal(width_out, scale=0.1))

    def layer_norm(self, x, width):
        return self("LayerNormalization", x, self.near_one(width), self.normal(width, scale=0.1), axis=-1, epsilon=1e-5)

    def model(self, *outputs):
        """Outputs are called y0, y1, ...; constants and tensors in between have numbers."""
        for i, output in enumerate(outputs):
            self.nodes.append(helper.make_node("Identity", [output], [f"y{i}"], name=f"out{i}"))
        results = [helper.make_empty_tensor_value_info(f"y{i}") for i in range(len(outputs))]
        graph = helper.make_graph(self.nodes, "golden", self.inputs, results, self.weights)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        return typed(made), self.values


def typed(model):
    """Fills in the outputs' types, which shape inference finds."""
    from onnx import shape_inference
    inferred = {v.name: v for v in shape_inference.infer_shapes(model).graph.output}
    for value in model.graph.output:
        value.CopyFrom(inferred[value.name])
    return model


def image_net():
    """Convolution, batch norm, ReLU, pools and a dense layer."""
    g = Graph(1)
    x = g.input("x", 1, 3, 12, 12)
    t = g.conv(x, 3, 10, bias=False, pads=[1, 1, 1, 1])
    t = g("Relu", g("BatchNormalization", t, g.near_one(10), g.normal(10, scale=0.1), g.normal(10, scale=0.1), g.near_one(10)))
    t = g("MaxPool", t, kernel_shape=[2, 2], strides=[2, 2])
    side = g("Clip", g.conv(t, 10, 10, kernel=1), g.constant(np.float32(0)), g.constant(np.float32(6)))
    t = g("Add", t, side)
    t = g("AveragePool", g.conv(t, 10, 9, pads=[1, 1, 1, 1]), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=0)
    t = g("Flatten", g("GlobalAveragePool", t))
    return g.model(g("Softmax", g("Gemm", t, g.normal(7, 9), g.normal(7, scale=0.1), transB=1), axis=1))


def tiny_conv():
    """Two layers, for the codings of weights."""
    g = Graph(2)
    x = g.input("x", 1, 8, 5, 5)
    t = g("Relu", g.conv(x, 8, 12, pads=[1, 1, 1, 1]))
    return g.model(g.conv(t, 12, 6, kernel=1))


def dense():
    """MatMul with constant weights, wide enough for blocks of 32."""
    g = Graph(3)
    x = g.input("x", 3, 64)
    return g.model(g.linear(g("Relu", g.linear(x, 64, 20)), 20, 5))


def pruned():
    """Most weights are zero, which the sparse coding is for."""
    g = Graph(4)
    x = g.input("x", 1, 16, 4, 4)
    w = g.rng.standard_normal((16, 16, 3, 3)).astype(np.float32) / 3
    w[g.rng.random(w.shape) > 0.04] = 0
    return g.model(g("Conv", x, g.constant(w), g.normal(16, scale=0.1), kernel_shape=[3, 3], pads=[1, 1, 1, 1]))


def convolutions():
    """Depthwise, grouped, dilated, strided, unevenly padded, transposed."""
    g = Graph(5)
    x = g.input("x", 1, 8, 9, 7)
    depthwise = g.conv(x, 8, 8, group=8, pads=[1, 1, 1, 1])
    grouped = g.conv(x, 8, 12, group=4, pads=[1, 1, 1, 1], strides=[2, 1])
    dilated = g.conv(depthwise, 8, 5, dilations=[2, 2], pads=[2, 1, 2, 3])
    transposed = g("ConvTranspose", x, g.normal(8, 5, 3, 3, scale=0.2), g.normal(5, scale=0.1), kernel_shape=[3, 3], strides=[2, 2],
                   pads=[1, 1, 1, 1], output_padding=[1, 1])
    depth_up = g("ConvTranspose", depthwise, g.normal(8, 1, 2, 2, scale=0.5), group=8, kernel_shape=[2, 2], strides=[2, 2])
    same = g.conv(x, 8, 3, kernel=2, auto_pad="SAME_UPPER", strides=[2, 2])
    return g.model(grouped, dilated, transposed, depth_up, same)


def convolution_1d_3d():
    g = Graph(6)
    x = g.input("x", 2, 4, 11)
    v = g.input("v", 1, 3, 4, 5, 6)
    line = g("Conv", x, g.normal(6, 4, 3), g.normal(6, scale=0.1), kernel_shape=[3], pads=[1, 1], strides=[2])
    line = g("MaxPool", g("Relu", line), kernel_shape=[2], strides=[2])
    volume = g("Conv", v, g.normal(4, 3, 3, 3, 3), g.normal(4, scale=0.1), kernel_shape=[3, 3, 3], pads=[1, 1, 1, 1, 1, 1])
    volume = g("AveragePool", volume, kernel_shape=[2, 2, 2], strides=[2, 2, 2])
    return g.model(line, volume)


def views():
    """Chains of slices, concatenations, permutes, reshapes, pads and expands."""
    g = Graph(7)
    x = g.input("x", 2, 6, 4, 5)
    a, b, c = g("Split", x, g.ints(1, 2, 3), axis=1, outputs=3)
    t = g("Concat", c, g("Neg", b), a, axis=1)
    t = g("Transpose", t, perm=[0, 2, 3, 1])
    t = g("Reshape", t, g.ints(2, 4, -1, 3))
    t = g("Slice", t, g.ints(1, 0), g.ints(100, -1), g.ints(1, 2), g.ints(2, 3))
    padded = g("Pad", t, g.ints(0, 1, 0, 0, 0, 0, 2, 1), g.constant(np.float32(0.5)))
    edge = g("Pad", x, g.ints(0, 0, 1, 2, 0, 0, 2, 1), mode="reflect")
    blocks = g("DepthToSpace", g("Slice", x, g.ints(0), g.ints(4), g.ints(1)), blocksize=2)
    expanded = g("Add", g("Expand", g("Unsqueeze", g("Squeeze", g("Slice", x, g.ints(0), g.ints(1), g.ints(1)), g.ints(1)), g.ints(1)), g.ints(2, 3, 4, 5)), g.floats(1, 2, 3, 4, 5))
    tiled = g("Tile", g("Flatten", a, axis=2), g.ints(1, 2))
    return g.model(padded, edge, blocks, expanded, tiled, g("SpaceToDepth", g("Pad", x, g.ints(0, 0, 0, 0, 0, 0, 0, 1)), blocksize=2))


def image_views():
    """Views between convolutions, where MNN changes layouts."""
    g = Graph(8)
    x = g.input("x", 1, 3, 8, 8)
    t = g.conv(x, 3, 6, pads=[1, 1, 1, 1])
    left, right = g("Split", t, g.ints(2, 4), axis=1, outputs=2)
    shuffled = g("Reshape", g("Transpose", g("Reshape", t, g.ints(1, 2, 3, 8, 8)), perm=[0, 2, 1, 3, 4]), g.ints(1, 6, 8, 8))
    t = g("Concat", left, g("Sigmoid", right), shuffled, axis=1)
    gate = g("HardSigmoid", g.conv(g("GlobalAveragePool", t), 12, 12, kernel=1), alpha=0.2, beta=0.5)
    t = g.conv(g("Mul", t, gate), 12, 4, kernel=1)
    t = g("PRelu", t, g.constant(g.rng.uniform(0.1, 0.4, (4, 1, 1)).astype(np.float32)))
    t = g("Transpose", t, perm=[0, 2, 3, 1])
    return g.model(g("Reshape", t, g.ints(1, -1, 2)))


def encoder():
    """One block of a transformer's encoder, with attention as exporters write it."""
    g = Graph(9)
    length, width, heads = 6, 16, 2
    x = g.input("x", 2, length, width)
    mask = g.input("mask", 2, 1, 1, length)

    def heads_of(t, perm):
        return g("Transpose", g("Reshape", t, g.ints(0, 0, heads, width // heads)), perm=perm)

    q, k, v = (g.linear(x, width, width) for _ in range(3))
    scores = g("MatMul", heads_of(q, [0, 2, 1, 3]), heads_of(k, [0, 2, 3, 1]))
    scores = g("Add", g("Div", scores, g.constant(np.float32(np.sqrt(width // heads)))), mask)
    t = g("MatMul", g("Softmax", scores, axis=-1), heads_of(v, [0, 2, 1, 3]))
    t = g("Reshape", g("Transpose", t, perm=[0, 2, 1, 3]), g.ints(0, 0, width))
    t = g.layer_norm(g("Add", g.linear(t, width, width), x), width)
    h = g.linear(t, width, 24)
    h = g("Mul", g("Mul", h, g("Add", g("Erf", g("Div", h, g.constant(np.float32(np.sqrt(2))))), g.constant(np.float32(1)))), g.constant(np.float32(0.5)))
    return g.model(g.layer_norm(g("Add", g.linear(h, 24, width), t), width))


def norms():
    """Layer norm spelt out, instance norm, group norm as exporters write it, LRN, L2 norm, RMS norm."""
    g = Graph(10)
    x = g.input("x", 2, 8, 5, 6)
    mean = g("ReduceMean", x, axes=[-1])
    centred = g("Sub", x, mean)
    variance = g("ReduceMean", g("Pow", centred, g.constant(np.float32(2))), axes=[-1])
    layer = g("Div", centred, g("Sqrt", g("Add", variance, g.constant(np.float32(1e-5)))))
    layer = g("Add", g("Mul", layer, g.near_one(6)), g.normal(6, scale=0.1))
    instance = g("InstanceNormalization", x, g.near_one(8), g.normal(8, scale=0.1), epsilon=1e-5)
    group = g("InstanceNormalization", g("Reshape", x, g.ints(0, 4, -1)), g.constant(np.ones(4, np.float32)), g.constant(np.zeros(4, np.float32)))
    group = g("Add", g("Mul", g("Reshape", group, g.ints(2, 8, 5, 6)), g.near_one(8, 1, 1)), g.normal(8, 1, 1, scale=0.1))
    square = g("ReduceMean", g("Mul", x, x), axes=[-1])
    rms = g("Mul", g("Div", x, g("Sqrt", g("Add", square, g.constant(np.float32(1e-6))))), g.near_one(6))
    return g.model(layer, instance, group, g("LRN", x, size=3, alpha=1e-2, beta=0.75, bias=1.0), g("LpNormalization", x, axis=1, p=2), rms)


def resize():
    g = Graph(11)
    x = g.input("x", 1, 3, 5, 4)
    up = [1, 1, 2, 2]

    def to(mode, coordinates, *scales, **attributes):
        return g("Resize", x, None, g.floats(*scales), mode=mode, coordinate_transformation_mode=coordinates, **attributes)

    return g.model(to("nearest", "asymmetric", *up, nearest_mode="floor"), to("linear", "half_pixel", *up), to("linear", "align_corners", *up),
                   to("linear", "pytorch_half_pixel", 1, 1, 1.5, 0.75), to("linear", "asymmetric", 1, 1, 1.6, 2), to("cubic", "half_pixel", *up),
                   to("nearest", "half_pixel", 1, 1, 1.5, 2, nearest_mode="round_prefer_floor"))


def reductions():
    g = Graph(12)
    x = g.input("x", 2, 3, 4, 6)
    index = g.input("index", 3, integers_below=4)
    values, indices = g("TopK", x, g.ints(3), axis=-1, outputs=2)
    gathered = g("Gather", x, index, axis=2)
    elements = g("GatherElements", x, indices, axis=3)
    cast = g("Cast", g("ArgMax", x, axis=1, keepdims=0), to=TensorProto.FLOAT)
    middle = g("Mul", x, g("Cast", g("Equal", g("ArgMax", x, axis=2, keepdims=1), g.ints(1)), to=TensorProto.FLOAT))
    return g.model(middle, g("ReduceMean", x, axes=[2, 3]), g("ReduceMax", x, axes=[1], keepdims=0), g("ReduceSum", x, g.ints(0, 2), keepdims=0),
                   g("ReduceProd", x, axes=[3]), g("ReduceL2", x, axes=[1]), cast, values, gathered, elements,
                   g("CumSum", x, g.constant(np.int64(1))), g("ReduceLogSumExp", x, axes=[3]))


def elementwise():
    g = Graph(13)
    x = g.input("x", 2, 5, 3)
    y = g.input("y", 5, 1)
    unary = x
    for op in ("Tanh", "Abs", "Sqrt", "Exp", "Log", "Sin", "Cos", "Sigmoid", "Softplus", "Neg", "Elu", "Selu", "HardSwish", "LeakyRelu"):
        unary = g("Add", g(op, unary if op not in ("Log", "Sqrt") else g("Add", g("Abs", unary), g.constant(np.float32(0.1)))), g.constant(np.float32(0.05)))
    binary = g("Mul", g("Sub", g("Div", x, g("Add", g("Abs", y), g.constant(np.float32(1)))), g("Max", x, y)), g("Min", x, y))
    where = g("Where", g("Greater", g("Mul", x, y), g.constant(np.float32(0))), x, g("Mul", x, y))
    rounded = g("Add", g("Floor", x), g("Add", g("Ceil", y), g("Round", g("Mul", x, g.constant(np.float32(3))))))
    power = g("Pow", g("Abs", x), g.constant(np.float32(1.7)))
    activated = g("Mul", x, g("Sigmoid", x))
    return g.model(unary, binary, where, rounded, power, activated, g("Mod", x, g("Add", g("Abs", y), g.constant(np.float32(0.5))), fmod=1), g("Clip", x, g.constant(np.float32(-0.5)), g.constant(np.float32(0.7))))


def shapes():
    """Shapes computed from shapes, on an input of no fixed size."""
    g = Graph(14)
    x = g.input("x", 2, 4, 6, shape_in_file=["n", 4, "length"])
    shape = g("Shape", x)
    length = g("Gather", shape, g.ints(2), axis=0)
    batch = g("Gather", shape, g.ints(0), axis=0)
    half = g("Div", length, g.ints(2))
    split = g("Reshape", x, g("Concat", batch, g.ints(4), half, g.ints(2), axis=0))
    first = g("Slice", x, g.ints(0), half, g.ints(2))
    ramp = g("Range", g.constant(np.int64(0)), g("Squeeze", length, g.ints(0)), g.constant(np.int64(1)))
    mask = g("ConstantOfShape", g("Concat", batch, g.ints(4), half, axis=0), value=numpy_helper.from_array(np.array([1.5], np.float32)))
    return g.model(split, g("Add", first, mask), g("Mul", x, g("Cast", ramp, to=TensorProto.FLOAT)))


def recurrent(kind):
    g = Graph({"LSTM": 15, "GRU": 16}[kind])
    gates = {"LSTM": 4, "GRU": 3}[kind]
    size, width = 5, 4
    x = g.input("x", 6, 2, width)
    attributes = {"linear_before_reset": 1} if kind == "GRU" else {}
    outputs = g(kind, x, g.normal(1, gates * size, width, scale=0.4), g.normal(1, gates * size, size, scale=0.4), g.normal(1, 2 * gates * size, scale=0.1),
                outputs=3 if kind == "LSTM" else 2, hidden_size=size, **attributes)
    return g.model(g("Squeeze", outputs[0], g.ints(1)), outputs[1])


def lstm():
    """Whole layers as one op."""
    return recurrent("LSTM")


def gru():
    return recurrent("GRU")


def gru_both_ways():
    g = Graph(19)
    size, width = 5, 4
    x = g.input("x", 6, 2, width)
    rows = 3 * size
    return g.model(g("GRU", x, g.normal(2, rows, width, scale=0.4), g.normal(2, rows, size, scale=0.4), g.normal(2, 2 * rows, scale=0.3), outputs=2,
                     hidden_size=size, direction="bidirectional")[0])


def matmuls():
    """Batched and broadcast products, transposed operands, vectors, Gemm in its forms, Einsum."""
    g = Graph(17)
    a = g.input("a", 2, 3, 5)
    b = g.input("b", 2, 5, 4)
    c = g.input("c", 6, 5)
    batched = g("MatMul", a, b)
    broadcast = g("MatMul", a, g("Transpose", c, perm=[1, 0]))
    gemm = g("Gemm", c, g.normal(7, 5), g.normal(7, scale=0.1), transB=1, alpha=0.5, beta=2.0)
    transposed = g("Gemm", c, g.normal(6, 3), transA=1)
    return g.model(batched, broadcast, gemm, transposed, g("Einsum", a, b, equation="bij,bjk->bki"))


def detection():
    """Grid sampling, region pooling and scatter."""
    g = Graph(18)
    x = g.input("x", 1, 4, 6, 6)
    grid = g.input("grid", 1, 3, 5, 2)
    boxes = g.constant(np.array([[0, 0, 4, 4], [1, 1, 5, 3]], np.float32))
    align = g("RoiAlign", x, boxes, g.ints(0, 0), output_height=2, output_width=3, sampling_ratio=2, spatial_scale=0.9)
    scattered = g("ScatterND", x, g.constant(np.array([[0, 1], [0, 3]], np.int64)), g.normal(2, 6, 6, scale=1.0))
    return g.model(g("GridSample", x, grid, mode="bilinear", padding_mode="zeros", align_corners=0), align, scattered,
                   g("ScatterElements", x, g.constant(g.rng.integers(0, 6, (1, 4, 2, 6))), g.normal(1, 4, 2, 6, scale=1.0), axis=2))
