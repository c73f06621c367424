"""The full-screen view, by keys and screens in a real terminal."""
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading

import pytest

from lib import base, tmux, trace


@pytest.fixture
def screen(stack, folder, program):
    """screen("--pid", 1, columns=80): iolat in a terminal of its own."""
    return lambda *args, **how: tmux.Screen(stack, folder(), [program, *args], **how)


@pytest.fixture
def readers(loop_disk, slow_disk, fio):
    """Two programs that read until the test ends: one from a disk that takes 20 ms, 50 times a second at most, the
    other from a fast one."""
    steady = {"time_based": None, "runtime": 100, "size": "8m", "thread": None}
    slow, fast = slow_disk(read_ms=20), loop_disk()
    pair = [fio(slow, **steady), fio(fast, rate_iops=300, **steady)]
    for load, disk in zip(pair, (slow, fast)):
        load.disk = disk
        load.go()
    return pair


def pids(readers):
    return ",".join(str(r.pid) for r in readers)


def rows(text):
    """(blocked share, pid) of each row of processes."""
    return [(int(m[1]), int(m[2])) for m in re.finditer(r"(\d+)%.* (\d+) fio", text)]


@pytest.fixture
def watching(readers, screen):
    """watching(...): iolat on the readers, with their rows there; sets .slow and .fast, their pids."""
    def start(*args, **how):
        s = screen("--pid", pids(readers), *args, **how)
        s.slow, s.fast = (r.pid for r in readers)
        s.wait(lambda text: {pid for _, pid in rows(text)} >= {s.slow, s.fast})
        return s
    return start


def order(s, text):
    return [pid for _, pid in rows(text) if pid in (s.slow, s.fast)]


def test_the_blocked_one_first(watching):
    """Rows by their blocked share with a bar, the finding above them; what is left after q is the summary."""
    s = watching()
    text = s.wait(lambda t: rows(t) and rows(t)[0][0] > 70)
    assert s.full and order(s, text) == [s.slow, s.fast]
    assert re.search(rf"█{{5,}}·* +\d+%.*{s.slow} fio", text)
    assert "BLOCKED" in text and "P99" in text and re.search(r"requests \d+  lost \d+  aggregated 0", text)
    s.keys("q")
    assert s.end() == 0
    assert re.search(rf"summary, .*\n.*PID .*\n(.*\n)*.*{s.slow} .*\n(.*\n)*requests \d", s.scrollback)
    assert "by process" not in s.scrollback


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_like_q(watching, number):
    s = watching("-D", "60s")
    if number == signal.SIGINT:
        s.keys("C-c")
    else:
        os.kill(iolat_of(s), number)
    assert s.end() == 0 and "summary, " in s.scrollback


def iolat_of(s):
    """The pid of the iolat in the terminal."""
    with open(f"/proc/{s.pid}/task/{s.pid}/children") as f:
        return int(f.read())


def test_the_end_of_the_subject_ends_it(screen, loop_disk, fio):
    load = fio(loop_disk(), rate_iops=100, time_based=None, runtime=3, thread=None)
    s = screen("--pid", load.pid)
    load.go()
    s.wait(" fio")
    assert s.end() == 0 and "summary, " in s.scrollback


def test_sorting(watching):
    """By the next column, the other way round, and by a click on a title."""
    s = watching(term="xterm-256color")
    s.wait(lambda t: order(s, t) == [s.slow, s.fast])
    s.keys("End")
    for name in ("p50", "p99", "iops"):
        s.keys("s")
        s.wait(f"sort {name}")
    s.wait(lambda t: order(s, t) == [s.fast, s.slow])
    s.keys("-")
    s.wait(lambda t: "iops (reversed)" in t and order(s, t) == [s.slow, s.fast])
    y, x = next((y, line.index("P99")) for y, line in enumerate(s.lines, 1) if "P99" in line)
    s.type(f"\x1b[<0;{x + 1};{y}M\x1b[<0;{x + 1};{y}m")
    s.wait("sort p99")


def test_grouping(watching, readers):
    """Other keys, with the last minute of before; nothing has to be traced for that first."""
    s = watching()
    s.keys("B")
    text = s.wait("by op")
    assert re.search(r"\d+% .* read", text) and "SHARE" in text
    s.keys("B")
    text = s.wait(lambda t: "by device" in t and all(r.disk.name in t for r in readers))
    s.keys("b", "b", "b")
    s.wait(lambda t: "by worker" in t and "no worker" in t)


def test_grouping_asked_for(watching):
    s = watching("--by", "process,op")
    assert "by process,op" in s.text and re.search(r" fio  read", s.text)
    s.keys("q")
    s.end()
    assert re.search(r"PID +OP +COMM\n", s.scrollback)


def test_filter(watching):
    s = watching()
    s.type(f"/{s.slow}")
    s.wait(lambda t: "filter: " in t and order(s, t) == [s.slow])
    s.keys("Enter")
    s.wait(lambda t: f"filter {s.slow}" in t and "q quit" in t)
    s.type("/x")
    s.wait("rows are left out")
    s.keys("Escape")
    s.wait(lambda t: sorted(order(s, t)) == sorted([s.slow, s.fast]))


def test_looking_into_a_row(watching, readers):
    s = watching(lines=60)
    s.keys("Home", "Enter")
    text = s.wait("REQUESTS")
    assert f"{s.slow} fio" in text and re.search(r"disk +\d+\.\d %", text)
    assert re.search(r"16.8ms -> 33.6ms +: \d+ +\|\*+", text)
    assert re.search(rf"\d+  {readers[0].disk.name}  read", text) and readers[1].disk.name not in text
    assert "Tasks, the longest blocked first" in text
    s.keys("Escape")
    s.wait(lambda t: "WHO" in t)


def test_its_files(stack, screen, loop_disk, ext4, held):
    """With --files, a row's files are among its parts."""
    point = ext4(loop_disk())
    (point / "shard-7.tar").write_bytes(os.urandom(1 << 20))
    base.sh("sync", "-f", point)
    code = ("import mmap, os, sys, time; fd, b = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)\n"
            "while True: os.preadv(fd, [b], 0), time.sleep(0.01)")
    load = held(base.PYTHON, "-c", code, point / "shard-7.tar")
    s = screen("--pid", load.pid, "--files", columns=120, lines=60)
    load.go()
    s.wait(lambda t: re.search(r"\d+% .* python3", t))
    s.keys("Enter")
    text = s.wait("Files")
    assert re.search(r"\d+  /\S*/shard-7.tar", text) and "no file" not in text
    s.keys("Escape", "B")
    s.wait(lambda t: "by fs" in t and "ext4" in t)
    s.keys("B")
    s.wait(lambda t: "by file" in t and "shard-7.tar" in t)


def test_a_terminal_that_goes_away_ends_it(watching):
    s = watching()
    pid = iolat_of(s)
    s.kill()
    base.wait_until("iolat to end", lambda: not os.path.exists(f"/proc/{pid}"))


def test_findings_and_help(watching):
    s = watching()
    s.type("f")
    s.wait(lambda t: "f back" in t and re.search(r"small +100.0 %", t))
    s.type("f?")
    text = s.wait("? back")
    assert "look into the chosen row" in text
    s.keys("End")
    s.wait("page_fault")
    s.type("?")
    s.wait("WHO")


def test_pause(watching):
    """Nothing moves, but keys work; then it goes on."""
    s = watching()
    s.type("p")
    text = s.wait("PAUSED")
    clock = re.search(r"\d\d:\d\d:\d\d", text)[0]
    s.keys("s")
    assert clock in s.wait("sort p50")
    s.type("p")
    s.wait(lambda t: "PAUSED" not in t and clock not in t)


def test_resize(watching):
    """More columns where there is room; small terminals say so, and it comes back."""
    s = watching()
    assert " MAX " not in s.text
    s.resize(200, 50)
    s.wait(lambda t: " MAX " in t and len(t.splitlines()) == 50 and "q quit" in t.splitlines()[-1])
    s.resize(20, 4)
    s.wait("too small")
    s.resize(480, 120)
    s.wait(lambda t: " AVG-SIZE " in t and len(t.splitlines()) == 120)
    s.resize(80, 24)
    s.wait(lambda t: " MAX " not in t and rows(t))


@pytest.fixture
def wide_name(screen, slow_disk, held):
    """iolat on a program whose name is in Chinese, and which waits most of its time."""
    def start(**how):
        code = ("import ctypes, mmap, os, sys, time; ctypes.CDLL(None).prctl(15, '读取'.encode(), 0, 0, 0)\n"
                "fd, b = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)\n"
                "while True: os.preadv(fd, [b], 0), time.sleep(0.01)")
        load = held(base.PYTHON, "-c", code, slow_disk(read_ms=20).path)
        s = screen("--pid", load.pid, **how)
        load.go()
        return s
    return start


def test_wide_names(wide_name):
    s = wide_name()
    s.wait(lambda t: re.search(r"% .* 读取", t))
    s.type("/取")
    s.wait(lambda t: "filter: 取" in t and re.search(r"% .* 读取", t))


def test_the_c_locale(wide_name):
    """Everything in ASCII; who cannot be written keeps the width."""
    s = wide_name(locale="C", lines=60)
    text = s.wait(lambda t: re.search(r"% .* \?\?\?\?", t))
    assert text.isascii() and re.search(r"#\.+ +\d+%", text)
    s.keys("Enter")
    assert s.wait("REQUESTS").isascii()


COLOUR = re.compile(r"\x1b\[(\d+;)*(3[0-7]|38|9[0-7])[;m]")


def test_colour_only_where_it_is_welcome(watching):
    s = watching()
    assert COLOUR.search(s.attributes)


@pytest.mark.parametrize("how", [{"NO_COLOR": "1"}, {"term": "vt100"}])
def test_without_colour(watching, how):
    s = watching(**how)
    s.wait(lambda t: "PID" not in t and rows(t)[0][0] > 70)
    assert not COLOUR.search(s.attributes)


def kept(s, pattern):
    """The file that it has said to have written, and nothing beside it."""
    found = list(s.folder.glob("iolat-*"))
    assert len(found) == 1 and found[0].match(pattern) and not found[0].is_symlink()
    return found[0]


def test_a_recording_from_now_on(watching, readers, run_iolat):
    """It begins with the key, knows what came before it (disks, names, who is who), and ends with the key."""
    s = watching()
    s.type("r")
    s.wait("recording from now on")
    s.wait(lambda t: "keeping a recording" in t and "r ends it" in t)
    before = s.text
    s.wait(lambda t: t.splitlines()[0] != before.splitlines()[0])
    s.type("r")
    s.wait(lambda t: "written: " in t and "keeping" not in t)
    done = run_iolat("report", kept(s, "*.iolat"), "-f", "json", rc=0)
    summary = trace.objects(done.stdout)[-1]
    for load in readers:
        row = trace.one(trace.rows(summary, pid=load.pid, device=load.disk, op="read"))
        assert row["ios"] > 10 and row["process"]["comm"] == "fio"
        assert trace.task(summary, load.pid)["wall_ns"] <= summary["duration_ns"]
    assert summary["duration_ns"] < 20e9 and summary["coverage"]["requests"] > 100


def test_a_page_that_the_end_ends(watching):
    s = watching()
    s.type("w")
    s.wait("keeping a page")
    s.type("r")
    s.wait("a page is being kept: w ends it")
    s.keys("q")
    assert s.end() == 0
    page = kept(s, "*.html")
    assert page.name in s.scrollback
    text = page.read_text()
    assert text.rstrip().endswith("</html>") and f">{s.slow}<" in text


def test_a_summary_on_the_way(watching):
    """USR1: it stands in the scrollback, and the view goes on."""
    s = watching()
    os.kill(iolat_of(s), signal.SIGUSR1)
    s.wait(lambda t: s.full and rows(t))
    s.keys("q")
    s.end()
    assert "summary so far, " in s.scrollback and "summary, " in s.scrollback


@pytest.mark.parametrize("args,how", [(["--plain"], {}), (["-f", "table"], {}), ([], {"term": "dumb"})])
def test_frames_where_they_are_wanted(screen, loop_disk, fio, args, how):
    load = fio(loop_disk(), rate_iops=100, time_based=None, runtime=100, thread=None)
    s = screen("--pid", load.pid, *args, **how)
    load.go()
    s.wait(lambda t: t.count("interval, ") >= 2)
    assert not s.full
    s.keys("C-c")
    assert s.end() == 0


def test_with_a_command_frames_are_written(screen):
    """Its own output goes to the same terminal."""
    s = screen("--", "sh", "-c", "echo said; sleep 2")
    s.wait(lambda t: "said" in t and "interval, " in t)
    assert s.end() == 0


def test_what_does_not_begin_leaves_the_screen_alone(screen):
    s = screen("--name", "nothing-has-this-name")
    assert s.end() == 2
    assert s.scrollback.startswith("iolat: --name")


def test_a_terminal_that_takes_nothing_does_not_slow_tracing(start_iolat, loop_disk, fio):
    """Nobody reads what is drawn: rings that hold a fraction of the requests are read all the same, and the run ends."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 300, 0, 0))
    disk = loop_disk()
    load = fio(disk, rate_iops=1500)
    env = base.clean_env()
    env["TERM"] = "xterm-256color"
    tracer = start_iolat("--pid", load.pid, "-d", disk.name, "--buffer-size", "64K", "-i", "10ms", stdout=slave, env=env)
    done = load.finish()
    shown = []
    reader = threading.Thread(target=lambda: shown.append(read_all(master)))
    reader.start()
    os.close(slave)
    assert tracer.wait() == 0
    reader.join()
    text = shown[0].decode()
    said = re.search(r"requests (\d+)  lost (\d+)  aggregated (\d+)", text[text.rindex("summary, "):])
    requests, aggregated = int(said[1]), int(said[3])
    assert done.reads * 0.9 < requests <= done.reads  # kernels may hide a few, see conftest.py
    assert aggregated < requests / 2


def test_a_paused_terminal_that_nobody_controls_goes_away(start_iolat):
    """No signal tells, and nothing is to be drawn: its hangup does."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    tracer = start_iolat("--pid", os.getpid(), stdout=slave, env={**base.clean_env(), "TERM": "xterm-256color"})
    os.close(slave)
    os.write(master, b"p")
    shown = b""
    while b"PAUSED" not in shown:
        shown += os.read(master, 4096)
    os.close(master)
    assert tracer.wait() == 0


def read_all(fd):
    text = b""
    try:
        while True:
            text += os.read(fd, 65536)
    except OSError:  # the other end is closed
        os.close(fd)
    return text
