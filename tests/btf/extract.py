#!/usr/bin/python3
"""Makes the stored extracts of kernels' BTF, against which tests/unit/test_relocate.c fits the programs.

    extract.py NAME FILE OBJECT...      tests/btf/NAME.btf.xz from a kernel's whole BTF
    extract.py --made NAME FILE         writes one of the variants below, made from an extract

FILE of a stock kernel: tests/vm/boot -s DIR SUITE cp /sys/kernel/btf/vmlinux /share/. An extract holds, with all their
members, the types that the OBJECTs (build/bpf/iolat_*.bpf.o) name and those of MORE, whatever these hold by value, and
the prototypes of TRACEPOINTS. A pointer to anything else leads to a forward declaration. So a new member of such a
type needs no new extract; a new type does.
"""
import json
import lzma
import pathlib
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MORE = ["file", "dentry", "super_block", "folio", "files_struct", "fdtable", "path", "mount", "vfsmount", "nsproxy",
        "pid_namespace", "task_delay_info", "backing_dev_info", "blk_mq_hw_ctx", "blk_mq_ctx", "mapped_device",
        "bpf_map_type", "bpf_iter__bpf_map_elem", "bpf_iter__task", "bpf_func_id", "mq_rq_state", "req_flag_bits", "pageflags", "rqf_flags"]
TRACEPOINTS = re.compile(r"btf_trace_(block_|sched_|task_|sys_e|mm_filemap|writeback_|cgroup_|wbt_|balance_dirty|"
                         r"page_fault_user|folio_wait|wait_on_page|filemap_|exit_mmap|signal_|oom_|io_uring_)")
FUNCTIONS = ["bpf_iter_task", "bpf_iter_task_file", "bpf_iter_bpf_map_elem"]

VOID, INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, PROTO = range(14)
VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64 = range(14, 20)
MODIFIERS = (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG)
# Of each entry behind a type, and where in it a type's number stands.
ENTRIES = {ARRAY: ("III", (0, 1)), STRUCT: ("III", (1,)), UNION: ("III", (1,)), ENUM: ("Ii", ()), PROTO: ("II", (1,)),
           ENUM64: ("III", ()), INT: ("I", ()), VAR: ("I", ()), DATASEC: ("III", (0,)), DECL_TAG: ("I", ())}
ALONE = (INT, ARRAY, VAR, DECL_TAG)  # one entry, which is not counted
NAMED = (STRUCT, UNION, ENUM, PROTO, ENUM64)  # whose entries begin with a name


class Type:
    def __init__(self, name, kind, flag, size, entries):
        self.name, self.kind, self.flag, self.size, self.entries = name, kind, flag, size, entries

    @property
    def refers(self):
        """`size` is a type's number."""
        return self.kind in (PTR, FUNC, PROTO) + MODIFIERS


def parse(raw):
    """[None, Type, ...] by number."""
    _, _, _, header, type_at, type_len, str_at, _ = struct.unpack_from("<HBBIIIII", raw)
    strings, at, end = header + str_at, header + type_at, header + type_at + type_len

    def text(offset):
        return raw[strings + offset:raw.index(b"\0", strings + offset)].decode()
    types = [None]
    while at < end:
        name, info, size = struct.unpack_from("<III", raw, at)
        at += 12
        kind, n = info >> 24 & 0x1f, info & 0xffff
        layout, _ = ENTRIES.get(kind, ("", ()))
        n = 1 if kind in ALONE else n
        entries = []
        for _ in range(n if layout else 0):
            entry = list(struct.unpack_from("<" + layout, raw, at))
            at += 4 * len(layout)
            if kind in NAMED:
                entry[0] = text(entry[0])
            entries.append(entry)
        types.append(Type(text(name), kind, info >> 31, size, entries))
    return types


def render(types):
    strings, known = bytearray(b"\0"), {"": 0}

    def offset(text):
        if text not in known:
            known[text] = len(strings)
            strings.extend(text.encode() + b"\0")
        return known[text]
    body = bytearray()
    for t in types[1:]:
        layout, _ = ENTRIES.get(t.kind, ("", ()))
        n = 0 if t.kind in ALONE else len(t.entries)
        body += struct.pack("<III", offset(t.name), t.flag << 31 | t.kind << 24 | n, t.size)
        for entry in t.entries:
            entry = [offset(entry[0])] + entry[1:] if t.kind in NAMED else entry
            body += struct.pack("<" + layout, *entry)
    return struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(body), len(body), len(strings)) + body + strings


class Extract:
    """Copies types with what they need, into .types."""

    def __init__(self, source, wanted):
        self.source, self.wanted, self.types, self.done, self.forwards = source, wanted, [None], {0: 0}, {}

    def forward(self, t):
        key = t.name, t.kind
        if key not in self.forwards:
            self.types.append(Type(t.name, FWD, t.kind == UNION, 0, []))
            self.forwards[key] = len(self.types) - 1
        return self.forwards[key]

    def behind_pointer(self, number):
        """What a pointer leads to: wanted types as they are, other named ones declared, the rest void."""
        t = self.source[number]
        if number == 0 or t.kind in (PROTO, FUNC):
            return 0
        if t.kind in (STRUCT, UNION) and t.name not in self.wanted:
            return self.forward(t) if t.name else 0
        if t.kind in MODIFIERS:
            target = self.behind_pointer(t.size)
            if t.kind == TYPEDEF or not target:
                return target
            self.types.append(Type(t.name, t.kind, t.flag, target, []))
            return len(self.types) - 1
        return self.take(number)

    def take(self, number):
        if number in self.done:
            return self.done[number]
        t = self.source[number]
        copy = Type(t.name, t.kind, t.flag, t.size, [list(e) for e in t.entries])
        self.types.append(copy)
        self.done[number] = len(self.types) - 1
        if t.kind == PTR:
            copy.size = self.behind_pointer(t.size)
        elif t.refers:
            copy.size = self.take(t.size)
        for entry in copy.entries:
            for i in ENTRIES[t.kind][1]:
                entry[i] = self.take(entry[i])
        return self.done[number]

    def tracepoint(self, number):
        """typedef -> pointer -> prototype: here the pointer's target counts."""
        t = self.source[number]
        pointer = self.source[t.size]
        self.types.append(Type("", PTR, 0, self.take(pointer.size), []))
        self.types.append(Type(t.name, TYPEDEF, 0, len(self.types) - 1, []))


def named_by(objects):
    """The types that the programs' own BTF names, without their flavours (NAME___5_15)."""
    names = set()
    for path in objects:
        dump = json.loads(subprocess.run(["bpftool", "-j", "btf", "dump", "file", path], check=True,
                                         stdout=subprocess.PIPE).stdout)
        names |= {t["name"].split("___")[0] for t in dump["types"] if t["kind"] in ("STRUCT", "UNION", "ENUM", "FWD")}
    return {n for n in names if not n.startswith("iolat") and n != "(anon)"}


def extract(raw, objects):
    source = parse(raw)
    wanted = named_by(objects) | set(MORE)
    e = Extract(source, wanted)
    for number, t in enumerate(source[1:], 1):
        if t.kind in (STRUCT, UNION, ENUM) and t.name in wanted:
            e.take(number)
        elif t.kind == ENUM and not t.name and any(entry[0].startswith(("__RQF", "BIO_")) for entry in t.entries):
            e.take(number)
        elif t.kind == TYPEDEF and TRACEPOINTS.match(t.name):
            e.tracepoint(number)
        elif t.kind == FUNC and t.name in FUNCTIONS:
            e.take(number)
    return e.types


# --- variants -----------------------------------------------------------------------------------------------------------

def find(types, kind, name):
    return next(i for i, t in enumerate(types) if t and (t.kind, t.name) == (kind, name))


def prototype(types, tracepoint):
    return types[types[types[find(types, TYPEDEF, "btf_trace_" + tracepoint)].size].size]


def pointer(types, struct_name):
    types.append(Type("", PTR, 0, find(types, STRUCT, struct_name), []))
    return len(types) - 1


def member(types, struct_name, name):
    return next(e for e in types[find(types, STRUCT, struct_name)].entries if e[0] == name)


def made_5_10_136(types):
    """5.10 before 5.10.137 (a54895fa057c): a request_queue stands before the request."""
    queue = pointer(types, "request_queue")
    # One prototype serves all four.
    same = {id(prototype(types, "block_rq_" + name)): name for name in ("insert", "issue", "merge", "requeue")}
    for name in same.values():
        prototype(types, "block_rq_" + name).entries.insert(1, ["", queue])


def made_5_15(types):
    """5.15, from 6.1: both request.rq_disk and request_queue.disk, bd_partno, errno at completion, enum req_opf,
    ancestor_ids, no worker_private, no prev_state."""
    data = member(types, "request", "end_io_data")
    data[0], data[1] = "rq_disk", pointer(types, "gendisk")
    prototype(types, "block_rq_complete").entries[2][1] = find(types, INT, "int")
    ops = types[find(types, ENUM, "req_op")]
    ops.name = "req_opf"
    for entry in ops.entries:
        entry[1] = {"REQ_OP_ZONE_APPEND": 13, "REQ_OP_ZONE_RESET": 15}.get(entry[0], entry[1])
    ids = member(types, "cgroup", "ancestors")
    array = types[ids[1]]
    types.append(Type("", ARRAY, 0, 0, [[find(types, TYPEDEF, "u64"), array.entries[0][1], 0]]))
    ids[0], ids[1] = "ancestor_ids", len(types) - 1
    member(types, "task_struct", "worker_private")[0] = "not_yet"
    del prototype(types, "sched_switch").entries[4]


MADE = {"5.10.136": ("5.10", made_5_10_136), "5.15": ("6.1", made_5_15)}


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--made":
        base, change = MADE[sys.argv[2]]
        types = parse(lzma.decompress((HERE / f"{base}.btf.xz").read_bytes()))
        change(types)
        pathlib.Path(sys.argv[3]).write_bytes(render(types))
    elif len(sys.argv) > 3:
        raw = render(extract(pathlib.Path(sys.argv[2]).read_bytes(), sys.argv[3:]))
        path = HERE / f"{sys.argv[1]}.btf.xz"
        path.write_bytes(lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME, check=lzma.CHECK_CRC32))
    else:
        sys.exit(__doc__)


main()
