"""Findings about containers of a real Docker daemon: who is held back, and who keeps the disk busy, by name."""
import pytest

from lib import base, disks, docker, trace

MS = base.MS
READ = "while :; do dd if=/data/{0} of=/dev/null bs={1} iflag=direct 2> /dev/null; done"


@pytest.fixture
def engine(stack, folder, ext4):
    """engine(disk): a daemon whose containers see the disk's file system as /data, with two files of 8 MiB."""
    def start(disk):
        point = ext4(disk)
        for name in "ab":
            disks.fill(point / name, 8)
        return docker.Daemon(stack, folder(), point)
    return start


def share_by_requests(summary, disk, name):
    """That container's part of the device's time, by the requests' own times."""
    times = {}
    for row in trace.rows(summary, device=disk):
        latency, container = row["latency"]["device"], (row["container"] or {}).get("name")
        if latency:
            times[container] = times.get(container, 0) + latency["mean_ns"] * latency["count"]
    return 100 * times[name] / sum(times.values())


def test_a_container_that_keeps_the_disk_busy(slow_disk, engine, iolat):
    """The neighbour goes by its name, with the share that the requests themselves tell; the traced one is no neighbour."""
    disk = slow_disk(read_ms=10)
    docker_engine = engine(disk)
    docker_engine.start("trainer", command=("sh", "-c", READ.format("a", "16k")))
    docker_engine.start("etl-7", command=("sh", "-c", " & ".join([READ.format("b", "64k")] * 5)))
    referee = iolat("--device", disk.name, "--by", "container,device,op")
    summary = iolat("--container", "trainer", "-D", "4s").end()
    judged = referee.stop()
    finding = trace.finding(summary, "noisy-neighbour", on=disk)
    assert finding["subject"] == f"container etl-7 on {disk.name}"
    assert finding["evidence"]["container"] == "etl-7"
    want = share_by_requests(judged, disk, "etl-7")
    assert abs(finding["evidence"]["share_pct"] - want) < 10, (finding, want)
    assert {t["container"]["name"] for t in summary["tasks"]} == {"trainer"}
    assert not trace.findings(summary, "cgroup-throttled") and not trace.findings(summary, "not-the-disk")


def test_a_container_with_a_limit(loop_disk, engine, iolat):
    """Docker's own limit: the waits are the container's limit's, the device answers as fast as ever."""
    disk = loop_disk()
    docker_engine = engine(disk)
    docker_engine.start("held", f"--device-read-iops={disk.path}:20", command=("sh", "-c", READ.format("a", "4k")))
    docker_engine.start("free", command=("sh", "-c", READ.format("b", "4k") + " & sleep 1000"))
    summary = iolat("--container", "held", "-D", "4s").end()
    finding = trace.finding(summary, "cgroup-throttled")
    assert finding["subject"] == "container held" and "its own container held" in finding["text"]
    assert finding["evidence"]["throttle_pct"] > 60
    task = trace.task(summary, finding["evidence"]["pid"])
    assert task["reasons"]["throttle"] > 0.8 * task["blocked_ns"], task
    for row in trace.rows(summary, device=disk, op="read"):
        assert row["latency"]["device"]["p50_ns"] < 20 * MS
    assert not trace.findings(summary, "device-saturated") and not trace.findings(summary, "noisy-neighbour")
    free = iolat("--container", "free", "-D", "1s").end()
    assert not trace.findings(free, "cgroup-throttled"), free["findings"]
