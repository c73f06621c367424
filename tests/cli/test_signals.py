"""Signals: a run ends in order, with its whole summary, however it is told to."""
import json
import signal

import pytest

from lib import base, trace


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_its_summary(loop_disk, doio, iolat, number):
    """INT, TERM and HUP: status 0, the summary holds what was traced."""
    disk = loop_disk()
    load = doio("read", disk, count=10)
    tracer = iolat("--device", disk.name)
    load.finish()
    summary = tracer.stop(number)
    assert summary["type"] == "summary"
    assert trace.total(trace.rows(summary, device=disk), "ios") == 10


def test_int_that_was_ignored_at_the_start(iolat):
    """A script's background jobs start with INT ignored; it ends iolat all the same."""
    tracer = iolat(prefix=["sh", "-c", 'trap "" INT; exec "$@"', "sh"])
    assert tracer.stop(signal.SIGINT)["type"] == "summary"


def test_hup_that_was_ignored_at_the_start(iolat):
    """nohup keeps HUP ignored: iolat goes on, and ends by TERM."""
    tracer = iolat("-i", "50ms", prefix=["sh", "-c", 'trap "" HUP; exec "$@"', "sh"])
    tracer.send(signal.SIGHUP)
    before = len(tracer.objects)
    tracer.wait_for_output(lambda objects: len(objects) > before + 3)
    assert tracer.proc.poll() is None
    assert tracer.stop(signal.SIGTERM)["type"] == "summary"


def test_usr1(loop_disk, doio, iolat):
    """USR1 writes a snapshot of the run so far, and it goes on."""
    disk = loop_disk()
    first, second = doio("read", disk, count=10), doio("read", disk, count=20)
    tracer = iolat("--device", disk.name)
    first.finish()
    tracer.send(signal.SIGUSR1)
    tracer.wait_for_output(lambda objects: len(objects) == 1)
    second.finish()
    tracer.stop()
    snapshot, summary = tracer.objects
    assert snapshot["type"] == "snapshot" and summary["type"] == "summary"
    assert trace.total(trace.rows(snapshot, device=disk), "ios") == 10
    assert trace.total(trace.rows(summary, device=disk), "ios") == 30


def test_duration(run_iolat):
    """-D ends it with 0."""
    done = run_iolat("-f", "json", "-i", "0", "-D", "150ms", rc=0)
    summary = json.loads(done.stdout)
    assert summary["type"] == "summary" and 150 * base.MS <= summary["duration_ns"]


def test_many_signals(iolat):
    """Impatience does not cut the summary off."""
    tracer = iolat()
    for _ in range(3):
        tracer.send(signal.SIGINT)
        tracer.send(signal.SIGTERM)
    assert tracer.end()["type"] == "summary"


def test_interval_frames(iolat):
    """-i: a frame each, the summary last."""
    tracer = iolat("-i", "20ms", "-D", "300ms")
    tracer.end()
    assert len(tracer.frames) >= 5
    assert [o["type"] for o in tracer.objects[-2:]] == ["interval", "summary"]
    ends = [f["end"] for f in tracer.frames]
    assert ends == sorted(ends) and [f["start"] for f in tracer.frames[1:]] == ends[:-1]
