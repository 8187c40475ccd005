"""What the comparisons share: where the command and the peers are, and how one run gives its figures."""
import json
import os
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build/release"
TANDEM = BUILD / "apps/tandem/tandem"
PEERS = Path(os.environ.get("TANDEM_PEERS", Path.home() / ".cache/tandem-peers"))
PYTORCH, KERAS = PEERS / "torch/bin/python", PEERS / "tf/bin/python"


def figures(command):
    """The JSON value in the last line that the command, or rank 0 of a job, prints; what it says on stderr is shown when it
    fails."""
    run = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: ended with {run.returncode}\n{run.stderr[-2000:]}")
    return json.loads(run.stdout.strip().splitlines()[-1].removeprefix("[0] "))


def images_per_second(command):
    return figures(command)["images_per_second_median"]


def in_turn(commands, rounds, unit="images/s"):
    """Runs the commands, by name, in turn, so that a machine whose speed drifts is fair to all; prints each round. Returns the
    median of each run, a list by name."""
    found = {name: [] for name in commands}
    for number in range(1, rounds + 1):
        for name, command in commands.items():
            found[name].append(images_per_second(command))
        print(f"round {number}: " + ", ".join(f"{name} {values[-1]:,.0f}" for name, values in found.items())
              + f" {unit}; load {os.getloadavg()[0]:.1f}", flush=True)
    return found


def ratio_text(above, below):
    """The median of the ratios, taken run by run, with the least and the largest."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    return f"{statistics.median(ratios):.3f} (from {min(ratios):.3f} to {max(ratios):.3f})"
