"""Direct I/O: every request once, with the right size, owner and latency."""
import os

from . import tools
from .checks import check

JOBS = [(device, op, engine, size, count) for device in ("vda", "nvme0n1", tools.SLOW)
        for op, engine, size, count in (("read", "psync", 4096, 40), ("write", "libaio", 16384, 60))]


@check(short=True)
def counts(run):
    """Counts, bytes, owner and the parts of the latency of fio's requests; null_blk's delay is seen."""
    pid, results = tools.fio(*JOBS)
    yield
    for (device, op), fio_says in results.items():
        rows = run.rows(device, op, pid)
        assert len(rows) == 1, f"{device} {op}: {len(rows)} rows of pid {pid}; there are {run.rows(device, op)}"
        counted_right(rows[0], fio_says, f"{device} {op}")
        adds_up(rows[0], f"{device} {op}")
    slow = run.rows(tools.SLOW, "read", pid)[0]["latency"]["device"]
    for key in ("min_ns", "p50_ns"):
        assert tools.DELAY_NS <= slow[key] < 100 * tools.DELAY_NS, f"the delay is {tools.DELAY_NS} ns, {key} {slow[key]}"


def counted_right(row, fio_says, where):
    assert row["ios"] == fio_says["total_ios"], f"{where}: {row['ios']} ios, fio {fio_says['total_ios']}"
    assert row["bytes"] == fio_says["io_bytes"], f"{where}: {row['bytes']} bytes, fio {fio_says['io_bytes']}"
    assert row["process"]["comm"] == "fio", f"{where}: comm {row['process']['comm']!r}"
    assert row["owner_from"] == "task" and row["via"] is None, f"{where}: {row['owner_from']}, {row['via']}"
    assert row["errors"] == 0, f"{where}: {row['errors']} errors"


def adds_up(row, where):
    latency = row["latency"]
    for part in ("total", "queue", "device"):
        lat = latency[part]
        assert lat["count"] == row["ios"] == sum(b["count"] for b in lat["histogram"]), f"{where}: {part} {lat}"
    parts = latency["queue"]["mean_ns"] + latency["device"]["mean_ns"]
    assert abs(parts - latency["total"]["mean_ns"]) <= 2, f"{where}: queue + device != total: {latency}"


@check(short=True)
def coverage(run):
    """What iolat saw is what the kernel counts, on every disk and over everything that all the checks do; nothing was
    lost on the way."""
    used = ["vda", "nvme0n1", tools.SLOW, tools.FAST, tools.SILENT]
    for device in used:
        tools.child(tools.read, device)
    yield
    totals = run.summary["coverage"]
    for key in ("lost", "unmatched", "map_full"):
        assert totals[key] == 0, f"{key} is {totals[key]}"
    seen = {d["device"]: d for d in totals["devices"] if d["kernel"] is not None}
    used.remove(tools.SILENT)
    assert set(used) <= set(seen), f"only {sorted(seen)}"
    # What programs were not run for, as they interrupted themselves, is said.
    wrong = {name: (d["seen"], d["kernel"]) for name, d in seen.items()
             if not 0 <= d["kernel"] - d["seen"] <= (totals["missed"] or 0)}
    assert not wrong, f"(seen, kernel): {wrong}, missed: {totals['missed']}"
    assert tools.SILENT not in seen, "a disk without statistics has no count of the kernel"


def in_sysfs(device, attribute):
    path = f"/sys/block/{device}/{attribute}"
    return tools.fetch(path) if os.path.exists(path) else None


@check(short=True)
def facts(run):
    """What is said of a disk is what sysfs has."""
    disks = {"vda": "virtio", "nvme0n1": "nvme", tools.SLOW: "nullb"}
    for device in disks:
        tools.child(tools.read, device)
    yield
    for device, transport in disks.items():
        got = run.coverage(device)
        assert got["transport"] == transport and got["stands_on"] == [], got
        assert got["model"] == in_sysfs(device, "device/model"), got
        assert got["rotational"] == (in_sysfs(device, "queue/rotational") == "1"), got
        assert got["nr_requests"] == int(in_sysfs(device, "queue/nr_requests")), got
        assert f"[{got['scheduler']}]" in in_sysfs(device, "queue/scheduler"), got


@check(short=True)
def hooks(run):
    """Every hook is attached; of two that do the same, kernels have one."""
    yield
    tools.all_attached(run)


@check(short=True)
def without_statistics(run):
    """queue/iostats 0 changes nothing but that there is nothing to compare with."""
    reader = tools.child(lambda: tools.read(tools.SILENT, count=50))
    writer = tools.child(lambda: tools.write(tools.SILENT, size=8192, count=70))
    yield
    for op, pid, want in (("read", reader, [50, 50 * 4096]), ("write", writer, [70, 70 * 8192])):
        assert [run.sum(key, tools.SILENT, op, pid=pid) for key in ("ios", "bytes")] == want, run.rows(tools.SILENT)
    assert run.coverage(tools.SILENT)["kernel"] is None
    assert run.coverage(tools.SILENT)["seen"] >= 120


@check()
def polled(run):
    """Completions that the submitter polls for, on queues without interrupts."""
    assert tools.fetch("/sys/block/nvme0n1/queue/io_poll") == "1"
    pid, results = tools.fio(("nvme0n1", "read", "io_uring", 4096, 60, "--hipri=1"))
    yield
    counted_right(run.rows("nvme0n1", "read", pid)[0], results["nvme0n1", "read"], "polled")


@check()
def batches(run):
    """Many completions at once."""
    def load(device):
        aio = tools.Aio(device)
        for i in range(0, 256, 32):
            aio.submit("read", [8192 * j for j in range(i, i + 32)])
            aio.wait()
    pids = {device: tools.child(load, device) for device in ("nvme0n1", "vda")}
    yield
    for device, pid in pids.items():
        got = [run.sum(key, device, "read", pid=pid) for key in ("ios", "bytes")]
        assert got == [256, 256 * 4096], f"{device}: {got}"
