"""Thousands of bots in one process, as cheap as it can be; run as a file, ends when its stdin is closed.

`arriving.py PORT`: for each line of its stdin, a number, so many more bots connect, all in the same moment.
It tells how long that took, from the first one's `connect` to the last one's welcome, and how many were
refused, lost or turned away.  They speak the full protocol and play a legal move of any game.
"""

import json
import os
import resource
import select
import socket
import sys
import time
from typing import Any

from arena.bench.lean_client import filled

CONNECTION_S = 30.0
"""So long they wait for their welcome."""


class Bots:
    """All of them, and what they have read."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._poll = select.epoll()
        self._poll.register(0, select.EPOLLIN)
        self._socks: dict[int, socket.socket] = {}
        self._unread: dict[int, bytes] = {}
        self._named = 0
        self._welcomed = 0
        self._lost = 0

    def connect(self, count: int) -> dict[str, float]:
        """So many more: how long until all have been heard, and how many are lost of all."""
        began = time.monotonic()
        awaited = self._welcomed + count
        for _ in range(count):
            sock = socket.socket()
            sock.setblocking(False)
            sock.connect_ex(("127.0.0.1", self._port))
            self._socks[sock.fileno()] = sock
            self._poll.register(sock, select.EPOLLOUT)
        while self._welcomed + self._lost < awaited and time.monotonic() < began + CONNECTION_S:
            self._serve(1.0)
        return {"seconds": time.monotonic() - began, "lost": awaited - self._welcomed}

    def play(self) -> dict[str, float] | None:
        """Answers until there is a line to be read; None: there is none any more."""
        while not self._serve(1.0):
            pass
        line = sys.stdin.readline()
        return self.connect(int(line)) if line else None

    @property
    def lost(self) -> int:
        return self._lost

    def _serve(self, wait_s: float) -> bool:
        """Does what is to be done now; gives whether stdin can be read."""
        is_told = False
        for number, happened in self._poll.poll(wait_s, len(self._socks) + 1):
            if number == 0:
                is_told = True
            elif happened & select.EPOLLIN:
                self._hear(number)
            elif happened & (select.EPOLLERR | select.EPOLLHUP):
                self._lose(number)
            else:
                self._introduce(number)
        return is_told

    def _introduce(self, number: int) -> None:
        self._named += 1
        sock = self._socks[number]
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.send(b'{"type":"hello","protocol":1,"name":"bot-%05d"}\n' % self._named)
        self._poll.modify(number, select.EPOLLIN)

    def _hear(self, number: int) -> None:
        try:
            piece = self._socks[number].recv(1 << 16)
        except ConnectionError:
            piece = b""
        if not piece:
            return self._lose(number)
        *lines, unread = (self._unread.pop(number, b"") + piece).split(b"\n")
        if unread:
            self._unread[number] = unread
        for line in lines:
            if line.startswith(b'{"type":"ask"'):
                self._socks[number].send(_answer(json.loads(line)))
            elif line.startswith(b'{"type":"welcome"'):
                self._welcomed += 1
        return None

    def _lose(self, number: int) -> None:
        self._lost += 1
        self._poll.unregister(number)
        self._socks.pop(number).close()


def _answer(question: dict[str, Any]) -> bytes:
    """The last option's lowest move: in Liar's Dice a doubt where that is possible, so matches are short."""
    option = question["options"][-1]
    move = json.dumps(filled(option["form"], option["fields"]))
    return f'{{"message_id":"{question["message_id"]}","move":{move}}}\n'.encode()


def main(port: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    bots = Bots(port)
    print(json.dumps({"process": os.getpid()}), flush=True)
    while (arrived := bots.play()) is not None:
        print(json.dumps(arrived), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
