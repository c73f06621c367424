"""What tasks wait for, and the findings that need cgroup limits or swap."""
import mmap
import os
import time

from . import tools
from .checks import ONCE, check

MS = 1_000_000


def task(run, pid):
    found = [t for t in run.summary["tasks"] if t["thread"]["tid"] == pid]
    assert len(found) == 1, f"{len(found)} tasks {pid} among {len(run.summary['tasks'])}"
    return found[0]


def waited(run, pid, reason, least_ms):
    """The task's waits are for that, and at least so long."""
    t = task(run, pid)
    assert t["reasons"][reason] >= least_ms * MS, f"{reason}: {t}"
    assert t["reasons"][reason] >= 0.8 * t["blocked_ns"], f"others than {reason}: {t}"
    return t


def finding(run, code):
    found = [f for f in run.summary["findings"] if f["code"] == code]
    assert found, f"no {code}: {run.summary['findings']}"
    return found[0]


def read_mapping():
    fd = os.open(f"/dev/{tools.SLOW}", os.O_RDONLY)
    memory = mmap.mmap(fd, 64 * tools.MIB, prot=mmap.PROT_READ)
    memory.madvise(mmap.MADV_RANDOM)
    for i in range(10):
        memory[i * 4 * tools.MIB]


def read_asynchronously():
    aio = tools.Aio(tools.SLOW)
    for _ in range(10):
        aio.submit("read", [0, 65536])
        aio.wait()


@check()
def reasons(run):
    """Direct, asynchronous and mapped reads of a disk of 20 ms, each a wait of its kind."""
    tools.sh("blockdev", "--flushbufs", f"/dev/{tools.SLOW}")
    direct = tools.child(lambda: tools.read(tools.SLOW, count=10))
    aio = tools.child(read_asynchronously)
    mapped = tools.child(read_mapping)
    yield
    least = 10 * 20 * 0.9  # it falls asleep a moment after the disk got to work
    waited(run, direct, "disk", least)
    waited(run, aio, "disk", least)
    waited(run, mapped, "page_fault", least)


@check()
def journal(run):
    """An fsync sleeps for the log's commit without the kernel's counting it as I/O."""
    def load():
        fd = os.open(mountpoint + "/file", os.O_CREAT | os.O_WRONLY)
        for _ in range(20):
            os.write(fd, b"x" * 4096)
            os.fsync(fd)
    with tools.ext4("/dev/vda") as mountpoint:
        pid = tools.child(load)
    yield
    t = task(run, pid)
    assert t["reasons"]["disk"] > 0 and t["reasons"]["disk"] >= 0.8 * t["blocked_ns"], t


@check()
def limit(run):
    """A cgroup's own limit (io.max, blkio.throttle): the waits are its, the device is as fast as ever."""
    with tools.cgroup("limited") as path:
        tools.limit_reads(path, "iops", 10)
        pid = tools.child(lambda: tools.read("vda", count=20), in_cgroup=path)
        time.sleep(0.5)
    yield
    t = task(run, pid)
    assert t["reasons"]["throttle"] > 1000 * MS, t
    assert t["reasons"]["throttle"] > 0.6 * t["blocked_ns"], t
    assert finding(run, "cgroup-throttled")["subject"].endswith("/limited")


def eat(path, mib, rounds):
    """More memory than its cgroup may have, over and over."""
    tools.put(path + "/cgroup.procs", 0)
    memory = mmap.mmap(-1, mib * tools.MIB)
    for _ in range(rounds):
        for at in range(0, len(memory), 4096):
            memory[at] = 1


@check(cgroups=["v2"])
def swap(form):
    """Waits for swapped memory are said to be that, and not the data set's."""
    tools.sh("mkswap", "--quiet", "/dev/nvme0n1", 64 * 1024)  # KiB
    tools.sh("swapon", "/dev/nvme0n1")
    try:
        with tools.cgroup("small") as path:
            tools.put(path + "/memory.max", 12 * tools.MIB)
            with tools.Iolat("--waits", form=form) as run:
                pid = tools.child(eat, path, 18, 2)
    finally:
        tools.sh("swapoff", "/dev/nvme0n1")
    evidence = finding(run, "swap")["evidence"]
    assert evidence["pid"] == pid and evidence["swap_ios"] > 10, evidence


@check(cgroups=["v2"], forms=["chosen"], run=ONCE)
def no_swap(run):
    """Reading a slow disk is not swap."""
    tools.child(lambda: tools.read(tools.SLOW, count=30))
    yield
    assert not [f for f in run.summary["findings"] if f["code"] in ("swap", "cgroup-throttled", "hung-request")]
