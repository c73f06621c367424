"""What comes and goes, and what a process takes meanwhile."""
import mmap
import os
import pathlib
import re


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


def read_once(fd):
    os.preadv(fd, [mmap.mmap(-1, 4096)], 0)


def in_child(work):
    """Runs it in a process of its own."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:  # nothing of pytest may go on in the child
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def removed(folder):
    try:
        folder.rmdir()
    except OSError:  # the process that was in it is still going
        return False
    return True
