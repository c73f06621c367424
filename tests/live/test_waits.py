"""Who waits: the time that tasks are blocked, for what, and that it is the right time."""
import contextlib
import pathlib

import pytest

from lib import base, taskstats, trace

MS = base.MS
READS = 25


def blocked(summary, pid, reason):
    """The time of the process's threads together that is the reason's."""
    return sum(t["reasons"][reason] for t in summary["tasks"] if t["process"]["pid"] == pid)


def mostly(summary, pid, reason, least_ms):
    """The process waited at least that long, and next to nothing of its waits was for another reason."""
    ns = {r: blocked(summary, pid, r) for r in ("disk", "page_fault", "other", "throttle", "fuse", "network_fs")}
    assert ns[reason] >= least_ms * MS, ns
    assert ns[reason] >= 0.9 * sum(ns.values()), ns


# --- each way of waiting ---------------------------------------------------------------

def test_direct_reads(slow_disk, doio, iolat):
    """The wait is as long as the requests took."""
    disk = slow_disk(read_ms=20)
    load = doio("read", disk, count=READS)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    mostly(summary, load.pid, "disk", READS * 20)
    row = trace.one(trace.rows(summary, pid=load.pid, device=disk))
    waited = READS * row["latency"]["total"]["mean_ns"]
    assert abs(blocked(summary, load.pid, "disk") - waited) < 0.1 * waited


def test_buffered_reads(slow_disk, doio, iolat):
    disk = slow_disk(read_ms=20)
    load = doio("cached", disk, count=10, size=256 << 10)
    tracer = iolat("--pid", load.pid)
    load.finish()
    mostly(tracer.stop(), load.pid, "disk", 20)


def test_faults_on_a_mapping(slow_disk, doio, iolat):
    disk = slow_disk(read_ms=20, queue={"read_ahead_kb": 128})
    load = doio("mmap", disk, count=10, size=1 << 20)
    tracer = iolat("--pid", load.pid)
    load.finish()
    mostly(tracer.stop(), load.pid, "page_fault", 10 * 20)


def test_a_fault_inside_a_call(slow_disk, held, iolat):
    """write(2) from a mapped file waits for a page fault, too."""
    disk = slow_disk(read_ms=20, queue={"read_ahead_kb": 128})
    script = ("import mmap, os, sys; fd = os.open(sys.argv[1], os.O_RDONLY); m = mmap.mmap(fd, 16 << 20, prot=1); "
              "out = os.memfd_create('x'); "
              "[os.write(out, memoryview(m)[i << 20:(i << 20) + 4096]) for i in range(10)]")
    load = held(base.PYTHON, "-c", script, disk.path)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    assert blocked(summary, load.pid, "page_fault") >= 8 * 20 * MS, summary["tasks"]


@pytest.mark.parametrize("engine", ["libaio", "io_uring"])
def test_asynchronous_reads(slow_disk, fio, iolat, engine):
    """io_getevents sleeps like any wait for a message, io_uring_enter nearly so."""
    disk = slow_disk(read_ms=20)
    load = fio(disk, ioengine=engine, iodepth=2, io_size="200k", thread=1)
    tracer = iolat("--pid", load.pid)
    load.finish()
    mostly(tracer.stop(), load.pid, "disk", 25 * 20 * 0.8)


def test_waiting_for_other_messages_is_no_io(held, iolat):
    """A process that waits for a pipe, for its child (vfork) or for time is not blocked on I/O."""
    script = "import subprocess, time; [subprocess.run(['/bin/sleep', '0.1']) for i in range(5)]; time.sleep(0.5)"
    load = held(base.PYTHON, "-c", script)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    assert trace.task(summary, load.pid)["blocked_ns"] < 300 * MS
    assert trace.task(summary, load.pid)["wall_ns"] > 1000 * MS


def test_fsync_waits_for_the_journal(slow_disk, ext4, doio, iolat):
    """An fsync on ext4 sleeps for its journal's commit, which the kernel does not count as I/O: it is the disk's
    all the same, and a finding."""
    disk = slow_disk(write_ms=20)
    point = ext4(disk)
    file = point / "log"
    file.write_bytes(bytes(4096))
    load = doio("overwrite", file, count=10)
    append = doio("appendsync", file, count=10)
    tracer = iolat("--pid", f"{load.pid},{append.pid}")
    load.finish()
    append.finish()
    summary = tracer.stop()
    mostly(summary, append.pid, "disk", 10 * 20)
    finding = trace.finding(summary, "sync-stall")
    assert finding["evidence"]["wait_pct"] > 20
    assert not trace.findings(summary, "not-the-disk")


def test_synchronous_writes_wait_for_the_journal(slow_disk, ext4, doio, iolat):
    """A write that ends with what fsync does (O_SYNC) is one, and what the journal's thread does then is for it,
    no neighbour's."""
    file = ext4(slow_disk(write_ms=20)) / "log"
    file.write_bytes(b"")
    load = doio("appendosync", file, count=10)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    mostly(summary, load.pid, "disk", 10 * 20)
    assert trace.finding(summary, "sync-stall")["evidence"]["wait_pct"] > 50  # the rest is the file system, on a busy machine
    assert not trace.findings(summary, "noisy-neighbour")


# --- against the kernel's own account --------------------------------------------------

@contextlib.contextmanager
def delay_accounting():
    switch = pathlib.Path("/proc/sys/kernel/task_delayacct")
    base.need(switch.exists(), "this kernel has no delay accounting")
    before = switch.read_text()
    switch.write_text("1\n")
    try:
        yield
    finally:
        switch.write_text(before)


@pytest.mark.parametrize("how, size", [("read", 4096), ("cached", 4096), ("mmap", 1 << 20)])
def test_against_delay_accounting(slow_disk, doio, iolat, how, size):
    """The kernel's own account of the task's waits for the disk is the same within 2 %."""
    disk = slow_disk(read_ms=20, queue={"read_ahead_kb": 4})  # so that each read is waited for
    with delay_accounting():
        load = doio(how, disk, count=60, size=size, stay=1)
        before = taskstats.block_delay_ns(load.pid)
        base.need(before is not None, "this kernel has no taskstats")
        tracer = iolat("--pid", load.pid)
        load.go().proc.stdout.read(1)
        kernel = taskstats.block_delay_ns(load.pid) - before
        summary = tracer.stop()
    ours = trace.task(summary, load.pid)["blocked_ns"]  # faults of its start, too
    assert kernel > 400 * MS
    # The kernel ends a wait where the sleeper's CPU hears of its being woken, which may take a while where CPUs are shared.
    assert abs(ours - kernel) <= 0.02 * kernel + 20 * MS, (ours, kernel)


# --- what goes on ------------------------------------------------------------------------

def test_asleep_before_and_after(pausable_disk, doio, iolat):
    """A task that slept before tracing began and still does at the end has waited all the time between."""
    disk = pausable_disk()
    disk.pause()
    load = doio("read", disk).go()
    base.wait_until("a request in flight", disk.in_flight)
    tracer = iolat("--pid", load.pid, "-D", "1500ms")
    summary = tracer.end()
    task = trace.task(summary, load.pid)
    assert task["blocked_pct"] > 95, task
    assert task["reasons"]["disk"] == task["blocked_ns"], task
    assert task["wall_ns"] > 1300 * MS
    disk.resume()
    load.wait()


def test_counts_at_once(pausable_disk, doio, start_iolat):
    """A wait counts in every frame while it goes on, and its request is shown with its age."""
    disk = pausable_disk()
    load = doio("read", disk, size=8192, offset=1 << 20)
    disk.pause()
    tracer = start_iolat("-f", "json", "-i", "500ms", "--stuck", "300ms", "--pid", load.pid)
    load.go()
    base.wait_until("a request in flight", disk.in_flight)

    def stuck(objects):
        return [(o["end"], k) for o in objects for k in o["stuck"] if k["process"]["pid"] == load.pid]
    tracer.wait_for_output(lambda objects: len(stuck(objects)) >= 3)
    disk.resume()
    load.wait()
    summary = tracer.end()
    found = [k for _, k in stuck(tracer.objects)]
    ages = [k["age_ns"] for k in found]
    assert ages == sorted(ages) and ages[0] >= 300 * MS and ages[-1] - ages[0] >= 900 * MS
    for k in found:
        assert (k["op"], k["bytes"], k["sector"], k["stage"]) == ("read", 8192, (1 << 20) // 512, "device")
        assert k["device"]["name"] == disk.name and k["thread"]["tid"] == load.pid
    waiting = [t for o in tracer.frames for t in o["tasks"] if o["stuck"] and t["thread"]["tid"] == load.pid]
    assert max(t["blocked_pct"] for t in waiting) > 90
    assert any(trace.findings(o, "hung-request") for o in tracer.frames)
    assert summary["stuck"] == [] and not trace.findings(summary, "hung-request")
    row = trace.one(trace.rows(summary, pid=load.pid, device=disk))
    assert row["ios"] == 1 and row["latency"]["device"]["max_ns"] >= 1300 * MS
    sums = [sum(t["reasons"]["disk"] for t in o["tasks"]) for o in tracer.frames]
    assert abs(sum(sums) - sum(t["reasons"]["disk"] for t in summary["tasks"])) < 10 * MS


@pytest.mark.parametrize("slots", ["many", "2"])
def test_stuck_before_the_device(pausable_disk, doio, start_iolat, slots):
    """What waits for a place in the queue of a disk that hangs is stuck in `queue`, with its owner."""
    disk = pausable_disk(queue={"nr_requests": 4})
    disk.pause()
    readers = [doio("read", disk, offset=i * base.MIB) for i in range(10)]
    pids = {r.pid for r in readers}
    tracer = start_iolat("-f", "json", "-i", "500ms", "--pid", ",".join(map(str, pids)),
                         env=base.clean_env(IOLAT_SLOTS=slots))
    for reader in readers:
        reader.go()

    def stages(objects):
        last = objects[-1]["stuck"] if objects else []
        return len(last) == 10 and {k["stage"] for k in last}
    tracer.wait_for_output(stages)
    last = tracer.frames[-1]["stuck"]
    assert {k["stage"] for k in last} == {"queue", "device"}
    assert {k["process"]["pid"] for k in last} == pids
    assert all(k["device"]["name"] == disk.name and k["bytes"] == 4096 for k in last)
    disk.resume()
    for reader in readers:
        reader.wait()
    assert tracer.end()["stuck"] == []


# --- options -------------------------------------------------------------------------------

def test_off_for_the_whole_host(iolat):
    assert iolat().stop()["tasks"] is None
    assert iolat("--waits").stop()["tasks"]


def test_off_on_demand(held, iolat):
    load = held("sleep", "1")
    summary = iolat("--no-waits", "--pid", load.pid).stop()
    assert summary["tasks"] is None
    assert "sched_switch" not in {h["name"] for h in summary["hooks"]}


@pytest.mark.parametrize("how", ["cgroup", "name"])
def test_other_selections(slow_disk, doio, held, cgroup, iolat, how):
    """Waits are the selection's, however it is made."""
    disk = slow_disk(read_ms=20)
    mine, other = cgroup("mine"), doio("read", disk, count=5)
    load = doio("read", disk, count=10)
    if how == "name":
        load = held(base.PYTHON, "-c", "import os, sys; open('/proc/self/comm', 'w').write('iolat-waiter');"
                    "os.posix_fadvise; fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT); import mmap;"
                    "[os.preadv(fd, [mmap.mmap(-1, 4096)], i << 20) for i in range(10)]; sys.stdin.read()", disk.path)
        load.go()
        base.wait_until("its name", lambda: pathlib.Path(f"/proc/{load.pid}/comm").read_text() == "iolat-waiter\n")
        tracer = iolat("--name", "iolat-waiter", "-D", "1s")
    else:
        mine.add(load.pid)
        tracer = iolat("--cgroup", mine.dir)
        load.go()
    other.finish()
    if how == "cgroup":
        load.wait()
    summary = tracer.stop() if how == "cgroup" else tracer.end()
    pids = {t["process"]["pid"] for t in summary["tasks"]}
    assert load.pid in pids and other.pid not in pids
    if how == "cgroup":
        assert blocked(summary, load.pid, "disk") >= 10 * 20 * MS
