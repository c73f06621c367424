"""I/O that is still under way when iolat ends: where it hangs, whose it is, since when. All of it hangs beside each other,
until iolat has ended; no check depends on how long that takes."""
import time

from . import devices, tools
from .checks import HANGING, check

MS = 1_000_000


def asleep(pid):
    """In state D, as /proc tells."""
    return tools.fetch(f"/proc/{pid}/stat").rsplit(") ", 1)[1].startswith("D")


class Reader(tools.Background):
    """A process that reads a block, and is asleep in that; `first` is called in it before."""

    def __init__(self, device, first=lambda: None):
        def read(self):
            first()
            self.ready()
            tools.read(device)
        super().__init__(read)
        tools.wait_until("the reader asleep", lambda: asleep(self.pid))


def stuck(run, pid):
    """What the process waits for."""
    found = [k for k in run.summary["stuck"] if k["process"] and k["process"]["pid"] == pid and not k["via"]]
    assert len(found) == 1, f"{len(found)} of process {pid}'s among {run.summary['stuck']}"
    return found[0]


def waits(run, pid):
    """The wait counts though it goes on."""
    task = [t for t in run.summary["tasks"] if t["thread"]["tid"] == pid][0]
    assert task["reasons"]["disk"] >= 300 * MS and task["reasons"]["disk"] >= 0.8 * task["blocked_ns"], task


@check(run=HANGING, early=True)
def before(run):
    """What hung already when iolat came is in flight like all else; whose it is nobody can tell any more."""
    with devices.loop() as (disk, backing):
        with devices.suspended(backing):
            reader = Reader(disk)
            yield
            yield
        reader.end()
    found = [k for k in run.summary["stuck"] if k["device"] and k["device"]["name"] == disk]
    assert len(found) == 1, run.summary["stuck"]
    assert (found[0]["stage"], found[0]["op"], found[0]["process"], found[0]["via"]) == ("device", "read", None, None), found
    assert found[0]["age_ns"] > run.summary["duration_ns"], found
    assert [c["seen"] for c in run.summary["coverage"]["devices"] if c["device"] == disk] == [0], run.summary["coverage"]
    waits(run, reader.pid)


@check()
def before_by_pid(form):
    """To who is selected and sleeps, what hangs on the disk below his file is shown, and no other's."""
    with devices.loop() as (disk, backing), devices.loop() as (other, other_backing), devices.linear(disk) as top:
        with devices.suspended(backing), devices.suspended(other_backing):
            readers = [Reader(top), Reader(other)]
            with tools.Iolat("--pid", str(readers[0].pid), "--stuck", "300ms", form=form, idle=False) as iolat:
                time.sleep(0.4)  # longer than --stuck
        for reader in readers:
            reader.end()
    found = [k["device"]["name"] for k in iolat.summary["stuck"]]
    assert found == [disk], iolat.summary["stuck"]


@check(run=HANGING)
def limit(run):
    """A read that waits for its cgroup's limit is in no tracepoint yet: it is inferred from the task asleep."""
    with tools.cgroup("slow") as path:
        tools.limit_reads(path, "bps", 64)
        reader = Reader("vda", lambda: tools.put(path + "/cgroup.procs", 0))
        yield
        tools.limit_reads(path, "bps", None)
        reader.end()
    found = stuck(run, reader.pid)
    assert (found["stage"], found["inferred"], found["sector"]) == ("before-request", True, None), found
    assert found["device"] is None or found["device"]["name"] == "vda", found


@check(run=HANGING)
def delayed(run):
    """dm-delay: the read shows while it waits in there, and its wait counts at once."""
    with devices.dm("delay", "vda", "/dev/vda", 0, 100_000, size=2048) as top:
        reader = Reader(top)
        yield
        with devices.suspended(top):  # which lets go of what is delayed
            reader.end()
    found = stuck(run, reader.pid)
    assert found["device"]["name"] == top and not found["inferred"], found
    assert found["age_ns"] >= 300 * MS, found
    assert any(f["code"] == "hung-request" for f in run.summary["findings"]), run.summary["findings"]
    waits(run, reader.pid)


@check(run=HANGING)
def suspended(run):
    """dmsetup suspend: a read that comes then waits in the device's queue, which is where it shows."""
    with devices.linear("vda", size=2048) as top:
        with devices.suspended(top):
            reader = Reader(top)
            yield
        reader.end()
    found = stuck(run, reader.pid)
    assert (found["stage"], found["device"]["name"]) == ("queue", top), found
    waits(run, reader.pid)


@check(run=HANGING)
def below(run):
    """A copy that waits for a request of the disk below is its submitter's, also before it has one."""
    with devices.loop() as (disk, backing), devices.linear(disk) as top:
        tools.queue(disk, "nr_requests", 4)
        with devices.suspended(backing):
            readers = [Reader(top) for _ in range(5)]
            yield
        for reader in readers:
            reader.end()
    found = [(k["stage"], k["process"] and k["process"]["pid"], k["via"]) for k in run.summary["stuck"]
             if k["device"] and k["device"]["name"] == disk]
    stages = ["device"] * 4 + ["queue"]
    assert sorted(found) == sorted((stage, r.pid, top) for stage, r in zip(stages, readers)), run.summary["stuck"]
