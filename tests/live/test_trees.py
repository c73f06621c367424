"""Which processes a selection takes: descendants too, however they came to be, and nobody else."""
import json
import os
import pathlib
import signal
import struct

from lib import base, bpfmaps, loads, trace


def test_orphans_of_the_selected_process(loop_disk, doio, iolat):
    """A grandchild reads whose parents have ended: it still belongs to the selected process."""
    disk = loop_disk()
    load = doio("read", disk, count=50, generations=3)
    tracer = iolat("--pid", load.pid)
    reader = json.loads(load.finish())["pid"]
    row = trace.one(trace.rows(tracer.stop(), device=disk))
    assert row["process"]["pid"] == reader != load.pid
    assert row["ios"] == 50


def test_children_that_are_there_before_iolat(loop_disk, doio, held, iolat):
    """Descendants that exist at the start are taken as well."""
    disk = loop_disk()
    child = doio("read", disk, count=20)
    parent = held("true")  # an unrelated process
    outer = held("sh", "-c", f"read -r go; {' '.join(child.argv)}")
    outer.go()
    base.wait_until("a shell", lambda: "read" in pathlib.Path(f"/proc/{outer.pid}/cmdline").read_text())
    tracer = iolat("--pid", outer.pid)
    outer.go()
    outer.wait()
    summary = tracer.stop()
    assert trace.total(trace.rows(summary, device=disk), "ios") == 20
    assert not trace.rows(summary, pid=parent.pid)


def opens(pid, path):
    """Whether a process is held up in opening that file: its system call's second argument."""
    words = pathlib.Path(f"/proc/{pid}/syscall").read_text().split()
    if len(words) < 3:
        return False
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        try:
            return os.pread(memory.fileno(), len(str(path)) + 1, int(words[2], 16)) == bytes(path) + b"\0"
        except OSError:
            return False


def test_a_parent_that_ends_while_iolat_starts(loop_disk, doio, held, folder, stack, start_iolat):
    """A descendant whose parent is gone before the tree is read still belongs to the selected process."""
    disk, fifo = loop_disk(), folder() / "fifo"
    reader = loads.doio_args("read", disk.path, count=20)
    outer = held("sh", "-c", f"sh -c '{{ read -r go < {fifo}.go; {' '.join(reader)}; }} & echo $!; wait' & echo $!; wait; wait")
    os.mkfifo(fifo)
    os.mkfifo(f"{fifo}.go")
    outer.go()
    parent, child = (int(outer.proc.stdout.readline()) for _ in range(2))
    tracer = start_iolat("-f", "json", "-i", "0", "--pid", outer.pid, "-o", fifo, ready=False)
    # Its output is opened behind the hooks and before the tree.
    base.wait_until("iolat to open its output", lambda: opens(tracer.pid, fifo))
    os.kill(parent, signal.SIGKILL)
    base.wait_until("another parent", lambda: f"PPid:\t{parent}\n" not in pathlib.Path(f"/proc/{child}/status").read_text())
    with open(fifo, encoding="utf-8") as out:
        pathlib.Path(f"{fifo}.go").write_text("go\n")
        base.wait_until("the reader's end", lambda: not os.path.exists(f"/proc/{child}"))
        tracer.send(signal.SIGINT)
        summary = trace.objects(out.read())[-1]
    assert trace.total(trace.rows(summary, device=disk), "ios") == 20


def test_no_children(loop_disk, doio, iolat):
    """--no-children takes the process itself and none of its descendants."""
    disk = loop_disk()
    alone, family = doio("read", disk, count=10), doio("read", disk, count=20, generations=1, keep_parents=1)
    tracer = iolat("--pid", f"{alone.pid},{family.pid}", "--no-children", "--device", disk.name)
    alone.finish()
    family.finish()
    summary = tracer.stop()
    row = trace.one(trace.rows(summary, device=disk))
    assert (row["process"]["pid"], row["ios"]) == (alone.pid, 10)
    assert summary["coverage"]["requests"] == 10


def test_another_process_is_not_taken(loop_disk, doio, iolat):
    """A process that is not selected is in no row; `seen` counts it."""
    disk = loop_disk()
    mine, other = doio("read", disk, count=10), doio("read", disk, count=30)
    tracer = iolat("--pid", mine.pid, "--device", disk.name)
    mine.finish()
    other.finish()
    summary = tracer.stop()
    assert trace.one(trace.rows(summary, device=disk))["process"]["pid"] == mine.pid
    assert summary["coverage"]["requests"] == 10
    assert trace.coverage(summary, disk)["seen"] == 40


def test_a_pid_whose_end_was_not_seen(loop_disk, doio, held, iolat):
    """A later process of a selected one's pid is another one, also where the kernel skipped the end of the first."""
    last_pid = pathlib.Path("/proc/sys/kernel/ns_last_pid")
    base.need(last_pid.exists(), "pids cannot be chosen")
    def of_same_mark(pid):
        return pid ^ 16384  # IOLAT_MARKS in include/iolat/knobs.h
    disk, selected = loop_disk(), held("true")
    while os.path.exists(f"/proc/{of_same_mark(selected.pid)}"):
        selected = held("true")
    tracer, pid = iolat("--pid", selected.pid), of_same_mark(selected.pid)
    maps = bpfmaps.of_process(tracer.pid)
    maps["iolat_tasks"].put(struct.pack("I", pid), struct.pack("Q", 1))
    for _ in range(100):
        last_pid.write_text(str(pid - 1))
        load = doio("read", disk, count=10)
        if load.pid == pid:
            break
    assert load.pid == pid, "others were always faster"
    load.finish()
    assert maps["iolat_tasks"].get(struct.pack("I", pid)) is None
    assert not trace.rows(tracer.stop(), device=disk)


def test_it_ends_when_the_selected_process_ends(loop_disk, doio, iolat):
    """When the last selected process is gone, iolat writes its summary and exits with 0 by itself."""
    disk = loop_disk()
    load = doio("read", disk, count=10)
    tracer = iolat("--pid", load.pid)
    load.finish()
    assert trace.total(trace.rows(tracer.end(), device=disk), "ios") == 10


def test_it_goes_on_while_a_descendant_lives(loop_disk, doio, held, iolat):
    """The selected process ends, a child of it goes on: so does iolat."""
    disk = loop_disk()
    child = " ".join(doio("read", disk, count=10).argv)
    load = held("bash", "-c", f"exec 3<&0; {{ read -r go <&3; {child}; }} & exit 0")
    tracer = iolat("--pid", load.pid)
    load.go()
    base.wait_until("the end of the shell", lambda: load.proc.poll() is not None)
    load.go()
    load.proc.stdin.close()
    load.proc.stdout.read()
    assert trace.total(trace.rows(tracer.end(), device=disk), "ios") == 10


def test_by_name(loop_disk, folder, doio, held, iolat):
    """--name takes processes by a regular expression for their command name, those that run and those that start later,
    with their children."""
    disk = loop_disk()
    named = folder() / "xq-trainer"
    named.symlink_to("/bin/sh")
    read = " ".join(loads.doio_args("read", disk.path, count=10))
    running = held(named, "-c", f"read -r go; {read}; true").go()
    base.wait_until("the name", lambda: pathlib.Path(f"/proc/{running.pid}/comm").read_text() == "xq-trainer\n")
    other = doio("read", disk, count=5)
    tracer = iolat("--name", "^xq-tr.*r$")
    base.sh(named, "-c", f"{read}; true")
    running.finish()
    other.finish()
    summary = tracer.stop()
    assert [r["ios"] for r in trace.rows(summary, device=disk)] == [10, 10]
    assert not trace.rows(summary, pid=other.pid)


def test_by_user(loop_disk, doio, iolat):
    """--user takes the processes of that user, and no others."""
    base.need_tool("setpriv")
    disk = loop_disk()
    node = disk.open_to_all()
    mine = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *loads.doio_args("read", node, count=10)]
    other = doio("read", disk, count=5)
    tracer = iolat("--user", "nobody")
    base.sh(*mine)
    other.finish()
    summary = tracer.stop()
    assert trace.total(trace.rows(summary, device=disk), "ios") == 10
    assert not trace.rows(summary, pid=other.pid)


def test_a_process_that_has_ended_already(held, run_iolat):
    """A pid that is taken by a dead process only (its parent has not looked) does not keep iolat waiting."""
    dead = held("true").go()
    base.wait_until("its end", lambda: state(dead.pid) == "Z")
    assert run_iolat("-i", "0", "--pid", dead.pid, timeout=10).returncode in (0, 2)


def state(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


NAMESPACED = """
import os, sys
number = int(sys.argv[1])
while True:
    pid = os.fork()
    if pid == 0:
        if os.getpid() != number:
            os._exit(0)
        print("there", flush=True)
        os.execv(sys.argv[2], sys.argv[2:])
    os.waitpid(pid, 0)
    if pid >= number:
        break
"""


def in_namespace(held, number, argv):
    """Runs argv as the process of that number in a new PID namespace, when a line has come on its standard input."""
    load = held("unshare", "-p", "-f", "--mount-proc", base.PYTHON, "-c", NAMESPACED, number,
                "/bin/sh", "-c", f"read -r go; {' '.join(argv)}")
    load.go()
    assert load.proc.stdout.readline() == "there\n"
    return load


def free_number():
    """A process number that is free in this PID namespace."""
    return next(n for n in range(250, 2000) if not pathlib.Path(f"/proc/{n}").exists())


def test_pid_of_another_namespace(loop_disk, held, iolat):
    """A number that only a container knows is taken for that container's process, and it is said."""
    base.need_tool("unshare")
    disk = loop_disk()
    number = free_number()
    load = in_namespace(held, number, loads.doio_args("read", disk.path, count=10))
    tracer = iolat("--pid", number)
    load.go()
    load.wait()
    rows = trace.rows(tracer.end(), device=disk)
    assert trace.total(rows, "ios") == 10
    assert str(number) in tracer.stderr and len(tracer.stderr.splitlines()) == 1


def test_pid_of_two_other_namespaces(held, run_iolat):
    """If two containers know the number, iolat does not guess: it names both."""
    base.need_tool("unshare")
    number = free_number()
    both = [in_namespace(held, number, ["true"]) for _ in range(2)]
    done = run_iolat("--pid", number, rc=2)
    assert len(done.stderr.splitlines()) == 1
    candidates = [host_pid(load.pid, number) for load in both]
    assert all(str(pid) in done.stderr for pid in candidates), (candidates, done.stderr)


def host_pid(ancestor, number):
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if fields["NSpid"].split()[1:] == [str(number)] and descends(int(status.parent.name), ancestor):
            return int(status.parent.name)
    raise AssertionError(f"no process {number} below {ancestor}")


def descends(pid, ancestor):
    while pid > 1 and pid != ancestor:
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return pid == ancestor


def test_names_from_a_process_that_is_gone(loop_disk, start_iolat):
    """A process that lives for a moment only keeps its name in the summary."""
    disk = loop_disk()
    tracer = start_iolat("-f", "json", "-i", "0", "--device", disk.name)
    base.sh("dd", f"if={disk.path}", "of=/dev/null", "iflag=direct", "bs=4k", "count=3")
    row = trace.one(trace.rows(tracer.stop(), device=disk, op="read"))
    assert (row["process"]["comm"], row["ios"]) == ("dd", 3)
