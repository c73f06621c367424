"""Workers, roles and ranks of a real PyTorch: which worker read what, whatever its process is and however it came to be."""
import json
import os

import pytest

from lib import base, disks, trace

LOADER = base.TESTS / "lib" / "loader.py"


@pytest.fixture(scope="module", autouse=True)
def torch():
    done = base.sh(base.PYTHON, "-c", "import torch.utils.data", check=False, timeout=60)
    base.need(done.returncode == 0, "Debian's python3-torch is not installed")


@pytest.fixture
def load(held):
    """load(disk, launcher=[...], method="spawn", pin=True, ...): lib/loader.py, held."""
    def start(disk, launcher=(base.PYTHON,), env=None, **settings):
        words = [f"--{k}" if v is True else f"--{k}={v}" for k, v in settings.items()]
        return held(*launcher, LOADER, disk.path, *words, env=env or base.clean_env(OMP_NUM_THREADS="1"))
    return start


def finish(loaded):
    return json.loads(loaded.go().wait(timeout=100))


def workers(summary, **which):
    """{(rank, index): row} of the rows that stand for a worker."""
    found = [r for r in trace.rows(summary, **which) if r["worker"]]
    by = {(r["worker"]["rank"], r["worker"]["index"]): r for r in found}
    assert len(by) == len(found), "one row a worker"
    return by


def expected(done):
    """{(rank, index): bytes}, of all loaders of the job."""
    found = {}
    for loader in done["loaders"].values():
        for worker, entry in loader.items():
            key = done["rank"], int(worker)
            found[key] = found.get(key, 0) + entry["bytes"]
    return found


def pids(done):
    """{pid: index}"""
    return {pid: int(worker) for loader in done["loaders"].values() for worker, entry in loader.items()
            for pid in entry["pids"]}


ROLES = {"fork": "mp-child(fork)", "spawn": "mp-child(spawn)", "forkserver": "mp-child(forkserver)"}


@pytest.mark.parametrize("method", ROLES)
def test_a_row_a_worker_over_the_epochs(loop_disk, load, iolat, method):
    """Two epochs, each with new processes: one row a worker, its bytes those that the worker itself counted."""
    disk = loop_disk()
    job = load(disk, method=method, epochs=2, workers=3 if method == "forkserver" else 4)
    tracer = iolat("--device", disk.name, "--by", "worker,op")
    done = finish(job)
    rows = workers(tracer.stop(), op="read")
    assert {key: r["bytes"] for key, r in rows.items()} == expected(done)
    for worker, entry in done["loaders"]["train"].items():
        assert len(entry["pids"]) == 2
        assert rows[None, int(worker)]["worker"] == {"index": int(worker), "rank": None, "pid": entry["pids"][-1],
                                                     "role": ROLES[method]}


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_training_and_validation_loaders_coexist(loop_disk, load, iolat, method):
    """Workers of two loaders live at the same time: each process has the number that its own loader gave it."""
    disk = loop_disk()
    job = load(disk, method=method, workers=2, validate=1, epochs=2 if method == "fork" else 1)
    tracer = iolat("--pid", job.pid, "--by", "process,worker,device")
    done = finish(job)
    rows = trace.rows(tracer.end(), device=disk)
    assert {r["process"]["pid"]: r["worker"]["index"] for r in rows} == pids(done)
    assert all(r["process"]["role"] == ROLES[method] for r in rows)


def test_workers_with_a_name(loop_disk, load, iolat):
    """Newer versions of PyTorch name their workers, which tells their role; the numbers are found as before."""
    disk = loop_disk()
    job = load(disk, workers=3, named=True)
    tracer = iolat("--pid", job.pid, "--by", "process,worker,device")
    done = finish(job)
    rows = trace.rows(tracer.end(), device=disk)
    assert {r["process"]["pid"]: r["worker"]["index"] for r in rows} == pids(done)
    assert all((r["process"]["comm"], r["process"]["role"]) == ("pt_data_worker", "dataloader-worker") for r in rows)


def test_workers_that_were_there_before_iolat(loop_disk, load, iolat):
    """Attached to a trainer in the midst of its epoch."""
    disk = loop_disk()
    job = load(disk, items=4000, workers=3)
    job.go()
    children = base.wait_until("the workers", lambda: len(child_pids(job.pid)) == 3 and child_pids(job.pid))
    tracer = iolat("--pid", job.pid, "--by", "process,worker")
    done = json.loads(job.wait(timeout=100))
    found = {r["process"]["pid"]: r["worker"]["index"] for r in tracer.end()["rows"] if r["worker"]}
    assert found == pids(done) and sorted(found) == sorted(children)


def child_pids(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(word) for word in f.read().split()]


def test_the_thread_that_pins_memory_is_no_worker(loop_disk, load, iolat):
    """With pin_memory the trainer has a thread that takes what workers made; the workers keep their numbers."""
    disk = loop_disk()
    job = load(disk, workers=2, pin=True, epochs=2)
    tracer = iolat("--pid", job.pid, "--by", "worker,device")
    done = finish(job)
    assert {k: r["bytes"] for k, r in workers(tracer.end(), device=disk).items()} == expected(done)


def test_commands_of_a_worker_count_for_it(loop_disk, load, iolat):
    """A worker that reads through a shell's pipe: the reader's I/O is the worker's, under the worker's pid."""
    disk = loop_disk()
    job = load(disk, workers=2, items=10, piped=True)
    tracer = iolat("--device", disk.name, "--by", "worker")
    done = finish(job)
    rows = workers(tracer.stop())
    assert {key: r["bytes"] for key, r in rows.items()} == expected(done)
    assert {r["worker"]["pid"]: r["worker"]["index"] for r in rows.values()} == pids(done)


def test_helpers_are_told_apart(stack, loop_disk, load, iolat):
    """The fork server reads from a disk as well: it has a role of its own and is nobody's worker."""
    disk, modules = loop_disk(), loop_disk()
    folder = disks.ext4(stack, modules)
    with open(folder / "preloaded.py", "w") as f:
        f.write("#" * 100_000 + "\n")
        f.flush()
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    env = base.clean_env(PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    job = load(disk, method="forkserver", workers=2, items=4, env=env, preload="preloaded", named=True)
    tracer = iolat("--pid", job.pid, "--by", "process,worker,device")
    done = finish(job)
    summary = tracer.end()
    server = trace.one(trace.rows(summary, device=modules))
    assert (server["process"]["role"], server["worker"]) == ("mp-forkserver", None)
    assert server["bytes"] >= 100_000
    assert {k: r["bytes"] for k, r in workers(summary, device=disk).items()} == expected(done)


TORCHRUN = ["torchrun", "--nproc_per_node=2", "--redirects=0:1,1:1", "--tee=0:1,1:1"]


def test_ranks_under_torchrun(loop_disk, folder, load, iolat):
    """Two ranks with two workers each: every worker of every rank has a row."""
    base.need_tool("torchrun")
    disk = loop_disk()
    job = load(disk, launcher=[*TORCHRUN, f"--log_dir={folder()}", f"--master_port={free_port()}"], workers=2)
    tracer = iolat("--pid", job.pid, "--by", "worker,device")
    job.go()
    jobs = [json.loads(line.split(":", 1)[1]) for line in job.wait(timeout=100).splitlines() if "loaders" in line]
    assert sorted(done["rank"] for done in jobs) == [0, 1], job.stderr
    rows = workers(tracer.end(), device=disk)
    assert {key: r["bytes"] for key, r in rows.items()} == expected(jobs[0]) | expected(jobs[1])


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.mark.parametrize("env, rank", [({"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4"}, 3),
                                       ({"OMPI_COMM_WORLD_RANK": "2"}, 2), ({"LOCAL_RANK": "1"}, 1)])
def test_ranks_of_other_launchers(loop_disk, load, iolat, env, rank):
    """The rank that the launcher left in the environment, on the process and on the worker."""
    disk = loop_disk()
    job = load(disk, env=base.clean_env(**env), workers=1, items=5)
    tracer = iolat("--pid", job.pid, "--by", "process,worker,device")
    finish(job)
    row = trace.one(trace.rows(tracer.end(), device=disk))
    assert row["process"]["rank"] == row["worker"]["rank"] == rank


def test_a_recording_knows_the_workers(loop_disk, folder, load, start_iolat, run_iolat):
    """Numbers, roles and ranks are in the recording; the report reads nothing of the host."""
    disk, file = loop_disk(), folder() / "run.iolat"
    job = load(disk, env=base.clean_env(RANK="1", WORLD_SIZE="2"), workers=2, epochs=2)
    tracer = start_iolat("record", "-o", file, "--device", disk.name)
    done = finish(job)
    tracer.stop()
    report = run_iolat("report", file, "-f", "json", "-i", "0", "--by", "worker,device", rc=0)
    rows = workers(trace.objects(report.stdout)[-1], device=disk)
    assert {key: r["bytes"] for key, r in rows.items()} == expected(done)
    assert {r["worker"]["role"] for r in rows.values()} == {ROLES["fork"]}


def test_the_environment_is_not_told(loop_disk, load, start_iolat):
    """Nothing of an environment comes out but ranks."""
    disk = loop_disk()
    job = load(disk, env=base.clean_env(RANK="1", WORLD_SIZE="2", RANK_TOKEN="s3cret", SLURM_JOB_ID="s3cret"),
               workers=1, items=5)
    tracer = start_iolat("-f", "json", "--pid", job.pid, "--by", "process,worker")
    finish(job)
    tracer.end()
    assert "s3cret" not in tracer.stdout and '"rank":1' in tracer.stdout


def test_names_in_the_table(loop_disk, load, start_iolat):
    """The default table says which worker of which rank a process is."""
    disk = loop_disk()
    job = load(disk, env=base.clean_env(RANK="1", WORLD_SIZE="8"), workers=2, items=10)
    tracer = start_iolat("-i", "0", "--device", disk.name)
    finish(job)
    text = tracer.stop()
    assert "python3[0] rank 1/8" in text and "python3[1] rank 1/8" in text
    job = load(disk, env=base.clean_env(RANK="1", WORLD_SIZE="8"), workers=2, items=10)
    tracer = start_iolat("-i", "0", "--device", disk.name, "--by", "worker")
    done = finish(job)
    text = tracer.stop()
    for pid, index in pids(done).items():
        assert f"rank 1 w{index} pid {pid}" in text
