"""What may befall a request on its way, by scsi_debug's fault injection: short transfers, a busy host, a command that is
lost and times out, errors, and commands by SG_IO. (null_blk's own injection is in no kernel of Debian's.)"""
import ctypes
import fcntl
import os
import struct

from . import tools
from .checks import check


def read_block(self, disk):
    self.ready()
    tools.read(disk)


def one_read(run, disk, pid):
    """The row of a process that read one block, in the end well."""
    rows = run.rows(disk, "read", pid)
    got = [[r[key] for key in ("ios", "bytes", "errors")] for r in rows]
    assert got == [[1, 4096, 0]], f"{got}; there are {run.rows(disk)}"
    return rows[0]


@check()
def short(run):
    """A transfer that comes in two parts, with a requeue between them, is one I/O."""
    with tools.scsi_fault(tools.SHORT, every=2) as disk:
        pid = tools.child(lambda: tools.read(disk, size=65536, count=4))
    yield
    rows = run.rows(disk, "read", pid)
    got = [sum(r[key] for r in rows) for key in ("ios", "bytes", "errors")]
    assert got == [4, 4 * 65536, 0], f"{got}"
    assert sum(r["requeues"] for r in rows) >= 1, f"{rows}"


@check()
def busy(run):
    """A host that refuses a while: requeues, and the wait is the queue's, not the device's."""
    with tools.scsi_fault(tools.BUSY) as disk:
        another = tools.Background(read_block, disk)
        tools.time.sleep(1)
    another.end()
    yield
    row = one_read(run, disk, another.pid)
    assert row["requeues"] >= 1, f"{row}"
    assert row["latency"]["total"]["min_ns"] >= 300_000_000, f"{row['latency']}"
    assert row["latency"]["queue"]["min_ns"] > row["latency"]["device"]["max_ns"], f"{row['latency']}"


@check()
def timeout(run):
    """A command that is lost: the kernel gives up on it after a second and sends it again."""
    with tools.scsi_fault(tools.LOST, timeout=1) as disk:
        another = tools.Background(read_block, disk)
        tools.wait_until("the lost command", lambda: tools.in_flight(disk))
    another.end()
    yield
    row = one_read(run, disk, another.pid)
    assert row["latency"]["total"]["min_ns"] >= 900_000_000, f"{row['latency']}"
    assert row["requeues"] >= 1, f"{row}"


@check()
def error(run):
    """A read that fails counts, as an error."""
    def load():
        try:
            tools.read(disk, offset=tools.BAD_SECTOR * 512 // 4096 * 4096)
        except OSError:
            return
        raise AssertionError("the bad sector can be read")
    with tools.scsi_fault(tools.MEDIUM_ERROR, every=0) as disk:
        pid = tools.child(load)
    yield
    rows = run.rows(disk, "read", pid)
    assert [(r["ios"], r["errors"]) for r in rows] == [(1, 1)], f"{rows}"


@check()
def commands(run):
    """SG_IO by-passes the block layer's bios: an `other` of its caller, and not in the disk's count."""
    def load():
        data, sense = ctypes.create_string_buffer(96), ctypes.create_string_buffer(32)
        inquiry = ctypes.create_string_buffer(struct.pack(">BBBHB", 0x12, 0, 0, 96, 0))
        address = ctypes.addressof
        # struct sg_io_hdr: 'S', SG_DXFER_FROM_DEV
        header = struct.pack("@iiBBHIPPPIIiPBBBBHHiII", ord("S"), -3, 6, 32, 0, 96, address(data), address(inquiry),
                             address(sense), 5000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        fd = os.open(f"/dev/{disk}", os.O_RDONLY)
        for _ in range(3):
            fcntl.ioctl(fd, 0x2285, ctypes.create_string_buffer(header))
        assert b"Linux" in data.raw, data.raw
    disk = tools.scsi_disk()
    pid = tools.child(load)
    yield
    assert run.sum("ios", disk, "other", pid=pid) == 3, f"{run.rows(disk, pid=pid)}"
    got = run.coverage(disk)
    assert (got["model"], got["transport"]) == ("scsi_debug", "pseudo"), got
