"""Phases by the log of a real PyTorch training: cold and warm epochs, a set that does not fit, checkpoints; live and recorded."""
import json
import os
import pathlib

import pytest

from lib import base, trace

TRAINING = base.TESTS / "lib" / "epochs.py"
FILES, SIZE = 32, 1 << 20


@pytest.fixture(autouse=True, scope="module")
def torch():
    base.need(not base.sh(base.PYTHON, "-c", "import torch.utils.data", check=False, timeout=60).returncode, "python3-torch is not installed")


@pytest.fixture
def data_set(slow_disk, ext4):
    """data_set(): a folder of files on a disk whose reads take 5 ms; none of it is cached."""
    def make(files=FILES, read_ms=5, size_mb=128, **how):
        disk = slow_disk(read_ms=read_ms, size_mb=size_mb, **how)
        folder = ext4(disk) / "data"
        folder.mkdir()
        for i in range(files):
            (folder / f"{i}.bin").write_bytes(os.urandom(SIZE))
        base.sh("sync", "-f", folder)
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
        return disk, folder
    return make


class Training:
    """Ready, but it has not begun."""

    def __init__(self, held, log, folder, *args):
        self.load = held(base.PYTHON, TRAINING, log, folder, *args, env=base.clean_env(OMP_NUM_THREADS="1"))
        self.load.go()
        self.pid = json.loads(self.load.proc.stdout.readline())["pid"]

    def finish(self):
        return self.load.go().wait(timeout=100)


@pytest.fixture
def train(held):
    return lambda log, folder, *args: Training(held, log, folder, *args)


def check_epochs(phases, n=3):
    assert [p["name"] for p in phases] == [f"epoch {i}" for i in range(n)]
    for p, following in zip(phases, phases[1:] + [None]):
        assert not p["open"] and p["start"] < p["end"] and (not following or p["end"] <= following["start"])
        assert p["reread_bytes"] <= p["bytes"]


def drops():
    """How often anybody has emptied the page cache."""
    return dict(line.split() for line in open("/proc/vmstat")).get("drop_pagecache")


def trained(data_set, train, iolat, folder):
    """What is said of three epochs. Nobody else empties the cache in between, or it is done again."""
    for _ in range(5):
        disk, files = data_set()
        log, before = folder() / "train.log", drops()
        training = train(log, files)
        run = iolat("--pid", training.pid, "--device", disk.name, "--log", log)
        training.finish()
        summary = run.end()
        if drops() == before:
            return summary
    return summary


def test_cold_and_then_warm(data_set, train, iolat, folder):
    """The first epoch reads the whole set and its workers wait, the others read next to nothing."""
    summary = trained(data_set, train, iolat, folder)
    phases = summary["phases"]
    check_epochs(phases)
    first, *later = phases
    assert FILES * SIZE <= first["bytes"] < 1.2 * FILES * SIZE
    assert first["reread_bytes"] == 0 and first["p50_ns"] >= 5 * base.MS
    assert all(p["bytes"] < SIZE and p["reread_bytes"] < SIZE for p in later)
    assert first["blocked_pct"] > 30 > max(p["blocked_pct"] for p in later)
    assert sorted(w["worker"]["index"] for w in first["workers"]) == [0, 1]
    assert all(0 < w["blocked_ns"] <= w["wall_ns"] <= first["duration_ns"] for w in first["workers"])
    finding = trace.finding(summary, "cold-cache")
    assert finding["evidence"]["first_bytes"] == pytest.approx(first["bytes"], rel=0.05)
    assert not trace.findings(summary, "larger-than-memory")


def test_larger_than_its_memory(data_set, train, iolat, folder, cgroup):
    """A cgroup that may hold a fourth of the set: each epoch reads the same again."""
    disk, files = data_set(read_ms=1)
    log = folder() / "train.log"
    training = train(log, files, "--workers=1")
    limited = cgroup("small")
    memory = limited.dirs[-1]
    limit = memory / "memory.max" if (memory / "memory.max").exists() else memory / "memory.limit_in_bytes"
    base.need(limit.exists(), "no memory controller", ci=False)
    limited.add(training.pid)  # what it has by now is charged elsewhere
    limit.write_text(f"{16 << 20}\n")
    run = iolat("--pid", training.pid, "--device", disk.name, "--log", log)
    training.finish()
    summary = run.end()
    check_epochs(summary["phases"])
    for p in summary["phases"][1:]:
        assert p["bytes"] > 0.6 * FILES * SIZE and p["reread_bytes"] > 0.8 * p["bytes"]
    assert trace.finding(summary, "larger-than-memory")["evidence"]["epochs"] == 3
    assert not trace.findings(summary, "cold-cache")


def test_checkpoints(slow_disk, ext4, data_set, train, iolat, folder):
    """fsync in the epochs on a disk that writes slowly: the stall is named with an epoch."""
    _, files = data_set(files=4, read_ms=0)
    target = ext4(slow_disk(write_ms=50, size_mb=32)) / "checkpoint"
    log = folder() / "train.log"
    training = train(log, files, f"--sync={target}")
    run = iolat("--pid", training.pid, "--log", log)
    training.finish()
    summary = run.end()
    finding = trace.finding(summary, "sync-stall")
    assert "most in epoch " in finding["text"]
    assert 0 < finding["evidence"]["phase_wait_ns"] <= finding["evidence"]["wait_ns"]


def test_recorded(data_set, train, start_iolat, folder):
    """A recording made with --log has the phases; one made without gets them from the log, the same ones."""
    _, files = data_set(files=8)
    log, with_log, without = folder() / "train.log", folder() / "with.iolat", folder() / "without.iolat"
    training = train(log, files)
    runs = [start_iolat("record", "-o", with_log, "--pid", training.pid, "--log", log),
            start_iolat("record", "-o", without, "--pid", training.pid)]
    training.finish()
    for run in runs:
        assert run.wait() == 0 and run.stderr == "", run.stderr

    def report(*args):
        done = trace.run("report", *args, rc=0)
        assert done.stderr == ""
        return done.stdout

    def phases(*args):
        return trace.objects(report("-f", "json", *args))[-1]["phases"]
    recorded, later = phases(with_log), phases(without, "--log", log)
    check_epochs(recorded)
    check_epochs(later)
    assert phases(without) is None
    for a, b in zip(recorded, later):
        assert (a["name"], a["duration_ns"]) == (b["name"], b["duration_ns"])
        assert a["bytes"] == pytest.approx(b["bytes"], rel=0.05, abs=65536)
    assert phases(with_log, "--log", log) == recorded
    table = report(with_log)
    assert "PHASE" in table and all(line.endswith(f"epoch {i}") for i, line in enumerate(
        line for line in table.splitlines() if line.endswith(("epoch 0", "epoch 1", "epoch 2"))))
    lines = [line for line in report("-f", "csv", with_log).splitlines() if ",phase," in line]
    assert len(lines) == 3 and all(f",epoch {i}," in line for i, line in enumerate(lines))


def test_a_log_that_comes_later_and_is_replaced(data_set, start_iolat, folder):
    """COMMAND makes its log, and begins it anew as another file."""
    _, files = data_set(files=4, read_ms=0)
    log = folder() / "train.log"
    script = (f"import os, time\n"
              f"def say(mode, what):\n"
              f"    with open({str(log)!r}, mode) as f: f.write(time.strftime('%Y-%m-%d %H:%M:%S') + '.5 ' + what + chr(10))\n"
              f"def read():\n"
              f"    for e in os.scandir({str(files)!r}): open(e.path, 'rb').read()\n"
              f"say('w', 'Epoch 0 starts'); read(); time.sleep(1.2)\n"
              f"os.rename({str(log)!r}, {str(log)!r} + '.1')\n"
              f"say('w', 'Epoch 1 starts'); read(); time.sleep(1.2)\n")
    run = start_iolat("-f", "json", "-i", "0", "--user-command", "root", "--log", log, command=[base.PYTHON, "-c", script])
    summary = run.end()
    assert [p["name"] for p in summary["phases"]] == ["epoch 0", "epoch 1"]
