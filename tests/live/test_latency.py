"""Latencies: what a disk takes, what a queue takes, and that both add up."""
import pytest

from lib import base, trace

MS = base.MS


def test_a_slow_disk(slow_disk, fio, iolat):
    """20 ms in the disk are 20 ms of device time; the queue has next to none."""
    disk = slow_disk(read_ms=20)
    load = fio(disk, io_size="80k")
    tracer = iolat("--pid", load.pid)
    done = load.finish()
    latency = trace.one(trace.rows(tracer.stop(), device=disk))["latency"]
    assert latency["device"]["count"] == 20
    assert 20 * MS <= latency["device"]["min_ns"]
    assert 20 * MS <= latency["device"]["p50_ns"] < 60 * MS
    assert latency["queue"]["p50_ns"] < 5 * MS
    # fio measures the same and its own way into the kernel and back.
    p50 = latency["total"]["p50_ns"]
    assert p50 * (1 - 1 / 32) <= done.clat_p50_ns * (1 + 1 / 32)
    assert done.clat_p50_ns < p50 * (1 + 1 / 32) + 20 * MS


def test_reads_and_writes_have_their_own_latency(slow_disk, fio, iolat):
    disk = slow_disk(read_ms=5, write_ms=30)
    load = fio(disk, rw="randrw", io_size="120k")
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    read, write = (trace.one(trace.rows(summary, device=disk, op=op))["latency"]["device"] for op in ("read", "write"))
    assert 5 * MS <= read["min_ns"] and read["p50_ns"] < 25 * MS
    assert 30 * MS <= write["min_ns"] and write["p50_ns"] < 90 * MS


@pytest.mark.parametrize("engine", ["libaio", "io_uring"])
def test_waiting_for_a_place_in_the_queue(slow_disk, fio, iolat, engine):
    """64 at a time on a disk that takes 4: the wait is in `queue`, also the part before there is a request."""
    disk = slow_disk(read_ms=20, queue={"nr_requests": 4})
    load = fio(disk, ioengine=engine, iodepth=64, io_size="400k")
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    assert summary["submission"] == "bio"
    row = trace.one([r for r in trace.rows(summary, device=disk) if r["ios"]])
    assert row["ios"] == 100
    latency = row["latency"]
    if engine == "libaio":  # sleeps in io_submit for each place
        assert latency["queue"]["max_ns"] >= 15 * MS
    assert latency["device"]["min_ns"] >= 20 * MS
    assert latency["total"]["max_ns"] >= latency["device"]["max_ns"]


def test_waiting_behind_other_readers(slow_disk, fio, iolat):
    """24 readers, one request each at a time, on a disk that takes 4: most of what each waits is the queue's."""
    disk = slow_disk(read_ms=20, queue={"nr_requests": 4})
    load = fio(disk, thread=None, numjobs=24, io_size="80k")  # long enough that all of them are there most of the time
    tracer = iolat("--pid", load.pid)
    load.finish()
    row = trace.one(trace.rows(tracer.stop(), device=disk))
    assert row["ios"] == 24 * 20
    assert row["latency"]["queue"]["p50_ns"] > row["latency"]["device"]["p50_ns"] >= 20 * MS


def test_waiting_in_the_scheduler(slow_disk, held, doio, iolat):
    """A request that mq-deadline holds back (one of a higher class is in flight) waits in `queue`."""
    disk = slow_disk(read_ms=300, scheduler="mq-deadline")
    ahead = held("ionice", "-c1", *doio("read", disk, offset=32 * base.MIB).argv)
    behind = doio("read", disk)
    tracer = iolat("--pid", f"{ahead.pid},{behind.pid}")
    ahead.go()
    base.wait_until("a request in flight", disk.in_flight)
    behind.go()
    ahead.wait()
    behind.wait()
    summary = tracer.stop()
    first, second = (trace.one(trace.rows(summary, pid=p.pid, device=disk))["latency"] for p in (ahead, behind))
    assert first["queue"]["max_ns"] < 50 * MS
    assert second["queue"]["min_ns"] > first["queue"]["max_ns"]
    assert second["total"]["min_ns"] >= second["device"]["min_ns"] >= 300 * MS


def test_min_latency(slow_disk, fio, iolat):
    """--min-latency keeps the slow requests only, and all of them."""
    disk = slow_disk(read_ms=20)
    load = fio(disk, rw="randrw", io_size="120k")
    tracer = iolat("--pid", load.pid, "--min-latency", "20ms", "--device", disk.name)
    done = load.finish()
    summary = tracer.stop()
    rows = trace.rows(summary, device=disk)
    assert all(r["latency"]["total"]["min_ns"] >= 20 * MS for r in rows)
    assert trace.total([r for r in rows if r["op"] == "read"], "ios") == done.reads > 0
    assert trace.total([r for r in rows if r["op"] == "write"], "ios") < done.writes
    assert summary["coverage"]["requests"] == trace.total(rows, "ios")
    assert trace.coverage(summary, disk)["seen"] == done.ios


def test_random_and_sequential_reads(loop_disk, fio, iolat):
    """random_pct tells jumps from one request following the other."""
    for rw, low, high in (("read", 0, 1), ("randread", 95, 100)):
        disk = loop_disk()
        load = fio(disk, rw=rw, size="64m", io_size="2m")
        tracer = iolat("--pid", load.pid)
        load.finish()
        row = trace.one(trace.rows(tracer.stop(), device=disk))
        assert low <= row["random_pct"] <= high, rw
