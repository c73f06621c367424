"""--device with a path: the devices that hold it, however the file system hides them."""
import os
import pathlib
import subprocess

import pytest

from lib import base, disks


@pytest.fixture
def mount(stack):
    """mount("-t", "overlay", ..., point): mounts until the end of the test."""
    def do(*words):
        base.sh("mount", *words)
        stack.callback(disks._unmount, pathlib.Path(words[-1]))
        return pathlib.Path(words[-1])
    return do


@pytest.fixture
def filled(ext4, loop_disk):
    """filled("name", ...): a disk with an ext4, and on it files of 1 MiB of those names."""
    def make(*names):
        disk = loop_disk()
        point = ext4(disk)
        for name in names:
            (point / name).parent.mkdir(parents=True, exist_ok=True)
            disks.fill(point / name, 1)
        return disk, point
    return make


def selected(iolat, path, loads):
    """The reads on each disk while the loads run under --device PATH: {name: ios}."""
    tracer = iolat("--device", path, "--op", "read", "--by", "device")
    for load in loads:
        load.finish()
    return {r["device"]["name"]: r["ios"] for r in tracer.stop()["rows"]}


def test_bind_mount(filled, folder, mount, doio, iolat):
    """A bind mount of a folder, and of a file, lies where the folder and the file do."""
    disk, point = filled("sub/file")
    other, elsewhere = filled("file")
    tree, single = folder(), folder() / "single"
    single.touch()
    mount("--bind", point / "sub", tree)
    mount("--bind", point / "sub" / "file", single)
    for path in (tree, tree / "file", single):
        loads = [doio("read", tree / "file", count=10), doio("read", elsewhere / "file", count=20)]
        assert selected(iolat, path, loads) == {disk.name: 10}


def test_a_link_leads_to_its_target(filled, folder, doio, iolat):
    """A symbolic link stands for what it names."""
    disk, point = filled("file")
    link = folder() / "link"
    link.symlink_to(point / "file")
    assert selected(iolat, link, [doio("read", point / "file", count=10)]) == {disk.name: 10}


def test_swap_file(filled, iolat, doio):
    """A file that is used as swap lies on the disk like any other."""
    disk, point = filled("swap")
    base.sh("mkswap", point / "swap")
    assert selected(iolat, point / "swap", [doio("read", point / "swap", count=10)]) == {disk.name: 10}


@pytest.fixture
def overlay(filled, folder, mount):
    """An overlay of two lower layers and an upper one, each on a disk of its own: (the disks, its mount point)."""
    def make(names=("one", "two", "up"), relative=False):
        made = [filled(f"{name}/of-{i}") for i, name in enumerate(names)]
        layers = [point / name for (_, point), name in zip(made, names)]
        (made[2][1] / "work").mkdir()
        escaped = [str(p).replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,") for p in layers]
        base_folder = None
        if relative:
            base_folder = made[2][1]
            for i in range(2):
                (base_folder / "l").mkdir(exist_ok=True)
                (base_folder / "l" / f"{i}").symlink_to(layers[i])
            escaped[:2] = ["l/0", "l/1"]
        options = f"lowerdir={escaped[0]}:{escaped[1]},upperdir={escaped[2]},workdir={made[2][1]}/work"
        point = folder()
        done = subprocess.run(["mount", "-t", "overlay", "-o", options, "overlay", str(point)], cwd=base_folder,
                              capture_output=True, text=True)
        assert not done.returncode, done.stderr
        return [disk for disk, _ in made], point
    made_at = []

    def make_and_remember(**how):
        made, point = make(**how)
        made_at.append(point)
        return made, point
    yield make_and_remember
    for point in made_at:
        disks._unmount(point)


@pytest.mark.parametrize("how", [{}, {"names": ("o:n,e", "t w\\o", "u=p")}, {"relative": True}],
                         ids=["plain", "escapes", "relative"])
def test_overlay(overlay, filled, doio, iolat, how):
    """An overlay lies on the disks of all its layers, whatever they are called, also where the lower ones were named from
    a folder that is not known any more."""
    layers, point = overlay(**how)
    _, elsewhere = filled("file")
    loads = [doio("read", point / f"of-{i}", count=10 + i) for i in range(3)]
    loads += [doio("read", elsewhere / "file", count=20)]
    assert selected(iolat, point / "of-0", loads) == {layers[i].name: 10 + i for i in range(3)}
    assert selected(iolat, point, [doio("read", point / "of-2", count=5)]) == {layers[2].name: 5}


def test_overlay_on_an_overlay(overlay, folder, filled, mount, doio, iolat):
    """Layers may be overlays themselves."""
    inner, lower = overlay()
    disk, point = filled("up/mine")
    (point / "work").mkdir()
    outer = mount("-t", "overlay", "-o", f"lowerdir={lower},upperdir={point}/up,workdir={point}/work", "overlay", folder())
    loads = [doio("read", outer / "of-1", count=10), doio("read", outer / "mine", count=11)]
    assert selected(iolat, outer, loads) == {inner[1].name: 10, disk.name: 11}


def test_in_another_mount_namespace(stack, filled, folder, doio, iolat):
    """/proc/PID/root leads to a container's files: mounts that only its namespace has are found."""
    disk, point = filled("up/file")
    (point / "work").mkdir()
    lower, merged = folder(), folder()
    script = (f"mount -t overlay -o lowerdir={lower},upperdir={point}/up,workdir={point}/work overlay {merged}"
              " && echo ready && read -r end")
    inside = base.start(["unshare", "-m", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stack.callback(base.put_down, inside)
    assert inside.stdout.readline() == "ready\n"
    path = f"/proc/{inside.pid}/root{merged}/file"
    assert selected(iolat, path, [doio("read", path, count=10)]) == {disk.name: 10}
    inside.stdin.close()
    inside.wait(base.LIMIT)


@pytest.mark.parametrize("what", ["file", "subvolume", "top"])
def test_btrfs(loop_disk, folder, mount, doio, iolat, what):
    """Files of a btrfs subvolume have a device number that is no device's; the file system lies on all its disks."""
    base.need("btrfs" in pathlib.Path("/proc/filesystems").read_text(), "no btrfs in this kernel")
    base.need_tool("mkfs.btrfs", "btrfs")
    a, b, other = loop_disk(size_mb=256), loop_disk(size_mb=256), loop_disk()
    base.sh("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-m", "raid1", a.path, b.path)
    base.sh("btrfs", "device", "scan", a.path, b.path)
    top = mount("-t", "btrfs", a.path, folder())
    base.sh("btrfs", "subvolume", "create", top / "sub")
    disks.fill(top / "sub" / "file", 8)
    assert not pathlib.Path(f"/sys/dev/block/0:{os.minor(os.stat(top / 'sub').st_dev)}").exists()
    path = {"file": top / "sub" / "file", "subvolume": top / "sub", "top": top}[what]
    loads = [doio("read", top / "sub" / "file", count=8, size=base.MIB), doio("read", other, count=10)]
    found = selected(iolat, path, loads)
    assert found.keys() == {a.name, b.name}


def test_all_devices_must_fit(stack, run_iolat, folder, loop_disk, ext4):
    """More devices than can be selected are refused with the word that brought them."""
    words = [w for n in range(17) for w in ("-d", loop_disk(size_mb=4).name)]
    done = run_iolat(*words, "-D", "1s", rc=2)
    assert "too many devices" in done.stderr


@pytest.mark.parametrize("kind", ["tmpfs", "proc"])
def test_no_device(run_iolat, folder, kind):
    """What lies on no block device is refused."""
    path = {"tmpfs": folder(), "proc": "/proc/self/status"}[kind]
    done = run_iolat("-d", path, "-D", "1s", rc=2)
    assert str(path) in done.stderr and "no block device" in done.stderr
