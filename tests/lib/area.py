"""A private folder (tmpfs) for a run of the tests, and the clean-up of what killed runs left behind.

Everything that a run makes carries its name, iolat-test-PID: files and sockets lie in its folder, loop devices stand on
those files, cgroups are called so. Hence a later run can tell what to take away, and takes away nothing else.
"""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from lib import base, cgroups

PREFIX = "iolat-test-"


def folder(pid):
    return pathlib.Path(tempfile.gettempdir()) / f"{PREFIX}{pid}"


def make():
    """The folder of this run, open to every user."""
    here = folder(os.getpid())
    here.mkdir()
    base.sh("mount", "-t", "tmpfs", "-o", "size=1g,mode=755", here.name, here)
    return here


def _quietly(*argv):
    try:
        base.sh(*argv, check=False)
    except subprocess.TimeoutExpired:
        pass


def _processes_in(here):
    """Processes whose command line names the folder."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(f"{here}/".encode() in word for word in words):
            yield int(entry.name)


def _loops_on(here):
    for entry in pathlib.Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            if entry.read_text().startswith(f"{here}/"):
                yield f"/dev/{entry.parts[3]}"
        except OSError:
            continue


def remove(here):
    """Takes away the folder with all that stands on it; returns what was still there, in words."""
    left = []
    for pid in _processes_in(here):
        left.append(f"process {pid}")
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    # What stands on the folder may be stacked: a few rounds reach the bottom.
    for _ in range(5):
        inside = [m[0] for m in base.mounts() if m[0].startswith(f"{here}/")]
        loops = list(_loops_on(here))
        if not inside and not loops:
            break
        left += [f"mount {m}" for m in inside] + loops
        for mount in reversed(inside):
            _quietly("umount", "-l", mount)
        for loop in loops:
            _quietly("losetup", "-d", loop)
        time.sleep(0.05)
    left += cgroups.remove_left(here.name)
    _quietly("umount", "-l", here)
    try:
        here.rmdir()
    except OSError:
        pass
    return left


def remove_stale():
    """What runs left behind that were killed."""
    for here in pathlib.Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        match = re.fullmatch(PREFIX + r"(\d+)", here.name)
        if match and not runs(int(match[1])):
            remove(here)


def runs(pid):
    """Whether that is a run of the tests: the number may be another process's by now, or a dead one's."""
    try:
        return b"pytest" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
