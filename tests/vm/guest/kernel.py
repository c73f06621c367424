"""iolat and the kernel itself: which forms of the programs load, what they hang on, what they leave."""
import contextlib
import os
import re
import shutil
import subprocess

from . import devices, hanging, tools
from .checks import FILES, NEW, check

BTF = "/sys/kernel/btf/vmlinux"


@check(short=True)
def no_state(run):
    """When all is done, the programs know of no I/O under way."""
    yield
    assert run.left == {}, f"left behind: {run.left}"


@check(short=True)
def tracepoints_alone(run):
    """No kprobes: a kernel without them, or that forbids them, is as good as any. In these guests none would fire."""
    kinds = set()
    for fd in os.listdir(f"/proc/{run.process.pid}/fd"):
        if os.readlink(f"/proc/{run.process.pid}/fd/{fd}").startswith("anon_inode:bpf_link"):
            kinds |= set(re.findall(r"^link_type:\s+(\S+)", tools.fetch(f"/proc/{run.process.pid}/fdinfo/{fd}"), re.M))
        assert "perf_event" not in os.readlink(f"/proc/{run.process.pid}/fd/{fd}")
    kprobes = tools.fetch("/sys/kernel/debug/kprobes/list")
    yield
    # The iterator reads the tasks that are there at the start.
    assert kinds - {"iter"} in ({"raw_tracepoint"}, {"tracing"}), f"links of {kinds}"
    assert kprobes == "", f"kprobes: {kprobes}"


def best_form():
    return "modern" if tools.release() >= (5, 17) else "btf"  # bpf_loop


@check(cgroups=["v2"], forms=["chosen"], kernels=["6.", NEW])
def hidden_form(_):
    """The form that the best one hides loads whole and counts, too; the poorest is asked everywhere."""
    with tools.Iolat("--waits", form="btf") as iolat:
        pid = tools.child(lambda: tools.write("vda", count=15, fsync=True))
    got = [iolat.sum("ios", "vda", op, pid=pid) for op in ("write", "flush")]
    assert got == [15, 15], got
    tools.all_attached(iolat)


@check(run=FILES, early=True)
def late(run):
    """A request that was under way before iolat: unmatched, in no row, and forgotten."""
    with devices.loop() as (disk, backing):
        with devices.suspended(backing):
            reader = hanging.Reader(disk)
            yield
        reader.end()
    yield
    assert run.summary["coverage"]["unmatched"] == 1, f"{run.summary['coverage']}"
    rows = [r for r in run.summary["rows"] if r["process"] and r["process"]["pid"] == reader.pid]
    assert not rows, rows
    assert run.left == {}, f"left behind: {run.left}"


@contextlib.contextmanager
def no_btf(folder):
    """A kernel that has no BTF to show; yields where a copy of it is."""
    kept = os.path.join(folder, "vmlinux.btf")
    shutil.copyfile(BTF, kept)
    tools.sh("mount", "-t", "tmpfs", "none", os.path.dirname(BTF))
    try:
        yield kept
    finally:
        tools.sh("umount", os.path.dirname(BTF))


@check(cgroups=["v2"], forms=["chosen"])
def without_btf(_):
    """On a kernel without BTF of its own: told what is missing, it works with a file of it, names of older tasks
    included; in the form that is the best here."""
    with no_btf("/tmp") as btf:
        refused = subprocess.run([tools.IOLAT, "-D", "1s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert refused.returncode == 3 and "--btf" in refused.stderr, f"{refused.returncode}: {refused.stderr}"
        with tools.Iolat("--btf", btf, form=best_form()) as iolat:
            pid = tools.child(lambda: tools.write("vda", count=15, fsync=True))
        rows = iolat.rows("vda", pid=pid)
        got = [iolat.sum("ios", "vda", op, pid=pid) for op in ("write", "flush")]
        assert got == [15, 15], f"{got}"
        assert {r["process"]["comm"] for r in rows} == {"python3"}, f"{rows}"
