"""A Docker daemon of the test's own: its data, sockets and containers lie in the test's folder and go with it.

No network and no registry: containers have none, and the one image is made of busybox.
"""
import pathlib
import shutil
import subprocess
import tarfile

from lib import base

CLIENT = next((p for p in ("/usr/bin/docker", shutil.which("docker")) if p and pathlib.Path(p).exists()), None)
APPLETS = ("sh", "dd", "sleep", "usleep", "mv")
IMAGE = "iolat-test:1"


class Daemon:
    def __init__(self, stack, folder, disk_point):
        base.need_tool("dockerd", "busybox")
        self.folder, self.point, self.stack = folder, disk_point, stack
        self.socket = f"unix://{folder}/docker.sock"
        self.log = stack.enter_context(open(folder / "log", "w+"))
        self.proc = subprocess.Popen(
            ["dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none", "--data-root", folder / "data",
             "--exec-root", folder / "exec", "-H", self.socket, "--pidfile", folder / "pid", "--storage-driver=vfs"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, preexec_fn=base.die_with_parent)
        stack.callback(self._stop)
        base.wait_until("dockerd", self._answers, timeout=60, step=0.1)
        self._import(folder)

    def _answers(self):
        assert self.proc.poll() is None, f"dockerd has ended: {(self.folder / 'log').read_text()[-2000:]}"
        return not self.run("version", check=False).returncode

    def _stop(self):
        left = self.run("ps", "-aq", check=False).stdout.split()
        if left:
            self.run("rm", "-f", *left, check=False)
        self.proc.terminate()
        try:
            self.proc.wait(30)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait(30)

    def run(self, *argv, check=True, timeout=60):
        return base.sh(CLIENT, "-H", self.socket, *argv, check=check, timeout=timeout)

    def _import(self, folder):
        archive = folder / "image.tar"
        with tarfile.open(archive, "w") as tar:
            tar.add(shutil.which("busybox"), "bin/busybox")
            for name in APPLETS:
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                tar.addfile(link)
        self.run("import", archive, IMAGE)

    def options(self, name, *more):
        return ["run", "--name", name, "--network=none", "-v", f"{self.point}:/data", *more, IMAGE]

    def start(self, name, *more, command=("sleep", "1000")):
        """A container that stays; its id."""
        return self.run(*self.options(name, "-d", *more), *command).stdout.strip()

    def once(self, name, command):
        """A container that lives as long as its command and is removed then."""
        self.run(*self.options(name, "--rm"), "sh", "-c", command)

    def execute(self, name, *command):
        self.run("exec", name, *command)

    def remove(self, *names):
        self.run("rm", "-f", *names)

    def pid(self, name):
        return int(self.run("inspect", "-f", "{{.State.Pid}}", name).stdout)
