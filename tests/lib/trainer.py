"""A small PyTorch training job for tests: a DataLoader whose workers read one folder of files each.

    trainer.py STATE SECONDS CPU_MS FOLDER...      a worker for each FOLDER

Each sample is a file, read from the disk again every time unless CPU_MS is more than 0: then it comes from the cache
and costs so much computing. STATE is a folder: worker N writes its pid to STATE/N; STATE/ready is there when the
first batch has come.
"""
import os
import pathlib
import random
import sys
import time

import torch
from torch import nn
from torch.utils import data

BATCH = 4


class Shard(data.IterableDataset):
    def __init__(self, state, folders, cpu_s):
        self.state, self.folders, self.cpu_s = state, folders, cpu_s

    def sample(self, path):
        fd = os.open(path, os.O_RDONLY)
        content = os.read(fd, 1 << 20)
        if not self.cpu_s:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
        end = time.process_time() + self.cpu_s
        while time.process_time() < end:
            pass
        return torch.frombuffer(bytearray(content[:256]), dtype=torch.uint8).float()

    def __iter__(self):
        worker = data.get_worker_info()
        pathlib.Path(self.state, str(worker.id)).write_text(str(os.getpid()))
        order = random.Random(worker.id)
        paths = [e.path for e in os.scandir(self.folders[worker.id]) if e.is_file()]
        while True:
            yield self.sample(order.choice(paths))


def main():
    torch.set_num_threads(1)
    state, seconds, cpu_ms, *folders = sys.argv[1:]
    loader = data.DataLoader(Shard(state, folders, float(cpu_ms) / 1000), batch_size=BATCH, num_workers=len(folders))
    model = nn.Linear(256, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    end = None
    for batch in loader:
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
        if end is None:
            pathlib.Path(state, "ready").touch()
            end = time.monotonic() + float(seconds)
        if time.monotonic() > end:
            break


main()
