"""What iolat puts into the kernel: named, gone with it, and honest about what it could not keep."""
import json
import pathlib
import re
import signal

import pytest

from lib import base, trace


def objects_of(pid):
    """The BPF programs and maps that the process holds: {("prog", 12), ...}"""
    found = set()
    for info in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            text = info.read_text()
        except OSError:
            continue
        found |= {(kind, int(number)) for kind, number in re.findall(r"^(prog|map)_id:\s+(\d+)", text, re.M)}
    return found


def shown(kind, number):
    """What bpftool says of it, or None if the kernel has it no more."""
    done = base.sh("bpftool", "-j", kind, "show", "id", number, check=False)
    return json.loads(done.stdout) if not done.returncode else None


def test_names(iolat):
    """Every program and map has a name that begins with iolat_."""
    base.need_tool("bpftool")
    found = [shown(*o) for o in objects_of(iolat().pid)]
    assert {o["type"] for o in found} >= {"tracing", "ringbuf"} or {o["type"] for o in found} >= {"raw_tracepoint", "ringbuf"}
    assert [o["name"] for o in found if not o["name"].startswith("iolat_")] == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_in_the_kernel(iolat, how):
    """After its end, however it came, its programs and maps are gone."""
    base.need_tool("bpftool")
    tracer = iolat()
    held = objects_of(tracer.pid)
    assert len(held) > 5
    tracer.send(how)
    tracer.wait()
    base.wait_until("the end of its programs", lambda: not any(shown(*o) for o in held), timeout=10, step=0.1)


def test_hooks_are_said(iolat):
    """`hooks` lists what it attached; what is required is attached."""
    hooks = {h["name"]: h for h in iolat().stop()["hooks"]}
    assert hooks["block_rq_complete"]["attached"] and hooks["block_rq_complete"]["required"]
    assert hooks["block_rq_issue"]["attached"]


def test_its_own_io_is_not_special(loop_disk, ext4, start_iolat):
    """iolat that writes its output to a disk sees itself like any other process, and does not feed itself."""
    disk = loop_disk()
    point = ext4(disk)
    out = point / "out.json"
    tracer = start_iolat("-f", "json", "-i", "50ms", "--device", disk.name, "-o", out)
    base.wait_until("output", lambda: len(out.read_text().splitlines()) > 5)
    base.sh("sync", "-f", point)
    tracer.send(signal.SIGINT)
    assert tracer.wait() == 0
    summary = trace.objects(out.read_text())[-1]
    assert summary["coverage"]["requests"] < 200
