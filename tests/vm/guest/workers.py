"""Workers of a data loader: their numbers, by each way in which Python makes them."""
from . import tools
from .checks import check

LOADER = """
import multiprocessing, subprocess
for method in ("fork", "spawn", "forkserver"):
    context = multiprocessing.get_context(method)
    workers = [context.Process(target=subprocess.check_call, args=(["sh", "-c", READ.format(count)],))
               for count in (1, 2, 3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
"""
# They live at the same time, as a loader's workers do.
READ = "sleep 3; dd if=/dev/vda of=/dev/null iflag=direct bs=4k count={} status=none"


@check(cgroups=["v2"], forms=["chosen"])
def numbers(form):
    """The order in which they were started, and what they start reads for them."""
    with tools.Iolat("--by", "worker,device,op", form=form) as iolat:
        tools.sh("python3", "-c", f"READ = {READ!r}" + LOADER)
    found = {r["worker"]["index"]: r["ios"] for r in iolat.rows("vda", "read") if r["worker"]}
    assert found == {0: 3, 1: 6, 2: 9}, f"{found}; there are {iolat.rows('vda')}"
