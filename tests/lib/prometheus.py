"""The text that scrapers read, and Prometheus' own tools to judge it by."""
import re
import subprocess

from lib import base

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


def check(text):
    """promtool has nothing to say about it."""
    base.need_tool("promtool")
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True,
                          timeout=base.LIMIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def samples(text):
    """[(name, labels, value)] of every line that is no comment; each must be well formed."""
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        found.append((name, dict(LABEL.findall(labels or "")), float(value)))
    return found


def total(text, name, **labels):
    """The sum of the samples that have these labels, or None where there is none."""
    values = [v for n, have, v in samples(text) if n == name and labels.items() <= have.items()]
    return sum(values) if values else None
