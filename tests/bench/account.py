"""What the kernel says that BPF programs and their process cost."""
import contextlib
import ctypes
import os
import pathlib
import re
import statistics

TICK = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def bpf_stats():
    """BPF_ENABLE_STATS: on as long as somebody holds the descriptor."""
    attr = (ctypes.c_uint32 * 4)(0, 0, 0, 0)  # BPF_STATS_RUN_TIME
    call = {"x86_64": 321}.get(os.uname().machine, 280)
    fd = ctypes.CDLL(None, use_errno=True).syscall(call, 32, ctypes.byref(attr), ctypes.sizeof(attr))
    assert fd >= 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        os.close(fd)


def descriptors(pid):
    """What /proc says of each BPF program and map that the process holds: a dict an object, by kind and id."""
    found = {}
    for info in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            fields = dict(re.findall(r"^(\w+):\s+(\d+)", info.read_text(), re.M))
        except OSError:
            continue
        for kind in ("prog_id", "map_id"):
            if kind in fields and "memlock" in fields:  # links name their program, too
                found[kind, fields[kind]] = fields
    return found


def run_times(pid):
    """{program's id: (nanoseconds, runs)} of the process's programs so far."""
    return {number: (int(f["run_time_ns"]), int(f["run_cnt"]))
            for (kind, number), f in descriptors(pid).items() if kind == "prog_id"}


def map_bytes(pid):
    return sum(int(f["memlock"]) for (kind, _), f in descriptors(pid).items() if kind == "map_id")


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024


def cpu(pid):
    """Seconds in user mode and in the kernel."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) / TICK, int(fields[12]) / TICK


def cpu_ns(pid):
    """Nanoseconds of its main thread, both together; not in ticks."""
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def spread(values, form="{:.2f}"):
    """Median and range."""
    values = list(values)
    return "{} ({} to {})".format(*(form.format(v) for v in (statistics.median(values), min(values), max(values))))
