"""The tests' own disks do what the other tests take for granted."""
import pytest

from lib import base


@pytest.mark.parametrize("scheduler", ["none", "mq-deadline", "bfq", "kyber"])
def test_fio_and_the_kernel_agree_on_a_loop_disk(loop_disk, fio, scheduler):
    disk = loop_disk(scheduler=scheduler)
    before = disk.stat()
    done = fio(disk, size="4m").finish()
    grown = disk.stat() - before
    assert (grown.reads, grown.read_bytes) == (done.reads, done.read_bytes) == (1024, 4 * base.MIB)


def test_a_slow_disk_is_slow(slow_disk, fio):
    done = fio(slow_disk(read_ms=20), io_size="40k").finish()
    assert 20 * base.MS <= done.clat_p50_ns < 60 * base.MS


def test_a_failing_disk_fails_and_recovers(error_disk, doio):
    disk = error_disk()
    disk.fail(True)
    assert '"failed": 3' in doio("read", disk, count=3).finish()
    disk.fail(False)
    assert '"failed": 0' in doio("read", disk, count=3).finish()


def test_a_paused_disk_holds_its_requests(pausable_disk, doio):
    disk = pausable_disk()
    disk.pause()
    load = doio("read", disk).go()
    base.wait_until("a request in flight", disk.in_flight)
    disk.resume()
    load.wait()
    assert load.proc.returncode == 0 and not disk.in_flight()
