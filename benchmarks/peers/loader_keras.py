"""Keras's ImageDataGenerator on the rows and with the changes of benchmarks/loader.cpp, served as fit serves it: by two
threads and by two processes, of which the faster counts.

usage: loader_keras.py ROUNDS      ROUNDS of 160 batches, 4 at most; prints one JSON line
"""
import json
import os
import sys
import time

os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras.src.legacy.preprocessing.image import ImageDataGenerator  # noqa: E402
from keras.src.trainers.data_adapters.py_dataset_adapter import PyDatasetAdapter  # noqa: E402

ROWS, SIDE, BATCH, WORKERS = 50_000, 32, 64, 2
WARM_UP, ROUND = 20, 160  # batches; an epoch has 782


def rates(rows, rounds, use_processes):
    rows.workers, rows.use_multiprocessing = WORKERS, use_processes
    adapter = PyDatasetAdapter(rows)
    adapter.on_epoch_begin()
    batches = adapter.get_numpy_iterator()
    for _ in range(WARM_UP):
        next(batches)
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        served = sum(len(next(batches)[0]) for _ in range(ROUND))
        found.append(served / (time.perf_counter() - start))
    adapter.on_epoch_end()
    return sorted(found)


def main(rounds):
    x = np.random.default_rng(0).integers(0, 256, (ROWS, SIDE, SIDE, 3), "uint8")
    mean = x.mean(0, dtype="float64").astype("float32")
    generator = ImageDataGenerator(width_shift_range=0.1, height_shift_range=0.1, horizontal_flip=True,
                                   preprocessing_function=lambda image: image - mean)
    rows = generator.flow(x, np.arange(ROWS) % 10, batch_size=BATCH)
    found = max((rates(rows, rounds, way) for way in (False, True)), key=lambda r: r[len(r) // 2])
    print(json.dumps({"peer": f"ImageDataGenerator of Keras {keras.__version__}", "workers": WORKERS,
                      "images_per_second_best": found[-1], "images_per_second_median": found[len(found) // 2]}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
