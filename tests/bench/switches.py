#!/usr/bin/python3
"""`make bench-switches`: what tracing the waits costs at each switch from one task to another.

    switches.py IOLAT SWITCHES.bpf.o [--seconds S] [--rounds N]

Two processes hand a byte to and fro on one CPU: nothing but switches. The kernel's own account (bpf_stats) says what a
run of iolat's programs takes while these two are not traced, and while they are; a third load sleeps in I/O at every
switch and is traced. Empty programs on the same tracepoints, measured in the same round, are taken off.
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


def enable_stats():
    """BPF_ENABLE_STATS: on as long as somebody holds the descriptor."""
    number = {"x86_64": 321}.get(os.uname().machine, 280)
    attr = (ctypes.c_uint32 * 4)()  # BPF_STATS_RUN_TIME
    fd = ctypes.CDLL(None, use_errno=True).syscall(number, 32, ctypes.byref(attr), ctypes.sizeof(attr))
    assert fd >= 0, os.strerror(ctypes.get_errno())
    return fd


def totals(pid, names):
    """{name: (nanoseconds, runs)} of the process's programs of those names."""
    found = {}
    for info in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            text = info.read_text()
        except OSError:
            continue
        f = dict(re.findall(r"^(\w+):\s+(\S+)", text, re.M))
        if "prog_id" in f and "run_cnt" in f:
            name = names[int(f["prog_id"])]
            found[name] = (int(f["run_time_ns"]), int(f["run_cnt"]))
    return found


class Names(dict):
    """Program id to name, asked from bpftool once."""

    def __missing__(self, number):
        text = base.sh("bpftool", "prog", "show", "id", number, check=False).stdout
        match = re.search(r"\bname (\w+)", text)
        self[number] = match[1][:15] if match else "?"
        return self[number]


def per_run(pid, names, seconds):
    before = totals(pid, names)
    time.sleep(seconds)
    after = totals(pid, names)
    return {n: (after[n][0] - before[n][0]) / max(after[n][1] - before[n][1], 1) for n in after if n in before}


@contextlib.contextmanager
def empty(path):
    """The empty programs, attached by this process."""
    lib = ctypes.CDLL("libbpf.so.1")
    for name in ("bpf_object__open_file", "bpf_object__next_program", "bpf_program__attach"):
        getattr(lib, name).restype = ctypes.c_void_p
    obj = ctypes.c_void_p(lib.bpf_object__open_file(str(path).encode(), None))
    assert obj and not lib.bpf_object__load(obj), "cannot load the empty programs"
    links, prog = [], ctypes.c_void_p(lib.bpf_object__next_program(obj, None))
    while prog:
        links.append(ctypes.c_void_p(lib.bpf_program__attach(prog)))
        prog = ctypes.c_void_p(lib.bpf_object__next_program(obj, prog))
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


def measure(a, names, read_from):
    """{(what, program): net nanoseconds a run} of one round."""
    net = {}
    with process(base.PYTHON, "-c", PING) as ping, process("sleep", "1000") as idle, \
            process(base.PYTHON, "-c", READ, read_from) as reader:
        with empty(a.empty):
            base_cost = per_run(os.getpid(), names, a.seconds)
        for what, pid in (("untraced", idle), ("traced", ping), ("traced, asleep in I/O", reader)):
            with iolat(a.iolat, "--pid", pid) as tracer:
                cost = per_run(tracer, names, a.seconds)
            for mine, its in (("iolat_switch", "iolat_empty_switch"), ("iolat_waking", "iolat_empty_waking")):
                net[what, mine] = cost[mine[:15]] - base_cost[its[:15]]
    return net


def main():
    p = argparse.ArgumentParser()
    p.add_argument("iolat")
    p.add_argument("empty")
    p.add_argument("--seconds", type=float, default=2)
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    stats, names, rounds = enable_stats(), Names(), []
    here = area.make()
    try:
        with contextlib.ExitStack() as stack:
            folder = here / "disk"
            folder.mkdir()
            disk = disks.loop_disk(stack, folder)
            for _ in range(a.rounds):
                rounds.append(measure(a, names, disk.path))
    finally:
        area.remove(here)
        os.close(stats)
    print("ns a run, without the cost of being called; median and range of the rounds")
    for key in rounds[0]:
        values = [r[key] for r in rounds]
        print(f"  {key[1]:14} {key[0]:24} {statistics.median(values):7.1f}   {min(values):.1f} to {max(values):.1f}")
    worst = statistics.median(r["untraced", "iolat_switch"] for r in rounds)
    print(f"untraced tasks: {worst:.1f} ns a switch, at most 25 are allowed")
    return worst > 25


sys.exit(main())
