"""Fixtures of what several files try on this kernel."""
import pytest

from lib import docker


@pytest.fixture
def disk(loop_disk, ext4):
    """A disk with a file system; .point is where."""
    made = loop_disk(size_mb=96)
    made.point = ext4(made)
    return made


@pytest.fixture
def engine(stack, folder, disk):
    """A Docker daemon whose containers see the disk's file system as /data."""
    return docker.Daemon(stack, folder(), disk.point)
