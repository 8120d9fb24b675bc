"""Filters of system calls: each rule through a small machine of ours, and some of them in the kernel."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import struct

import pytest

from arena.box.kernel import seccomp
from arena.box.kernel.seccomp import (
    ALLOW,
    ARCHITECTURES,
    BOT_RULES,
    KILL,
    NUMBERS,
    REFUSE,
    SIGNAL_RULES,
    Rule,
    filter_bytes,
)

NEW_NAMESPACES = 0x7E020000
MACHINES = sorted(ARCHITECTURES)
KINDS = ("every kind of test", "the rules of bots", "those of strict")
ALL_TESTS = (
    Rule("ioctl", errno.EPERM, 1, "in", (7, 8, 9)),
    Rule("socket", errno.EAFNOSUPPORT, 0, "not in", (1, 2)),
    Rule("clone", errno.EPERM, 2, "any bit", (0x30, 0x100)),
    Rule("bpf", errno.ENOSYS),
)


def run(program: bytes, architecture: int, number: int, arguments=()) -> int:
    """What the kernel's machine returns for this call; as there, a jump only leads forwards."""
    words = struct.pack("=IIQ6Q", number, architecture, 0, *[*arguments, 0, 0, 0, 0, 0, 0][:6])
    steps, at, register = list(struct.iter_unpack("=HBBI", program)), 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == seccomp.LOAD:
            (register,) = struct.unpack_from("=I", words, value)
        elif code == seccomp.RETURN:
            return value
        else:
            tests = {
                seccomp.EQUAL: register == value,
                seccomp.AT_LEAST: register >= value,
                seccomp.ANY_BIT: register & value,
            }
            at += if_true if tests[code] else if_false


def answer(rules, machine, call, *arguments) -> int:
    column, architecture = ARCHITECTURES[machine]
    return run(filter_bytes(rules, machine), architecture, NUMBERS[call][column], arguments)


def is_refused(rule: Rule, value: int) -> bool:
    """What a rule means, said in another way."""
    value &= 0xFFFFFFFF
    return {
        "always": True,
        "in": value in rule.values,
        "not in": value not in rule.values,
        "any bit": any(value & mask for mask in rule.values),
    }[rule.test]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("rules", [ALL_TESTS, BOT_RULES, SIGNAL_RULES], ids=KINDS)
def test_a_filter_refuses_what_its_rules_name_and_nothing_else(rules, machine):
    """Every call that has a number here, with arguments at, beside and above every value of every rule."""
    values = {0, 1, 2, *(value + step for rule in rules for value in rule.values for step in (-1, 0, 1))}
    values = {abs(value) for value in values} | {value | 1 << 32 for value in values if value >= 0}
    for call in NUMBERS:
        own = [rule for rule in rules if rule.call == call or NUMBERS[rule.call] == NUMBERS[call]]
        for value in values:
            arguments = [0xDEAD0000_0BADBEEF] * 6
            for rule in own:
                arguments[rule.argument] = value
            expected = next((REFUSE | rule.error for rule in own if is_refused(rule, value)), ALLOW)
            assert expected == answer(rules, machine, call, *arguments), (call, hex(value))


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_architecture_are_killed(machine):
    """Their numbers mean something else: number 41 is `socket` for x86_64 and `dup` for i386."""
    architecture = ARCHITECTURES[machine][1]
    program = filter_bytes((), machine)
    others = [
        0x40000003,
        0x40000028,
        *(known for _, known in ARCHITECTURES.values() if known != architecture),
    ]
    assert [KILL] * 3 == [run(program, other, 41) for other in others]
    assert KILL == run(program, architecture, seccomp.FIRST_OF_X32 + 41), "x32"
    assert [ALLOW] * 3 == [run(program, architecture, number) for number in (0, 41, 500)]


def test_two_rules_of_one_call_both_hold():
    """A plan of tests may refuse a call by two of its arguments."""
    rules = (Rule("socket", 13, 0, "in", (1,)), Rule("socket", 22, 1, "in", (3,)))
    assert [REFUSE | 13, REFUSE | 22, ALLOW] == [
        answer(rules, "x86_64", "socket", family, kind) for family, kind in ((1, 3), (2, 3), (2, 1))
    ]


# In the kernel.


def in_child(act, rules=BOT_RULES) -> int:
    """How a child ends that does this under the filter: the error of an OSError, 0, or minus the signal."""
    if not seccomp.architecture():
        pytest.skip("this machine has no seccomp filters, or they are not made for its architecture")
    pid = os.fork()
    if pid == 0:
        try:
            seccomp.install(filter_bytes(rules, seccomp.architecture()))
            act()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno)
        finally:
            os._exit(255)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def call(name: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    number = NUMBERS[name][ARCHITECTURES[seccomp.architecture()][0]]
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_ulong, arguments)) < 0:
        raise OSError(ctypes.get_errno(), name)


ACTS = [
    ("a socket of the machine", lambda: socket.socket(socket.AF_UNIX), errno.EAFNOSUPPORT),
    ("of the hypervisor", lambda: socket.socket(40, socket.SOCK_STREAM), errno.EAFNOSUPPORT),
    ("packets", lambda: socket.socket(17, socket.SOCK_RAW), errno.EAFNOSUPPORT),
    ("the network", lambda: socket.socket(socket.AF_INET).close(), 0),
    ("a pair of sockets", socket.socketpair, 0),
    ("users", lambda: call("unshare", seccomp.CLONE_NEWUSER), errno.EPERM),
    ("users, otherwise", lambda: call("clone", seccomp.CLONE_NEWUSER | 17, 0, 0, 0, 0), errno.EPERM),
    ("a new way to fork", lambda: call("clone3", 0, 0), errno.ENOSYS),
    ("a process", lambda: os.waitpid(os.fork() or os._exit(0), 0), 0),
    ("a ring", lambda: call("io_uring_setup", 1, 0), errno.ENOSYS),
    ("a key", lambda: call("keyctl", 0, 0xFFFFFFFD, 0, 0, 0), errno.EPERM),
    ("typing", lambda: call("ioctl", 0, 1 << 32 | seccomp.TIOCSTI, 0), errno.EPERM),
]


@pytest.mark.parametrize(("act", "expected"), [row[1:] for row in ACTS], ids=[row[0] for row in ACTS])
def test_the_kernel_does_as_the_filter_says(act, expected):
    """The same rules, in a child that is really under them."""
    assert expected == in_child(act)


def test_a_call_of_x32_kills():
    """Even on a kernel that supports no such calls."""
    if seccomp.architecture() != "x86_64":
        pytest.skip("x32 is a part of x86_64")
    assert -signal.SIGSYS == in_child(lambda: ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39)))


def test_other_filters_are_assembled_as_well():
    """A world without Landlock, or without namespaces, for tests."""
    world = (
        Rule("landlock_create_ruleset", errno.ENOSYS),
        *(Rule(name, errno.EPERM, 0, "any bit", (NEW_NAMESPACES,)) for name in ("clone", "unshare")),
    )
    assert errno.ENOSYS == in_child(lambda: call("landlock_create_ruleset", 0, 0, 1), world)
    assert errno.EPERM == in_child(lambda: call("unshare", 0x00020000), world)
    assert 0 == in_child(lambda: os.waitpid(os.fork() or os._exit(0), 0), world)


def test_a_filter_that_the_kernel_refuses_is_an_error():
    """Nobody goes on as if it held."""
    with pytest.raises(OSError, match="Invalid argument"):
        seccomp.install(b"\xff" * 8)


def test_a_machine_without_filters_has_none(monkeypatch):
    """Whether its processor is another one, or its kernel says that it has no seccomp."""
    monkeypatch.setattr(seccomp, "_prctl", lambda *_: errno.EINVAL)
    assert "" == seccomp.architecture()
    assert b"" == seccomp.bot_filter.__wrapped__()
