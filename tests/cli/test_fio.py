"""`iolat report -f fio`: what was recorded, replayed by the real fio and recorded again."""
import csv
import io
import os
import subprocess

import pytest

from lib import base, trace


def events(path, *args):
    done = trace.run("report", path, "--events", "-f", "csv", *args, rc=0)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def accesses(path, *args):
    return sorted((int(e["sector"]), int(e["bytes"]), e["op"]) for e in events(path, *args))


@pytest.fixture
def recorded(start_iolat, loop_disk, doio, folder):
    """Two readers and a writer of a disk, the reader pausing in between."""
    disk, out = loop_disk(), folder() / "run.iolat"
    loads = [doio("read", disk, count=20), doio("read", disk, count=10, size=16384, offset=1 << 20),
             doio("write", disk, count=5, offset=2 << 20)]
    recorder = start_iolat("record", "-o", out, "-d", disk.name)
    for load in loads:
        load.finish()
    recorder.stop()
    return out, loads


def replay(start_iolat, folder, job, disk, *args):
    """Runs fio on the job file against the disk; the recording of that."""
    base.need_tool("fio")
    out = folder() / "again.iolat"
    recorder = start_iolat("record", "-o", out, "-d", disk.name)
    done = subprocess.run(["fio", *args, job.name], cwd=job.parent, env=base.clean_env(TARGET=disk.path), capture_output=True,
                          text=True, timeout=base.LIMIT)
    recorder.stop()
    assert done.returncode == 0, done.stderr + done.stdout
    return out


@pytest.fixture
def job_of(run_iolat, folder):
    def make(recording, *args):
        job = folder() / "run.fio"
        done = run_iolat("report", recording, "-f", "fio", "-o", job.name, *args, rc=0, cwd=job.parent)
        assert (done.stdout, done.stderr) == ("", "")
        return job
    return make


def test_reads_are_replayed(recorded, job_of, start_iolat, loop_disk, folder):
    """The same offsets and sizes on another disk, a job for each process; nothing is written."""
    path, loads = recorded
    job = job_of(path)
    for load in loads[:2]:
        assert f"[python3-{load.pid}]" in job.read_text()
    again = replay(start_iolat, folder, job, loop_disk(), "--readonly")
    assert accesses(again, "--name", "fio") == accesses(path, "--op", "read")
    by_process = {}
    for e in events(again, "--name", "fio"):
        by_process.setdefault(e["thread_tid"], []).append(int(e["bytes"]))
    assert sorted(map(sum, by_process.values())) == [20 * 4096, 10 * 16384]


def test_writes_on_request(recorded, job_of, start_iolat, loop_disk, folder):
    path, _ = recorded
    assert "write" not in "".join(p.read_text() for p in job_of(path).parent.glob("*.log"))
    job = job_of(path, "--op", "read,write")
    assert "WRITES" in job.read_text()
    again = replay(start_iolat, folder, job, loop_disk())
    assert accesses(again, "--name", "fio", "--op", "read,write") == accesses(path, "--op", "read,write")


def test_the_same_times(start_iolat, slow_disk, loop_disk, doio, job_of, folder):
    """On a faster disk the requests come at the times that they came at, or at once where fio is told so."""
    slow, out = slow_disk(read_ms=50), folder() / "run.iolat"
    load = doio("read", slow, count=10)
    recorder = start_iolat("record", "-o", out, "-d", slow.name)
    load.finish()
    recorder.stop()

    def took(path, *args):
        stamps = sorted(e["start"] for e in events(path, *args))
        seconds = [float(s[17:29]) + 60 * int(s[14:16]) for s in (stamps[0], stamps[-1])]
        return (seconds[1] - seconds[0]) % 3600
    job, fast = job_of(out), loop_disk()
    timed = took(replay(start_iolat, folder, job, fast, "--readonly"), "--name", "fio")
    assert took(replay(start_iolat, folder, job, fast, "--readonly", "--replay_no_stall=1"), "--name", "fio") < timed


def test_where_it_goes(recorded, folder, run_iolat):
    """Several files: -o is a must, and what fio takes for more than a name is refused."""
    path, _ = recorded
    for args in ([], *(["-o", folder() / name] for name in ("a:b", "a;b", "a#b", "a$ncpus", "a\nb"))):
        done = run_iolat("report", path, "-f", "fio", *args, rc=2)
        assert len(done.stderr.splitlines()) == 1 and "--output" in done.stderr
    done = run_iolat("report", path, "-f", "fio", "-o", folder() / "none" / "x", rc=1)
    assert len(done.stderr.splitlines()) == 1 and "folder must exist" in done.stderr
    place = folder()
    os.mkdir(place / "run.fio.0.log")
    done = run_iolat("report", path, "-f", "fio", "-o", place / "run.fio", rc=1)
    assert len(done.stderr.splitlines()) == 1 and not (place / "run.fio").exists()


def test_no_room(recorded, folder, run_iolat):
    """Where a log or the job file does not fit, it is said which, and nothing stays."""
    path, _ = recorded
    for room in (1, 2):
        place = folder()
        base.sh("mount", "-t", "tmpfs", "-o", f"size={room * 4096}", "none", place)
        try:
            done = run_iolat("report", path, "-f", "fio", "-o", place / "run.fio", rc=1)
            assert done.stderr.count("\n") == 1 and f"cannot write to {place}/run.fio" in done.stderr
            assert "No space left" in done.stderr and not os.listdir(place)
        finally:
            base.sh("umount", place)
