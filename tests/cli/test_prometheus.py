"""`iolat report -f prometheus`: a recording as a file for a textfile collector."""
from lib import prometheus


def test_a_recording(loop_disk, doio, start_iolat, run_iolat, folder):
    disk, out = loop_disk(), folder() / "run.iolat"
    load = doio("read", disk, count=10)
    tracer = start_iolat("record", "-o", out, "-d", disk.name)
    load.finish()
    tracer.stop()
    text = run_iolat("report", out, "-f", "prometheus", rc=0).stdout
    prometheus.check(text)
    labels = {"pid": str(load.pid), "device": disk.name, "op": "read"}
    assert prometheus.total(text, "iolat_io_latency_seconds_count", **labels) == 10
    assert prometheus.total(text, "iolat_io_bytes_total", **labels) == 10 * 4096


def test_not_live(run_iolat):
    done = run_iolat("-f", "prometheus", rc=2)
    assert done.stderr.count("\n") == 1 and "prometheus" in done.stderr
