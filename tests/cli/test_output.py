"""Outputs: JSON, CSV and the table, on any kind of standard output and into files."""
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import termios

import pytest

from lib import base, contract, trace

NOBODY = 65534


@pytest.fixture
def read_10(loop_disk, doio):
    """A disk and a process that is to read 10 blocks of it."""
    disk = loop_disk()
    return disk, doio("read", disk, count=10)


def of_one_run(start_iolat, load, *args, **kw):
    tracer = start_iolat("-i", "0", "--pid", load.pid, *args, **kw)
    load.finish()
    assert tracer.wait() == 0, tracer.stderr
    assert tracer.stderr == ""
    return tracer


def test_json_is_json(start_iolat, read_10):
    """jq reads it, an object a line."""
    base.need_tool("jq")
    tracer = start_iolat("-i", "20ms", "-f", "json", "-D", "200ms")
    tracer.end()
    done = subprocess.run(["jq", "-c", ".type"], input=tracer.stdout, capture_output=True, text=True, timeout=base.LIMIT)
    kinds = done.stdout.split()
    assert done.returncode == 0 and kinds[-1] == '"summary"' and set(kinds[:-1]) == {'"interval"'}
    assert len(kinds) == len(tracer.stdout.splitlines())


def flattened(prefix, value):
    """Names of the columns that a value of the JSON has; histograms have none."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flattened(f"{prefix}{key}_", inner)
    elif not isinstance(value, list):
        yield prefix[:-1]


def test_csv_has_the_columns_of_json(start_iolat, loop_disk, doio):
    """CSV: `start`, then the JSON paths joined by _; one header line; every row as many fields."""
    disk = loop_disk()
    args = "--by", "process,thread,cgroup,device,op", "--device", disk.name
    tracers = [of_one_run(start_iolat, doio("read", disk, count=10), "-f", f, *args) for f in ("json", "csv")]
    row = tracers[0].summary["rows"][0]
    table = list(csv.reader(io.StringIO(tracers[1].stdout)))
    columns = table[0]
    assert columns[0] == "start"
    expected = list(flattened("", row))
    assert [c for c in columns if c in expected] == expected
    assert set(columns) - set(expected) <= tracers[0].summary.keys(), "the rest is of the frame"
    assert all(len(line) == len(columns) for line in table[1:]) and len(table) == 2


def test_all_formats_say_the_same(start_iolat, loop_disk, fio):
    """fio's count and bytes in JSON, CSV and the table."""
    disk = loop_disk()
    found = {}
    for form in ("json", "csv", "table"):
        load = fio(disk, size="4m")
        args = ["--columns", "ios,bytes,pid,device"] if form == "table" else []
        tracer = of_one_run(start_iolat, load, "-f", form, *args)
        if form == "json":
            rows = trace.rows(tracer.summary, device=disk)
            found[form] = trace.total(rows, "ios"), trace.total(rows, "bytes")
        elif form == "csv":
            rows = [r for r in tracer.csv if r["device_name"] == disk.name]
            found[form] = sum(int(r["ios"]) for r in rows), sum(int(r["bytes"]) for r in rows)
        else:
            line = trace.one([l.split() for l in tracer.stdout.splitlines() if disk.name in l.split()])
            found[form] = int(line[0]), {"4.0M": 4 * base.MIB, "4M": 4 * base.MIB}[line[1]]
    assert set(found.values()) == {(1024, 4 * base.MIB)}, found


def test_csv_quotes_hostile_names(start_iolat, loop_disk, folder, held):
    """A command name with a comma, a quote and a line end comes back whole from CSV and from JSON."""
    name = 'a,"b\nc'
    disk = loop_disk()
    for form in ("json", "csv"):
        program = folder() / name
        program.write_bytes(pathlib.Path("/bin/dd").read_bytes())
        program.chmod(0o755)
        load = held(program, f"if={disk.path}", "of=/dev/null", "iflag=direct", "bs=4k", "count=3")
        tracer = of_one_run(start_iolat, load, "-f", form, "--device", disk.name)
        got = (tracer.summary["rows"][0]["process"]["comm"] if form == "json" else tracer.csv[0]["process_comm"])
        assert got == name


@pytest.mark.parametrize("name, shown", [(b"\xff\xfe-bad", "\ufffd\ufffd-bad"), ("名前".encode(), "名前"),
                                         (b"tab\there", "tab\there")])
def test_json_is_valid_utf8(start_iolat, loop_disk, folder, held, name, shown):
    """Bytes that are no UTF-8 become U+FFFD, everything else stays."""
    disk = loop_disk()
    program = os.fsencode(folder()) + b"/" + name
    with open(program, "wb") as f:
        f.write(pathlib.Path("/bin/dd").read_bytes())
    os.chmod(program, 0o755)
    load = held(os.fsdecode(program), f"if={disk.path}", "of=/dev/null", "iflag=direct", "bs=4k", "count=3")
    assert of_one_run(start_iolat, load, "-f", "json", "--device", disk.name).summary["rows"][0]["process"]["comm"] == shown


def test_the_table_cannot_be_taken_over(start_iolat, loop_disk, folder, held):
    """Escape sequences and line ends in a name do not reach the terminal."""
    disk = loop_disk()
    program = folder() / "\x1b[31mre\nd"
    program.write_bytes(pathlib.Path("/bin/dd").read_bytes())
    program.chmod(0o755)
    load = held(program, f"if={disk.path}", "of=/dev/null", "iflag=direct", "bs=4k", "count=3")
    text = of_one_run(start_iolat, load).stdout
    assert disk.name in text and "\x1b" not in text
    assert trace.one([l for l in text.splitlines() if disk.name in l])


def test_the_table_ends_with_its_completeness(start_iolat, read_10):
    """Every frame says how many requests it saw, lost, aggregated, and could not match."""
    disk, load = read_10
    text = of_one_run(start_iolat, load, "--device", disk.name).stdout
    assert re.search(r"\b10\b.*requests|requests.*\b10\b", text), text
    for word in ("lost", "aggregated", "unmatched"):
        assert word in text


WIDE = "ios,iops,bytes,rate,size,size_min,size_max,wait,min,mean,p50,p90,p99,p999,max,pid,device,op,comm"


def test_the_table_is_cut_on_a_terminal_only(start_iolat, loop_disk, doio):
    """On a terminal no line is wider than it; elsewhere nothing is cut."""
    disk = loop_disk()
    piped = of_one_run(start_iolat, doio("read", disk, count=3), "--columns", WIDE).stdout
    master, slave = terminal(80)
    of_one_run(start_iolat, doio("read", disk, count=3), "--columns", WIDE, stdout=slave)
    shown = on_terminal(master, slave)
    assert disk.name in piped and max(map(len, piped.splitlines())) > 80
    assert "IOS" in shown and max(map(len, shown.splitlines())) <= 80


def terminal(columns):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return master, slave


def on_terminal(master, slave):
    """What was written to the terminal, without its control sequences."""
    os.close(slave)
    text = b""
    try:
        while True:
            text += os.read(master, 4096)
    except OSError:  # nobody holds the other end any more
        os.close(master)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())


def test_sort_and_top(start_iolat, loop_disk, doio):
    """--sort orders the table, --top cuts it, and it says how many rows it left out."""
    disk = loop_disk()
    readers = [doio("read", disk, count=n) for n in (3, 9, 6)]
    tracer = start_iolat("-i", "0", "--pid", ",".join(str(r.pid) for r in readers), "-d", disk.name, "--sort", "ios", "-n", "2",
                         "--columns", "ios,device")
    for reader in readers:
        reader.finish()
    tracer.end()
    rows = [l.split()[0] for l in tracer.stdout.splitlines() if disk.name in l.split()]
    assert rows == ["9", "6"]


def test_json_is_never_cut(start_iolat, loop_disk, doio):
    disk = loop_disk()
    readers = [doio("read", disk, count=1) for _ in range(4)]
    tracer = start_iolat("-f", "json", "-i", "0", "-n", "1", "--pid", ",".join(str(r.pid) for r in readers))
    for reader in readers:
        reader.finish()
    assert len(trace.rows(tracer.end(), device=disk)) == 4


def test_histogram(start_iolat, read_10):
    """-H draws the distribution under the table."""
    disk, load = read_10
    with_it = of_one_run(start_iolat, load, "-H").stdout
    assert len(with_it.splitlines()) > 5 and re.search(r"[#*█▏▎▍▌▋▊▉@|]", with_it)


# --- where it goes ---------------------------------------------------------------------

def test_a_closed_pipe(program):
    """`| head -1` ends it quietly, with status 0."""
    done = base.sh("bash", "-c", f"set -o pipefail; {program} -f json -i 10ms | head -1", env=base.clean_env())
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["type"] == "interval"


@pytest.fixture
def gone():
    """A pipe that nobody reads any more."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    yield write_end
    os.close(write_end)


EACH_COMMAND = [["report", "-f", f] for f in ("table", "json", "csv", "html", "trace", "hdr", "prometheus")] + [
    ["diff", "-f", f] for f in ("table", "json", "html")] + [["doctor"], ["doctor", "--explain-cgroup", "/a"], ["--help"]]


@pytest.mark.parametrize("words", EACH_COMMAND, ids=" ".join)
def test_a_closed_pipe_of_each_command(run_iolat, folder, gone, words):
    """Whatever it is that writes: quietly, with status 0."""
    files = [folder() / "run.iolat"] * {"report": 1, "diff": 2}.get(words[0], 0)
    if files:
        run_iolat("record", "-o", files[0], "-D", "20ms", rc=0)
    done = subprocess.run([base.IOLAT, *words, *files], stdout=gone, stderr=subprocess.PIPE, env=base.clean_env(), timeout=base.LIMIT)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("form", ["json", "table", "csv"])
def test_a_full_device(program, form):
    """Standard output that takes nothing: status 1 and one line."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, "-f", form, "-i", "10ms", "-D", "300ms"], stdout=full, stderr=subprocess.PIPE, text=True,
                              env=base.clean_env(), timeout=base.LIMIT)
    assert done.returncode == 1 and re.fullmatch(r"iolat: .*[Nn]o space.*\n", done.stderr), done.stderr


def test_help_into_a_full_device(program):
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=base.LIMIT)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1


def test_a_full_disk(stack, folder, run_iolat):
    """-o on a file system that fills up: status 1 and one line."""
    point = folder() / "small"
    point.mkdir()
    base.sh("mount", "-t", "tmpfs", "-o", "size=8k", point.parent.name, point)
    stack.callback(base.sh, "umount", point)
    done = run_iolat("-f", "json", "-i", "10ms", "-D", "2s", "-o", point / "out")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert str(point / "out") in done.stderr


@pytest.mark.parametrize("where", ["missing/out", ".", "file/out"])
def test_output_that_cannot_be(folder, run_iolat, where):
    """-o into a folder that is not there, onto a folder, below a file: status 1 and one line, before anything is traced."""
    here = folder()
    (here / "file").touch()
    done = run_iolat("-D", "10ms", "-o", here / where)
    assert (done.returncode, len(done.stderr.splitlines()), done.stdout) == (1, 1, ""), done.stderr


def test_output_file(start_iolat, folder, read_10):
    """-o takes what would stand on standard output."""
    out = folder() / "out"
    disk, load = read_10
    tracer = start_iolat("-i", "0", "-f", "json", "--pid", load.pid, "--device", disk.name, "-o", out)
    load.finish()
    assert tracer.wait() == 0 and tracer.stdout == ""
    assert trace.total(trace.objects(out.read_text())[-1]["rows"], "ios") == 10


def test_output_file_is_written_anew(run_iolat, folder):
    """A file that is there already is overwritten, also when it was longer."""
    out = folder() / "out"
    out.write_text("x" * 1_000_000)
    run_iolat("-D", "10ms", "-i", "0", "-f", "json", "-o", out, rc=0)
    assert json.loads(out.read_text())["type"] == "summary"


@pytest.mark.parametrize("target", ["there", "missing"])
def test_output_never_through_a_link(run_iolat, folder, target):
    """As root, -o does not follow a symbolic link; what it points to stays as it is."""
    here = folder()
    (here / "there").write_text("precious")
    link = here / "link"
    link.symlink_to(here / target)
    done = run_iolat("-D", "10ms", "-o", link, rc=1)
    assert len(done.stderr.splitlines()) == 1 and "link" in done.stderr
    assert (here / "there").read_text() == "precious" and not (here / "missing").exists()


def test_output_belongs_to_the_user_of_sudo(run_iolat, folder):
    """Under sudo the file belongs to who called it."""
    out = folder() / "out"
    run_iolat("-D", "10ms", "-o", out, rc=0, env=base.clean_env(SUDO_UID=str(NOBODY), SUDO_GID=str(NOBODY)))
    assert (out.stat().st_uid, out.stat().st_gid) == (NOBODY, NOBODY)


def test_output_grows_frame_by_frame(start_iolat, folder):
    """Who follows the file sees each frame when it is made."""
    out = folder() / "out"
    tracer = start_iolat("-f", "json", "-i", "20ms", "-o", out)
    base.wait_until("frames in the file", lambda: out.read_text().count("\n") >= 3)
    tracer.send(signal.SIGINT)
    assert tracer.wait() == 0
    for o in map(json.loads, out.read_text().splitlines()):
        contract.check(o)
