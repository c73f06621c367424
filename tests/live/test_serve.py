"""`iolat serve`: what is served, to whom, and how it begins and ends."""
import re
import signal
import socket

import pytest

from lib import base, prometheus, server

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
PROTOBUF = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"


@pytest.fixture
def serve(stack):
    return lambda *args, **kw: server.Server(stack, *args, **kw)


def read(doio, disk, count):
    doio("read", disk, count=count).finish()


def test_what_was_read(serve, loop_disk, doio):
    """Counters of a disk are what was done to it, and go on from there."""
    disk = loop_disk()
    it = serve()
    read(doio, disk, 100)
    labels = {"device": disk.name, "op": "read"}
    base.wait_until("the reads", lambda: it.total("iolat_io_latency_seconds_count", **labels) == 100, step=0.2)
    assert it.total("iolat_io_bytes_total", **labels) == 100 * 4096
    assert it.total("iolat_io_errors_total", **labels) == 0
    text = it.metrics()
    assert prometheus.total(text, "iolat_io_latency_seconds_bucket", le="+Inf", **labels) == 100
    assert prometheus.total(text, "iolat_io_queue_seconds_count", **labels) == 100
    assert 0 < prometheus.total(text, "iolat_io_queue_seconds_sum", **labels) \
        < prometheus.total(text, "iolat_io_latency_seconds_sum", **labels) < 60
    read(doio, disk, 50)
    base.wait_until("more reads", lambda: it.total("iolat_io_latency_seconds_count", **labels) == 150, step=0.2)


def test_what_is_in_flight(serve, pausable_disk, doio):
    """It counts in its disk's series; it makes none of its own, with a process in it, which would be one more for each."""
    disk = pausable_disk()
    it = serve("--device", disk.name)
    disk.pause()
    load = doio("read", disk).go()
    labels = {"device": disk.name, "op": "read"}
    base.wait_until("a request in flight", lambda: it.total("iolat_requests_in_flight", **labels), step=0.2)
    samples = [(name, of) for name, of, _ in prometheus.samples(it.metrics()) if "device" in of]
    disk.resume()
    load.wait()
    assert ("iolat_requests_in_flight", labels) in samples
    assert [(name, of) for name, of in samples if of.keys() - {"device", "op", "le"}] == []


def test_every_family(serve):
    """Whoever alerts on something finds it, also before it happens."""
    text = serve().metrics()
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    assert types["iolat_io_latency_seconds"] == types["iolat_io_queue_seconds"] == "histogram"
    assert types["iolat_io_bytes_total"] == types["iolat_io_errors_total"] == "counter"
    assert types["iolat_requests_in_flight"] == types["iolat_oldest_request_seconds"] == "gauge"
    assert prometheus.total(text, "iolat_requests_lost_total") >= 0
    assert prometheus.total(text, "iolat_finding", code="hung-request") == 0
    assert prometheus.total(text, "iolat_hook_attached", hook="block_rq_complete") == 1
    assert prometheus.total(text, "iolat_build_info") == 1


@pytest.mark.parametrize("accept, kind", [
    (None, "text/plain; version=0.0.4"),
    ("*/*", "text/plain; version=0.0.4"),
    ("application/json", "text/plain; version=0.0.4"),
    (OPENMETRICS, OPENMETRICS),
    (f"text/plain;q=0.9,{OPENMETRICS};q=0.5", "text/plain; version=0.0.4"),
    ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", OPENMETRICS),
    ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
     "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5", PROTOBUF),
    (f"application/vnd.google.protobuf;proto=another.Message;encoding=delimited,{OPENMETRICS};q=0.1", OPENMETRICS),
    (f"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text,{OPENMETRICS};q=0.1", OPENMETRICS),
])
def test_form(serve, accept, kind):
    reply = serve().get(**({"Accept": accept} if accept else {}))
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith(kind)
    assert reply.body.endswith(b"# EOF\n") == (kind == OPENMETRICS)


def test_protobuf_has_all_of_the_text(serve, loop_disk, doio):
    disk = loop_disk()
    it = serve("--device", disk.name)
    read(doio, disk, 100)
    base.wait_until("the reads", lambda: it.total("iolat_io_latency_seconds_count") == 100, step=0.2)
    families = prometheus.families(it.get(Accept=PROTOBUF).body)
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", it.metrics(), re.M))
    assert {name: f[3][0] for name, f in families.items()} == \
        {name: {"counter": 0, "gauge": 1, "histogram": 4}[kind] for name, kind in types.items()}
    histogram = prometheus.fields(prometheus.fields(families["iolat_io_latency_seconds"][4][0])[7][0])
    assert histogram[1] == [100]
    signed = [n >> 1 ^ -(n & 1) for n in histogram[13]]
    counts = [sum(signed[:i + 1]) for i in range(len(signed))]
    assert sum(counts) == 100 and min(counts) > 0
    assert sum(prometheus.fields(span)[2][0] for span in histogram[12]) == len(counts)


def test_other_pages(serve):
    it = serve()
    assert (it.get("/healthz").status, it.get("/healthz").text) == (200, "ok\n")
    page = it.get("/")
    assert page.headers["Content-Type"].startswith("text/html")
    assert 'href="metrics"' in page.text and 'href="healthz"' in page.text
    for path in ("/etc/passwd", "/metrics/", "/../metrics", "//", "/%2e%2e/etc/passwd"):
        assert it.get(path).status == 404
    assert it.get(method="HEAD").text == ""
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        assert it.get(method=method).status == 405


def test_one_connection_for_many(serve):
    """A scraper keeps its connection."""
    connection = serve().connect()
    for _ in range(3):
        connection.request("GET", "/metrics")
        reply = connection.getresponse()
        assert reply.status == 200 and reply.read()
        assert not reply.will_close


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ends_by_a_signal(serve, number):
    it = serve()
    assert it.stop(number) == "" and it.stderr == ""


def test_hup(serve):
    """As everywhere: it ends, and says that nothing was reloaded."""
    it = serve()
    it.stop(signal.SIGHUP)
    assert it.stderr.count("\n") == 1 and "SIGHUP" in it.stderr


def test_ends_while_asked(serve):
    """A client in the middle of its request holds nobody up."""
    it = serve()
    client = socket.create_connection(("127.0.0.1", it.port))
    client.sendall(b"GET /metrics HTT")
    assert it.get("/healthz").status == 200
    it.stop(signal.SIGTERM)
    client.close()


def test_port_in_use(serve, run_iolat):
    it = serve()
    done = run_iolat("serve", "--listen", f"127.0.0.1:{it.port}", rc=1)
    assert done.stderr.count("\n") == 1 and "in use" in done.stderr


def test_unix_socket(serve, folder, run_iolat):
    path = folder() / "socket"
    it = serve(path=path)
    assert "iolat_build_info" in it.metrics()
    assert path.stat().st_mode & 0o777 == 0o660
    done = run_iolat("serve", "--listen", f"unix:{path}", rc=1)
    assert done.stderr.count("\n") == 1 and "in use" in done.stderr
    it.stop(signal.SIGKILL, rc=-signal.SIGKILL)
    again = serve(path=path)  # where the killed one left its file
    assert "iolat_build_info" in again.metrics()
    again.stop(signal.SIGTERM)
    assert not path.exists()


def test_a_file_in_the_way(folder, run_iolat):
    path = folder() / "file"
    path.write_text("precious")
    run_iolat("serve", "--listen", f"unix:{path}", rc=1)
    assert path.read_text() == "precious"


def test_a_selection(serve, loop_disk, doio):
    """Series are of the selected disk alone."""
    disk, other = loop_disk(), loop_disk()
    it = serve("--device", disk.name)
    read(doio, other, 10)
    read(doio, disk, 10)
    base.wait_until("the reads", lambda: it.total("iolat_io_latency_seconds_count", device=disk.name) == 10, step=0.2)
    assert it.total("iolat_io_latency_seconds_count", device=other.name) is None


@pytest.mark.parametrize("address", ["nope", "127.0.0.1:0", "127.0.0.1:99999", "::1:9435", "[::1:9435", "unix:",
                                     "1.2.3.4.5:9435", "127.0.0.1:http", "unix:/" + 200 * "x"])
def test_no_address(run_iolat, address):
    done = run_iolat("serve", "--listen", address, rc=2)
    assert done.stderr.count("\n") == 1 and address[:9] in done.stderr


def test_an_address_of_another_host(run_iolat):
    done = run_iolat("serve", "--listen", "192.0.2.1:9435", rc=1)
    assert done.stderr.count("\n") == 1 and "192.0.2.1" in done.stderr


def test_options_of_others(run_iolat):
    for option in (["-f", "json"], ["--by", "op"], ["--", "true"]):
        done = run_iolat("serve", *option, rc=2)
        assert done.stderr.count("\n") == 1


def test_stream(serve, loop_disk, doio):
    """--stream: every request by itself, the counts are the same."""
    disk = loop_disk()
    it = serve("--stream", "--device", disk.name)
    read(doio, disk, 100)
    base.wait_until("the reads", lambda: it.total("iolat_io_latency_seconds_count", device=disk.name) == 100, step=0.2)


@pytest.mark.parametrize("variant", ["modern", "btf", "raw"])
def test_processes_do_not_count(serve, loop_disk, doio, variant):
    """More processes than the kernel's table has room for, of one owner: none of it is anybody else's."""
    disk = loop_disk()
    it = serve("--device", disk.name, "-i", "0", env=base.clean_env(IOLAT_VARIANT=variant))
    base.sh("sh", "-c", f"for i in $(seq 300); do dd if={disk.path} of=/dev/null bs=4k count=1 iflag=direct; done",
            timeout=120)
    labels = {"device": disk.name, "op": "read"}

    def all_there():
        text = it.get().text
        missing = prometheus.total(text, "iolat_requests_lost_total") + prometheus.total(text, "iolat_requests_unmatched_total")
        return (prometheus.total(text, "iolat_io_latency_seconds_count", **labels) or 0) + missing >= 300
    base.wait_until("the reads", all_there, step=0.2)
    assert it.total("iolat_io_latency_seconds_count", **labels) > 256
    assert it.total("iolat_io_latency_seconds_count", container="other") is None
