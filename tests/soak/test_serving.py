"""Days of a busy node for `iolat serve`, compressed: containers and processes that come, read and go, and a scraper.

`make check` does it for seconds, `make soak` for ten minutes. Both reach the limit of the series early. Who is gone is
remembered for a while, by little each, until there are KEPT of them; from then on nothing grows.
"""
import hashlib
import os
import pathlib
import time

from lib import base, bpfmaps, cgroups, churn, prometheus, server

SERIES = 1000  # some twenty containers'
KEPT = 8192  # containers that are gone: USAGE_ENTRIES in src/stats, the most of such limits
REMEMBERED = 16_000  # bytes of a container: its cgroup, its names, two processes; and of what the rest of the machine starts


def held(pid):
    """What the descriptors are open on."""
    return sorted(os.readlink(fd) for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir())


def entries(pid):
    """How many keys the hash maps hold, but for the table that is taken away at each scrape."""
    maps = bpfmaps.of_process(pid)
    try:
        return {name: m.used() for name, m in maps.items() if m.info.type == bpfmaps.HASH and name != "iolat_aggregate"}
    finally:
        for m in maps.values():
            m.close()


def test_containers(reader, soak, stack, run_area):
    disk, fd = reader
    parent = cgroups.make(stack, f"{run_area.name}-serve")
    it = server.Server(stack, "--device", disk.name, "--max-series", SERIES)
    asked = it.connect()
    n = 0

    def container():
        nonlocal n
        group = parent.dir / f"docker-{hashlib.sha256(str(n).encode()).hexdigest()}.scope"
        group.mkdir()

        def work():
            (group / "cgroup.procs").write_text("0")
            churn.in_child(lambda: churn.read_once(fd))
            churn.read_once(fd)
        churn.in_child(work)
        base.wait_until("an empty cgroup", lambda: churn.removed(group))
        n += 1

    def scrape():
        asked.request("GET", "/metrics")
        return asked.getresponse().read().decode()

    def go_on(seconds):
        """What it holds after that, once it has taken in all that has happened."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(20):
                container()
            scrape()
        time.sleep(1.1)  # what was taken is new enough for a second
        text = scrape()
        return churn.Size(it.pid), held(it.pid), entries(it.pid), text

    seconds = soak(20, 600)
    size, open_on, keys, _ = go_on(seconds / 4)
    first = n
    for _ in range(3):
        more, open_later, keys_later, text = go_on(seconds / 4)
        print(f"after {n} containers: {more}; {keys_later}")
        assert open_later == open_on
        grown = {name: keys_later[name] - keys[name] for name in keys}
        remembered = max(min(n, KEPT) - first, 0)
        assert max(grown.values()) < (n - first) / 4, f"{grown} with {n - first} containers"
        assert more.maps - size.maps <= base.MIB, f"{size}; then {more}"
        assert more.resident - size.resident <= 2 * base.MIB + REMEMBERED * remembered, f"{size}; then {more} with {n - first} containers"
    assert prometheus.total(text, "iolat_series") <= SERIES
    missed = prometheus.total(text, "iolat_requests_lost_total") + prometheus.total(text, "iolat_requests_unmatched_total")
    counted = prometheus.total(text, "iolat_requests_total")
    assert 2 * n - missed <= counted <= 2 * n
