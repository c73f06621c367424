"""Devices on devices: what dm, md, bcache, NVMe multipath and loop pass on to the disks below them.

Of each stack the same holds: the rows of its top have the submitter, every I/O and a latency without parts; the rows of
the disks below are copies `via` the top; and rows without a device count every I/O once, where it entered.
"""
import contextlib
import glob
import os
import re

from . import tools
from .checks import ONCE, check

MS = 1_000_000
READS, WRITES, SIZE = 16, 24, 8192
MODULES = {"delay": ["dm-delay"], "crypt": ["dm-crypt"], "thin-pool": ["dm-thin-pool"]}
KEY = "00112233445566778899aabbccddeeff"


def disk(**settings):
    """A null_blk disk of its own; memory_backed=1: one that reads what was written."""
    name = f"nullb{len(glob.glob('/sys/kernel/config/nullb/nullb*'))}"
    tools.null_blk(name, {"irqmode": 0, **settings})
    return name


def sectors(device):
    return int(tools.fetch(f"/sys/block/{device}/size"))


@contextlib.contextmanager
def dm(target, on, *arguments, size=None):
    """A dm device with one target on a disk; its name."""
    tools.sh("modprobe", "-a", "dm-mod", *MODULES.get(target, []))
    name = f"iolat-{target}-{on}-{len(glob.glob('/sys/block/dm-*'))}"
    line = f"0 {size or sectors(on)} {target} {' '.join(map(str, arguments))}"
    tools.sh("dmsetup", "create", name, "--noudevsync", input=line, text=True)
    out = tools.sh("dmsetup", "info", "-c", "--noheadings", "-o", "blkdevname", name, stdout=-1, text=True).stdout
    try:
        yield out.strip()
    finally:
        tools.sh("dmsetup", "remove", "--noudevsync", "--retry", name)


def linear(on, **how):
    return dm("linear", on, f"/dev/{on}", 0, **how)


def delay(on):
    return dm("delay", on, f"/dev/{on}", 0, 50, f"/dev/{on}", 0, 100)


def crypt(on):
    return dm("crypt", on, "aes-cbc-plain", KEY, 0, f"/dev/{on}", 0)


@contextlib.contextmanager
def suspended(top):
    """A dm device that takes I/O and does nothing with it."""
    name = tools.fetch(f"/sys/block/{top}/dm/name")
    tools.sh("dmsetup", "suspend", "--noudevsync", "--nolockfs", name)
    try:
        yield
    finally:
        tools.sh("dmsetup", "resume", "--noudevsync", name)


@contextlib.contextmanager
def loop():
    """A loop device on a dm device, which has its requests wait when it is suspended; their names."""
    tools.sh("modprobe", "loop")
    with linear(disk()) as below:
        out = tools.sh("losetup", "--find", "--show", "--direct-io=on", f"/dev/{below}", stdout=-1, text=True).stdout
        path = out.strip()
        try:
            tools.queue(os.path.basename(path), "scheduler", "none")
            yield os.path.basename(path), below
        finally:
            tools.sh("losetup", "--detach", path)


@contextlib.contextmanager
def thin(meta, data):
    """A thin device and its pool, on which it stands; both are dm devices. The pool has to map a block before the first
    I/O to it."""
    tools.sh("dd", "if=/dev/zero", f"of=/dev/{meta}", "bs=4k", "count=1", "oflag=direct", "status=none")
    with dm("thin-pool", data, f"/dev/{meta}", f"/dev/{data}", 128, 0, 1, "skip_block_zeroing") as pool:
        tools.sh("dmsetup", "message", tools.fetch(f"/sys/block/{pool}/dm/name"), "0", "create_thin", 0)
        with dm("thin", pool, f"/dev/{pool}", 0, size=131072) as top:
            yield top, pool


@contextlib.contextmanager
def md(level, *disks):
    tools.sh("modprobe", level)
    name = f"md{len(glob.glob('/sys/block/md*'))}"
    chunk = ["--chunk=64"] if level == "raid0" else []
    tools.sh("mdadm", "--quiet", "--build", f"/dev/{name}", f"--level={level}", f"--raid-devices={len(disks)}",
             "--assume-clean", *chunk, *(f"/dev/{d}" for d in disks))
    open(f"/dev/{name}", "rb").close()  # the first to open it looks for partitions
    try:
        yield name
    finally:
        tools.sh("mdadm", "--quiet", "--stop", f"/dev/{name}")


@contextlib.contextmanager
def bcache(cache, backing):
    """A bcache device, which writes through."""
    tools.sh("modprobe", "bcache")
    tools.sh("make-bcache", "-C", f"/dev/{cache}", "-B", f"/dev/{backing}", stdout=tools.subprocess.DEVNULL)
    for one in (cache, backing):
        tools.put("/sys/fs/bcache/register", f"/dev/{one}")
    tools.wait_until("a bcache device", lambda: glob.glob(f"/sys/block/{backing}/bcache/dev/dev"))
    name = os.path.basename(os.path.realpath(f"/sys/block/{backing}/bcache/dev"))
    tools.wait_until(name, lambda: os.path.exists(f"/dev/{name}"))
    try:
        yield name
    finally:
        tools.put(f"/sys/block/{name}/bcache/stop", 1)
        tools.put(f"/sys/block/{cache}/bcache/set/stop", 1)
        tools.wait_until(f"the end of {name}", lambda: not glob.glob("/sys/block/*/bcache"))


@contextlib.contextmanager
def hidden_paths(on):
    """The paths of a multipath disk."""
    yield sorted(os.path.basename(p) for p in glob.glob("/sys/block/" + re.sub(r"n(\d+)$", r"c*n\1", on)))


# --- what holds of every stack ----------------------------------------------------------------------------------------

def load(*tops, in_cgroup=None):
    """A process that reads one block after the other, where nobody else does, and writes four at a time, none of them
    beside another; its id."""
    def work():
        for top in tops:
            tools.read(top, tools.MIB, SIZE, READS)
            aio = tools.Aio(top)
            for i in range(0, WRITES, 4):
                aio.submit("write", [2 * SIZE * j for j in range(i, i + 4)], SIZE)
                aio.wait()
    return tools.child(work, in_cgroup=in_cgroup)


def right_top(run, top, pid):
    """The submitter's row has its count and bytes; nothing of it is known beside when it began and ended."""
    for op, ios in (("read", READS), ("write", WRITES)):
        where = f"{top} {op}"
        rows = run.rows(top, op, pid)
        assert len(rows) == 1, f"{where}: {len(rows)} rows of pid {pid}; there are {run.rows(top, op)}"
        row = rows[0]
        assert (row["ios"], row["bytes"]) == (ios, ios * SIZE), f"{where}: {row}"
        assert (row["owner_from"], row["via"], row["errors"]) == ("task", None, 0), f"{where}: {row}"
        assert row["latency"]["queue"] is None and row["latency"]["device"] is None, f"{where}: {row}"
        assert row["latency"]["total"]["count"] == row["ios"], f"{where}: {row}"


def copies(run, top, below, op, ios):
    """The rows of the copies on the disks below: so many I/Os, all from the top."""
    rows = [r for d in below for r in run.rows(d, op)]
    of_top = [r for r in rows if r["via"] == top]
    assert sum(r["ios"] for r in of_top) == ios, f"{op}: {ios} copies of {top}'s on {below}: {rows}"
    return of_top


def owners(rows):
    return {((r["process"] or {}).get("pid"), r["owner_from"], (r["cgroup"] or {}).get("id")) for r in rows}


# --- stacks -------------------------------------------------------------------------------------------------------------

@check(short=True)
def dm_linear(run):
    """dm-linear passes on in the submitter's own context: the copies are the submitter's, too."""
    below = disk()
    with linear(below) as top:
        pid = load(top)
        yield
    right_top(run, top, pid)
    for op, ios in (("read", READS), ("write", WRITES)):
        rows = copies(run, top, [below], op, ios)
        assert {r["process"]["pid"] for r in rows} == {pid}, rows
        assert all(r["latency"]["device"]["count"] == r["ios"] for r in rows), rows
    assert run.coverage(top)["transport"] == "dm"
    assert run.coverage(top)["stands_on"] == [below]


@check()
def dm_delay(run):
    """dm-delay's delay is in the upper level alone. A worker passes on; the cgroup goes with it."""
    below = disk()
    with delay(below) as top, tools.cgroup("delayed") as path:
        inode = os.stat(path).st_ino
        pid = load(top, in_cgroup=path)
        yield
    right_top(run, top, pid)
    for op, ios, least in (("read", READS, 50 * MS), ("write", WRITES, 100 * MS)):
        upper = run.rows(top, op, pid)[0]["latency"]["total"]
        # Its timer has the kernel's tick, 4 ms, which stands still while a busy host lets the guest wait.
        assert least - 8 * MS <= upper["p90_ns"] and upper["p50_ns"] < 20 * least, f"{op}: {upper}"
        rows = copies(run, top, [below], op, ios)
        assert owners(rows) == {(None, "bio", inode)}, f"{op}: {rows}"
        assert all(r["latency"]["total"]["p50_ns"] < least / 2 for r in rows), f"{op}: {rows}"


@check()
def dm_crypt(run):
    """dm-crypt writes by a thread of its own, before 5.18 without a cgroup: then nobody's."""
    below = disk()
    with crypt(below) as top, tools.cgroup("secret") as path:
        inode = os.stat(path).st_ino
        pid = load(top, in_cgroup=path)
        yield
    right_top(run, top, pid)
    copies(run, top, [below], "read", READS)
    writes = copies(run, top, [below], "write", WRITES)
    assert owners(writes) == {(None, "bio", inode) if tools.release() >= (5, 18) else (None, None, None)}, writes


@check()
def dm_thin(run):
    """A thin device's I/O is passed on by the submitter or by the pool's worker."""
    meta, data = disk(memory_backed=1), disk()
    with thin(meta, data) as (top, pool):
        tools.sh("dd", "if=/dev/zero", f"of=/dev/{top}", "bs=1M", "count=2", "oflag=direct", "status=none")  # maps all
        pid = load(top)
        yield
    right_top(run, top, pid)
    for above, below in ((top, pool), (pool, data)):
        copies(run, above, [below], "read", READS)
        fio = [r for r in run.rows(below, "write") if r["via"] == above and (r["process"] or {}).get("pid") == pid]
        assert sum(r["ios"] for r in fio) == WRITES, run.rows(below, "write")


@check()
def md_raid0(run):
    """raid0, which before 5.14 hands on the very bio that entered, and pieces of it."""
    below = [disk(), disk()]
    with md("raid0", *below) as top:
        pid = load(top)
        big = tools.child(tools.read, top, 0, 4 * 65536, 5)  # each in four pieces, of which there are two a disk
        yield
    right_top(run, top, pid)
    for op, ios in (("read", READS), ("write", WRITES)):
        rows = [r for r in copies(run, top, below, op, ios + 20 * (op == "read"))
                if r["process"] and r["process"]["pid"] == pid]
        assert sum(r["ios"] for r in rows) == ios, rows
    row = run.rows(top, "read", big)[0]
    assert (row["ios"], row["bytes"]) == (5, 20 * 65536), row
    assert sorted(run.coverage(top)["stands_on"]) == sorted(below)


@check(short=True)
def md_raid1(run):
    """raid1 reads from one and writes to both."""
    below = [disk(), disk()]
    with md("raid1", *below) as top:
        pid = load(top)
        yield
    right_top(run, top, pid)
    copies(run, top, below, "read", READS)
    for one in below:
        copies(run, top, [one], "write", WRITES)


@check(short=True)
def nvme_multipath(run):
    """The disk has what was asked of it; the path that was taken has the parts of the latency, under a name that is
    its own though its number may not be."""
    top = tools.MULTIPATH
    with hidden_paths(top) as below:
        assert len(below) == 2, below
        pid = load(top)
        syncs = tools.child(lambda: tools.write(top, count=10, fsync=True))
        yield
    right_top(run, top, pid)
    for op, ios in (("read", READS), ("write", WRITES + 10)):
        rows = copies(run, top, below, op, ios)
        assert {r["process"]["pid"] for r in rows} <= {pid, syncs}, rows
        assert all(r["latency"]["device"]["count"] == r["ios"] for r in rows), rows
    assert run.sum("ios", top, "flush", pid=syncs) == 10, run.rows(top, "flush")
    copies(run, top, below, "flush", 10)
    assert run.coverage(top)["stands_on"] == below
    assert run.coverage(top)["transport"] == "nvme"


@check()
def zram(run):
    """A disk in memory, without requests: nothing is below."""
    tools.sh("modprobe", "zram")
    tools.put("/sys/block/zram0/disksize", 64 * tools.MIB)
    pid = load("zram0")
    yield
    tools.put("/sys/block/zram0/reset", 1)
    right_top(run, "zram0", pid)
    assert run.coverage("zram0")["transport"] == "zram"
    assert run.coverage("zram0")["stands_on"] == []


@check()
def bcached(run):
    """A cache that is empty: reads come from the disk behind it and go to the cache, writes go to both."""
    cache, backing = disk(memory_backed=1), disk(memory_backed=1)
    with bcache(cache, backing) as top:
        pid = load(top)
        yield
    right_top(run, top, pid)
    for op, ios in (("read", READS), ("write", WRITES)):
        copies(run, top, [backing], op, ios)
    cached = [r for r in run.rows(cache, "write") if r["via"] == top]  # one behind the other, so some are merged
    assert sum(r["bytes"] for r in cached) == WRITES * SIZE, run.rows(cache)
    assert set(run.coverage(top)["stands_on"]) <= {cache, backing}  # which may join when it is at work already


@check()
def two_layers(run):
    """dm-linear on raid1: each level is via the one right above it."""
    below = [disk(), disk()]
    with md("raid1", *below) as middle, linear(middle) as top:
        pid = load(top)
        yield
    right_top(run, top, pid)
    rows = copies(run, top, [middle], "read", READS)
    assert {r["process"]["pid"] for r in rows} == {pid}, rows
    copies(run, middle, below, "read", READS)


@check(cgroups=["v2"], forms=["chosen"], run=ONCE)
def counted_once(run):
    """Without a device in the rows every I/O counts where it entered: no copy adds to it, whoever made it."""
    with contextlib.ExitStack() as stack:
        tops = [stack.enter_context(make(disk())) for make in (linear, delay, crypt)]
        tops += [stack.enter_context(md(level, disk(), disk())) for level in ("raid0", "raid1")]
        tops += [tools.MULTIPATH]
        pid = load(*tops)
    yield
    rows = [r for r in run.summary["rows"] if r["process"] and r["process"]["pid"] == pid]
    assert {(r["op"], r["ios"]) for r in rows} == {("read", len(tops) * READS), ("write", len(tops) * WRITES)}, rows
    nobodys = [r for r in run.summary["rows"] if not r["process"]]
    assert not [r for r in nobodys if r["via"] in tops], nobodys
    assert sum(r["ios"] for r in nobodys) < READS / 2, f"whose? {nobodys}"


@check(cgroups=["v2"], forms=["chosen"])
def select_a_level(form):
    """--device takes a level: the upper one, or the paths of a multipath disk; neither what is copied from it nor what it
    is a copy of is in it."""
    with hidden_paths(tools.MULTIPATH) as below, linear(disk()) as top:
        with tools.Iolat(*(word for d in (top, *below) for word in ("-d", d)), "--by", "device", form=form) as iolat:
            tools.child(tools.read, top, 0, SIZE, 20)
            tools.child(tools.read, tools.MULTIPATH, 0, SIZE, 20)
    got = {r["device"]["name"]: r["ios"] for r in iolat.summary["rows"]}
    assert got.pop(top) == 20 and set(got) <= set(below) and sum(got.values()) == 20, iolat.summary["rows"]
