"""PyTorch eager, channels-last: training steps of the network that zoo::minigooglenet builds, on all cores.

usage: minigooglenet_pytorch.py BATCH STEPS    prints one JSON line with the figures of `tandem bench train --json`
"""
import sys

import torch
from pytorch_networks import MiniGoogLeNet, print_figures, seconds_of, trainer


def main(batch, steps):
    torch.manual_seed(0)
    model = MiniGoogLeNet().to(memory_format=torch.channels_last)
    print_figures("eager, channels-last", batch, seconds_of(trainer(model, batch), steps))


main(int(sys.argv[1]), int(sys.argv[2]))
