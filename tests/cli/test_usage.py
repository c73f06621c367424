"""Options: each is taken, each wrong one is refused in one line with status 2."""
import json
import os
import pathlib
import re
import subprocess

import pytest

from lib import base

WRONG = {
    "unknown option": ["--nonsense"],
    "unknown letter": ["-Z"],
    "unknown command": ["nonsense"],
    "word behind doctor": ["doctor", "nonsense"],
    "argument missing": ["--pid"],
    "argument to a flag": ["--no-children=1"],
    "pid no number": ["--pid", "abc"],
    "pid half a number": ["--pid", "1abc"],
    "pid negative": ["--pid", "-1"],
    "pid 0": ["--pid", "0"],
    "pid too large": ["--pid", "99999999999999999999"],
    "pid of nobody": ["--pid", "{free_pid}"],
    "one of two pids of nobody": ["--pid", "1,{free_pid}"],
    "pid list with a hole": ["--pid", "1,,2"],
    "pid empty": ["--pid", ""],
    "name no regex": ["--name", "("],
    "name of nobody": ["--name", "^there is no such name$"],
    "user of nobody": ["--user", "no-such-user"],
    "cgroup that is not there": ["--cgroup", "/no/such/cgroup"],
    "cgroup that is no cgroup": ["--cgroup", "/usr"],
    "device that is not there": ["--device", "no-such-device"],
    "device path that is not there": ["--device", "/no/such/path"],
    "path on no device": ["--device", "/proc/self"],
    "op unknown": ["--op", "reed"],
    "one of two ops unknown": ["--op", "read,reed"],
    "op empty": ["--op", ""],
    "min-latency half a number": ["--min-latency", "12abc"],
    "min-latency negative": ["--min-latency", "-1ms"],
    "min-latency unknown unit": ["--min-latency", "12 parsecs"],
    "min-latency empty": ["--min-latency", ""],
    "min-latency no number": ["--min-latency", "ms"],
    "min-latency too large": ["--min-latency", "99999999999999999999h"],
    "by unknown": ["--by", "proces"],
    "by empty": ["--by", ""],
    "format unknown": ["--format", "xml"],
    "interval half a number": ["--interval", "1x"],
    "duration half a number": ["--duration", "1 s x"],
    "top no number": ["--top", "many"],
    "sort unknown": ["--sort", "colour"],
    "columns unknown": ["--columns", "ios,colour"],
    "buffer-size half a number": ["--buffer-size", "1Q"],
    "buffer-size too small": ["--buffer-size", "1"],
    "root that is not there": ["--root", "/no/such/folder"],
    "root that is no folder": ["--root", "/etc/passwd"],
    "root of doctor that is not there": ["doctor", "--root", "/no/such/folder"],
    "ready-fd no number": ["--ready-fd", "x"],
    "user-command unknown": ["--user-command", "somebody"],
    "ends before it begins": ["report", "x", "--from", "3s", "--to", "1s"],
    "ends before it begins by the clock": ["report", "x", "--from", "2026-12-01T00:00:01Z", "--to", "2026-12-01T00:00:00Z"],
    "no command": ["--"],
    "live option for doctor": ["doctor", "--pid", "1"],
}


def free_pid():
    limit = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text())
    return next(str(n) for n in range(limit - 1, 1, -1) if not pathlib.Path(f"/proc/{n}").exists())


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage(run_iolat, case):
    """Status 2 and exactly one line on standard error, nothing on standard output."""
    done = run_iolat(*(a.replace("{free_pid}", free_pid()) for a in WRONG[case]))
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(r"iolat: .+\n", done.stderr), done.stderr
    assert done.stdout == ""


RIGHT = {
    "nothing": [],
    "pid": ["--pid", "{self}"],
    "pids": ["-p", "{self},1"],
    "pid twice": ["-p", "{self}", "-p", "1"],
    "no-children": ["--pid", "{self}", "--no-children"],
    "name": ["--name", "pytho|pytest"],
    "user": ["--user", "root"],
    "user by number": ["--user", "0"],
    "device": ["--device", "{disk}"],
    "op": ["--op", "read,write,flush,discard,other"],
    "min-latency": ["--min-latency", "1ns"],
    "min-latency in us": ["--min-latency", "10us"],
    "min-latency in minutes": ["--min-latency", "1m"],
    "by": ["--by", "process,thread,cgroup,device,op"],
    "by one": ["-b", "op"],
    "histogram": ["--histogram"],
    "H": ["-H"],
    "json": ["--format", "json"],
    "csv": ["-f", "csv"],
    "table": ["-f", "table"],
    "interval": ["--interval", "10ms"],
    "interval 0": ["-i", "0"],
    "top": ["--top", "3"],
    "n": ["-n", "1"],
    "sort": ["--sort", "p99"],
    "columns": ["--columns", "ios,p50,device"],
    "buffer-size": ["--buffer-size", "64K"],
    "buffer-size in M": ["--buffer-size", "16M"],
    "user-command": ["--user-command", "root"],
    "option=value": ["--format=json"],
}


@pytest.mark.parametrize("case", RIGHT)
def test_right_usage(loop_disk, run_iolat, case):
    """Each option is taken: status 0, and nothing on standard error."""
    words = {"self": str(os.getpid()), "disk": loop_disk(size_mb=4).name if case == "device" else ""}
    done = run_iolat("-D", "20ms", *(a.format(**words) for a in RIGHT[case]))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("words", [["--help"], ["doctor", "--help"], ["--version"]])
def test_help(run_iolat, words):
    """Help and version come on standard output, as a normal user too."""
    done = run_iolat(*words, rc=0)
    assert done.stdout and not done.stderr
    assert "iolat" in done.stdout


def test_help_lists_every_option(run_iolat):
    """--help names every option that the tests above use."""
    text = run_iolat("--help", rc=0).stdout
    for option in ("--pid", "--no-children", "--name", "--user", "--cgroup", "--device", "--op", "--min-latency", "--by",
                   "--histogram", "--format", "--output", "--interval", "--duration", "--top", "--sort", "--columns",
                   "--user-command", "--ready-fd", "--buffer-size", "--version"):
        assert re.search(rf"(?<!\S){option}\b", text), option


@pytest.mark.parametrize("command,option,default", [("--plain", "--by", "process,device,op"), ("diff", "--by", "process,op"),
                                                    ("--plain", "--interval", "1s"), ("serve", "--interval", "10s")])
def test_help_tells_each_commands_default(run_iolat, command, option, default):
    line, = re.findall(rf"^  -., {option} .*$", run_iolat(command, "--help", rc=0).stdout, re.M)
    assert re.search(rf"\b{default}(;|,|$)", line) and len(line) <= 80


def test_ready_descriptor_that_is_not_open(run_iolat):
    done = run_iolat("-D", "10ms", "--ready-fd", "987")
    assert done.returncode in (1, 2) and len(done.stderr.splitlines()) == 1


def test_doctor(run_iolat):
    """doctor says what it found, a line each, and ends with 0 where iolat can trace."""
    done = run_iolat("doctor", rc=0)
    assert "block_rq_complete" in done.stdout and not done.stderr


def test_doctor_in_json(run_iolat):
    base.need_tool("jq")
    done = run_iolat("doctor", "-f", "json", rc=0)
    assert json.loads(done.stdout)
    assert subprocess.run(["jq", "-e", "."], input=done.stdout, text=True, capture_output=True).returncode == 0
