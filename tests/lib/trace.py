"""Runs the program under test and checks, on every object that it writes, what holds for all of them."""
import csv
import io
import json
import os
import select
import signal
import subprocess

from lib import base, contract

READY_LIMIT = 60
END_LIMIT = 60


class Iolat:
    """A running iolat. It has attached every hook when the constructor returns (ready=False: it may not have)."""

    def __init__(self, stack, *args, command=None, prefix=(), env=None, ready=True, stdout=None, program=base.IOLAT,
                 **popen):
        self.args = [str(a) for a in args]
        # Files instead of pipes: nothing blocks, whatever is written.
        self._out = stdout if stdout is not None else stack.enter_context(open(os.memfd_create("out"), "r+b"))
        self._err = stack.enter_context(open(os.memfd_create("err"), "r+b"))
        argv = [*prefix, program, *self.args]
        read_end, write_end = os.pipe()
        if ready:
            argv += ["--ready-fd", write_end]
        if command:
            argv += ["--", *command]
        self.proc = base.start(argv, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err,
                               env=env or base.clean_env(), pass_fds=[write_end], **popen)
        self.pid = self.proc.pid
        stack.callback(self._close)
        os.close(write_end)
        try:
            if ready:
                self._await_ready(read_end)
        finally:
            os.close(read_end)

    def _close(self):
        base.put_down(self.proc)

    def _await_ready(self, fd):
        there, _, _ = select.select([fd], [], [], READY_LIMIT)
        assert there, f"not ready after {READY_LIMIT} s: {self.stderr}"
        said = os.read(fd, 10)
        assert said == b"\n", f"ended before it was ready, status {self.proc.wait(END_LIMIT)}: {self.stderr}"
        closed, _, _ = select.select([fd], [], [], 10)
        assert closed and os.read(fd, 10) == b"", "the ready descriptor was not closed"

    @staticmethod
    def _read(f):
        return os.pread(f.fileno(), os.fstat(f.fileno()).st_size, 0).decode()

    @property
    def stdout(self):
        return self._read(self._out)

    @property
    def stderr(self):
        return self._read(self._err)

    def send(self, number):
        self.proc.send_signal(number)

    def wait(self, timeout=END_LIMIT):
        self.rc = self.proc.wait(timeout)
        return self.rc

    def stop(self, number=signal.SIGINT, rc=0):
        """Ends it by a signal; returns its summary (JSON), its rows (CSV) or its output."""
        self.send(number)
        return self.end(rc)

    def end(self, rc=0):
        """Waits for its own end; returns its summary (JSON), its rows (CSV) or its output."""
        self.wait()
        assert self.rc == rc, f"status {self.rc} instead of {rc}: {self.stderr}"
        assert len(self.stderr.splitlines()) <= 1, self.stderr
        if self.format == "json":
            return self.summary
        if self.format == "csv":
            return self.csv
        return self.stdout

    @property
    def format(self):
        for flag in ("-f", "--format"):
            if flag in self.args:
                return self.args[self.args.index(flag) + 1]
        return "table"

    @property
    def objects(self):
        return objects(self.stdout)

    @property
    def summary(self):
        return self.objects[-1]

    @property
    def frames(self):
        return [o for o in self.objects if o["type"] == "interval"]

    @property
    def csv(self):
        return list(csv.DictReader(io.StringIO(self.stdout)))

    def wait_for_output(self, condition):
        """Waits until the JSON objects written so far fulfil the condition."""
        def whole_lines():
            text = self.stdout
            return condition(objects(text[:text.rfind("\n") + 1]))
        return base.wait_until("output of iolat", whole_lines)


# Set when the kernel counted I/O on a disk that iolat did not see; read by conftest.py.
unseen = []


def objects(text):
    """The JSON Lines, each checked against the contract; the last one is the summary of a run that has ended."""
    found = [json.loads(line) for line in text.splitlines()]
    for o in found:
        contract.check(o)
        unseen.extend(f"{d['device']}: {d['kernel']} counted, {d['seen']} seen" for d in o["coverage"]["devices"]
                      if d["kernel"] is not None and d["kernel"] > d["seen"])
    return found


def run(*args, rc=None, timeout=END_LIMIT, prefix=(), program=base.IOLAT, env=None, **kw):
    """Runs iolat to its end, without waiting for it to be ready."""
    done = subprocess.run([str(a) for a in [*prefix, program, *args]], stdin=kw.pop("stdin", subprocess.DEVNULL),
                          capture_output=True, text=True, timeout=timeout, env=env or base.clean_env(), **kw)
    if rc is not None:
        assert done.returncode == rc, f"status {done.returncode} instead of {rc}: {done.stderr.strip()}"
    return done


# --- rows ------------------------------------------------------------------------

def rows(summary, pid=None, device=None, op=None, cgroup=None):
    """The rows of that process, disk, operation, cgroup (the end of its path)."""
    def fits(row):
        return ((pid is None or (row["process"] or {}).get("pid") == pid)
                and (device is None or row["device"]["name"] == getattr(device, "name", device))
                and (op is None or row["op"] == op)
                and (cgroup is None or ((row["cgroup"] or {}).get("path") or "").endswith(cgroup)))
    return [r for r in summary["rows"] if fits(r)]


def total(found, what):
    return sum(r[what] for r in found)


def one(found):
    assert len(found) == 1, found
    return found[0]


def coverage(summary, device):
    """coverage.devices[] of the disk, or None."""
    found = [d for d in summary["coverage"]["devices"] if d["device"] == device.name]
    return found[0] if found else None


# --- tasks, what is stuck, findings ----------------------------------------------

def task(summary, tid):
    return one([t for t in summary["tasks"] if t["thread"]["tid"] == tid])


def findings(summary, code, on=None):
    """Those of that code; of those of which each disk may have one, the given disk's."""
    return [f for f in summary["findings"] if f["code"] == code and (on is None or f["subject"].endswith(f" {on.name}"))]


def finding(summary, code, on=None):
    found = findings(summary, code, on)
    assert len(found) == 1, f"{code}: {summary['findings']}"
    return found[0]
