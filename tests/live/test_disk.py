"""`doctor --disk`: what fio gets from a slow disk, beside what a recorded run got from it."""
import json
import os
import pathlib

import pytest

from lib import base, trace


@pytest.fixture
def place(slow_disk, ext4):
    """A slow disk with a file system, and a folder of data on it."""
    base.need_tool("fio")
    disk = slow_disk(read_ms=5, size_mb=256)
    folder = ext4(disk) / "data"
    folder.mkdir()
    return disk, folder


def doctor(*args, rc=0, **kw):
    done = trace.run("doctor", "--disk", *args, "-f", "json", rc=rc, **kw)
    return json.loads(done.stdout)


def fill(folder, files=3, size_mb=30):
    for i in range(files):
        (folder / f"{i}: odd").write_bytes(os.urandom(size_mb << 20))
    base.sh("sync", "-f", folder)


def test_existing_files(place):
    """They are read and nothing else; the disk's 5 ms show."""
    disk, folder = place
    fill(folder)
    before = sorted((e.name, e.stat().st_mtime_ns) for e in os.scandir(folder))
    said = doctor(folder)
    assert sorted((e.name, e.stat().st_mtime_ns) for e in os.scandir(folder)) == before
    assert (said["kind"], said["type"], said["devices"], said["scratch"]) == ("local", "ext4", [disk.name], False)
    assert said["mount"] == str(folder.parent) and said["source"] == disk.path and said["not_measured"] is None
    small = said["measured"][0]
    assert (small["pattern"], small["block_bytes"], small["readers"], small["direct"]) == ("random", 4096, 1, True)
    assert small["p50_ns"] >= 5 * base.MS and 0 < small["iops"] <= 200
    assert said["training"] is None


def test_a_scratch_file(place):
    """Nothing of it is left."""
    _, folder = place
    said = doctor(folder)
    assert said["scratch"] and said["measured"][0]["p50_ns"] >= 5 * base.MS
    assert os.listdir(folder) == []
    table = trace.run("doctor", "--disk", folder, rc=0).stdout
    assert "random reads, 4.0K, 1 at a time" in table and "ext4" in table


def test_beside_a_training(place, held, start_iolat, tmp_path):
    """One reader of small pieces, who pauses: the disk could do more; its block size and depth are asked for."""
    disk, folder = place
    fill(folder)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
    script = (f"import os, time, mmap\nb = mmap.mmap(-1, 16384)\nfd = os.open({str(folder / '0: odd')!r}, os.O_RDONLY | os.O_DIRECT)\n"
              "for i in range(40):\n    os.preadv(fd, [b], i << 18)\n    time.sleep(0.03)\n")
    load = held(base.PYTHON, "-c", script)
    recorder = start_iolat("record", "-o", tmp_path / "run.iolat", "--pid", load.pid)
    load.finish()
    assert recorder.wait() == 0
    said = doctor(folder, tmp_path / "run.iolat")
    assert said["training"]["mean_bytes"] == 16384 and said["training"]["depth"] < 1
    assert [(m["pattern"], m["block_bytes"], m["readers"]) for m in said["measured"]] == [
        ("random", 16384, 1), ("sequential", 1 << 20, 1)]
    assert said["measured"][0]["iops"] > 2 * said["training"]["iops"] and "times what the training asked" in said["verdict"]


def test_without_fio(place, tmp_path):
    disk, folder = place
    said = doctor(folder, env=base.clean_env(PATH=str(tmp_path)))
    assert said["measured"] == [] and "not installed" in said["not_measured"] and said["devices"] == [disk.name]


def test_usage(tmp_path):
    for words in (["/nowhere"], ["/", "a", "b"]):
        done = trace.run("doctor", "--disk", *words, rc=2)
        assert len(done.stderr.splitlines()) == 1
    trace.run("doctor", "a", rc=2)
    assert "No such file" in trace.run("doctor", "--disk", "/", tmp_path / "none", rc=1).stderr
