"""PyTorch's DataLoader on the rows and with the changes of benchmarks/loader.cpp: each image shifted by up to a tenth of
its sides, bilinear and with the edge repeated, mirrored at random, the mean image subtracted.

usage: loader_pytorch.py EPOCHS    prints one JSON line; the first epoch, which is not counted, starts the workers
"""
import json
import sys
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

ROWS, SIDE, BATCH, WORKERS = 50_000, 32, 64, 2
REACH = 0.1 * SIDE


def taps(offset):
    """Along one axis: the two pixels that each new one is mixed of, and the weight of the second."""
    position = np.clip(np.arange(SIDE) + offset, 0, SIDE - 1)
    low = position.astype(np.int64)
    return low, np.minimum(low + 1, SIDE - 1), (position - low).astype(np.float32)


class Rows(Dataset):
    def __init__(self):
        self.x = np.random.default_rng(0).integers(0, 256, (ROWS, SIDE, SIDE, 3), "uint8")
        self.y = np.arange(ROWS) % 10
        self.mean = self.x.mean(0, dtype="float64").astype("float32")

    def __len__(self):
        return ROWS

    def __getitem__(self, i):
        image = self.x[i] - self.mean
        (dy, dx), flip = (torch.rand(2) * 2 - 1).numpy() * REACH, torch.rand(()) < 0.5
        low, high, weight = taps(dy)
        weight = weight[:, None, None]
        image = image[low] * (1 - weight) + image[high] * weight
        low, high, weight = taps(dx)
        weight = weight[:, None]
        image = image[:, low] * (1 - weight) + image[:, high] * weight
        return torch.from_numpy(np.ascontiguousarray(image[:, ::-1]) if flip else image), int(self.y[i])


def main(epochs):
    loader = DataLoader(Rows(), BATCH, shuffle=True, num_workers=WORKERS, persistent_workers=True)
    rates = []
    for epoch in range(epochs + 1):
        start, rows = time.perf_counter(), 0
        for x, _ in loader:
            rows += len(x)
        if epoch:
            rates.append(rows / (time.perf_counter() - start))
    rates.sort()
    print(json.dumps({"peer": f"DataLoader of PyTorch {torch.__version__}", "workers": WORKERS,
                      "images_per_second_best": rates[-1], "images_per_second_median": rates[len(rates) // 2]}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
