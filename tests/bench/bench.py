#!/usr/bin/python3
"""`make bench`: what iolat costs, beside biolatency and biosnoop, measured in one run.

    bench.py IOLAT EMPTY EMPTY.bpf.o SWITCHES.bpf.o [--pairs N] [--ios N]

The load: fio on a loop disk on tmpfs, 4 KiB random reads by io_uring, 32 at a time, as fast as they go. It runs once
untraced and once under each tracer, in turn, round after round, so that what else the machine does hits all alike; a
ratio is made within a round, and its spread is over the rounds.

Kernel time is the kernel's own (bpf_stats), which adds its own cost to every program run: as many runs of empty
programs as the tracer had, measured in the same round, are taken off. It is divided by the requests that the tracer's
programs were run for, which are more than the load's if something else does I/O meanwhile.

What tracing waits costs at a switch between tasks and at the page cache comes at the end (switches.py).
"""
import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lib import base, disks  # noqa: E402

import serving  # noqa: E402
import switches  # noqa: E402
from account import bpf_stats, cpu, cpu_ns, map_bytes, resident, run_times, spread  # noqa: E402

IDLE_S = 20
STARTS = 7
NAMES = switches.Names()


# --- tracers -----------------------------------------------------------------------------

class Tracer:
    """A tracer's process while the load runs."""

    def __init__(self, stack, name, argv):
        self.name = name
        self.out = stack.enter_context(open(os.memfd_create("out"), "r+b"))
        self.proc = base.start(argv, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.out)
        stack.callback(self.stop)

    @property
    def pid(self):
        return self.proc.pid

    def stop(self):
        if self.proc.poll() is None:
            self.proc.send_signal(signal.SIGINT)
            self.proc.wait(30)

    def text(self):
        return os.pread(self.out.fileno(), os.fstat(self.out.fileno()).st_size, 0).decode(errors="replace")


class Iolat(Tracer):
    def __init__(self, stack, program, *args):
        read_end, write_end = os.pipe()
        self.started = time.monotonic()
        self.out = stack.enter_context(open(os.memfd_create("out"), "r+b"))
        self.proc = base.start([program, *(args or ("-f", "json")), "--ready-fd", write_end], stdin=subprocess.DEVNULL,
                               stdout=self.out, stderr=self.out, pass_fds=[write_end])
        stack.callback(self.stop)
        os.close(write_end)
        with open(read_end, "rb") as ready:
            assert ready.read(1), self.text()
        self.ready = time.monotonic()

    def summary(self):
        self.stop()
        return json.loads(self.text().splitlines()[-1])


class Empty(Tracer):
    """The empty programs."""

    def __init__(self, stack, program, file):
        super().__init__(stack, "empty", [program, file])
        base.wait_until("the empty programs", lambda: self.text() or self.proc.poll() is not None)
        assert self.proc.poll() is None, self.text()


# --- the load ----------------------------------------------------------------------------

def scratch(stack):
    """A folder on tmpfs."""
    here = pathlib.Path(tempfile.mkdtemp(prefix="iolat-bench-"))
    stack.callback(here.rmdir)
    base.sh("mount", "-t", "tmpfs", "-o", "size=600m", here.name, here)
    stack.callback(base.sh, "umount", here)
    return here


class Load:
    def __init__(self, disk, ios):
        self.argv = ["fio", "--name=load", f"--filename={disk.path}", "--direct=1", "--rw=randread", "--bs=4k",
                     "--ioengine=io_uring", "--iodepth=32", "--size=512m", "--io_size=1t", f"--number_ios={ios}",
                     "--norandommap=1", "--output-format=json"]

    def run(self):
        """(requests, requests a second)"""
        text = base.sh(*self.argv, timeout=300).stdout
        read = json.loads(text[text.index("{"):])["jobs"][0]["read"]
        return read["total_ios"], read["iops"]


class Measured:
    """The load's numbers with a tracer beside it; kernel time a request is without empty runs after settle()."""

    def __init__(self, load, pid=None):
        before = (run_times(pid), cpu(pid), cpu_ns(pid)) if pid else None
        self.ios, self.iops = load.run()
        if not pid:
            return
        time.sleep(0.5)  # what is still in its ring
        each = {NAMES[prog]: (ns - before[0][prog][0], runs - before[0][prog][1])
                for prog, (ns, runs) in run_times(pid).items()}
        self.ns, self.runs = (sum(column) for column in zip(*each.values()))
        self.requests = max(runs for _, runs in each.values())  # one program sees each of them once
        self.runs_of = {name: runs for name, (_, runs) in each.items()}
        self.user, self.system = (now - then for now, then in zip(cpu(pid), before[1]))
        self.cpu = (cpu_ns(pid) - before[2]) / self.requests
        self.memory = resident(pid), map_bytes(pid)

    def hidden(self):
        """Issues less the completions that it was shown: what was requeued, and what the kernel hid (see README)."""
        return max(self.runs_of["iolat_rq_issue"] - self.runs_of["iolat_rq_complete"[:15]], 0)

    def settle(self, empty_ns):
        self.per_request = (self.ns - self.runs * empty_ns) / self.requests
        return self


# --- what is printed ---------------------------------------------------------------------

def line(what, text):
    print(f"{what:<58} {text}", flush=True)


def one_round(program, empty, load, others, folder):
    """{name: Measured} of one round; the summary of iolat."""
    found = {}
    found["untraced"] = Measured(load)
    with contextlib.ExitStack() as stack:
        tracer = Empty(stack, *empty)
        found["empty"] = Measured(load, tracer.pid)
    empty_ns = found["empty"].ns / found["empty"].runs
    found["empty"].each = empty_ns
    for name in others:
        with contextlib.ExitStack() as stack:
            tracer = Tracer(stack, name, [name])
            time.sleep(2)  # it has no way to say that it is ready
            assert tracer.proc.poll() is None, tracer.text()
            found[name] = Measured(load, tracer.pid).settle(empty_ns)
    with contextlib.ExitStack() as stack:
        tracer = Iolat(stack, program)
        found["iolat"] = Measured(load, tracer.pid).settle(empty_ns)
        found["iolat"].coverage = tracer.summary()["coverage"]
    with contextlib.ExitStack() as stack:
        tracer = Iolat(stack, program, "--by", "process,file")
        found["iolat --by file"] = Measured(load, tracer.pid).settle(empty_ns)
    with contextlib.ExitStack() as stack:
        found["record"] = Measured(load, Iolat(stack, program, "record", "-o", folder / "run.iolat").pid)
    found["record"].bytes = (folder / "run.iolat").stat().st_size / found["record"].requests
    (folder / "run.iolat").unlink()
    with contextlib.ExitStack() as stack:
        found["serve"] = Measured(load, serving.serve(stack, Iolat, program).pid).settle(empty_ns)
    return found


def usable(names):
    """Those tools that are installed and load on this kernel."""
    for name in names:
        with contextlib.ExitStack() as stack:
            try:
                tracer = Tracer(stack, name, [name])
            except FileNotFoundError:
                print(f"{name}: not installed (Debian: libbpf-tools)")
                continue
            time.sleep(2)
            if tracer.proc.poll() is None:
                yield name
            else:
                print(f"{name}: does not load on this kernel")


def report(rounds):
    iolats = [r["iolat"] for r in rounds]
    line("an empty program, ns a run", spread((r["empty"].each for r in rounds), "{:.0f}"))
    for name in rounds[0]:
        if hasattr(rounds[0][name], "per_request"):
            line(f"{name}: kernel, ns a request beyond empty programs",
                 spread((r[name].per_request for r in rounds), "{:.0f}")
                 + f", {rounds[0][name].runs / rounds[0][name].requests:.2f} runs a request")
    for name in ("biolatency", "biosnoop"):
        both = [r for r in rounds if name in r]
        if both:
            line(f"kernel time, iolat to {name}", spread(r["iolat"].per_request / r[name].per_request for r in both))
            line(f"kernel time, iolat serve to {name}", spread(r["serve"].per_request / r[name].per_request for r in both))
    line("kernel time, iolat --by file to iolat",
         spread(r["iolat --by file"].per_request / r["iolat"].per_request for r in rounds))
    line("iolat: user CPU, ns a record", spread((i.user / i.requests * 1e9 for i in iolats), "{:.0f}"))
    line("iolat: system CPU, ns a record", spread((i.system / i.requests * 1e9 for i in iolats), "{:.0f}"))
    line("CPU, iolat record to the live view", spread(r["record"].cpu / r["iolat"].cpu for r in rounds))
    line("iolat record: bytes a request", spread((r["record"].bytes for r in rounds), "{:.1f}"))
    line("untraced, requests a second", spread((r["untraced"].iops for r in rounds), "{:.0f}"))
    for name in rounds[0]:
        if name != "untraced":
            both = [r for r in rounds if name in r]
            line(f"throughput with {name}, to untraced", spread(r[name].iops / r["untraced"].iops for r in both))
    for what in ("lost", "aggregated"):
        line(f"iolat: {what} of {sum(i.requests for i in iolats)}", sum(i.coverage[what] for i in iolats))
    line("iolat: issues less completions that programs were run for", sum(i.hidden() for i in iolats))
    for i, what in enumerate(("resident", "maps")):
        line(f"iolat: {what}, MiB", spread((m.memory[i] / base.MIB for m in iolats), "{:.1f}"))
    line("iolat: both, MiB", spread((sum(m.memory) / base.MIB for m in iolats), "{:.1f}"))


def report_start(program):
    took = []
    for _ in range(STARTS):
        with contextlib.ExitStack() as stack:
            tracer = Iolat(stack, program)
            took.append((tracer.ready - tracer.started) * 1e3)
    line("iolat: start to all hooks attached, ms", spread(took, "{:.0f}"))


def report_idle(program):
    with contextlib.ExitStack() as stack:
        tracer = Iolat(stack, program)
        time.sleep(1)
        before = cpu_ns(tracer.pid)
        time.sleep(IDLE_S)
        line(f"iolat: CPU without load ({IDLE_S} s), %", f"{(cpu_ns(tracer.pid) - before) / IDLE_S / 1e9 * 100:.2f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("iolat")
    p.add_argument("empty", nargs=2, help="the program that attaches empty programs, and their object")
    p.add_argument("switches", help="the object with empty programs on switches")
    p.add_argument("--pairs", type=int, default=5)
    p.add_argument("--ios", type=int, default=500_000)
    o = p.parse_args()
    assert os.geteuid() == 0, "needs root"
    with contextlib.ExitStack() as stack:
        here = scratch(stack)
        disk = disks.loop_disk(stack, here, size_mb=512)
        disks.fill(disk.file, 512)
        load = Load(disk, o.ios)
        others = list(usable(["biolatency", "biosnoop"]))
        with bpf_stats():
            load.run()  # warm
            rounds = [one_round(o.iolat, o.empty, load, [n for n in others if i == 0 or n == "biolatency"], here)
                      for i in range(o.pairs)]
            report(rounds)
        report_start(o.iolat)
        report_idle(o.iolat)
        own, kernel = serving.cpu_at_rate(Iolat, o.iolat, disk)
        line(f"iolat serve: CPU at {serving.RATE} requests a second, %",
             f"{own + kernel:.2f}, {kernel:.2f} of it in its programs")
        sizes = [size / base.MIB for size in serving.memory(Iolat, o.iolat, here)]
        line(f"iolat serve: resident, maps with {serving.CONTAINERS} containers, MiB", "{:.1f}, {:.1f}".format(*sizes))
    switches.report(o.iolat, o.switches)


if __name__ == "__main__":
    main()
