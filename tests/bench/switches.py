#!/usr/bin/python3
"""`make bench-switches`: what tracing the waits costs at each switch from one task to another, and at the page cache.

    switches.py IOLAT SWITCHES.bpf.o [--seconds S] [--rounds N]

Two processes hand a byte to and fro on one CPU: nothing but switches. The kernel's own account (bpf_stats) says what a
run of iolat's programs takes while these two are not traced, and while they are; a third load sleeps in I/O at every
switch and is traced. A fourth one brings pages into the cache, by reading and by faults, and waits until they are
written: at each the file is noted, in case the task has to wait for it. Empty programs on the same tracepoints, measured in
the same round, are taken off.
"""
import argparse
import contextlib
import ctypes
import os
import pathlib
import re
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lib import area, base, disks  # noqa: E402

from account import bpf_stats, run_times, spread  # noqa: E402

PING = """
import os, sys
os.sched_setaffinity(0, {0})
(a, b), (c, d) = os.pipe(), os.pipe()
if os.fork():
    while True:
        os.write(b, b"x"); os.read(c, 1)
while True:
    os.read(a, 1); os.write(d, b"x")
"""
READ = """
import mmap, os, sys
fd, page = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
while True:
    os.preadv(fd, [page], 0)
"""

CACHE = """
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
mapped = mmap.mmap(fd, 1 << 22)
while True:
    mapped.madvise(mmap.MADV_DONTNEED)
    os.posix_fadvise(fd, 0, 1 << 22, os.POSIX_FADV_DONTNEED)
    os.pread(fd, 1 << 21, 0)
    for at in range(0, 1 << 22, 1 << 16):
        mapped[at]
    os.pwrite(fd, b"x" * 4096, 0)
    os.fdatasync(fd)
"""
SWITCH = {"iolat_switch": "iolat_empty_switch", "iolat_waking": "iolat_empty_waking"}
FILE = {"iolat_file_fault": "iolat_empty_fault", "iolat_file_read": "iolat_empty_read",
        "iolat_file_written": "iolat_empty_written"}
BPF_TRACE_RAW_TP = 23


class Names(dict):
    """Program id to name, asked from bpftool once."""

    def __missing__(self, number):
        text = base.sh("bpftool", "prog", "show", "id", number, check=False).stdout
        match = re.search(r"\bname (\w+)", text)
        self[number] = match[1][:15] if match else "?"
        return self[number]


def per_run(pid, names, seconds):
    before = run_times(pid)
    time.sleep(seconds)
    after = run_times(pid)
    return {names[p]: (after[p][0] - before[p][0]) / (after[p][1] - before[p][1]) for p in after
            if p in before and after[p][1] > before[p][1]}


@contextlib.contextmanager
def empty(path):
    """The empty programs, those whose tracepoints this kernel has, attached by this process."""
    lib = ctypes.CDLL("libbpf.so.1")
    for name in ("bpf_object__open_file", "bpf_object__next_program", "bpf_program__attach"):
        getattr(lib, name).restype = ctypes.c_void_p
    lib.bpf_program__section_name.restype = ctypes.c_char_p
    obj = ctypes.c_void_p(lib.bpf_object__open_file(str(path).encode(), None))
    assert obj, "cannot open the empty programs"
    progs, prog = [], ctypes.c_void_p(lib.bpf_object__next_program(obj, None))
    while prog:
        tracepoint = lib.bpf_program__section_name(prog).split(b"/")[1]
        there = lib.libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP) > 0
        lib.bpf_program__set_autoload(prog, ctypes.c_bool(there))
        progs += [prog] * there
        prog = ctypes.c_void_p(lib.bpf_object__next_program(obj, prog))
    assert not lib.bpf_object__load(obj), "cannot load the empty programs"
    links = [ctypes.c_void_p(lib.bpf_program__attach(p)) for p in progs]
    try:
        yield
    finally:
        for link in links:
            lib.bpf_link__destroy(link)
        lib.bpf_object__close(obj)


@contextlib.contextmanager
def process(*argv):
    proc = base.start(argv, stdout=open(os.devnull, "w"))
    try:
        yield proc.pid
    finally:
        for child in pathlib.Path(f"/proc/{proc.pid}/task/{proc.pid}/children").read_text().split():
            os.kill(int(child), 9)
        base.put_down(proc)


@contextlib.contextmanager
def iolat(program, *args):
    read_end, write_end = os.pipe()
    proc = base.start([program, "-f", "json", "-i", "0", "--ready-fd", write_end, *args],
                      stdout=open(os.devnull, "w"), pass_fds=[write_end])
    os.close(write_end)
    os.read(read_end, 1)
    os.close(read_end)
    try:
        yield proc.pid
    finally:
        proc.terminate()
        proc.wait()


def measure(program, objects, names, read_from, seconds):
    """{(what, program): (nanoseconds a run, those of an empty program)} of one round."""
    found = {}
    with process(base.PYTHON, "-c", PING) as ping, process("sleep", "1000") as idle, \
            process(base.PYTHON, "-c", READ, read_from) as reader, \
            process(base.PYTHON, "-c", CACHE, read_from) as cache:
        with empty(objects):
            base_cost = per_run(os.getpid(), names, seconds)
        for what, pid, programs in (("untraced", idle, SWITCH | FILE), ("traced", ping, SWITCH),
                                    ("traced, asleep in I/O", reader, SWITCH), ("traced", cache, FILE)):
            with iolat(program, "--pid", pid) as tracer:
                cost = per_run(tracer, names, seconds)
            for mine, its in programs.items():
                if its[:15] in base_cost and mine[:15] in cost:
                    found[what, mine] = cost[mine[:15]], base_cost[its[:15]]
    return found


def measure_all(program, objects, seconds, rounds):
    here = area.make()
    try:
        with contextlib.ExitStack() as stack, bpf_stats():
            folder = here / "disk"
            folder.mkdir()
            disk = disks.loop_disk(stack, folder)
            names = Names()
            return [measure(program, objects, names, disk.path, seconds) for _ in range(rounds)]
    finally:
        area.remove(here)


def report(program, objects, seconds=2, rounds=3):
    """Measures and prints; whether untraced tasks cost little enough."""
    found = measure_all(program, objects, seconds, rounds)
    print("what tracing waits costs: ns a run without the cost of being called, and a run to an empty program's; "
          "median and range of the rounds")
    keys = dict.fromkeys(key for r in found for key in r)  # what a load did not come to in a round is not in it
    for key in sorted(keys, key=lambda key: key[1].startswith("iolat_file")):
        rounds_of = [r[key] for r in found if key in r]
        print(f"  {key[1]:18} {key[0]:24} {spread((mine - empty for mine, empty in rounds_of), '{:.0f}'):24} "
              f"{spread(mine / empty for mine, empty in rounds_of)}")
    worst = statistics.median(mine - empty for mine, empty in (r["untraced", "iolat_switch"] for r in found))
    print(f"untraced tasks: {worst:.1f} ns a switch, at most 25 are allowed", flush=True)
    return worst <= 25


def main():
    p = argparse.ArgumentParser()
    p.add_argument("iolat")
    p.add_argument("empty")
    p.add_argument("--seconds", type=float, default=2)
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    return not report(a.iolat, a.empty, a.seconds, a.rounds)


if __name__ == "__main__":
    sys.exit(main())
