"""The C unit tests as tests of pytest: tests/unit/test_X.c stands for the program build/tests/test_X, which `make` builds.
Each of its tests is one here; a program that is missing, crashes or says less than it planned is one that fails.
"""
import os
import re
import subprocess

import pytest

from lib import base

LIMIT = 300


class File(pytest.File):
    def collect(self):
        program = base.BUILD / "tests" / self.path.stem
        if not program.exists():
            yield Item.from_parent(self, name="built", failure=f"{self.path.stem}: not built; run make check")
            return
        try:
            done = subprocess.run([program], env={**os.environ, "CMOCKA_MESSAGE_OUTPUT": "TAP"}, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                  timeout=LIMIT, cwd=base.TOP)
        except subprocess.TimeoutExpired:
            yield Item.from_parent(self, name="ends", failure=f"{self.path.stem}: still running after {LIMIT} s")
            return
        tests = list(results(done.stdout))
        for name, skipped, failure in tests:
            yield Item.from_parent(self, name=name, skipped=skipped, failure=failure)
        yield Item.from_parent(self, name="ends", failure=bad_end(done, tests))


def results(text):
    """(name, skipped, failure) of each test in TAP: "ok 1 - name", "not ok 2 - name", "not ok 3 # SKIP name"; the
    lines behind a test that begin with # are about it."""
    current = None
    for line in text.splitlines():
        match = re.match(r"(not )?ok \d+ (# SKIP|-) ?(.*)", line)
        if match:
            if current:
                yield tuple(current)
            skipped = match[2] == "# SKIP"
            current = [match[3], skipped, f"{line}\n" if match[1] and not skipped else None]
        elif current and current[2]:
            current[2] += f"{line}\n"
    if current:
        yield tuple(current)


def bad_end(done, tests):
    planned = sum(map(int, re.findall(r"^1\.\.(\d+)", done.stdout, re.M)))
    failed = any(failure for _, _, failure in tests)
    if planned != len(tests):
        return f"planned {planned} tests, reported {len(tests)}, status {done.returncode}\n{done.stdout[-4000:]}"
    if done.returncode and not failed:
        return f"status {done.returncode}, but no test failed\n{done.stdout[-4000:]}"
    return None if planned else "it has no tests"


class Failed(Exception):
    pass


class Item(pytest.Item):
    def __init__(self, *, failure=None, skipped=False, **kw):
        super().__init__(**kw)
        self.failure, self.skipped = failure, skipped

    def runtest(self):
        if self.skipped:
            base.need(False, "the unit test skipped itself")
        if self.failure:
            raise Failed(self.failure)

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if excinfo.errisinstance(Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name
