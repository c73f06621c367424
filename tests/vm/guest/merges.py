"""Requests of several bios, and bios of several requests: each request counts once, bytes go to each bio's own owner, and
`merged` is what the kernel says it merged."""
import os

from . import tools
from .checks import check

BLOCK = 4096


@check(short=True)
def plug(run):
    """Bios that join a request in the submitter's plug, behind it."""
    def load():
        aio = tools.Aio("vda")
        aio.submit("write", [i * BLOCK for i in range(16)])
        aio.wait()
    before = tools.stat("vda")
    pid = tools.child(load)
    grown = tools.grown(before, tools.stat("vda"))
    yield
    got = [run.sum(key, "vda", "write", pid=pid) for key in ("ios", "bytes", "merged")]
    assert got == [grown["write"], 16 * BLOCK, grown["merged"]], f"{got}, the kernel says {grown}"
    assert grown["merged"], "nothing was merged, so nothing was tested"


@check()
def queued(run):
    """Behind, in front, and request into request, in a scheduler's queue, by two processes."""
    def other(self):
        aio = tools.Aio(disk)
        for at in (2, 12, 9):  # a request of its own, twice; in front of the other's
            aio.submit("write", [at * BLOCK])
        self.ready()
        aio.wait()
    def attempt():
        before = tools.stat(disk)
        with tools.scsi_fault(tools.BUSY):
            mine = tools.Aio(disk)
            mine.submit("write", [1000 * BLOCK])
            tools.time.sleep(0.2)  # refused by the host, it now keeps the others in the scheduler
            mine.submit("write", [0])
            mine.submit("write", [10 * BLOCK])
            another = tools.Background(other)
            mine.submit("write", [BLOCK])  # behind block 0, after which block 2's request joins it
            mine.submit("write", [11 * BLOCK])  # and 12's
        mine.wait()
        another.end()
        return another.pid, tools.grown(before, tools.stat(disk))
    disk, tries = tools.scsi_disk(), []
    while not tries or tries[-1][1] != {"read": 0, "write": 3, "discard": 0, "merged": 5}:
        assert len(tries) < 5, f"not what was to be tested: {tries}"  # the host may ask for another in between
        tries.append(attempt())
    yield
    def got(pid):
        return [run.sum(key, disk, "write", pid=pid) for key in ("ios", "bytes", "merged")]
    others = [got(pid) for pid, _ in tries]
    assert others[-1] == [0, 3 * BLOCK, 0], f"the others' bios: {others[-1]}"
    every = [sum(kind) for kind in zip(got(os.getpid()), *others)]
    assert every == [sum(t["write"] for _, t in tries), 8 * BLOCK * len(tries), sum(t["merged"] for _, t in tries)], (every, tries)


@check(short=True)
def split(run):
    """A bio larger than the disk takes at once: pieces with one owner, all of them submitted when it was."""
    tools.queue(tools.SLOW, "max_sectors_kb", 64)
    before = tools.stat(tools.SLOW)
    pid = tools.child(lambda: tools.read(tools.SLOW, size=tools.MIB))
    grown = tools.grown(before, tools.stat(tools.SLOW))
    yield
    got = [run.sum(key, tools.SLOW, "read", pid=pid) for key in ("ios", "bytes")]
    assert got == [grown["read"], tools.MIB] and grown["read"] >= 16, f"{got}, the kernel says {grown}"


@check()
def sequential(run):
    """A sequential asynchronous load."""
    def load():
        aio = tools.Aio(tools.FAST)
        for i in range(0, 512, 16):
            aio.submit("write", [BLOCK * j for j in range(i, i + 16)])
            aio.wait()
    before = tools.stat(tools.FAST)
    pid = tools.child(load)
    grown = tools.grown(before, tools.stat(tools.FAST))
    yield
    got = [run.sum(key, tools.FAST, "write", pid=pid) for key in ("ios", "bytes", "merged")]
    assert got == [grown["write"], 512 * BLOCK, grown["merged"]], f"{got}, the kernel says {grown}"
