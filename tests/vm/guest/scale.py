"""A machine of another size: a queue for each of several CPUs, many possible CPUs, many disks. (machine="big")"""
import json
import os
import re
import subprocess
import time

from . import devices, tools
from .checks import OLD, check

CPUS, POSSIBLE, DISKS = 4, 64, 1000
IOS = 600  # of each process: more than a small ring holds
# With room for everything; with hardly any room; and without sending anything.
ROOMS = [([], {}), (["--buffer-size", "64K"], {"IOLAT_SLOTS": "2", "IOLAT_RINGS": "4"}), ([], {"IOLAT_AGGREGATE": "1"})]


def null_blks(count, **settings):
    """The names of that many disks besides the ones that are there. They stay, as it takes long to remove many."""
    before = set(os.listdir("/sys/block"))
    for i in range(count):
        folder = f"/sys/kernel/config/nullb/nullb{len(before) + i}"
        os.mkdir(folder)
        for key, value in {"size": 64, "queue_mode": 2, "irqmode": 0, **settings, "power": 1}.items():
            tools.put(f"{folder}/{key}", value)
    # Older kernels number them as they come.
    found = sorted(set(os.listdir("/sys/block")) - before)
    assert len(found) == count
    tools.wait_until("the disks", lambda: all(os.path.exists(f"/dev/{n}") for n in found))
    return found


def fio_on_each_cpu(device, ios):
    """Starts a process on each CPU, hence each with a queue of its own."""
    return [subprocess.Popen(["taskset", "-c", str(cpu), "fio", "--output-format=json", "--disk_util=0", "--thread", "--name=job",
                              f"--filename=/dev/{device}", "--direct=1", "--rw=randread", "--bs=4k", "--size=64M",
                              "--io_size=1G", "--ioengine=libaio", "--iodepth=32", f"--number_ios={ios}"],
                             stdout=subprocess.PIPE, text=True) for cpu in range(CPUS)]


def counts_of(running):
    """{pid: I/Os}"""
    counts = {}
    for process in running:
        out = process.communicate()[0]
        assert process.returncode == 0, out
        counts[process.pid] = json.loads(out[out.index("{"):])["jobs"][0]["read"]["total_ios"]
    return counts


def check_counts(iolat, device, counts):
    got = {r["process"]["pid"]: r["ios"] for r in iolat.rows(device, "read") if r["process"]}
    coverage = iolat.summary["coverage"]
    assert got == counts, f"{got}, fio {counts}; {coverage}"
    assert [coverage[k] for k in ("lost", "unmatched", "map_full")] == [0, 0, 0], coverage
    seen = iolat.coverage(device)
    assert seen["seen"] == seen["kernel"] == sum(counts.values()), seen


@check(machine="big")
def queues(form):
    """Every request of every queue counts for its process, whatever the room."""
    device, = null_blks(1, submit_queues=CPUS)
    queues = os.listdir(f"/sys/block/{device}/mq")
    assert len(queues) >= CPUS, queues  # and one for polling
    for args, environment in ROOMS:
        with tools.Iolat("--device", device, *args, form=form, environment=environment) as iolat:
            counts = counts_of(fio_on_each_cpu(device, IOS))
        assert set(counts.values()) == {IOS}
        check_counts(iolat, device, counts)
        if "IOLAT_AGGREGATE" in environment:
            assert iolat.summary["coverage"]["aggregated"] == CPUS * IOS


@check(machine="big", forms=["chosen"])
def copies(form):
    """What a device passes on to the disk below stays its copy, and what came to it one I/O, however many get in each other's
    way there."""
    below, = null_blks(1, submit_queues=CPUS, hw_queue_depth=2)
    with devices.linear(below) as top:
        for by in ("process,op", "process,device,op"):
            with tools.Iolat("--by", by, form=form, environment={"IOLAT_SLOTS": "2"}) as iolat:
                counts = counts_of(fio_on_each_cpu(top, 5 * IOS))
            rows = [r for r in iolat.summary["rows"] if r["process"] and r["process"]["pid"] in counts and not r["via"]]
            got = {r["process"]["pid"]: r["ios"] for r in rows}
            assert got == counts, f"by {by}: {got}, fio {counts}; {iolat.summary['coverage']}"


@check(machine="big", forms=["chosen"])
def others_come_and_go(form):
    """Another iolat that starts and ends under load takes nothing away."""
    device, = null_blks(1, submit_queues=CPUS)
    with tools.Iolat("--device", device, form=form) as iolat:
        running = fio_on_each_cpu(device, 5 * IOS)
        while any(process.poll() is None for process in running):
            with tools.Iolat(form=form, idle=False):
                time.sleep(0.1)
        counts = counts_of(running)
    check_counts(iolat, device, counts)


@check(machine="big", forms=["chosen"])
def many(form):
    """64 possible CPUs and a thousand disks: it starts as ever, and its memory is sized by what is used."""
    assert tools.fetch("/sys/devices/system/cpu/possible") == f"0-{POSSIBLE - 1}"
    devices = null_blks(DISKS, submit_queues=1, hw_queue_depth=1)
    with tools.Iolat(form=form) as iolat:
        for device in devices[::10]:
            tools.read(device)
    for device in devices[::10]:
        seen = iolat.coverage(device)
        assert seen["seen"] == seen["kernel"] == 1, seen
    text = subprocess.run([tools.IOLAT, "doctor"], stdout=subprocess.PIPE, text=True, check=True).stdout
    memory = [int(mib) for mib in re.findall(r"ok +(?:map memory|memory) +(\d+)M", text)]
    print(f"memory: {memory} MiB", flush=True)
    # Without slots (see bpf/maps.bpf.h) there has to be room in hash tables.
    assert len(memory) == 2 and sum(memory) < (80 if os.uname().release.startswith(OLD) else 60), text
