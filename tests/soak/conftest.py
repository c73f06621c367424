"""How long the tests of this folder are: short in `make check`, long in `make soak` (IOLAT_SOAK=1)."""
import os

import pytest


class Soak:
    on = os.environ.get("IOLAT_SOAK") == "1"

    def __call__(self, short, long):
        return long if self.on else short


@pytest.fixture
def soak():
    return Soak()


@pytest.fixture
def reader(loop_disk, stack):
    """A disk and a descriptor that reads it directly."""
    disk = loop_disk()
    fd = os.open(disk.path, os.O_RDONLY | os.O_DIRECT)
    stack.callback(os.close, fd)
    return disk, fd
