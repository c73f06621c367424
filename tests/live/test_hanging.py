"""What hangs elsewhere than where one looks."""
import pytest

from lib import base, trace


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


def test_elsewhere(paused, loop_disk, doio, held, start_iolat):
    """What the selection leaves out is not shown as stuck."""
    load, idle = doio("read", paused), held("sleep", "1")
    options = ["-f", "json", "-i", "0", "--stuck", "100ms"]
    other = [start_iolat(*options, *selection) for selection in (["-d", loop_disk().name], ["--op", "write"], ["-p", idle.pid])]
    every = start_iolat("-f", "json", "-i", "200ms", "--stuck", "100ms")
    hang(paused, load)
    every.wait_for_output(lambda objects: any(stuck(o, paused) for o in objects))
    summaries = [tracer.stop() for tracer in (*other, every)]
    paused.resume()
    load.wait()
    assert [len(stuck(s, paused)) for s in summaries] == [0, 0, 0, 1]
