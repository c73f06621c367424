"""What checks work with: iolat and its answers, disks, loads, cgroups. Standard library only; see checks.py."""
import contextlib
import ctypes
import functools
import glob
import json
import mmap
import os
import re
import signal
import struct
import subprocess
import sys
import time
import traceback

sys.path.insert(1, os.path.abspath(__file__ + "/../../.."))
from lib import bpfmaps  # noqa: E402

MIB = 1 << 20
DELAY_NS = 20_000_000  # of SLOW's completions
CGROUP_ROOT = "/sys/fs/cgroup"
IOLAT = ""
SHARE = ""  # a folder that the host sees

# Disks; vda and nvme0n1 are 16 GiB, thin.
SLOW = "nullb0"     # completes after DELAY_NS
FAST = "nullb1"
SILENT = "nullb2"   # as FAST, with queue/iostats 0
ZONED = "nullb3"
MULTIPATH = "nvme1n1"  # two controllers lead to it
NULL_BLK = {
    SLOW: {"irqmode": 2, "completion_nsec": DELAY_NS},
    FAST: {"irqmode": 0},
    SILENT: {"irqmode": 0},
    ZONED: {"irqmode": 0, "zoned": 1, "zone_size": 64},
}


def sh(*argv, **how):
    return subprocess.run([str(a) for a in argv], check=True, **how)


def put(path, value):
    with open(path, "w") as f:
        f.write(str(value))


def fetch(path):
    with open(path) as f:
        return f.read().strip()


def queue(device, attribute, value):
    put(f"/sys/block/{device}/queue/{attribute}", value)


def wait_until(what, condition, timeout=60):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f"waited {timeout} s in vain: {what}"
        time.sleep(0.005)


def release():
    return tuple(int(n) for n in re.match(r"(\d+)\.(\d+)", os.uname().release).groups())


def hybrid():
    return os.path.isdir(CGROUP_ROOT + "/blkio")


# --- disks ------------------------------------------------------------------------------------------------------------

def make_disks():
    """The null_blk disks, in order: older kernels number them as they come; and the NVMe disks, nvme0n1 with a queue for
    polling."""
    sh("modprobe", "-r", "nvme")
    probe_nvme()
    sh("modprobe", "null_blk", "nr_devices=0")
    sh("mount", "-t", "configfs", "configfs", "/sys/kernel/config")
    for name, settings in NULL_BLK.items():
        null_blk(name, settings)
    queue(SILENT, "iostats", 0)


def probe_nvme():
    """One controller after the other, so that their names are in the order of the bus."""
    put("/sys/bus/pci/drivers_autoprobe", 0)
    sh("modprobe", "nvme", "poll_queues=1")
    for device in sorted(glob.glob("/sys/bus/pci/devices/*")):
        if fetch(device + "/class") == "0x010802":
            put("/sys/bus/pci/drivers/nvme/bind", os.path.basename(device))
            wait_until("an NVMe controller", lambda: glob.glob(device + "/nvme/nvme*/state") and
                       fetch(glob.glob(device + "/nvme/nvme*/state")[0]) == "live")
    put("/sys/bus/pci/drivers_autoprobe", 1)
    for name in ("nvme0n1", MULTIPATH):
        wait_until(name, lambda: os.path.exists(f"/dev/{name}"))


def null_blk(name, settings):
    folder = f"/sys/kernel/config/nullb/{name}"
    os.mkdir(folder)
    for key, value in {"size": 1024, "queue_mode": 2, "submit_queues": 1, **settings, "power": 1}.items():
        put(f"{folder}/{key}", value)
    wait_until(name, lambda: os.path.exists(f"/dev/{name}"))


def stat(device):
    """The kernel's own count of a disk."""
    f = [int(w) for w in fetch(f"/sys/block/{device}/stat").split()] + [0] * 17
    return {"read": f[0], "write": f[4], "discard": f[11], "merged": f[1] + f[5] + f[12]}


def grown(before, after):
    return {key: after[key] - before[key] for key in after}


# What befalls commands of the scsi_debug disk.
SCSI_DEBUG = "/sys/bus/pseudo/drivers/scsi_debug"
MEDIUM_ERROR, LOST, SHORT, BUSY = 0x2, 0x4, 0x100, 0x8000  # its `opts`
BAD_SECTOR = 0x1234


@functools.lru_cache(None)
def scsi_disk():
    """The name of the scsi_debug disk, which is made at the first call."""
    sh("modprobe", "sd_mod")
    sh("modprobe", "scsi_debug", "dev_size_mb=64")
    found = f"{SCSI_DEBUG}/adapter0/host*/target*/*/block/*"
    wait_until("a scsi_debug disk", lambda: glob.glob(found))
    name = os.path.basename(glob.glob(found)[0])
    wait_until(name, lambda: os.path.exists(f"/dev/{name}"))
    queue(name, "scheduler", "mq-deadline")
    return name


@contextlib.contextmanager
def scsi_fault(what, every=1, timeout=30):
    """Inside, each so-manieth command suffers it; `timeout` is the time that a command has, in seconds."""
    def inject(opts, nth):
        put(SCSI_DEBUG + "/every_nth", 0)
        put(SCSI_DEBUG + "/opts", opts)
        put(SCSI_DEBUG + "/every_nth", nth)
    put(f"/sys/block/{scsi_disk()}/device/timeout", timeout)
    inject(what, every)
    try:
        yield scsi_disk()
    finally:
        inject(0, 0)


def in_flight(device):
    return sum(map(int, fetch(f"/sys/block/{device}/inflight").split()))


# --- iolat ------------------------------------------------------------------------------------------------------------

class Iolat:
    """One run of iolat beside what the `with` block does; .summary when the block is over. When it is, the disks being
    idle, its programs must know of no I/O under way; with strict=False the caller looks at .left itself, with idle=False
    there may be some and nobody asks."""
    skipped = 0  # runs of its programs, by the kernel, in all of them so far

    def __init__(self, *args, form="chosen", environment=None, strict=True, idle=True):
        self.args, self.form, self.strict, self.idle = args, form, strict, idle
        self.summary, self.left = None, None
        self.environment = {**os.environ, **({} if form == "chosen" else {"IOLAT_VARIANT": form}), **(environment or {})}

    def __enter__(self):
        ready, child_end = os.pipe()
        start = time.monotonic()
        self.process = subprocess.Popen(
            [IOLAT, "-f", "json", "-i", "0", "--ready-fd", str(child_end), *self.args],
            pass_fds=[child_end], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.close(child_end)
        with os.fdopen(ready) as pipe:
            if pipe.read(1) != "\n":  # end of file: it gave up
                out, err = self.process.communicate()
                raise AssertionError(f"iolat ended with status {self.process.returncode}: {out}{err}")
        print(f"    iolat, {self.form}, ready after {time.monotonic() - start:.1f} s", flush=True)
        return self

    def __exit__(self, kind, value, trace):
        assert self.process.poll() is None, f"iolat ended by itself, status {self.process.returncode}: {self.process.communicate()}"
        self.left = self.state_left() if self.idle and not kind else None
        self.process.send_signal(signal.SIGINT)
        try:
            out, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            raise AssertionError(f"iolat did not end within 60 s of SIGINT: {out}{err}") from None
        if kind is None:
            assert self.process.returncode == 0, f"status {self.process.returncode}: {err}"
            lines = [json.loads(line) for line in out.splitlines()]
            assert [line["type"] for line in lines] == ["summary"], "with -i 0, just a summary is due"
            self.summary = lines[-1]
            Iolat.skipped += self.summary["coverage"]["missed"] or 0
            assert not (self.strict and self.left), f"state left behind: {self.left}"

    def state_left(self):
        """What is left once the disks are idle; their completions may be on their way."""
        for _ in range(20):
            left = bpfmaps.state_left(self.process.pid)
            if not left:
                break
            time.sleep(0.1)
        return left

    def rows(self, device, op=None, pid=None):
        """Rows of the device, of any op and process unless given."""
        return [r for r in self.summary["rows"] if r["device"]["name"] == device and op in (None, r["op"]) and
                (pid is None or (r["process"] or {}).get("pid") == pid)]

    def sum(self, key, *which, **more):
        return sum(r[key] for r in self.rows(*which, **more))

    def coverage(self, device):
        found = [d for d in self.summary["coverage"]["devices"] if d["device"] == device]
        assert len(found) == 1, f"{device} is not once among {self.summary['coverage']['devices']}"
        return found[0]


def all_attached(iolat):
    missing = [h["name"] for h in iolat.summary["hooks"] if not h["attached"]]
    assert not missing, f"form {iolat.form}: not attached: {missing}"


# --- loads ------------------------------------------------------------------------------------------------------------

def child(function, *args, in_cgroup=None):
    """Calls it in a process of its own; returns that process's id. What goes wrong there goes wrong here."""
    out, child_end = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            if in_cgroup:
                put(in_cgroup + "/cgroup.procs", 0)
            function(*args)
        except BaseException:
            os.write(child_end, traceback.format_exc().encode())
        os._exit(0)
    os.close(child_end)
    with os.fdopen(out) as pipe:
        problem = pipe.read()
    os.waitpid(pid, 0)
    assert not problem, problem
    return pid


def program(*argv, in_cgroup=None):
    """Runs a program to its end; returns the id of its process."""
    with subprocess.Popen(list(map(str, argv)), preexec_fn=join(in_cgroup) if in_cgroup else None) as process:
        assert process.wait() == 0, f"{argv}: status {process.returncode}"
    return process.pid


class Background:
    """A process that does its part while others do theirs: function(self, ...) calls ready() once it got that far."""

    def __init__(self, function, *args):
        self.out, self.child_end = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                function(self, *args)
            except BaseException:
                os.write(self.child_end, traceback.format_exc().encode())
            os._exit(0)
        os.close(self.child_end)
        got = os.read(self.out, 1)
        assert got == b"+", (got + os.read(self.out, 65536)).decode()

    def ready(self):
        os.write(self.child_end, b"+")

    def end(self):
        problem = os.read(self.out, 65536).decode()
        os.close(self.out)
        os.waitpid(self.pid, 0)
        assert not problem, problem


def opened(device, flags=0):
    return os.open(f"/dev/{device}", os.O_RDWR | os.O_DIRECT | flags)


def buffer(size):
    return mmap.mmap(-1, size)  # page-aligned, as O_DIRECT wants it


def read(device, offset=0, size=4096, count=1):
    """Direct reads, one after the other."""
    fd = opened(device)
    for i in range(count):
        got = os.preadv(fd, [buffer(size)], offset + i * size)
        assert got == size, f"read {got} of {size} bytes"
    os.close(fd)


def write(device, offset=0, size=4096, count=1, flags=0, fsync=False):
    fd = opened(device, flags)
    for i in range(count):
        os.pwritev(fd, [buffer(size)], offset + i * size)
        if fsync:
            os.fsync(fd)
    os.close(fd)


class Aio:
    """Direct asynchronous I/O by io_submit(2). All blocks of a submit() enter the block layer under one plug."""
    SETUP, GETEVENTS, SUBMIT = (206, 208, 209) if os.uname().machine == "x86_64" else (0, 4, 2)
    CODES = {"read": 0, "write": 1}

    def __init__(self, device):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.context, self.fd, self.pending, self.kept = ctypes.c_ulong(0), opened(device), 0, {}
        self.call(self.SETUP, 256, ctypes.byref(self.context))

    def call(self, number, *args):
        got = self.libc.syscall(number, *args)
        assert got >= 0, os.strerror(ctypes.get_errno())
        return got

    def submit(self, op, offsets, size=4096):
        memory = self.kept.setdefault(size, buffer(size))
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        blocks = ctypes.create_string_buffer(b"".join(
            struct.pack("=QIIHhIQQqQII", 0, 0, 0, self.CODES[op], 0, self.fd, address, size, at, 0, 0, 0) for at in offsets))
        first, n = ctypes.addressof(blocks), len(offsets)
        pointers = (ctypes.c_uint64 * n)(*range(first, first + 64 * n, 64))
        assert self.call(self.SUBMIT, self.context, n, pointers) == n
        self.pending += n

    def wait(self):
        events = ctypes.create_string_buffer(32 * self.pending)
        assert self.call(self.GETEVENTS, self.context, self.pending, self.pending, events, None) == self.pending
        for i in range(self.pending):
            result = struct.unpack_from("=q", events, 32 * i + 16)[0]
            assert result > 0, os.strerror(-result)
        self.pending = 0


def fio(*jobs, in_cgroup=None):
    """Runs fio on all the jobs (device, op, engine, block size, count, more options), one after the other as threads of
    one process; returns its pid and its results by (device, op)."""
    argv = ["fio", "--output-format=json", "--thread", "--direct=1", "--randrepeat=1", "--size=64M"]
    for device, op, engine, size, count, *more in jobs:
        argv += [f"--name={device}-{op}", "--stonewall", f"--filename=/dev/{device}", f"--rw=rand{op}",
                 f"--ioengine={engine}", f"--iodepth={1 if engine == 'psync' else 4}", f"--bs={size}",
                 f"--number_ios={count}", *more]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True,
                          preexec_fn=join(in_cgroup) if in_cgroup else None) as process:
        out = process.communicate()[0]
    assert process.returncode == 0, out
    results = json.loads(out[out.index("{"):])["jobs"]
    return process.pid, {(device, op): result[op] for (device, op, *_), result in zip(jobs, results)}


# --- cgroups and file systems -------------------------------------------------------------------------------------------

@contextlib.contextmanager
def cgroup(name):
    """A cgroup of the hierarchy whose ids iolat reports: v2's, or blkio's on a hybrid host."""
    path = os.path.join(CGROUP_ROOT, "blkio" if hybrid() else "", name)
    os.mkdir(path)
    try:
        yield path
    finally:
        os.rmdir(path)


def join(path):
    """A preexec_fn that puts the child into the cgroup."""
    return lambda: put(path + "/cgroup.procs", 0)


def limit_reads(path, what, rate):
    """What a cgroup may read of vda in a second, in "iops" or "bps"; None: as much as it wants."""
    number = fetch("/sys/block/vda/dev")
    if hybrid():
        put(f"{path}/blkio.throttle.read_{what}_device", f"{number} {rate or 0}")
    else:
        put(f"{path}/io.max", f"{number} r{what}={rate or 'max'}")


# Few inodes, so that little is to be written, and nothing left for the file system to initialise later, in the middle
# of a measurement.
MKFS_EXT4 = ["-q", "-F", "-N", "256", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"]


@contextlib.contextmanager
def ext4(device):
    mountpoint = "/mnt/ext4"
    os.makedirs(mountpoint, exist_ok=True)
    sh("mkfs.ext4", *MKFS_EXT4, device, "64M")
    sh("mount", "-t", "ext4", device, mountpoint)
    try:
        yield mountpoint
    finally:
        sh("umount", mountpoint)
