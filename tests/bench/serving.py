"""What `iolat serve` costs a host for as long as it runs: its CPU at a steady load, its memory with many containers."""
import contextlib
import hashlib
import mmap
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.request

from lib import base, cgroups, disks

from account import bpf_stats, cpu_ns, map_bytes, resident, run_times

RATE, RATE_S, SCRAPE_S = 10_000, 30, 15
CONTAINERS, DISKS, OPS = 1000, 2, 2
SERIES = 60 * (CONTAINERS + 100) * DISKS * OPS  # room for all, and for what else goes on
ROUNDS = 5  # of all containers; the kernel's table grows to what they need
PORT = 29435
ADDRESS = f"127.0.0.1:{PORT}"


def serve(stack, tracer, program, *options):
    return tracer(stack, program, "serve", "--listen", ADDRESS, *options)


def scrape():
    with urllib.request.urlopen(f"http://{ADDRESS}/metrics", timeout=60) as reply:
        return reply.read()


def spent(pid):
    """Seconds of CPU: its own, and its programs'."""
    return cpu_ns(pid) / 1e9, sum(ns for ns, _ in run_times(pid).values()) / 1e9


def cpu_at_rate(tracer, program, disk):
    """Percent of a CPU, its own and its programs', while a scraper asks as often as scrapers do. That the kernel clocks
    programs is counted, too."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(bpf_stats())
        it = serve(stack, tracer, program)
        load = base.start(["fio", "--name=load", f"--filename={disk.path}", "--direct=1", "--rw=randread", "--bs=4k",
                           "--ioengine=io_uring", "--iodepth=8", f"--rate_iops={RATE}", "--time_based", "--runtime=1h",
                           "--thread"],  # a job that is a process leaves the group and outlives it
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(base.put_down, load)
        time.sleep(3)
        before, begun = spent(it.pid), time.monotonic()
        for _ in range(RATE_S // SCRAPE_S):
            time.sleep(SCRAPE_S)
            scrape()
        taken = time.monotonic() - begun
        return [(now - then) / taken * 100 for now, then in zip(spent(it.pid), before)]


def read_and_write(group, there):
    """In a process that lives in the cgroup."""
    child = os.fork()
    if not child:
        try:
            page = mmap.mmap(-1, 4096)
            group.add(os.getpid())
            for disk in there:
                fd = os.open(disk.path, os.O_RDWR | os.O_DIRECT)
                os.preadv(fd, [page], 0)
                os.pwritev(fd, [page], 0)
            os._exit(0)
        except BaseException:  # nothing of the benchmark may go on in the child
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def memory(tracer, program, here):
    """(resident, maps) once all containers have read and written, in bytes: the largest of some scrapes."""
    with contextlib.ExitStack() as stack:
        folders = [pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=here))) for _ in range(DISKS)]
        there = [disks.loop_disk(stack, folder, size_mb=1) for folder in folders]
        groups = [cgroups.make(stack, f"docker-{hashlib.sha256(b'%d' % i).hexdigest()}.scope") for i in range(CONTAINERS)]
        it = serve(stack, tracer, program, "--max-series", SERIES)
        sizes = []
        for _ in range(ROUNDS):
            for group in groups:
                read_and_write(group, there)
            shown = scrape().count(b'iolat_io_bytes_total{container="')
            sizes.append((resident(it.pid), map_bytes(it.pid)))
        assert shown >= CONTAINERS * DISKS * OPS, f"only {shown}"
        return max(sizes, key=sum)
