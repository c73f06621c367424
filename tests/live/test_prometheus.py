"""A real Prometheus scrapes `iolat serve` and tells the truth about what a container did."""
import json
import re

import pytest

from lib import base, docker, promserver, server

DEPLOY = base.TOP / "src" / "deploy"


@pytest.fixture
def observed(stack, folder, engine):
    """(iolat, Prometheus)"""
    it = server.Server(stack, "--waits")
    try:
        return it, promserver.Prometheus(stack, folder(), it.port, DEPLOY / "prometheus.rules.yml")
    finally:
        assert it.proc.poll() is None, f"status {it.proc.poll()}: {it.stderr}"


FIO = ["fio", "--name=x", "--size=8m", "--bs=4k", "--direct=1", "--ioengine=psync", "--output-format=json"]


def fio(engine, disk, name, *more):
    """A container with the host's fio; its job's report."""
    engine.run("run", "-d", "--name", name, "--network=none", "-v", "/:/host", "-v", "/dev:/host/dev", docker.IMAGE,
               "/bin/busybox", "chroot", "/host", *FIO, f"--filename={disk.point}/{name}", *more)
    assert engine.run("wait", name, timeout=120).stdout.strip() == "0", engine.run("logs", name).stdout
    text = engine.run("logs", name).stdout
    return json.loads(text[text.index("{"):])["jobs"][0]


def readme_queries():
    """The PromQL of the README, by the line before each that says what it is."""
    text = (base.TOP / "README.md").read_text()
    block = re.search(r"^    # PromQL\n((?:    .*\n|\n)+)", text, re.M)[1]
    return dict(re.findall(r"^    # (.*)\n    (.*)$", block, re.M))


def dashboard_queries():
    """Every query, with what a user would have chosen."""
    for panel in json.loads((DEPLOY / "grafana.json").read_text())["panels"]:
        for target in panel.get("targets", []):
            yield re.sub(r"\$(instance|namespace|pod|container|device)", ".*",
                         target["expr"].replace("$__rate_interval", "1m"))


def test_the_truth_of_a_container(observed, engine, disk):
    it, prometheus = observed
    fio(engine, disk, "layout", "--rw=write")  # so that both counters are there before what is measured
    fio(engine, disk, "web", "--rw=read", "--number_ios=50", f"--filename={disk.point}/layout")
    of_web = f'container="web",device="{disk.name}",op="read"'
    count, total = (f"iolat_io_latency_seconds_{what}{{{of_web}}}" for what in ("count", "sum"))
    base.wait_until("the first of it", lambda: (prometheus.value(count) or 0) >= 50, timeout=60, step=0.3)
    before = prometheus.value(count)
    engine.remove("web")
    job = fio(engine, disk, "web", "--rw=randread", "--number_ios=2000", "--norandommap=1", "--io_size=1g",
              f"--filename={disk.point}/layout")["read"]
    lost = lambda: prometheus.value("iolat_requests_lost_total + iolat_requests_unmatched_total")  # noqa: E731
    base.wait_until("all of it", lambda: prometheus.value(count) + lost() >= before + job["total_ios"], timeout=60, step=0.3)
    seen = prometheus.value(count) - before
    assert job["total_ios"] - lost() <= seen <= job["total_ios"] + 20  # and what the file system reads for itself
    assert prometheus.value(f"{total} / {count}") <= job["lat_ns"]["mean"] / 1e9 * 2
    for what, promql in readme_queries().items():
        base.wait_until(f"{what}: {promql}", lambda: prometheus.query(promql), timeout=60, step=0.5)
    names = {labels.get("container") for labels, _ in prometheus.query(readme_queries()["who does how many I/Os a second"])}
    assert {"web", "layout"} <= names


def test_native_histograms(stack, folder, loop_disk, doio):
    """A Prometheus that asks for them has the same counts in finer buckets."""
    base.need_tool("prometheus")
    disk = loop_disk()
    it = server.Server(stack, "--device", disk.name)
    prometheus = promserver.Prometheus(stack, folder(), it.port, DEPLOY / "prometheus.rules.yml",
                                       "--enable-feature=native-histograms")
    doio("read", disk, count=200).finish()
    of_disk = f'iolat_io_latency_seconds{{device="{disk.name}",op="read"}}'
    base.wait_until("the reads", lambda: prometheus.value(f"histogram_count({of_disk})") == 200, timeout=60, step=0.3)
    (_, histogram), = prometheus.query(of_disk)
    assert sum(float(count) for _, _, _, count in histogram["buckets"]) == 200
    assert all(float(high) / float(low) < 1.1 for _, low, high, _ in histogram["buckets"] if float(low) > 0)
    mean = prometheus.value(f"histogram_sum({of_disk}) / histogram_count({of_disk})")
    assert 0 < mean <= prometheus.value(f"histogram_quantile(1, {of_disk})") < 60


def test_dashboard_has_data(observed, engine, disk, data_loader_in):
    it, prometheus = observed
    data_loader_in(disk)
    fio(engine, disk, "web", "--rw=randrw", "--time_based", "--runtime=8")
    queries = list(dashboard_queries())
    assert len(queries) > 12
    empty = base.wait_until("data for every query", lambda: [[q for q in queries if not prometheus.query(q)]] if not
                            [q for q in queries if not prometheus.query(q)] else None, timeout=60, step=1)
    assert empty == [[]]


@pytest.fixture
def data_loader_in(stack):
    """data_loader_in(disk): two processes that are a data loader's workers by their name and parentage, and read."""
    def start(disk):
        script = f"""
import multiprocessing, os, mmap, time
def work(i):
    open("/proc/self/comm", "w").write("pt_data_worker")
    fd, page = os.open({str(disk.path)!r}, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
    while True:
        os.preadv(fd, [page], 4096 * (i + os.getpid() % 1000))
        time.sleep(0.001)
context = multiprocessing.get_context("fork")
workers = [context.Process(target=work, args=(i,), daemon=True) for i in range(2)]
[w.start() for w in workers]
time.sleep(1000)
"""
        proc = base.start([base.PYTHON, "-c", script])
        stack.callback(base.put_down, proc)
        return proc
    return start
