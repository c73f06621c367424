"""Findings on real loads: each where it belongs, and none where the numbers do not bear it out."""
import os
import pathlib

import pytest

from lib import base, cgroups, trace

MS = base.MS
TRAINER = base.TESTS / "lib" / "trainer.py"


def codes(summary):
    return [f["code"] for f in summary["findings"]]


# --- a PyTorch loader -------------------------------------------------------------------

def shard(point, files=60):
    folder = pathlib.Path(point) / "shard"
    folder.mkdir()
    for i in range(files):
        (folder / f"{i}.jpg").write_bytes(os.urandom(24 << 10))
    return folder


@pytest.fixture
def shards(slow_disk, loop_disk, ext4):
    """shards("slow", "fast", ...): a folder of files for each, on a disk of 20 ms or on a fast one."""
    points = {}

    def make(kind):
        if kind not in points:
            disk = slow_disk(read_ms=20) if kind == "slow" else loop_disk()
            folder = shard(ext4(disk))
            base.sh("sync", "-f", folder)
            pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
            points[kind] = disk, folder
        return points[kind]
    return lambda *kinds: [make(kind) for kind in kinds]


class Training:
    def __init__(self, held, state, folders, cpu_ms=0):
        done = base.sh(base.PYTHON, "-c", "import torch", check=False)
        base.need(not done.returncode, "python3-torch is not installed")
        self.state = state
        self.load = held(base.PYTHON, TRAINER, state, 20, cpu_ms, *folders)
        self.pid = self.load.pid

    def start(self):
        self.load.go()
        base.wait_until("the first batch", (self.state / "ready").exists, timeout=60)

    def worker(self, index):
        return int((self.state / str(index)).read_text())


def test_one_slow_shard(shards, held, folder, iolat):
    """Of four workers one reads from a slow disk: that one is named, by index, process and disk; nobody else is."""
    places = shards("fast", "fast", "slow", "fast")
    training = Training(held, folder(), [f for _, f in places])
    training.start()
    summary = iolat("--pid", training.pid, "-D", "4s").end()
    finding = trace.finding(summary, "worker-stuck")
    assert summary["findings"][0] == finding
    assert finding["evidence"]["pid"] == training.worker(2)
    assert finding["evidence"]["worker"] == 2
    assert f"worker 2, pid {training.worker(2)} " in finding["text"]
    assert places[2][0].name in finding["text"]
    assert finding["evidence"]["blocked_pct"] > 50
    assert not trace.findings(summary, "all-workers-io-bound") and not trace.findings(summary, "not-the-disk")
    slow = trace.task(summary, training.worker(2))
    assert slow["reasons"]["disk"] > 0.9 * slow["blocked_ns"]
    assert (slow["worker"]["index"], slow["worker"]["pid"]) == (2, training.worker(2))


def test_all_shards_slow(shards, held, folder, iolat):
    places = shards("slow", "slow", "slow", "slow")
    training = Training(held, folder(), [f for _, f in places])
    training.start()
    summary = iolat("--pid", training.pid, "-D", "4s").end()
    finding = trace.finding(summary, "all-workers-io-bound")
    assert finding["evidence"]["workers"] == 4
    assert not trace.findings(summary, "worker-stuck") and not trace.findings(summary, "not-the-disk")


def test_a_loader_that_computes(shards, held, folder, start_iolat):
    """A loader whose workers compute is not the disk's: said in the first frames, and nothing else is."""
    places = shards("slow", "fast")
    for _, files in places:  # into the cache
        for file in files.iterdir():
            file.read_bytes()
    training = Training(held, folder(), [files for _, files in places], cpu_ms=5)
    training.start()
    tracer = start_iolat("-f", "json", "--pid", training.pid, "-D", "3500ms")
    summary = tracer.end()
    assert codes(summary) == ["not-the-disk"], summary["findings"]
    assert all(codes(f) == ["not-the-disk"] for f in tracer.frames[:3])
    assert summary["findings"][0]["evidence"]["blocked_pct"] < 5


# --- causes -------------------------------------------------------------------------------

def test_held_back_by_a_cgroup(loop_disk, doio, cgroup, iolat):
    """blkio.throttle (v1): the waits are the limit's, the device is as fast as ever."""
    base.need(cgroups.io_on_v1(), "blkio is not a v1 tree here")
    disk, group = loop_disk(), cgroup("limited")
    group.set("blkio.throttle.read_iops_device", "{}:{} 20".format(*disk.number))
    load = doio("read", disk, count=60)
    group.add(load.pid)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    finding = trace.finding(summary, "cgroup-throttled")
    assert finding["subject"].endswith(group.name)
    task = trace.task(summary, load.pid)
    assert task["reasons"]["throttle"] > 1500 * MS, task
    assert task["reasons"]["throttle"] > 0.8 * task["blocked_ns"]
    for row in trace.rows(summary, device=disk):
        assert row["latency"]["device"]["p50_ns"] < 20 * MS
    assert not trace.findings(summary, "device-saturated") and not trace.findings(summary, "not-the-disk")


def test_commands_held_back_by_a_cgroup(loop_disk, held, cgroup, iolat):
    """A shell's commands, each over in moments, are held back all the same."""
    base.need(cgroups.io_on_v1(), "blkio is not a v1 tree here")
    disk, group = loop_disk(), cgroup("limited")
    group.set("blkio.throttle.read_iops_device", "{}:{} 20".format(*disk.number))
    load = held("sh", "-c", f"for i in $(seq 20); do dd if={disk.path} of=/dev/null bs=4k count=2 iflag=direct status=none; done")
    group.add(load.pid)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    finding = trace.finding(summary, "cgroup-throttled")
    assert finding["subject"].endswith(group.name) and "(dd)" in finding["text"]
    assert not trace.findings(summary, "not-the-disk") and not trace.findings(summary, "all-workers-io-bound")


def test_a_limit_out_of_reach(slow_disk, doio, cgroup, iolat):
    """A limit that is never reached explains nothing."""
    base.need(cgroups.io_on_v1(), "blkio is not a v1 tree here")
    disk, group = slow_disk(read_ms=20), cgroup("roomy")
    group.set("blkio.throttle.read_iops_device", "{}:{} 100000".format(*disk.number))
    load = doio("read", disk, count=30)
    group.add(load.pid)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    assert not trace.findings(summary, "cgroup-throttled")
    assert trace.task(summary, load.pid)["reasons"]["throttle"] < 0.05 * trace.task(summary, load.pid)["blocked_ns"]


def test_held_back_for_long(loop_disk, doio, cgroup, start_iolat):
    """A read that a limit holds back for seconds has no request yet; it is listed as inferred."""
    base.need(cgroups.io_on_v1(), "blkio is not a v1 tree here")
    disk, group = loop_disk(), cgroup("limited")
    group.set("blkio.throttle.read_bps_device", "{}:{} 65536".format(*disk.number))
    load = doio("read", disk, count=2, size=256 << 10)
    group.add(load.pid)
    tracer = start_iolat("-f", "json", "-i", "500ms", "--pid", load.pid)
    load.go()

    def inferred(objects):
        return [k for o in objects for k in o["stuck"] if k["inferred"]]
    tracer.wait_for_output(inferred)
    k = inferred(tracer.frames)[0]
    assert (k["stage"], k["op"], k["sector"], k["bytes"]) == ("before-request", "read", None, None)
    assert k["process"]["pid"] == load.pid and k["device"]["name"] == disk.name
    assert k["age_ns"] >= 1000 * MS
    tracer.stop()


def share_by_requests(summary, mine):
    """The other cgroup's part of the device's time, by the requests' own times."""
    times = {True: 0, False: 0}
    for row in summary["rows"]:
        latency = row["latency"]["device"]
        times[row["cgroup"]["path"].endswith(mine.name)] += latency["mean_ns"] * latency["count"]
    return 100 * times[False] / (times[True] + times[False])


def test_two_cgroups_on_one_disk(slow_disk, fio, cgroup, iolat):
    """The neighbour that keeps the disk busy is named, with the share that the requests themselves tell."""
    disk = slow_disk(read_ms=10)
    mine, other = cgroup("mine"), cgroup("etl")
    load = fio(disk, bs="16k", time_based=1, runtime="4s")
    noise = fio(disk, bs="64k", ioengine="libaio", iodepth=6, time_based=1, runtime="5s")
    mine.add(load.pid)
    other.add(noise.pid)
    tracer = iolat("--pid", load.pid)
    referee = iolat("--device", disk.name, "--by", "cgroup")
    noise.go()
    load.finish()
    summary, judged = tracer.stop(), referee.stop()
    noise.wait()
    finding = trace.finding(summary, "noisy-neighbour", on=disk)
    evidence = finding["evidence"]
    assert other.name in finding["subject"]
    assert abs(evidence["share_pct"] - share_by_requests(judged, mine)) < 10, (finding, share_by_requests(judged, mine))
    # The others' I/O is known for this only.
    assert all(r["process"]["pid"] == load.pid or r["process"]["comm"] == "fio" for r in summary["rows"])
    assert trace.total(trace.rows(summary, device=disk), "bytes") % (16 << 10) == 0
    assert not trace.findings(summary, "not-the-disk")


def test_alone_on_a_disk(slow_disk, fio, iolat):
    disk = slow_disk(read_ms=10)
    load = fio(disk, io_size="400k")
    tracer = iolat("--pid", load.pid, "--device", disk.name)
    load.finish()
    summary = tracer.stop()
    for code in ("noisy-neighbour", "cgroup-throttled", "io-errors", "device-saturated", "sync-stall", "hung-request",
                 "iops-ceiling", "swap", "writeback-stall", "unattributed"):
        assert not trace.findings(summary, code), summary["findings"]


def test_a_disk_at_its_limit(slow_disk, doio, iolat):
    disk = slow_disk(read_ms=20, queue={"nr_requests": 4})
    readers = [doio("read", disk, count=24, offset=i * base.MIB) for i in range(24)]  # so that they start long before they end
    tracer = iolat("--pid", ",".join(str(r.pid) for r in readers))
    for reader in readers:
        reader.go()
    for reader in readers:
        reader.wait()
    finding = trace.finding(tracer.stop(), "device-saturated", on=disk)
    assert finding["subject"] == f"device {disk.name}"
    assert finding["evidence"]["queue_pct"] > 50


def test_errors(error_disk, doio, iolat):
    disk = error_disk()
    load = doio("read", disk, count=10)
    tracer = iolat("--pid", load.pid)
    disk.fail(True)
    load.finish()
    disk.fail(False)
    finding = trace.finding(tracer.stop(), "io-errors")
    assert finding["subject"] == f"device {disk.name}"
    assert finding["evidence"]["errors"] == finding["evidence"]["ios"] == 10
    assert finding["evidence"]["errno"] == 5


def test_small_reads_here_and_there(slow_disk, fio, iolat):
    disk = slow_disk(read_ms=5)
    load = fio(disk, io_size="600k", size="48m")
    tracer = iolat("--pid", load.pid, "--device", disk.name)  # not what fio itself is read from
    load.finish()
    assert trace.finding(tracer.stop(), "small-random-reads")["evidence"]["random_pct"] > 90


def test_one_read_after_the_other(slow_disk, fio, iolat):
    disk = slow_disk(read_ms=5)
    load = fio(disk, rw="read", io_size="600k")
    tracer = iolat("--pid", load.pid, "--device", disk.name)
    load.finish()
    assert not trace.findings(tracer.stop(), "small-random-reads")


def test_writers_that_wait_for_writeback(slow_disk, ext4, fio, iolat):
    """Buffered writes faster than the disk takes them sleep until dirty pages have been written."""
    disk = slow_disk(write_ms=60, size_mb=400)
    point = ext4(disk)
    load = fio(point / "file", rw="write", direct=0, bs="1m", size="320m", filename=point / "file", time_based=1,
               runtime="8s")
    dirty = pathlib.Path("/proc/sys/vm/dirty_bytes")
    before = dirty.read_text()
    base.need(before == "0\n", "the limits of dirty memory are somebody's own here", ci=False)
    ratio = pathlib.Path("/proc/sys/vm/dirty_ratio").read_text()
    tracer = iolat("--pid", load.pid)
    try:
        dirty.write_text(f"{16 << 20}\n")
        load.finish()
    finally:
        pathlib.Path("/proc/sys/vm/dirty_ratio").write_text(ratio)
    summary = tracer.stop()
    assert trace.findings(summary, "writeback-stall"), summary["findings"]
    assert not trace.findings(summary, "not-the-disk")


# --- the exit status ------------------------------------------------------------------------

def test_fail_on(error_disk, doio, run_iolat, start_iolat, stack):
    disk = error_disk()
    disk.fail(True)
    load = doio("read", disk)
    tracer = start_iolat("-f", "json", "-i", "0", "--pid", load.pid, "--fail-on", "swap,io-errors")
    load.finish()
    tracer.end(rc=5)
    disk.fail(False)
    load = doio("read", disk)
    tracer = start_iolat("-f", "json", "-i", "0", "--pid", load.pid, "--fail-on", "swap,io-errors")
    load.finish()
    tracer.end(rc=0)


def test_fail_on_takes_codes_only(run_iolat):
    done = run_iolat("--fail-on", "io-errors,slow-disk", rc=2)
    assert "'slow-disk' is none of hung-request, " in done.stderr


def test_fail_on_and_command(run_iolat):
    """COMMAND's own failure is the status; where it has none, the finding is."""
    run_iolat("-i", "0", "--fail-on", "not-the-disk", "--", "sleep", "0.5", rc=5)
    run_iolat("-i", "0", "--fail-on", "not-the-disk", "--", "sh", "-c", "sleep 0.5; exit 7", rc=7)
