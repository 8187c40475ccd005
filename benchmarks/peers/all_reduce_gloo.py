"""The all-reduces of benchmarks/all_reduce.cpp by PyTorch's Gloo between processes on the loopback interface.

usage: all_reduce_gloo.py RANKS MAX_BYTES    prints one JSON line like that of the benchmark
"""
import json
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

ROUNDS = 9


def seconds(x, repeats):
    """Of one all-reduce: the median over rounds, after two that warm up."""
    rounds = []
    for number in range(-2, ROUNDS):
        dist.barrier()
        start = time.perf_counter()
        for _ in range(repeats):
            dist.all_reduce(x)
        if number >= 0:
            rounds.append((time.perf_counter() - start) / repeats)
    return statistics.median(rounds)


def rank_main(rank, ranks, store, max_bytes):
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    found, size = [], 4 << 10
    while size <= max_bytes:
        took = seconds(torch.zeros(size // 4), max(1, min(100, (64 << 20) // size)))
        found.append({"algorithm": "gloo", "bytes": size, "microseconds": took * 1e6,
                      "bus_gb_per_second": size * 2 * (ranks - 1) / ranks / took / 1e9})
        size *= 4
    if rank == 0:
        print(json.dumps(found), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks, max_bytes = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(rank_main, (ranks, os.path.join(folder, "store"), max_bytes), nprocs=ranks)
