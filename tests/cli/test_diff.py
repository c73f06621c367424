"""`iolat diff`: what a change of the disk did, and what is only chance."""
import json
import re

import pytest

from lib import base, browser, tmux, trace


def diff(*args, rc=0):
    done = trace.run("diff", *args, rc=rc)
    assert len(done.stderr.splitlines()) <= (rc != 0), done.stderr
    return done.stdout


def compare(*args):
    return json.loads(diff(*args, "-f", "json"))


def row(d, **key):
    return trace.one([r for r in d["rows"] if all(r["key"][k] == v for k, v in key.items())])


@pytest.fixture
def record(start_iolat, doio, folder):
    """record(disk, count) -> a recording of a reader of that disk, and its summary."""
    def make(disk, count, size=4096):
        out = folder() / "run.iolat"
        load = doio("read", disk, count=count, size=size)
        recorder = start_iolat("record", "-o", out, "-f", "json", "-d", disk.name, "--pid", load.pid)
        load.finish()
        return out, recorder.stop()
    return make


@pytest.fixture
def slow_and_fast(record, slow_disk, loop_disk):
    return record(slow_disk(read_ms=10), 60), record(loop_disk(), 60)


def test_the_new_disk_helped(slow_and_fast):
    """Other pids and other disks: by name it is the same reader, much faster; the same numbers as the reports'."""
    (before, live_before), (after, live_after) = slow_and_fast
    d = compare(before, after)
    found = row(d, process="python3", op="read")
    assert found["ios"] == {"before": 60, "after": 60, "ratio": 1, "change": "same"}
    for name in ("p50_ns", "p90_ns", "p99_ns", "max_ns"):
        assert found[name]["before"] == live_before["rows"][0]["latency"]["total"][name]
        assert found[name]["after"] == live_after["rows"][0]["latency"]["total"][name]
    assert found["p50_ns"]["change"] == "less" and found["p50_ns"]["ratio"] < 0.5
    assert found["max_ns"]["change"] is None, "one request shows nothing"
    task = trace.one([t for t in d["tasks"] if t["key"] == {"process": "python3"}])
    assert task["blocked_pct"]["change"] == "less" and task["blocked_pct"]["before"] > 20
    text = diff(before, after)
    assert re.search(r"60 -> 60 same .* python3  read", text) and "faster than before" in text
    back = row(compare(after, before), process="python3", op="read")
    assert back["p50_ns"]["change"] == "more" and "slower than before" in diff(after, before)


def test_on_a_terminal(slow_and_fast, folder, stack):
    """Lines are cut to its width, after the columns that are missed least; the sentence goes on in the next line."""
    (before, _), (after, _) = slow_and_fast
    answer = diff(before, after).splitlines()[-1]
    for columns, headers in ((200, "IOS BYTES P50 P90 P99 MAX"), (70, "IOS P50")):
        screen = tmux.Screen(stack, folder(), [base.IOLAT, "diff", before, after], columns=columns)
        lines = base.wait_until("its end", lambda: "status 0" in screen.text and screen.lines)
        assert lines[2].split() == [*headers.split(), "process", "op"]
        assert re.search(r"60 -> 60 same .* python3  read$", lines[3])
        assert answer in " ".join(" ".join(lines).split())
    narrow = tmux.Screen(stack, folder(), [base.IOLAT, "diff", before, after], columns=20)
    lines = base.wait_until("its end", lambda: "status 0" in narrow.text and narrow.lines)
    assert len(lines[:lines.index("status 0")]) == len(diff(before, after).splitlines()), "a line was broken"


def test_by_device(slow_and_fast):
    """What is in one of them only has no ratio and no change."""
    (before, live_before), (after, live_after) = slow_and_fast
    d = compare(before, after, "--by", "device")
    for live, side, other in ((live_before, "before", "after"), (live_after, "after", "before")):
        found = row(d, device=live["rows"][0]["device"]["name"])
        assert found["ios"] == {side: 60, other: None, "ratio": None, "change": None}
    assert d["tasks"] is None


def test_the_same_run(slow_and_fast):
    (before, _), _ = slow_and_fast
    d = compare(before, before)
    changes = {m["change"] for r in [*d["rows"], *d["tasks"], d["all"]] for n, m in r.items() if n != "key"}
    assert changes == {"same"}


def test_chance_is_no_change(record, loop_disk):
    """Few requests on the same disk: whatever their percentiles, nothing is shown."""
    disk = loop_disk()
    runs = [record(disk, 4)[0] for _ in range(2)]
    found = row(compare(*runs), process="python3", op="read")
    assert found["p99_ns"]["change"] == found["p50_ns"]["change"] == "same" == found["ios"]["change"]


def test_more_bytes(record, loop_disk):
    disk = loop_disk()
    found = row(compare(record(disk, 100)[0], record(disk, 100, 16384)[0]), process="python3", op="read")
    assert found["bytes"]["ratio"] == 4 and found["bytes"]["change"] == "more" and found["ios"]["change"] == "same"


def test_selections_and_parts(slow_and_fast):
    (before, _), (after, _) = slow_and_fast
    assert compare(before, after, "--op", "write")["rows"] == []
    assert compare(before, after, "--to", "0.001ms")["rows"] == []
    assert "nothing of that name" in trace.run("diff", before, after, "-p", "4194000", rc=2).stderr
    assert "nothing to compare" in diff(before, after, "--op", "write")


def test_the_page(slow_and_fast, stack, folder):
    """One file that asks for nothing, with both numbers and the answer."""
    (before, _), (after, _) = slow_and_fast
    out = folder() / "diff.html"
    diff(before, after, "-f", "html", "-o", out)
    page = browser.Page(stack, folder(), out)
    assert page.said == [] and page.asked_for == [f"file://{out}"]
    text = page.text("body")
    assert "python3" in text and "faster than before" in text and str(before) in text
    assert page.js("document.querySelectorAll('td .change.good').length") >= 2
    for width in (1280, 400):
        page.resize(width)
        assert page.js("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("args", [[], ["a"], ["a", "b", "c"], ["a", "b", "-f", "csv"], ["a", "b", "-D", "1s"]])
def test_usage(args):
    assert len(trace.run("diff", *args, rc=2).stderr.splitlines()) == 1


def test_missing_file(slow_and_fast):
    (before, _), _ = slow_and_fast
    assert "No such file" in trace.run("diff", before, "/none", rc=1).stderr
    assert len(base.sh(base.IOLAT, "diff", "--help").stdout.splitlines()) > 5
