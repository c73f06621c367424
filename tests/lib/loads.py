"""Loads for tests: processes that wait for a word before they begin, so that iolat can be told their pid first."""
import json
import subprocess

from lib import base

DOIO = base.TESTS / "lib" / "doio.py"


class Held:
    """A command that starts on go(). Its pid is known before: the shell that waits becomes the command."""

    def __init__(self, stack, argv, **kw):
        self.argv = [str(a) for a in argv]
        self.proc = base.start(["sh", "-c", 'read -r go && exec "$@"', "sh", *self.argv], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)
        self.pid = self.proc.pid
        self.going = False
        stack.callback(self._close)

    def _close(self):
        base.put_down(self.proc)
        for f in (self.proc.stdin, self.proc.stdout, self.proc.stderr):
            try:
                f.close()
            except OSError:
                pass

    def go(self):
        self.proc.stdin.write("go\n")
        self.proc.stdin.flush()
        self.going = True
        return self

    def wait(self, timeout=base.LIMIT):
        """Waits for the end; what it printed."""
        self.stdout, self.stderr = self.proc.communicate(timeout=timeout)
        return self.stdout

    def finish(self, status=0):
        """Runs it to its end, which must be that status; what it printed."""
        if not self.going:
            self.go()
        out = self.wait()
        assert self.proc.returncode == status, f"{self.argv}: status {self.proc.returncode}: {self.stderr}"
        return out


def doio_args(*words, **settings):
    return [base.PYTHON, str(DOIO), *words, *(f"--{k.replace('_', '-')}={v}" for k, v in settings.items())]


def doio(stack, *words, **settings):
    """A plain I/O program (lib/doio.py), held."""
    popen = settings.pop("popen", {})
    return Held(stack, doio_args(*words, **settings), **popen)


def fio_args(path, **job):
    """fio's command line: 4 KiB direct I/O with one file descriptor and nothing that it does besides."""
    settings = {"name": "job", "filename": path, "direct": 1, "bs": "4k", "ioengine": "psync", "rw": "randread",
                "size": "16m", "randrepeat": 1, "norandommap": 0, "allow_mounted_write": 1, **job}
    return ["fio", "--output-format=json", "--group_reporting",
            *(f"--{k}={v}" if v is not None else f"--{k}" for k, v in settings.items())]


class Fio(Held):
    def __init__(self, stack, path, **job):
        base.need_tool("fio")
        super().__init__(stack, fio_args(path, **job))

    def finish(self, status=0):
        out = super().finish(status)
        return FioResult(json.loads(out[out.index("{"):]))


class FioResult:
    """fio's own count."""

    def __init__(self, data):
        job = data["jobs"][0]
        self.error = job["error"]
        self.reads, self.read_bytes = job["read"]["total_ios"], job["read"]["io_bytes"]
        self.writes, self.write_bytes = job["write"]["total_ios"], job["write"]["io_bytes"]
        self.ios = self.reads + self.writes
        self.bytes = self.read_bytes + self.write_bytes
        side = job["read"] if self.reads else job["write"]
        self.clat_p50_ns = side["clat_ns"]["percentile"]["50.000000"]
