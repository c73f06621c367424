"""--device with a path, as each kernel shows what holds it: one iolat with all the paths, and one that is not asked for."""
import contextlib
import os

from . import devices, tools
from .checks import NEW, OLD, check

# LVM without udev, which the guest has not, and on disks of a kind that it would leave alone.
LVM = ["--config", "activation { udev_sync = 0 udev_rules = 0 } devices { use_devicesfile = 0 types = [ \"nullb\", 16 ] }"]


@contextlib.contextmanager
def mounted(name, *words):
    """mount(8) with these words, at /mnt/NAME."""
    point = f"/mnt/{name}"
    os.makedirs(point, exist_ok=True)
    tools.sh("mount", *words, point)
    try:
        yield point
    finally:
        tools.sh("umount", point)


@contextlib.contextmanager
def file_system(device, kind="ext4"):
    tools.sh(f"mkfs.{kind}", *(tools.MKFS_EXT4 if kind == "ext4" else ["-q"]), f"/dev/{device}")
    with mounted(device, "-t", kind, f"/dev/{device}") as point:
        yield point


def disk():
    return devices.disk(memory_backed=1, size=160)


def fill(path):
    with open(path, "wb") as f:
        f.write(os.urandom(tools.MIB))
        os.fsync(f.fileno())
    return path


def read(path, count):
    """A request for each block, also where direct reads go through the cache (btrfs in 7.2)."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    for advice in (os.POSIX_FADV_DONTNEED, os.POSIX_FADV_RANDOM):
        os.posix_fadvise(fd, 0, 0, advice)
    for i in range(count):
        assert os.preadv(fd, [tools.buffer(4096)], i * 4096) == 4096
    os.close(fd)


# --- what may hold a file: its path, and the disk that it is on as far as --device is concerned -------------------------

@contextlib.contextmanager
def on_volume():
    """LVM: a logical volume on two disks."""
    disks = [disk(), disk()]

    def lvm(command, *words):
        tools.sh(command, *LVM, *words, stdout=tools.subprocess.DEVNULL)
    lvm("vgcreate", "iolat", *(f"/dev/{d}" for d in disks))
    lvm("lvcreate", "--yes", "--type", "striped", "--stripes", 2, "--extents", "100%FREE", "--name", "volume", "iolat")
    try:
        number = os.stat("/dev/iolat/volume").st_rdev
        name = os.path.basename(os.path.realpath(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"))
        with file_system(name) as point:
            yield fill(f"{point}/file"), name
    finally:
        lvm("vgchange", "--activate", "n", "iolat")


@contextlib.contextmanager
def on_crypt():
    with devices.crypt(disk()) as name, file_system(name) as point:
        yield fill(f"{point}/file"), name


@contextlib.contextmanager
def on_subvolume():
    name = disk()
    tools.sh("modprobe", "btrfs")
    with file_system(name, "btrfs") as point:
        tools.sh("btrfs", "subvolume", "create", f"{point}/sub", stdout=tools.subprocess.DEVNULL)
        yield fill(f"{point}/sub/file"), name


@contextlib.contextmanager
def in_use_as_swap():
    name = disk()
    with file_system(name) as point:
        path = fill(f"{point}/swap")
        os.chmod(path, 0o600)
        tools.sh("mkswap", path, stdout=tools.subprocess.DEVNULL)
        tools.sh("swapon", path)
        try:
            yield path, name
        finally:
            tools.sh("swapoff", path)


@contextlib.contextmanager
def bind_mounted():
    name = disk()
    with file_system(name) as point:
        os.mkdir(f"{point}/folder")
        fill(f"{point}/folder/file")
        with mounted("bound", "--bind", f"{point}/folder") as bound:
            yield f"{bound}/file", name


@contextlib.contextmanager
def overlaid():
    """An overlay of two disks; a file of each."""
    disks = [disk(), disk()]
    with file_system(disks[0]) as lower, file_system(disks[1]) as upper:
        for folder in ("up", "work"):
            os.mkdir(f"{upper}/{folder}")
        fill(f"{lower}/below")
        fill(f"{upper}/up/above")
        with mounted("overlay", "-t", "overlay", "-o", f"lowerdir={lower},upperdir={upper}/up,workdir={upper}/work",
                     "overlay") as point:
            yield [(f"{point}/below", disks[0]), (f"{point}/above", disks[1])]


@check(cgroups=["v2"], forms=["chosen"], kernels=[OLD, NEW])
def held(form):
    """A path stands for the disks that hold it, and for no others."""
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(make()) for make in (on_volume, on_crypt, on_subvolume, in_use_as_swap, bind_mounted)]
        layers = stack.enter_context(overlaid())
        paths = [path for path, _ in found] + [layers[0][0]]  # one file of the overlay stands for both disks
        loads = {name: (path, 10 + i) for i, (path, name) in enumerate(found + layers)}
        words = [word for path in paths for word in ("-d", path)]
        with tools.Iolat(*words, "--op", "read", "--by", "process,device", form=form) as iolat:
            tools.read("vda", count=50)
            pids = {tools.child(read, path, count) for path, count in loads.values()}
    rows = iolat.summary["rows"]
    assert {r["device"]["name"] for r in rows} == set(loads), f"{rows}; {loads}"
    got = {r["device"]["name"]: r["ios"] for r in rows if r["process"] and r["process"]["pid"] in pids}  # others may swap
    assert got == {name: count for name, (_, count) in loads.items()}, f"{got}; {loads}"
