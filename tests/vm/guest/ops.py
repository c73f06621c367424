"""Operations beside reads and writes: flushes, discards, zeroing, zones, commands."""
import fcntl
import os
import struct

from . import tools
from .checks import check

GIB = 1 << 30


@check(short=True)
def fsync(run):
    """An fsync is one flush of its caller that only waits, and never reaches the driver itself."""
    pids = {device: tools.child(lambda d=device: tools.write(d, count=10, fsync=True)) for device in ("vda", "nvme0n1")}
    yield
    for device, pid in pids.items():
        got = [run.sum("ios", device, op, pid=pid) for op in ("write", "flush")]
        assert got == [10, 10], f"{device}: {got} writes and flushes; {run.rows(device, pid=pid)}"
        row = run.rows(device, "flush", pid)[0]
        assert row["bytes"] == 0 and row["latency"]["device"] is None, f"{device}: {row}"
        assert row["latency"]["queue"]["count"] == 10, f"{device}: {row['latency']}"
        whose = [r for r in run.rows(device, "flush") if r["process"] is None]
        assert not whose, f"{device}: the driver's own flushes have a row: {whose}"


@check()
def dsync(run):
    """An O_DSYNC write counts once, whether the device has FUA or is told to flush behind it."""
    pids = {device: tools.child(lambda d=device: tools.write(d, count=10, flags=os.O_DSYNC))
            for device in ("vda", "nvme0n1")}
    yield
    for device, pid in pids.items():
        got = [run.sum(key, device, "write", pid=pid) for key in ("ios", "bytes")]
        assert got == [10, 40960], f"{device}: {got}"


@check()
def journal(run):
    """The log of a file system writes with a flush before and FUA behind; all of it is somebody's, and counts once."""
    with tools.ext4("/dev/vda") as mountpoint:
        def load():
            fd = os.open(mountpoint + "/file", os.O_CREAT | os.O_WRONLY)
            for _ in range(5):
                os.write(fd, b"x" * 4096)
                os.fsync(fd)
        pid = tools.child(load)
    yield
    data = [r for r in run.rows("vda", "write", pid) if r["via"] is None]
    assert sum(r["ios"] for r in data) >= 5, f"{run.rows('vda', pid=pid)}"
    log = [r for r in run.rows("vda", "write") if (r["via"] or "").startswith("kernel thread jbd2/")]
    assert log and sum(r["ios"] for r in log) >= 5, f"no log: {run.rows('vda')}"


@check(short=True)
def discard(run):
    """A discard of more than 4 GiB, all of its bytes."""
    pids = {device: tools.program("blkdiscard", "-f", "-o", GIB, "-l", 9 * GIB, f"/dev/{device}")
            for device in ("vda", "nvme0n1")}
    yield
    for device, pid in pids.items():
        got = [run.sum(key, device, "discard", pid=pid) for key in ("bytes", "errors")]
        assert got == [9 * GIB, 0], f"{device}: {got}; {run.rows(device, pid=pid)}"


@check()
def merged_discards(run):
    """Discards join each other without an event of their own; none counts twice, none leaves state."""
    limit = tools.fetch("/sys/block/nvme0n1/queue/discard_max_bytes")
    tools.queue("nvme0n1", "discard_max_bytes", tools.MIB)
    before = tools.stat("nvme0n1")
    pid = tools.program("blkdiscard", "-f", "-l", 32 * tools.MIB, "/dev/nvme0n1")
    grown = tools.grown(before, tools.stat("nvme0n1"))
    tools.queue("nvme0n1", "discard_max_bytes", min(int(limit), 1 << 31) // tools.MIB * tools.MIB)  # what all take
    yield
    got = [run.sum(key, "nvme0n1", "discard", pid=pid) for key in ("ios", "bytes", "merged")]
    assert got == [grown["discard"], 32 * tools.MIB, grown["merged"]], f"{got}, the kernel says {grown}"
    assert grown["discard"] + grown["merged"] == 32, f"not what was to be tested: {grown}"


@check()
def zeroing(run):
    """BLKZEROOUT without data (write-zeroes)."""
    def load():
        fd = os.open("/dev/nvme0n1", os.O_RDWR | os.O_DIRECT)
        fcntl.ioctl(fd, 0x127f, struct.pack("=QQ", 0, tools.MIB))  # BLKZEROOUT
    assert tools.fetch("/sys/block/nvme0n1/queue/write_zeroes_max_bytes") != "0", "nvme0n1 takes no write-zeroes"
    pid = tools.child(load)
    yield
    assert run.sum("bytes", "nvme0n1", "other", pid=pid) == tools.MIB, f"{run.rows('nvme0n1', pid=pid)}"


@check()
def zones(run):
    """Sequential writes to a zone, and its reset."""
    zone = 64 * tools.MIB

    def load():
        tools.write(tools.ZONED, count=20)
        tools.write(tools.ZONED, offset=zone, count=20)
    writer = tools.child(load)
    resetter = tools.program("blkzone", "reset", "-c", "2", f"/dev/{tools.ZONED}")
    yield
    got = [run.sum(key, tools.ZONED, "write", pid=writer) for key in ("ios", "errors")]
    assert got == [40, 0], f"{got}; {run.rows(tools.ZONED)}"
    got = [run.sum(key, tools.ZONED, "other", pid=resetter) for key in ("ios", "errors")]
    assert got == [2, 0], f"{got}; {run.rows(tools.ZONED)}"


@check()
def nvme_commands(run):
    """A command that by-passes the block layer's bios is an `other` of its caller, and not in the disk's count."""
    def load():
        data = tools.buffer(4096)
        address = tools.ctypes.addressof(tools.ctypes.c_char.from_buffer(data))
        fd = os.open("/dev/nvme0n1", os.O_RDWR)
        # struct nvme_passthru_cmd: read (2) of 8 blocks at 0 from namespace 1
        command = struct.pack("=BBHIIIQQIIIIIIIIII", 2, 0, 0, 1, 0, 0, 0, address, 0, 4096, 0, 0, 7, 0, 0, 0, 0, 0)
        for _ in range(3):
            fcntl.ioctl(fd, 0xC0484E43, command)  # NVME_IOCTL_IO_CMD
    pid = tools.child(load)
    yield
    assert run.sum("ios", "nvme0n1", "other", pid=pid) == 3, f"{run.rows('nvme0n1', pid=pid)}"
