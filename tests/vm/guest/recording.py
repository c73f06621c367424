"""A recording: read here, and by the host (test_vm.py)."""
import json
import subprocess

from . import tools
from .checks import check

READ = ["dd", f"if=/dev/{tools.FAST}", "of=/dev/null", "iflag=direct", "bs=4k", "count=20", "status=none"]


def iolat(*args):
    return subprocess.run([tools.IOLAT, *args], check=True, stdout=subprocess.PIPE, text=True).stdout


@check(short=True, forms=["chosen"])
def of_a_command(form):
    """The report says what the recorder did."""
    path = f"{tools.SHARE}/run.iolat"
    recorded = iolat("record", "-o", path, "-f", "json", "--", *READ)
    report = iolat("report", path, "-f", "json")
    tools.put(f"{tools.SHARE}/run.json", report)
    assert report == recorded, f"{recorded}\n{report}"
    ios = {(r["process"]["comm"], r["op"]): r["ios"] for r in json.loads(report)["rows"] if r["device"]["name"] == tools.FAST}
    assert ios == {("dd", "read"): 20}, ios
