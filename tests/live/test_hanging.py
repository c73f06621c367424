"""What hung before iolat was started, and what hangs elsewhere than where one looks."""
import pytest

from lib import base, trace

MS = base.MS
SIZE, OFFSET = 8192, 1 << 20


@pytest.fixture
def paused(pausable_disk):
    made = pausable_disk()
    made.pause()
    return made


def hang(disk, load):
    load.go()
    base.wait_until("a request in flight", disk.in_flight)
    return load


def stuck(frame, disk):
    return [k for k in frame["stuck"] if k["device"] and k["device"]["name"] == disk.name]


@pytest.mark.parametrize("by", ["host", "device", "cgroup", "pid"])
def test_before_the_start(paused, doio, cgroup, start_iolat, by):
    """It is in flight like any other until it completes, which is unmatched, as its submission was not seen."""
    load, group = doio("read", paused, size=SIZE, offset=OFFSET), cgroup("group")
    group.add(load.pid)
    hang(paused, load)
    selection = {"host": [], "device": ["-d", paused.name], "cgroup": ["-c", group.dir], "pid": ["-p", load.pid]}[by]
    tracer = start_iolat("-f", "json", "-i", "300ms", "--stuck", "100ms", *selection)
    tracer.wait_for_output(lambda objects: sum(len(stuck(o, paused)) for o in objects) >= 3)
    paused.resume()
    load.wait()
    summary = tracer.stop()
    shown = [o for o in tracer.frames if stuck(o, paused)]
    ages = [trace.one(stuck(o, paused))["age_ns"] for o in shown]
    assert ages == sorted(ages) and ages[-1] > sum(o["duration_ns"] for o in shown), ages
    for o in shown:
        k = trace.one(stuck(o, paused))
        assert (k["op"], k["bytes"], k["sector"], k["stage"], k["inferred"]) == ("read", SIZE, OFFSET // 512, "device", False)
        assert (k["process"], k["thread"], k["via"]) == (None, None, None)
        assert trace.findings(o, "hung-request"), o["findings"]
    assert not stuck(summary, paused) and not trace.rows(summary, device=paused)
    assert summary["coverage"]["unmatched"] >= 1  # other disks may have had some
    assert [trace.coverage(summary, paused)[key] for key in ("kernel", "seen")] == [1, 1]


def test_a_disk_that_does_not_count(paused, stack, doio, iolat):
    """Without queue/iostats the kernel neither says that something is in flight nor since when."""
    paused.set(stack, "iostats", 0)
    load = doio("read", paused).go()
    base.wait_until("a reader asleep", lambda: base.asleep(load.pid))
    summary = iolat("--stuck", "100ms", "-D", "500ms").end()
    paused.resume()
    load.wait()
    assert trace.one(stuck(summary, paused))["op"] == "read"


@pytest.mark.parametrize("when", ["before", "after"])
def test_elsewhere(paused, loop_disk, doio, held, start_iolat, when):
    """What the selection leaves out is not shown as stuck, whether it hung before the start or hangs since."""
    load, idle = doio("read", paused), held("sleep", "1")
    if when == "before":
        hang(paused, load)
    options = ["-f", "json", "-i", "0", "--stuck", "100ms"]
    other = [start_iolat(*options, *selection) for selection in (["-d", loop_disk().name], ["--op", "write"], ["-p", idle.pid])]
    every = start_iolat("-f", "json", "-i", "200ms", "--stuck", "100ms")
    if when == "after":
        hang(paused, load)
    every.wait_for_output(lambda objects: any(stuck(o, paused) for o in objects))
    summaries = [tracer.stop() for tracer in (*other, every)]
    paused.resume()
    load.wait()
    assert [len(stuck(s, paused)) for s in summaries] == [0, 0, 0, 1]
