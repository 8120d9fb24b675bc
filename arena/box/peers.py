"""Asks the kernel, not the program, who is at the other end of a connection on this machine."""

from __future__ import annotations

import os
import re
import socket
import struct
from contextlib import suppress
from typing import TypeAlias

from arena.box.processes import IS_LINUX, descendants

Ends: TypeAlias = tuple[tuple[str, int], tuple[str, int]]
"""The ends of a connection: our address and port, and theirs."""

FILES_LOOKED_AT_MAX = 512
"""How many open files of a bot are looked at: one that hides its connection among more only harms itself."""
_SOCK_DIAG = 4
"""The netlink family NETLINK_SOCK_DIAG."""
_BY_FAMILY = 20
_INODE_AT = 16 + 68
"""The offset of the inode: after the message's header, the last field of `struct inet_diag_msg`."""
_ANSWER_S = 1.0


def comes_from(ends: Ends | None, top: int) -> bool:
    """Whether a process below `top` holds the other end of a connection; true if the kernel does not say."""
    if not IS_LINUX or ends is None:
        return True
    inode = _inode(ends)
    return inode != 0 and _is_held(f"socket:[{inode}]", top)


def _is_held(name: str, top: int) -> bool:
    looked_at = 0
    for pid in descendants(top):
        folder = f"/proc/{pid}/fd"
        with suppress(OSError):
            for fd in os.listdir(folder):
                with suppress(OSError):
                    if os.readlink(f"{folder}/{fd}") == name:
                        return True
                looked_at += 1
                if looked_at > FILES_LOOKED_AT_MAX:
                    return False
    return False


def _inode(ends: Ends) -> int:
    """The inode of the socket at the other end; 0 if that is not on this machine, or closed."""
    try:
        return _asked(ends)
    except OSError:  # a kernel without this way to ask
        return _looked_up(ends)


def _asked(ends: Ends) -> int:
    (host, port), (their_host, their_port) = ends
    addresses = socket.inet_aton(their_host).ljust(16, b"\0") + socket.inet_aton(host).ljust(16, b"\0")
    where = struct.pack("!HH", their_port, port) + addresses + struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
    request = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 0xFFFFFFFF) + where
    message = struct.pack("=IHHII", 16 + len(request), _BY_FAMILY, 1, 1, 0) + request
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as netlink:
        netlink.settimeout(_ANSWER_S)
        netlink.send(message)
        answer = netlink.recv(4096)
    if struct.unpack_from("=H", answer, 4)[0] != _BY_FAMILY:  # an error: there is no such socket, mostly
        number = -struct.unpack_from("=i", answer, 16)[0] if len(answer) >= 20 else 0
        if number == 2:
            return 0
        raise OSError(number, "netlink")
    return int(struct.unpack_from("=I", answer, _INODE_AT)[0])


def _looked_up(ends: Ends) -> int:
    theirs, ours = (_in_table(*end) for end in reversed(ends))
    with suppress(OSError), open("/proc/net/tcp", encoding="ascii") as file:
        for line in file:
            words = re.split(r"\s+", line.strip())
            if words[1:3] == [theirs, ours]:
                return int(words[9])
    return 0


def _in_table(host: str, port: int) -> str:
    address = struct.unpack("=I", socket.inet_aton(host))[0]
    return f"{address:08X}:{port:04X}"
