#!/usr/bin/python3
"""The demo's data loader: a parent and four workers that read small files, like a training job's.

    loader.py FAST SLOW

Worker 2 reads the folder SLOW, the others FAST. Each file is read from the disk again every time: its pages are
dropped from the cache after use. Prints `ready` when the workers run; they end with the parent.
"""
import ctypes
import os
import random
import signal
import sys
import time

WORKERS = 4
SLOW_WORKER = 2
DECODE_S = 0.002  # what a worker does with a file besides reading it

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15


def prctl(option, value):
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def read_from_disk(path):
    fd = os.open(path, os.O_RDONLY)
    while os.read(fd, 1 << 20):
        pass
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def work(index, folder):
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_NAME, b"pt_data_worker")  # what PyTorch's DataLoader calls them
    order = random.Random(index)
    names = [entry.path for entry in os.scandir(folder) if entry.is_file()]
    while True:
        read_from_disk(order.choice(names))
        time.sleep(DECODE_S)


def main():
    fast, slow = sys.argv[1:]
    for index in range(WORKERS):
        if os.fork() == 0:
            work(index, slow if index == SLOW_WORKER else fast)
    print("ready", flush=True)
    os.wait()  # only when a worker died
    sys.exit(1)


if __name__ == "__main__":
    main()
