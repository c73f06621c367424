"""iolat and the kernel itself: which forms of the programs load, what they hang on, what they leave."""
import contextlib
import os
import re
import shutil
import subprocess

from . import devices, hanging, tools
from .checks import check

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


@check(cgroups=["v2"], forms=["chosen"])
def forms(_):
    """Every form that this kernel has the means for loads whole and counts, also those that a newer one hides."""
    some = ["btf"]  # raw is asked everywhere
    if tools.release() >= (5, 17):  # bpf_loop
        some.append("modern")
    for form in some:
        with tools.Iolat("--waits", form=form) as iolat:
            pid = tools.child(lambda: tools.write("vda", count=15, fsync=True))
        got = [iolat.sum("ios", "vda", op, pid=pid) for op in ("write", "flush")]
        assert got == [15, 15], f"form {form}: {got}"
        tools.all_attached(iolat)


@check(cgroups=["v2"])
def late(form):
    """A request that was under way before iolat: unmatched, in no row, and forgotten."""
    with devices.loop() as (disk, backing), contextlib.ExitStack() as stack:
        with devices.suspended(backing):
            early = hanging.Reader(disk)
            iolat = stack.enter_context(tools.Iolat("-d", disk, form=form))
        early.end()
    assert iolat.summary["coverage"]["unmatched"] == 1, f"{iolat.summary['coverage']}"
    assert not iolat.rows(disk), f"{iolat.rows(disk)}"


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
    included."""
    with no_btf("/tmp") as btf:
        refused = subprocess.run([tools.IOLAT, "-D", "1s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert refused.returncode == 3 and "--btf" in refused.stderr, f"{refused.returncode}: {refused.stderr}"
        with tools.Iolat("--btf", btf) as iolat:
            pid = tools.child(lambda: tools.write("vda", count=15, fsync=True))
        rows = iolat.rows("vda", pid=pid)
        got = [iolat.sum("ios", "vda", op, pid=pid) for op in ("write", "flush")]
        assert got == [15, 15], f"{got}"
        assert {r["process"]["comm"] for r in rows} == {"python3"}, f"{rows}"
