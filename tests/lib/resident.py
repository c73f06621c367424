"""Programs of tests, held in memory.

A process that waits for a page of its own program does I/O on the disk that the program lies on. Where memory is short that
may be at any time, and a test would count it among what it asked for.
"""
import mmap
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig

from lib import base

PROGRAMS = ("fio", sys.executable, "sh", "bash", "dd", "cat", "ls", "sleep", "true", "env", "ionice", "unshare", "blkdiscard")
MAP_LOCKED = 0x2000  # not among Python's names; <asm-generic/mman.h>


def files():
    """The programs, the libraries they are linked with, Python's modules, and what they look up when they start."""
    found = {pathlib.Path("/etc/ld.so.cache"), pathlib.Path("/etc/localtime"), *pathlib.Path(__file__).parent.glob("*.py")}
    for program in filter(None, map(shutil.which, PROGRAMS)):
        words = subprocess.run(["ldd", program], capture_output=True, text=True).stdout.split()
        found.update(pathlib.Path(w) for w in [program, *words] if w.startswith("/"))
    modules = pathlib.Path(sysconfig.get_path("stdlib"))
    for pattern in ("*.so", "*.pyc"):
        found.update(modules.rglob(pattern))
    return {f.resolve() for f in found if f.exists()}


def hold_programs(stack):
    """Until the stack is closed. Another process does it: each mapping costs a descriptor."""
    holder = base.start([base.PYTHON, "-m", "lib.resident"], cwd=base.TESTS, stdout=subprocess.PIPE, text=True)
    stack.callback(base.put_down, holder)
    assert holder.stdout.readline() == "held\n"


def hold(path):
    with open(path, "rb") as f:
        return mmap.mmap(f.fileno(), 0, flags=mmap.MAP_SHARED | MAP_LOCKED, prot=mmap.PROT_READ)


if __name__ == "__main__":
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    held = [hold(f) for f in files() if f.stat().st_size]
    print("held", flush=True)
    signal.pause()
