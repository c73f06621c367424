"""--log and --log-pattern: what is refused, and what is said of a log that tells nothing."""
import datetime
import time

import pytest

from lib import trace


def log_of(tmp_path, text):
    path = tmp_path / "train.log"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("words, said", [
    (["--log-pattern", "(?<epoch>.)"], "--log"),
    (["--log", "/nowhere/x", "--log-pattern", "("], "parenthesis"),
    (["--log", "/nowhere/x", "--log-pattern", "epoch"], "(?<epoch>...)"),
    (["--log", "/nowhere/x", "--log-pattern", ""], "groups"),
    (["--log", ""], "empty"),
])
@pytest.mark.parametrize("command", [[], ["record", "-o", "x"], ["report", "x"]])
def test_usage(words, said, command):
    done = trace.run(*command, *words, rc=2)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("path, said", [("/nowhere/train.log", "No such file"), ("/dev/null", "not a regular file"),
                                        ("/tmp", "not a regular file")])
def test_no_such_log(run_iolat, path, said):
    done = run_iolat("--log", path, "-D", "1s", rc=1)
    assert f"--log {path}: " in done.stderr and said in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.fixture
def recording(run_iolat, tmp_path):
    path = tmp_path / "run.iolat"
    run_iolat("record", "-o", path, "-D", "300ms", rc=0)
    return path


def report(recording, log, *args):
    done = trace.run("report", recording, "-f", "json", "--log", log, *args, rc=0)
    return trace.objects(done.stdout)[-1]["phases"], done.stderr


@pytest.mark.parametrize("text, said", [
    ("", "it is empty"),
    ("hello\nEpoch 1/3\nEpoch 2/3\n", "line 2 (no time stamp): Epoch 1/3"),
    ("2026-11-30 23:07:29 hello\n", "line 1 (no epoch or step): 2026-11-30 23:07:29 hello"),
    (b"\xff\xfe\n\x1b[31mEpoch 1\x07\n", "line 2 (no time stamp): Epoch 1?"),
    ("2001-01-01 00:00:00 Epoch 1 done\n", "set TZ"),
])
def test_a_log_that_tells_nothing(recording, tmp_path, text, said):
    phases, stderr = report(recording, log_of(tmp_path, text))
    assert said in stderr and len(stderr.splitlines()) == 1, stderr
    assert phases == []


def stamp(offset=0):
    return datetime.datetime.fromtimestamp(time.time() + offset).strftime("%Y-%m-%d %H:%M:%S.%f")


def test_phases_of_a_run_without_io(recording, tmp_path):
    log = log_of(tmp_path, f"{stamp(-60)} 第 3 轮开始\n")
    phases, stderr = report(recording, log)
    assert stderr == "" and [p["name"] for p in phases] == ["epoch 3"]
    assert phases[0]["open"] and phases[0]["duration_ns"] > 0


def test_a_pattern(recording, tmp_path):
    log = log_of(tmp_path, f"{stamp(-60)} >> load\n{stamp(-50)} >> train\n")
    phases, stderr = report(recording, log, "--log-pattern", ">> (?<name>\\w+)")
    assert stderr == "" and [p["name"] for p in phases] == ["train"]


def test_live(run_iolat, tmp_path):
    """The end of a long log tells where the training is."""
    log = log_of(tmp_path, "x" * 70 + "\n" * 40000 + f"{stamp(-60)} Epoch 6\n" * 60000 + f"{stamp(-50)} Epoch 7\n")
    done = run_iolat("--log", log, "-D", "300ms", "-f", "json", "-i", "0", rc=0)
    assert [p["name"] for p in trace.objects(done.stdout)[-1]["phases"]] == ["epoch 7"]
    table = run_iolat("--log", log, "-D", "300ms", "-i", "0", rc=0).stdout
    assert "PHASE" in table and "epoch 7 ..." in table
