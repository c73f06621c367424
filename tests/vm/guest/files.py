"""Files, and file systems that no disk of the guest holds: 9p, virtiofs, NFS and SMB over loopback, an overlay."""
import contextlib
import mmap
import os
import time

from . import devices, tools
from .checks import FILES, check
from .waits import task

MS = 1_000_000
SHARE = "/share"  # 9p, from the host


def rows(run, path, pid=None, op=None):
    return [r for r in run.summary["rows"] if r["file"] and r["file"]["path"] == path and op in (None, r["op"])
            and (pid is None or (r["process"] or {}).get("pid") == pid)]


def size_of(found):
    return sum(r["bytes"] for r in found)


def forget(path):
    """Whoever reads the file now has to fetch it."""
    with open(path, "rb") as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def fill(path, size):
    with open(path, "wb") as f:
        f.write(os.urandom(size))
        os.fsync(f.fileno())
    forget(path)


def read_all(path, piece=65536):
    fd = os.open(path, os.O_RDONLY)
    while os.read(fd, piece):
        pass
    os.close(fd)


def read_mapped(path):
    fd = os.open(path, os.O_RDONLY)
    memory = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
    memory.madvise(mmap.MADV_RANDOM)
    for at in range(0, len(memory), 256 << 10):
        memory[at]


# --- files of a disk --------------------------------------------------------------------------------------------------

@check(run=FILES)
def by_file(run):
    """Bytes and paths of buffered, direct and mapped reads, and of what is written later."""
    sizes = {"a": 4096, "b": 300 << 10}
    with tools.ext4("/dev/vda") as point:
        for name, size in sizes.items():
            fill(f"{point}/{name}", size)
        fill(f"{point}/mapped", 1 << 20)
        pid = tools.child(lambda: [read_all(f"{point}/{name}") for name in sizes])
        mapped = tools.child(read_mapped, f"{point}/mapped")
        direct = tools.program("dd", f"if={point}/b", "of=/dev/null", "bs=64k", "count=2", "iflag=direct", "status=none")
        tools.sh("dd", "if=/dev/zero", f"of={point}/written", "bs=64k", "count=2", "conv=fsync", "status=none")
    yield
    read = {name: size_of(rows(run, f"{point}/{name}", pid, "read")) for name in sizes}
    assert read == sizes, run.summary["rows"]
    assert size_of(rows(run, f"{point}/mapped", mapped, "read")) >= 4 * 4096
    assert size_of(rows(run, f"{point}/b", direct, "read")) == 131072
    assert size_of(rows(run, f"{point}/written", op="write")) == 131072
    assert rows(run, "(metadata)"), run.summary["rows"]


@check(run=FILES)
def overlay(run):
    """An overlay's files go by the paths that their user knows."""
    with tools.ext4("/dev/nvme0n1") as point:
        for name in ("lower", "upper", "work"):
            os.mkdir(f"{point}/{name}")
        fill(f"{point}/lower/x", 300 << 10)
        seen = "/mnt/seen"
        os.makedirs(seen, exist_ok=True)
        tools.sh("mount", "-t", "overlay", "overlay", "-o",
                 f"lowerdir={point}/lower,upperdir={point}/upper,workdir={point}/work", seen)
        try:
            pid = tools.child(read_all, f"{seen}/x")
            time.sleep(0.3)  # for its path the mount has to be there yet
        finally:
            tools.sh("umount", seen)
    yield
    found = rows(run, f"{seen}/x", pid)
    assert size_of(found) == 300 << 10, run.summary["rows"]
    assert {r["fs"]["type"] for r in found} == {"ext4"}, found


# --- no disk ----------------------------------------------------------------------------------------------------------

def remote(run, pid, point, kind, reason="network_fs"):
    """The task's waits are for that mount, which has rows of its own. How many of its calls had to wait is the server's
    affair."""
    t = task(run, pid)
    assert t["reasons"][reason] > 0 and t["reasons"][reason] >= 0.8 * t["blocked_ns"], t
    found = [r for r in run.summary["rows"] if r["fs"] and r["fs"]["mount"] == point
             and (r["process"] or {}).get("pid") == pid]
    assert found and {r["fs"]["type"] for r in found} == {kind}, run.summary["rows"]
    assert all(r["ios"] and r["bytes"] is None and r["latency"]["device"] is None for r in found), found


@check(run=FILES)
def ninep(run):
    """Reads of a folder of the host's, whose waits before 7.2 the kernel does not count as I/O."""
    path = f"{SHARE}/remote"
    fill(path, 2 << 20)
    pid = tools.child(read_all, path, 16384)
    os.unlink(path)
    yield
    remote(run, pid, SHARE, "9p")


@check(run=FILES)
def virtiofs(run):
    """A FUSE file system whose server is outside of the machine; its reads are never cached."""
    point = "/mnt/virtiofs"
    os.makedirs(point, exist_ok=True)
    tools.sh("modprobe", "virtiofs")
    tools.sh("mount", "-t", "virtiofs", "virtio", point)
    fill(f"{point}/far", 2 << 20)
    pid = tools.child(read_all, f"{point}/far", 16384)
    yield
    os.unlink(f"{point}/far")
    tools.sh("umount", point)
    remote(run, pid, point, "virtiofs", "fuse")


@contextlib.contextmanager
def slow_export():
    """A file system on a disk of 20 ms, with a file of 2 MiB and some folders."""
    with devices.dm("delay", "vda", "/dev/vda", 0, 20, "/dev/vda", 0, 0) as top, tools.ext4(f"/dev/{top}") as export:
        fill(f"{export}/x", 2 << 20)
        for i in range(20):
            os.mkdir(f"{export}/{i}")
        tools.sh("ip", "link", "set", "lo", "up")
        yield export


@contextlib.contextmanager
def nfs():
    """It is exported to this machine and mounted from it."""
    point = "/mnt/nfs"
    with slow_export() as export, contextlib.ExitStack() as stack:
        tools.sh("modprobe", "-a", "nfsd", "nfs", "nfsv4")
        if not os.path.exists("/proc/fs/nfsd/threads"):
            tools.sh("mount", "-t", "nfsd", "nfsd", "/proc/fs/nfsd")
        tools.sh("exportfs", "-o", "rw,no_root_squash,no_subtree_check,insecure,fsid=0", f"127.0.0.1:{export}")
        stack.callback(tools.sh, "exportfs", "-u", f"127.0.0.1:{export}")
        # A server that knows that it had no clients before it started has no time of grace.
        for folder in ("pipefs", "clients"):
            os.makedirs(f"/run/nfs/{folder}", exist_ok=True)
        tools.sh("mount", "-t", "rpc_pipefs", "pipefs", "/run/nfs/pipefs")
        stack.callback(tools.sh, "umount", "/run/nfs/pipefs")
        for argv in (["nfsdcld", "-F", "-p", "/run/nfs/pipefs", "-s", "/run/nfs/clients"], ["rpc.mountd", "-F", "-N", "3"]):
            daemon = tools.subprocess.Popen(argv, stderr=tools.subprocess.DEVNULL)
            stack.callback(daemon.wait)
            stack.callback(daemon.kill)
        tools.sh("rpc.nfsd", "-N", "3", "2")
        stack.callback(tools.sh, "rpc.nfsd", "0")
        os.makedirs(point, exist_ok=True)
        tools.sh("mount", "-t", "nfs4", "-o", "vers=4.2,rsize=65536", "127.0.0.1:/", point)
        stack.callback(tools.sh, "umount", point)
        yield point, export


@check(run=FILES)
def loopback(run):
    """NFS: the server's disk is the server's; the client waits for the mount, by read(2), by faults, by names."""
    with nfs() as (point, export):
        named = tools.child(lambda: [os.path.exists(f"{point}/no{i}") for i in range(100)])  # each a question to the server
        mapped = tools.child(read_mapped, f"{point}/x")
        forget(f"{point}/x")
        forget(f"{export}/x")
        called = tools.child(read_all, f"{point}/x")
    yield
    for pid in (mapped, called):
        remote(run, pid, point, "nfs4")
    assert task(run, named)["reasons"]["network_fs"] > 0, task(run, named)


SMB = """[global]
    bind interfaces only = no
[share]
    path = {}
    read only = yes
"""


@contextlib.contextmanager
def smb():
    """The same by SMB, which the kernel serves, too."""
    point, folder = "/mnt/smb", "/run/ksmbd"
    with slow_export() as export, contextlib.ExitStack() as stack:
        os.makedirs(folder)
        tools.put(f"{folder}/conf", SMB.format(export))
        tools.sh("modprobe", "-a", "ksmbd", "cifs")
        tools.sh("ksmbd.adduser", "-a", "u", "-p", "p", "-c", f"{folder}/conf", "-i", f"{folder}/users")
        daemon = tools.subprocess.Popen(["ksmbd.mountd", "-n", "-c", f"{folder}/conf", "-u", f"{folder}/users"],
                                        stderr=tools.subprocess.DEVNULL, stdout=tools.subprocess.DEVNULL)
        stack.callback(daemon.wait)
        stack.callback(daemon.kill)
        stack.callback(tools.put, "/sys/class/ksmbd-control/kill_server", "hard")
        os.makedirs(point, exist_ok=True)
        mount = ["mount", "-i", "-t", "cifs", "-o", "ip=127.0.0.1,username=u,password=p,vers=3.1.1", "//127.0.0.1/share", point]
        tools.wait_until("the SMB mount", lambda: not tools.subprocess.run(mount).returncode)
        stack.callback(tools.sh, "umount", point)
        yield point


@check(cgroups=["v2"], forms=["chosen"], kernels=["6.12."])
def samba(form):
    """SMB: as NFS, whose device's number its own may be; so it has an iolat to itself. 5.10 has no server for it, that of 6.1
    brings the kernel down, that of 7.2 wants newer tools than Debian 12 has."""
    with tools.Iolat(*FILES[0], form=form) as run, smb() as point:
        pid = tools.child(read_all, f"{point}/x")
    remote(run, pid, point, "cifs")
