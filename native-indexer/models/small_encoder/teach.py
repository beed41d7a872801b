"""Vectors of the whole model for the texts: `teach.py MODEL_FOLDER TEXTS.tsv COUNT OUT`; writes OUT.npy and OUT.ids."""

import pickle
import sys
import time

import numpy as np
import torch
from tokenizers import Tokenizer

from encoder import DIMENSIONS, Encoder

torch.set_num_threads(2)


def batches(rows, size):
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    for at in range(0, len(order), size):
        yield order[at : at + size]


def padded(rows):
    lengths = torch.tensor([len(r) for r in rows])
    ids = torch.zeros(len(rows), int(lengths.max()), dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.as_tensor(row)
    return ids, lengths


if __name__ == "__main__":
    folder, source, count, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    lines = [l.split("\t", 1)[1] for l in open(source).read().splitlines()][:count]
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(40)
    rows = [np.array(e.ids, np.uint16) for e in tokenizer.encode_batch(lines)]
    pickle.dump(rows, open(out + ".ids", "wb"))
    teacher = Encoder(folder + "/model.safetensors", range(6)).eval()
    vectors = np.zeros((len(rows), DIMENSIONS), np.float16)
    started = time.time()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for k, part in enumerate(batches(rows, 256)):
            vectors[part] = teacher(*padded([rows[i].astype(np.int64) for i in part])).numpy()
            if k % 200 == 0:
                print(k * 256, round(k * 256 / (time.time() - started)), flush=True)
    np.save(out + ".npy", vectors)
    print("mean tokens", np.mean([len(r) for r in rows]))
