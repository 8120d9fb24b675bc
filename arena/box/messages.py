"""What the arena, the keeper and the guards tell one another, and how it goes through a Unix socket.

A message is its length, then `marshal`; both ends are the same Python.  The keeper sees only the standard
library (`python -I -S`), whose named tuples would make its start 3 ms longer.
"""

from __future__ import annotations

import marshal
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import TypeAlias, dataclass_transform

HEAD = struct.Struct("!I")
FDS_MAX = 8


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Fields:
    """A frozen record of the fields that a class below annotates.  Raises TypeError for any others."""

    def __init__(self, **values: object) -> None:
        if wrong := values.keys() ^ type(self).__annotations__.keys():
            raise TypeError(f"{type(self).__name__}: {', '.join(sorted(wrong))} unknown or missing")
        vars(self).update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)


class BubblewrapCall(Fields):
    """Bubblewrap, as it is to be started around a program."""

    program: str
    """Where it is."""
    words: Sequence[str]
    """Its arguments, but for those that name descriptors."""
    is_piped: bool
    """Whether the program's standard input and output are connected to the arena."""
    listens: bool
    """Whether a socket is to listen for the program, in its own network."""


class LandlockRules(Fields):
    """What a program may open: the paths that `landlock.restrict` takes."""

    readable: Sequence[str]
    writable: Sequence[str]
    unlisted: Sequence[str]


class ProgramOrder(Fields):
    """From the arena to the keeper: a program to be started and guarded.

    With it go the program's standard streams, and the socket for the messages about it.
    """

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str | None
    """None: bubblewrap changes to the program's folder."""
    bubblewrap: BubblewrapCall | None
    landlock: LandlockRules | None
    is_confined: bool
    filter: bytes
    """For seccomp; empty: none."""
    resources: Mapping[int, tuple[int, int]]
    """As `limits.resources` returns them."""
    memory_bytes: int
    """The most that its processes may use together; so with `tasks`."""
    tasks: int
    written: Sequence[tuple[str, int, str]]
    """The folders on disk that are bounded: each with how much it may hold, and what that is called."""


class ProgramStarted(Fields):
    """From a guard to the arena, as all that follow; with it goes the listening socket, if there is one."""

    pid: int
    guard: int


class ProgramFailed(Fields):
    """It could not be started."""

    number: int
    """The system's reason; 0 if it gave none."""


class ProgramExceeded(Fields):
    """It is killed for exceeding a limit."""

    limit: str
    """Which, in words."""


class ProgramEnded(Fields):
    """Its first process has ended."""

    code: int
    """The exit status, in the form of `subprocess`."""


Message: TypeAlias = ProgramOrder | ProgramStarted | ProgramFailed | ProgramExceeded | ProgramEnded
_KINDS: Mapping[str, type[Message]] = {
    kind.__name__: kind
    for kind in (ProgramOrder, ProgramStarted, ProgramFailed, ProgramExceeded, ProgramEnded)
}
_PARTS = {"bubblewrap": BubblewrapCall, "landlock": LandlockRules}
"""The fields of an order that have fields themselves."""


def packed(message: Message) -> bytes:
    """A message as it is sent."""
    fields = dict(vars(message))
    for name in _PARTS:
        if fields.get(name) is not None:
            fields[name] = vars(fields[name])
    body = marshal.dumps((type(message).__name__, fields))
    return HEAD.pack(len(body)) + body


def unpacked(body: bytes) -> Message:
    """The message of these bytes, without their length.

    Raises KeyError for an unknown kind, TypeError for fields that are unknown or missing.
    """
    kind, fields = marshal.loads(body)
    for name, part in _PARTS.items():
        if fields.get(name) is not None:
            fields[name] = part(**fields[name])
    return _KINDS[kind](**fields)


def send(sock: socket.socket, message: Message, fds: Sequence[int] = ()) -> None:
    """Sends a message over a blocking socket; the descriptors go with its first byte."""
    octets = packed(message)
    sent = socket.send_fds(sock, [octets], fds) if fds else sock.send(octets)
    sock.sendall(octets[sent:])


def receive(sock: socket.socket) -> tuple[Message, list[int]] | None:
    """The next message from a blocking socket with its descriptors; None if the other side is gone."""
    head, fds, _, _ = socket.recv_fds(sock, HEAD.size, FDS_MAX)
    head = _filled(sock, head, HEAD.size) if head else b""
    body = _filled(sock, b"", HEAD.unpack(head)[0]) if len(head) == HEAD.size else b""
    if not body:
        for fd in fds:
            os.close(fd)
        return None
    return unpacked(body), fds


def _filled(sock: socket.socket, octets: bytes, size: int) -> bytes:
    while len(octets) < size:
        more = sock.recv(size - len(octets))
        if not more:
            return b""
        octets += more
    return octets


class Inbox:
    """Puts messages together from bytes as they arrive."""

    def __init__(self) -> None:
        self._octets = b""

    def take(self, octets: bytes) -> list[Message]:
        """The messages that these bytes complete."""
        self._octets += octets
        found = []
        while len(self._octets) >= HEAD.size:
            end = HEAD.size + HEAD.unpack_from(self._octets)[0]
            if len(self._octets) < end:
                break
            found.append(unpacked(self._octets[HEAD.size : end]))
            self._octets = self._octets[end:]
        return found
