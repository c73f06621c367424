"""A FUSE file system that takes its time: python3 slowfs.py POINT MS [SIZE]

Serves a folder in which every name is a file of SIZE bytes (4096), read-only and never cached, and answers each request
MS later. Speaks the kernel's own protocol (linux/fuse.h), so that it needs nothing but /dev/fuse. Prints "ready" when it is
mounted; ends when it is unmounted.
"""
import ctypes
import errno
import os
import stat
import struct
import sys
import time

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR = 1, 2, 3, 14, 15, 17, 18, 25, 26, 27
BATCH_FORGET, LSEEK = 42, 46
DIRECT_IO = 1
ROOT = 1


def mount(point, fd):
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"slowfs", point.encode(), b"fuse", 0, options.encode()):
        raise OSError(ctypes.get_errno(), f"mount {point}")


class FileSystem:
    def __init__(self, size):
        self.size, self.names = size, {}

    def attributes(self, node):
        mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o644
        times = (0,) * 3 + (0,) * 3
        return struct.pack("=QQQ3Q3I7I", node, self.size, -(-self.size // 512), *times, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, op, node, body):
        """The body of the answer, or an error's number."""
        if op == LOOKUP:
            child = self.names.setdefault(body.rstrip(b"\0"), len(self.names) + 2)
            return struct.pack("=QQQQII", child, 0, 0, 0, 0, 0) + self.attributes(child)
        if op == GETATTR:
            return struct.pack("=QII", 0, 0, 0) + self.attributes(node)
        if op in (OPEN, OPENDIR):
            return struct.pack("=QII", 0, DIRECT_IO, 0)
        if op == READ:
            offset, size = struct.unpack_from("=QI", body, 8)
            return bytes(max(0, min(size, self.size - offset)))
        if op == LSEEK:
            return body[8:16]  # all of it is data
        if op == STATFS:
            return struct.pack("=QQQQQIII28x", 0, 0, 0, 0, 0, 4096, 255, 4096)
        if op in (RELEASE, FLUSH):
            return b""
        return errno.ENOSYS


def serve(fd, fs, delay):
    while True:
        try:
            request = os.read(fd, 1 << 18)
        except OSError as e:
            if e.errno == errno.ENODEV:  # unmounted
                return
            continue
        _, op, unique, node = struct.unpack_from("=IIQQ", request)
        if op in (FORGET, BATCH_FORGET):
            continue
        if op == INIT:
            major, minor = struct.unpack_from("=II", request, 40)
            got = struct.pack("=IIIIHHIIHH32x", 7, min(minor, 31), 1 << 16, 0, 16, 12, 1 << 16, 1, 32, 0)[:64]
        else:
            time.sleep(delay)
            got = fs.answer(op, node, request[40:])
        error, data = (-got, b"") if isinstance(got, int) else (0, got)
        try:
            os.write(fd, struct.pack("=IiQ", 16 + len(data), error, unique) + data)
        except OSError as e:
            if e.errno != errno.ENOENT:  # who asked was interrupted
                raise


def main():
    point, ms, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 4096
    fd = os.open("/dev/fuse", os.O_RDWR)
    mount(point, fd)
    print("ready", flush=True)
    serve(fd, FileSystem(size), ms / 1000)


main()
