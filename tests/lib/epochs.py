"""A small PyTorch training with epochs and a log, for tests: workers read files whole, through the page cache.

    epochs.py LOG FOLDER [--epochs N] [--workers N] [--persistent] [--format TEXT] [--sync FILE] [--cpu-ms N]

Each epoch reads every file once. LOG gets a line by Python's logging at the start and at the end of each; --sync writes
a checkpoint with fsync in each. Prints a line of JSON once it is ready, and goes on when it is told to.
"""
import argparse
import json
import logging
import os
import sys
import time

import torch
from torch.utils import data


class Files(data.Dataset):
    def __init__(self, folder, cpu_s):
        self.paths = sorted(e.path for e in os.scandir(folder) if e.is_file())
        self.cpu_s = cpu_s

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        with open(self.paths[i], "rb", buffering=0) as f:
            content = f.read()
        end = time.process_time() + self.cpu_s
        while time.process_time() < end:
            pass
        return torch.tensor([float(content[0]), float(len(content))])


def checkpoint(path):
    with open(path, "wb") as f:
        f.write(os.urandom(1 << 20))
        f.flush()
        os.fsync(f.fileno())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("log")
    p.add_argument("folder")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--persistent", action="store_true")
    p.add_argument("--format", default="%(asctime)s %(levelname)s %(message)s")
    p.add_argument("--sync")
    p.add_argument("--cpu-ms", type=float, default=0)
    a = p.parse_args()
    logging.basicConfig(filename=a.log, level=logging.INFO, format=a.format)
    torch.set_num_threads(1)
    loader = data.DataLoader(Files(a.folder, a.cpu_ms / 1000), batch_size=4, num_workers=a.workers, persistent_workers=a.persistent)
    print(json.dumps({"pid": os.getpid()}), flush=True)
    sys.stdin.readline()
    for epoch in range(a.epochs):
        logging.info("Epoch %d/%d starts", epoch, a.epochs)
        total = sum(float(batch[:, 1].sum()) for batch in loader)
        if a.sync:
            checkpoint(a.sync)
        logging.info("Epoch %d done, loss: 0.5", epoch)
    print(json.dumps({"bytes": total}), flush=True)


main()
