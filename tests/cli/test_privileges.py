"""Privileges: what iolat needs, and what it says without."""
import os
import shutil

import pytest

from lib import base, trace

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@pytest.fixture
def copy(program, folder):
    """The program where every user can reach it."""
    base.need_tool("setpriv")
    there = folder() / "iolat"
    shutil.copy(program, there)
    there.chmod(0o755)
    return there


@pytest.mark.parametrize("args", [[], ["-f", "json"], ["--pid", "1"]])
def test_without_privileges(copy, run_iolat, args):
    """A normal user gets status 4 and one line that says what is missing."""
    done = run_iolat("-D", "10ms", *args, program=copy, prefix=NOBODY)
    assert done.returncode == 4, done.stderr
    assert len(done.stderr.splitlines()) == 1 and done.stdout == ""
    assert "CAP_BPF" in done.stderr or "root" in done.stderr


def test_wrong_usage_needs_no_privileges(copy, run_iolat):
    """Usage is checked first."""
    run_iolat("--nonsense", rc=2, program=copy, prefix=NOBODY)


def test_help_needs_no_privileges(copy, run_iolat):
    run_iolat("--help", rc=0, program=copy, prefix=NOBODY)


@pytest.mark.parametrize("files", [10, 50, 70])
def test_few_open_files(run_iolat, files):
    """What the shell's limit takes away is no lack of the kernel's."""
    done = run_iolat("-D", "10ms", "--pid", os.getpid(), rc=1, prefix=["prlimit", f"--nofile={files}"])
    assert len(done.stderr.splitlines()) == 1 and "Too many open files" in done.stderr


def test_doctor_without_privileges(copy, run_iolat):
    """doctor runs for everybody and says what is missing."""
    done = run_iolat("doctor", program=copy, prefix=NOBODY)
    assert done.returncode in (0, 4) and "CAP_BPF" in done.stdout


@pytest.mark.parametrize("lost", ["bpf", "perfmon"])
def test_with_half_of_the_privileges(copy, run_iolat, lost):
    """Root without one of the capabilities: status 4, one line."""
    done = run_iolat("-D", "10ms", program=copy, prefix=[
        "setpriv", f"--bounding-set=-{lost},-sys_admin", f"--inh-caps=-{lost},-sys_admin"])
    assert done.returncode == 4 and len(done.stderr.splitlines()) == 1, done.stderr


def test_with_two_capabilities(copy, loop_disk, doio, iolat):
    """CAP_BPF and CAP_PERFMON are enough for a user that is not root."""
    disk = loop_disk()
    load = doio("read", disk, count=10)
    tracer = iolat("--pid", load.pid, program=copy, prefix=[
        *NOBODY, "--inh-caps=+bpf,+perfmon", "--ambient-caps=+bpf,+perfmon"])
    load.finish()
    row = trace.one(trace.rows(tracer.end(), device=disk))
    assert (row["process"]["pid"], row["ios"]) == (load.pid, 10)


@pytest.mark.parametrize("capabilities,args", [
    ([], ["doctor"]),
    (["bpf", "perfmon"], ["-D", "10ms", "-f", "json"]),
    (["bpf", "perfmon"], ["serve", "-D", "10ms", "--listen", "unix:{}/socket"]),
], ids=["doctor", "tracer", "server"])
def test_nothing_for_the_systems_log(copy, run_iolat, folder, capabilities, args):
    """An ordinary user's programs, and units, have less to give away than root's: no reason to write into the log, each time."""
    base.need_tool("cc")
    base.need(not base.sanitized(), "a sanitizer has to be loaded first", ci=False)
    here = folder()
    here.chmod(0o777)
    base.sh("cc", "-shared", "-fPIC", "-o", here / "aloud.so", base.TESTS / "lib" / "syslog_aloud.c")
    words = ",".join(f"+{c}" for c in capabilities)
    prefix = [*NOBODY, *([f"--inh-caps={words}", f"--ambient-caps={words}"] if words else [])]
    done = run_iolat(*(a.format(here) for a in args), program=copy, prefix=prefix,
                     env=base.clean_env(LD_PRELOAD=str(here / "aloud.so")))
    assert "system's log" not in done.stderr
