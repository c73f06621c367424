"""Days of a busy node for `iolat serve`, compressed: containers and processes that come, read and go, and a scraper.

`make check` does it for seconds, `make soak` for ten minutes. Both begin with as many as are remembered for a while, and
reach the limit of the series; from then on nothing grows.
"""
import os
import pathlib
import time

from lib import base, bpfmaps, cgroups, churn, prometheus, server

SERIES = 1000  # some twenty containers'
KEPT = 12_000  # containers that are gone: more than what is by them or by their processes has room for (PROC_DEAD in src/attrib)
EACH = 2  # processes of a container


def held(pid):
    """What the descriptors are open on."""
    return sorted(os.readlink(fd) for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir())


def entries(pid):
    """How many keys the hash maps hold, but for the table that is taken away at each scrape, and what is under way."""
    maps = bpfmaps.of_process(pid)
    try:
        return {name: m.used() for name, m in maps.items()
                if m.info.type == bpfmaps.HASH and name not in ("iolat_aggregate", *bpfmaps.STATE)}
    finally:
        for m in maps.values():
            m.close()


def test_containers(reader, soak, stack, run_area, churning):
    disk, _ = reader
    parent = cgroups.make(stack, f"{run_area.name}-serve")
    it = server.Server(stack, "--device", disk.name, "--max-series", SERIES)
    asked = it.connect()
    n = 0

    def containers(more):
        nonlocal n
        churning("cgroups", n, more, disk.path, EACH, parent.dir / "docker-%064lx.scope")
        n += more

    def scrape():
        asked.request("GET", "/metrics")
        return asked.getresponse().read().decode()

    def state():
        """Once it has taken in all that has happened."""
        time.sleep(1.1)  # what was taken is new enough for a second
        text = scrape()
        return churn.Size(it.pid), held(it.pid), entries(it.pid), text

    while n < KEPT:
        containers(256)
        scrape()
    size, open_on, keys, _ = state()
    print(f"after {n} containers: {size}; {keys}")
    for _ in range(3):
        end = time.monotonic() + soak(2, 200)
        while time.monotonic() < end:
            containers(256)
            scrape()
        more, open_later, keys_later, text = state()
        print(f"after {n} containers: {more}; {keys_later}")
        assert open_later == open_on
        assert max(keys_later[name] - keys[name] for name in keys) < 100, f"{keys}; then {keys_later}"
        assert more.maps - size.maps <= base.MIB, f"{size}; then {more}"
        assert more.resident - size.resident <= base.MIB, f"{size}; then {more} with {n} containers"
    left = churn.left_in_maps(it.pid)
    assert left <= churn.hidden(EACH * n)
    assert prometheus.total(text, "iolat_series") <= SERIES
    missed = prometheus.total(text, "iolat_requests_lost_total") + prometheus.total(text, "iolat_requests_unmatched_total")
    counted = prometheus.total(text, "iolat_requests_total")
    assert EACH * n - missed - left <= counted <= EACH * n
