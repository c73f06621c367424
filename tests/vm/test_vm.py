"""iolat on stock Debian kernels: each is booted under QEMU, the checks of tests/vm/guest run in it, their answers are the
tests.

A row of KERNELS is a boot; a kernel is tested by adding one. `make check-vm` boots them all with all checks, in both forms
of the programs. IOLAT_VM=short, which is `make check`'s, boots each kernel once, with the form that iolat chooses there,
for the checks that say short=True. A kernel that cannot be had, or a missing QEMU, is a loud skip; with CI=true it is a
failure. A guest keeps one CPU busy most of the time, so there is one more at a time than CPUs.

An emulated machine on a busy host may pause anywhere. A check that fails among the others is run once more in a boot of its
own (and some times more while the kernel skips programs in it): where it fails again, that is it; where it holds, a warning
tells what was wrong before.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import threading
import warnings

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from guest import checks  # noqa: E402

TOP = HERE.parents[1]
IOLAT = pathlib.Path(os.environ.get("IOLAT", TOP / "build" / "iolat")).resolve()
PART = os.environ.get("IOLAT_VM") or "whole"

ATTEMPTS = 5  # of a check beside which the kernel skips programs
LIMIT = "600"  # seconds for a boot; it takes 100 where nothing else runs

# What boot is told of the machine.
MACHINES = {"plain": [], "big": ["-c", "4,64", "-m", "2560"], "arm64": ["-a", "arm64"]}
# suite, what its release begins with (forky's kernel moves on), cgroups
KERNELS = [
    ("bullseye", "5.10.", "v2"),
    ("bookworm", "6.1.", "v2"),
    ("trixie", "6.12.", "v2"),
    ("forky", "7.", "v2"),
    ("bullseye", "5.10.", "v1"),
    ("bookworm", "6.1.", "v1"),
    ("trixie", "6.12.", "v1"),
    ("forky", "7.", "v1"),
]
LARGE = [("bullseye", "5.10.", "v2"), ("forky", "7.", "v2")]
ARM64 = [("bookworm", "6.1.", "v2")]
BOOTS = [(*kernel, machine) for machine, some in (("arm64", ARM64), ("plain", KERNELS), ("big", LARGE)) for kernel in some
         if PART == "whole" or (machine, kernel[2]) == ("plain", "v2")]
CASES = [(suite, release, cgroups, machine, checks.label(form, check))
         for suite, release, cgroups, machine in BOOTS
         for form, check in checks.chosen(release, cgroups, PART, machine)]

BUILDING = threading.Lock()


class NoKernel(Exception):
    pass


def kernel(suite, machine):
    """The folder of the suite's kernel, fetched when it is not there yet."""
    emulator = "qemu-system-aarch64" if machine == "arm64" else "qemu-system-x86_64"
    if not shutil.which(emulator):
        raise NoKernel(f"{emulator} is missing (make deps-test)")
    return fetched(f"kernel of {suite}", HERE / "kernels", f"{suite}:arm64" if machine == "arm64" else suite)


def program(cgroups, machine):
    """The iolat for a boot: another architecture's, the static one (on each kernel with v1), or the one that is tested."""
    if machine == "arm64":
        folder, how = "arm64", ["arm64"]
    elif cgroups == "v1":
        folder, how = "static", ["B=build/static", "STATIC=1", "build/static/iolat"]
    else:
        return IOLAT
    with BUILDING:
        fetched(f"iolat for {folder}", "make", "-s", "-C", TOP, *how)
    return TOP / "build" / folder / "iolat"


def fetched(what, *command):
    """What the command prints."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    if got.returncode:
        raise NoKernel(f"no {what}: {got.stderr.strip()}")
    return got.stdout.strip()


class Guests:
    """Boots each guest once, however many tests ask for its answers, and before they do."""

    def __init__(self, tmp_path_factory, wanted):
        self.tmp, self.running, self.left = tmp_path_factory, set(), 5
        self.pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)) + 1)
        self.guests = {key: self.pool.submit(self.boot, *key) for key in wanted}

    def end(self):
        """Nothing is left running when the tests stop early."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        for process in list(self.running):
            process.terminate()

    def ask(self, suite, cgroups, machine):
        """The guest's answers (None: it gave none), and what it printed."""
        try:
            return self.guests[suite, cgroups, machine].result()
        except NoKernel as why:
            return self.cannot(str(why))

    def ask_alone(self, suite, cgroups, machine, check):
        """What is wrong with the check in a boot of its own; None: nothing. Only a few times: then it is no accident."""
        if not self.left:
            return "not tried, as so much is wrong"
        self.left -= 1
        for _ in range(ATTEMPTS):
            answers, log = self.boot(suite, cgroups, machine, check)
            problem = answers[check] if answers else log
            if not problem or not problem.endswith(checks.SKIPPED):
                break
        return problem

    @staticmethod
    def cannot(why):
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        print(f"\n*** tests/vm: NOT TESTED: {why}", file=sys.__stderr__)
        pytest.skip(why)

    def boot(self, suite, cgroups, machine, only=""):
        folder, iolat = kernel(suite, machine), program(cgroups, machine)
        share = self.tmp.mktemp("share")
        command = ["env", f"PYTHONPATH={HERE}", "/usr/bin/python3", "-m", "guest", "--part", PART, "--machine", machine, "--only", only,
                   str(iolat), "/share/results.json"]
        log, status = self.run([HERE / "boot", "-g", cgroups, *MACHINES[machine], "-s", share, "-t", LIMIT, folder, shlex.join(command)])
        try:
            return {**json.loads((share / "results.json").read_text()), "share": share}, log
        except OSError:
            return None, f"the guest gave no answer, status {status}:\n{log}"

    def run(self, command):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
            self.running.add(process)
            out = process.communicate()[0]
            self.running.discard(process)
        return out, process.returncode


@pytest.fixture(scope="session")
def guests(request, tmp_path_factory):
    assert IOLAT.is_file(), f"{IOLAT} is not built (make)"
    chosen = [item.callspec.params for item in request.session.items if getattr(item, "function", None) in (test_kernel, test_recording)]
    all_of_them = Guests(tmp_path_factory, dict.fromkeys((p["suite"], p["cgroups"], p["machine"]) for p in chosen))
    yield all_of_them
    all_of_them.end()


@pytest.mark.parametrize("suite,release,cgroups,machine,check", CASES,
                         ids=[f"{suite}-{cgroups}-{machine}-{check}" for suite, _, cgroups, machine, check in CASES])
def test_kernel(guests, suite, release, cgroups, machine, check):
    answers, log = guests.ask(suite, cgroups, machine)
    assert answers is not None, log
    assert answers["release"].startswith(release)
    problem = answers[check]
    if problem is not None:
        alone = guests.ask_alone(suite, cgroups, machine, check)
        assert alone is None, f"{problem}\nand in a boot of its own: {alone}"
        warnings.warn(f"{suite}, {release}, {cgroups}, {machine}: {check} held in a boot of its own, but not before: {problem}")


@pytest.mark.parametrize("suite,release,cgroups,machine", [boot for boot in BOOTS if boot[3] == "plain"],
                         ids=["-".join(boot[:1] + boot[2:]) for boot in BOOTS if boot[3] == "plain"])
def test_recording(guests, suite, release, cgroups, machine):
    """What was recorded there says the same here."""
    answers, log = guests.ask(suite, cgroups, machine)
    assert answers is not None, log
    report = subprocess.run([IOLAT, "report", answers["share"] / "run.iolat", "-f", "json"], stdout=subprocess.PIPE, text=True)
    assert report.stdout == (answers["share"] / "run.json").read_text() and json.loads(report.stdout)["kernel"].startswith(release)
