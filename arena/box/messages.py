"""Sends values and descriptors through a Unix socket: a length, then `marshal`; both ends are one Python."""

from __future__ import annotations

import marshal
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any

HEAD = struct.Struct("!I")
FDS_MAX = 8


def packed(value: Any) -> bytes:
    """A message with a value that `marshal` supports: numbers, text, bytes, None, lists, tuples, dicts."""
    body = marshal.dumps(value)
    return HEAD.pack(len(body)) + body


def send(sock: socket.socket, value: Any, fds: Sequence[int] = ()) -> None:
    """Sends a message over a blocking socket; the descriptors go with its first byte."""
    octets = packed(value)
    sent = socket.send_fds(sock, [octets], fds) if fds else sock.send(octets)
    sock.sendall(octets[sent:])


def receive(sock: socket.socket) -> tuple[Any, list[int]] | None:
    """The next message from a blocking socket with its descriptors; None if the other side is gone."""
    head, fds, _, _ = socket.recv_fds(sock, HEAD.size, FDS_MAX)
    head = _filled(sock, head, HEAD.size) if head else b""
    body = _filled(sock, b"", HEAD.unpack(head)[0]) if len(head) == HEAD.size else b""
    if not body:
        for fd in fds:
            os.close(fd)
        return None
    return marshal.loads(body), fds


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

    def take(self, octets: bytes) -> list[Any]:
        """The messages that these bytes complete."""
        self._octets += octets
        found = []
        while len(self._octets) >= HEAD.size:
            end = HEAD.size + HEAD.unpack_from(self._octets)[0]
            if len(self._octets) < end:
                break
            found.append(marshal.loads(self._octets[HEAD.size : end]))
            self._octets = self._octets[end:]
        return found
