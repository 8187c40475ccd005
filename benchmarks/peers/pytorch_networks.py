"""The networks of the zoo in PyTorch, and the figures that the peers print."""
import json
import time

import torch
from torch import nn
from torch.nn import functional as F

WARM_UP = 3  # steps that are not counted


class Convolution(nn.Module):
    def __init__(self, channels, filters, size, stride=1, padding=None):
        super().__init__()
        self.convolution = nn.Conv2d(channels, filters, size, stride, size // 2 if padding is None else padding)
        self.norm = nn.BatchNorm2d(filters, eps=1e-3, momentum=0.01)

    def forward(self, x):
        return F.relu(self.norm(self.convolution(x)))


class Inception(nn.Module):
    def __init__(self, channels, narrow, wide):
        super().__init__()
        self.narrow, self.wide = Convolution(channels, narrow, 1), Convolution(channels, wide, 3)

    def forward(self, x):
        return torch.cat([self.narrow(x), self.wide(x)], 1)


class Downsample(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.convolution = Convolution(channels, filters, 3, 2, 0)

    def forward(self, x):
        return torch.cat([self.convolution(x), F.max_pool2d(x, 3, 2)], 1)


class MiniGoogLeNet(nn.Module):
    def __init__(self):
        super().__init__()
        parts, channels = [Convolution(3, 96, 3)], 96
        for item in ((32, 32), (32, 48), 80, (112, 48), (96, 64), (80, 80), (48, 96), 96, (176, 160), (176, 160)):
            if isinstance(item, tuple):
                parts.append(Inception(channels, *item))
                channels = sum(item)
            else:
                parts.append(Downsample(channels, item))
                channels += item
        self.features, self.dropout, self.dense = nn.Sequential(*parts), nn.Dropout(0.5), nn.Linear(channels, 10)

    def forward(self, x):
        return self.dense(self.dropout(F.avg_pool2d(self.features(x), 7).flatten(1)))


class Mlp(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Flatten(), nn.Linear(3072, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))


NETWORKS = {"minigooglenet": MiniGoogLeNet, "mlp": Mlp}


def trainer(model, rows, type_=torch.float32):
    """A function that makes one step of SGD with momentum on the same `rows` made-up images each time, under autocast to
    `type_` unless that is float32."""
    optimizer = torch.optim.SGD(model.parameters(), 5e-3, momentum=0.9)
    x = torch.randn(rows, 3, 32, 32).contiguous(memory_format=torch.channels_last)
    y = torch.arange(rows) % 10

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", type_, enabled=type_ != torch.float32):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

    return step


def seconds_of(step, steps):
    """Seconds of each counted step, sorted."""
    seconds = []
    for number in range(WARM_UP + steps):
        start = time.perf_counter()
        step()
        if number >= WARM_UP:
            seconds.append(time.perf_counter() - start)
    return sorted(seconds)


def print_figures(peer, batch, seconds):
    """One JSON line with the figures of `tandem bench train --json`."""
    best, median = seconds[0], seconds[len(seconds) // 2]
    print(json.dumps({"peer": f"PyTorch {torch.__version__} {peer}", "threads": torch.get_num_threads(),
                      "images_per_second_best": batch / best, "images_per_second_median": batch / median, "step_ms": median * 1e3}))
