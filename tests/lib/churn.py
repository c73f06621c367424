"""What comes and goes, and what a process takes meanwhile."""
import os
import pathlib
import re
import struct
import time

from lib import base, bpfmaps


def hidden(n):
    """How many of n events there may be that no program was run for: some kernels run none while certain tasks are
    current, and interrupts may hit those."""
    return 5 + n // 50


class Size:
    """What a process takes."""

    def __init__(self, pid):
        fdinfo = [self.read(f) for f in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir()]
        maps = [re.search(r"^memlock:\s+(\d+)", text, re.M) for text in fdinfo if "map_id:" in text]
        self.resident = int(re.search(r"VmRSS:\s+(\d+)", self.read(f"/proc/{pid}/status"))[1]) * 1024
        self.maps = sum(int(m[1]) for m in maps if m)  # links and programs name maps, too
        self.descriptors = len(fdinfo)

    @staticmethod
    def read(path):
        try:
            return pathlib.Path(path).read_text()
        except FileNotFoundError:
            return ""

    def __str__(self):
        return f"{self.resident >> 10} KiB resident, {self.maps >> 10} KiB of maps, {self.descriptors} descriptors"


def build(folder):
    """build(folder)("processes", 0, 1000, disk): runs churn.c to its end."""
    tool = folder / "churn"
    base.sh("cc", "-O2", "-o", tool, base.TESTS / "lib" / "churn.c")
    return lambda *args: base.sh(tool, *args, timeout=600)


def left_in_maps(pid):
    """How many of the I/Os that its programs think are under way do not end; others may have begun."""
    def there():
        return {(name, entry) for name, entries in bpfmaps.state(pid).items() for entry in entries}
    left = there()
    for _ in range(100):
        left &= there()
        if not left:
            break
        time.sleep(0.1)
    return len(left)


def followed(pid):
    """The processes that its programs follow, once those that have just ended are forgotten."""
    for _ in range(20):
        maps = bpfmaps.of_process(pid)
        found = {struct.unpack("I", key)[0] for key in maps["iolat_tasks"].keys()}
        for m in maps.values():
            m.close()
        if all(os.path.exists(f"/proc/{process}") for process in found):
            break
        time.sleep(0.1)
    return found
