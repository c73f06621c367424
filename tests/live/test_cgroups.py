"""Cgroups: who is below a selected one, and whose I/O it is when the kernel does it for somebody."""
import time

import pytest

from lib import base, cgroups, trace


@pytest.mark.parametrize("tree", ["io", "v2"])
def test_cgroup_with_a_child_made_later(loop_disk, stack, cgroup, doio, iolat, tree):
    """--cgroup takes everything below the cgroup, also in a child cgroup that is made after the start."""
    disk, parent = loop_disk(), cgroup("parent", tree=tree)
    inside, nested, outside = doio("read", disk, count=10), doio("read", disk, count=20), doio("read", disk, count=40)
    parent.add(inside.pid)
    tracer = iolat("--cgroup", parent.dir)
    parent.child(stack, "child").add(nested.pid)
    for load in (inside, nested, outside):
        load.finish()
    summary = tracer.stop()
    found = {r["process"]["pid"]: r["ios"] for r in trace.rows(summary, device=disk)}
    assert found == {inside.pid: 10, nested.pid: 20}


def test_cgroup_from_other_mounts(cgroup, run_iolat):
    """Where iolat has mounts of its own, as under some service managers, paths still mean what they say."""
    run_iolat("--cgroup", cgroup("mine").dir, "-D", "100ms", rc=0, prefix=["unshare", "--mount"])


def test_cgroup_by_its_name_in_the_tree(loop_disk, cgroup, doio, iolat):
    """--cgroup takes the path below the tree's mount point as well."""
    disk, group = loop_disk(), cgroup("named")
    load, other = doio("read", disk, count=10), doio("read", disk, count=20)
    group.add(load.pid)
    tracer = iolat("--cgroup", f"/{group.name}")
    load.finish()
    other.finish()
    assert trace.one(trace.rows(tracer.stop(), device=disk))["process"]["pid"] == load.pid


def test_rows_by_cgroup(loop_disk, stack, cgroup, doio, iolat):
    """By cgroup: the number and the path of the cgroup where I/O is accounted."""
    disk, group = loop_disk(), cgroup("group")
    child = group.child(stack, "child")
    a, b = doio("read", disk, count=10), doio("read", disk, count=20)
    group.add(a.pid)
    child.add(b.pid)
    tracer = iolat("--device", disk.name, "--by", "cgroup,device")
    a.finish()
    b.finish()
    rows = trace.rows(tracer.stop(), device=disk)
    found = {r["cgroup"]["id"]: (r["cgroup"]["path"], r["ios"]) for r in rows}
    assert found[group.id] == (f"/{group.name}", 10)
    assert found[child.id] == (f"/{group.name}/child", 20)


def test_a_cgroup_that_is_gone_keeps_its_path(loop_disk, stack, cgroup, doio, iolat):
    """A cgroup that is removed before the summary is still named: a second is enough to learn its path."""
    disk, group = loop_disk(), cgroup("parent")
    tracer = iolat("--device", disk.name, "--by", "cgroup,device")
    short = group.child(stack, "short")
    load = doio("read", disk, count=10)
    short.add(load.pid)
    load.finish()
    time.sleep(1)
    for d in short.dirs:
        d.rmdir()
    row = trace.one(trace.rows(tracer.stop(), device=disk))
    assert (row["cgroup"]["path"], row["ios"]) == (f"/{group.name}/short", 10)


@pytest.mark.parametrize("direct_io", [True, False])
def test_writeback(loop_disk, ext4, cgroup, doio, iolat, direct_io):
    """Two cgroups dirty files, somebody else's sync writes them: the bytes are theirs, of no process, via writeback."""
    disk = loop_disk(size_mb=96, direct_io=direct_io)
    point = ext4(disk)
    groups = {name: cgroup(name) for name in ("a", "b")}
    for name, group in groups.items():
        (point / name).touch()
        group.load = doio("buffered", point / name, count=2048)
        group.add(group.load.pid)
    base.sh("sync", "-f", point)
    tracer = iolat("--device", disk.name, "--by", "process,cgroup,device,op")
    for group in groups.values():
        group.load.finish()
    base.sh("sync", "-f", point)
    summary = tracer.stop()
    for name, group in groups.items():
        rows = trace.rows(summary, device=disk, op="write", cgroup=f"-{name}")
        written = trace.total(rows, "bytes")
        assert abs(written - 8 * base.MIB) <= 8 * base.MIB / 100, (name, written)
        for row in rows:
            if row["owner_from"] != "task":
                assert row["process"] is None and row["via"] == "writeback"
                assert row["owner_from"] == ("page" if cgroups.io_on_v1() else "bio")
    assert any(r["owner_from"] != "task" for r in summary["rows"])


def test_a_throttled_cgroup(loop_disk, cgroup, fio, iolat):
    """I/O that the kernel holds back for a cgroup's limit and submits itself later is still the cgroup's."""
    disk, group = loop_disk(), cgroup("throttled")
    major, minor = disk.number
    if cgroups.io_on_v1():
        group.set("blkio.throttle.read_bps_device", f"{major}:{minor} {2 * base.MIB}")
    else:
        group.set("io.max", f"{major}:{minor} rbps={2 * base.MIB}")
    load = fio(disk, ioengine="libaio", iodepth=8, io_size="1m")
    group.add(load.pid)
    tracer = iolat("--device", disk.name, "--by", "process,cgroup,device")
    done = load.finish()
    rows = trace.rows(tracer.stop(), device=disk, cgroup=group.name)
    assert trace.total(rows, "ios") == done.ios == 256
    assert {r["owner_from"] for r in rows if r["process"] is None} <= {"bio"}
    assert {r["owner_from"] for r in rows if r["process"]} <= {"task"}
    assert {r["cgroup"]["id"] for r in rows} == {group.id}
    held_back = [r for r in rows if r["process"] is None]
    assert held_back and all(r["via"] for r in held_back)


def test_a_throttled_cgroup_selected(loop_disk, cgroup, fio, iolat):
    """The same with --cgroup."""
    disk, group = loop_disk(), cgroup("throttled")
    major, minor = disk.number
    if cgroups.io_on_v1():
        group.set("blkio.throttle.read_bps_device", f"{major}:{minor} {2 * base.MIB}")
    else:
        group.set("io.max", f"{major}:{minor} rbps={2 * base.MIB}")
    load = fio(disk, ioengine="libaio", iodepth=8, io_size="1m")
    group.add(load.pid)
    tracer = iolat("--cgroup", group.dir)
    done = load.finish()
    assert trace.total(trace.rows(tracer.stop(), device=disk), "ios") == done.ios == 256


def test_kernel_threads_of_a_file_system(loop_disk, ext4, doio, iolat):
    """What a kernel thread does for nobody has no process and says which thread it was."""
    disk = loop_disk()
    file = ext4(disk) / "file"
    file.touch()
    load = doio("buffered", file, count=16)
    tracer = iolat("--device", disk.name, "--by", "process,cgroup,device")
    load.finish()
    base.sh("sync", "-f", file)
    summary = tracer.stop()
    nobody = [r for r in trace.rows(summary, device=disk) if r["process"] is None]
    assert nobody and all(r["via"] for r in nobody)
    assert any("jbd2" in r["via"] for r in nobody), {r["via"] for r in nobody}
    assert summary["coverage"]["unowned"] == trace.total([r for r in nobody if r["cgroup"] is None], "ios")
