"""What lies beside the program for a fleet: the unit, the rules, the dashboard and the DaemonSet, each read by the program
that it is for, where that can be had."""
import fnmatch
import json
import re
import shutil

from lib import base

try:
    import yaml
except ImportError:
    yaml = None

DEPLOY = base.TOP / "src" / "deploy"
FIXTURES = base.TESTS / "fixtures"


def test_unit(folder):
    """systemd understands it whole."""
    base.need_tool("systemd-analyze")
    unit = folder() / "iolat.service"
    unit.write_text((DEPLOY / "iolat.service").read_text().replace("@BINDIR@", str(base.IOLAT.parent)))
    done = base.sh("systemd-analyze", "verify", "--man=no", unit, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_unit_is_confined(folder):
    """systemd's own judgement of what it may do: "OK", not "exposed"."""
    base.need_tool("systemd-analyze")
    done = base.sh("systemd-analyze", "security", "--offline=true", "--threshold=30", base.BUILD / "iolat.service",
                   check=False)
    assert done.returncode == 0, done.stdout


def test_unit_sets_what_it_uses():
    """Or systemd writes a line about it into the journal at each start where there is no file of options."""
    unit = (DEPLOY / "iolat.service").read_text()
    used = re.findall(r"\$(\w+)", re.search(r"^ExecStart=(.*)$", unit, re.M)[1])
    assert used
    for name in used:
        assert re.search(rf"^Environment={name}=[^$]*^EnvironmentFile=-", unit, re.M | re.S)


def test_unit_has_gpus():
    """Its driver's devices, by the names that /proc/devices has had for them, and no others: with CAP_DAC_READ_SEARCH a
    disk's node could be read."""
    unit = (DEPLOY / "iolat.service").read_text()
    allowed = [device.removeprefix("char-") for device in re.findall(r"^DeviceAllow=(\S+)", unit, re.M)]
    assert "DevicePolicy=closed" in unit.splitlines() and "PrivateDevices=yes" not in unit.splitlines()
    for name in ("nvidia-frontend", "nvidia", "nvidiactl", "nvidia-uvm", "nvidia-caps"):
        assert any(fnmatch.fnmatch(name, pattern) for pattern in allowed)
    for name in ("sd", "mem", "nvme", "loop", "raw"):
        assert not any(fnmatch.fnmatch(name, pattern) for pattern in allowed)


def test_rules(folder):
    base.need_tool("promtool")
    there = folder()
    for file in (DEPLOY / "prometheus.rules.yml", FIXTURES / "prometheus.rules.test.yml"):
        shutil.copy(file, there)
    assert "SUCCESS" in base.sh("promtool", "check", "rules", there / "prometheus.rules.yml").stdout
    done = base.sh("promtool", "test", "rules", there / "prometheus.rules.test.yml", check=False)
    assert done.returncode == 0, done.stdout


def test_every_alert_is_tested():
    alerts = set(re.findall(r"alert: (\w+)", (DEPLOY / "prometheus.rules.yml").read_text()))
    assert len(alerts) >= 5
    assert alerts == set(re.findall(r"alertname: (\w+)", (FIXTURES / "prometheus.rules.test.yml").read_text()))


def test_dashboard():
    """Panels that do not overlap, each with a query of the chosen data source."""
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    taken = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24 and not cells & taken
        taken |= cells
        if panel["type"] != "row":
            assert panel["targets"] and all(t["datasource"]["uid"] == "${datasource}" for t in panel["targets"])
    assert len({p["id"] for p in dashboard["panels"]}) == len(dashboard["panels"])


def test_daemonset():
    base.need(yaml, "python3-yaml is not installed")
    documents = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
    pod = next(d for d in documents if d["kind"] == "DaemonSet")["spec"]["template"]["spec"]
    security = pod["containers"][0]["securityContext"]
    assert security["capabilities"]["drop"] == ["ALL"]
    assert not security["allowPrivilegeEscalation"] and "privileged" not in security
    # The same as the unit's.
    unit = re.search(r"^AmbientCapabilities=(.*)$", (DEPLOY / "iolat.service").read_text(), re.M)[1]
    assert {f"CAP_{c}" for c in security["capabilities"]["add"]} == set(unit.split())
