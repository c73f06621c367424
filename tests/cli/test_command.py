"""COMMAND: traced from its first request, run as the caller would run it, its status passed on."""
import json
import os
import pathlib
import signal

import pytest

from lib import base, loads, trace

NOBODY = 65534
SUDO = dict(SUDO_UID=str(NOBODY), SUDO_GID=str(NOBODY), SUDO_USER="nobody")


@pytest.mark.parametrize("command, status", [
    (["true"], 0),
    (["sh", "-c", "exit 7"], 7),
    (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
    (["sh", "-c", "kill -KILL $$"], 128 + signal.SIGKILL),
    (["no-such-command-anywhere"], 127),
    (["/no/such/command"], 127),
    (["{folder}/plain"], 126),
    (["/"], 126),
])
def test_status(run_iolat, folder, command, status):
    """The command's own status; 128+N for a signal; 127 not found; 126 not executable. Then one line says so."""
    here = folder()
    (here / "plain").write_text("no program\n")
    done = run_iolat("-f", "json", "-i", "0", "--", *(w.format(folder=here) for w in command))
    assert done.returncode == status, done.stderr
    assert len(done.stderr.splitlines()) == (1 if status in (126, 127) else 0), done.stderr


def test_it_is_the_selection(loop_disk, doio, iolat):
    """Without another selection its tree is what is traced, from its very first request."""
    disk = loop_disk()
    other = doio("read", disk, count=5)
    command = loads.doio_args("read", disk.path, count=30, generations=2, keep_parents=1)
    tracer = iolat("-o", pathlib.Path(disk.folder) / "out", command=command)
    other.finish()
    assert tracer.wait() == 0
    summary = trace.objects((pathlib.Path(disk.folder) / "out").read_text())[-1]
    row = trace.one(trace.rows(summary, device=disk))
    assert row["ios"] == 30 and row["process"]["pid"] == json.loads(tracer.stdout)["pid"]


def test_with_another_selection(loop_disk, iolat):
    """With a selection of the user's own, that one counts."""
    disk, other = loop_disk(), loop_disk()
    read = [" ".join(loads.doio_args("read", d.path, count=10)) for d in (disk, other)]
    tracer = iolat("--device", disk.name, command=["sh", "-c", f"{{ {read[0]}; {read[1]}; }} >/dev/null"])
    summary = tracer.end()
    assert trace.total(trace.rows(summary, device=disk), "ios") == 10
    assert {r["device"]["name"] for r in summary["rows"]} == {disk.name}


def test_its_user_is_the_caller_of_sudo(run_iolat, folder):
    """Under sudo the command runs as who called it: user, group, groups."""
    code = "import os, json; print(json.dumps([os.getresuid(), os.getresgid(), os.getgroups()]))"
    done = run_iolat("-o", folder() / "out", "--", base.PYTHON, "-c", code, rc=0, env=base.clean_env(**SUDO))
    users, groups, more = json.loads(done.stdout)
    assert (users, groups) == ([NOBODY] * 3, [NOBODY] * 3) and 0 not in more


def test_its_user_without_sudo(run_iolat, folder):
    done = run_iolat("-o", folder() / "out", "--", "id", "-u", rc=0)
    assert done.stdout == "0\n"


def test_its_user_when_root_is_asked_for(run_iolat, folder):
    done = run_iolat("-o", folder() / "out", "--user-command", "root", "--", "id", "-u", rc=0, env=base.clean_env(**SUDO))
    assert done.stdout == "0\n"


RT_SIGACTION = {"x86_64": 13}.get(os.uname().machine, 134)  # the number of the system call
IGNORE_ALL = """
import ctypes, os, sys
ignore = (ctypes.c_ulong * 8)(1)
for signal in range(1, 65):
    ctypes.CDLL(None).syscall(int(sys.argv[1]), signal, ignore, None, 8)
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_its_signals_are_as_always(run_iolat, folder):
    """Default dispositions and no blocked signal, also where iolat was started with all of them ignored: the two
    real-time ones as well that glibc lets nobody set (32 and 33), but a Go or musl parent may ignore."""
    ignoring = [base.PYTHON, "-c", IGNORE_ALL, str(RT_SIGACTION)]
    done = run_iolat("-o", folder() / "out", "--", "grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status", rc=0, prefix=ignoring)
    assert [line.split()[1].strip("0") for line in done.stdout.splitlines()] == ["", ""], done.stdout


def test_its_descriptors(start_iolat, folder):
    """It inherits standard input, output and error, and nothing of iolat's, the ready descriptor neither."""
    tracer = start_iolat("-o", folder() / "out", command=["ls", "/proc/self/fd"])
    assert tracer.wait() == 0
    assert tracer.stdout.split() == ["0", "1", "2", "3"]  # 3: the folder that ls reads


def test_its_standard_input(run_iolat, folder):
    done = run_iolat("-o", folder() / "out", "--", "cat", rc=0, stdin=None, input="fed\n")
    assert done.stdout == "fed\n"


def test_int_goes_to_both(start_iolat, folder):
    """INT ends the command too, and iolat waits for it and for what it does then."""
    mark = folder() / "mark"
    tracer = start_iolat("-f", "json", "-i", "0", command=[
        "sh", "-c", f"trap 'sleep 0.3; echo done > {mark}; exit 9' INT; echo here; while :; do sleep 0.05; done"])
    base.wait_until("the command", lambda: "here" in tracer.stdout)
    tracer.send(signal.SIGINT)
    assert tracer.wait() == 9
    assert mark.read_text() == "done\n"
    assert json.loads(tracer.stdout.splitlines()[-1])["type"] == "summary"


def test_duration_ends_first(start_iolat, loop_disk, folder):
    """-D ending first detaches and leaves the command running; its status is passed on when it ends."""
    disk, here = loop_disk(), folder()
    read = " ".join(loads.doio_args("read", disk.path, count=10))
    tracer = start_iolat("-f", "json", "-i", "0", "-D", "200ms", "-o", here / "out", command=[
        "sh", "-c", f"{read}; until grep -q summary {here / 'out'}; do sleep 0.05; done; {read}; exit 5"])
    assert tracer.wait() == 5
    assert tracer.stdout.count("pid") == 2, "the command was not left running"
    summary = trace.objects((here / "out").read_text())[-1]
    assert trace.total(trace.rows(summary, device=disk), "ios") <= 10, "what came later is no part of it"


def test_what_duration_left_running_can_be_ended(start_iolat, folder):
    """After -D a signal still goes to the command, and iolat waits for it."""
    out = folder() / "out"
    tracer = start_iolat("-f", "json", "-i", "0", "-D", "50ms", "-o", out, command=["sh", "-c", "trap 'exit 6' TERM; while :; do sleep 0.05; done"])
    base.wait_until("the summary", lambda: out.read_text().endswith("}\n"))
    tracer.send(signal.SIGUSR1)
    tracer.send(signal.SIGTERM)
    assert tracer.wait() == 6


def test_it_starts_after_the_hooks(run_iolat, loop_disk):
    """Its first requests are all there, each time."""
    disk = loop_disk()
    for _ in range(3):
        done = run_iolat("-f", "json", "-i", "0", "--", "dd", f"if={disk.path}", "of=/dev/null", "iflag=direct", "bs=4k",
                         "count=5", rc=0)
    rows = trace.rows(trace.objects(done.stdout)[-1], device=disk)
    assert trace.total(rows, "ios") == 5


def test_its_standard_error_is_its_own(run_iolat):
    done = run_iolat("-f", "json", "-i", "0", "--", "sh", "-c", "echo mine >&2", rc=0)
    assert done.stderr == "mine\n"
