"""PyTorch eager, channels-last: training steps of the network that zoo::minigooglenet builds, on all cores.

usage: minigooglenet_pytorch.py BATCH STEPS [bfloat16]    prints one JSON line with the figures of `tandem bench train --json`
"""
import sys

import torch
from pytorch_networks import MiniGoogLeNet, print_figures, seconds_of, trainer


def main(batch, steps, type_="float32"):
    torch.manual_seed(0)
    model = MiniGoogLeNet().to(memory_format=torch.channels_last)
    print_figures(f"eager, channels-last, {type_}", int(batch), seconds_of(trainer(model, int(batch), getattr(torch, type_)), int(steps)))


main(*sys.argv[1:])
