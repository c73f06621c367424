"""Processes, cgroups and disks that come and go: every I/O of theirs counts, and iolat does not grow with their number.

`make check` lets a few hundred of each pass, `make soak` as many as weeks bring. What has gone keeps its row until there
are ROWS of them, the rest is added up in one row. So size may grow with the rows, by little each, and behind them not at
all; short runs show that one that has gone costs little and holds nothing open.
"""
import os
import pathlib

import pytest

from lib import base, cgroups, churn, trace

ROWS = 10_000  # RUN_ROWS in src/stats/run.c
EACH = 10  # processes in a cgroup


def settle(tracer):
    """Until iolat has taken in all that has happened: two frames."""
    seen = tracer.stdout.count("\n")
    base.wait_until("frames", lambda: tracer.stdout.count("\n") >= seen + 2, step=0.1)


def most_rows(lines):
    """Of a frame."""
    return max(line.count('"ios":') for line in lines)


def check_flat(tracer, load, n, each_bytes, room=base.MIB):
    """Lets n pass; after half of them, iolat has the size that it keeps, but for new rows and fuller frames."""
    load(0, n // 2)
    settle(tracer)
    before, frames = churn.Size(tracer.pid), tracer.stdout.count("\n")
    load(n // 2, n - n // 2)
    settle(tracer)
    after, lines = churn.Size(tracer.pid), tracer.stdout.splitlines()
    rows, fuller = max(min(n, ROWS) - n // 2, 0), max(most_rows(lines[frames:]) - most_rows(lines[:frames]), 0)
    print(f"after {n // 2}: {before}; after {n}: {after}; {rows} rows more, {fuller} of a frame")
    assert after.resident - before.resident <= room + each_bytes * (rows + 2 * fuller), f"{before}; then {after}"
    assert after.maps - before.maps <= base.MIB, f"{before}; then {after}"
    # Some are of files that are just being read.
    base.wait_until("as few descriptors as before", lambda: churn.Size(tracer.pid).descriptors <= before.descriptors)
    assert churn.left_in_maps(tracer.pid) <= churn.hidden(n)


def check_frames(tracer, soaked):
    """No frame is left out: one may be late by less than an interval. (Only where time may be asserted.)"""
    if not soaked:
        return
    for frame in tracer.frames[:-1]:
        assert frame["duration_ns"] < 2e9, f"the frame that ends {frame['end']} took {frame['duration_ns'] / 1e9} s"


@pytest.fixture
def watch(start_iolat):
    return lambda *args: start_iolat("-f", "json", "-i", "1s", *args)


def check_complete(summary, rows, ios):
    """All of them, but for completions that the kernel hid, and iolat says how many those are; returns that."""
    coverage = summary["coverage"]
    unseen = sum(max(d["kernel"] - d["seen"], 0) for d in coverage["devices"] if d["kernel"] is not None)
    lacking = ios - trace.total(rows, "ios")
    assert 0 <= lacking <= max(coverage["lost"] + coverage["unmatched"], unseen), f"{lacking} of {ios}: {coverage}"
    assert coverage["map_full"] == coverage["names_lost"] == 0, coverage
    return lacking


def test_processes(reader, watch, soak, churning):
    """Each has a row of its own in one of the frames."""
    disk, _ = reader
    tracer = watch("-i", "500ms", "--by", "process,device", "--device", disk.name, "--pid", os.getpid())
    n = soak(2000, 100_000)
    # Some of it is by pids, which come again only after tens of thousands.
    check_flat(tracer, lambda first, n: churning("processes", first, n, disk.path), n, 6000, room=8 * base.MIB)
    assert len(churn.followed(tracer.pid) - {os.getpid(), tracer.pid}) <= churn.hidden(n)
    summary = tracer.stop()
    lacking = check_complete(summary, summary["rows"], n)
    rows = [r for frame in tracer.frames for r in frame["rows"]]
    assert {(r["ios"], (r["process"] or {}).get("comm")) for r in rows} == {(1, "churn")}
    assert len(rows) == n - lacking
    check_frames(tracer, soak.on)


def test_cgroups(reader, watch, soak, stack, run_area, churning):
    disk, _ = reader
    parent = cgroups.make(stack, f"{run_area.name}-churn")
    tracer = watch("--device", disk.name, "--by", "cgroup,device")
    n = soak(100, ROWS)
    check_flat(tracer, lambda first, n: churning("cgroups", first, n, disk.path, EACH, parent.dir / "%ld"), n, 2500)
    summary = tracer.stop()
    lacking = check_complete(summary, summary["rows"], EACH * n)
    found = {pathlib.Path(r["cgroup"]["path"]).name: r["ios"] for r in summary["rows"]}
    assert set(found) == set(map(str, range(n)))
    assert sum(EACH - ios for ios in found.values()) == lacking and max(found.values()) == EACH
    check_frames(tracer, soak.on)


def test_disks(watch, soak, folder, churning):
    base.need(os.path.exists("/dev/loop-control"), "no loop devices")
    image = folder() / "disk"
    image.write_bytes(bytes(base.MIB))
    above = 1000 + os.getpid() % 50 * 1000  # where nobody else has loop devices
    tracer = watch("--by", "device", "--pid", os.getpid())
    n = soak(40, 1000)
    check_flat(tracer, lambda first, n: churning("disks", above + first, n, image), n, 5000)
    summary = tracer.stop()
    ours = {f"loop{above + i}" for i in range(n)}  # programs may have to be read from other disks
    rows = [r for r in summary["rows"] if r["device"]["name"] in ours]
    assert len(rows) == n - check_complete(summary, rows, n)
    check_frames(tracer, soak.on)
