"""`--anonymize`: no name of anybody is left, and the numbers are the same."""
import json
import os
import pathlib
import zlib

import pytest

from lib import base, trace


@pytest.fixture
def run_of_secrets(start_iolat, loop_disk, ext4, held, folder):
    """run_of_secrets(...) -> a recording of a program with a name that reads a file with one."""
    def make(*args):
        disk, place = loop_disk(), folder()
        point = ext4(disk)
        program = place / "tophat"
        program.write_bytes(pathlib.Path("/bin/dd").read_bytes())
        program.chmod(0o755)
        (point / "magpie").write_bytes(os.urandom(1 << 16))
        base.sh("sync", "-f", point)
        load = held(program, f"if={point}/magpie", "of=/dev/null", "bs=4k", "iflag=direct")
        out = place / "tophat.iolat"
        recorder = start_iolat("record", "-o", out, "-p", load.pid, "-d", disk.name, *args)
        load.finish()
        assert recorder.wait() == 0
        return out
    return make


def secrets():
    group = open("/proc/self/cgroup").read().splitlines()[-1].rsplit("/", 1)[1]
    return ["tophat", "magpie", os.uname().nodename + '"', *([group] if len(group) > 3 else [])]


def blocks(path):
    """What is in a recording, unpacked."""
    data, at, found, stream = path.read_bytes(), 24, b"", zlib.decompressobj(-15)
    while at < len(data):
        size = int.from_bytes(data[at + 4:at + 8], "little")
        found += stream.decompress(data[at + 16:at + 16 + size])
        at += 16 + size
    return found


def numbers(summary):
    return [(r["process"]["pid"], r["ios"], r["bytes"], r["latency"]) for r in summary["rows"]], summary["coverage"]["requests"]


def test_a_report_without_names(run_of_secrets, run_iolat):
    path = run_of_secrets()
    plain = run_iolat("report", path, "-f", "json", "--by", "process,cgroup,device,op", rc=0).stdout
    assert all(word in plain for word in ("tophat", os.uname().nodename))
    for form in ("json", "csv", "html", "table"):
        out = run_iolat("report", path, "-f", form, "--anonymize", "--by", "process,cgroup,device,op", rc=0).stdout
        assert not any(word in out for word in secrets()), form
    hidden = run_iolat("report", path, "-f", "json", "--anonymize", "--by", "process,cgroup,device,op", rc=0).stdout
    assert numbers(json.loads(hidden)) == numbers(json.loads(plain))
    assert json.loads(hidden)["rows"][0]["process"]["comm"].startswith("x")


def test_a_recording_without_names(run_of_secrets, run_iolat):
    """They do not even get into the file."""
    assert b"tophat" in blocks(run_of_secrets())
    path = run_of_secrets("--anonymize")
    assert not any(word.strip('"').encode() + b"\0" in blocks(path) or word.strip('"').encode() in blocks(path).replace(b"\0", b" ").split()
                   for word in secrets())
    summary = trace.objects(run_iolat("report", path, "-f", "json", rc=0).stdout)[-1]
    assert trace.total(summary["rows"], "bytes") >= 1 << 16


def test_names_are_the_same_on_both_sides(run_of_secrets, run_iolat):
    path = run_of_secrets()
    d = json.loads(run_iolat("diff", path, path, "-f", "json", "--anonymize", rc=0).stdout)
    assert all(r["ios"]["ratio"] == 1 for r in d["rows"]) and d["before"]["host"] == d["after"]["host"] != os.uname().nodename
    assert "tophat" not in json.dumps(d["rows"])


def test_names_cannot_select(run_of_secrets, run_iolat):
    path = run_of_secrets("--name", "tophat|sh")
    assert "would make fit nothing" in run_iolat("report", path, "--anonymize", rc=1).stderr
    assert "names are gone" in run_iolat("report", path, "--anonymize", "--name", "x", rc=2).stderr
