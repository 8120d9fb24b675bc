"""Filters of system calls (seccomp), which bind a process and all that it starts irrevocably.

A filter is a program for the kernel's small virtual machine (classic BPF), assembled here by hand, as no
binding for Python is maintained.  Sources: `linux/seccomp.h`, `linux/filter.h`, `linux/audit.h`; the numbers
of calls are from `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from arena.box.processes import IS_LINUX, PR_SET_NO_NEW_PRIVS, libc, prctl

NUMBERS = {  # x86_64, aarch64, which has no `inotify_init` of its own
    "add_key": (248, 217),
    "bpf": (321, 280),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fadvise64": (221, 223),
    "fanotify_init": (300, 262),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "inotify_init": (253, 26),
    "inotify_init1": (294, 26),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "keyctl": (250, 219),
    "landlock_create_ruleset": (444, 444),
    "madvise": (28, 233),
    "msgget": (68, 186),
    "perf_event_open": (298, 241),
    "prctl": (157, 167),
    "process_madvise": (440, 440),
    "prlimit64": (302, 261),
    "request_key": (249, 218),
    "semget": (64, 190),
    "shmget": (29, 194),
    "socket": (41, 198),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Architecture -> its column of NUMBERS, and its AUDIT_ARCH, by which the kernel tells who calls."""
FIRST_OF_X32 = 0x40000000
"""The first number of x32, a second set of calls of x86_64."""

ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
"""What a filter returns; REFUSE holds the error in its lower half."""
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
"""Offsets in `struct seccomp_data`; both architectures put the lower half of an argument first."""
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""The filter's instructions: load a word, jump if equal, if not less, if they share a bit, return."""

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2

TIOCSTI, TIOCLINUX = 0x5412, 0x541C
PR_SET_DUMPABLE = 4
F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY = 6, 7, 37, 38, 1024, 1026
MADV_COLD, MADV_PAGEOUT = 20, 21
CLONE_NEWUSER = 0x10000000
AF_INET, AF_INET6, AF_NETLINK = 2, 10, 16


class Rule(NamedTuple):
    """A system call that is refused: always, or by the lower 32 bits of one of its arguments."""

    call: str
    error: int
    """The error that the caller gets; 0: it is told that the call was carried out, which it was not."""
    argument: int = 0
    test: Literal["always", "in", "not in", "any bit"] = "always"
    """How the argument is compared with `values`."""
    values: tuple[int, ...] = ()


BOT_RULES = (
    # Other families reach the agents and services of the user and of the host (Unix, vsock), or parts of the
    # kernel that few use and many holes were in.  `socketpair` is another call.
    Rule("socket", errno.EAFNOSUPPORT, 0, "not in", (AF_INET, AF_INET6, AF_NETLINK)),
    Rule("ioctl", errno.EPERM, 1, "in", (TIOCSTI, TIOCLINUX)),  # types into a terminal
    *(Rule(call, errno.EPERM) for call in ("add_key", "request_key", "keyctl")),
    *(Rule(call, errno.EPERM) for call in ("bpf", "perf_event_open", "userfaultfd")),
    *(Rule(call, errno.EPERM, 0, "any bit", (CLONE_NEWUSER,)) for call in ("clone", "unshare")),
    # Its flags lie in memory, where a filter cannot look; libraries take `clone` then.
    Rule("clone3", errno.ENOSYS),
    # Opens, connects and writes without any of the calls above.
    *(Rule(call, errno.ENOSYS) for call in ("io_uring_setup", "io_uring_enter", "io_uring_register")),
    Rule("prlimit64", errno.EPERM, 0, "not in", (0,)),  # limits of other processes
    # System V's memory belongs to no process, so that nobody can count it; its other two are ways to signal.
    *(Rule(call, errno.ENOSYS) for call in ("shmget", "semget", "msgget")),
    Rule("prctl", errno.EPERM, 0, "in", (PR_SET_DUMPABLE,)),  # hides what a process has open
)
"""The calls that no bot may make, in whatever box."""

SIGNAL_RULES = (
    # A filter cannot see which file a lock is for, and the devices of two boxes are the same files.
    # Databases (SQLite, gdbm) take locks to read what nobody else writes: refused, they would not open it.
    # So locks seem to be granted; a bot's own processes cannot exclude one another by them.
    Rule("flock", 0),
    Rule("fcntl", 0, 1, "in", (F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW)),
    # Tells whether, or when, somebody else has a file open.
    Rule("fcntl", errno.EINVAL, 1, "in", (F_SETLEASE, F_NOTIFY)),
    *(Rule(call, errno.ENOSYS) for call in ("inotify_init", "inotify_init1", "fanotify_init")),
    # Has the kernel forget what it holds of a file, which is then slower for others too.  Only advice.
    Rule("fadvise64", 0),
    Rule("madvise", 0, 2, "in", (MADV_COLD, MADV_PAGEOUT)),
    Rule("process_madvise", errno.ENOSYS),
)
"""The calls that bots in strict boxes may not make either: they could signal by files that both see."""


def architecture() -> str:
    """The key in ARCHITECTURES of this process; empty if we, or this kernel, have no filters for it."""
    name = os.uname().machine
    is_known = IS_LINUX and name in ARCHITECTURES and sys.maxsize > 1 << 32
    # Without a program a kernel that supports filters misses it at its address.
    return name if is_known and _prctl(_PR_SET_SECCOMP, _MODE_FILTER) == errno.EFAULT else ""


@lru_cache(maxsize=2)
def bot_filter(*, is_strict: bool = False) -> bytes:
    """The filter of BOT_RULES, and of SIGNAL_RULES too, for this machine; empty if it supports none."""
    rules = (*BOT_RULES, *SIGNAL_RULES) if is_strict else BOT_RULES
    return filter_bytes(rules, architecture()) if architecture() else b""


def filter_bytes(rules: Sequence[Rule], architecture: str) -> bytes:
    """The program that refuses these calls, allows all others, and kills callers of another architecture."""
    column, audited = ARCHITECTURES[architecture]
    program = [
        _step(LOAD, _ARCHITECTURE_AT),
        _step(EQUAL, audited, 1, 0),
        _step(RETURN, KILL),
        _step(LOAD, _NUMBER_AT),
        _step(AT_LEAST, FIRST_OF_X32, 0, 1),
        _step(RETURN, KILL),
    ]
    for rule in rules:
        program += _refusal(rule, NUMBERS[rule.call][column])
    return b"".join([*program, _step(RETURN, ALLOW)])


def _refusal(rule: Rule, number: int) -> list[bytes]:
    """The instructions of one rule; a call that the rule does not refuse continues after them."""
    tests = [] if rule.test == "always" else _tests(rule)
    steps = [*tests, _step(RETURN, REFUSE | rule.error)]
    return [_step(LOAD, _NUMBER_AT), _step(EQUAL, number, 0, len(steps)), *steps]


def _tests(rule: Rule) -> list[bytes]:
    """Instructions that load the argument, and jump over the return that follows if the call is allowed."""
    count = len(rule.values)
    kind = ANY_BIT if rule.test == "any bit" else EQUAL
    tests = [_step(LOAD, _ARGUMENTS_AT + 8 * rule.argument)]
    for index, value in enumerate(rule.values):
        left = count - index - 1  # tests after this one
        if rule.test == "not in":
            tests.append(_step(kind, value, left + 1, 0))
        else:
            tests.append(_step(kind, value, left, 0 if left else 1))
    return tests


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def install(program: bytes) -> None:
    """Puts this process, which must have one thread only, and all that it starts under a filter.

    Raises OSError if the kernel refuses it.
    """

    class Program(ctypes.Structure):  # struct sock_fprog
        _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))

    prctl(PR_SET_NO_NEW_PRIVS, 1)
    number = _prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(Program(len(program) // 8, program)))
    if number:
        raise OSError(number, os.strerror(number))


def _prctl(option: int, value: int, pointer: object = None) -> int:
    """Calls `prctl`; returns the error, or 0."""
    return ctypes.get_errno() if libc.prctl(option, ctypes.c_ulong(value), pointer, 0, 0) < 0 else 0
