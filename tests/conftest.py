"""Fixtures of the live and command-line tests, the unit tests' collection, and the closing line of the whole suite.

`make check` runs everything below this folder with Debian's pytest. The last line of its output is
`N passed, N failed, N skipped`; errors count as failed, and it is a failure if nothing ran.
"""
import contextlib
import itertools
import os
import pathlib
import shutil
import signal
import sys

import pytest
from _pytest.runner import runtestprotocol

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib import area, base, cgroups, cmocka, disks, loads, resident, trace  # noqa: E402

TEST_LIMIT = 120  # seconds; none comes near


# --- collection and the closing line -------------------------------------------------

def pytest_collect_file(file_path, parent):
    if file_path.parent.name == "unit" and file_path.name.startswith("test_") and file_path.suffix == ".c":
        return cmocka.File.from_parent(parent, path=file_path)


def counts(config):
    stats = config.pluginmanager.get_plugin("terminalreporter").stats
    passed, failed, errors, skipped = (len(stats.get(k, ())) for k in ("passed", "failed", "error", "skipped"))
    return passed, failed + errors, skipped


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    passed, failed, _ = counts(session.config)
    if not passed + failed and not session.config.option.collectonly:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not config.option.collectonly:
        print("{} passed, {} failed, {} skipped".format(*counts(config)), flush=True)


# --- what is run again -----------------------------------------------------------------

ATTEMPTS = 3
PARDONS = 3  # of a whole run: more is no accident
again = []  # what was run once more, and why
pardoned = []


@pytest.hookimpl
def pytest_runtest_protocol(item, nextitem):
    """A test that fails is run again where the kernel counted I/O on a disk that no tracing program was shown: some
    kernels run none while certain tasks are current, and interrupts may hit those. iolat says so (seen < kernel,
    lost), but the counts are short. Any other is run once more as well, a few in a run, as tests/vm does: machines are
    shared, and may pause anywhere. What fails each time fails; what does not is told at the end."""
    if item.path.parent.name not in ("live", "cli"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for attempt in range(ATTEMPTS):
        trace.unseen.clear()
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        failed = [r for r in reports if r.failed]
        if not failed or attempt == ATTEMPTS - 1 or not (trace.unseen or pardon(item)):
            break
        again.append(f"{item.nodeid}: {trace.unseen[0] if trace.unseen else what_failed(failed[0])}")
        item._initrequest()
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pardon(item):
    """Whether the test may try once more without a reason that is known."""
    if item.nodeid in pardoned or len(pardoned) == PARDONS:
        return False
    pardoned.append(item.nodeid)
    return True


def what_failed(report):
    return getattr(getattr(report.longrepr, "reprcrash", None), "message", str(report.longrepr)).partition("\n")[0]


def pytest_terminal_summary(terminalreporter):
    if again:
        terminalreporter.section("run again: the kernel hid completions from tracing programs, or what else was wrong")
        for line in again:
            terminalreporter.line(line)


# --- limits and clean-up ---------------------------------------------------------------

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """No test of this folder's own hangs for ever."""
    limited = item.path.parent.name in ("live", "cli")
    if limited:
        signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(TEST_LIMIT)
    yield
    signal.alarm(0)


def _too_long(*_):
    raise AssertionError(f"still running after {TEST_LIMIT} s")


@pytest.fixture(scope="session")
def run_area():
    """The folder of this run. What tests leave on it is taken away at the end, and is a failure."""
    base.need(os.geteuid() == 0, "needs root")
    area.remove_stale()
    here = area.make()
    yield here
    left = area.remove(here)
    assert not left, f"left behind: {left}"


@pytest.fixture(scope="session")
def resident_programs():
    """What tests start and trace does no I/O for the sake of its own program."""
    with contextlib.ExitStack() as s:
        resident.hold_programs(s)
        yield


@pytest.fixture
def stack(resident_programs):
    """What a test starts or makes is ended or removed with it, the latest first, however it ends."""
    with contextlib.ExitStack() as s:
        yield s


folders = itertools.count()


@pytest.fixture
def folder(run_area, stack):
    """A new folder of the test's own, open to every user; its name is unique in the run. Removed with the test: what
    all tests write together need not fit."""
    def make():
        here = run_area / str(next(folders))
        here.mkdir(mode=0o755)
        stack.callback(shutil.rmtree, here, ignore_errors=True)
        return here
    return make


# --- what tests work with ---------------------------------------------------------------

def _disk_fixture(make):
    @pytest.fixture
    def fixture(stack, folder):
        base.need_tool("losetup")
        return lambda *args, **how: make(stack, folder(), *args, **how)
    return fixture


loop_disk = _disk_fixture(disks.loop_disk)
slow_disk = _disk_fixture(disks.slow_disk)
error_disk = _disk_fixture(disks.error_disk)
pausable_disk = _disk_fixture(disks.pausable_disk)
zram_disk = _disk_fixture(disks.zram_disk)


@pytest.fixture
def ext4(stack):
    return lambda disk, **how: disks.ext4(stack, disk, **how)


@pytest.fixture
def cgroup(stack, run_area):
    """cgroup("a"), cgroup("a", tree="v2"): a new cgroup; its name ends with the given one."""
    serial = iter(range(1000))
    return lambda name, tree="io": cgroups.make(stack, f"{run_area.name}-{next(serial)}-{name}", tree)


@pytest.fixture
def fio(stack):
    return lambda disk, **job: loads.Fio(stack, getattr(disk, "path", disk), **job)


@pytest.fixture
def doio(stack):
    return lambda what, disk, **how: loads.doio(stack, what, getattr(disk, "path", disk), **how)


@pytest.fixture
def held(stack):
    """held("cmd", "arg"): any command that waits for go()."""
    return lambda *argv, **kw: loads.Held(stack, argv, **kw)


@pytest.fixture
def program():
    base.need(os.geteuid() == 0, "needs root")
    assert base.IOLAT.exists(), f"{base.IOLAT} is not built"
    return base.IOLAT


@pytest.fixture
def start_iolat(stack, program):
    """start_iolat("-f", "json", ...): iolat as it stands, ready."""
    return lambda *args, **kw: trace.Iolat(stack, *args, **kw)


@pytest.fixture
def iolat(start_iolat):
    """iolat("--pid", 1): ready; writes JSON, only the summary."""
    return lambda *args, **kw: start_iolat("-f", "json", "-i", "0", *args, **kw)


@pytest.fixture
def run_iolat(program):
    """run_iolat(..., rc=2): iolat to its end."""
    return trace.run
