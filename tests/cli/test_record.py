"""Recordings: what `report` says is what the live run would have said; broken files are read as far as they are whole."""
import contextlib
import json
import os
import signal
import subprocess

import pytest

from lib import base, trace


def report(*args, rc=0):
    done = trace.run("report", *args, rc=rc)
    assert len(done.stderr.splitlines()) <= 1, done.stderr
    return done


def summary(*args):
    return trace.objects(report(*args, "-f", "json").stdout)[-1]


@pytest.fixture
def recorded(tmp_path, start_iolat, loop_disk, doio):
    """A disk, the process that read 10 blocks of it, and the recording of that."""
    disk, path = loop_disk(), tmp_path / "run.iolat"
    load = doio("read", disk, count=10)
    with_live = start_iolat("-f", "json", "-i", "0", "--pid", load.pid, "--device", disk.name)
    recorder = start_iolat_record(start_iolat, path, "--pid", load.pid, "--device", disk.name)
    load.finish()
    assert recorder.wait() == 0, recorder.stderr
    assert recorder.stderr == "" and "10 requests" in recorder.stdout
    return disk, load, path, with_live


def start_iolat_record(start_iolat, path, *args, **kw):
    return start_iolat("record", "-o", path, *args, **kw)


def test_a_report_is_the_run(recorded):
    """Rows and coverage equal those of a live run beside it."""
    disk, load, path, live = recorded
    said = summary(path)
    row = trace.one(trace.rows(said, device=disk))
    assert (row["process"]["pid"], row["ios"], row["op"]) == (load.pid, 10, "read")
    other = trace.one(trace.rows(live.end(), device=disk))
    for key in ("process", "device", "op", "owner_from", "ios", "bytes", "errors", "merged", "size"):
        assert row[key] == other[key], key
    assert row["latency"]["total"]["count"] == 10
    assert said["coverage"]["requests"] == 10 and said["coverage"]["lost"] == 0


def test_every_format_and_key(recorded):
    disk, load, path, _ = recorded
    assert str(load.pid) in report(path).stdout
    assert report(path, "-f", "csv", "-b", "device,op").stdout.count("\n") == 2
    assert trace.one(trace.rows(summary(path, "-b", "device"), device=disk))["ios"] == 10


def test_frames_add_up(recorded):
    """With --interval the frames' requests are the summary's."""
    _, _, path, _ = recorded
    *frames, last = trace.objects(report(path, "-f", "json", "-i", "10ms").stdout)
    assert frames and last["type"] == "summary"
    assert sum(r["ios"] for f in frames for r in f["rows"]) == 10


def test_needs_no_root(recorded, tmp_path):
    _, _, path, _ = recorded
    os.chmod(path, 0o644)
    text = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", base.IOLAT, "report", "/dev/stdin", "-f", "json"],
                          stdin=open(path, "rb"), capture_output=True, text=True, timeout=base.LIMIT)
    if "Permission denied" in text.stderr:  # the build folder itself is closed to others
        base.need(False, "the program's folder is closed to other users")
    assert json.loads(text.stdout)["coverage"]["requests"] == 10, text.stderr


def test_a_killed_recorder(tmp_path, start_iolat, loop_disk, doio):
    """SIGKILL leaves what was written; the report says that the end is missing and exits 0."""
    disk, path = loop_disk(), tmp_path / "run.iolat"
    load = doio("read", disk, count=10)
    recorder = start_iolat_record(start_iolat, path, "--device", disk.name)
    load.finish()
    base.wait_until("the requests on disk", lambda: json.loads(report(path, "-f", "json").stdout)["coverage"]["requests"] == 10)
    recorder.send(signal.SIGKILL)
    recorder.wait()
    done = report(path, "-f", "json")
    assert "end is missing" in done.stderr
    assert trace.one(trace.rows(trace.objects(done.stdout)[-1], device=disk))["ios"] == 10


def test_cut_anywhere(recorded, tmp_path):
    """A cut recording is read to its last whole block, with one warning and status 0."""
    _, _, path, _ = recorded
    whole = path.read_bytes()
    for at in range(24, len(whole), max(1, len(whole) // 40)):
        cut = tmp_path / "cut"
        cut.write_bytes(whole[:at])
        done = report(cut, "-f", "json")
        assert "end is missing" in done.stderr
        got = json.loads(done.stdout)
        assert got["coverage"]["requests"] in range(0, 11)
        assert (got["host"] is None) == (got["start"] is None) == (got["end"] is None)  # not one block


@pytest.mark.parametrize("content, words", [
    (b"", "not a recording"), (b"text\n" * 10, "not a recording"),
    (b"iolat\r\n\x1a\x63\0\0\0\4\3\2\1", "format 99"), (b"iolat\r\n\x1a\1\0\0\0\4\3\2\1", "format 1,"),
    (b"iolat\r\n\x1a\2\0\0\0\4\3\2\1", "format 2,"),
    (b"iolat\r\n\x1a\3\0\0\0\1\2\3\4", "byte order")])
def test_what_is_no_recording(tmp_path, content, words):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert words in report(path, rc=1).stderr


def test_missing_file(tmp_path):
    assert "No such file" in report(tmp_path / "none", rc=1).stderr


def test_usage(tmp_path):
    """Files and --output are told to be missing; options of the other commands are refused."""
    for args in (["report"], ["record"], ["record", "-o"], ["report", "x", "--pid-nonsense"], ["report", "a", "--buffer-size", "1M"]):
        done = trace.run(*args, rc=2)
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_output_appears_when_whole(recorded, tmp_path):
    """-o of report: a new file through a temporary one; an existing one is kept when the report fails."""
    _, _, path, _ = recorded
    out = tmp_path / "out.json"
    report(path, "-f", "json", "-o", out)
    assert trace.objects(out.read_text())[-1]["coverage"]["requests"] == 10
    before = out.read_text()
    report(tmp_path / "none", "-o", out, rc=1)
    assert out.read_text() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.json", "run.iolat"]


def open_files(pid):
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed by now
            yield os.readlink(f"/proc/{pid}/fd/{fd}")


def test_a_report_that_is_killed_leaves_nothing(recorded, stack, folder):
    """Half of a file is no file: what was written has no name until it is whole."""
    _, _, path, _ = recorded
    here = folder()
    base.sh("mount", "-t", "tmpfs", here.name, here)
    stack.callback(base.sh, "umount", here)
    os.mkfifo(here / "in")
    report = subprocess.Popen([base.IOLAT, "report", here / "in", "-f", "html", "-o", here / "out"], env=base.clean_env())
    with open(here / "in", "wb") as f:
        f.write(path.read_bytes()[:200])
        f.flush()
        base.wait_until("its output", lambda: len([name for name in open_files(report.pid) if name.startswith(f"{here}/")]) == 2)
        report.kill()
        report.wait(base.LIMIT)
    assert os.listdir(here) == ["in"]


def test_no_space_left(start_iolat, loop_disk, doio):
    """A full disk ends the recording with one line and status 1."""
    load = doio("read", loop_disk(), count=10)
    recorder = start_iolat_record(start_iolat, "/dev/full", "--pid", load.pid, ready=False)
    assert recorder.wait() == 1
    assert "No space left" in recorder.stderr and len(recorder.stderr.splitlines()) == 1
    load.finish()


def test_a_disk_that_fills_up(stack, folder, loop_disk, fio, start_iolat):
    """One line that names the file, whoever of those that write finds it full; the frames behind it say nothing."""
    point = folder() / "small"
    point.mkdir()
    base.sh("mount", "-t", "tmpfs", "-o", "size=4k", point.parent.name, point)
    stack.callback(base.sh, "umount", point)
    load = fio(loop_disk().path, time_based=None, runtime=20, thread=1).go()
    recorder = start_iolat_record(start_iolat, point / "run", ready=False)
    assert recorder.wait() == 1
    load.proc.terminate()
    assert str(point / "run") in recorder.stderr and "No space left" in recorder.stderr and len(recorder.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [[], ["-f", "json"]], ids=str)
@pytest.mark.parametrize("where, why", [(">/dev/full", "No space left"), (">&-", "Bad file descriptor"), (">&- 2>&-", "")])
def test_words_beside_the_file_that_nobody_gets(program, folder, words, where, why):
    """Status 1 and one line; the recording is whole, and no word of it lies in there."""
    out, idle = folder() / "run", ["--pid", str(os.getpid())]
    done = base.sh("sh", "-c", f'exec "$@" {where}', "sh", program, "record", "-o", out, "-D", "50ms", *idle, *words, env=base.clean_env(), check=False)
    assert done.returncode == 1 and why in done.stderr and len(done.stderr.splitlines()) == bool(why), done.stderr
    assert trace.run("report", out, rc=0).stderr == ""


def test_how_its_summary_looks(program, folder):
    """As a live run's would."""
    done = trace.run("record", "-o", folder() / "run", "-D", "50ms", "-f", "table", "-n", "1", "--sort", "ios", "--columns", "pid,ios", "--stuck", "5s",
                     rc=0)
    assert "requests" in done.stdout


# --- where it is written to ---------------------------------------------------------------------

def test_on_the_disk_that_it_traces(start_iolat, loop_disk, ext4, folder):
    """It warns, and what it writes itself is in no row; the disk's own count shows it."""
    disk = loop_disk()
    point = ext4(disk)
    path = point / "run.iolat"
    recorder = start_iolat_record(start_iolat, path, "--device", disk.name, "-f", "json")
    base.sh("dd", "if=/dev/zero", f"of={point}/file", "bs=4k", "count=10", "oflag=direct")
    recorder.send(signal.SIGINT)
    assert recorder.wait() == 0
    assert "kept busy" in recorder.stderr and len(recorder.stderr.splitlines()) == 1
    said = summary(path)
    assert said == trace.objects(recorder.stdout)[-1]
    comms = {r["process"]["comm"] for r in said["rows"] if r["process"]}
    assert "dd" in comms and "iolat" not in comms
    assert trace.coverage(said, disk)["seen"] > trace.total(said["rows"], "ios")


def test_max_size(start_iolat, loop_disk, fio, folder):
    """It ends the recording, behind a block of at most 256K, with one warning and status 0; what is there is whole."""
    disk, path = loop_disk(), folder() / "run.iolat"
    load = fio(disk.path, time_based=None, runtime=20).go()
    recorder = start_iolat_record(start_iolat, path, "--device", disk.name, "--max-size", "64K")
    assert recorder.wait() == 0
    assert "ended early: it has reached --max-size" in recorder.stderr and len(recorder.stderr.splitlines()) == 1
    load.proc.terminate()
    assert (64 << 10) <= path.stat().st_size < (64 + 256 + 16) << 10
    done = report(path, "-f", "json")
    assert done.stderr == "" and json.loads(done.stdout)["coverage"]["requests"] > 1000


def test_rotation(start_iolat, loop_disk, fio, folder):
    """Each file is a recording of its own: together they have every request once, and names for them."""
    disk, path = loop_disk(), folder() / "run.iolat"
    load = fio(disk.path, time_based=None, runtime=4)
    recorder = start_iolat_record(start_iolat, path, "--pid", load.pid, "--max-size", "64K", "--rotate", "1000", "-f", "json")
    load.go()
    assert recorder.wait() == 0 and recorder.stderr == ""
    files, whole = sorted(path.parent.iterdir()), trace.objects(recorder.stdout)[-1]
    assert len(files) > 2 and [f.name for f in files] == [f"run-{i + 1:06}.iolat" for i in range(len(files))]
    parts = [summary(f) for f in files]
    assert sum(trace.total(p["rows"], "ios") for p in parts) == trace.total(whole["rows"], "ios")
    assert sum(p["coverage"]["lost"] for p in parts) == whole["coverage"]["lost"]
    done = report(*files, "-f", "json")
    together = trace.objects(done.stdout)[-1]
    assert done.stderr == "" == report(*files[1:]).stderr  # the oldest ones go
    gap = report(files[0], *files[2:])
    assert f"{files[2]}: the file before it is missing" in gap.stderr
    for key in ("start", "duration_ns", "rows", "tasks", "findings", "hooks"):
        assert together[key] == whole[key], key
    assert trace.coverage(together, disk) == trace.coverage(whole, disk)  # nothing is lost between two files
    devices, all_devices = (s["coverage"].pop("devices") for s in (together, whole))
    assert together["coverage"] == whole["coverage"]
    assert [d["device"] for d in devices] == [d["device"] for d in all_devices]
    assert len(report(*files, "-f", "csv", "--events").stdout.splitlines()) == 1 + together["coverage"]["requests"]
    assert "svg" in report(*files, "-f", "html").stdout
    for before, part in [(a, b) for a, b in zip(parts, parts[1:]) if b["rows"]]:  # the last one may have come too late for any
        assert {r["process"]["comm"] for r in part["rows"]} == {"fio"} and before["end"] <= part["start"]
        assert trace.rows(part, device=disk) and trace.coverage(part, disk)["seen"]  # it may read pages of its own from another disk
        assert part["host"] == whole["host"] and part["tasks"] and part["hooks"] == whole["hooks"]


def test_rotation_with_a_disk_that_is_gone(start_iolat, loop_disk, fio, folder):
    """What others have done on it is known to the end, in the run's own summary and in that of its files."""
    disk, other, path = loop_disk(), loop_disk(), folder() / "run.iolat"
    load = fio(disk.path, time_based=None, runtime=20)
    recorder = start_iolat_record(start_iolat, path, "--pid", load.pid, "--max-size", "64K", "--rotate", "1000", "-f", "json")
    load.go()
    base.sh("dd", f"if={other.path}", "of=/dev/null", "bs=4k", "count=50", "iflag=direct", "status=none")
    base.wait_until("two files", lambda: len(list(path.parent.iterdir())) > 2)
    base.sh("losetup", "-d", other.path)
    base.sh("losetup", other.path, other.file)
    base.sh("dd", f"if={other.path}", "of=/dev/null", "bs=4k", "count=10", "iflag=direct", "status=none")
    load.proc.terminate()
    assert recorder.wait() == 0 and recorder.stderr == ""
    whole, together = trace.objects(recorder.stdout)[-1], summary(*sorted(path.parent.iterdir()))
    for told in (whole, together):
        assert sorted(d["seen"] for d in told["coverage"]["devices"] if d["device"] == other.name) == [10, 50]


def test_rotation_keeps_the_newest(start_iolat, loop_disk, fio, folder):
    """Numbers go on where a run before has ended, what is not a number of theirs stays, only N files do."""
    disk, path = loop_disk(), folder() / "run.iolat"
    others = {"run-1.iolat", "run-0000x1.iolat", "run-000001.iolat.gz", "gun-000001.iolat", "run.iolat"}
    for name in others | {"run-000040.iolat", "run-000041.iolat"}:
        (path.parent / name).write_text("")
    load = fio(disk.path, time_based=None, runtime=20).go()
    recorder = start_iolat_record(start_iolat, path, "--device", disk.name, "--max-size", "64K", "--rotate", "2")
    base.wait_until("some files", lambda: len(list(path.parent.glob("run-00004[5-9].iolat"))) > 1)
    recorder.send(signal.SIGTERM)
    assert recorder.wait() == 0 and "the last of" in recorder.stdout
    load.proc.terminate()
    numbers = sorted(int(p.stem[4:]) for p in path.parent.iterdir() if p.name not in others)
    assert len(numbers) == 2 and numbers[1] == numbers[0] + 1 and numbers[0] > 42
    assert others <= {p.name for p in path.parent.iterdir()}
    assert f"run-{numbers[1]:06}.iolat, the last of {numbers[1] - 41} files" in recorder.stdout
    kept = [json.loads(report(path.with_name(f"run-{n:06}.iolat"), "-f", "json").stdout) for n in numbers]
    assert kept[0]["rows"] and kept[0]["end"] <= kept[1]["start"]  # the last one may have come too late for any row


def test_rotation_without_a_folder(tmp_path):
    done = trace.run("record", "-o", tmp_path / "none" / "run.iolat", "--rotate", "2", "-D", "1s", rc=1)
    assert "No such file" in done.stderr and len(done.stderr.splitlines()) == 1


def test_rotation_of_what_is_no_file(tmp_path):
    done = trace.run("record", "-o", "/dev/null", "--rotate", "2", "-D", "1s", rc=2)
    assert done.stderr == "iolat: --rotate: /dev/null is not a file\n"
    path = tmp_path / "run.iolat"
    assert ", the last of 1 file: " not in trace.run("record", "-o", path, "-D", "100ms", rc=0).stdout
    assert ", the last of 1 file: " in trace.run("record", "-o", path, "--rotate", "2", "-D", "100ms", rc=0).stdout


def test_a_file_system_that_fills(start_iolat, loop_disk, ext4, fio, folder):
    """It ends before less than 5 % are free, although there is still room."""
    disk, point = loop_disk(), ext4(loop_disk(size_mb=16))
    base.sh("dd", "if=/dev/zero", f"of={point}/filler", "bs=64k", check=False)
    with open(point / "filler", "r+b") as f:
        f.truncate(os.fstat(f.fileno()).st_size - (600 << 10))
    load = fio(disk.path, time_based=None, runtime=20).go()
    recorder = start_iolat_record(start_iolat, point / "run.iolat", "--device", disk.name)
    assert recorder.wait() == 0
    assert "less than 5 %" in recorder.stderr and len(recorder.stderr.splitlines()) == 1
    load.proc.terminate()
    assert report(point / "run.iolat").stderr == ""


def test_bytes_a_request(start_iolat, loop_disk, fio, folder):
    """At most 24 bytes a request with the waits of whoever makes them."""
    disk, path = loop_disk(), folder() / "run.iolat"
    load = fio(disk.path, time_based=None, runtime=3)
    recorder = start_iolat_record(start_iolat, path, "--pid", load.pid)
    load.go()
    recorder.wait()
    assert path.stat().st_size < 24 * summary(path)["coverage"]["requests"]


def test_processes_that_do_nothing_take_no_room(start_iolat, loop_disk, tmp_path):
    """Births, names and ends of a thousand others were some 35 bytes each."""
    disk, sizes = loop_disk(), []
    for count in (0, 1000):
        path = tmp_path / f"{count}.iolat"
        recorder = start_iolat_record(start_iolat, path, "--device", disk.name)
        base.sh("sh", "-c", f"i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done")
        recorder.stop()
        sizes.append(path.stat().st_size)
    assert sizes[1] - sizes[0] < 10 * 1000


def test_a_recording_on_the_disk_that_it_traces(start_iolat, loop_disk, ext4, doio):
    """That is told, whether its own numbers are asked for or not; of another disk it is not."""
    disk = loop_disk(size_mb=32)
    point = ext4(disk)
    for options in ((), ("-f", "json")):
        for device, warned in ((disk, True), (loop_disk(), False)):
            load = doio("read", device, count=10)
            recorder = start_iolat_record(start_iolat, point / "run.iolat", "--pid", load.pid, *options)
            load.finish()
            assert recorder.wait() == 0
            assert ("lies on a disk that was traced" in recorder.stderr) == warned, recorder.stderr


KEYS = ["process", "thread", "worker", "cgroup", "container", "pod", "job", "device", "op", "file", "fs", "host"]


def said_of(path, folder, kind):
    """A report in that format, written in full; what stands on standard error beside it."""
    args = ["--events", "-f", "csv"] if kind == "events" else ["-f", kind]
    done = report(path, *args, "-o", folder / kind)
    return (folder / kind).read_text(), done.stderr


def test_every_report_of_a_run_without_requests(start_iolat, loop_disk, tmp_path):
    disk, path = loop_disk(), tmp_path / "run.iolat"
    start_iolat_record(start_iolat, path, "--device", disk.name).stop()
    for kind in ("table", "json", "csv", "html", "trace", "fio", "hdr", "prometheus", "events"):
        text, said = said_of(path, tmp_path, kind)
        assert text and not said, kind
    assert "no requests" in report(path).stdout and report(path, "--from", "12:00:00", "--user", "0").returncode == 0
    assert [summary(path, "-b", key)["rows"] for key in KEYS] == [[]] * len(KEYS)
    assert "nothing to compare" in trace.run("diff", path, path).stdout


def test_every_report_of_what_was_only_counted(start_iolat, loop_disk, doio, tmp_path):
    """Its sums are the load's by any key; where each request would have a line, it is said that there is none."""
    disk, path = loop_disk(), tmp_path / "run.iolat"
    load = doio("read", disk, count=10)
    recorder = start_iolat_record(start_iolat, path, "--device", disk.name, env=base.clean_env(IOLAT_AGGREGATE="1"))
    load.finish()
    recorder.stop()
    for kind in ("table", "json", "csv", "html", "trace", "fio", "hdr", "prometheus", "events"):
        text, said = said_of(path, tmp_path, kind)
        assert text and ("10 of 10 requests were only counted" in said) == (kind in ("trace", "fio", "events")), kind
    assert [trace.total(summary(path, "-b", key)["rows"], "ios") for key in KEYS] == [10] * len(KEYS)


def test_a_trace_begins_at_0(start_iolat, loop_disk, fio, tmp_path):
    """Also of what was in flight when it, or the part of the run that is asked for, began: Perfetto takes nothing else."""
    disk, path = loop_disk(), tmp_path / "run.iolat"
    load = fio(disk.path, ioengine="io_uring", iodepth=32, time_based=None, runtime=10).go()
    start_iolat_record(start_iolat, path, "--device", disk.name, "-D", "1s").end()
    load.proc.terminate()
    for args in ((), ("--from", "300ms")):
        events = json.loads(report(path, "-f", "trace", *args).stdout)["traceEvents"]
        assert min(e["ts"] for e in events if "ts" in e) == 0


def test_a_path_of_the_recorded_host(start_iolat, loop_disk, ext4, doio, tmp_path):
    """--device takes what lay under a path when it was recorded, be it mounted now or not."""
    disk, path = loop_disk(size_mb=32), tmp_path / "run.iolat"
    point = ext4(disk)
    (point / "file").write_bytes(bytes(1 << 20))
    os.sync()
    load, other = doio("read", loop_disk(), count=10), doio("read", point / "file", count=10)
    recorder = start_iolat_record(start_iolat, path, "--pid", f"{load.pid},{other.pid}")
    load.finish()
    other.finish()
    recorder.wait()
    for inside in (point, point / "file", point / "not" / "there"):
        rows = summary(path, "--device", inside)["rows"]
        assert rows and rows == summary(path, "--device", disk.name)["rows"]
    done = report(path, "--device", "/proc/self", rc=2)
    assert done.stderr == f"iolat: --device /proc/self: nothing of that name in {path}\n"
