"""iolat on a machine of another size, under QEMU: several CPUs with a queue each, 64 possible CPUs, 1000 disks.

tests/vm/guest_scale.py runs in there; its answers are the tests.
"""
import pytest

from vm.guests import Guests

CHECKS = ["queues", "others_that_come_and_go", "many_disks"]


@pytest.fixture(scope="session")
def big_guest(tmp_path_factory):
    return Guests(tmp_path_factory, "guest_scale.py", "-c", "4,maxcpus=64", "-m", "2048", "-t", "600")


@pytest.mark.parametrize("suite", ["bookworm"])
@pytest.mark.parametrize("check", CHECKS)
def test_scale(big_guest, suite, check):
    answers, log = big_guest.ask(suite, "v2")
    assert answers is not None, log
    problem = answers["check_" + check]
    assert problem is None, problem
