"""Containers by their cgroups on pure v2 and on v1: bytes by name, and writeback where io is not delegated."""
import contextlib
import json
import os

from . import tools
from .checks import check

SIZE = 8 * tools.MIB


def an_id(digit):
    return digit * 64


def name_container(ident, name):
    """What Docker leaves of a container."""
    folder = f"/var/lib/docker/containers/{ident}"
    os.makedirs(folder, exist_ok=True)
    tools.put(f"{folder}/config.v2.json", json.dumps({"ID": ident, "Name": f"/{name}", "Config": {"Image": "img"}}))


def trees():
    """Where a container's cgroups have to be made: I/O is accounted in the first."""
    return [f"{tools.CGROUP_ROOT}/{t}" for t in ("blkio", "memory") if os.path.isdir(f"{tools.CGROUP_ROOT}/{t}")] or \
        [tools.CGROUP_ROOT]


@contextlib.contextmanager
def cgroups(path, delegate=None):
    """The cgroup in every tree, with those above it; on v2 `delegate` is what each of them hands down."""
    made = []
    for tree in trees():
        at = tree
        for part in path.strip("/").split("/"):
            at += f"/{part}"
            if os.path.isdir(at):
                continue
            os.mkdir(at)
            made.append(at)
            if not tools.hybrid() and delegate and not at.endswith(path):
                tools.put(f"{at}/cgroup.subtree_control", delegate)
    try:
        yield [tree + path for tree in trees()]
    finally:
        for at in reversed(made):
            os.rmdir(at)


def run_in(folders, *argv):
    def join():
        for folder in folders:
            tools.put(f"{folder}/cgroup.procs", 0)
    tools.sh(*argv, preexec_fn=join)


def dd(target, count, *flags):
    return ["dd", "if=/dev/zero", f"of={target}", "bs=64k", f"count={count}", "status=none", *flags]


def bytes_of(run, name):
    rows = [r for r in run.rows("nvme0n1", "write") if r["container"] and r["container"]["name"] == name]
    return sum(r["bytes"] for r in rows), rows


def near(got, want, what):
    assert abs(got - want) <= want / 100, f"{what}: {got} bytes instead of {want}"


@check()
def docker(run):
    """Two containers, one of which lives for a moment: direct and written-back bytes are theirs, by name."""
    ids = {"web": an_id("a"), "blink": an_id("b")}
    for name, ident in ids.items():
        name_container(ident, name)
    with tools.ext4("/dev/nvme0n1") as mountpoint, cgroups(f"/docker/{ids['web']}", "+io +memory") as web:
        run_in(web, *dd(f"{mountpoint}/direct", 64, "oflag=direct"))
        run_in(web, *dd(f"{mountpoint}/buffered", 128))
        with cgroups(f"/docker/{ids['blink']}") as blink:
            run_in(blink, *dd(f"{mountpoint}/short", 32, "oflag=direct"))
        os.sync()
        tools.time.sleep(0.5)
        tools.put("/var/lib/docker/containers/" + ids["blink"] + "/config.v2.json", "")
    yield
    owned, rows = bytes_of(run, "web")
    # Debian's 6.12 has blkio on v1, but memory no more: then nobody knows who filled a page.
    charged = not tools.hybrid() or len(web) > 1
    near(owned, 4 * tools.MIB + (SIZE if charged else 0), "web")
    assert {r["container"]["id"] for r in rows} == {ids["web"]}
    assert charged == any(r["process"] is None and r["via"] == "writeback" for r in rows), rows
    near(bytes_of(run, "blink")[0], 2 * tools.MIB, "blink")


def kubelet_like(run, delegate, levels, uid, ident):
    """What a pod wrote is the pod's, though its bios carry no cgroup, or one above the pod's."""
    tools.put(f"{tools.CGROUP_ROOT}/cgroup.subtree_control", delegate)
    try:
        with tools.ext4("/dev/nvme0n1") as mountpoint, \
                cgroups(f"/kubepods/burstable/pod{uid}/{ident}", delegate="+memory") as leaf:
            run_in(leaf, *dd(f"{mountpoint}/file", 128))
            os.sync()
            tools.time.sleep(0.5)
    finally:
        tools.put(f"{tools.CGROUP_ROOT}/cgroup.subtree_control", "+io +memory")
    yield
    rows = [r for r in run.rows("nvme0n1", "write") if r["container"] and r["container"]["id"] == ident]
    near(sum(r["bytes"] for r in rows), SIZE, f"{levels}; there are {run.rows('nvme0n1')}")
    assert {r["pod"]["uid"] for r in rows} == {uid}
    late = [r for r in rows if r["process"] is None]
    assert late and {r["owner_from"] for r in late} == {"page"}, late


@check(cgroups=["v2"])
def io_not_delegated(run):
    """kubelet's default: memory is handed down, io not even from the root."""
    yield from kubelet_like(run, "-io", "io nowhere", "01234567-89ab-cdef-0123-456789abcdef", an_id("c"))


@check(cgroups=["v2"])
def io_not_delegated_to_the_end(run):
    """io is handed down by the root, for somebody else's sake, and no further."""
    yield from kubelet_like(run, "+io", "io at the first level", "11234567-89ab-cdef-0123-456789abcdef", an_id("d"))
