"""Disks for tests: loop devices, fast ones on tmpfs and ones whose delay, errors or silence a test commands.

The commanded ones are nbdkit's, with a filter, shown as a file by nbdfuse, with a loop device on that file. They need
neither kernel modules nor udev.
"""
import os
import pathlib
import stat as statmod
import subprocess
import time
from typing import NamedTuple

from lib import base


class Stat(NamedTuple):
    """The kernel's own count of a disk, in I/Os and bytes."""
    reads: int
    read_merges: int
    read_bytes: int
    writes: int
    write_merges: int
    write_bytes: int
    discards: int
    discard_bytes: int
    flushes: int

    def __sub__(self, before):
        return Stat(*(a - b for a, b in zip(self, before)))

    @property
    def ios(self):
        """What iolat calls the kernel's count of a device."""
        return self.reads + self.writes + self.discards


class Disk:
    def __init__(self, name, folder):
        self.name = name
        self.path = f"/dev/{name}"
        self.sys = pathlib.Path("/sys/block") / name
        self.folder = folder  # of its files
        self.file = None      # that it stands on

    @property
    def number(self):
        """(major, minor)"""
        return tuple(map(int, (self.sys / "dev").read_text().split(":")))

    def stat(self):
        f = [int(w) for w in (self.sys / "stat").read_text().split()] + [0] * 17
        return Stat(f[0], f[1], f[2] * 512, f[4], f[5], f[6] * 512, f[11], f[13] * 512, f[15])

    def in_flight(self):
        return sum(map(int, (self.sys / "inflight").read_text().split()))

    def get(self, attribute):
        return (self.sys / "queue" / attribute).read_text().strip()

    def set(self, stack, attribute, value):
        """Changes a queue attribute until the end of the test: loop devices keep them for the next user."""
        before = self.get(attribute)
        if attribute == "scheduler":
            before = before[before.index("[") + 1:before.index("]")]
        if before == str(value):
            return
        (self.sys / "queue" / attribute).write_text(f"{value}\n")
        stack.callback(self._restore, attribute, before)

    def _restore(self, attribute, value):
        try:
            (self.sys / "queue" / attribute).write_text(f"{value}\n")
        except OSError:
            pass

    def drop_cache(self):
        base.sh("blockdev", "--flushbufs", self.path)

    def open_to_all(self):
        """A node of the disk that every user may open."""
        node = self.folder / "node"
        os.mknod(node, 0o666 | statmod.S_IFBLK, os.makedev(*self.number))
        node.chmod(0o666)
        return str(node)


def _attach(file, options):
    """`losetup -f` may lose a race for the device against somebody else."""
    for _ in range(20):
        got = base.sh("losetup", "--show", *options, "-f", file, check=False)
        if not got.returncode:
            return got.stdout.strip()
        time.sleep(0.1)
    raise AssertionError(f"losetup: {got.stderr.strip()}")


def _detach(path):
    base.sh("losetup", "-d", path, check=False)
    backing = pathlib.Path("/sys/block") / path.rsplit("/", 1)[1] / "loop"
    for _ in range(100):
        if not backing.exists():
            return
        time.sleep(0.02)


def _attach_disk(stack, folder, file, direct_io=True, partitions=False, scheduler="none", queue=None):
    options = [f"--direct-io={'on' if direct_io else 'off'}"] + ["-P"] * partitions
    path = _attach(file, options)
    stack.callback(_detach, path)
    disk = Disk(path.rsplit("/", 1)[1], folder)
    disk.file = file
    base.need(scheduler in disk.get("scheduler"), f"this kernel has no I/O scheduler {scheduler}")
    disk.set(stack, "scheduler", scheduler)
    # Completions stay with the kernel thread that serves the device instead of interrupting whoever runs: some
    # kernels run no tracing program while certain tasks are current, and a count would be short of that.
    disk.set(stack, "rq_affinity", 0)
    for attribute, value in (queue or {}).items():
        disk.set(stack, attribute, value)
    return disk


def loop_disk(stack, folder, size_mb=64, on=None, **how):
    """A loop device on a file: sparse in the tests' tmpfs, or filled and lying in the folder `on`.

    how: direct_io, partitions, scheduler, queue={attribute: value}
    """
    if on is None:
        file = folder / "disk"
        with open(file, "wb") as f:
            f.truncate(size_mb * base.MIB)
    else:
        file = pathlib.Path(on) / f"{folder.parent.name}-{folder.name}.disk"
        stack.callback(file.unlink)
        fill(file, size_mb)
    return _attach_disk(stack, folder, file, **how)


def fill(file, size_mb):
    """Real blocks: holes and unwritten extents are read without any I/O."""
    block = os.urandom(base.MIB)
    with open(file, "wb") as f:
        for _ in range(size_mb):
            f.write(block)
        f.flush()
        os.fsync(f.fileno())


def _unmount(path):
    if base.sh("umount", path, check=False).returncode:
        base.sh("umount", "-l", path, check=False)


def served_file(stack, folder, size_mb=64, filters=(), settings=()):
    """A file whose reads and writes nbdkit answers."""
    base.need_tool("nbdkit", "nbdfuse")
    base.need(os.path.exists("/dev/fuse"), "no /dev/fuse")
    socket, file = folder / "nbd.sock", folder / "served"
    file.touch()
    out = open(folder / "nbd.log", "wb")
    stack.callback(out.close)
    server = base.start(["nbdkit", "-f", "-U", socket, *(f"--filter={f}" for f in filters), "memory",
                         f"{size_mb}M", *settings], stdout=out, stderr=out)
    stack.callback(base.put_down, server)
    base.wait_until("nbdkit's socket", lambda: socket.exists() or server.poll() is not None)
    fuse = base.start(["nbdfuse", "-C", "8", file, f"nbd+unix:///?socket={socket}"], stdout=out, stderr=out)
    stack.callback(base.put_down, fuse)
    stack.callback(_unmount, file)
    base.wait_until(f"nbdfuse's file, see {folder / 'nbd.log'}",
                    lambda: file.stat().st_size or fuse.poll() is not None)
    assert file.stat().st_size == size_mb * base.MIB, (folder / "nbd.log").read_text()
    return file


def slow_folder(stack, point, ms, size=4096):
    """A mount of lib/slowfs.py, which answers each request that much later."""
    base.need(os.path.exists("/dev/fuse"), "no /dev/fuse")
    server = base.start([base.PYTHON, base.TESTS / "lib" / "slowfs.py", point, ms, size], stdout=subprocess.PIPE)
    stack.callback(base.put_down, server)
    stack.callback(base.sh, "umount", "-l", point, check=False)
    assert server.stdout.readline() == b"ready\n"


def slow_disk(stack, folder, read_ms=0, write_ms=0, size_mb=64, **how):
    """Each read and each write takes at least that long in the disk."""
    settings = [f"rdelay={read_ms}ms", f"wdelay={write_ms}ms"]
    return _attach_disk(stack, folder, served_file(stack, folder, size_mb, ["delay"], settings), **how)


def error_disk(stack, folder, size_mb=64, **how):
    """disk.fail(True) makes every read and write fail with EIO, disk.fail(False) none."""
    trigger = folder / "fail"
    settings = ["error=EIO", "error-rate=100%", f"error-file={trigger}"]
    disk = _attach_disk(stack, folder, served_file(stack, folder, size_mb, ["error"], settings), **how)
    disk.fail = lambda on: trigger.touch() if on else trigger.unlink(missing_ok=True)
    return disk


def pausable_disk(stack, folder, size_mb=64, **how):
    """disk.pause(): requests stay in flight until disk.resume()."""
    control = folder / "pause.sock"
    file = served_file(stack, folder, size_mb, ["pause"], [f"pause-control={control}"])
    disk = _attach_disk(stack, folder, file, **how)
    disk.pause = lambda: command(control, b"p")
    disk.resume = lambda: command(control, b"r")
    stack.callback(disk.resume)
    return disk


def zram_disk(stack, folder, size_mb=16):
    """A disk that the kernel drives by bios, without requests."""
    control = pathlib.Path("/sys/class/zram-control")
    base.need((control / "hot_add").exists(), "no zram", ci=False)
    number = (control / "hot_add").read_text().strip()
    stack.callback((control / "hot_remove").write_text, number)
    disk = Disk(f"zram{number}", folder)
    (disk.sys / "disksize").write_text(f"{size_mb}M")
    stack.callback((disk.sys / "reset").write_text, "1")
    return disk


def command(control, letter):
    """The pause filter answers each letter with its capital, once it is done."""
    import socket
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(base.LIMIT)
        s.connect(str(control))
        s.sendall(letter)
        s.recv(1)


def ext4(stack, disk, name="mnt", options=""):
    """Makes and mounts an ext4 on the disk; no lazy work that would go on in the background."""
    base.need_tool("mkfs.ext4")
    base.sh("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk.path)
    point = disk.folder / name
    point.mkdir()
    base.sh("mount", "-o", f"noatime{options}", disk.path, point)
    stack.callback(_unmount, point)
    return point


def overlay(stack, lower, upper, seen):
    """Shows the folder `lower` at `seen`, through an overlay whose own folders are made in `upper`."""
    for name in ("upper", "work"):
        (upper / name).mkdir()
    got = base.sh("mount", "-t", "overlay", "overlay", "-o",
                  f"lowerdir={lower},upperdir={upper}/upper,workdir={upper}/work", seen, check=False)
    base.need(not got.returncode, f"no overlay can be mounted: {got.stderr.strip()}", ci=False)
    stack.callback(base.sh, "umount", "-l", seen)
    return seen
