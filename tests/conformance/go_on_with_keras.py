#!/usr/bin/env python3
"""Lets real Keras open the models that Tandem wrote, and go on training them.

usage: go_on_with_keras.py FOLDER
FOLDER is what `TANDEM_WRITE_FILES=FOLDER model_test --gtest_filter=WriteModelsForKeras.*` filled: NAME.keras, compiled and trained for
some steps, with data (NAME.x.npy, NAME.y.npy), NAME.output.npy, what Tandem predicts there, and NAME.losses.npy, the losses with which
Tandem goes on; and the same model as NAME.h5, with NAME.h5.losses.npy, the losses of a new optimizer. Predictions must be equal to 1e-5
and losses to 1e-4; what Keras writes of the loaded model must hold the same variables. Warnings of Keras count as failures. Needs keras
and tensorflow-cpu.
"""
import io
import json
import os
import pathlib
import sys
import tempfile
import warnings
import zipfile

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import h5py  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402


def variables(path):
    """Names, shapes, types and values of all variables in an archive."""
    found = {}
    with zipfile.ZipFile(path) as archive, h5py.File(io.BytesIO(archive.read("model.weights.h5")), "r") as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def variables_differ(got, want):
    want = {name: value for name, value in want.items() if "/seed_generator/" not in name}
    if got.keys() != want.keys():
        return f"variables {sorted(got.keys() ^ want.keys())}"
    wrong = [n for n in want if got[n].dtype != want[n].dtype or not np.array_equal(got[n], want[n])]
    return f"variables {wrong} differ" if wrong else ""


def legacy_parts(path):
    """Attributes, and the weights in their order, of a whole model's .h5. Their names begin with the model's only in Keras."""
    with h5py.File(path, "r") as file:
        groups = file["model_weights"]
        weights = [(layer, [groups[layer][name][()] for name in groups[layer].attrs["weight_names"]]) for layer in groups]
        texts = {name: json.loads(file.attrs[name]) for name in ("model_config", "training_config")}
        return texts, {name: file.attrs[name] for name in ("backend", "keras_version")}, weights


def legacy_differ(got, want):
    for value in (got, want):  # Keras writes what it made of the settings
        for key in ("optimizer_config", "metrics", "loss"):
            value[0]["training_config"].pop(key)
    if got[:2] != want[:2]:
        return f"attributes {[key for a, b in zip(got, want) for key in b if a.get(key) != b[key]]} differ"
    names = [layer for layer, _ in want[2]]
    if [layer for layer, _ in got[2]] != names:
        return f"layers {names}"
    wrong = [n for n, (_, a), (_, b) in zip(names, got[2], want[2]) if len(a) != len(b) or not all(map(np.array_equal, a, b))]
    return f"weights of {wrong} differ" if wrong else ""


def go_on(path):
    """What is wrong with the model; empty when nothing is."""
    legacy, stem = path.suffix == ".h5", str(path.with_suffix(""))
    x, y, output = (np.load(f"{stem}.{part}.npy") for part in ("x", "y", "output"))
    losses = np.load(f"{path if legacy else stem}.losses.npy")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = keras.models.load_model(path)
    with tempfile.TemporaryDirectory() as place:
        again = f"{place}/again{path.suffix}"
        model.save(again)
        wrong = legacy_differ(legacy_parts(path), legacy_parts(again)) if legacy else variables_differ(variables(path), variables(again))
        if wrong:
            return wrong
    error = np.abs(keras.ops.convert_to_numpy(model(x)) - output).max()
    if not error < 1e-5:
        return f"predictions differ by {error}"
    got = np.array([model.fit(x, y, batch_size=len(x), epochs=1, verbose=0).history["loss"][0] for _ in losses])
    error = np.abs(got - losses).max()
    return "" if error < 1e-4 else f"losses differ by {error}: {got} and {losses}"


def main(folder):
    files = sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix in (".keras", ".h5"))
    failed = 0
    for path in files:
        try:
            wrong = go_on(path)
        except Exception as error:  # whatever Keras does not like about the file
            wrong = f"{type(error).__name__}: {error}"
        failed += bool(wrong)
        print(f"keras {keras.__version__} {path.name}: {wrong or 'equal'}", flush=True)
    print(f"{len(files)} models, {failed} not as they must be")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
