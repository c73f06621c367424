"""Containers of a real Docker daemon: what each does is its own, by name, whenever and however shortly it lived."""
import json
import os
import pathlib
import time

import pytest

from lib import base, cgroups, docker, trace

SIZE = 4 * base.MIB
BY = ("--by", "process,container,device,op")


def dd(name, direct=True, mib=4):
    return ["dd", "if=/dev/zero", f"of=/data/{name}", "bs=64k", f"count={mib * 16}", *(["oflag=direct"] if direct else [])]


def read(name, mib=4):
    return ["dd", f"if=/data/{name}", "of=/dev/null", "bs=64k", f"count={mib * 16}", "iflag=direct"]


def of(summary, disk, name, op=None):
    """The rows of the container of that name."""
    return [r for r in trace.rows(summary, device=disk, op=op) if r["container"] and r["container"]["name"] == name]


def check_bytes(summary, disk, name, op, want):
    got = trace.total(of(summary, disk, name, op), "bytes")
    assert abs(got - want) <= want / 100, f"{name} {op}: {got} bytes instead of {want}"


def test_two_containers_and_one_made_later(engine, disk, iolat):
    """Each one's bytes under its name and id, also of one made after the start, and what is none has none."""
    ids = {name: engine.start(name) for name in ("alpha", "beta")}
    tracer = iolat("--device", disk.name, *BY)
    engine.execute("alpha", *dd("a"))
    engine.execute("beta", *dd("b", mib=2))
    engine.execute("beta", *read("b", mib=2))
    ids["gamma"] = engine.start("gamma")
    engine.execute("gamma", *dd("c", mib=3))
    base.sh("dd", "if=/dev/zero", f"of={disk.point}/host", "bs=64k", "count=16", "oflag=direct")
    summary = tracer.stop()
    for name, op, mib in (("alpha", "write", 4), ("beta", "write", 2), ("beta", "read", 2), ("gamma", "write", 3)):
        check_bytes(summary, disk, name, op, mib * base.MIB)
        for row in of(summary, disk, name, op):
            assert row["container"] == {"runtime": "docker", "id": ids[name], "name": name}
    host = [r for r in trace.rows(summary, device=disk, op="write") if r["process"] and r["container"] is None]
    assert trace.total(host, "bytes") >= base.MIB


def test_a_container_of_moments(engine, disk, iolat):
    """One that is gone, with all its files, long before the summary has its name there."""
    tracer = iolat("--device", disk.name, *BY)
    engine.once("blink", " ".join(dd("x")) + "; usleep 200000")
    summary = tracer.stop()
    check_bytes(summary, disk, "blink", "write", SIZE)
    assert not list((engine.folder / "data" / "containers").glob("*")), "its files are gone"


def test_buffered_writes_are_the_containers(engine, disk, iolat):
    """What a container wrote into the page cache is charged to it, though a kernel thread writes it back."""
    for name in ("alpha", "beta"):
        engine.start(name)
    tracer = iolat("--device", disk.name, *BY)
    engine.execute("alpha", *dd("alpha", direct=False))
    engine.execute("beta", *dd("beta", direct=False, mib=8))
    base.sh("sync", "-f", disk.point)
    summary = tracer.stop()
    check_bytes(summary, disk, "alpha", "write", SIZE)
    check_bytes(summary, disk, "beta", "write", 2 * SIZE)
    late = [r for r in of(summary, disk, "alpha", "write") + of(summary, disk, "beta", "write") if not r["process"]]
    assert any(r["via"] == "writeback" for r in late)
    assert {r["owner_from"] for r in late} <= {"page", "bio", None}


def test_direct_and_written_back_are_one_cgroup(engine, disk, iolat):
    """By cgroup, a container's own I/O and what is written back for it share a row, the blkio tree's on v1 hosts."""
    ident = engine.start("alpha")
    tracer = iolat("--device", disk.name, "--by", "cgroup,device,op")
    engine.execute("alpha", *dd("direct"))
    engine.execute("alpha", *dd("buffered", direct=False))
    base.sh("sync", "-f", disk.point)
    rows = [r for r in trace.rows(tracer.stop(), device=disk, op="write") if ident in ((r["cgroup"] or {}).get("path") or "")]
    tree = cgroups.trees()["blkio" if cgroups.io_on_v1() else "v2"]
    row = trace.one(rows)
    assert row["cgroup"]["id"] == os.stat(f"{tree}{row['cgroup']['path']}").st_ino
    assert abs(row["bytes"] - 2 * SIZE) <= 2 * SIZE / 100


def test_a_child_cgroup_of_the_payload(engine, disk, held, iolat):
    """A cgroup that the payload makes below its own is the container's."""
    engine.start("alpha")
    below = []
    for line in pathlib.Path(f"/proc/{engine.pid('alpha')}/cgroup").read_text().splitlines():
        controllers, path = line.split(":", 2)[1:]
        for tree, point in cgroups.trees().items():
            if tree in controllers.split(",") or (tree == "v2" and not controllers):
                below.append(pathlib.Path(f"{point}{path}/inner"))
    load = held("dd", "if=/dev/zero", f"of={disk.point}/x", "bs=64k", "count=64", "oflag=direct")
    tracer = iolat("--container", "alpha", *BY)
    for d in below:
        d.mkdir()
        (d / "cgroup.procs").write_text(f"{load.pid}\n")
    load.finish()
    for d in below:
        d.rmdir()
    check_bytes(tracer.stop(), disk, "alpha", "write", SIZE)


# Uses up process ids up to $1, then leaves a process that waits for a word before it writes.
COUNT_UP = """until [ "$(sh -c 'echo $$')" -ge %d ]; do :; done
sh -c 'until [ -e /data/go ]; do usleep 20000; done; exec %s' &
echo $! > /data/pid.new; mv /data/pid.new /data/pid; wait"""


def test_a_pid_of_the_containers_own(engine, disk, iolat):
    """--pid takes a number that exists in the container's PID namespace alone, and says so."""
    free = next(n for n in range(300, 30000) if not any(pathlib.Path(f"/proc/{n + i}").exists() for i in range(20)))
    engine.start("alpha", command=("sh", "-c", COUNT_UP % (free, " ".join(dd("x")))))
    base.wait_until("the process in the container", (disk.point / "pid").exists)
    inside = int((disk.point / "pid").read_text())
    tracer = iolat("--pid", inside, *BY)
    assert "namespace" in tracer.stderr
    (disk.point / "go").touch()
    summary = tracer.end()
    check_bytes(summary, disk, "alpha", "write", SIZE)
    assert {r["process"]["ns_pid"] for r in of(summary, disk, "alpha", "write")} == {inside}


def test_selected_by_name_and_id(engine, disk, start_iolat):
    """--container takes a name or the beginning of an id; several are OR-ed, other kinds AND-ed."""
    ids = {name: engine.start(name) for name in ("alpha", "beta", "gamma")}
    tracers = {
        ("alpha",): start_iolat("-f", "json", "-i", "0", "-C", "alpha", *BY),
        ("beta",): start_iolat("-f", "json", "-i", "0", "-C", ids["beta"][:12], "--op", "write", *BY),
        ("alpha", "gamma"): start_iolat("-f", "json", "-i", "0", "-C", "alpha", "-C", ids["gamma"], *BY),
        (): start_iolat("-f", "json", "-i", "0", "-C", "alpha", "--op", "discard", *BY),
    }
    for name in ids:
        engine.execute(name, *dd(name, mib=1))
    for names, tracer in tracers.items():
        rows = trace.rows(tracer.stop(), device=disk)
        assert {r["container"]["name"] for r in rows} == set(names)
        for name in names:
            check_bytes({"rows": rows}, disk, name, None, base.MIB)


def test_waits_of_a_containers_tasks(engine, disk, iolat):
    """With --container its tasks' waits are traced, and nobody else's are told."""
    engine.start("alpha")
    engine.start("beta")
    tracer = iolat("--container", "alpha", *BY)
    engine.execute("alpha", *dd("x", mib=1))
    engine.execute("beta", *dd("y", mib=1))
    tasks = tracer.stop()["tasks"]
    assert {t["container"]["name"] for t in tasks} == {"alpha"}
    assert [t["blocked_ns"] > 0 for t in tasks if t["process"]["comm"] == "dd"] == [True]


def test_a_restarted_container_stays_selected(engine, disk, iolat):
    """A container that is stopped and started again is the same one; when it is removed, the run ends."""
    engine.start("alpha")
    tracer = iolat("--container", "alpha", *BY)
    engine.execute("alpha", *dd("x", mib=1))
    engine.run("restart", "-t", "0", "alpha")
    engine.execute("alpha", *dd("y", mib=1))
    engine.run("stop", "-t", "0", "alpha")
    assert tracer.proc.poll() is None, "it can be started again"
    engine.remove("alpha")
    check_bytes(tracer.end(), disk, "alpha", "write", 2 * base.MIB)


def test_a_container_started_by_command(engine, disk, start_iolat):
    """With COMMAND the container need not be there yet."""
    tracer = start_iolat("-f", "json", "-i", "0", "--container", "late", *BY, ready=False,
                         command=[docker.CLIENT, "-H", engine.socket, *engine.options("late", "--rm"),
                                  "sh", "-c", " ".join(dd("x")) + " 2> /dev/null"])
    summary = tracer.end()
    check_bytes(summary, disk, "late", "write", SIZE)
    assert {r["container"]["name"] for r in summary["rows"]} == {"late"}


def test_beside_the_process(engine, disk, start_iolat):
    """The default table has the container beside the process when there is one."""
    engine.start("alpha")
    tracer = start_iolat("--device", disk.name, "-i", "0")
    engine.execute("alpha", *dd("x", mib=1))
    lines = tracer.stop().splitlines()
    head = next(line for line in lines if " COMM " in line)
    assert head.split()[-1] == "CONTAINER"
    assert any(line.split()[-2:] == ["dd", "alpha"] for line in lines)


def test_explained(engine, run_iolat):
    """doctor --explain-cgroup finds the daemon's files wherever they are."""
    ident = engine.start("alpha")
    answer = json.loads(run_iolat("doctor", "--explain-cgroup", f"/docker/{ident}", "-f", "json", rc=0).stdout)
    assert (answer["name"], answer["container_id"], answer["image"]) == ("alpha", ident, docker.IMAGE)
    assert answer["source"].endswith(f"/data/containers/{ident}/config.v2.json")


# --- iolat in a container ---------------------------------------------------------------------------------------------

class Inside:
    """iolat in a container of the daemon with the capabilities it needs, and the host's libraries."""

    CAPS = [f"--cap-add={c}" for c in ("SYS_ADMIN", "SYS_PTRACE", "DAC_READ_SEARCH")]

    def __init__(self, engine, out, *options, args=(), before=""):
        self.engine, self.out = engine, out
        mounts = [f"-v{path}:{path}:ro" for path in ("/usr", "/lib", "/lib64") if pathlib.Path(path).exists()]
        engine.run("run", "-d", "--name", "tracer", "--network=none", *self.CAPS,
                   "--security-opt=seccomp=unconfined", "--security-opt=apparmor=unconfined", *mounts,
                   f"-v{base.IOLAT.parent}:/build:ro",
                   f"-v{out}:/out", *options, docker.IMAGE, "/bin/sh", "-c",
                   before + "exec 9> /out/ready; exec /build/iolat --ready-fd 9 -f json -i 0 -o /out/json " + " ".join(map(str, args)) +
                   " 2> /out/err")
        base.wait_until("iolat in its container", self._ready)

    def _ready(self):
        state = self.engine.run("inspect", "-f", "{{.State.Running}}", "tracer").stdout.strip()
        assert state == "true", (self.out / "err").read_text()
        ready = self.out / "ready"
        return ready.exists() and ready.read_text() == "\n"

    def stop(self):
        self.engine.run("kill", "-s", "INT", "tracer")
        return self.end()

    def end(self):
        self.engine.run("wait", "tracer")
        assert (self.out / "err").read_text() == ""
        return trace.objects((self.out / "json").read_text())[-1]


@pytest.fixture
def inside(engine, folder):
    return lambda *options, **how: Inside(engine, folder(), *options, **how)


@pytest.mark.parametrize("namespace", ["private", "host"])
def test_in_a_container_that_sees_the_host(engine, disk, inside, namespace):
    """With --pid=host the names of cgroups and containers are the host's, whatever cgroups its own mount shows."""
    ident = engine.start("alpha")
    tracer = inside("--pid=host", f"--cgroupns={namespace}",
                    args=["--container", "alpha", "--by", "process,cgroup,container,device,op"])
    engine.execute("alpha", *dd("x"))
    engine.once("blink", " ".join(dd("y")))
    summary = tracer.stop()
    check_bytes(summary, disk, "alpha", "write", SIZE)
    for row in of(summary, disk, "alpha", "write"):
        assert row["cgroup"]["path"].endswith(f"/{ident}") and ".." not in row["cgroup"]["path"]
        assert row["container"]["id"] == ident
    assert {r["container"]["name"] for r in summary["rows"]} == {"alpha"}


def test_in_a_container_of_its_own_pids(engine, disk, inside):
    """Without --pid=host a --pid is one of its own namespace, and what cannot be named has no name."""
    wait = f"sh -c 'until [ -e /data/go ]; do usleep 20000; done; exec {' '.join(dd('x'))}' & "
    tracer = inside(f"-v{disk.point}:/data", before=wait, args=["--pid", "$!", "--by", "process,cgroup,container,device,op"])
    (disk.point / "go").touch()
    summary = tracer.end()
    rows = trace.rows(summary, device=disk, op="write")
    assert abs(trace.total(rows, "bytes") - SIZE) <= SIZE / 100
    assert {r["process"]["comm"] for r in rows} == {"dd"}
    assert all(r["cgroup"]["path"] is None and r["container"] is None for r in rows)


def test_in_a_container_of_its_own_pids_with_the_hosts_root(engine, disk, doio, inside):
    """With --root what the host's processes are is read from the host's /proc: their ranks, not those of the
    processes that have the same pids in the container."""
    ident = engine.start("alpha")
    tracer = inside("-v/:/host:ro", args=["--root", "/host", "--by", "process,container,device,op", "--device", disk.name])
    engine.execute("alpha", *dd("x"))
    load = doio("read", disk, count=5, stay=1, popen={"env": base.clean_env(RANK="1", WORLD_SIZE="2")}).go()
    time.sleep(1.5)  # its requests are looked at while it lives
    load.finish()
    summary = tracer.stop()
    assert {r["container"]["id"] for r in of(summary, disk, "alpha", "write")} == {ident}
    row = trace.one([r for r in trace.rows(summary, device=disk, op="read") if r["process"] and r["process"]["pid"] == load.pid])
    assert row["process"]["rank"] == 1


def test_a_name_that_cannot_be_seen_from_a_container(engine, inside):
    """A container that --container cannot find from in there: it is said what to do."""
    engine.start("alpha")
    with pytest.raises(AssertionError, match="--pid=host"):
        inside(args=["--container", "alpha"])


@pytest.mark.parametrize("option", ["--container", "--pod", "--job"])
def test_nothing_of_that_name(run_iolat, option):
    said = run_iolat(option, "no-such-thing", rc=2).stderr
    assert "no-such-thing" in said and option in said and len(said.splitlines()) == 1
