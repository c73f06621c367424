"""The kernel's own account of a task's waits, by its taskstats interface (Documentation/accounting/taskstats.rst): a generic
netlink family, in nanoseconds."""
import socket
import struct

NETLINK_GENERIC = 16
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_STATS = 1, 1, 4, 3
BLKIO_DELAY_TOTAL = 40  # in struct taskstats
NLMSG_ERROR, NLM_F_REQUEST = 2, 1


def _attribute(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def _attributes(data):
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("HH", data)
        found[kind & 0x3fff] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


def _ask(sock, family, command, attribute):
    """The attributes of the answer; None: the kernel refuses."""
    body = struct.pack("BBH", command, 1, 0) + attribute
    sock.send(struct.pack("IHHII", 16 + len(body), family, NLM_F_REQUEST, 1, 0) + body)
    answer = sock.recv(65536)
    return None if struct.unpack_from("H", answer, 4)[0] == NLMSG_ERROR else _attributes(answer[20:])


def block_delay_ns(tid):
    """How long the task waited for block I/O while delay accounting was on; None: this kernel has no taskstats."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as sock:
        sock.bind((0, 0))
        family = _ask(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, _attribute(CTRL_ATTR_FAMILY_NAME, b"TASKSTATS\0"))
        if family is None:
            return None
        number = struct.unpack("H", family[CTRL_ATTR_FAMILY_ID])[0]
        stats = _ask(sock, number, TASKSTATS_CMD_GET, _attribute(TASKSTATS_CMD_ATTR_PID, struct.pack("I", tid)))
        assert stats is not None, f"no statistics of task {tid}"
        return struct.unpack_from("Q", _attributes(stats[TASKSTATS_TYPE_AGGR_PID])[TASKSTATS_TYPE_STATS], BLKIO_DELAY_TOTAL)[0]
