#!/usr/bin/env python3
"""Lets real Keras read the configs of networks that Tandem wrote.

usage: read_configs.py FOLDER
FOLDER is what `TANDEM_WRITE_FILES=FOLDER network_test --gtest_filter=NetworkConfigForKeras.*` filled: NAME.network.json for cases of
tests/fixtures/keras/networks, read by Tandem from real Keras's texts and written again. Keras must read each without a warning, write
it again with the same members, and compute with the case's weights what the case says. Needs keras and tensorflow-cpu.
"""
import json
import os
import pathlib
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import keras  # noqa: E402
import numpy as np  # noqa: E402

CASES = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "keras" / "networks"


def arrays(case, stem):
    files = (case / f"{stem}{i}.npy" for i in range(100))
    return [np.load(file) for file in files if file.exists()]


def difference(got, want, path=""):
    """The first place where two configs differ; empty when none does."""
    if isinstance(got, dict) and isinstance(want, dict):
        if got.keys() != want.keys():
            return f"{path}: members {sorted(got.keys() ^ want.keys())}"
        return next((d for key in want if (d := difference(got[key], want[key], f"{path}.{key}"))), "")
    if isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        return next((d for i, pair in enumerate(zip(got, want)) if (d := difference(*pair, f"{path}[{i}]"))), "")
    return "" if got == want else f"{path}: {got} and {want}"


def read(path):
    """What is wrong with the text; empty when nothing is."""
    text = path.read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = keras.models.model_from_json(text)
    if wrong := difference(json.loads(model.to_json()), json.loads(text)):
        return f"is written differently at {wrong}"
    case = CASES / path.name.split(".")[0]
    weights = arrays(case, "weight")
    if not model.built or len(model.weights) != len(weights):
        return f"has {len(model.weights)} weights, must have {len(weights)}"
    model.set_weights(weights)
    structure = model._inputs_struct if hasattr(model, "_inputs_struct") else model.inputs[0]
    outputs = keras.tree.flatten(model(keras.tree.pack_sequence_as(structure, arrays(case, "x"))))
    error = max(float(np.abs(got - want).max()) for got, want in zip(outputs, arrays(case, "output"), strict=True))
    return "" if error < 1e-5 else f"outputs differ by {error}"


def main(folder):
    files = sorted(pathlib.Path(folder).glob("*.network.json"))
    failed = 0
    for path in files:
        try:
            wrong = read(path)
        except Exception as error:  # whatever Keras does not like about the text
            wrong = f"{type(error).__name__}: {error}"
        failed += bool(wrong)
        print(f"keras {keras.__version__} {path.name}: {wrong or 'equal'}")
    print(f"{len(files)} texts, {failed} not as they must be")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
