"""Compares our native encoder with ONNX Runtime, in turn: texts per second, and their ratio.

Usage: native.py BENCH_BINARY MODEL_FOLDER THREADS [ROUNDS]. The folder has model.onnx and model_int8.onnx of
`export_onnx.py`. ONNX Runtime gets batches of 1 and of 8 texts of equal length, without padding, and its better result
counts.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

# ONNX Runtime's threads continue spinning for a while after their work.
PAUSE_SECONDS = 0.05


def main(binary, folder, threads, rounds):
    ours = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run_ours(tokens, texts):
        ours.stdin.write(f"{threads} {tokens} {texts}\n")
        ours.stdin.flush()
        return float(ours.stdout.readline())

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    sessions = {name: onnxruntime.InferenceSession(folder / f"{name}.onnx", options) for name in ("model", "model_int8")}

    def run_peer(session, batch):
        def run(tokens, texts):
            ids = np.tile(np.arange(1000, 1000 + tokens, dtype=np.int64), (batch, 1))
            start = time.perf_counter()
            for _ in range(texts // batch):
                session.run(None, {"input_ids": ids})
            return time.perf_counter() - start

        return run

    engines = {"ours": run_ours}
    for name, session in sessions.items():
        for batch in (1, 8):
            engines[f"{name} ×{batch}"] = run_peer(session, batch)
    for tokens, texts in ((12, 64), (32, 32), (128, 16), (256, 8)):
        seconds = {name: [] for name in engines}
        for round_number in range(rounds + 1):
            for name, run in engines.items():
                time.sleep(PAUSE_SECONDS)
                took = run(tokens, texts)
                if round_number:
                    seconds[name].append(took)
        rates = {name: texts / statistics.median(took) for name, took in seconds.items()}
        f32 = max(rates["model ×1"], rates["model ×8"])
        int8 = max(rates["model_int8 ×1"], rates["model_int8 ×8"])
        print(
            f"{tokens} tokens, {threads} threads: ours {rates['ours']:.0f} texts/s, ONNX Runtime f32 {f32:.0f}, int8 {int8:.0f}; "
            f"ours / f32 {rates['ours'] / f32:.2f}, ours / int8 {rates['ours'] / int8:.2f}"
        )
    ours.stdin.close()


main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 9)
