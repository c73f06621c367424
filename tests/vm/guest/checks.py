"""What a check is, and the list of all.

A check is a generator function with @check. What stands before its `yield` happens while one iolat watches, the same for
all the checks of a form: it makes I/O and remembers what has to come of it. What stands behind the `yield` looks at
that iolat's summary:

    @check()
    def fsync(run):
        pid = run.child(write_and_fsync)
        yield
        assert run.count(pid=pid, device="vda", op="flush") == 10

So a check costs what its I/O costs. It must tell its rows by a process, device or cgroup of its own. A check that
needs an iolat of its own, with other options, is a plain function: it takes the form and calls tools.Iolat.

    @check(run=ONCE)             shares another iolat (RUNS)
    @check(early=True)           what stands before a first `yield`, of two, happens before that iolat
    @check(kernels=[OLD, NEW])   not on every kernel, where it is iolat's own doing that counts
    @check(short=True)           also in `make check`
    @check(cgroups=["v2"])       only on hosts with this layout
    @check(forms=["raw"])        not in every form of the programs (tools.FORMS)
    @check(machine="big")        on a machine with more CPUs (test_vm.MACHINES); "plain": also on those of ABSENT

To add a topic: a file here, its name in TOPICS.
"""
import importlib
import inspect
from typing import Callable, NamedTuple

TOPICS = ["direct", "cgroups", "containers", "merges", "ops", "scsi", "waits", "devices", "names", "paths", "hanging", "files", "kernel", "workers", "scale", "recording"]
# The forms of the programs that are asked: the one that iolat chooses by itself, and the poorest.
FORMS = ["chosen", "raw"]
# The runs that checks share: iolat's options; whether the disks are idle when it ends.
BUSY = (("--waits", "--by", "process,cgroup,container,pod,device,op"), True)
HANGING = (("--waits", "--stuck", "300ms"), False)
FILES = (("--waits", "--by", "process,fs,file,op"), True)
ONCE = (("--waits", "--by", "worker,process,op"), True)  # rows without a device
RUNS = [BUSY, HANGING, FILES, ONCE]
# Ends what is said of a check beside which the kernel did not run a program of iolat's, as another run of it was interrupted
# there. That is counted (coverage.missed), but rows are short of an I/O, or a copy is not known for one.
SKIPPED = "(the kernel skipped runs of iolat's programs)"
# What the release of a kernel begins with.
OLD, NEW = "5.", "7."
# Of other architectures: what Debian's kernel has no modules for there.
ABSENT = {"arm64": ("scsi.", "merges.queued")}


class Check(NamedTuple):
    name: str
    function: Callable
    short: bool
    cgroups: list
    forms: list
    machine: str
    kernels: tuple
    early: bool
    run: tuple  # of RUNS, None: its own


ALL = []


def check(short=False, cgroups=("v2", "v1"), forms=FORMS, machine="plain", kernels=("",), early=False, run=BUSY):
    def add(function):
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        shares = run if inspect.isgeneratorfunction(function) else None
        ALL.append(Check(name, function, short, list(cgroups), list(forms), machine, tuple(kernels), early, shares))
        return function
    return add


def load():
    """Every check, in the order of TOPICS."""
    for topic in TOPICS:
        importlib.import_module(f"{__package__}.{topic}")
    return ALL


def fits(c, machine):
    if machine in ABSENT:
        return c.machine == "plain" and not c.name.startswith(ABSENT[machine])
    return c.machine == machine


def chosen(release, cgroups, part="whole", machine="plain"):
    """[(form, check)] for a boot of a kernel whose release begins so, each form's together."""
    return [(form, c) for form in (FORMS if part == "whole" else FORMS[:1]) for c in load()
            if form in c.forms and cgroups in c.cgroups and fits(c, machine) and release.startswith(c.kernels)
            and (c.short or part != "short")]


def label(form, c):
    return f"{c.name}-{form}"
