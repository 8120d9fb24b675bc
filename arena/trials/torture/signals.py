"""A bot that signals to another one past the arena: `signals.py CHANNEL send|receive BEGINS_AT`, in a box.

Run as a separate file, with only the standard library.  The clock that all processes share is divided into
slots; in each slot the sender does something or not, according to a fixed sequence of random bits, and the
receiver looks.  It prints one line: what it saw, a digit for each slot, or why it could not look.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import random
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress

SLOT_S, SLOT_OF_PROCESSOR_S = 0.01, 0.05
"""How long a slot is; longer for the processor, which a scheduler shares out for milliseconds at a time."""
SLOTS = 100
BITS = tuple(random.Random(14).choices((0, 1), k=SLOTS))
"""The bits that are sent."""
FILE = "/etc/passwd"
"""A file that every box shows, and that nobody else locks or opens often."""
READ_SELDOM = ("/usr/bin/perl", "/usr/bin/pod2man", "/usr/bin/lsof", "/bin/dd")
"""Programs that seldom run, so that the kernel can drop them from its cache: it keeps files in use."""
BLOCK = 1 << 23
"""How much memory the sender takes and frees (bytes)."""

libc = ctypes.CDLL(None, use_errno=True)

Send = Callable[[int], None]
Look = Callable[[], float]


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


# Locks.


def flock_sender() -> Send:
    fd = os.open(FILE, os.O_RDONLY)
    return lambda bit: fcntl.flock(fd, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)


def flock_receiver() -> Look:
    fd = os.open(FILE, os.O_RDONLY)

    def look() -> float:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1
        fcntl.flock(fd, fcntl.LOCK_UN)
        return 0

    return look


def record_lock_sender() -> Send:
    """Locks a device, the only thing that two such bots can open for writing."""
    fd = os.open(os.devnull, os.O_RDWR)
    return lambda bit: fcntl.lockf(fd, fcntl.LOCK_EX if bit else fcntl.LOCK_UN, 1)


def record_lock_receiver() -> Look:
    fd = os.open(os.devnull, os.O_RDWR)
    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
    return lambda: struct.unpack_from("h", fcntl.fcntl(fd, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK


def lease_sender() -> Send:
    opened = list[int]()

    def send(bit: int) -> None:
        while opened:
            os.close(opened.pop())
        if bit:
            opened.append(os.open(FILE, os.O_RDONLY))

    return send


def lease_receiver() -> Look:
    """Asks for a lease for writing, which a file's owner gets only if nobody else has the file open."""
    fd = os.open(FILE, os.O_RDONLY)

    def look() -> float:
        try:
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except BlockingIOError:
            return 1
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return 0

    return look


# Uses of a file that others can notice.


def open_sender() -> Send:
    def send(bit: int) -> None:
        if bit:
            os.close(os.open(FILE, os.O_RDONLY))

    return send


def inotify_receiver() -> Look:
    fd = _checked(libc.inotify_init1(os.O_NONBLOCK))
    _checked(libc.inotify_add_watch(fd, FILE.encode(), 0x20))  # IN_OPEN

    def look() -> float:
        try:
            return len(os.read(fd, 1 << 16)) > 0
        except BlockingIOError:
            return 0

    return look


def _open_seldom_read() -> int:
    return os.open(next(path for path in READ_SELDOM if os.path.exists(path)), os.O_RDONLY)


def cache_sender() -> Send:
    """Has the kernel drop a file from its cache, so that it must be read from the disk again."""
    fd = _open_seldom_read()

    def send(bit: int) -> None:
        if bit:
            os.posix_fadvise(fd, 0, 4096, os.POSIX_FADV_DONTNEED)

    return send


def cache_receiver() -> Look:
    fd = _open_seldom_read()

    def look() -> float:
        try:
            os.preadv(fd, [bytearray(1)], 0, os.RWF_NOWAIT)
        except BlockingIOError:
            os.pread(fd, 1, 0)
            return 1
        return 0

    return look


# Resources that the whole machine shares.


def memory_sender() -> Send:
    def send(bit: int) -> None:
        ends_at = time.monotonic() + 0.7 * SLOT_S
        if bit:
            with mmap.mmap(-1, BLOCK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE):
                time.sleep(max(0.0, ends_at - time.monotonic()))

    return send


def memory_receiver() -> Look:
    said = ctypes.create_string_buffer(256)

    def free() -> int:
        _checked(libc.sysinfo(said))
        return int(struct.unpack_from("Q", said, 40)[0])

    def look() -> float:
        before = free()
        time.sleep(0.4 * SLOT_S)
        return free() - before

    return look


def processor_sender() -> Send:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def send(bit: int) -> None:
        ends_at = time.monotonic() + 0.8 * SLOT_OF_PROCESSOR_S
        while bit and time.monotonic() < ends_at:
            pass

    return send


def processor_receiver() -> Look:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def look() -> float:
        ends_at, rounds = time.monotonic() + 0.4 * SLOT_OF_PROCESSOR_S, 0
        while time.monotonic() < ends_at:
            rounds += 1
        return -rounds

    return look


def numbers_sender() -> Send:
    """Opens pipes: the kernel numbers all pipes of the machine in one sequence."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def send(bit: int) -> None:
        for _ in range(8 * bit):
            for fd in os.pipe():
                os.close(fd)

    return send


def numbers_receiver() -> Look:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    last = [0]

    def look() -> float:
        ends = os.pipe()
        number = os.fstat(ends[0]).st_ino
        for fd in ends:
            os.close(fd)
        passed, last[0] = number - last[0], number
        return passed

    return look


def counter_receiver(path: str) -> Callable[[], Look]:
    """Makes a receiver that looks at a counter of the whole machine, which the kernel shows in a file."""

    def receiver() -> Look:
        last = [0]

        def look() -> float:
            with open(path, encoding="ascii") as file:
                words = file.read().replace("=", " ").split()
            total = sum(int(word) for word in words if word.isdigit())
            passed, last[0] = total - last[0], total
            return passed

        look()
        return look

    return receiver


CHANNELS: dict[str, tuple[Callable[[], Send], Callable[[], Look]]] = {
    "flock": (flock_sender, flock_receiver),
    "record-lock": (record_lock_sender, record_lock_receiver),
    "lease": (lease_sender, lease_receiver),
    "inotify": (open_sender, inotify_receiver),
    "cache": (cache_sender, cache_receiver),
    "pressure": (processor_sender, counter_receiver("/proc/pressure/cpu")),
    "memory": (memory_sender, memory_receiver),
    "processor": (processor_sender, processor_receiver),
    "numbers": (numbers_sender, numbers_receiver),
}
SLOW = ("pressure", "processor")
SHARED = ("memory", "processor", "numbers")
"""The channels that no box can close, because all programs of a machine share the resource."""


def slot_s(channel: str) -> float:
    """How long one bit takes on a channel."""
    return SLOT_OF_PROCESSOR_S if channel in SLOW else SLOT_S


def send_all(make: Callable[[], Send], begins_at: float, slot: float) -> None:
    act = make()
    for number, bit in enumerate(BITS):
        time.sleep(max(0.0, begins_at + number * slot - time.monotonic()))
        act(bit)
    with suppress(OSError):
        act(0)


def seen_all(make: Callable[[], Look], begins_at: float, slot: float) -> str:
    look, seen = make(), list[float]()
    for number in range(SLOTS):
        time.sleep(max(0.0, begins_at + (number + 0.4) * slot - time.monotonic()))
        seen.append(look())
    middle = sorted(seen)[SLOTS // 2 - 1]
    return "".join("1" if value > middle else "0" for value in seen)


def main(channel: str, role: str, begins_at: str) -> None:
    sender, receiver = CHANNELS[channel]
    try:
        if role == "send":
            send_all(sender, float(begins_at), slot_s(channel))
            print("sent", flush=True)
        else:
            print(seen_all(receiver, float(begins_at), slot_s(channel)), flush=True)
    except (OSError, ValueError) as error:
        print("held", error, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
