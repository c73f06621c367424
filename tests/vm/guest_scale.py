#!/usr/bin/python3
"""What is asked of iolat in a guest with several CPUs, many possible ones and many disks; tests/vm/test_scale.py boots it.

    guest_scale.py IOLAT RESULTS

As guest.py: every check's answer is null or what was wrong.
"""
import json
import os
import re
import subprocess
import sys
import time

import guest
from guest import Iolat, attempt, sh

CPUS, POSSIBLE, DISKS = 4, 64, 1000
IOS = 3000  # of each process


def null_blk(**settings):
    subprocess.run(["modprobe", "-r", "null_blk"], check=True)
    sh("modprobe", "null_blk", "gb=1", "queue_mode=2", *(f"{k}={v}" for k, v in settings.items()))


def fio_each_cpu(device):
    """A process on each CPU, each through a queue of its own; {pid: I/Os}."""
    running = []
    for cpu in range(CPUS):
        argv = ["taskset", "-c", str(cpu), "fio", "--output-format=json", "--thread", "--name=job", f"--filename=/dev/{device}",
                "--direct=1", "--rw=randread", "--bs=4k", "--size=64M", "--io_size=1G", "--ioengine=libaio", "--iodepth=32",
                f"--number_ios={IOS}"]
        running.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
    counts = {}
    for process in running:
        out = process.communicate()[0]
        assert process.returncode == 0, out
        counts[process.pid] = json.loads(out[out.index("{"):])["jobs"][0]["read"]["total_ios"]
    return counts


def check_queues():
    """Every request of every queue counts for its process: with room, and with hardly any."""
    null_blk(nr_devices=1, submit_queues=CPUS, irqmode=1)
    assert len(os.listdir("/sys/block/nullb0/mq")) == CPUS
    small = {"IOLAT_SLOTS": "2", "IOLAT_RINGS": "4"}
    for args, environment in (([], {}), (["--buffer-size", "64K"], small), (["--buffer-size", "64K"], {"IOLAT_AGGREGATE": "1"})):
        with Iolat("--device", "nullb0", *args, **environment) as iolat:
            counts = fio_each_cpu("nullb0")
        rows = iolat.rows("nullb0", "read")
        got = {r["process"]["pid"]: r["ios"] for r in rows if r["process"]}
        coverage = iolat.summary["coverage"]
        assert got == counts, f"{environment}: {got}, fio {counts}; {coverage}"
        assert min(counts.values()) == IOS
        assert [coverage[k] for k in ("lost", "unmatched", "map_full")] == [0, 0, 0], coverage
        seen = {d["device"]: (d["seen"], d["kernel"]) for d in coverage["devices"]}["nullb0"]
        assert seen == (CPUS * IOS, CPUS * IOS), seen


def check_others_that_come_and_go():
    """Another iolat that starts and ends meanwhile takes nothing away."""
    with Iolat("--device", "nullb0") as iolat:
        load = subprocess.Popen([sys.executable, __file__, "--load"], stdout=subprocess.PIPE, text=True)
        while load.poll() is None:
            with Iolat():
                time.sleep(0.1)
    counts = json.loads(load.communicate()[0])
    got = {str(r["process"]["pid"]): r["ios"] for r in iolat.rows("nullb0", "read") if r["process"]}
    assert got == counts, f"{got}, fio {counts}; {iolat.summary['coverage']}"


def check_many_disks():
    """Starts on a machine with many possible CPUs and many disks, in memory that is sized by what is used."""
    with open("/sys/devices/system/cpu/possible") as f:
        assert f.read().strip() == f"0-{POSSIBLE - 1}"
    null_blk(nr_devices=DISKS, submit_queues=1, irqmode=0, hw_queue_depth=1)
    start = time.monotonic()
    with Iolat() as iolat:
        print(f"ready after {time.monotonic() - start:.2f} s, emulated, with {DISKS} disks", flush=True)
        for i in range(0, DISKS, 10):
            with open(f"/dev/nullb{i}", "rb") as disk:
                disk.read(4096)
    with_io = {d["device"] for d in iolat.summary["coverage"]["devices"] if d["seen"]}
    assert {f"nullb{i}" for i in range(0, DISKS, 10)} <= with_io, sorted(with_io)
    text = subprocess.run([guest.IOLAT, "doctor"], stdout=subprocess.PIPE, text=True, check=True).stdout
    memory = {name: int(mib) for name, mib in re.findall(r"ok +(map memory|memory) +(\d+)M", text)}
    print(memory, flush=True)
    assert sum(memory.values()) < 60, text


def main():
    guest.IOLAT, results_path = sys.argv[1:]
    results = {"release": os.uname().release}
    for check in (check_queues, check_others_that_come_and_go, check_many_disks):
        results[check.__name__] = attempt(check)
    with open(results_path, "w") as f:
        json.dump(results, f)


if __name__ == "__main__":
    if sys.argv[1:] == ["--load"]:
        print(json.dumps(fio_each_cpu("nullb0")))
    else:
        main()
