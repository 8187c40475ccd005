"""PyTorch's DistributedDataParallel over Gloo: training steps of a network of the zoo on several processes of one thread each.

usage: torch_ddp.py MODEL PROCESSES BATCH STEPS    BATCH: rows of a step over all processes
Prints one JSON line with the figures of `tandem bench train --json`, timed by the first process: a step ends for all when
gradients are exchanged.
"""
import os
import sys
import tempfile

import torch
import torch.distributed
import torch.multiprocessing
from pytorch_networks import NETWORKS, print_figures, seconds_of, trainer
from torch.nn.parallel import DistributedDataParallel


def work(rank, processes, store, network, batch, steps):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=processes)
    model = DistributedDataParallel(NETWORKS[network]().to(memory_format=torch.channels_last), gradient_as_bucket_view=True)
    seconds = seconds_of(trainer(model, batch // processes), steps)
    if rank == 0:
        print_figures(f"DDP, {processes} processes", batch, seconds)
    torch.distributed.destroy_process_group()


def main(network, processes, batch, steps):
    if batch % processes:
        sys.exit(f"torch_ddp.py: BATCH must be a multiple of {processes}, got {batch}")
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, (processes, os.path.join(folder, "store"), network, batch, steps), nprocs=processes)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
