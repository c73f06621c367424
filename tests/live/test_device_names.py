"""Devices that come, go and change under their names, many of them, and what is said of each."""
import fcntl
import pathlib
import random
import time

import pytest

from lib import base, disks, trace

LOOP_CTL_ADD, LOOP_CTL_REMOVE = 0x4C80, 0x4C81


@pytest.fixture
def new_loop(stack, folder):
    """new_loop(): a loop device that was not there before, on a new file, with a number above 255; remove() takes the
    device itself away."""
    def control(command, number):
        with open("/dev/loop-control", "wb") as f:
            return fcntl.ioctl(f, command, number)

    def make():
        while True:
            number = random.randrange(1000, 100000)
            try:
                control(LOOP_CTL_ADD, number)
                break
            except FileExistsError:
                continue
        disk = disks.Disk(f"loop{number}", folder())
        disk.file = disk.folder / "disk"
        with open(disk.file, "wb") as f:
            f.truncate(4 * base.MIB)

        def remove():
            disks._detach(disk.path)
            base.wait_until(f"{disk.name} to be free", lambda: removed(number))

        def removed(number):
            if not disk.sys.exists():
                return True
            try:
                control(LOOP_CTL_REMOVE, number)
            except OSError:
                return False
            return True
        disk.remove = remove
        stack.callback(remove)
        base.wait_until(disk.path, lambda: pathlib.Path(disk.path).exists())
        base.sh("losetup", "--direct-io=on", disk.path, disk.file)
        return disk
    return make


def test_300_devices(new_loop, held, iolat):
    """Each of 300 loop devices, made while tracing, has its name and number, and as many I/Os as the kernel counted."""
    tracer = iolat("--by", "device,op", "--op", "read")
    made = [new_loop() for _ in range(300)]
    script = "for d; do dd if=$d of=/dev/null bs=4k count=3 iflag=direct status=none || exit; done"
    held("sh", "-c", script, "sh", *(d.path for d in made)).finish()
    wanted = {d.name: d.number for d in made}
    summary = tracer.stop()
    rows = {r["device"]["name"]: r for r in summary["rows"] if r["device"]["name"] in wanted}
    assert rows.keys() == wanted.keys()
    for name, row in rows.items():
        assert (row["device"]["major"], row["device"]["minor"]) == wanted[name]
        assert row["ios"] >= 3
    covered = {d["device"]: d for d in summary["coverage"]["devices"] if d["device"] in wanted}
    assert covered.keys() == wanted.keys()
    wrong = {name: d for name, d in covered.items() if d["kernel"] != d["seen"] or d["transport"] != "loop"}
    assert not wrong


def test_appears_and_vanishes(new_loop, doio, iolat):
    """A device that comes after the start and is gone before the end has its name and its count; the kernel's own count is
    gone with it, also when nothing was shown in between."""
    tracer = iolat("--by", "process,device,op")
    disk = new_loop()
    number = disk.number
    load = doio("read", disk, count=10)
    load.finish()
    time.sleep(0.3)  # it is looked at while it is there
    disk.remove()
    assert not disk.sys.exists()
    summary = tracer.stop()
    row = trace.one(trace.rows(summary, pid=load.pid, device=disk))
    assert (row["device"]["name"], row["ios"]) == (disk.name, 10)
    assert (row["device"]["major"], row["device"]["minor"]) == number
    covered = trace.coverage(summary, disk)
    assert covered["kernel"] is None and covered["seen"] >= 10


def test_a_selected_device_vanishes(new_loop, doio, iolat):
    """--device of a disk that goes away ends the run, with its rows."""
    disk = new_loop()
    tracer = iolat("--device", disk.name)
    load = doio("read", disk, count=10)
    load.finish()
    disk.remove()
    row = trace.one(trace.rows(tracer.end(), pid=load.pid))
    assert (row["device"]["name"], row["ios"]) == (disk.name, 10)


def test_a_number_that_another_file_takes_over(new_loop, folder, doio, iolat):
    """The same loop device with another file is another disk: two rows, told apart by diskseq."""
    disk = new_loop()
    other = folder() / "other"
    with open(other, "wb") as f:
        f.truncate(4 * base.MIB)
    tracer = iolat("--by", "device,op", "--op", "read", "-d", disk.name)
    sequence = [int((disk.sys / "diskseq").read_text())]
    doio("read", disk, count=10).finish()
    disks._detach(disk.path)
    base.sh("losetup", "--direct-io=on", disk.path, other)
    sequence.append(int((disk.sys / "diskseq").read_text()))
    doio("read", disk, count=20).finish()
    summary = tracer.stop()
    rows = {r["device"]["diskseq"]: r["ios"] for r in trace.rows(summary, device=disk)}
    assert rows == {sequence[0]: 10, sequence[1]: 20}
    seen = [d["seen"] for d in summary["coverage"]["devices"] if d["device"] == disk.name]
    assert sorted(seen) == [10, 20]


def test_a_partition_is_its_disks(loop_disk, doio, iolat):
    """Rows are of disks, partitions' I/O among them."""
    base.need_tool("addpart")
    disk = loop_disk(partitions=True)
    base.sh("addpart", disk.path, 1, 2048, 32768)
    load = doio("read", f"{disk.path}p1", count=10)
    tracer = iolat("--pid", load.pid)
    load.finish()
    row = trace.one(trace.rows(tracer.stop(), device=disk))
    assert (row["ios"], row["via"]) == (10, None)


# --- facts -----------------------------------------------------------------------------

def facts(tracer, disk):
    return trace.coverage(tracer.stop(), disk)


def test_what_a_loop_device_stands_on(loop_disk, ext4, doio, iolat):
    """A loop device stands on the disk that holds its file; on nothing if that is in memory."""
    below = loop_disk(size_mb=128)
    above = loop_disk(size_mb=16, on=ext4(below))
    tracer = iolat("--by", "device")
    doio("read", above, count=5).finish()
    summary = tracer.stop()
    upper, lower = trace.coverage(summary, above), trace.coverage(summary, below)
    assert (upper["transport"], upper["stands_on"]) == ("loop", [below.name])
    assert (lower["transport"], lower["stands_on"]) == ("loop", [])


def test_two_loops_on_each_other(loop_disk, ext4, doio, iolat):
    """A loop device on an ext4 on a loop device on an ext4: each level is via the one above it, and counts once."""
    bottom = loop_disk(size_mb=256)
    middle = loop_disk(size_mb=128, on=ext4(bottom))
    top = loop_disk(size_mb=16, on=ext4(middle))
    load = doio("read", top, count=20)
    by_device, by_op = iolat("--by", "device,op"), iolat("-d", top.name, "-d", middle.name, "-d", bottom.name, "--by", "op")
    load.finish()
    summary = by_device.stop()
    for disk, via in ((top, None), (middle, top.name), (bottom, middle.name)):
        row = trace.one(trace.rows(summary, device=disk, op="read"))
        assert (row["ios"], row["bytes"], row["via"]) == (20, 81920, via)
    assert trace.one([r for r in by_op.stop()["rows"] if r["op"] == "read"])["ios"] == 20


def test_zram(zram_disk, doio, iolat):
    """A disk without requests: what is known of it, its own count, a selection that leaves it out."""
    zram = zram_disk()
    load, other = doio("write", zram, count=10), doio("read", zram, count=7)
    tracer, left_out = iolat("-d", zram.name), iolat("-d", zram.name, "--op", "discard")
    before = zram.stat()
    load.finish()
    other.finish()
    grown = zram.stat() - before
    covered = facts(tracer, zram)
    assert covered["kernel"] == covered["seen"] == grown.ios == 17
    assert (covered["transport"], covered["stands_on"]) == ("zram", [])
    summary = left_out.stop()
    assert summary["rows"] == [] and trace.coverage(summary, zram)["seen"] == 17


def test_a_loop_device_on_a_disk_without_requests(zram_disk, ext4, loop_disk, doio, iolat):
    """Copies that end up on zram are copies, too."""
    zram = zram_disk()
    above = loop_disk(size_mb=4, on=ext4(zram))
    load = doio("read", above, count=20)
    tracer = iolat("--by", "device,op", "--op", "read")
    load.finish()
    summary = tracer.stop()
    assert trace.one(trace.rows(summary, device=above))["ios"] == 20
    copy = trace.one(trace.rows(summary, device=zram))
    assert (copy["bytes"], copy["via"]) == (81920, above.name)
    assert copy["latency"]["queue"] is None
