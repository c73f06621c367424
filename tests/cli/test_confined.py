"""What iolat gives away: capabilities once it traces, system calls where it reads what others wrote."""
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
    held = status(pid)
    assert held["CapEff"] == held["CapPrm"]
    return int(held["CapEff"], 16)


def mask(*names):
    return sum(1 << CAP[n] for n in names)


def test_a_tracer_has_few_capabilities(start_iolat):
    """Those for maps, for others' /proc and for files; not the right to administer the machine."""
    tracer = start_iolat("-f", "json", "-i", "0")
    assert capabilities(tracer.proc.pid) == mask(*CAP)
    tracer.stop()


def test_a_server_has_fewer(start_iolat, folder):
    """It writes no files, and starts no programs."""
    server = start_iolat("serve", "--listen", f"unix:{folder() / 'socket'}")
    assert capabilities(server.proc.pid) == mask("BPF", "PERFMON", "DAC_READ_SEARCH", "SYS_PTRACE")
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


def test_a_reader_may_only_read_and_write(recording):
    """Seen while it waits for somebody to take its page from the pipe."""
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    with subprocess.Popen([base.IOLAT, "report", recording, "-f", "html"], stdout=theirs, env=base.clean_env()) as report, open(ours) as page:
        os.close(theirs)
        base.wait_until("the report", lambda: status(report.pid)["State"].startswith("S"))
        now = status(report.pid)
        assert (now["Seccomp"], now["NoNewPrivs"]) == ("2", "1")
        assert capabilities(report.pid) == mask("CHOWN", "DAC_OVERRIDE", "FOWNER")
        assert page.read().endswith("</html>\n")
    assert report.returncode == 0


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
