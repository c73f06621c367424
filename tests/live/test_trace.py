"""Chrome traces of recordings: every request and wait on its process and thread, by themselves and in a profiler's trace."""
import collections
import gzip
import json

import pytest

from lib import base, trace

# Loads with O_DIRECT as a profiler sees it: slices in Kineto's form, with a gap between them. Waits for a word first.
PROFILED = """
import json, mmap, os, sys, time
disk, out, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
base = time.time_ns() - 10**15
buffer, events = mmap.mmap(-1, 8192), []
fd = os.open(disk, os.O_RDONLY | os.O_DIRECT)
us = lambda: (time.time_ns() - base) / 1000
for i in range(count):
    start = us()
    os.preadv(fd, [buffer], i * 65536)
    events.append({"ph": "X", "cat": "cpu_op", "name": "load", "pid": os.getpid(), "tid": os.getpid(), "ts": start,
                   "dur": us() - start, "args": {"text": "a ] and a } in \\"quotes\\""}})
    time.sleep(0.01)
events.append({"ph": "M", "name": "process_name", "pid": os.getpid(), "tid": 0, "args": {"name": "trainer"}})
with open(out, "w") as f:
    json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events, "baseTimeNanoseconds": base, "traceName": out}, f)
"""
COUNT = 12

# A DataLoader under torch's own profiler; says between which two moments its clock began.
TORCH = """
import json, mmap, os, sys, time
import torch
from torch.utils import data
from torch.profiler import profile, ProfilerActivity
disk, out, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
buffer, fd = mmap.mmap(-1, 8192), os.open(disk, os.O_RDONLY | os.O_DIRECT)
class Blocks(data.Dataset):
    def __len__(self):
        return count
    def __getitem__(self, i):
        os.preadv(fd, [buffer], i * 65536)
        return float(buffer[0])
torch.set_num_threads(1)
began = [time.time_ns()]
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    began.append(time.time_ns())
    for batch in data.DataLoader(Blocks()):
        batch.sum()
profiler.export_chrome_trace(out)
print(json.dumps({"began": began}))
"""


@pytest.fixture
def profiled(slow_disk, held, start_iolat, folder):
    """(recording, profile, disk, pid)"""
    disk = slow_disk(read_ms=5)
    here = folder()
    recording, profile = here / "run.iolat", here / "profile.json"
    load = held(base.PYTHON, "-c", PROFILED, disk.path, profile, COUNT)
    recorder = start_iolat("record", "-o", recording, "--pid", load.pid, "--device", disk.name)
    load.finish()
    assert recorder.wait() == 0, recorder.stderr
    return recording, profile, disk, load.pid


def report(*args, rc=0):
    done = trace.run("report", *args, "-f", "trace", rc=rc)
    assert done.stderr == "" or rc
    return done


def ours(document):
    return [e for e in document["traceEvents"] if e.get("cat") == "iolat"]


def check(events, since=0):
    """What holds for every event of iolat."""
    opened = collections.Counter()
    for e in events:
        assert e["cat"] == "iolat" and e["ph"] in "beXCM", e
        assert isinstance(e["pid"], int) and isinstance(e["tid"], int) and e["name"]
        assert e["ph"] == "M" or e["ts"] >= since
        if e["ph"] in "be":
            opened[e["id"], e["name"]] += 1 if e["ph"] == "b" else -1
            assert opened[e["id"], e["name"]] >= 0, "ends after it began"
    assert not any(opened.values()), "every slice ends"


def requests(events, pid):
    """(begin, end, arguments) of each request, in microseconds."""
    begun, found = {}, []
    for e in events:
        if e["ph"] == "b" and e["pid"] == pid and e["name"] not in ("queue", "device"):
            begun[e["id"]] = e
        if e["ph"] == "e" and e["id"] in begun and e["name"] == begun[e["id"]]["name"]:
            b = begun.pop(e["id"])
            found.append((b["ts"], e["ts"], b["args"]))
    return sorted(found, key=lambda r: r[:2])


def test_by_itself(profiled, tmp_path):
    recording, _, disk, pid = profiled
    document = json.loads(report(recording).stdout)
    events = ours(document)
    assert len(events) == len(document["traceEvents"]) and document["baseTimeNanoseconds"] > 10**18
    check(events)
    found = requests(events, pid)
    assert len(found) == COUNT
    assert [r[2]["sector"] for r in found] == [i * 128 for i in range(COUNT)]
    for begin, end, about in found:
        assert about["device"] == disk.name and about["op"] == "read" and about["bytes"] == 8192
        assert end - begin == pytest.approx((about["queue_ns"] + about["device_ns"]) / 1000, abs=0.01) and end - begin >= 5000
    parts = [e for e in events if e["ph"] == "b" and e["name"] in ("queue", "device")]
    assert len(parts) == 2 * COUNT
    waits = [e for e in events if e["ph"] == "X" and e["name"] == "wait: disk"]
    assert sum(e["dur"] for e in waits) >= 5000 * COUNT and all((e["pid"], e["tid"]) == (pid, pid) for e in waits)
    names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    assert names[pid].startswith("python3") and "iolat" in names.values()
    assert {e["name"] for e in events if e["ph"] == "C"} == {f"{disk.name} in flight", f"{disk.name} MiB/s"}
    compressed = tmp_path / "trace.json.gz"
    report(recording, "-o", compressed)
    assert json.loads(gzip.decompress(compressed.read_bytes())) == document


def test_in_a_profilers_trace(profiled, tmp_path):
    """Every event of both is there, and each request lies in the slice of the load that it was for."""
    recording, profile, _, pid = profiled
    before = json.loads(profile.read_text())
    document = json.loads(report(recording, "--merge", profile).stdout)
    events = ours(document)
    check(events)
    assert [e for e in document["traceEvents"] if e.get("cat") != "iolat"] == before["traceEvents"]
    assert {k: v for k, v in document.items() if k != "traceEvents"} == {k: v for k, v in before.items() if k != "traceEvents"}
    loads = [e for e in before["traceEvents"] if e["name"] == "load"]
    found = requests(events, pid)
    assert len(found) == len(loads) == COUNT
    for load, (begin, end, _) in zip(loads, found):
        assert load["ts"] - 100 <= begin and end <= load["ts"] + load["dur"] + 100
    assert not any(e["ph"] == "M" and e["pid"] == pid for e in events), "it has a name there"
    alone = ours(json.loads(report(recording).stdout))
    assert sum(e["ph"] != "M" for e in events) == sum(e["ph"] != "M" for e in alone)
    zipped = tmp_path / "profile.json.gz"
    zipped.write_bytes(gzip.compress(profile.read_bytes()))
    assert json.loads(report(recording, "--merge", zipped).stdout) == document


def test_a_trace_without_a_clock(profiled, tmp_path):
    """A bare array, as old profilers write it: when it began has to be told."""
    recording, profile, _, pid = profiled
    known = json.loads(profile.read_text())
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps(known["traceEvents"]))
    said = report(recording, "--merge", bare, rc=2).stderr
    assert "--merge-at" in said and len(said.splitlines()) == 1
    began = f"{base_stamp(known['baseTimeNanoseconds'])}"
    merged = json.loads(report(recording, "--merge", bare, "--merge-at", began).stdout)
    assert isinstance(merged, list)
    events = [e for e in merged if e.get("cat") == "iolat"]
    check(events)
    assert requests(events, pid) == requests(ours(json.loads(report(recording, "--merge", profile).stdout)), pid)


def test_in_torchs_own_trace(slow_disk, held, start_iolat, folder):
    """Whatever form this torch exports: what has no clock is refused without --merge-at; then nothing of it is lost, and
    each request lies in the DataLoader's slice, as far as it is known when that clock began."""
    base.need(base.sh(base.PYTHON, "-c", "import torch", check=False, timeout=60).returncode == 0, "python3-torch is not installed")
    disk, here = slow_disk(read_ms=5), folder()
    recording, profile = here / "run.iolat", here / "profile.json"
    load = held(base.PYTHON, "-c", TORCH, disk.path, profile, COUNT)
    recorder = start_iolat("record", "-o", recording, "--pid", load.pid, "--device", disk.name)
    before, after = json.loads(load.finish())["began"]
    assert recorder.wait() == 0, recorder.stderr
    theirs = json.loads(profile.read_text())
    merge, slack = ["--merge", profile], 100
    if isinstance(theirs, list) or "baseTimeNanoseconds" not in theirs:
        said = report(recording, *merge, rc=2).stderr
        assert "--merge-at" in said and len(said.splitlines()) == 1
        merge += ["--merge-at", base_stamp(before)]
        slack += (after - before) / 1000
    merged = json.loads(report(recording, *merge).stdout)
    theirs, merged = (t if isinstance(t, list) else t["traceEvents"] for t in (theirs, merged))
    assert [e for e in merged if e.get("cat") != "iolat"] == theirs
    events = [e for e in merged if e.get("cat") == "iolat"]
    check(events, since=-base.LIMIT * 1e6)  # recording began before the profiler
    loads = [e for e in theirs if "DataLoader" in e["name"] and e["ph"] == "X"]
    found = requests(events, load.pid)
    assert len(found) == COUNT and loads
    for begin, end, _ in found:
        assert any(s["ts"] - slack <= begin and end <= s["ts"] + s["dur"] + slack for s in loads)


def base_stamp(ns):
    import datetime
    whole = datetime.datetime.fromtimestamp(ns // 10**9, datetime.timezone.utc)
    return whole.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ns % 10**9:09d}Z"


@pytest.mark.parametrize("text, said", [("{}", "no traceEvents"), ("", "empty"), ("[1", "cut"), ("nope", "neither")])
def test_what_is_no_trace(profiled, tmp_path, text, said):
    recording, other = profiled[0], tmp_path / "other.json"
    other.write_text(text)
    stderr = report(recording, "--merge", other, rc=1).stderr
    assert said in stderr and len(stderr.splitlines()) == 1


def test_usage(tmp_path):
    for words in (["--merge", "x"], ["-f", "json", "--merge", "x"], ["-f", "trace", "--merge-at", "2026-01-01T00:00:00Z"],
                  ["-f", "trace", "--merge", "x", "--merge-at", "90s"], ["-f", "trace", "--events"]):
        done = trace.run("report", tmp_path / "none", *words, rc=2)
        assert len(done.stderr.splitlines()) == 1
    assert "No such file" in report(tmp_path / "none", "--merge", tmp_path / "x", rc=1).stderr
