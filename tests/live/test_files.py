"""Waits for files that no local disk holds, and for mapped files: the reason, the finding, the mount and the files."""
import pathlib

import pytest

from lib import base, disks, trace

MS = base.MS


def reasons(summary, pid):
    return trace.task(summary, pid)["reasons"]


def names(finding):
    return [f["path"] for f in finding["evidence"]["files"]]


@pytest.fixture
def fuse_file(stack, folder):
    """A file that a process serves (nbdfuse), which takes 20 ms a read. It is a mount of its own."""
    return disks.served_file(stack, folder(), filters=["delay"], settings=["rdelay=20ms"])


# --- FUSE --------------------------------------------------------------------------------

@pytest.mark.parametrize("how", ["cached", "read", "mmap"])
def test_fuse(fuse_file, doio, iolat, how):
    """Buffered, direct (whose sleep a signal may end) and mapped reads all wait for FUSE, and for no disk."""
    load = doio(how, fuse_file, count=30, size=base.MIB)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    ns = reasons(summary, load.pid)
    assert ns["fuse"] >= 30 * 20 * MS, ns
    finding = trace.finding(summary, "fuse-filesystem")
    evidence = finding["evidence"]
    assert evidence["mount"] == str(fuse_file) and evidence["type"].startswith("fuse")
    assert evidence["mount_wait_ns"] == evidence["wait_ns"] == ns["fuse"]
    assert evidence["mount_waits"] >= 30
    assert str(fuse_file) in finding["text"] and names(finding) == [str(fuse_file)]
    assert not trace.findings(summary, "not-the-disk") and not trace.findings(summary, "network-filesystem")
    assert not trace.findings(summary, "page-fault-io")


NAMES = """import os, sys
for i in range(20): os.stat(f"{sys.argv[1]}/stat-{i}")
for i in range(10):
    fd = os.open(f"{sys.argv[1]}/open-{i}", os.O_RDONLY)
    os.read(fd, 4096)
    os.lseek(fd, i, os.SEEK_DATA)
    os.fstatvfs(fd)
    os.close(fd)
"""


def test_fuse_by_name(folder, stack, held, iolat):
    """Looking up names, asking for attributes, opening, seeking and closing wait for FUSE, too: in sleeps that a signal
    may end, of which the kernel says nothing."""
    point = folder()
    disks.slow_folder(stack, point, 20)
    load = held(base.PYTHON, "-c", NAMES, point)
    tracer = iolat("--pid", load.pid, "--by", "fs,op")
    load.finish()
    summary = tracer.stop()
    # A lookup and attributes for each stat; a lookup, an opening, a read, a seek, facts about the whole, a flush.
    requests = 20 * 2 + 10 * 6
    ns = reasons(summary, load.pid)
    assert ns["fuse"] >= 0.95 * requests * 20 * MS, ns
    evidence = trace.finding(summary, "fuse-filesystem")["evidence"]
    assert (evidence["mount"], evidence["source"]) == (str(point), "slowfs")
    rows = {r["op"]: r["ios"] for r in summary["rows"] if r["fs"] and r["fs"]["source"] == "slowfs"}
    assert rows["read"] == 10 and rows["other"] >= 0.95 * (requests - 10), rows


MOVES = {"sendfile": "os.sendfile(null, fd, i << 15, 4096)", "splice": "os.splice(fd, into, 4096, i << 15); os.read(out, 4096)"}
MOVE = """import os, sys
fd, null = os.open(sys.argv[1], os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
out, into = os.pipe()
for i in range(20): {}
"""


@pytest.mark.parametrize("how", MOVES)
def test_fuse_without_a_buffer(folder, stack, held, iolat, how):
    """What copies a file without reading it into its own memory waits for FUSE as well."""
    point = folder()
    disks.slow_folder(stack, point, 20, 1 << 20)
    load = held(base.PYTHON, "-c", MOVE.format(MOVES[how]), point / "x")
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    assert reasons(summary, load.pid)["fuse"] >= 20 * 20 * MS, reasons(summary, load.pid)
    assert str(point / "x") in names(trace.finding(summary, "fuse-filesystem"))


def test_an_overlay_on_fuse(folder, stack, doio, iolat):
    """What an overlay shows of such a mount waits for that mount, and goes by the name that its user knows."""
    served = folder()
    point = served / "lower"
    point.mkdir()
    disks.slow_folder(stack, point, 20, 1 << 20)
    seen = disks.overlay(stack, point, folder(), folder())
    load = doio("cached", seen / "x", count=30, size=4096)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    assert reasons(summary, load.pid)["fuse"] >= 30 * 20 * MS, reasons(summary, load.pid)
    finding = trace.finding(summary, "fuse-filesystem")
    assert finding["evidence"]["mount"] == str(point) and str(seen / "x") in names(finding)


def test_fuse_while_it_hangs(stack, folder, doio, start_iolat):
    """A read that FUSE does not answer counts while it lasts."""
    where = folder()
    control = where / "pause.sock"
    file = disks.served_file(stack, where, filters=["pause"], settings=[f"pause-control={control}"])
    disks.command(control, b"p")
    stack.callback(disks.command, control, b"r")
    load = doio("read", file)
    tracer = start_iolat("-f", "json", "-i", "500ms", "--pid", load.pid)
    load.go()
    tracer.wait_for_output(lambda objects: any(
        f["evidence"]["wait_pct"] > 90 for o in objects for f in trace.findings(o, "fuse-filesystem")))
    disks.command(control, b"r")
    load.wait()
    tracer.end()


def test_fuse_in_a_recording(fuse_file, doio, start_iolat, run_iolat, folder):
    """A recording says the same, elsewhere: it has the mount and the file."""
    recording = folder() / "run.iolat"
    load = doio("read", fuse_file, count=30, size=base.MIB)
    tracer = start_iolat("record", "-o", recording, "--pid", load.pid)
    load.finish()
    tracer.stop()
    summary = trace.objects(run_iolat("report", recording, "-f", "json", "-i", "0", rc=0).stdout)[-1]
    finding = trace.finding(summary, "fuse-filesystem")
    assert finding["evidence"]["mount"] == str(fuse_file) and names(finding) == [str(fuse_file)]


# --- page faults ---------------------------------------------------------------------------

def page_faults(summary, load, file):
    """More than nine tenths of the waits are faults' on that file."""
    task = trace.task(summary, load.pid)
    assert task["reasons"]["page_fault"] > 0.9 * task["blocked_ns"], task
    finding = trace.finding(summary, "page-fault-io")
    assert names(finding)[0] == str(file) and str(file) in finding["text"]
    assert finding["evidence"]["share_pct"] > 90
    assert not trace.findings(summary, "not-the-disk") and not trace.findings(summary, "fuse-filesystem")


RANDOM = ("import mmap, os, random, sys; fd = os.open(sys.argv[1], os.O_RDONLY); m = mmap.mmap(fd, 0, prot=1); "
          "m.madvise(mmap.MADV_RANDOM); random.seed(1); "
          "[m[4096 * i] for i in random.sample(range(len(m) // 4096), 60)]")


def test_a_mapped_file_read_at_random(slow_disk, ext4, held, iolat):
    disk = slow_disk(read_ms=20)
    file = ext4(disk) / "train.arrow"
    disks.fill(file, 8)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
    warm = held(base.PYTHON, "-c", "import mmap, random", file)  # its libraries are not to be waited for
    warm.finish()
    load = held(base.PYTHON, "-c", RANDOM, file)
    tracer = iolat("--pid", load.pid)
    load.finish()
    page_faults(tracer.stop(), load, file)


def test_a_mapped_file_under_a_bind_mount(slow_disk, ext4, stack, folder, doio, iolat):
    """The path is that of the mount which shows the least beside it."""
    disk = slow_disk(read_ms=100)
    inside = ext4(disk) / "a" / "b"
    inside.mkdir(parents=True)
    disks.fill(inside / "x", 12)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
    point = folder()
    base.sh("mount", "--bind", inside, point)
    stack.callback(base.sh, "umount", "-l", point)
    load = doio("mmap", point / "x", count=12, size=base.MIB)
    tracer = iolat("--pid", load.pid)
    load.finish()
    finding = trace.finding(tracer.stop(), "page-fault-io")
    assert names(finding)[0] == str(point / "x")


@pytest.mark.parametrize("how, code", [("cached", "all-workers-io-bound"), ("mmap", "page-fault-io")])
def test_an_overlay_on_a_slow_disk(slow_disk, ext4, folder, stack, doio, iolat, how, code):
    """Findings name the file as its user knows it, read or mapped."""
    point = ext4(slow_disk(read_ms=100))
    lower = point / "lower"
    lower.mkdir()
    disks.fill(lower / "x", 16)
    seen = disks.overlay(stack, lower, point, folder())
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
    load = doio(how, seen / "x", count=16, size=base.MIB, stay=1)  # a mapped one is told while it lives
    tracer = iolat("--pid", load.pid)
    load.go().proc.stdout.read(1)
    summary = tracer.stop()
    assert names(trace.finding(summary, code))[0] == str(seen / "x")
    assert not trace.findings(summary, "fuse-filesystem") and not trace.findings(summary, "not-the-disk")


# --- the page cache ------------------------------------------------------------------------

READ_AGAIN = ("import os, sys, time; fd = os.open(sys.argv[1], os.O_RDONLY); end = time.time() + 1\n"
              "while time.time() < end: os.pread(fd, 1 << 20, 0)")


def test_children_count_once(folder, iolat):
    """What a child has read is not its parent's, too, who waits for its end."""
    file = folder() / "cached"
    file.write_bytes(bytes(16 * base.MIB))
    twice = f"cat {file} {file} > /dev/null"
    tracer = iolat(command=["sh", "-c", f"sh -c '{twice}; {twice}; true'; sh -c '{twice}; true'; sleep 1.5"])
    evidence = trace.finding(tracer.end(), "not-the-disk")["evidence"]
    assert 96 * base.MIB <= evidence["read_bytes"] < 104 * base.MIB, evidence


def test_children_that_are_not_selected(folder, held, iolat):
    """What they have read is not their parent's either."""
    file = folder() / "cached"
    file.write_bytes(bytes(16 * base.MIB))
    load = held("sh", "-c", f"cat {file} {file} > /dev/null; sleep 1.5; true")
    tracer = iolat("--pid", load.pid, "--no-children")
    load.finish()
    evidence = trace.finding(tracer.stop(), "not-the-disk")["evidence"]
    assert evidence["read_bytes"] < 16 * base.MIB, evidence


def test_only_cached_data(folder, held, iolat):
    """A process that reads nothing but memory: it is not the disk, with the figures."""
    file = folder() / "cached"
    file.write_bytes(bytes(base.MIB))
    load = held(base.PYTHON, "-c", READ_AGAIN, file)
    tracer = iolat("--pid", load.pid)
    load.finish()
    summary = tracer.stop()
    finding = trace.finding(summary, "not-the-disk")
    evidence = finding["evidence"]
    assert evidence["read_bytes"] > 100 * base.MIB
    assert evidence["device_read_bytes"] < 0.05 * evidence["read_bytes"] and evidence["cache_hit_pct"] > 95
    assert "system calls read" in finding["text"]


def test_an_idle_process(held, iolat):
    """No request, no wait, nothing read."""
    load = held("sleep", "60")
    load.go()
    base.wait_until("sleep itself", lambda: pathlib.Path(f"/proc/{load.pid}/comm").read_text() == "sleep\n")
    finding = trace.finding(iolat("--pid", load.pid, "-D", "600ms").end(), "not-the-disk")
    assert finding["evidence"]["ios"] == 0 and finding["evidence"]["read_bytes"] == 0
    assert finding["evidence"]["blocked_ns"] == 0
    assert "hardly read at all" in finding["text"]


HALF = """import os, sys
for path in sys.argv[1:]:
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    while os.read(fd, 65536): pass
"""


def test_half_of_it_cached(slow_disk, ext4, held, iolat):
    """What calls asked for beside what the disk read: the cache served half."""
    disk = slow_disk(read_ms=20)
    point = ext4(disk)
    cold, warm = point / "cold", point / "warm"
    for file in (cold, warm):
        disks.fill(file, 2)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")
    held(base.PYTHON, "-c", HALF, warm).finish()  # Python itself is in the cache then, too
    load = held(base.PYTHON, "-c", HALF, cold, warm)
    tracer = iolat("--pid", load.pid)
    load.finish()
    finding = trace.finding(tracer.stop(), "all-workers-io-bound")
    evidence = finding["evidence"]
    assert evidence["device_read_bytes"] >= 2 * base.MIB and evidence["read_bytes"] >= 4 * base.MIB
    assert 35 < evidence["cache_hit_pct"] < 65
    assert names(finding)[0] == str(cold)
