"""Attacks a box through the kernel: `attacks.py NAME TARGET`, started in a box, says how it went.

Run as a separate file, with only the standard library.  It prints one line: `escaped`, or `held` and why.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import signal
import socket
import struct
import sys
from collections.abc import Callable

libc = ctypes.CDLL(None, use_errno=True)
IS_X86_64 = platform.machine() == "x86_64"


class Held(Exception):
    """Raised when the box withstood the attack; says why."""


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _call(on_x86_64: int, on_aarch64: int, *arguments: object) -> int:
    """Makes a system call by its number on this processor."""
    number = on_x86_64 if IS_X86_64 else on_aarch64
    return _checked(libc.syscall(ctypes.c_long(number), *arguments))


def _must_be_killed(act: Callable[[], object]) -> None:
    """Acts in a child, which a filter should kill; any other end means that the call was carried out."""
    pid = os.fork()
    if pid == 0:
        act()
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGSYS:
        raise Held("killed")


# Calls that a filter refuses.


def type_into_terminal(_: str) -> None:
    """Types with TIOCSTI into the terminal: the shell that the user returns to would run it."""
    if libc.ioctl(0, ctypes.c_ulong(1 << 32 | 0x5412), b"x") < 0 and ctypes.get_errno() == errno.EPERM:
        raise Held("TIOCSTI is refused")


def make_unix_socket(_: str) -> None:
    socket.socket(socket.AF_UNIX).close()


def make_vsock(_: str) -> None:
    socket.socket(40, socket.SOCK_STREAM).close()


def make_raw_socket(_: str) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def make_packet_socket(_: str) -> None:
    socket.socket(17, socket.SOCK_RAW).close()


def make_ring(_: str) -> None:
    """Makes an io_uring, a second way to open, connect and write, which no filter of calls sees."""
    _call(425, 425, 4, ctypes.create_string_buffer(120))


def use_keyring(_: str) -> None:
    _call(250, 219, 0, ctypes.c_int(-4), 1, 0, 0)  # KEYCTL_GET_KEYRING_ID of the user


def make_bpf(_: str) -> None:
    _call(321, 280, 0, ctypes.create_string_buffer(struct.pack("=IIII", 2, 4, 4, 1), 128), 128)


def watch_performance(_: str) -> None:
    attributes = ctypes.create_string_buffer(struct.pack("=IIQQQQQ", 1, 112, 1, 0, 0, 0, 0b1100001), 112)
    _call(298, 241, attributes, 0, -1, -1, 0)


def handle_page_faults(_: str) -> None:
    _call(323, 282, 1)  # UFFD_USER_MODE_ONLY


def make_users(_: str) -> None:
    """Makes a user namespace, through which most holes of the kernel are reached."""
    _checked(libc.unshare(0x10000000))


def clone_users(_: str) -> None:
    pid = _call(56, 220, ctypes.c_ulong(0x10000000 | signal.SIGCHLD), 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def call_as_i386(_: str) -> None:
    """Calls by `int 0x80`, where other numbers apply than the filter knows: 20 is `getpid`."""
    if not IS_X86_64:
        raise Held("not this processor")

    def act() -> None:
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")  # mov eax, 20; int 0x80; ret
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()

    _must_be_killed(act)


def call_as_x32(_: str) -> None:
    if not IS_X86_64:
        raise Held("not this processor")
    _must_be_killed(lambda: libc.syscall(ctypes.c_long(0x40000000 | 39)))


def limit_others(_: str) -> None:
    """Asks for the limits of its parent, which is its guard: a process that may do so may also lower them."""
    _call(302, 261, os.getppid() or 1, 7, 0, ctypes.create_string_buffer(16))


# Rights of root, and devices.


def keep_capabilities(_: str) -> None:
    with open("/proc/self/status", encoding="ascii") as file:
        words = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    kept = [name for name in ("CapPrm", "CapEff", "CapAmb") if int(words[name], 16)]
    if not kept and words["NoNewPrivs"] == "1":
        raise Held("none, and none to be gained")


def open_kvm(_: str) -> None:
    _open_any("/dev/kvm")


def open_terminal(path: str) -> None:
    """Opens another terminal of the same user."""
    _open_any(path)


def open_devices(_: str) -> None:
    for name in ("mem", "kmsg", "sda", "vda", "nvme0n1", "loop0", "fuse", "vsock", "tty0", "console"):
        try:
            _open_any(f"/dev/{name}")
        except OSError:
            continue
        return
    raise Held("none can be opened")


def _open_any(path: str) -> None:
    """Opens a device in the way that needs the fewest rights."""
    for mode in (os.O_RDONLY, os.O_WRONLY):
        try:
            os.close(os.open(path, mode | os.O_NONBLOCK | os.O_NOCTTY))
        except OSError as error:
            refused = error
        else:
            return
    raise refused


# Agents and services.


def connect_to_socket(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(path)


def connect_to_abstract_socket(name: str) -> None:
    connect_to_socket("\0" + name)


def know_agents(_: str) -> None:
    names = [name for name in os.environ if name.endswith(("_AUTH_SOCK", "_BUS_ADDRESS", "_AGENT_INFO"))]
    if not names:
        raise Held("no agent is named in the environment")


ATTACKS: dict[str, Callable[[str], None]] = {
    "capabilities": keep_capabilities,
    "terminal": open_terminal,
    "terminal-typing": type_into_terminal,
    "kvm": open_kvm,
    "devices": open_devices,
    "raw-socket": make_raw_socket,
    "packet-socket": make_packet_socket,
    "unix-socket": make_unix_socket,
    "agent": connect_to_socket,
    "agent-abstract": connect_to_abstract_socket,
    "agent-names": know_agents,
    "vsock": make_vsock,
    "io-uring": make_ring,
    "keyring": use_keyring,
    "bpf": make_bpf,
    "perf": watch_performance,
    "userfaultfd": handle_page_faults,
    "user-namespace": make_users,
    "user-namespace-clone": clone_users,
    "i386": call_as_i386,
    "x32": call_as_x32,
    "limits-of-others": limit_others,
}


def main(name: str, target: str = "") -> None:
    try:
        ATTACKS[name](target)
    except (OSError, Held) as error:
        print("held", error, flush=True)
    else:
        print("escaped", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
