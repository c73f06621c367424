"""Reads a process's BPF maps by the bpf system call: bpftool takes seconds for a table of 16384 slots in a slow guest.

Uses nothing but the standard library, as it also runs inside tests/vm's guests.
"""
import ctypes
import errno
import os
import re

SYS_BPF = 321 if os.uname().machine == "x86_64" else 280
LOOKUP, UPDATE, NEXT_KEY, FD_BY_ID, INFO, LOOKUP_BATCH = 1, 2, 4, 14, 15, 24
HASH, ARRAY = 1, 2

libc = ctypes.CDLL(None, use_errno=True)


class Info(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("id", ctypes.c_uint32), ("key_size", ctypes.c_uint32),
                ("value_size", ctypes.c_uint32), ("max_entries", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("name", ctypes.c_char * 16)]


def bpf(command, layout, *values):
    fields = [(f"f{i}", kind) for i, kind in enumerate(layout)]
    attr = type("Attr", (ctypes.Structure,), {"_fields_": fields})(*values)
    got = libc.syscall(SYS_BPF, command, ctypes.byref(attr), ctypes.sizeof(attr))
    if got < 0:
        raise OSError(ctypes.get_errno(), f"bpf command {command}")
    return got


class Map:
    def __init__(self, number):
        self.fd = bpf(FD_BY_ID, [ctypes.c_uint32] * 3, number, 0, 0)
        self.info = Info()
        bpf(INFO, [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64], self.fd, ctypes.sizeof(self.info),
            ctypes.addressof(self.info))
        self.name = self.info.name.decode()

    def close(self):
        os.close(self.fd)

    def keys(self):
        key = None
        while True:
            following = ctypes.create_string_buffer(self.info.key_size)
            try:
                bpf(NEXT_KEY, [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64], self.fd, 0,
                    ctypes.addressof(key) if key else 0, ctypes.addressof(following))
            except OSError as e:
                if e.errno != errno.ENOENT:
                    raise
                return
            yield following.raw
            key = following

    def get(self, key):
        """The value; None: there is none."""
        wanted, value = ctypes.create_string_buffer(key), ctypes.create_string_buffer(self.info.value_size)
        try:
            bpf(LOOKUP, [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64], self.fd, 0,
                ctypes.addressof(wanted), ctypes.addressof(value), 0)
        except OSError as e:
            if e.errno != errno.ENOENT:
                raise
            return None
        return value.raw

    def put(self, key, value):
        held = ctypes.create_string_buffer(key), ctypes.create_string_buffer(value)
        bpf(UPDATE, [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64], self.fd, 0,
            *map(ctypes.addressof, held), 0)

    def values(self):
        """Those of an array, one after the other, in one call (from 5.6)."""
        n, size = self.info.max_entries, self.info.value_size
        keys, out = ctypes.create_string_buffer(4 * n), ctypes.create_string_buffer(n * size)
        last = ctypes.c_uint32()
        try:
            bpf(LOOKUP_BATCH, [ctypes.c_uint64] * 4 + [ctypes.c_uint32] * 2 + [ctypes.c_uint64] * 2, 0,
                *map(ctypes.addressof, (last, keys, out)), n, self.fd, 0, 0)
        except OSError as e:
            if e.errno != errno.ENOENT:  # that was all
                raise
        return memoryview(out).cast("B")

    def heads(self):
        """The first eight bytes of each."""
        return self.values().cast("Q")[::self.info.value_size // 8].tolist()

    def used(self):
        """How many entries are in use: keys of a hash, values of an array whose first eight bytes are not 0."""
        if self.info.type == HASH:
            return sum(1 for _ in self.keys())
        return sum(map(bool, self.heads()))

    def entries(self):
        """Those in use, each with what it holds."""
        if self.info.type == HASH:
            return {(key, self.get(key)) for key in self.keys()}
        size, all_of_it = self.info.value_size, self.values()
        return {(i, bytes(all_of_it[i * size:(i + 1) * size])) for i, head in enumerate(self.heads()) if head}


def of_process(pid):
    """The maps that the process holds, by name (one of those that share it)."""
    numbers = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}") as f:
                numbers |= set(map(int, re.findall(r"^map_id:\s+(\d+)", f.read(), re.M)))
        except OSError:
            continue
    found = {}
    for number in numbers:
        m = Map(number)
        if m.name in found:
            found[m.name].close()
        found[m.name] = m
    return found


# What holds the state of I/Os under way.
STATE = ("iolat_flights", "iolat_flights2", "iolat_bios", "iolat_bios2", "iolat_owners", "iolat_bflights",
         "iolat_bflights2", "iolat_earlier")


def _of_state(pid, ask):
    maps = of_process(pid)
    try:
        assert set(STATE) <= set(maps), f"of {STATE} only {sorted(maps)} are there"
        return {name: found for name in STATE if (found := ask(maps[name]))}
    finally:
        for m in maps.values():
            m.close()


def state_left(pid):
    """How many I/Os the programs of the process think are under way: {"iolat_owners": 2}; {} when none."""
    return _of_state(pid, Map.used)


def state(pid):
    """Which ones: {"iolat_owners": {(key, value), ...}}. An I/O's value says when it began, so none is there twice."""
    return _of_state(pid, Map.entries)
