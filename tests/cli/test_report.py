"""What a report says of a recording: the live run's words to the digit, and any part of them."""
import csv
import datetime
import io
import json
import os
import struct
import zlib

import pytest

from lib import base, trace


def report(*args, rc=0):
    done = trace.run("report", *args, rc=rc)
    assert len(done.stderr.splitlines()) <= (rc != 0), done.stderr
    return done.stdout


def summary(path, *args):
    return trace.objects(report(path, "-f", "json", *args))[-1]


@pytest.fixture
def recorded(start_iolat, loop_disk, doio, folder):
    """recorded(selection of the two loads) -> the recording, the live summary, the loads, their disks."""
    def make(select, *args):
        disks, out = [loop_disk(), loop_disk()], folder() / "run.iolat"
        loads = [doio("read", disks[0], count=30, size=4096), doio("read", disks[1], count=20, size=8192)]
        recorder = start_iolat("record", "-o", out, "-f", "json", *select(loads, disks), *args)
        for load in loads:
            load.finish()
        return out, recorder.stop(), loads, disks
    return make


def by_disks(loads, disks):
    return [word for d in disks for word in ("-d", d.name)]


def by_pids(loads, disks):
    return ["--pid", ",".join(str(load.pid) for load in loads)]


def by_name(loads, disks):
    return ["--name", "^python3", *by_disks(loads, disks)]


@pytest.mark.parametrize("select", [by_disks, by_pids, by_name])
@pytest.mark.parametrize("by", ["process,device,op", "thread", "cgroup,op"])
def test_to_the_digit(recorded, select, by):
    """The recorder's own summary and the report's are the same object: rows, tasks, findings, coverage, times."""
    path, live, _, _ = recorded(select, "--by", by)
    assert live["coverage"]["requests"] >= 50
    assert summary(path, "--by", by) == live


def test_formats_agree(recorded):
    path, live, _, _ = recorded(by_disks)
    rows = list(csv.DictReader(io.StringIO(report(path, "-f", "csv"))))
    assert [(int(r["process_pid"]), int(r["ios"]), int(r["latency_total_p99_ns"])) for r in rows] == \
        [(r["process"]["pid"], r["ios"], r["latency"]["total"]["p99_ns"]) for r in live["rows"]]
    table = report(path)
    assert all(f"{r['ios']} " in table for r in live["rows"])


def test_a_folder_is_no_recording(tmp_path):
    assert "directory" in trace.run("report", tmp_path, rc=1).stderr


# --- selections ---------------------------------------------------------------------------

def test_selections_filter(recorded):
    """Each kind takes its part of what was recorded; kinds are AND-ed, entries of one OR-ed."""
    path, _, loads, disks = recorded(by_disks)
    group = open(f"/proc/{os.getpid()}/cgroup").read().splitlines()[-1].split(":")[2]

    def requests(*args):
        return summary(path, *args)["coverage"]["requests"]
    assert requests() == 50
    assert requests("-p", loads[0].pid) == 30 and requests("-p", loads[1].pid) == 20
    assert requests("-p", f"{loads[0].pid},{loads[1].pid}") == 50
    assert requests("-p", os.getpid()) == 50, "its descendants"
    assert requests("-p", os.getpid(), "--no-children") == 0
    assert requests("-d", disks[1].name) == 20 and requests("-d", disks[1].path, "-d", disks[0].name) == 50
    assert requests("-d", disks[1].name, "-p", loads[0].pid) == 0
    assert requests("--name", "^python3$") == 50 and requests("--user", "root") == 50
    assert requests("--op", "read") == 50 and requests("--op", "write,flush") == 0
    assert requests("-c", group) == 50
    assert requests("--min-latency", "10s") == 0 and requests("--min-latency", "1ns") == 50
    seen = {d["device"]: d["seen"] for d in summary(path, "-p", loads[0].pid)["coverage"]["devices"]}
    assert seen[disks[1].name] == 20, "what is not selected is seen"


@pytest.mark.parametrize("option, word", [("--pid", "4194000"), ("--name", "no such name"), ("--device", "sdzz"),
                                          ("--cgroup", "/no/such"), ("--container", "nothing"), ("--pod", "a/b"),
                                          ("--job", "1"), ("--user", "12345"), ("--user", "no-such-user")])
def test_a_selection_of_nothing(recorded, folder, option, word):
    path, _, _, _ = recorded(by_disks)
    out = folder() / "out"
    done = trace.run("report", path, option, word, "-o", out, rc=2)
    assert f"{option} {word}: nothing of that name" in done.stderr and not out.exists()


def test_users_by_name(start_iolat, loop_disk, doio, folder):
    """By the recorded host's names, also those of users that come later, with descendants; also where names are replaced."""
    disk, path = loop_disk(), folder() / "run.iolat"
    recorder = start_iolat("record", "-o", path, "-d", disk.name, "--waits")
    doio("read", disk, count=30).finish()
    nobody = doio("read", disk.open_to_all(), count=20, popen={"user": "nobody"})
    nobody.finish()
    recorder.stop()
    for words, ios in ((["root"], 50), (["nobody"], 20), (["0"], 50), (["nobody", "daemon"], 20)):
        assert summary(path, *(a for w in words for a in ("--user", w)))["coverage"]["requests"] == ios, words
    assert {r["process"]["pid"] for r in summary(path, "--user", "nobody")["rows"]} == {nobody.pid}
    assert summary(path, "--user", "nobody", "--anonymize")["coverage"]["requests"] == 20


# --- parts of the time ----------------------------------------------------------------------

def test_a_recording_is_not_written_over(recorded, run_iolat, folder):
    """Neither by its own report nor by a comparison, whatever name it goes by."""
    path, other = recorded(by_disks)[0], folder() / "other"
    os.link(path, other)
    whole = path.read_bytes()
    for words in (["report", path, "-o", path], ["report", path, "-f", "html", "-o", other], ["diff", path, path, "-o", other]):
        done = run_iolat(*words, rc=2)
        assert done.stderr.count("\n") == 1 and "is a recording to be read" in done.stderr
        assert path.read_bytes() == whole


@pytest.fixture
def two_bursts(start_iolat, loop_disk, doio, folder):
    """A burst of 10 reads and one of 20, with the wall clock between them."""
    disk, out = loop_disk(), folder() / "run.iolat"
    recorder = start_iolat("record", "-o", out, "-f", "json", "-d", disk.name)
    doio("read", disk, count=10).finish()
    between = datetime.datetime.now(datetime.timezone.utc)
    doio("read", disk, count=20).finish()
    return out, recorder.stop(), between


def test_from_and_to(two_bursts):
    """By date, by time of day and by distance; the parts add up to the whole."""
    path, live, between = two_bursts
    start = datetime.datetime.fromisoformat(live["start"])
    texts = [between.isoformat(), between.astimezone().strftime("%H:%M:%S.%f"),
             f"{(between - start).total_seconds() * 1000:.3f}ms"]
    for text in texts:
        first, second = summary(path, "--to", text), summary(path, "--from", text)
        assert (first["coverage"]["requests"], second["coverage"]["requests"]) == (10, 20), text
        assert first["duration_ns"] + second["duration_ns"] == pytest.approx(live["duration_ns"], abs=2_000_000)
        assert second["end"] == live["end"] and first["start"] == live["start"]
    assert summary(path, "--from", "0", "--to", "10h")["rows"] == live["rows"]
    assert summary(path, "--to", "0.001ms")["coverage"]["requests"] == 0
    hour = datetime.timedelta(hours=1)
    around = [(start.astimezone() + by).strftime("%H:%M:%S") for by in (-hour, hour)]
    assert summary(path, "--from", around[0], "--to", around[1])["rows"] == live["rows"], "begun after --from"


@pytest.mark.parametrize("part", [("--from", "10h"), ("--to", "2020-01-01T00:00:00Z")])
def test_another_time(two_bursts, part):
    """A part of the time that the recording has nothing of is most often a slip: it is said when the recording is from."""
    path, live, _ = two_bursts
    done = trace.run("report", path, "-f", "json", *part)
    assert trace.objects(done.stdout)[-1]["coverage"]["requests"] == 0
    assert done.stderr.count("\n") == 1
    assert f"nothing of it lies between --from and --to; it is from {live['start']} to {live['end']}" in done.stderr


def test_part_of_a_wait(start_iolat, slow_disk, doio, folder):
    """A task's blocked time of the parts is that of the whole."""
    disk, out = slow_disk(read_ms=50), folder() / "run.iolat"
    load = doio("read", disk, count=10)
    recorder = start_iolat("record", "-o", out, "-f", "json", "-p", load.pid)
    load.finish()
    recorder.wait()
    blocked = [trace.task(summary(out, *part), load.pid)["blocked_ns"] for part in ([], ["--to", "225ms"], ["--from", "225ms"])]
    assert blocked[0] > 450 * base.MS and blocked[1] > 50 * base.MS and blocked[2] > 50 * base.MS
    assert blocked[1] + blocked[2] == pytest.approx(blocked[0], rel=0.02)


@pytest.mark.parametrize("text", ["x", "12", "2026-13-01T00:00:00", "-5s", ""])
def test_no_moment(text):
    assert len(trace.run("report", "x", "--from", text, rc=2).stderr.splitlines()) == 1


# --- what is written beside it ---------------------------------------------------------------

def test_record_prints_a_summary_on_request(start_iolat, loop_disk, doio, folder):
    disk = loop_disk()
    load = doio("read", disk, count=5)
    recorder = start_iolat("record", "-o", folder() / "run.iolat", "-f", "csv", "-d", disk.name)
    load.finish()
    recorder.stop()
    assert [int(r["ios"]) for r in recorder.csv] == [5]


# --- requests one by one, and percentiles -------------------------------------------------------

def test_events(recorded):
    """A line a request, in CSV and JSON alike; they add up to the rows."""
    path, live, loads, disks = recorded(by_disks)
    lines = [json.loads(line) for line in report(path, "--events", "-f", "json").splitlines()]
    table = list(csv.DictReader(io.StringIO(report(path, "--events", "-f", "csv"))))
    assert len(lines) == len(table) == live["coverage"]["requests"] == 50
    for row in live["rows"]:
        own = [q for q in lines if q["device"]["name"] == row["device"]["name"] and q["process"]["pid"] == row["process"]["pid"]]
        total = row["latency"]["total"]
        assert len(own) == row["ios"] and sum(q["bytes"] for q in own) == row["bytes"]
        assert max(q["total_ns"] for q in own) == total["max_ns"] and min(q["total_ns"] for q in own) == total["min_ns"]
        assert all(q["queue_ns"] + q["device_ns"] == q["total_ns"] for q in own)
    for q, r in zip(lines, table):
        assert (q["start"], str(q["thread"]["tid"]), str(q["sector"]), str(q["device_ns"]), q["owner_from"]) == \
            (r["start"], r["thread_tid"], r["sector"], r["device_ns"], r["owner_from"])
        assert live["start"] <= q["start"] <= live["end"] and q["type"] == "request" and q["op"] == r["op"] == "read"
    assert len(report(path, "--events", "-f", "csv", "-p", loads[1].pid).splitlines()) == 1 + 20


def test_events_of_other_formats(recorded):
    path, _, _, _ = recorded(by_disks)
    for form in ("table", "html", "hdr"):
        assert "csv or json" in trace.run("report", path, "--events", "-f", form, rc=2).stderr


def test_hdr(recorded):
    """Blocks of four columns that only rise, as HdrHistogram's plotters read them; they agree with the rows."""
    path, live, _, disks = recorded(by_disks, "--by", "device")
    blocks = report(path, "--by", "device", "-f", "hdr").split("#[device ")[1:]
    assert len(blocks) == 2
    for block in blocks:
        row = trace.one([r for r in live["rows"] if block.startswith(r["device"]["name"])])
        latency = row["latency"]["total"]
        lines = [line.split() for line in block.splitlines() if line and line[0] == " " and "Value" not in line]
        values, levels, counts = ([float(line[i]) for line in lines] for i in range(3))
        assert values == sorted(values) and levels == sorted(levels) and counts == sorted(counts)
        assert (levels[0], levels[-1], counts[-1]) == (0, 1, row["ios"])
        assert values[-1] == pytest.approx(latency["max_ns"] / 1000, abs=0.001)
        median = next(v for v, p in zip(values, levels) if p >= 0.5)
        assert median == pytest.approx(latency["p50_ns"] / 1000, abs=0.001)
        assert all(float(line[3]) == pytest.approx(1 / (1 - float(line[1])), abs=0.01) for line in lines[:-1])
        assert f"Total count    = {row['ios']:12}" in block


# --- several recordings --------------------------------------------------------------------------

def test_two_recordings(recorded, record_of_host, run_iolat):
    """Rows of both, by host; counts of completeness added up; findings say whose they are."""
    path, live, loads, _ = recorded(by_pids)
    other = record_of_host(path, "elsewhere")
    both = trace.objects(report(path, other, "-f", "json"))[-1]
    assert both["by"] == [*live["by"], "host"] and both["host"] is None
    assert {r["host"] for r in both["rows"]} == {live["host"], "elsewhere"}
    for host in (live["host"], "elsewhere"):
        assert [{k: v for k, v in r.items() if k != "host"} for r in both["rows"] if r["host"] == host] == live["rows"]
    assert both["coverage"]["requests"] == 2 * live["coverage"]["requests"]
    assert len(both["tasks"]) == 2 * len(live["tasks"]) and len(both["findings"]) == 2 * len(live["findings"])
    assert all(f["subject"].startswith((live["host"], "elsewhere")) for f in both["findings"])
    assert len(report(path, other, "-f", "csv").splitlines()) == 1 + 2 * len(live["rows"])
    assert "elsewhere" in report(path, other) and report(path, other, "-p", loads[0].pid)
    for args in (["-f", "trace"], ["-i", "1s"], ["--events", "-f", "csv", "-i", "1s"], ["-f", "fio", "-o", "x"]):
        assert len(run_iolat("report", path, other, *args, rc=2).stderr.splitlines()) == 1


def test_by_host(recorded):
    path, live, _, _ = recorded(by_disks)
    row = trace.one(summary(path, "--by", "host")["rows"])
    assert row["host"] == live["host"] == os.uname().nodename and row["ios"] == 50


def test_page_of_two_hosts(recorded, record_of_host):
    """Charts over time have a line for each host's disk, which add up to the hosts' rows."""
    path, live, _, disks = recorded(by_pids)
    page = report(path, record_of_host(path, "elsewhere"), "-f", "html")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    ios = {}
    for track in data["timeline"]["tracks"]:
        if "loop" in track["device"]:  # the programs themselves may lie on another disk
            ios[track["device"]] = ios.get(track["device"], 0) + sum(track["ios"])
    assert ios == {f"{host[:15]}: {disk.name}": n for host in (live["host"], "elsewhere") for disk, n in zip(disks, (30, 20))}
    assert "several hosts" in page


def test_requests_of_two_recordings(recorded, record_of_host):
    """One behind the other, each with its host; a selection has to be in one of them."""
    path, live, loads, _ = recorded(by_pids)
    other = record_of_host(path, "elsewhere")
    lines = list(csv.DictReader(io.StringIO(report(path, other, "-f", "csv", "--events"))))
    assert [r["host"] for r in lines] == [live["host"]] * (len(lines) // 2) + ["elsewhere"] * (len(lines) // 2)
    for line in lines:
        del line["host"]
    assert lines[:len(lines) // 2] == lines[len(lines) // 2:]
    report(path, other, "-f", "csv", "--events", "-p", 1, rc=2)


def test_clocks_that_were_set(recorded, record_of_host):
    """A host whose clock was an hour slow at first lies beside the others all the same; parts of the time are the same."""
    path, live, _, _ = recorded(by_pids)
    other = record_of_host(path, "elsewhere", slow_s=3600)
    both = trace.objects(report(path, other, "-f", "json"))[-1]
    for key in ("start", "end", "clock_synchronized"):
        assert summary(other)[key] == both[key] == summary(path)[key], key
    starts = sorted(json.loads(line)["start"] for line in report(path, "--events", "-f", "json").splitlines())
    part = trace.objects(report(path, other, "-f", "json", "--from", starts[len(starts) // 2]))[-1]
    ios = [trace.total([r for r in part["rows"] if r["host"] == host], "ios") for host in (live["host"], "elsewhere")]
    assert 0 < ios[0] == ios[1] < trace.total(live["rows"], "ios")


@pytest.fixture
def record_of_host(folder):
    """A copy of a recording as if of another host, whose clock was slow when it began: changed in its first block."""
    def make(path, host, slow_s=0):
        data, out = path.read_bytes(), folder() / "other.iolat"
        _, stored, raw, _ = struct.unpack_from("<4I", data, 24)
        block = bytearray(zlib.decompressobj(-15).decompress(data[40:40 + stored]))
        name = os.uname().nodename.encode().ljust(64, b"\0")
        assert block.count(name) == 1 and len(block) == raw
        at = block.index(name)
        block[at:at + 64] = host.encode().ljust(64, b"\0")
        wall, = struct.unpack_from("<Q", block, at - 16)
        struct.pack_into("<Q", block, at - 16, wall - slow_s * 10**9)
        deflate = zlib.compressobj(1, zlib.DEFLATED, -15)
        block = deflate.compress(block) + deflate.flush(zlib.Z_SYNC_FLUSH)
        sizes = struct.pack("<2I", len(block), raw)
        head = struct.pack("<I", 0x4b4c4f49) + sizes + struct.pack("<I", zlib.crc32(block, zlib.crc32(sizes)))
        out.write_bytes(data[:24] + head + block + data[40 + stored:])
        return out
    return make
