"""The README's context manager, as it is written there, in a process that is not root: the program has file capabilities."""
import json
import os
import re
import shutil

import pytest

from lib import base

NOBODY = 65534
TRAIN = """
import json, os
def train(epoch):
    fd = os.open({disk!r}, os.O_RDONLY | os.O_DIRECT)
    buffer = __import__("mmap").mmap(-1, 4096)
    for i in range(20):
        os.preadv(fd, [buffer], (epoch * 100 + i) * 8192)
    os.close(fd)
"""
TELL = """
    print(json.dumps([summary["coverage"], summary["rows"], summary["tasks"]]))
"""


def readme_code():
    text = (base.TESTS.parent / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```\n", text, re.S | re.M)
    assert len(blocks) == 1, "one piece of Python in the README"
    return blocks[0]


@pytest.fixture
def capable(program, folder):
    """A folder that is a user's own, with the program in it as `make setcap` leaves it."""
    base.need_tool("setcap", "setpriv", "make")
    here = folder()
    shutil.copy(program, here / "iolat")
    (here / "iolat").chmod(0o755)
    os.chown(here, NOBODY, NOBODY)
    done = base.sh("make", "-s", "-C", base.TESTS.parent, "setcap", f"SETCAP={here / 'iolat'}", check=False)
    base.need(done.returncode == 0, f"no file capabilities here: {done.stderr}", ci=False)
    return here


def as_nobody(here, *argv, check=True):
    return base.sh("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *argv, cwd=here, timeout=100, check=check,
                   env=base.clean_env(PATH=f"{here}:{os.environ['PATH']}"))


def test_the_context_manager(capable, loop_disk):
    disk = loop_disk()
    os.chmod(disk.path, 0o644)
    (capable / "train.py").write_text(TRAIN.format(disk=disk.path) + readme_code() + TELL)
    epochs = [line for line in as_nobody(capable, base.PYTHON, "train.py").stdout.splitlines() if line.startswith("[{")]
    assert len(epochs) == 3
    for line in epochs:
        coverage, rows, tasks = json.loads(line)
        row, = [r for r in rows if r["device"]["name"] == disk.name]
        assert (row["op"], row["ios"], row["bytes"]) == ("read", 20, 20 * 4096)
        assert row["process"]["pid"] in [t["process"]["pid"] for t in tasks]


def test_capabilities_do_not_open_files(capable):
    """What the program may read is not what it reads for its user: a log that is root's."""
    secret = capable / "secret.log"
    secret.write_text("root only\n")
    secret.chmod(0o600)
    done = as_nobody(capable, "./iolat", "--log", "secret.log", "-D", "100ms", check=False)
    assert done.returncode == 1 and "Permission denied" in done.stderr and "root only" not in done.stderr + done.stdout
    done = as_nobody(capable, "./iolat", "report", "secret.log", check=False)
    assert done.returncode == 1 and "Permission denied" in done.stderr
