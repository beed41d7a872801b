"""Writes a BERT checkpoint as ONNX files for the peers: in f32, and in 8 bits as quantized by ONNX Runtime's own
tool.

Usage: export_onnx.py MODEL_FOLDER OUT_FOLDER. The folder has config.json and model.safetensors. `model_bert.onnx` has
the three inputs that some engines require. The graph uses ONNX's own LayerNormalization and Gelu, so that the runtime
need not recognize them first.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind, inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name


def build(config, weights, three_inputs=False):
    graph = Graph()
    heads, width = config["num_attention_heads"], config["hidden_size"]
    split = graph.constant("split", np.array([0, 0, heads, width // heads]))
    join = graph.constant("join", np.array([0, 0, width]))
    root = graph.constant("root", np.float32((width // heads) ** -0.5))

    def linear(x, name):
        weight = graph.constant(f"{name}.weight", weights[f"{name}.weight"].T)
        bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
        return graph.add("Add", [graph.add("MatMul", [x, weight]), bias])

    def norm(x, name):
        parts = [graph.constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        return graph.add("LayerNormalization", [x, *parts], axis=-1, epsilon=config["layer_norm_eps"])

    def by_head(x, order):
        return graph.add("Transpose", [graph.add("Reshape", [x, split])], perm=order)

    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    kinds = weights["embeddings.token_type_embeddings.weight"]
    positions = weights["embeddings.position_embeddings.weight"]
    places = graph.constant("places", positions if three_inputs else positions + kinds[0])
    word = graph.add("Gather", [words, "input_ids"])
    length = graph.add("Shape", ["input_ids"], start=1, end=2)
    zero, axes = graph.constant("zero", np.array([0])), graph.constant("axes", np.array([0]))
    place = graph.add("Slice", [places, zero, length, axes])
    x = graph.add("Add", [word, place])
    if three_inputs:
        x = graph.add("Add", [x, graph.add("Gather", [graph.constant("kinds", kinds), "token_type_ids"])])
        seen = graph.add("Cast", ["attention_mask"], to=TensorProto.FLOAT)
        seen = graph.add("Unsqueeze", [seen, graph.constant("middle", np.array([1, 2]))])
        hidden = graph.add("Sub", [graph.constant("one", np.float32(1)), seen])
        hidden = graph.add("Mul", [hidden, graph.constant("far", np.float32(-10000))])
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        base = f"encoder.layer.{layer}"
        query = graph.add("Mul", [linear(x, f"{base}.attention.self.query"), root])
        key, value = (linear(x, f"{base}.attention.self.{part}") for part in ("key", "value"))
        scores = graph.add("MatMul", [by_head(query, [0, 2, 1, 3]), by_head(key, [0, 2, 3, 1])])
        if three_inputs:
            scores = graph.add("Add", [scores, hidden])
        shares = graph.add("Softmax", [scores], axis=-1)
        mixed = graph.add("MatMul", [shares, by_head(value, [0, 2, 1, 3])])
        mixed = graph.add("Reshape", [graph.add("Transpose", [mixed], perm=[0, 2, 1, 3]), join])
        attended = linear(mixed, f"{base}.attention.output.dense")
        x = norm(graph.add("Add", [attended, x]), f"{base}.attention.output.LayerNorm")
        inner = graph.add("Gelu", [linear(x, f"{base}.intermediate.dense")])
        outer = linear(inner, f"{base}.output.dense")
        x = norm(graph.add("Add", [outer, x]), f"{base}.output.LayerNorm")
    names = ["input_ids", "attention_mask", "token_type_ids"] if three_inputs else ["input_ids"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    out = helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "tokens", width])
    whole = helper.make_graph(graph.nodes, "bert", inputs, [out], graph.constants)
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def main(folder, out):
    config = json.loads((folder / "config.json").read_text())
    weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
    model = build(config, weights)
    onnx.checker.check_model(model)
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(model, out / "model.onnx")
    onnx.save(build(config, weights, three_inputs=True), out / "model_bert.onnx")
    quantize_dynamic(out / "model.onnx", out / "model_int8.onnx", weight_type=QuantType.QUInt8)


main(Path(sys.argv[1]), Path(sys.argv[2]))
