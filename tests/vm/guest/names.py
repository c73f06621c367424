"""Devices that come and go while iolat watches, many of them, with high numbers and under the number of another."""
import contextlib
import fcntl
import os

from . import tools
from .checks import NEW, OLD, check

SET_FD, CLEAR_FD, ADD, REMOVE = 0x4C00, 0x4C01, 0x4C80, 0x4C81
FIRST, MANY = 1000, 300  # minors above 255


def control(command, number):
    with open("/dev/loop-control", "wb") as f:
        return fcntl.ioctl(f, command, number)


@contextlib.contextmanager
def loop(number):
    """A loop device without a file."""
    def gone():
        with contextlib.suppress(OSError):  # EBUSY: its file is on its way out
            control(REMOVE, number)
        return not os.path.exists(f"/sys/block/loop{number}")
    control(ADD, number)
    tools.wait_until("the loop device", lambda: os.path.exists(f"/dev/loop{number}"))
    try:
        yield
    finally:
        tools.wait_until("the loop device gone", gone)


@contextlib.contextmanager
def filled(number):
    """The loop device on a file of its own, in memory."""
    name = f"loop{number}"
    with open(f"/tmp/{name}", "wb+") as file, open(f"/dev/{name}", "rb") as device:
        file.truncate(tools.MIB)
        fcntl.ioctl(device, SET_FD, file.fileno())
        try:
            yield name
        finally:
            fcntl.ioctl(device, CLEAR_FD)
    os.unlink(f"/tmp/{name}")


@check(cgroups=["v2"], forms=["chosen"], kernels=[OLD, NEW])
def many_loops(run):
    """300 devices that are there for a while: each has its name, its number and its count."""
    def load():
        with contextlib.ExitStack() as stack:
            for i in range(MANY):
                stack.enter_context(loop(FIRST + i))
            for i in range(MANY):
                with filled(FIRST + i) as name:
                    tools.read(name, count=1 + i % 3)
    tools.sh("modprobe", "loop")
    pid = tools.child(load)
    yield
    rows = {r["device"]["name"]: r for r in run.summary["rows"]
            if r["op"] == "read" and r["process"] and r["process"]["pid"] == pid}
    got = {name: (r["device"]["major"], r["device"]["minor"], r["ios"]) for name, r in rows.items()}
    assert got == {f"loop{FIRST + i}": (7, FIRST + i, 1 + i % 3) for i in range(MANY)}, got


@check(cgroups=["v2"])
def number_of_another(run):
    """A loop device that gets another file is another disk, where kernels number disks (5.15)."""
    def load():
        with loop(FIRST - 1):
            for count in (10, 20):
                with filled(FIRST - 1) as name:
                    tools.read(name, count=count)
    tools.sh("modprobe", "loop")
    pid = tools.child(load)
    yield
    rows = run.rows(f"loop{FIRST - 1}", "read", pid)
    numbers = {r["device"]["diskseq"] for r in rows}
    if tools.release() >= (5, 15):
        assert None not in numbers and len(numbers) == 2, rows
        assert sorted(r["ios"] for r in rows) == [10, 20], rows
    else:
        assert numbers == {None} and sum(r["ios"] for r in rows) == 30, rows
