"""Devices: selected by any of their names, stacked on one another, and with the kernel's own count beside iolat's."""
import pytest

from lib import base, trace


@pytest.mark.parametrize("named", ["name", "node", "link"])
def test_device(loop_disk, folder, doio, iolat, named):
    """--device takes a disk's name, its node, and a link to that; another disk is in no row."""
    disk, other = loop_disk(), loop_disk()
    link = folder() / "link"
    link.symlink_to(disk.path)
    word = {"name": disk.name, "node": disk.path, "link": link}[named]
    jobs = [doio("read", disk, count=10), doio("read", other, count=20)]
    tracer = iolat("--device", word)
    for load in jobs:
        load.finish()
    summary = tracer.stop()
    row = trace.one(trace.rows(summary, pid=jobs[0].pid))
    assert (row["device"]["name"], row["ios"]) == (disk.name, 10)
    assert (row["device"]["major"], row["device"]["minor"]) == disk.number
    assert {r["device"]["name"] for r in summary["rows"]} == {disk.name}


@pytest.mark.parametrize("named", ["file", "folder"])
def test_device_of_a_path(loop_disk, ext4, doio, iolat, named):
    """--device takes a file or a folder for the disk that holds it."""
    disk, other = loop_disk(), loop_disk()
    point = ext4(disk)
    (point / "file").write_bytes(bytes(base.MIB))
    base.sh("sync", "-f", point)
    mine, theirs = doio("read", point / "file", count=10), doio("read", other, count=10)
    tracer = iolat("--device", point / "file" if named == "file" else point, "--op", "read")
    mine.finish()
    theirs.finish()
    summary = tracer.stop()
    assert {r["device"]["name"] for r in summary["rows"]} == {disk.name}
    assert trace.one(trace.rows(summary, pid=mine.pid))["ios"] == 10


def test_partition(loop_disk, doio, iolat):
    """--device takes a partition: what goes to another one, or to the disk outside of it, is in no row."""
    base.need_tool("addpart")
    disk = loop_disk(partitions=True)
    base.sh("addpart", disk.path, 1, 2048, 32768)
    base.sh("addpart", disk.path, 2, 65536, 32768)
    jobs = [doio("read", f"{disk.path}p1", count=10), doio("read", f"{disk.path}p2", count=20),
            doio("read", disk, count=40, offset=50 * base.MIB)]
    tracer = iolat("--device", f"{disk.name}p1")
    for load in jobs:
        load.finish()
    summary = tracer.stop()
    row = trace.one(summary["rows"])
    assert (row["process"]["pid"], row["ios"]) == (jobs[0].pid, 10)
    assert row["device"]["name"].startswith(disk.name)


def test_two_devices(loop_disk, doio, iolat):
    """Several --device are OR-ed, with --pid AND-ed."""
    a, b, c = loop_disk(), loop_disk(), loop_disk()
    mine = [doio("read", disk, count=10) for disk in (a, b, c)]
    other = doio("read", a, count=10)
    tracer = iolat("-d", a.name, "-d", b.name, "--pid", ",".join(str(m.pid) for m in mine))
    for load in (*mine, other):
        load.finish()
    summary = tracer.stop()
    assert {(r["device"]["name"], r["process"]["pid"], r["ios"]) for r in summary["rows"]} == {
        (a.name, mine[0].pid, 10), (b.name, mine[1].pid, 10)}


@pytest.mark.parametrize("scheduler", ["none", "mq-deadline"])
def test_the_kernels_own_count(loop_disk, ext4, doio, fio, iolat, scheduler):
    """coverage: what iolat saw of a disk is what the kernel counted, whatever was done to it."""
    disk = loop_disk(scheduler=scheduler, queue={"write_cache": "write back"})
    jobs = [doio("read", disk, count=20), doio("cached", disk, count=512), doio("fsync", disk, count=10),
            doio("dsync", disk, count=10), fio(disk, rw="randwrite", ioengine="libaio", iodepth=32, size="4m")]
    tracer = iolat("--device", disk.name)
    before = disk.stat()
    for job in jobs:
        job.finish()
    base.sh("blkdiscard", disk.path)
    base.sh("mkfs.ext4", "-q", "-F", disk.path)
    grown = disk.stat() - before
    base.wait_until("a quiet disk", lambda: not disk.in_flight())
    summary = tracer.stop()
    covered = trace.coverage(summary, disk)
    assert covered["kernel"] == covered["seen"] == grown.ios
    assert covered["scheduler"] == scheduler
    assert covered["nr_requests"] == int(disk.get("nr_requests"))
    assert covered["rotational"] is (disk.get("rotational") == "1")
    assert summary["coverage"]["map_full"] == 0


def test_every_row_is_in_the_kernels_count(loop_disk, doio, iolat):
    """Without a selection, the rows of a disk hold all that the kernel counted."""
    disk = loop_disk(queue={"write_cache": "write back"})
    load = doio("fsync", disk, count=10)
    tracer = iolat()
    load.finish()
    summary = tracer.stop()
    assert trace.total(trace.rows(summary, device=disk), "ios") == trace.coverage(summary, disk)["kernel"] == 20


def test_a_disk_that_is_not_accounted(loop_disk, doio, iolat):
    """With queue/iostats off the kernel counts nothing: iolat still does, and `kernel` is null, not 0."""
    disk = loop_disk(queue={"iostats": 0})
    load = doio("read", disk, count=10)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    assert trace.one(trace.rows(summary, device=disk))["ios"] == 10
    assert trace.coverage(summary, disk)["kernel"] is None
    assert trace.coverage(summary, disk)["seen"] == 10


def test_requests_in_flight_at_the_start(pausable_disk, doio, iolat):
    """The completion of a request that began before iolat is in no row; it is counted as unmatched."""
    disk = pausable_disk()
    disk.pause()
    early = doio("read", disk).go()
    base.wait_until("a request in flight", disk.in_flight)
    tracer = iolat("--device", disk.name)
    disk.resume()
    early.wait()
    late = doio("read", disk)
    late.finish()
    summary = tracer.stop()
    assert not trace.rows(summary, pid=early.pid)
    assert trace.one(trace.rows(summary, pid=late.pid))["ios"] == 1
    assert summary["coverage"]["unmatched"] >= 1  # other disks may have had some


def test_what_a_loop_device_passes_on(loop_disk, ext4, doio, iolat):
    """A loop device on a file: by device there are rows of it and of the disk below, the latter `via` it; without
    `device` the I/O counts once, where it entered."""
    below = loop_disk(size_mb=128)
    above = loop_disk(size_mb=16, on=ext4(below))
    load = doio("read", above, count=20)
    disks = ["-d", above.name, "-d", below.name]
    by_device, by_process = iolat("--by", "device,op"), iolat(*disks, "--pid", load.pid, "--by", "process,op")
    load.finish()
    row = trace.one(by_process.stop()["rows"])
    assert (row["process"]["pid"], row["ios"], row["bytes"]) == (load.pid, 20, 81920)
    summary = by_device.stop()
    top, copy = (trace.one(trace.rows(summary, device=d, op="read")) for d in (above, below))
    assert (top["ios"], top["via"]) == (20, None)
    assert (copy["ios"], copy["bytes"], copy["via"]) == (20, 81920, above.name)


def test_copies_do_not_count_twice(loop_disk, ext4, doio, iolat):
    """The same for the whole host: rows without `device` hold the I/O of the upper device and not its copies."""
    below = loop_disk(size_mb=128)
    above = loop_disk(size_mb=16, on=ext4(below))
    load = doio("read", above, count=20)
    tracer = iolat("-d", above.name, "-d", below.name, "--by", "op")
    load.finish()
    row = trace.one([r for r in tracer.stop()["rows"] if r["op"] == "read"])
    assert row["ios"] == 20


def test_a_disk_without_requests(zram_disk, fio, iolat):
    """I/O of a bio-based device counts as well; its latency has no parts."""
    zram = zram_disk()
    load = fio(zram, rw="randrw", size="4m")
    tracer = iolat("--pid", load.pid)
    done = load.finish()
    summary = tracer.stop()
    for op, ios, size in (("read", done.reads, done.read_bytes), ("write", done.writes, done.write_bytes)):
        row = trace.one(trace.rows(summary, device=zram, op=op))
        assert (row["ios"], row["bytes"]) == (ios, size)
        assert row["latency"]["total"]["count"] == ios
        assert row["latency"]["queue"] is None and row["latency"]["device"] is None
    assert trace.coverage(summary, zram)["seen"] == done.ios
