#!/usr/bin/env python3
"""Runs the cases of a folder through the command line: what it predicts, evaluates and trains must be Keras's numbers.

usage: command_line.py TANDEM FOLDER [NAME...]
Cases in not_built.txt are left out; the library's run has shown that they are refused. Trained models are compared by the history
and by the weights in the file that --save wrote, on one device and, where nothing is normalised by batch, on two. Needs h5py.
"""
import concurrent.futures
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def not_built():
    lines = (line.partition("#")[0].strip() for line in (HERE / "not_built.txt").read_text().splitlines())
    return {line for line in lines if line}


def arrays(case, stem):
    """The files of stem.npy or of stem0.npy, stem1.npy, ..., joined as the command takes them."""
    if (case / f"{stem}.npy").exists():
        return str(case / f"{stem}.npy")
    files = []
    while (case / f"{stem}{len(files)}.npy").exists():
        files.append(str(case / f"{stem}{len(files)}.npy"))
    return "+".join(files)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    # Small cases are slower on two devices than on one, which is said in a warning.
    complaints = [line for line in done.stderr.splitlines() if not line.startswith("tandem: warning: a step takes ")]
    if done.returncode != 0 or complaints:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def differs(what, got, want, tolerance):
    got, want = np.asarray(got, "float64"), np.asarray(want, "float64")
    if got.shape != want.shape:
        return [f"{what}: shape must be {want.shape}, is {got.shape}"]
    wrong = ~(np.abs(got - want) <= tolerance["abs"] + tolerance["rel"] * np.abs(want)) & ~(np.isnan(got) & np.isnan(want))
    if not wrong.any():
        return []
    first = np.argmax(wrong)
    return [f"{what}: element {first} must be {want.flat[first]}, is {got.flat[first]} ({wrong.sum()} differ)"]


def check_predict(tandem, case, about):
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place) / "y.npy"
        run([tandem, "predict", str(case / "model.keras"), "--input", arrays(case, "x"), "--output", str(out),
             "--batch-size", str(about["batch_size"])])
        names = ["predict.npy"] if about["outputs"] == 1 else [f"predict{i}.npy" for i in range(about["outputs"])]
        found = []
        for i, name in enumerate(names):
            written = out if len(names) == 1 else out.with_name(f"y{i}.npy")
            found += differs(name, np.load(written), np.load(case / name), about["tolerance"])
        return found


def check_evaluate(tandem, case, about):
    """The loss of the first batch is that of the first step, where training and inference compute the same."""
    config = (case / "config.json").read_text()
    if about["epochs"] == 0 or "BatchNormalization" in config:
        return []
    batch = str(about["batch_size"])
    data = f"npy:{arrays(case, 'x')},{arrays(case, 'y')}"
    figures = json.loads(run([tandem, "evaluate", str(case / "model.keras"), "--data", data, "--batch-size", batch,
                              "--steps", "1", "--json"]))
    return differs("evaluate", figures["loss"], np.load(case / "losses.npy")[0], about["tolerance"])


def groups_differ(got, want, path, tolerance):
    """Every data set of `want` must be in `got`, under the same path, and every layer's group `vars`."""
    found = []
    for name, item in want.items():
        where = f"{path}/{name}"
        if name not in got:
            found.append(f"{where}: must be there")
        elif isinstance(item, h5py.Group):
            found += groups_differ(got[name], item, where, tolerance)
        else:
            found += differs(where, got[name][()], item[()], tolerance)
    return found


def check_train(tandem, case, about, devices):
    """What fit gave and left, by a file of the whole model, which must predict as the trained model."""
    if about["epochs"] == 0:
        return []
    # Replicas normalise by their own rows, so that only one device has Keras's numbers in training.
    if devices > 1 and "BatchNormalization" in (case / "config.json").read_text():
        return []
    with tempfile.TemporaryDirectory() as place:
        out, history = pathlib.Path(place) / "out.keras", pathlib.Path(place) / "out.json"
        run([tandem, "train", str(case / "model.keras"), "--data", f"npy:{arrays(case, 'x')},{arrays(case, 'y')}", "--no-shuffle",
             "--batch-size", str(about["batch_size"]), "--epochs", str(about["epochs"]), "--save", str(out),
             "--history", str(history), "--verbose", "0", "--devices", f"cpu*{devices}"])
        got, want = json.loads(history.read_text()), json.loads((case / "history.json").read_text())
        found = [] if got.keys() == want.keys() else [f"history: keys must be {sorted(want)}, are {sorted(got)}"]
        for key in want.keys() & got.keys():
            found += differs(f"history {key}", got[key], want[key], about["tolerance"])
        with zipfile.ZipFile(out) as archive:
            weights = h5py.File(io.BytesIO(archive.read("model.weights.h5")), "r")
        with weights, h5py.File(case / "trained.weights.h5", "r") as trained:
            found += groups_differ(weights, trained, "", about["tolerance"])
            # LossScaleOptimizer has a count of its own, which stays at 0, in front of the one of what it is made of.
            of_inner = about["optimizer"]["class_name"] == "LossScaleOptimizer"
            count = "optimizer/inner_optimizer/vars/0" if of_inner else "optimizer/vars/0"
            if int(weights[count][()]) != about["steps"]:
                found.append(f"{count}: must be {about['steps']} updates")
        return [f"{line} ({devices} devices)" if devices > 1 else line for line in found]


def check(tandem, case):
    about = json.loads((case / "case.json").read_text())
    if about["kind"] not in ("layer", "model", "loss", "optimizer"):
        return None
    try:
        found = check_predict(tandem, case, about) + check_evaluate(tandem, case, about)
        return found + check_train(tandem, case, about, 1) + check_train(tandem, case, about, 2)
    except (RuntimeError, subprocess.TimeoutExpired, OSError, KeyError, ValueError) as error:
        return [str(error)]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tandem, folder, chosen = sys.argv[1], pathlib.Path(sys.argv[2]), set(sys.argv[3:])
    left_out = not_built()
    cases = [c for c in sorted(folder.iterdir()) if (c / "case.json").exists() and c.name not in left_out]
    cases = [c for c in cases if not chosen or c.name in chosen]
    passed = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, found in zip(cases, pool.map(lambda c: check(tandem, c), cases)):
            if found is None:
                continue
            for line in found[:3]:
                print(f"{case.name}: {line}")
            passed, wrong = (passed, wrong + 1) if found else (passed + 1, wrong)
    print(f"{passed} cases pass by the command line, {wrong} differ")
    return 1 if wrong or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
