"""The counts are exact: each request of a process once, with all of its bytes, whichever way it was submitted."""
import os
import pathlib

import pytest

from lib import base, churn, disks, trace

ENGINES = {
    "psync": dict(ioengine="psync"),
    "libaio": dict(ioengine="libaio", iodepth=16),
    "io_uring": dict(ioengine="io_uring", iodepth=16),
    "sqpoll": dict(ioengine="io_uring", iodepth=16, sqthread_poll=1),
}


def need_engine(name):
    if name in ("io_uring", "sqpoll"):
        disabled = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
        base.need(not disabled.exists() or disabled.read_text().strip() == "0", "io_uring is switched off")


@pytest.mark.parametrize("scheduler", ["none", "mq-deadline", "bfq", "kyber"])
@pytest.mark.parametrize("engine", ENGINES)
def test_fio_count(loop_disk, fio, iolat, engine, scheduler):
    """fio's own count and bytes of reads and writes, in rows of fio's processes, under every engine and scheduler."""
    need_engine(engine)
    disk = loop_disk(scheduler=scheduler)
    load = fio(disk, rw="randrw", size="8m", **ENGINES[engine])
    tracer = iolat("--pid", load.pid)
    done = load.finish()
    summary = tracer.stop()
    for op, ios, size in (("read", done.reads, done.read_bytes), ("write", done.writes, done.write_bytes)):
        rows = trace.rows(summary, device=disk, op=op)
        assert trace.total(rows, "ios") + trace.total(rows, "merged") == ios > 0
        assert trace.total(rows, "bytes") == size
        assert {r["process"]["comm"] for r in rows} == {"fio"}
        assert {r["owner_from"] for r in rows} == {"task"}


@pytest.mark.parametrize("engine", ["psync", "sqpoll"])
def test_threads_of_a_process(loop_disk, fio, iolat, engine):
    """By thread, each of four threads has its own row, under the process id of the whole."""
    need_engine(engine)
    disk = loop_disk()
    load = fio(disk, thread=None, numjobs=4, size="1m", **ENGINES[engine])
    tracer = iolat("--pid", load.pid, "--by", "process,thread,device")
    done = load.finish()
    rows = trace.rows(tracer.stop(), device=disk)
    assert {r["process"]["pid"] for r in rows} == {load.pid}
    tids = {r["thread"]["tid"] for r in rows}
    assert len(tids) == len(rows) == 4 and load.pid not in tids
    assert [r["ios"] + r["merged"] for r in rows] == [256] * 4 and done.ios == 1024


def test_io_uring_workers_belong_to_their_process(loop_disk, fio, iolat):
    """Requests that io_uring's kernel-side worker threads submit are the process's."""
    need_engine("io_uring")
    disk = loop_disk()
    load = fio(disk, ioengine="io_uring", iodepth=8, force_async=1, size="2m")
    tracer = iolat("--pid", load.pid, "--by", "process,thread,device")
    done = load.finish()
    rows = trace.rows(tracer.stop(), device=disk)
    assert trace.total(rows, "ios") == done.ios == 512
    assert len({r["process"]["pid"] for r in rows}) == 1
    assert any(r["thread"]["comm"].startswith("iou-wrk") for r in rows)


@pytest.mark.parametrize("how", ["cached", "mmap"])
def test_reads_through_the_page_cache(loop_disk, doio, iolat, how):
    """Buffered reads and faults on a mapping: what the kernel counts on the disk, all of it the process's."""
    disk = loop_disk()
    disk.drop_cache()
    load = doio(how, disk, count=1024)
    tracer = iolat("--pid", load.pid)
    before = disk.stat()
    load.finish()
    grown = disk.stat() - before
    row = trace.one(trace.rows(tracer.stop(), pid=load.pid, device=disk))
    assert row["op"] == "read"
    assert (row["ios"], row["bytes"]) == (grown.reads, grown.read_bytes)
    assert row["bytes"] >= 4 * base.MIB


@pytest.mark.parametrize("how", ["cached", "mmap"])
def test_reads_of_a_file_through_the_page_cache(loop_disk, ext4, doio, iolat, how):
    """The same in a file system."""
    disk = loop_disk()
    file = ext4(disk) / "file"
    with open(file, "wb") as f:
        f.write(bytes(4 * base.MIB))
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    load = doio(how, file, count=1024)
    tracer = iolat("--pid", load.pid, "--op", "read")
    before = disk.stat()
    load.finish()
    grown = disk.stat() - before
    row = trace.one(trace.rows(tracer.stop(), pid=load.pid, device=disk))
    assert (row["ios"], row["bytes"]) == (grown.reads, grown.read_bytes)
    assert row["bytes"] >= 4 * base.MIB


def test_large_reads_that_the_kernel_splits(loop_disk, fio, iolat):
    """1 MiB reads on a disk that takes 128 KiB: each piece counts, and each is the process's."""
    disk = loop_disk(queue={"max_sectors_kb": 128})
    load = fio(disk, rw="read", bs="1m", size="16m")
    tracer = iolat("--pid", load.pid)
    before = disk.stat()
    load.finish()
    grown = disk.stat() - before
    summary = tracer.stop()
    row = trace.one(trace.rows(summary, device=disk))
    assert row["ios"] == grown.reads == 128
    assert row["bytes"] == grown.read_bytes == 16 * base.MIB
    assert row["owner_from"] == "task" and summary["coverage"]["unowned"] == 0
    assert row["size"] == {"min_bytes": 131072, "mean_bytes": 131072, "max_bytes": 131072}


def test_neighbours_that_the_kernel_merges(loop_disk, fio, held, iolat):
    """Sequential 4 KiB writes handed over 32 at a time become one request: the bytes are all there, and `merged`
    says how many writes the requests hold besides their first."""
    disk = loop_disk()
    load = fio(disk, ioengine="libaio", rw="write", size="4m", iodepth=32, iodepth_batch_submit=32,
               iodepth_batch_complete_min=32)
    tracer = iolat("--pid", f"{load.pid},{held('true').pid}")  # one that stays
    before = disk.stat()
    done = load.finish()
    grown = disk.stat() - before
    left = churn.left_in_maps(tracer.pid)
    row = trace.one(trace.rows(tracer.stop(), device=disk))
    assert (row["ios"], row["merged"]) == (grown.writes, grown.write_merges)
    assert row["merged"] > 0 and row["ios"] + row["merged"] == done.writes
    assert row["bytes"] == done.write_bytes
    assert left == 0


def test_merged_requests_of_two_processes(pausable_disk, held, doio, iolat):
    """A read of one process that the scheduler merges into another's request: the I/O is the first one's, the bytes are
    each one's own. (mq-deadline holds requests back while one of a higher class is in flight: ionice's.)"""
    disk = pausable_disk(scheduler="mq-deadline")
    ahead = held("ionice", "-c1", *doio("read", disk, offset=32 * base.MIB).argv)
    first, second = doio("read", disk), doio("read", disk, offset=4096)
    tracer = iolat("--pid", f"{first.pid},{second.pid},{held('true').pid}")  # one that stays
    before = disk.stat()
    disk.pause()
    ahead.go()
    base.wait_until("the first request in flight", disk.in_flight)
    first.go()
    base.wait_until("the first read asleep", lambda: base.asleep(first.pid))
    second.go()
    base.wait_until("a merge", lambda: (disk.stat() - before).read_merges)
    disk.resume()
    for load in (ahead, first, second):
        load.wait()
    left = churn.left_in_maps(tracer.pid)
    summary = tracer.stop()
    a, b = (trace.one(trace.rows(summary, pid=p.pid, device=disk)) for p in (first, second))
    assert (a["ios"], a["bytes"], a["merged"]) == (1, 4096, 1)
    assert (b["ios"], b["bytes"], b["merged"]) == (0, 4096, 0)
    assert b["latency"]["total"] is None
    assert left == 0


def test_two_at_once(loop_disk, fio, iolat):
    """Two iolats that watch the same disk do not take anything from each other."""
    disk = loop_disk()
    load = fio(disk, size="4m")
    tracers = [iolat("--pid", load.pid), iolat("--device", disk.name)]
    done = load.finish()
    for tracer in tracers:
        rows = trace.rows(tracer.stop(), device=disk)
        assert trace.total(rows, "ios") == done.ios == 1024


def test_frames_add_up_to_the_summary(slow_disk, fio, start_iolat):
    """Each request is in one frame, and the summary is their sum."""
    disk = slow_disk(read_ms=20)
    load = fio(disk, io_size="200k")
    tracer = start_iolat("-f", "json", "-i", "100ms", "--pid", load.pid)
    done = load.finish()
    tracer.stop()
    assert len([f for f in tracer.frames if trace.rows(f, device=disk)]) > 3
    in_frames = sum(trace.total(trace.rows(f, device=disk), "ios") for f in tracer.frames)
    assert in_frames == trace.total(trace.rows(tracer.summary, device=disk), "ios") == done.ios == 50


def test_ends_in_the_middle_of_a_rush(loop_disk, fio, iolat):
    """What ends while the hooks go one by one is not taken for what began before the run."""
    disk = loop_disk()
    load = fio(disk, ioengine="libaio", iodepth=32, time_based=1, runtime=60, thread=1)
    tracer = iolat("--pid", load.pid)
    before = disk.stat().reads
    load.go()
    base.wait_until("a rush", lambda: disk.stat().reads > before + 5000)
    summary = tracer.stop()
    assert trace.total(trace.rows(summary, device=disk), "ios") > 1000
    assert summary["coverage"]["unmatched"] < 20  # other disks may have had some at the start


def test_a_duration_is_cut_into_whole_frames(slow_disk, doio, start_iolat):
    """The last of them ends with the run; none is left over. Nobody waited longer than the run lasted."""
    disk = slow_disk(read_ms=20)
    load = doio("read", disk, count=10000)
    tracer = start_iolat("-f", "json", "-i", "400ms", "-D", "1200ms", "--pid", load.pid)
    load.go()
    tracer.end()
    assert len(tracer.frames) == 3
    assert all(t["wall_ns"] <= tracer.summary["duration_ns"] for t in tracer.summary["tasks"])


def test_on_the_disk_that_holds_this_folder(stack, folder, fio, iolat):
    """Not only on loop devices: a file on a real disk, whose completions are interrupts."""
    device = os.stat(base.BUILD).st_dev
    disk = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    base.need((disk / "mq").exists(), "build/ is not on a disk of its own", ci=False)
    file = base.BUILD / f"{folder().parent.name}.data"
    stack.callback(file.unlink)
    disks.fill(file, 1)
    load = fio(file, size="512k")
    tracer = iolat("--pid", load.pid, "--op", "read", "--device", disk.resolve().name, "--by", "file")
    done = load.finish()
    # Its program may have to be read, too.
    row = trace.one([r for r in tracer.end()["rows"] if (r["file"] or {}).get("path") == str(file)])
    assert (row["ios"], row["bytes"]) == (done.reads, done.read_bytes) == (128, 512 << 10)
