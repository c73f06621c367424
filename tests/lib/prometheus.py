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


def fields(message):
    """{field: [value]} of a protobuf message; what has a length stays bytes."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(message):
        number, kind = divmod(varint(), 8)
        if kind == 0:
            value = varint()
        else:
            length = {1: lambda: 8, 2: varint}[kind]()
            value = message[at:at + length]
            assert len(value) == length
            at += length
        found.setdefault(number, []).append(value)
    return found


def families(body):
    """{name: fields} of delimited messages: each is as the only field of a message would be, without its tag."""
    found = {}
    while body:
        length = shift = 0
        for at, byte in enumerate(body):
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        message, body = body[at + 1:at + 1 + length], body[at + 1 + length:]
        assert len(message) == length
        family = fields(message)
        found[family[1][0].decode()] = family
    return found
