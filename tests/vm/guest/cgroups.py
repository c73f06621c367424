"""Whose cgroup: ids and paths of the tree that iolat reports, writeback's owner."""
import os

from . import tools
from .checks import check



@check(short=True)
def direct(run):
    """The id on the row is the cgroup's own: the inode number of its folder."""
    with tools.cgroup("direct") as path:
        pid = tools.child(lambda: tools.read("vda", count=50), in_cgroup=path)
        number = os.stat(path).st_ino
        tools.time.sleep(0.5)  # its path is looked up while it exists
    yield
    rows = [r for r in run.rows("vda", "read", pid) if r["cgroup"] and r["cgroup"]["id"] == number]
    assert len(rows) == 1, f"no row of cgroup {number}; there are {run.rows('vda')}"
    assert rows[0]["ios"] == 50, f"{rows[0]['ios']} ios"
    assert rows[0]["cgroup"]["path"].endswith("/direct"), f"path {rows[0]['cgroup']['path']}"


@check(short=True, cgroups=["v2"])  # v1 has no cgroup writeback
def writeback(run):
    """Pages that one cgroup dirtied and a kernel thread wrote are the cgroup's: the bio carries it."""
    size = 8 * tools.MIB
    with tools.ext4("/dev/nvme0n1") as mountpoint, tools.cgroup("dirtier") as path:
        number = os.stat(path).st_ino
        tools.sh("dd", "if=/dev/zero", f"of={mountpoint}/file", "bs=1M", f"count={size // tools.MIB}", "status=none",
                 preexec_fn=tools.join(path))
        tools.sh("sync")  # of another cgroup
        tools.time.sleep(0.5)
    yield
    mine = [r for r in run.rows("nvme0n1", "write") if r["cgroup"] and r["cgroup"]["id"] == number]
    # The log's thread may write for the cgroup, too: its pages can be charged to it.
    data = [r for r in mine if r["via"] == "writeback"]
    assert data, f"no writeback of cgroup {number}; there are {run.rows('nvme0n1')}"
    written = sum(r["bytes"] for r in data)
    assert size <= written < size + tools.MIB // 4, f"{written} of {size} bytes are the cgroup's: {data}"
    for row in data:
        assert row["process"] is None and row["owner_from"] == "bio", f"owner {row['process']}, {row['owner_from']}"
