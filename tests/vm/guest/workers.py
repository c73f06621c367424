"""Workers of a data loader: their numbers, by each way in which Python makes them."""
import collections

from . import tools
from .checks import NEW, OLD, ONCE, check

# They live at the same time, as a loader's workers do: from when the last was started to when all have read.
LOADER = """
import multiprocessing, os, subprocess
READ = "read x < go; dd if=/dev/vda of=/dev/null iflag=direct bs=4k count={} status=none; echo > done; read x < end"
os.chdir("/tmp")
for name in ("go", "done", "end"):
    os.mkfifo(name)
go, done, end = (os.open(name, os.O_RDWR) for name in ("go", "done", "end"))
for method in ("fork", "spawn", "forkserver"):
    context = multiprocessing.get_context(method)
    workers = [context.Process(target=subprocess.check_call, args=(["sh", "-c", READ.format(count)],))
               for count in (1, 2, 3)]
    for worker in workers:
        worker.start()
    os.write(go, b"\\n" * 3)
    for worker in workers:
        os.read(done, 1)
    os.write(end, b"\\n" * 3)
    for worker in workers:
        worker.join()
"""


@check(cgroups=["v2"], forms=["chosen"], kernels=[OLD, NEW], run=ONCE)
def numbers(run):
    """The order in which they were started, and what they start reads for them."""
    tools.sh("python3", "-c", LOADER)
    yield
    found = collections.Counter()
    for r in run.summary["rows"]:
        if r["op"] == "read" and r["worker"] and r["process"]["comm"] == "dd":
            found[r["worker"]["index"]] += r["ios"]
    assert found == {0: 3, 1: 6, 2: 9}, f"{found}; there are {run.summary['rows']}"
