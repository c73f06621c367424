#!/usr/bin/python3
"""What is asked of iolat inside a guest; tests/vm/test_vm.py boots it and reads the answers.

    guest.py IOLAT RESULTS

Runs every check below and writes RESULTS: a JSON object that maps a check's name to null (it holds) or to what was
wrong. Runs as root in a guest of tests/vm/boot: the disks may be overwritten. Time is stretched in there, so
latencies are only held against lower bounds; counts, bytes and owners are exact.
"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback

MIB = 1 << 20
DELAY_NS = 20_000_000  # of the null_blk disk's completions
DISKS = ["vda", "nvme0n1", "nullb0"]
CGROUP_ROOT = "/sys/fs/cgroup"
IOLAT = ""


def sh(*argv, in_cgroup=None):
    subprocess.run(argv, check=True, preexec_fn=join(in_cgroup) if in_cgroup else None)


def hybrid():
    return os.path.isdir(CGROUP_ROOT + "/blkio")


@contextlib.contextmanager
def cgroup(name):
    """A cgroup of the hierarchy whose ids iolat reports: v2's, or blkio's on a hybrid host."""
    path = os.path.join(CGROUP_ROOT, "blkio" if hybrid() else "", name)
    os.mkdir(path)
    try:
        yield path
    finally:
        os.rmdir(path)


def join(path):
    """A preexec_fn that puts the child into the cgroup."""
    return lambda: open(path + "/cgroup.procs", "w").write("0")


class Iolat:
    """One run of iolat beside what the `with` block does; .summary when the block is over."""

    def __init__(self, *args, **environment):
        self.args, self.environment, self.summary = args, environment, None

    def __enter__(self):
        ready, child_end = os.pipe()
        self.process = subprocess.Popen(
            [IOLAT, "-f", "json", "-i", "0", "--ready-fd", str(child_end), *self.args],
            env={**os.environ, **self.environment}, pass_fds=[child_end],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.close(child_end)
        with os.fdopen(ready) as pipe:
            if pipe.read(1) != "\n":  # end of file: it gave up
                out, err = self.process.communicate()
                raise AssertionError(f"iolat ended with status {self.process.returncode}: {out}{err}")
        return self

    def __exit__(self, kind, value, trace):
        self.process.send_signal(signal.SIGINT)
        try:
            out, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            raise AssertionError(f"iolat did not end within 60 s of SIGINT: {out}{err}") from None
        if kind is None:
            assert self.process.returncode == 0, f"status {self.process.returncode}: {err}"
            lines = [json.loads(line) for line in out.splitlines()]
            assert [line["type"] for line in lines] == ["summary"], "with -i 0, just a summary is due"
            self.summary = lines[-1]

    def rows(self, device, op=None):
        return [r for r in self.summary["rows"] if r["device"]["name"] == device and op in (None, r["op"])]


def fio(*jobs, in_cgroup=None):
    """Runs fio on all the jobs, one after the other as threads of one process; returns its pid and its results."""
    argv = ["fio", "--output-format=json", "--thread", "--direct=1", "--randrepeat=1", "--size=64M"]
    for device, op, engine, size, count in jobs:
        argv += [f"--name={device}-{op}", "--stonewall", f"--filename=/dev/{device}", f"--rw=rand{op}",
                 f"--ioengine={engine}", f"--iodepth={4 if engine == 'libaio' else 1}", f"--bs={size}",
                 f"--number_ios={count}"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True,
                          preexec_fn=join(in_cgroup) if in_cgroup else None) as process:
        out = process.communicate()[0]
    assert process.returncode == 0, out
    results = json.loads(out[out.index("{"):])["jobs"]
    return process.pid, {(device, op): result[op] for (device, op, *_), result in zip(jobs, results)}


# --- direct I/O: every request once, with the right size and owner --------------------------------------------------

def direct_run():
    """The run that the next three checks look at."""
    jobs = []
    for device in DISKS:
        jobs += [(device, "read", "psync", 4096, 40), (device, "write", "libaio", 16384, 60)]
    with Iolat() as iolat:
        pid, results = fio(*jobs)
    return iolat, pid, results


def check_direct(iolat, pid, results):
    """Counts, bytes and owner of fio's requests."""
    for (device, op), fio_says in results.items():
        where = f"{device} {op}"
        rows = [r for r in iolat.rows(device, op) if r["process"] and r["process"]["pid"] == pid]
        assert len(rows) == 1, f"{where}: {len(rows)} rows of pid {pid}; there are {iolat.rows(device)}"
        row = rows[0]
        assert row["ios"] == fio_says["total_ios"], f"{where}: {row['ios']} ios, fio {fio_says['total_ios']}"
        assert row["bytes"] == fio_says["io_bytes"], f"{where}: {row['bytes']} bytes, fio {fio_says['io_bytes']}"
        assert row["process"]["comm"] == "fio", f"{where}: comm {row['process']['comm']!r}"
        assert row["owner_from"] == "task" and row["via"] is None, f"{where}: {row['owner_from']}, {row['via']}"
        assert row["errors"] == 0, f"{where}: {row['errors']} errors"


def check_latency(iolat, pid, results):
    """Latency adds up, is there for every request, and holds the delay that null_blk makes."""
    for device in DISKS:
        for row in iolat.rows(device):
            if row["process"] is None or row["process"]["pid"] != pid:
                continue
            where, latency = f"{device} {row['op']}", row["latency"]
            for part in ("total", "queue", "device"):
                lat = latency[part]
                assert lat["count"] == row["ios"] == sum(b["count"] for b in lat["histogram"]), f"{where}: {part} {lat}"
            parts = latency["queue"]["mean_ns"] + latency["device"]["mean_ns"]
            assert abs(parts - latency["total"]["mean_ns"]) <= 2, f"{where}: queue + device != total: {latency}"
    slow = iolat.rows("nullb0", "read")[0]["latency"]["device"]
    for key in ("min_ns", "p50_ns"):
        assert DELAY_NS <= slow[key] < 100 * DELAY_NS, f"null_blk completes after {DELAY_NS} ns, {key} is {slow[key]}"


def check_coverage(iolat, pid, results):
    """iolat counts what the kernel counts, and lost nothing."""
    coverage = iolat.summary["coverage"]
    for key in ("lost", "unmatched", "map_full"):
        assert coverage[key] == 0, f"{key} is {coverage[key]}"
    kinds = {d["device"]: d for d in coverage["devices"]}
    for device in DISKS:
        assert device in kinds, f"{device} is not among {sorted(kinds)}"
        seen, kernel = kinds[device]["seen"], kinds[device]["kernel"]
        assert seen == kernel, f"{device}: seen {seen}, kernel {kernel}"
    missing = [h["name"] for h in iolat.summary["hooks"] if h["required"] and not h["attached"]]
    assert not missing, f"required but not attached: {missing}"


# --- each form of the programs ---------------------------------------------------------------------------------------

def check_forms():
    """Every form that this kernel has the means for loads and counts, also those that a newer one hides."""
    forms = ["raw", "btf"]
    if release() >= (5, 12):  # atomics that return the old value
        forms.append("modern")
    for form in forms:
        with Iolat(IOLAT_VARIANT=form) as iolat:
            pid, results = fio(("vda", "read", "psync", 4096, 30))
        rows = [(r["process"]["pid"], r["ios"]) for r in iolat.rows("vda", "read") if r["process"]]
        assert rows == [(pid, results["vda", "read"]["total_ios"])], f"form {form}: {rows}"


def release():
    return tuple(int(n) for n in os.uname().release.split("-")[0].split("+")[0].split(".")[:2])


# --- cgroups ----------------------------------------------------------------------------------------------------------

def check_cgroup():
    """The id on the row is the cgroup's own: the inode number of its folder."""
    with cgroup("direct") as path:
        with Iolat("--by", "cgroup,device,op") as iolat:
            _, results = fio(("vda", "read", "psync", 4096, 50), in_cgroup=path)
        rows = [r for r in iolat.rows("vda", "read") if r["cgroup"] and r["cgroup"]["id"] == os.stat(path).st_ino]
        assert len(rows) == 1, f"no row of cgroup {os.stat(path).st_ino}; there are {iolat.rows('vda')}"
        assert rows[0]["ios"] == results["vda", "read"]["total_ios"], f"{rows[0]['ios']} ios"
        assert rows[0]["cgroup"]["path"].endswith("/direct"), f"path {rows[0]['cgroup']['path']}"


def check_writeback():
    """Pages that one cgroup dirtied and a kernel thread wrote are the cgroup's (v2; the bio carries it)."""
    size = 8 * MIB
    with ext4("/dev/nvme0n1") as mountpoint, cgroup("dirtier") as path:
        with Iolat("--by", "process,cgroup,device,op") as iolat:
            sh("dd", "if=/dev/zero", f"of={mountpoint}/file", "bs=1M", f"count={size // MIB}", "status=none",
               in_cgroup=path)
            sh("sync")  # of another cgroup
        mine = [r for r in iolat.rows("nvme0n1", "write") if r["cgroup"] and r["cgroup"]["id"] == os.stat(path).st_ino]
        # The log's thread may write for the cgroup, too: its pages can be charged to it.
        data = [r for r in mine if r["via"] == "writeback"]
        assert data, f"no writeback of cgroup {os.stat(path).st_ino}; there are {iolat.rows('nvme0n1')}"
        written = sum(r["bytes"] for r in data)
        assert size <= written < size + MIB // 4, f"{written} of {size} bytes are the cgroup's: {data}"
        for row in data:
            assert row["process"] is None and row["owner_from"] == "bio", f"owner {row['process']}, {row['owner_from']}"


@contextlib.contextmanager
def ext4(device):
    mountpoint = "/mnt/ext4"
    os.mkdir(mountpoint)
    # Nothing left for the file system to initialise later, in the middle of a measurement.
    sh("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", device, "128M")
    sh("mount", "-t", "ext4", device, mountpoint)
    try:
        yield mountpoint
    finally:
        sh("umount", mountpoint)


def attempt(check, *args):
    """None when the check holds, else what is wrong."""
    start = time.monotonic()
    try:
        check(*args)
        problem = None
    except Exception:
        problem = traceback.format_exc()
    seconds = time.monotonic() - start
    print(f"{'FAIL' if problem else 'ok'}  {check.__name__} {seconds:.1f} s", problem or "", flush=True)
    return problem


def main():
    global IOLAT
    IOLAT, results_path = sys.argv[1:]
    # queue_mode 2: multi-queue; irqmode 2: a timer completes.
    sh("modprobe", "null_blk", "nr_devices=1", "gb=1", "queue_mode=2", "irqmode=2", f"completion_nsec={DELAY_NS}")
    results = {"release": os.uname().release}
    try:
        run = direct_run()
    except Exception:
        run = None
        failure = traceback.format_exc()
        print(failure, flush=True)
    for check in (check_direct, check_latency, check_coverage):
        results[check.__name__] = attempt(check, *run) if run else failure
    results["check_forms"] = attempt(check_forms)
    results["check_cgroup"] = attempt(check_cgroup)
    if not hybrid():  # v1 has no cgroup writeback
        results["check_writeback"] = attempt(check_writeback)
    with open(results_path, "w") as f:
        json.dump(results, f)


if __name__ == "__main__":
    main()
