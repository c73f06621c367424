"""Processes, cgroups and disks that come and go: every I/O of theirs counts, and iolat does not grow with their number.

`make check` lets a few hundred of each pass, `make soak` as many as weeks bring. What has gone keeps its row until there
are ROWS of them, the rest is added up in one row. So size may grow with the rows, by little each, and behind them not at
all; short runs show that one that has gone costs little and holds nothing open.
"""
import fcntl
import os

import pytest

from lib import base, cgroups, churn, trace

ROWS = 10_000  # RUN_ROWS in src/stats/run.c
LOOP_CTL_ADD, LOOP_CTL_REMOVE, LOOP_SET_FD, LOOP_CLR_FD = 0x4C80, 0x4C81, 0x4C00, 0x4C01


def settle(tracer):
    """Until iolat has taken in all that has happened: two frames."""
    seen = tracer.stdout.count("\n")
    base.wait_until("frames", lambda: tracer.stdout.count("\n") >= seen + 2, step=0.1)


def check_flat(tracer, once, n, each_bytes):
    """Runs `once` n times; after a quarter of them, iolat has the size that it keeps, but for new rows."""
    for i in range(n // 4):
        once(i)
    settle(tracer)
    before = churn.Size(tracer.pid)
    for i in range(n // 4, n):
        once(i)
    settle(tracer)
    after = churn.Size(tracer.pid)
    room = base.MIB + each_bytes * max(min(n, ROWS) - n // 4, 0)
    print(f"after {n // 4}: {before}; after {n}: {after}")
    assert after.resident - before.resident <= room, f"{before}; then {after}"
    assert after.maps - before.maps <= base.MIB, f"{before}; then {after}"
    # Some are of files that are just being read.
    base.wait_until("as few descriptors as before", lambda: churn.Size(tracer.pid).descriptors <= before.descriptors)


def check_frames(tracer, soaked):
    """No frame is left out: one may be late by less than an interval. (Only where time may be asserted.)"""
    if not soaked:
        return
    for frame in tracer.frames[:-1]:
        assert frame["duration_ns"] < 2e9, f"the frame that ends {frame['end']} took {frame['duration_ns'] / 1e9} s"


@pytest.fixture
def watch(start_iolat):
    return lambda *args: start_iolat("-f", "json", "-i", "1s", *args)


def check_complete(summary, ios):
    """All of them, but for events that the kernel skipped while others attached, and iolat says so; how many."""
    coverage = summary["coverage"]
    skipped = coverage["lost"] + coverage["unmatched"]
    assert 0 <= ios - trace.total(summary["rows"], "ios") <= skipped
    return skipped


def test_processes(reader, watch, soak):
    disk, fd = reader
    tracer = watch("--device", disk.name)
    n = soak(400, 100_000)
    check_flat(tracer, lambda i: churn.in_child(lambda: churn.read_once(fd)), n, 6000)
    check_complete(tracer.stop(), n)
    check_frames(tracer, soak.on)


def test_cgroups(reader, watch, soak, stack, run_area):
    disk, fd = reader
    parent = cgroups.make(stack, f"{run_area.name}-churn")
    tracer = watch("--device", disk.name, "--by", "cgroup,device")
    n = soak(100, 10_000)

    def once(i):
        group = parent.dir / str(i)
        group.mkdir()

        def work():
            (group / "cgroup.procs").write_text("0")
            churn.read_once(fd)
        churn.in_child(work)
        base.wait_until("an empty cgroup", lambda: churn.removed(group))
    check_flat(tracer, once, n, 6000)
    summary = tracer.stop()
    check_complete(summary, n)
    assert len({r["cgroup"]["id"] for r in summary["rows"] if r["cgroup"]}) > min(n, 9000) * 0.9
    check_frames(tracer, soak.on)


class LoopDisk:
    """A loop device that is new when it is made and gone when it is removed."""

    def __init__(self, control, number, file):
        self.control, self.number = control, number
        fcntl.ioctl(control, LOOP_CTL_ADD, number)
        path = f"/dev/loop{number}"
        base.wait_until(path, lambda: os.path.exists(path))
        self.fd = os.open(path, os.O_RDWR | os.O_DIRECT)
        fcntl.ioctl(self.fd, LOOP_SET_FD, file)

    def remove(self):
        fcntl.ioctl(self.fd, LOOP_CLR_FD)
        os.close(self.fd)
        base.wait_until("a loop device to go", self.removed)

    def removed(self):
        try:
            fcntl.ioctl(self.control, LOOP_CTL_REMOVE, self.number)
        except OSError:  # somebody (udev) has it open
            return False
        return True


def test_disks(run_area, stack, folder, watch, soak):
    base.need(os.path.exists("/dev/loop-control"), "no loop devices")
    control = os.open("/dev/loop-control", os.O_RDWR)
    stack.callback(os.close, control)
    with open(folder() / "disk", "w+b") as file:
        file.truncate(base.MIB)
        first = 1000 + os.getpid() % 50 * 1000  # where nobody else has loop devices
        tracer = watch("--by", "device", "--pid", os.getpid())
        n = soak(20, 1000)

        def once(i):
            disk = LoopDisk(control, first + i, file.fileno())
            churn.read_once(disk.fd)
            disk.remove()
        check_flat(tracer, once, n, 20_000)
    summary = tracer.stop()
    assert len(summary["rows"]) >= min(n, 4000) - check_complete(summary, n), "a row each"
    check_frames(tracer, soak.on)
