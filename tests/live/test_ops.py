"""Operations: reads, writes, flushes, discards, zeroing, and those that fail."""
import pytest

from lib import base, trace


def rows_of(load, tracer, disk):
    load.finish()
    return {r["op"]: r for r in trace.rows(tracer.stop(), pid=load.pid, device=disk)}


def test_fsync(loop_disk, doio, iolat):
    """Each fsync that has to flush the disk's cache is a flush of the process that called it; all of its time is queue
    time, and it has no bytes."""
    disk = loop_disk(queue={"write_cache": "write back"})
    load = doio("fsync", disk, count=10)
    rows = rows_of(load, iolat("--pid", load.pid), disk)
    assert rows.keys() == {"write", "flush"}
    assert (rows["write"]["ios"], rows["write"]["bytes"]) == (10, 40960)
    flush = rows["flush"]
    assert (flush["ios"], flush["bytes"], flush["owner_from"]) == (10, 0, "task")
    assert flush["latency"]["device"] is None
    assert flush["latency"]["queue"] == flush["latency"]["total"]


def test_fsync_waits_for_the_disk(slow_disk, doio, iolat):
    """A flush takes as long as the disk makes the caller wait: here behind a slow write."""
    disk = slow_disk(write_ms=20)
    load = doio("fsync", disk, count=5)
    rows = rows_of(load, iolat("--pid", load.pid), disk)
    assert rows["write"]["latency"]["device"]["p50_ns"] >= 20 * base.MS
    assert rows["flush"]["ios"] == 5


def test_fsync_in_a_file_system(loop_disk, ext4, doio, iolat):
    """An fdatasync of overwritten data is one flush of the caller."""
    disk = loop_disk(queue={"write_cache": "write back"})
    file = ext4(disk) / "file"
    file.write_bytes(bytes(base.MIB))
    base.sh("sync", "-f", file)
    load = doio("overwrite", file, count=10)
    rows = rows_of(load, iolat("--pid", load.pid), disk)
    assert rows["flush"]["ios"] == 10
    assert (rows["write"]["ios"], rows["write"]["bytes"]) == (10, 40960)


def test_no_flush_without_a_cache(loop_disk, doio, iolat):
    """A disk without a volatile cache is never flushed."""
    disk = loop_disk(queue={"write_cache": "write through"})
    load = doio("fsync", disk, count=10)
    rows = rows_of(load, iolat("--pid", load.pid), disk)
    assert rows.keys() == {"write"} and rows["write"]["ios"] == 10


def test_dsync(loop_disk, doio, iolat):
    """An O_DSYNC write completes twice, its data and then its flush: it counts once, with its bytes once."""
    disk = loop_disk(queue={"write_cache": "write back"})
    load = doio("dsync", disk, count=10)
    rows = rows_of(load, iolat("--pid", load.pid), disk)
    assert (rows["write"]["ios"], rows["write"]["bytes"]) == (10, 40960)
    assert rows.keys() <= {"write", "flush"}


def test_discard(loop_disk, held, iolat):
    """blkdiscard is a discard of all its bytes."""
    disk = loop_disk()
    load = held("blkdiscard", disk.path)
    tracer = iolat("--pid", load.pid)
    before = disk.stat()
    rows = rows_of(load, tracer, disk)
    grown = disk.stat() - before
    assert (rows["discard"]["ios"], rows["discard"]["bytes"]) == (grown.discards, 64 * base.MIB)


def test_zeroing(loop_disk, ext4, held, iolat):
    """blkdiscard -z zeroes without data: op other, with its length as bytes."""
    disk = loop_disk(size_mb=16, on=ext4(loop_disk(size_mb=128)))
    load = held("blkdiscard", "-z", disk.path)
    rows = rows_of(load, iolat("--pid", load.pid), disk)
    assert (rows["other"]["ios"], rows["other"]["bytes"], rows["other"]["errors"]) == (1, 16 * base.MIB, 0)


def test_errors(error_disk, doio, iolat):
    """Requests that the disk fails count as I/Os and as errors; those that it does not fail, do not."""
    disk = error_disk()
    good, bad = doio("read", disk, count=3), doio("read", disk, count=5)
    tracer = iolat("--pid", f"{good.pid},{bad.pid}")
    good.finish()
    disk.fail(True)
    bad.finish()
    disk.fail(False)
    summary = tracer.stop()
    a, b = (trace.one(trace.rows(summary, pid=p.pid, device=disk)) for p in (good, bad))
    assert (a["ios"], a["errors"]) == (3, 0)
    assert (b["ios"], b["errors"]) == (5, 5)


@pytest.mark.parametrize("ops", ["read", "write", "flush", "read,flush"])
def test_op(loop_disk, doio, iolat, ops):
    """--op keeps those operations only."""
    disk = loop_disk(queue={"write_cache": "write back"})
    read, write = doio("read", disk, count=10), doio("fsync", disk, count=20)
    tracer = iolat("--pid", f"{read.pid},{write.pid}", "--op", ops, "--device", disk.name)
    read.finish()
    write.finish()
    summary = tracer.stop()
    expected = {"read": 10, "write": 20, "flush": 20}
    found = {r["op"]: r["ios"] for r in trace.rows(summary, device=disk)}
    assert found == {op: expected[op] for op in ops.split(",")}
    assert summary["coverage"]["requests"] == sum(found.values())
