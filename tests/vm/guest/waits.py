"""What tasks wait for, what hangs, and the findings that need a kernel with modules or cgroup v2's limits.

Each check has an iolat of its own that watches the whole guest with --waits.
"""
import contextlib
import mmap
import os
import time

from . import tools
from .checks import check

MS = 1_000_000


def watch(form, *args):
    return tools.Iolat("--waits", *args, form=form, idle=False)


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


def asleep(pid):
    """In state D, as /proc tells."""
    return tools.fetch(f"/proc/{pid}/stat").rsplit(") ", 1)[1].startswith("D")


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
def reasons(form):
    """Direct, asynchronous and mapped reads of a disk of 20 ms, each a wait of its kind."""
    tools.sh("blockdev", "--flushbufs", f"/dev/{tools.SLOW}")
    with watch(form) as run:
        direct = tools.child(lambda: tools.read(tools.SLOW, count=10))
        aio = tools.child(read_asynchronously)
        mapped = tools.child(read_mapping)
    waited(run, direct, "disk", 10 * 20)
    waited(run, aio, "disk", 10 * 20 * 0.9)
    waited(run, mapped, "page_fault", 10 * 20 * 0.9)


@check()
def journal(form):
    """An fsync sleeps for the log's commit without the kernel's counting it as I/O."""
    def load():
        fd = os.open(mountpoint + "/file", os.O_CREAT | os.O_WRONLY)
        for _ in range(20):
            os.write(fd, b"x" * 4096)
            os.fsync(fd)
    with tools.ext4("/dev/vda") as mountpoint, watch(form) as run:
        pid = tools.child(load)
    t = task(run, pid)
    assert t["reasons"]["disk"] > 0 and t["reasons"]["disk"] >= 0.8 * t["blocked_ns"], t


@contextlib.contextmanager
def limited(rate):
    """A cgroup that may read vda so many times a second."""
    number = tools.fetch("/sys/block/vda/dev")
    with tools.cgroup("limited") as path:
        if tools.hybrid():
            tools.put(path + "/blkio.throttle.read_iops_device", f"{number} {rate}")
        else:
            tools.put(path + "/io.max", f"{number} riops={rate}")
        yield path


@check()
def limit(form):
    """A cgroup's own limit (io.max, blkio.throttle): the waits are its, the device is as fast as ever."""
    with limited(10) as path, watch(form) as run:
        pid = tools.child(lambda: tools.read("vda", count=30), in_cgroup=path)
        number = os.stat(path).st_ino
        time.sleep(0.5)
    t = task(run, pid)
    assert t["reasons"]["throttle"] > 1000 * MS, t
    assert t["reasons"]["throttle"] > 0.6 * t["blocked_ns"], t
    assert finding(run, "cgroup-throttled")["subject"].endswith("/limited"), number


@check()
def a_limit_holds_back_for_long(form):
    """A read that waits for its cgroup's limit is in no tracepoint yet: it is inferred from the task asleep."""
    with limited(2) as path:
        with watch(form, "--stuck", "300ms") as run:
            reader = tools.Background(lambda self: (tools.put(path + "/cgroup.procs", 0), self.ready(),
                                                    tools.read("vda", count=12)))
            time.sleep(3.5)
            tools.wait_until("the reader asleep", lambda: asleep(reader.pid))
            time.sleep(0.4)
        reader.end()
    found = [k for k in run.summary["stuck"] if k["process"] and k["process"]["pid"] == reader.pid]
    assert found, run.summary["stuck"]
    assert (found[0]["stage"], found[0]["inferred"], found[0]["sector"]) == ("before-request", True, None), found
    assert found[0]["device"]["name"] == "vda" or found[0]["device"] is None, found


@contextlib.contextmanager
def mapped_device(target):
    """A device of dm's, without udev."""
    tools.sh("modprobe", "dm-mod")
    tools.sh("modprobe", "dm-delay")
    tools.sh("dmsetup", "create", "--noudevsync", "slow", "--table", target)
    name = os.path.basename(os.path.realpath("/sys/class/block/" + dm_name()))
    try:
        yield name
    finally:
        tools.sh("dmsetup", "remove", "--noudevsync", "--retry", "slow")


def dm_name():
    minor = tools.subprocess.run(["dmsetup", "info", "-c", "--noheadings", "-o", "minor", "slow"], check=True,
                                 stdout=tools.subprocess.PIPE, text=True).stdout.strip()
    return f"dm-{minor}"


def read_when_ready(self, device):
    self.ready()
    tools.read(device)


@check()
def delayed(form):
    """dm-delay, 5 s: the read shows while it waits, its wait counts at once, and in the end it took that long."""
    with mapped_device("0 2048 delay /dev/vda 0 5000") as name:
        with watch(form) as run:
            reader = tools.Background(read_when_ready, name)
            tools.wait_until("the reader asleep", lambda: asleep(reader.pid))
            time.sleep(2)
        hanging = [k for k in run.summary["stuck"] if k["process"] and k["process"]["pid"] == reader.pid]
        assert hanging and hanging[0]["device"]["name"] == name, run.summary["stuck"]
        assert hanging[0]["age_ns"] >= 1500 * MS and not hanging[0]["inferred"], hanging
        assert finding(run, "hung-request")["evidence"]["pid"] == reader.pid
        waited(run, reader.pid, "disk", 1500)
        reader.end()
        with watch(form) as run:
            pid = tools.child(tools.read, name)
        assert not run.summary["stuck"]
        waited(run, pid, "disk", 4900)


@check()
def suspended(form):
    """dmsetup suspend: a read that comes then waits in the device's queue, which is where it shows."""
    with mapped_device("0 2048 linear /dev/vda 0") as name:
        with watch(form) as run:
            tools.sh("dmsetup", "suspend", "--noudevsync", "--nolockfs", "slow")
            reader = tools.Background(read_when_ready, name)
            tools.wait_until("the reader asleep", lambda: asleep(reader.pid))
            time.sleep(1.5)
        hanging = [k for k in run.summary["stuck"] if k["process"] and k["process"]["pid"] == reader.pid]
        tools.sh("dmsetup", "resume", "--noudevsync", "slow")
        reader.end()
        assert hanging and hanging[0]["stage"] == "queue", run.summary["stuck"]
        assert hanging[0]["device"]["name"] == name
        waited(run, reader.pid, "disk", 1000)


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
    tools.sh("mkswap", "/dev/nvme0n1", stdout=tools.subprocess.DEVNULL)
    tools.sh("swapon", "/dev/nvme0n1")
    try:
        with tools.cgroup("small") as path:
            tools.put(path + "/memory.max", 24 * tools.MIB)
            with watch(form) as run:
                pid = tools.child(eat, path, 48, 3)
    finally:
        tools.sh("swapoff", "/dev/nvme0n1")
    evidence = finding(run, "swap")["evidence"]
    assert evidence["pid"] == pid and evidence["swap_ios"] > 100, evidence


@check()
def no_swap(form):
    """Reading a file is not swap."""
    with watch(form) as run:
        tools.child(lambda: tools.read(tools.SLOW, count=30))
    assert not [f for f in run.summary["findings"] if f["code"] in ("swap", "cgroup-throttled", "hung-request")]
