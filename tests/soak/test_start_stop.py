"""Started and ended many times, in every way: nothing of it stays in the kernel.

`make check` does it a few times, `make soak` a thousand.
"""
import contextlib
import json
import pathlib
import random
import re
import signal
import time

import pytest

from lib import base, trace

ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


def held_by(pid):
    """The BPF programs, maps and links that a process holds: {("prog", 12), ...}; none when it is gone."""
    found = set()
    try:
        for info in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
            found |= {(kind, int(number))
                      for kind, number in re.findall(r"^(prog|map|link)_id:\s+(\d+)", info.read_text(), re.M)}
    except OSError:  # it ends, or a descriptor is closed meanwhile
        pass
    return found


def still_there(objects):
    there = {(kind, o["id"]) for kind in ("prog", "map", "link")
             for o in json.loads(base.sh("bpftool", "-j", kind, "show").stdout)}
    return objects & there


def start_and_end(chance, how):
    """At any moment; what it held."""
    ready = chance.random() < 0.5
    with contextlib.ExitStack() as stack:
        tracer = trace.Iolat(stack, "-f", "json", "-i", "0", ready=ready)
        if not ready:
            time.sleep(chance.random() ** 3 * 0.3)
        held = held_by(tracer.pid)
        tracer.send(how)
        tracer.wait()
        assert tracer.rc in (0, -how), f"status {tracer.rc}: {tracer.stderr}"
        assert [o["type"] for o in tracer.objects] == ["summary"] * (tracer.rc == 0)
        assert tracer.rc == 0 or how == signal.SIGKILL or not held, "it held something and was ended without a summary"
    return held


def test_nothing_is_left(soak):
    """Ended at any moment, also before its hooks are attached."""
    base.need_tool("bpftool")
    chance, held = random.Random(20260302), set()
    for i in range(soak(12, 1000)):
        held |= start_and_end(chance, ENDS[i % len(ENDS)])
    assert {kind for kind, _ in held} == {"prog", "map", "link"}
    base.wait_until("the end of what it held", lambda: not still_there(held), timeout=60, step=1)


def descriptors(pid):
    """Some may be of files that are just being read."""
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


@pytest.mark.parametrize("how", ENDS)
def test_its_descriptors(start_iolat, how):
    """It holds as many when it has run for a while as when it was ready."""
    tracer = start_iolat("-f", "json", "-i", "50ms")
    before = descriptors(tracer.pid)
    tracer.wait_for_output(lambda objects: len(objects) > 20)
    base.wait_until("as few as before", lambda: descriptors(tracer.pid) <= before)
    tracer.send(how)
    assert tracer.wait() in (0, -how)
