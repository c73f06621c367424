"""Rows by file and by file system: bytes, paths, and what has no file."""
import os
import pathlib
import signal

import pytest

from lib import base, disks, trace

KB = 1024


def of_file(summary, path):
    return [r for r in summary["rows"] if r["file"] and r["file"]["path"] == str(path)]


def read_bytes(summary, path):
    return sum(r["bytes"] for r in of_file(summary, path))


def blocks(file, size):
    """Bytes in whole blocks of its file system."""
    block = os.statvfs(file).f_bsize
    return -(-size // block) * block


def drop_caches():
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("1\n")


def write_files(folder, sizes):
    """Files of those sizes, on the disk and not in the cache."""
    made = {}
    for i, size in enumerate(sizes):
        file = folder / f"{i:05}.jpg"
        file.write_bytes(os.urandom(size))
        made[file] = size
    base.sh("sync", "-f", folder)
    drop_caches()
    return made


READ = "import os, sys; [os.read(os.open(path, os.O_RDONLY), 1 << 20) for path in sys.argv[1:]]"


@pytest.fixture
def shard(loop_disk, ext4):
    return ext4(loop_disk(size_mb=128))


# --- whose bytes ---------------------------------------------------------------------------

def test_buffered_reads(shard, held, iolat):
    """Each file has its bytes, whole blocks, and its inode."""
    files = write_files(shard, [4 * KB, 24 * KB, 100 * KB, 5000])
    load = held(base.PYTHON, "-c", READ, *files)
    tracer = iolat("--pid", load.pid, "--by", "file,op")
    load.finish()
    summary = tracer.stop()
    for file, size in files.items():
        row = trace.one(of_file(summary, file))
        assert row["bytes"] == blocks(file, size)
        assert row["file"]["inode"] == file.stat().st_ino and row["op"] == "read"


def test_mapped_reads(shard, doio, iolat):
    file = shard / "train.arrow"
    disks.fill(file, 4)
    drop_caches()
    load = doio("mmap", file, count=4, size=base.MIB)
    tracer = iolat("--pid", load.pid, "--by", "file")
    load.finish()
    assert read_bytes(tracer.stop(), file) >= 4 * 4096


def test_direct_reads_by_the_call(shard, doio, iolat):
    """Memory has no file; the system call has."""
    file = shard / "train.bin"
    disks.fill(file, 1)
    load = doio("read", file, count=10, size=4096)
    tracer = iolat("--pid", load.pid, "--by", "file")
    load.finish()
    assert read_bytes(tracer.stop(), file) == 40 * KB


def test_direct_reads_without_a_call(loop_disk, fio, iolat):
    """libaio's call names no file."""
    disk = loop_disk()
    load = fio(disk, ioengine="libaio", iodepth=4, io_size="400k")
    tracer = iolat("--pid", load.pid, "--by", "device,file")
    done = load.finish()
    rows = [r for r in of_file(tracer.stop(), "(direct)") if r["device"]["name"] == disk.name]
    assert trace.one(rows)["ios"] == done.ios and rows[0]["file"]["inode"] is None


def test_direct_reads_into_a_mapped_file(shard, held, iolat):
    """Where the memory is another file's, the file that is read counts."""
    source, target = shard / "source", shard / "target"
    for file in (source, target):
        disks.fill(file, 1)
    script = ("import mmap, os, sys; m = mmap.mmap(os.open(sys.argv[2], os.O_RDWR), 1 << 20); m[0] = 1; "
              "os.preadv(os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [memoryview(m)[:65536]], 0)")
    load = held(base.PYTHON, "-c", script, source, target)
    tracer = iolat("--pid", load.pid, "--by", "file,op")
    load.finish()
    summary = tracer.stop()
    assert read_bytes(summary, source) == 64 * KB
    assert not [r for r in of_file(summary, target) if r["op"] == "read" and r["bytes"] >= 64 * KB]


def test_a_disk_by_its_node(loop_disk, doio, iolat):
    disk = loop_disk()
    load = doio("cached", disk, count=1, size=16 * KB)
    tracer = iolat("--pid", load.pid, "--by", "device,file")
    load.finish()
    summary = tracer.stop()
    rows = [r for r in summary["rows"] if r["device"]["name"] == disk.name]
    assert {r["file"]["path"] for r in rows} == {disk.path}


def test_writeback(loop_disk, ext4, held, iolat):
    """What a kernel thread writes later has its file, too; the journal is none."""
    disk = loop_disk()
    shard = ext4(disk)
    file = shard / "checkpoint.pt"
    load = held("sh", "-c", f"head -c 300000 /dev/urandom > {file} && sync -f {shard}")
    tracer = iolat("--device", disk.name, "--by", "file,op")
    load.finish()
    summary = tracer.stop()
    row = trace.one([r for r in of_file(summary, file) if r["op"] == "write"])
    assert row["bytes"] == blocks(file, 300000)
    assert of_file(summary, "(metadata)")


# --- paths ---------------------------------------------------------------------------------

MAP = ("import mmap, os, sys; m = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 0, prot=1); m[0];"
       "print('mapped', flush=True); sys.stdin.read()")


def test_files_of_an_overlay(loop_disk, ext4, held, folder, stack, iolat):
    """An overlay's files go by the paths that their user knows, read or mapped; their file system is the one below."""
    disk = loop_disk()
    point = ext4(disk)
    (point / "lower").mkdir()
    write_files(point / "lower", [40 * KB] * 2)
    seen = disks.overlay(stack, point / "lower", point, folder())
    drop_caches()
    load = held(base.PYTHON, "-c", READ, seen / "00000.jpg")
    mapped = held(base.PYTHON, "-c", MAP, seen / "00001.jpg")  # while it lives, /proc tells
    tracer = iolat("--pid", f"{load.pid},{mapped.pid}", "--by", "fs,file")
    load.finish()
    mapped.go().proc.stdout.readline()
    summary = tracer.stop()
    for name in ("00000.jpg", "00001.jpg"):
        row = trace.one(of_file(summary, seen / name))
        assert row["bytes"] == 40 * KB
        assert row["fs"]["type"] == "ext4" and row["fs"]["source"] == disk.path


def test_a_file_that_is_gone(shard, held, iolat):
    """Its name is known all the same."""
    file = next(iter(write_files(shard, [40 * KB])))
    load = held(base.PYTHON, "-c", "import os, sys; fd = os.open(sys.argv[1], os.O_RDONLY); os.unlink(sys.argv[1]);"
                "os.read(fd, 1 << 20)", file)
    tracer = iolat("--pid", load.pid, "--by", "file")
    load.finish()
    assert read_bytes(tracer.stop(), file) == 40 * KB


def test_mounted_a_moment_ago(shard, loop_disk, ext4, held, iolat):
    """The file of a file system that came after the mounts were looked at has its whole path."""
    disk = loop_disk(size_mb=64)
    point = ext4(disk)
    (known, _), = write_files(shard, [4 * KB]).items()
    (file, size), = write_files(point, [64 * KB]).items()
    base.sh("umount", point)
    script = f"cat {known} > /dev/null; sleep 0.3; mount {disk.path} {point}; cat {file} > /dev/null; sleep 0.3"
    load = held("sh", "-c", script)
    tracer = iolat("--pid", load.pid, "--by", "file,op")
    load.finish()
    summary = tracer.stop()
    assert read_bytes(summary, known) == 4 * KB
    assert read_bytes(summary, file) == size


def test_numbers_that_are_used_again(shard, held, iolat):
    """A file that replaced another, whose inode's number it got, goes by its own name; so does one that was renamed."""
    script = ("import os, sys\n"
              "def read(path):\n"
              "    fd = os.open(path, os.O_RDONLY); os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)\n"
              "    os.read(fd, 65536); os.close(fd)\n"
              "def write(path):\n"
              "    with open(path, 'wb') as f: f.write(os.urandom(40960)); f.flush(); os.fsync(f.fileno())\n"
              "    return os.stat(path).st_ino\n"
              "os.chdir(sys.argv[1])\n"
              "first = write('old'); read('old'); os.unlink('old')\n"
              "second = write('new'); read('new')\n"
              "write('before'); read('before'); os.rename('before', 'after'); read('after')\n"
              "print(first == second)\n")
    load = held(base.PYTHON, "-c", script, shard)
    tracer = iolat("--pid", load.pid, "--by", "file,op", "--op", "read")
    base.need(load.finish() == "True\n", "the file system does not use numbers again", ci=False)
    summary = tracer.stop()
    # One row a number; its name is the latest.
    assert read_bytes(summary, shard / "new") == 2 * 40960 and not of_file(summary, shard / "old")
    assert read_bytes(summary, shard / "after") == 2 * 40960 and not of_file(summary, shard / "before")


def test_a_folder_that_is_renamed(shard, held, iolat):
    """A checkpoint that is written under another name goes by the one that it gets when it is whole."""
    script = ("import os, sys\n"
              "os.chdir(sys.argv[1]); os.mkdir('tmp-500'); fd = os.open('tmp-500/model', os.O_RDWR | os.O_CREAT)\n"
              "os.write(fd, os.urandom(40960)); os.fsync(fd); os.rename('tmp-500', 'checkpoint-500')\n"
              "os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED); os.pread(fd, 40960, 0)\n")
    load = held(base.PYTHON, "-c", script, shard)
    tracer = iolat("--pid", load.pid, "--by", "file")
    load.finish()
    assert read_bytes(tracer.stop(), shard / "checkpoint-500" / "model") == 2 * 40960


def test_long_paths(shard, held, iolat):
    """Folders in folders, and of a file that is open a name longer than the kernel side has room for."""
    deep = shard.joinpath(*"abcdefghijklm")
    deep.mkdir(parents=True)
    (file, size), = write_files(deep, [40 * KB]).items()
    long = deep / ("n" * 200 + ".safetensors")
    disks.fill(long, 1)
    drop_caches()
    load = held(base.PYTHON, "-c", READ + "; print('read', flush=True); sys.stdin.read()", file, long)
    tracer = iolat("--pid", load.pid, "--by", "file,op")
    load.go().proc.stdout.readline()
    tracer.send(signal.SIGUSR1)  # it is alive while this is answered
    tracer.wait_for_output(lambda o: [s for s in o if read_bytes(s, long)])
    load.finish()
    summary = tracer.stop()
    assert read_bytes(summary, file) == size and read_bytes(summary, long) == base.MIB


def test_ten_thousand_small_files(shard, held, iolat):
    """Four workers read more files than there are rows: what is kept is exact, what is not is in one more row."""
    files = write_files(shard, [4 * KB] * 10400)
    names = sorted(files)
    workers = [held(base.PYTHON, "-c", "import os, sys; [os.read(os.open(e, os.O_RDONLY), 8192) or 0 "
                    "for e in sorted(map(lambda e: e.path, os.scandir(sys.argv[1])))[int(sys.argv[2])::4] "
                    "if e.endswith('.jpg') and not os.closerange(3, 90)]", shard, i) for i in range(4)]
    tracer = iolat("--pid", ",".join(str(w.pid) for w in workers), "--by", "file,op", "--op", "read")
    for worker in workers:
        worker.go()
    for worker in workers:
        worker.finish()
    resident = int(pathlib.Path(f"/proc/{tracer.pid}/statm").read_text().split()[1]) * 4096
    summary = tracer.stop()
    assert resident < 128 * base.MIB
    assert len(summary["rows"]) == 10001
    mine = [r for r in summary["rows"] if r["file"] and r["file"]["path"] and r["file"]["path"].endswith(".jpg")]
    assert len(mine) > 9800
    assert all(r["bytes"] == 4096 * r["ios"] == 4096 for r in mine), [r for r in mine if r["bytes"] != 4096][:3]
    assert {r["file"]["path"] for r in mine} <= set(map(str, names))


# --- file systems --------------------------------------------------------------------------

def test_a_file_system_on_a_disk(shard, held, iolat):
    files = write_files(shard, [24 * KB] * 4)
    load = held(base.PYTHON, "-c", READ, *files)
    tracer = iolat("--pid", load.pid, "--by", "fs")
    load.finish()
    row = trace.one([r for r in tracer.stop()["rows"] if r["fs"]["mount"] == str(shard)])
    assert row["fs"]["type"] == "ext4" and row["fs"]["source"].startswith("/dev/loop")
    assert row["bytes"] >= 96 * KB


def test_a_file_system_without_a_disk(stack, folder, doio, iolat):
    """Its row's I/Os are waits, with their latency."""
    file = disks.served_file(stack, folder(), filters=["delay"], settings=["rdelay=20ms"])
    load = doio("read", file, count=20, size=base.MIB)
    tracer = iolat("--pid", load.pid, "--by", "fs,op,file")
    load.finish()
    row = trace.one([r for r in tracer.stop()["rows"] if r["fs"] and r["fs"]["mount"] == str(file) and r["op"] == "read"])
    assert row["ios"] >= 20 and row["bytes"] is None and row["file"]["path"] == str(file)
    assert row["latency"]["total"]["p50_ns"] >= 20 * base.MS and row["latency"]["device"] is None


READ_EACH = ("import os, sys\n"
             "for path in sys.stdin:\n"
             "    fd = os.open(path.rstrip(), os.O_RDONLY); os.read(fd, 4096); os.close(fd)\n"
             "    print(path, end='', flush=True)\n")


def test_a_number_that_another_mount_had(folder, stack, held, iolat):
    """A mount that gets the device number of one before is another file system, with files of its own."""
    load = held(base.PYTHON, "-c", READ_EACH).go()
    tracer = iolat("--pid", load.pid, "--by", "fs,file")
    numbers, points = [], [folder(), folder()]
    for point in points:
        disks.slow_folder(stack, point, 10)
        numbers.append(os.stat(point).st_dev)
        load.proc.stdin.write(f"{point}/x\n")
        load.proc.stdin.flush()
        load.proc.stdout.readline()
        tracer.send(signal.SIGUSR1)
        tracer.wait_for_output(lambda o: [s for s in o if of_file(s, point / "x")])  # before it is gone
        base.sh("umount", point)
    base.need(numbers[0] == numbers[1], "another mount has taken the number meanwhile", ci=False)
    rows = [r for r in tracer.stop()["rows"] if r["file"] and r["file"]["path"] and r["file"]["path"].endswith("/x")]
    assert sorted((r["fs"]["mount"], r["file"]["path"]) for r in rows) == sorted((str(p), f"{p}/x") for p in points)
    assert len({r["file"]["inode"] for r in rows}) == 1


def test_in_a_recording(shard, held, start_iolat, run_iolat, folder):
    """With --files a recording tells; without, files are not known."""
    for args, known in (((), False), (("--files",), True)):
        files = write_files(shard, [24 * KB] * 3)
        recording = folder() / "run.iolat"
        load = held(base.PYTHON, "-c", READ, *files)
        tracer = start_iolat("record", "-o", recording, "--pid", load.pid, *args)
        load.finish()
        tracer.stop()
        done = run_iolat("report", recording, "-f", "json", "-i", "0", "--by", "fs,file", rc=0)
        summary = trace.objects(done.stdout)[-1]
        for file in files:
            assert read_bytes(summary, file) == (24 * KB if known else 0)


def test_the_table(shard, held, start_iolat):
    file = next(iter(write_files(shard, [24 * KB])))
    load = held(base.PYTHON, "-c", READ, file)
    tracer = start_iolat("-i", "0", "--pid", load.pid, "--by", "fs,file")
    load.finish()
    text = tracer.stop()
    assert "FILE-SYSTEM" in text and "MOUNT" in text
    assert any(str(file) in line and "ext4 /dev/loop" in line for line in text.splitlines())
