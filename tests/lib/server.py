"""`iolat serve`, asked over HTTP."""
import http.client
import os
import socket
import subprocess

from lib import base, prometheus, trace


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Reply:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def text(self):
        return self.body.decode()


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(self.path))


class Asked:
    """Something that serves: at `path`, a Unix socket, or else on `port`."""

    path = port = None

    def connect(self):
        return UnixConnection(self.path) if self.path else http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def get(self, path="/metrics", method="GET", **headers):
        connection = self.connect()
        try:
            connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def metrics(self, **headers):
        """The text, looked at by promtool."""
        reply = self.get(**headers)
        assert reply.status == 200, reply.text
        prometheus.check(reply.text)
        return reply.text

    def total(self, name, **labels):
        return prometheus.total(self.get().text, name, **labels)


class Server(Asked, trace.Iolat):
    """On a port of its own that nobody else has, or on a Unix socket."""

    def __init__(self, stack, *args, path=None, **kw):
        self.path, self.port = path, free_port()
        address = f"unix:{path}" if path else f"127.0.0.1:{self.port}"
        super().__init__(stack, "serve", "--listen", address, *args, **kw)


class Running(Asked):
    """Started by words that are not iolat's own; it answers when the constructor returns."""

    def __init__(self, stack, words, path):
        self.path, self.log = path, stack.enter_context(open(os.memfd_create("log"), "r+b"))
        self.proc = base.start(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        stack.callback(base.put_down, self.proc)
        base.wait_until("an answer", self._answers, timeout=60, step=0.2)

    def _answers(self):
        assert self.proc.poll() is None, os.pread(self.log.fileno(), 10_000, 0).decode()
        try:
            return self.get("/healthz").status == 200
        except OSError:
            return False
