"""`iolat serve` with no more than the systemd unit and the DaemonSet give it: it serves, and knows containers by name."""
import json
import os
import pathlib
import re

import pytest

from lib import base, prometheus, server

try:
    import yaml
except ImportError:
    yaml = None

DEPLOY = base.TOP / "src" / "deploy"


def unit(name):
    """A setting's words, of all lines that have it."""
    lines = re.findall(rf"^{name}=(.*)$", (DEPLOY / "iolat.service").read_text(), re.M)
    assert lines, name
    return " ".join(lines).split()


def calls(words):
    """The system calls behind the names of systemd's groups, and what another setting takes."""
    groups, name = {}, None
    for line in base.sh("systemd-analyze", "syscall-filter").stdout.splitlines():
        if line.startswith("@"):
            name = line.strip()
        elif name and line.strip() and not line.strip().startswith("#"):
            groups.setdefault(name, []).append(line.strip())

    def members(word):
        return {m for w in groups[word] for m in members(w)} if word.startswith("@") else {word}
    # RestrictSUIDSGID=, which is part of DynamicUser=, takes openat2(): systemd cannot see whether it makes a set-user-ID file.
    return sorted({m for word in words for m in members(word)} - {"openat2"} | {"-openat2"})


@pytest.fixture
def as_the_unit(folder):
    """The words before a command that is to run as systemd would start it: user, capabilities, system calls,
    mounts of its own."""
    base.need_tool("setpriv", "unshare", "cc", "systemd-analyze")
    base.need(not base.sanitized(), "system calls of the sanitizers are not known", ci=False)
    filtered = folder() / "allow_calls"
    base.sh("cc", "-o", filtered, base.TESTS / "lib" / "allow_calls.c", "-lseccomp")
    capabilities = ",".join(["-all", *("+" + c.removeprefix("CAP_").lower() for c in unit("AmbientCapabilities"))])
    assert unit("CapabilityBoundingSet") == unit("AmbientCapabilities") and unit("DynamicUser") == ["yes"]
    return ["unshare", "--mount", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", f"--inh-caps={capabilities}",
            f"--ambient-caps={capabilities}", f"--bounding-set={capabilities}", "--no-new-privs", filtered,
            *calls(unit("SystemCallFilter")), "--"]


def check_served(it, engine, disk):
    engine.start("web")
    engine.execute("web", "dd", "if=/dev/zero", "of=/data/x", "bs=64k", "count=16", "oflag=direct")
    labels = {"container": "web", "device": disk.name, "op": "write"}
    base.wait_until("the container's writes", lambda: (it.total("iolat_io_bytes_total", **labels) or 0) >= 1 << 20, timeout=30,
                    step=0.3)
    text = it.metrics()
    assert not [labels for name, labels, value in prometheus.samples(text) if name == "iolat_hook_attached" and not value]
    assert prometheus.total(text, "iolat_task_blocked_seconds_total", container="web") > 0


def test_as_the_unit(as_the_unit, stack, engine, disk):
    it = server.Server(stack, "--waits", prefix=as_the_unit)
    check_served(it, engine, disk)
    assert it.get("/").status == 200
    it.stop()


# What containerd gives a container unless told otherwise.
DEFAULT_CAPABILITIES = ["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW",
                        "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"]


@pytest.fixture
def as_the_daemonset(stack, engine, folder):
    """as_the_daemonset(words): how to run them in a container as the DaemonSet's does, and the folder that is its /out. The
    container is as the engine's containerd makes it, with its default filter of system calls, but in the host's PID namespace;
    Docker itself may be older than some of the capabilities."""
    base.need(yaml, "python3-yaml is not installed")
    base.need_tool("ctr", "runc")
    pod = next(d for d in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()) if d["kind"] == "DaemonSet")
    spec = pod["spec"]["template"]["spec"]
    security = spec["containers"][0]["securityContext"]
    assert spec["hostPID"] and security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]
    assert security["capabilities"]["drop"] == ["ALL"] and security["runAsUser"] == 0
    root, out = folder(), folder()
    paths = [p for p in ("/usr", "/lib", "/lib64") if pathlib.Path(p).exists()]
    for path in [*paths, "/build", "/out", "/proc", "/sys", "/dev", "/run", "/tmp", "/etc"]:
        (root / path[1:]).mkdir()
    mounts = [(p, p, "ro") for p in paths] + [(base.IOLAT.parent, "/build", "ro"), (out, "/out", "rw")]
    client = ["ctr", "-a", engine.folder / "exec" / "containerd" / "containerd.sock", "containers"]

    def start(words):
        base.sh(*client, "create", "--rootfs", "--read-only", "--seccomp", *(f"--cap-drop=CAP_{c}" for c in DEFAULT_CAPABILITIES),
                *(f"--cap-add=CAP_{c}" for c in security["capabilities"]["add"]),
                *(f"--mount=type=bind,src={src},dst={dst},options=rbind:{how}" for src, dst, how in mounts), root, "tracer", *words)
        made = json.loads(base.sh(*client, "info", "tracer").stdout)["Spec"]
        assert made["process"]["capabilities"]["bounding"] == [f"CAP_{c}" for c in security["capabilities"]["add"]]
        assert made["linux"]["seccomp"]["defaultAction"] == "SCMP_ACT_ERRNO" and made["process"]["noNewPrivileges"]
        made["linux"]["namespaces"] = [n for n in made["linux"]["namespaces"] if n["type"] != "pid"]
        bundle = folder()
        (bundle / "config.json").write_text(json.dumps(made))
        name = f"tracer-{os.getpid()}"
        stack.callback(base.sh, "runc", "delete", "-f", name, check=False)
        return ["runc", "run", "-b", bundle, name], out
    return start


def test_as_the_daemonset(as_the_daemonset, stack, engine, disk):
    words, out = as_the_daemonset(["/build/iolat", "serve", "--waits", "--listen", "unix:/out/socket"])
    it = server.Running(stack, words, out / "socket")
    check_served(it, engine, disk)
