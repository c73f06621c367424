"""What holds for every JSON object that iolat writes: its keys, and the sums that must come out."""
import datetime
import math

TOP = {"schema", "type", "iolat", "host", "kernel", "start", "end", "duration_ns", "by", "submission", "clock_synchronized", "hooks",
       "coverage", "rows", "tasks", "stuck", "phases", "gpus", "findings"}
COVERAGE = {"requests", "lost", "aggregated", "unmatched", "unowned", "map_full", "backward", "missed", "names_lost", "waits_lost",
            "devices"}
COVERED = {"device", "kernel", "seen", "model", "rotational", "scheduler", "nr_requests", "transport", "stands_on"}
ROW = {"owner_from", "via", "ios", "bytes", "errors", "requeues", "merged", "random_pct", "latency", "size"}
KEYS = {"process": {"pid", "ns_pid", "comm", "role", "rank"}, "thread": {"tid", "comm"}, "cgroup": {"id", "path"},
        "worker": {"index", "rank", "pid", "role"},
        "container": {"runtime", "id", "name"}, "pod": {"namespace", "name", "uid"}, "job": {"id", "step"},
        "device": {"name", "major", "minor", "diskseq"}, "op": None, "host": None, "file": {"path", "inode"}, "fs": {"type", "source", "mount"}}
LATENCY = {"count", "min_ns", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "histogram"}
SIZE = {"min_bytes", "mean_bytes", "max_bytes"}
OPS = {"read", "write", "flush", "discard", "other"}


def check(o):
    assert o.keys() >= TOP, TOP - o.keys()
    assert o["schema"] == "iolat/1"
    assert o["type"] in ("interval", "snapshot", "summary")
    start, end = (datetime.datetime.fromisoformat(o[k].replace("Z", "+00:00")) for k in ("start", "end"))
    assert start.tzinfo and end.tzinfo, "wall-clock stamps carry their zone"
    assert abs((end - start).total_seconds() - o["duration_ns"] / 1e9) < 1
    assert o["submission"] in ("bio", "request")
    assert o["hooks"] and all(h.keys() == {"name", "attached", "required"} for h in o["hooks"])
    assert all(h["attached"] for h in o["hooks"] if h["required"])
    check_coverage(o["coverage"])
    for row in o["rows"]:
        check_row(row, set(o["by"]))
    for check_one, found in ((check_task, o["tasks"]), (check_stuck, o["stuck"]), (check_finding, o["findings"]),
                             (check_phase, o["phases"])):
        for one in found or []:
            check_one(one)
    identities = [identity(row, o["by"]) for row in o["rows"]]
    assert len(identities) == len(set(identities)), f"two rows of one key: {[i for i in identities if identities.count(i) > 1][:4]}"


REASONS = {"disk", "throttle", "network_fs", "fuse", "page_fault", "other"}
TASK = {"process", "thread", "worker", "container", "wall_ns", "blocked_ns", "blocked_pct", "reasons"}
STUCK = {"process", "thread", "container", "device", "op", "sector", "bytes", "age_ns", "stage", "inferred"}


def check_task(t):
    assert t.keys() >= TASK, TASK - t.keys()
    assert t["process"]["pid"] > 0 and t["thread"]["tid"] > 0
    assert t["reasons"].keys() == REASONS
    assert sum(t["reasons"].values()) == t["blocked_ns"]
    assert 0 <= t["blocked_pct"] <= 100


def check_stuck(k):
    assert k.keys() >= STUCK, STUCK - k.keys()
    assert k["stage"] in ("queue", "device", "before-request")
    assert k["inferred"] == (k["stage"] == "before-request")
    assert not k["inferred"] or (k["sector"] is None and k["bytes"] is None)


PHASE = {"name", "start", "end", "duration_ns", "ios", "bytes", "reread_bytes", "p50_ns", "p99_ns", "blocked_pct"}


def check_phase(p):
    assert p.keys() >= PHASE, PHASE - p.keys()
    assert p["name"] and p["start"] <= p["end"]
    assert (p["p50_ns"] is None) == (p["p99_ns"] is None) == (p["ios"] == 0)
    assert p["ios"] == 0 or p["p50_ns"] <= p["p99_ns"]
    for w in p["workers"] or []:
        assert w["process"]["pid"] > 0 and 0 <= w["blocked_ns"] <= w["wall_ns"]
    assert p["blocked_pct"] is None or 0 <= p["blocked_pct"] <= 100


def check_finding(f):
    assert f.keys() == {"code", "subject", "text", "evidence"}
    assert f["subject"] and f["text"] and f["evidence"]
    assert all(isinstance(v, (int, float, str)) for k, v in f["evidence"].items() if k != "files")
    assert all(file.keys() == {"path", "inode", "wait_ns"} for file in f["evidence"].get("files", []))


def identity(row, by):
    ids = {"process": ("pid",), "thread": ("tid",), "worker": ("pid",), "cgroup": ("id",), "device": ("name", "diskseq"), "container": ("runtime", "id"),
           "pod": ("uid",), "job": ("id", "step"), "file": ("path", "inode"), "fs": ("type", "source", "mount")}
    found = [tuple((row[k] or {}).get(i) for i in ids[k]) if k in ids else row[k] for k in by]
    if "process" in by:  # a pid may have been used twice
        found.append(row["via"])
    return tuple(found) + (row["owner_from"],)


def check_coverage(c):
    assert c.keys() >= COVERAGE, COVERAGE - c.keys()
    for d in c["devices"]:
        assert d.keys() >= COVERED, COVERED - d.keys()
    assert sum(d["seen"] for d in c["devices"]) >= 0


def check_row(row, by):
    assert row.keys() == ROW | by, row.keys() ^ (ROW | by)
    for key in by & KEYS.keys():
        if KEYS[key] and row[key] is not None:
            assert row[key].keys() >= KEYS[key], (key, row[key])
    assert row["owner_from"] in ("task", "bio", "page", None)
    if "op" in by:
        assert row["op"] in OPS
    if row.get("process") is not None:
        assert row["process"]["pid"] > 0 and row["process"]["comm"] != ""
    assert row["errors"] <= row["ios"]
    assert row["random_pct"] is None or 0 <= row["random_pct"] <= 100
    check_latency(row)
    check_size(row)


def check_latency(row):
    latency = row["latency"]
    assert latency.keys() == {"total", "queue", "device"}
    total, queue, device = latency["total"], latency["queue"], latency["device"]
    for part in (total, queue, device):
        if part is not None:
            check_distribution(part)
    if total is None:
        assert row["ios"] == 0 and queue is None and device is None
        return
    assert total["count"] == row["ios"]
    for part in (queue, device):
        if part is not None:
            assert part["count"] <= total["count"]
            assert part["max_ns"] <= total["max_ns"]
    if queue is not None and device is not None and queue["count"] == device["count"] == total["count"]:
        assert abs(queue["mean_ns"] + device["mean_ns"] - total["mean_ns"]) <= 2, "queue + device == total"


def check_distribution(d):
    assert d.keys() == LATENCY
    buckets = d["histogram"]
    assert all(b.keys() == {"le_ns", "count"} and b["count"] > 0 for b in buckets)
    edges = [b["le_ns"] for b in buckets]
    assert edges == sorted(set(edges)), "buckets in rising order"
    assert sum(b["count"] for b in buckets) == d["count"] > 0
    assert d["min_ns"] <= d["mean_ns"] <= d["max_ns"]
    assert d["min_ns"] <= edges[0] and d["max_ns"] <= edges[-1]
    for p, key in ((0.5, "p50_ns"), (0.9, "p90_ns"), (0.99, "p99_ns"), (0.999, "p999_ns")):
        assert d[key] == min(percentile(buckets, d["count"], p), d["max_ns"]), key


def percentile(buckets, count, p):
    rank, seen = math.ceil(round(p * count, 6)), 0
    for b in buckets:
        seen += b["count"]
        if seen >= rank:
            return b["le_ns"]


def check_size(row):
    size = row["size"]
    assert size.keys() == SIZE
    if size["min_bytes"] is None:  # nothing that has a size
        assert size["mean_bytes"] is None and size["max_bytes"] is None
    else:
        assert size["min_bytes"] <= size["mean_bytes"] <= size["max_bytes"]
