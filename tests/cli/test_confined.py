"""What iolat gives away: capabilities once it traces, system calls where it reads what others wrote."""
import contextlib
import fcntl
import os
import pathlib
import subprocess

import pytest

from lib import base, trace

CAP = {"CHOWN": 0, "DAC_OVERRIDE": 1, "DAC_READ_SEARCH": 2, "FOWNER": 3, "KILL": 5, "SYS_PTRACE": 19, "PERFMON": 38, "BPF": 39}


def status(pid):
    """The fields of /proc/PID/status."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def capabilities(pid):
    """What it holds, and what a program gets that it starts: no more than that."""
    held = status(pid)
    assert held["CapEff"] == held["CapPrm"] and int(held["CapInh"], 16) == 0
    if held["NoNewPrivs"] == "1":  # it has given away what it does not need
        assert held["CapBnd"] == held["CapEff"]
    return int(held["CapEff"], 16)


def mask(*names):
    return sum(1 << CAP[n] for n in names)


@pytest.mark.parametrize("command", ["live", "record"])
def test_a_tracer_has_few_capabilities(start_iolat, folder, command):
    """Those for maps, for others' /proc and for files; not the right to administer the machine."""
    tracer = start_iolat(*{"live": ["-f", "json", "-i", "0"], "record": ["record", "-o", folder() / "out"]}[command])
    assert capabilities(tracer.proc.pid) == mask(*CAP)
    tracer.stop()


def test_a_server_has_fewer(start_iolat, folder):
    """It writes no files, and starts no programs."""
    server = start_iolat("serve", "--listen", f"unix:{folder() / 'socket'}")
    assert capabilities(server.proc.pid) == mask("BPF", "PERFMON", "DAC_READ_SEARCH", "SYS_PTRACE")
    if not base.sanitized():  # whose system calls are not known
        assert status(server.proc.pid)["Seccomp"] == "2"
    server.stop()


def test_a_command_has_all_of_the_callers(run_iolat, folder):
    """COMMAND is the caller's as ever."""
    done = run_iolat("-o", folder() / "out", "--", "grep", "CapEff", "/proc/self/status", rc=0)
    assert done.stdout.split()[1] == status("self")["CapEff"]


@pytest.fixture
def recording(start_iolat, folder):
    out = folder() / "run.iolat"
    start_iolat("record", "-o", out).stop()
    return out


@contextlib.contextmanager
def held_up(*argv):
    """iolat, whose standard output has no room until the end of this, and what is read from it then."""
    ours, theirs = os.pipe()
    full = b"x" * fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    os.write(theirs, full)
    with subprocess.Popen([base.IOLAT, *argv], stdout=theirs, env=base.clean_env()) as process, open(ours, "rb") as page:
        os.close(theirs)
        written = []
        yield process, written
        written.append(page.read()[len(full):].decode())
    assert process.returncode == 0


@pytest.mark.parametrize("argv,ends", [
    (["report", "-f", "html"], "</html>\n"),
    (["report", "-f", "trace"], "}\n"),
    (["report", None, "-f", "json"], "}\n"),  # of several
    (["diff", None, "-f", "html"], "</html>\n"),
], ids=["report", "trace", "several", "diff"])
def test_a_reader_may_only_read_and_write(recording, argv, ends):
    """Seen while it waits for somebody to take its page from the pipe."""
    base.need(not base.sanitized(), "system calls of the sanitizers are not known", ci=False)
    argv = [argv[0], recording, *(word or recording for word in argv[1:])]
    with held_up(*argv) as (reader, written):
        base.wait_until("the filter", lambda: status(reader.pid)["Seccomp"] == "2")
        assert status(reader.pid)["NoNewPrivs"] == "1"
        assert capabilities(reader.pid) == mask("CHOWN", "DAC_OVERRIDE", "FOWNER")
    assert written[0].endswith(ends)


@pytest.mark.parametrize("argv", [[], ["--explain-cgroup", "/"]], ids=["all", "cgroup"])
def test_the_doctor_has_few_capabilities_in_the_end(argv):
    with held_up("doctor", *argv) as (doctor, written):
        base.wait_until("fewer capabilities", lambda: capabilities(doctor.pid) == mask(*CAP))
    assert written[0]


FIO = """#!/bin/sh
cat /proc/$PPID/status /proc/self/status > {seen}
echo '{{'
echo '"jobs": [{{"read": {{"total_ios": 1}}}}]}}'
"""


def test_the_disk_is_measured_with_few_capabilities(folder, run_iolat):
    """Neither iolat, which reads a recording then, nor fio has more than those for files."""
    place = folder()
    (place / "fio").write_text(FIO.format(seen=place / "seen"))
    (place / "fio").chmod(0o755)
    (place / "data").write_bytes(bytes(1 << 20))
    done = run_iolat("doctor", "--disk", place / "data", rc=0, env=base.clean_env(PATH=f"{place}:{os.environ['PATH']}"))
    assert "random reads" in done.stdout
    held = [line.split()[1] for line in (place / "seen").read_text().splitlines() if line.startswith(("CapEff", "CapPrm", "CapBnd"))]
    assert len(held) == 6 and {int(h, 16) for h in held} == {mask("CHOWN", "DAC_OVERRIDE", "FOWNER")}


def test_a_users_recording_read_by_root(recording, run_iolat, folder):
    """Root reads and writes where it could before."""
    home = folder()
    os.chown(home, 65534, 65534)
    recording.chmod(0o600)
    os.chown(recording, 65534, 65534)
    page = home / "page.html"
    run_iolat("report", recording, "-f", "html", "-o", page, rc=0, env=base.clean_env(SUDO_UID="65534", SUDO_GID="65534"))
    assert page.stat().st_uid == 65534
    assert trace.objects(run_iolat("report", recording, "-f", "json", rc=0).stdout)
