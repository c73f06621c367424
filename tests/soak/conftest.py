"""How long the tests of this folder are: short in `make check`, long in `make soak` (IOLAT_SOAK=1)."""
import os

import pytest

from lib import churn


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


@pytest.fixture
def churning(folder):
    """churning("processes", 0, 1000, disk.path): what comes and goes, as in lib/churn.c."""
    return churn.build(folder())
