"""Compares our cross-encoder with ONNX Runtime, on 50 pairs of 256 tokens each. Measures the time that reranking
adds to a search with the program, for a model with the shape of MiniLM-L6 and a random head, and the time of the same
model in ONNX Runtime, which gets tokens.

Usage: cross_encoder.py NEARFIND MODEL_FOLDER WORK_FOLDER. MODEL_FOLDER contains config.json, model.safetensors and
tokenizer.json of all-MiniLM-L6-v2. Both use as many threads as there are cores.
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime
from safetensors.numpy import load_file, save_file

PAIRS, TOKENS, ROUNDS = 50, 256, 11
HERE = Path(__file__).parent


def checkpoint(source, folder):
    """Writes the checkpoint of a cross-encoder: the encoder of `source`, and a random head."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(1)
    config = json.loads((source / "config.json").read_text())
    width = config["hidden_size"]
    weights = {f"bert.{name}": value for name, value in load_file(source / "model.safetensors").items()}
    for name, shape in (("bert.pooler.dense", (width, width)), ("classifier", (1, width))):
        weights[f"{name}.weight"] = (chance.standard_normal(shape) * 0.05).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(shape[0], dtype=np.float32)
    save_file(weights, folder / "model.safetensors")
    config.update(architectures=["BertForSequenceClassification"], id2label={"0": "LABEL_0"})
    (folder / "config.json").write_text(json.dumps(config))
    shutil.copy(source / "tokenizer.json", folder)


def main(nearfind, source, work):
    checkpoint(source, work / "cross")
    environment = dict(os.environ, NEARFIND_CACHE=str(work / "cache"), NEARFIND_SETTINGS=str(work / "none.toml"))
    environment["NEARFIND_MODELS"] = str(work / "models")

    def run(*command, **more):
        return subprocess.run([nearfind, *command], env=environment, check=True, capture_output=True, text=True, **more).stdout

    run("model", "import", str(work / "cross"), "--name", "cross-f32", "--max-tokens", str(TOKENS))
    run("model", "quantize", "cross-f32", "--name", "cross-int8")
    chance = random.Random(1)
    words = "thread lock channel memory borrow owner trait closure future macro module crate value page list".split()
    (work / "docs").mkdir(exist_ok=True)
    for page in range(PAIRS + 10):
        (work / "docs" / f"{page}.md").write_text(f"# Page {page}\n\n" + " ".join(chance.choices(words, k=2 * TOKENS)) + "\n")
    run("model", "import", str(source), "--name", "all-MiniLM-L6-v2")
    run("index", str(work / "docs"), "-o", str(work / "bundle"), "--no-query-encoder", "--no-box", "-q")
    questions = "".join(f"which {words[number % 15]} has a {words[number // 3]} {number}\n" for number in range(ROUNDS))

    def ours(*more):
        command = ["search", str(work / "bundle"), "--stdin", "--mode", "words", "--unfit", "-n", str(PAIRS), *more]
        times = [json.loads(line)["took_ms"] for line in run(*command, input=questions).splitlines()]
        return statistics.median(times[1:])

    without = ours("--no-rerank")
    local = ["--set", "rerank.provider=local", "--set", f"rerank.candidates={PAIRS}", "--set"]
    found = {name: ours(*local, f"rerank.model=cross-{name}") - without for name in ("f32", "int8")}

    subprocess.run([sys.executable, HERE / "export_onnx.py", work / "cross", work / "onnx"], check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = os.cpu_count()
    peers = {}
    for name, file in (("f32", "model"), ("int8", "model_int8")):
        session = onnxruntime.InferenceSession(work / "onnx" / f"{file}.onnx", options)
        for batch in (1, 10, PAIRS):
            ids = np.tile(np.arange(1000, 1000 + TOKENS, dtype=np.int64), (batch, 1))
            times = []
            for _ in range(ROUNDS // 2):
                start = time.perf_counter()
                for _ in range(PAIRS // batch):
                    session.run(None, {"input_ids": ids})
                times.append((time.perf_counter() - start) * 1000)
            peers[name] = min(peers.get(name, float("inf")), statistics.median(times[1:]))
    for name in ("f32", "int8"):
        print(f"{name}: ours {found[name]:.0f} ms, ONNX Runtime {peers[name]:.0f} ms, ours / theirs {found[name] / peers[name]:.2f}")


main(os.path.abspath(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]).absolute())
