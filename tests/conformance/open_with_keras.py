#!/usr/bin/env python3
"""Lets real Keras open the weight files that Tandem wrote.

usage: open_with_keras.py FOLDER
FOLDER is what `TANDEM_WRITE_FILES=FOLDER saving_test --gtest_filter=WriteForKeras.*` filled: MODEL.weights.h5 and MODEL.h5 for models of
tests/fixtures/saved_models.py, with MODEL.values.npy (all weights in the order of model.get_weights()), MODEL.x.npy and
MODEL.output.npy. Each file is loaded, by Keras 3 and, where it is legacy and tf_keras is installed, by Keras 2; weights must be equal
and predictions equal to 1e-5. Warnings of Keras count as failures. Needs keras and tensorflow-cpu.
"""
import os
import pathlib
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fixtures"))

import keras  # noqa: E402
import numpy as np  # noqa: E402
from saved_models import MODELS  # noqa: E402

try:
    import tf_keras
except ImportError:
    tf_keras = None


def open_file(path, name, library):
    """What is wrong with the file; empty when nothing is."""
    model = MODELS[name](library)
    for weight in model.weights:
        weight.assign(np.zeros(weight.shape))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model.load_weights(str(path))
    stem = path.parent / name
    # Keras 2 counts a subclassed model's weights in another order.
    if library is keras or name != "subclassed":
        values = np.concatenate([w.reshape(-1) for w in model.get_weights()])
        if not np.array_equal(values, np.load(f"{stem}.values.npy")):
            return "weights differ"
    error = np.abs(model.predict(np.load(f"{stem}.x.npy"), verbose=0) - np.load(f"{stem}.output.npy")).max()
    return "" if error < 1e-5 else f"predictions differ by {error}"


def main(folder):
    files = sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix in (".h5", ".hdf5"))
    failed = 0
    for path in files:
        name = path.name.split(".")[0]
        legacy = not path.name.endswith(".weights.h5")
        for library in [keras] + ([tf_keras] if legacy and tf_keras else []):
            try:
                wrong = open_file(path, name, library)
            except Exception as error:  # whatever Keras does not like about the file
                wrong = f"{type(error).__name__}: {error}"
            failed += bool(wrong)
            print(f"{library.__name__} {library.__version__} {path.name}: {wrong or 'equal'}")
    if not files:
        print(f"{folder}: no weight files", file=sys.stderr)
    return 1 if failed or not files else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
