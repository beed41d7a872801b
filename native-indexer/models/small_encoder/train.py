"""Trains the encoder of questions: `train.py MODEL_FOLDER TEACHER OUT LAYERS STEPS [STEP]`.

TEACHER.ids and TEACHER.npy come from `teach.py`; OUT.safetensors has the layers alone, named as in the model.
"""

import math
import pickle
import random
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

from encoder import Encoder
from teach import padded

torch.set_num_threads(2)
torch.manual_seed(1)
HELD_OUT, BATCH, RATE, ROUNDED_FROM = 3000, 256, 6e-4, 0.6


def main():
    folder, teacher, out, layers, total = sys.argv[1], sys.argv[2], sys.argv[3], [int(c) for c in sys.argv[4].split(",")], int(sys.argv[5])
    step = float(sys.argv[6]) if len(sys.argv) > 6 else 0.3
    rows = [r.astype(np.int64) for r in pickle.load(open(teacher + ".ids", "rb"))]
    wanted = torch.from_numpy(np.load(teacher + ".npy"))
    student = Encoder(folder + "/model.safetensors", layers, round_rows=True)
    decayed = [p for p in student.parameters() if p.ndim > 1]
    others = [p for p in student.parameters() if p.ndim == 1]
    optimizer = torch.optim.AdamW([dict(params=decayed, weight_decay=0.01), dict(params=others, weight_decay=0.0)], RATE, betas=(0.9, 0.98), fused=True)
    schedule = lambda k: min(1, k / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * k / total)))
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    rng = random.Random(1)
    order = sorted(range(HELD_OUT, len(rows)), key=lambda i: (len(rows[i]), rng.random()))
    held = [range(at, at + 500) for at in range(0, HELD_OUT, 500)]

    def quality(step):
        student.eval()
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            return float(np.mean([(student(*padded([rows[i] for i in part]), step) * wanted[list(part)].float()).sum(1).mean() for part in held]))

    batches, k, started, mean = [], 0, time.time(), None
    print("untrained", round(quality(0), 4), flush=True)
    while k < total:
        if not batches:
            # Texts of like length share a batch; where batches begin differs in each pass.
            start = rng.randrange(BATCH)
            batches = [order[at : at + BATCH] for at in range(start, len(order) - BATCH, BATCH)]
            rng.shuffle(batches)
        part = batches.pop()
        target = wanted[part].float()
        with torch.autocast("cpu", torch.bfloat16):
            vectors = student(*padded([rows[i] for i in part]), step if k >= ROUNDED_FROM * total else 0)
        cosine = (vectors * target).sum(1).mean()
        loss = 1 - cosine + 8 * F.mse_loss(vectors @ target.T, target @ target.T)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        rates.step()
        k += 1
        cosine = float(cosine.detach())
        mean = cosine if mean is None else 0.98 * mean + 0.02 * cosine
        if k % 100 == 0:
            print(k, "texts a second", round(k * BATCH / (time.time() - started)), "cosine", round(mean, 4), flush=True)
        if k % 1000 == 0 or k == total:
            print("  held out", round(quality(0), 4), "rounded", round(quality(step), 4), flush=True)
            save_file(student.layers_as_stored(), out + ".safetensors")


main()
