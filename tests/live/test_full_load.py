"""Exact under any load: what finds no room in a ring is counted in the kernel, what finds none in a table of slots is
kept elsewhere, and the sums are the load's own.

While another tracer on this machine attaches or detaches, the kernel may skip an event; iolat says so, and no more than
that may be missing.
"""
import signal
import time

import pytest

from lib import base, trace

# What a user can make small, and what only a test can.
SMALL = {
    "ring": (["--buffer-size", "64K"], {}),
    "ring-and-slots": (["--buffer-size", "64K"], {"IOLAT_SLOTS": "2"}),
    "slots": ([], {"IOLAT_SLOTS": "2"}),
    "rings": (["--buffer-size", "128K"], {"IOLAT_RINGS": "2", "IOLAT_SLOTS": "2"}),
    "btf": (["--buffer-size", "64K"], {"IOLAT_VARIANT": "btf"}),
    "raw": (["--buffer-size", "64K"], {"IOLAT_VARIANT": "raw"}),
    "nothing-sent": ([], {"IOLAT_AGGREGATE": "1"}),
}
FULL_SPEED = dict(ioengine="io_uring", iodepth=32, thread=None)


def check_counted(summary, rows, ios, size=None):
    """All of the load, but for what the kernel skipped and iolat says."""
    coverage = summary["coverage"]
    skipped = coverage["lost"] + coverage["unmatched"]
    assert coverage["map_full"] == 0 and not coverage["missed"]
    assert 0 <= ios - trace.total(rows, "ios") <= skipped
    if size is not None:
        assert 0 <= size - trace.total(rows, "bytes") <= skipped * 4096
    for row in rows:
        for part in ("total", "queue", "device"):
            assert row["latency"][part]["count"] == row["ios"], part


def stand_still(tracer, stack):
    """Until SIGCONT, or the end of the test."""
    tracer.send(signal.SIGSTOP)
    stack.callback(tracer.proc.send_signal, signal.SIGCONT)


@pytest.mark.parametrize("how", SMALL)
def test_every_request_counts(loop_disk, fio, start_iolat, how):
    """Two processes at full speed, each with its own sum, whatever is small."""
    args, env = SMALL[how]
    disk = loop_disk()
    all_of_them = [fio(disk, size="64m", io_size="128m", **FULL_SPEED) for _ in range(2)]
    tracer = start_iolat("-f", "json", "-i", "200ms", *args, "--device", disk.name, env=base.clean_env(**env))
    for load in all_of_them:
        load.go()
    done = [load.finish() for load in all_of_them]
    summary = tracer.stop()
    for load, result in zip(all_of_them, done):
        check_counted(summary, trace.rows(summary, pid=load.pid, device=disk), result.ios, result.bytes)
    if how == "nothing-sent":
        assert summary["coverage"]["aggregated"] == summary["coverage"]["requests"]
    in_frames = sum(trace.total(trace.rows(f, device=disk), "ios") for f in tracer.frames)
    assert in_frames == trace.total(trace.rows(summary, device=disk), "ios")


def test_a_reader_that_stands_still(loop_disk, fio, start_iolat, stack):
    """iolat is stopped for 5 s at full load: the kernel counts meanwhile, by process."""
    disk = loop_disk()
    load = fio(disk, size="64m", time_based=1, runtime=6, **FULL_SPEED)
    tracer = start_iolat("-f", "json", "--buffer-size", "64K", "--pid", load.pid)
    load.go()
    base.wait_until("the load", lambda: disk.stat().reads > 1000)
    stand_still(tracer, stack)
    time.sleep(5)
    tracer.send(signal.SIGCONT)
    done = load.finish()
    tracer.end()
    summary = tracer.summary
    assert summary["coverage"]["aggregated"] > 0
    check_counted(summary, trace.rows(summary, pid=load.pid, device=disk), done.ios, done.bytes)
    assert trace.coverage(summary, disk)["seen"] <= trace.coverage(summary, disk)["kernel"]


def percentiles(latency):
    return [latency[k] for k in ("min_ns", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns")]


def test_histograms_of_the_kernel(slow_disk, fio, start_iolat):
    """The same requests sent one by one and counted in the kernel: the latencies agree within a bucket."""
    disk = slow_disk(read_ms=5)
    load = fio(disk, ioengine="libaio", iodepth=4, size="1m")
    settings = ("-f", "json", "-i", "0", "--pid", load.pid)
    one_by_one = start_iolat(*settings)
    in_kernel = start_iolat(*settings, env=base.clean_env(IOLAT_AGGREGATE="1"))
    done = load.finish()
    summaries = [tracer.stop() for tracer in (one_by_one, in_kernel)]
    assert [s["coverage"]["aggregated"] for s in summaries] == [0, summaries[1]["coverage"]["requests"]]
    a, b = (trace.one(trace.rows(s, device=disk)) for s in summaries)
    assert a["ios"] == b["ios"] == done.ios == 256
    assert a["bytes"] == b["bytes"]
    for part in ("total", "device"):
        for x, y in zip(percentiles(a["latency"][part]), percentiles(b["latency"][part])):
            assert abs(x - y) <= x / 16, f"{part}: {a['latency'][part]} {b['latency'][part]}"
    assert b["size"]["min_bytes"] is None and b["random_pct"] is None


def test_threads_are_not_told_apart_there(loop_disk, fio, iolat, start_iolat):
    """By thread, what the kernel counted is the process's and nobody's in particular."""
    disk = loop_disk()
    load = fio(disk, thread=None, numjobs=3, size="1m")
    tracer = start_iolat("-f", "json", "-i", "0", "--by", "process,thread,device", "--pid", load.pid,
                         env=base.clean_env(IOLAT_AGGREGATE="1"))
    done = load.finish()
    row = trace.one(trace.rows(tracer.stop(), device=disk))
    assert (row["ios"], row["process"]["pid"]) == (done.ios, load.pid)
    assert row["thread"] is None and row["via"] == "aggregated"


def test_operations_there(loop_disk, doio, start_iolat):
    """Flushes have no device part there either."""
    disk = loop_disk(queue={"write_cache": "write back"})
    load = doio("fsync", disk, count=10)
    tracer = start_iolat("-f", "json", "-i", "0", "--pid", load.pid, env=base.clean_env(IOLAT_AGGREGATE="1"))
    load.finish()
    rows = {r["op"]: r for r in trace.rows(tracer.stop(), pid=load.pid, device=disk)}
    assert (rows["write"]["ios"], rows["write"]["bytes"]) == (10, 40960)
    assert (rows["flush"]["ios"], rows["flush"]["bytes"]) == (10, 0)
    assert rows["flush"]["latency"]["device"] is None
    assert rows["flush"]["latency"]["queue"]["count"] == 10


def test_a_recording_of_them(loop_disk, fio, start_iolat, run_iolat, folder):
    """What the kernel counted is in a recording, too."""
    disk, file = loop_disk(), folder() / "run.iolat"
    load = fio(disk, size="4m")
    recorder = start_iolat("record", "-o", file, "--pid", load.pid, env=base.clean_env(IOLAT_AGGREGATE="1"))
    done = load.finish()
    recorder.send(signal.SIGINT)
    assert recorder.wait() == 0, recorder.stderr
    summary = trace.objects(run_iolat("report", file, "-f", "json", "-i", "0", rc=0).stdout)[-1]
    row = trace.one(trace.rows(summary, device=disk))
    assert row["ios"] == row["latency"]["total"]["count"] == done.ios
    assert summary["coverage"]["aggregated"] == summary["coverage"]["requests"] >= done.ios


def test_errors_there(error_disk, doio, start_iolat):
    disk = error_disk()
    disk.fail(True)
    load = doio("read", disk, count=5)
    tracer = start_iolat("-f", "json", "-i", "0", "--pid", load.pid, env=base.clean_env(IOLAT_AGGREGATE="1"))
    load.finish()
    row = trace.one(trace.rows(tracer.stop(), pid=load.pid, device=disk))
    assert row["ios"] == row["errors"] == 5


def test_more_owners_than_there_is_room_for(loop_disk, doio, start_iolat, stack):
    """The owners that came first keep their rows, the rest is in one row `other`, and nothing is missing."""
    disk = loop_disk()
    load = doio("read", disk, processes=300)
    tracer = start_iolat("-f", "json", "-i", "0", "--pid", load.pid, "--device", disk.name, env=base.clean_env(IOLAT_AGGREGATE="1"))
    stand_still(tracer, stack)
    before = disk.stat()
    assert '"failed": 0' in load.finish()
    base.wait_until("the kernel's own count", lambda: (disk.stat() - before).reads == 300)
    tracer.send(signal.SIGCONT)
    summary = tracer.stop()
    other = trace.one([r for r in summary["rows"] if r["via"] == "other"])
    named = [r for r in summary["rows"] if r["process"]]
    assert other["process"] is None and other["device"] is None
    assert 200 < len(named) < 256 and all(r["ios"] == 1 for r in named)
    check_counted(summary, summary["rows"], 300)
    assert trace.coverage(summary, disk)["seen"] == trace.coverage(summary, disk)["kernel"]
