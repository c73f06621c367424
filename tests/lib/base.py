"""Running things, waiting for things, and saying what a test needs.

Nothing here waits for ever: every command has a time limit, far above what it takes.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
TOP = TESTS.parent
BUILD = TOP / "build"
IOLAT = pathlib.Path(os.environ.get("IOLAT", BUILD / "iolat")).resolve()
PYTHON = "/usr/bin/python3"
LIMIT = 30  # seconds

MIB = 1 << 20
MS = 1_000_000  # ns


def sanitized():
    """The program under test is built with SANITIZE=1."""
    return b"__asan_init" in IOLAT.read_bytes()


def in_ci():
    return os.environ.get("CI") == "true"


def need(there, reason, ci=True):
    """Skips the test, aloud, where `there` is false. With CI=true that is a failure: a skip that CI could have
    run hides what is not tested. ci=False is for what no CI machine has."""
    if there:
        return
    if ci and in_ci():
        pytest.fail(f"needed, and must not be skipped in CI: {reason}", pytrace=False)
    pytest.skip(reason)


def need_tool(*names):
    for name in names:
        need(shutil.which(name), f"{name} is not installed")


def clean_env(**more):
    """The environment without what changes iolat's behaviour."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SUDO_")}
    env.update(LC_ALL="C.UTF-8", TERM="dumb", **more)
    return env


def sh(*argv, check=True, timeout=LIMIT, **kw):
    """Runs a command to its end; its output is text in .stdout and .stderr."""
    done = subprocess.run([str(a) for a in argv], stdin=kw.pop("stdin", subprocess.DEVNULL), capture_output=True,
                          text=True, timeout=timeout, **kw)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(map(str, argv))}: status {done.returncode}: {done.stderr.strip()}")
    return done


def die_with_parent():
    """For preexec_fn: a killed test run leaves no processes behind (PR_SET_PDEATHSIG), and one in the background of a
    shell, where SIGINT is ignored, has children that it ends all the same."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start(argv, **kw):
    """Starts a command, in a process group of its own, that ends with this process at the latest."""
    return subprocess.Popen([str(a) for a in argv], preexec_fn=die_with_parent, start_new_session=True, **kw)


def put_down(proc, timeout=5):
    """Ends a process that should be gone already, with its children; one that is stuck in the kernel is left to the
    clean-up below it."""
    if proc.poll() is not None:
        return
    os.killpg(proc.pid, signal.SIGKILL)
    try:
        proc.wait(timeout)
    except subprocess.TimeoutExpired:
        pass


def wait_until(what, condition, timeout=LIMIT, step=0.005):
    """Waits for the condition, returns what it gave; `what` says what was waited for in vain."""
    end = time.monotonic() + timeout
    while True:
        got = condition()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout} s in vain: {what}")
        time.sleep(step)


def asleep(pid):
    """Uninterruptibly: state D."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "D"


def mounts(folder="/proc/self/mountinfo"):
    """(mount point, type, source, super options) of each mount, the topmost last."""
    found = []
    for line in pathlib.Path(folder).read_text().splitlines():
        left, right = line.split(" - ")
        kind, source, options = right.split(" ", 2)
        found.append((left.split()[4].encode().decode("unicode_escape"), kind, source, options))
    return found
