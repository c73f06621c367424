"""A training job's data loading with the real PyTorch, for tests: each worker reads from the disk what it is asked for
and says who it is. Prints one JSON object: {"rank", "pid", "loaders": {NAME: {WORKER: {"pids": [...], "bytes": N}}}}.

    loader.py PATH [--workers N] [--method fork|spawn|forkserver] [--epochs N] [--items N] [--pin] [--validate N]
                   [--piped] [--preload MODULE] [--named]

Each item is (worker's id + 1) direct reads of 4 KiB, so that no two workers read alike. --validate N: a loader of N
workers, made while the first one's are there, is read from in every epoch. --piped: `dd` reads, as a child of the worker.
--preload: what the fork server imports. --named: workers call themselves as PyTorch does it since 2.5.
"""
import argparse
import collections
import ctypes
import json
import mmap
import multiprocessing
import os
import subprocess
import warnings

import torch
from torch.utils import data

BLOCK = 4096
warnings.filterwarnings("ignore")  # pinning without a GPU


class Blocks(data.Dataset):
    def __init__(self, path, items, piped):
        self.path, self.items, self.piped = path, items, piped

    def __len__(self):
        return self.items

    def __getitem__(self, item):
        worker = data.get_worker_info().id
        read = self.pipe if self.piped else self.read
        return torch.tensor([worker, os.getpid(), read((worker + 1) * item, worker + 1)])

    def read(self, at, count):
        fd = os.open(self.path, os.O_RDONLY | os.O_DIRECT)
        buffer = mmap.mmap(-1, BLOCK)
        done = sum(os.preadv(fd, [buffer], (at + i) * BLOCK) for i in range(count))
        os.close(fd)
        return done

    def pipe(self, at, count):
        command = f"dd if={self.path} iflag=direct bs={BLOCK} skip={at} count={count} status=none"
        with subprocess.Popen(f"{command} | cat", shell=True, stdout=subprocess.PIPE) as pipe:
            return len(pipe.stdout.read())


def take_name(worker):
    PR_SET_NAME = 15
    ctypes.CDLL(None).prctl(PR_SET_NAME, b"pt_data_worker", 0, 0, 0)


class Loader:
    def __init__(self, a, workers):
        self.found = collections.defaultdict(lambda: {"pids": [], "bytes": 0})
        self.loader = data.DataLoader(Blocks(a.path, a.items, a.piped), num_workers=workers, batch_size=1,
                                      multiprocessing_context=a.method, pin_memory=a.pin,
                                      worker_init_fn=take_name if a.named else None)

    def take(self, batch):
        worker, pid, done = batch[0].tolist()
        entry = self.found[worker]
        entry["bytes"] += done
        if pid not in entry["pids"]:
            entry["pids"].append(pid)


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("path")
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--method", default="fork")
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--items", type=int, default=40)
    p.add_argument("--pin", action="store_true")
    p.add_argument("--validate", type=int, default=0)
    p.add_argument("--piped", action="store_true")
    p.add_argument("--preload")
    p.add_argument("--named", action="store_true")
    return p.parse_args()


def main():
    a = arguments()
    torch.set_num_threads(1)
    if a.preload:
        multiprocessing.set_forkserver_preload([a.preload])
    loaders = {"train": Loader(a, a.workers)}
    if a.validate:
        loaders["validate"] = Loader(a, a.validate)
    for _ in range(a.epochs):
        batches = iter(loaders["train"].loader)
        loaders["train"].take(next(batches))  # its workers are there
        for batch in loaders["validate"].loader if a.validate else ():
            loaders["validate"].take(batch)
        for batch in batches:
            loaders["train"].take(batch)
        del batches
    rank = os.environ.get("RANK")
    print(json.dumps({"pid": os.getpid(), "rank": rank and int(rank),
                      "loaders": {name: loader.found for name, loader in loaders.items()}}), flush=True)


if __name__ == "__main__":
    main()
