"""GPUs, by a stand-in for NVIDIA's library (lib/nvml_standin.c): no GPU is needed, and none is shown to work."""
import pytest

from lib import base, prometheus, server, trace


@pytest.fixture
def nvml(folder):
    """nvml.say("95 1000 4000 PID", ...): a line a GPU; nvml.env: the environment in which they are found."""
    base.need_tool("cc")
    here = folder()
    base.sh("cc", "-shared", "-fPIC", "-o", here / "libnvidia-ml.so.1", base.TESTS / "lib" / "nvml_standin.c")

    class Nvml:
        env = base.clean_env(LD_LIBRARY_PATH=str(here), IOLAT_TEST_NVML=str(here / "gpus"))

        @staticmethod
        def say(*lines):
            (here / "new").write_text("".join(line + "\n" for line in lines))
            (here / "new").rename(here / "gpus")
    return Nvml


def test_samples(nvml, slow_disk, doio, start_iolat):
    """A process that waits for a slow disk all the time, on an idle GPU; another GPU is busy with nothing of this."""
    disk = slow_disk(read_ms=20)
    load = doio("read", disk, count=150)
    nvml.say(f"5 1000 4000 {load.pid}", "95 7 8 1", "-1 0 0")
    run = start_iolat("-f", "json", "-i", "500ms", "--pid", load.pid, env=nvml.env)
    load.finish()
    summary = run.end()
    gpus = summary["gpus"]
    assert [(g["index"], g["name"]) for g in gpus] == [(i, "stand-in for NVML") for i in range(3)]
    assert [g["busy_pct"] for g in gpus] == [5, 95, None]
    assert (gpus[0]["memory_used_bytes"], gpus[0]["memory_total_bytes"]) == (1000, 4000)
    assert gpus[2]["memory_total_bytes"] is None
    assert gpus[0]["idle_ns"] >= gpus[0]["starved_ns"] > 0.5 * gpus[0]["idle_ns"]
    assert any(p["pid"] == load.pid for f in run.frames for g in f["gpus"] or [] for p in g["processes"])
    finding = trace.finding(summary, "gpu-starved")
    assert finding["evidence"]["gpu"] == 0 and finding["evidence"]["idle_pct"] == pytest.approx(95, abs=1)
    assert len(trace.findings(summary, "gpu-starved")) == 1


def test_tables_and_recordings(nvml, slow_disk, doio, start_iolat, folder):
    """The same is said of a recording; the table has a column and a line."""
    disk = slow_disk(read_ms=20)
    load = doio("read", disk, count=100)
    nvml.say(f"5 1000 4000 {load.pid}")
    path = folder() / "run.iolat"
    recorder = start_iolat("record", "-o", path, "--pid", load.pid, env=nvml.env)
    load.finish()
    assert recorder.wait() == 0
    table = trace.run("report", path, rc=0).stdout
    assert "GPU 0 stand-in for NVML: 5 % busy" in table and f"used by {load.pid}" in table
    assert "GPU" in next(line for line in table.splitlines() if "IOPS" in line)
    assert trace.finding(trace.objects(trace.run("report", path, "-f", "json", rc=0).stdout)[-1], "gpu-starved")


def test_served(nvml, slow_disk, doio, stack):
    """What a scraper is told of them."""
    disk = slow_disk(read_ms=20)
    load = doio("read", disk, count=1000)
    nvml.say(f"5 1000 4000 {load.pid}", "95 7 8 1")
    it = server.Server(stack, "--waits", env=nvml.env)
    load.go()
    base.wait_until("a starved GPU", lambda: it.total("iolat_gpu_starved_seconds_total", gpu="0"), timeout=60, step=0.5)
    text = it.metrics()
    assert prometheus.total(text, "iolat_gpu_busy_ratio", gpu="0") == 0.05
    assert prometheus.total(text, "iolat_gpu_busy_ratio", gpu="1") == 0.95
    assert prometheus.total(text, "iolat_gpu_memory_used_bytes", gpu="0") == 1000
    assert 0 < prometheus.total(text, "iolat_gpu_starved_seconds_total", gpu="0") \
        <= prometheus.total(text, "iolat_gpu_idle_seconds_total", gpu="0") \
        <= prometheus.total(text, "iolat_gpu_compared_seconds_total", gpu="0")
    starved = [prometheus.total(text, "iolat_gpu_starved_seconds_total", gpu=gpu) for gpu in ("0", "1")]
    assert starved[1] < starved[0] / 2  # it was hardly ever idle


def test_a_library_without_a_gpu(nvml, run_iolat):
    """It is there, but finds nothing, or fails: as without."""
    env = dict(nvml.env)
    for gpus in (str(base.TESTS / "none"), None):
        if gpus:
            env["IOLAT_TEST_NVML"] = gpus
        else:
            del env["IOLAT_TEST_NVML"]
        done = run_iolat("-f", "json", "-i", "0", "-D", "300ms", env=env, rc=0)
        assert trace.objects(done.stdout)[-1]["gpus"] is None and done.stderr == ""
