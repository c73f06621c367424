"""Cgroups for tests, on v2 hosts and on v1 and hybrid ones.

Where I/O is accounted differs: the v2 tree if it has the io controller, else the v1 blkio tree. A test asks for a cgroup
"where I/O is accounted" and gets one folder (v2) or two of the same name (v1: blkio and memory).
"""
import os
import pathlib
import signal
import time

from lib import base


def trees():
    """Mount points of the trees: {"v2": ..., "blkio": ..., "memory": ...}, those that there are."""
    found = {}
    for point, kind, _, options in base.mounts():
        if kind == "cgroup2":
            found.setdefault("v2", pathlib.Path(point))
        elif kind == "cgroup":
            for controller in ("blkio", "memory"):
                if controller in options.split(","):
                    found.setdefault(controller, pathlib.Path(point))
    return found


def io_on_v1():
    return "blkio" in trees()


class Cgroup:
    """dirs[0] is the folder of the tree that the test asked for; `id` is its number there."""

    def __init__(self, dirs):
        self.dirs = dirs
        for d in dirs:
            d.mkdir()

    @property
    def dir(self):
        return self.dirs[0]

    @property
    def name(self):
        return self.dir.name

    @property
    def id(self):
        return self.dir.stat().st_ino

    def add(self, pid):
        for d in self.dirs:
            (d / "cgroup.procs").write_text(f"{pid}\n")

    def child(self, stack, name):
        return _made(stack, [d / name for d in self.dirs])

    def set(self, file, value):
        (self.dir / file).write_text(f"{value}\n")


def _remove(d):
    """Removes a cgroup whose processes are gone or going."""
    for _ in range(100):
        try:
            d.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)


def _made(stack, dirs):
    for d in dirs:
        stack.callback(_remove, d)
    return Cgroup(dirs)


def make(stack, name, tree="io"):
    """tree "io": where I/O is accounted, with the memory controller; "v2": the v2 tree, whatever it controls."""
    there = trees()
    if tree == "v2":
        base.need("v2" in there, "no cgroup v2 tree is mounted")
        return _made(stack, [there["v2"] / name])
    if "blkio" in there:
        return _made(stack, [there[t] / name for t in ("blkio", "memory") if t in there])
    base.need("v2" in there, "no cgroup tree is mounted")
    control = there["v2"] / "cgroup.subtree_control"
    for controller in ("io", "memory"):
        if controller not in control.read_text().split():
            control.write_text(f"+{controller}\n")
    return _made(stack, [there["v2"] / name])


def remove_left(prefix):
    """Removes the cgroups of that name, with their children and processes; returns what was there."""
    left = []
    for root in trees().values():
        for top in root.glob(f"{prefix}-*"):
            for folder, _, _ in os.walk(top, topdown=False):
                left.append(f"cgroup {folder}")
                for pid in (pathlib.Path(folder) / "cgroup.procs").read_text().split():
                    os.kill(int(pid), signal.SIGKILL)
                _remove(pathlib.Path(folder))
    return left
