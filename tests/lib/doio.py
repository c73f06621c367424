"""A plain I/O program for tests: does exactly the I/O that it is told to, prints who it is, one JSON object.

    doio.py WHAT PATH [--count N] [--size BYTES] [--offset BYTES] [--generations N] [--keep-parents 1]
            [--processes N] [--stay 1]

WHAT: read, write (direct), dsync (direct writes with O_DSYNC), fsync (direct writes, an fsync behind each), overwrite
(buffered writes with an fdatasync behind each), appendsync (buffered writes at the end with an fsync behind each),
appendosync (buffered writes at the end with O_SYNC), buffered (buffered writes), cached (buffered reads), mmap (reads through a mapping).

--generations N: the I/O is done by the N-th descendant; those between exit as soon as they have forked, so it is an
orphan. --keep-parents: they wait instead.

--processes N: N children do it, one after the other. --stay 1: lives until its standard input ends.
"""
import argparse
import json
import mmap
import os
import sys


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("what")
    p.add_argument("path")
    p.add_argument("--count", type=int, default=1)
    p.add_argument("--size", type=int, default=4096)
    p.add_argument("--offset", type=int, default=0)
    p.add_argument("--generations", type=int, default=0)
    p.add_argument("--keep-parents", type=int, default=0)
    p.add_argument("--processes", type=int, default=0)
    p.add_argument("--stay", type=int, default=0)
    return p.parse_args()


FLAGS = {"read": os.O_RDONLY | os.O_DIRECT, "write": os.O_WRONLY | os.O_DIRECT,
         "dsync": os.O_WRONLY | os.O_DIRECT | os.O_DSYNC, "fsync": os.O_WRONLY | os.O_DIRECT,
         "overwrite": os.O_WRONLY, "appendsync": os.O_WRONLY | os.O_APPEND,
         "appendosync": os.O_WRONLY | os.O_APPEND | os.O_SYNC, "buffered": os.O_WRONLY, "cached": os.O_RDONLY, "mmap": os.O_RDONLY}


def each_block(a, fd):
    block = mmap.mmap(-1, a.size)  # page-aligned, as O_DIRECT wants it
    mapping = mmap.mmap(fd, a.offset + a.count * a.size, prot=mmap.PROT_READ) if a.what == "mmap" else None
    failed = 0
    for at in range(a.offset, a.offset + a.count * a.size, a.size):
        try:
            if a.what in ("read", "cached"):
                os.preadv(fd, [block], at)
            elif a.what == "mmap":
                mapping[at]
            else:
                os.pwritev(fd, [block], at)
            if a.what in ("fsync", "appendsync"):
                os.fsync(fd)
            elif a.what == "overwrite":
                os.fdatasync(fd)
        except OSError:
            failed += 1
    return failed


def descend(a):
    """Becomes the N-th descendant; only that one returns."""
    for _ in range(a.generations):
        child = os.fork()
        if child:
            if a.keep_parents:
                os.waitpid(child, 0)
            os._exit(0)


def in_children(a, fd):
    failed = 0
    for _ in range(a.processes):
        child = os.fork()
        if not child:
            os._exit(each_block(a, fd) > 0)
        failed += os.waitpid(child, 0)[1] != 0
    return failed


def main():
    a = arguments()
    descend(a)
    fd = os.open(a.path, FLAGS[a.what])
    failed = in_children(a, fd) if a.processes else each_block(a, fd)
    os.close(fd)
    json.dump({"pid": os.getpid(), "failed": failed}, sys.stdout)
    sys.stdout.flush()
    if a.stay:
        sys.stdin.read()


main()
