"""Clients of a server, as cheap as one process can be them; run as a file, ends when its stdin is closed.

`crowd.py watch PORT PATH COUNT`: so many WebSockets that read; tells when each of them had each version.
`crowd.py poll PORT COUNT EVERY_S REQUEST…`: so many connections, each of which sends a request every so many
seconds; tells how long answers took, and which statuses came.
`crowd.py ask PORT COUNT SECONDS PATH`: the same without a pause, for so many seconds.
"""

import json
import re
import select
import socket
import sys
import time
from collections import Counter, defaultdict
from typing import Any

HOST = "127.0.0.1"
VERSION = re.compile(rb'"version":(\d+)')
HELLO = b'{"key":null,"match":null,"steps":0}'
"""What a page says first at a table's scenes."""
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
REQUEST = "GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
LONG = 126
"""A frame's length that says: two bytes with the length follow."""


def connected(port: int) -> socket.socket:
    sock = socket.create_connection((HOST, port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


# Spectators.


def watch(port: int, path: str, count: int) -> dict[str, Any]:
    """When each version was first seen, by the clock of this machine, by each that saw it."""
    unread: dict[int, bytearray] = {}
    latest: dict[int, int] = {}
    seen: dict[int, list[float]] = defaultdict(list)
    socks = []
    for _ in range(count):
        sock = connected(port)
        sock.sendall(UPGRADE.format(path=path).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += sock.recv(4096)
        if path.startswith("/ws/scenes/"):
            sock.sendall(bytes((0x81, 0x80 | len(HELLO), 0, 0, 0, 0)) + HELLO)  # masked by zeros
        unread[sock.fileno()] = bytearray(head.partition(b"\r\n\r\n")[2])
        socks.append(sock)
    by_number = {sock.fileno(): sock for sock in socks}
    for number in _readable(list(by_number), float("inf")):
        piece = by_number[number].recv(1 << 16)
        if not piece:
            raise SystemExit("the server closed the WebSocket of a spectator")
        buffer = unread[number]
        buffer += piece
        now = time.monotonic()
        for frame in _frames(buffer):
            if frame.startswith((b'{"packet":"GameDataSync"', b'{"table":')):
                version = int(VERSION.findall(frame)[0 if frame.startswith(b'{"table"') else -1])
                for each in range(latest.get(number, version - 1) + 1, version + 1):
                    seen[each].append(now)
                latest[number] = version
    return {"seen": seen}


def _frames(buffer: bytearray) -> list[bytes]:
    """Takes the whole frames out of what a server sent."""
    found, at = [], 0
    while len(buffer) >= at + 2:
        size, begin = buffer[at + 1], at + 2
        if size == LONG:
            size, begin = int.from_bytes(buffer[at + 2 : at + 4], "big"), at + 4
        elif size > LONG:
            size, begin = int.from_bytes(buffer[at + 2 : at + 10], "big"), at + 10
        if len(buffer) < begin + size:
            break
        found.append(bytes(buffer[begin : begin + size]))
        at = begin + size
    del buffer[:at]
    return found


# Requests.


def poll(port: int, count: int, every_s: float, requests: list[str]) -> dict[str, Any]:
    """The times of answers, and their statuses."""
    socks = [connected(port) for _ in range(count)]
    return _asked(socks, [request.encode() for request in requests], every_s, float("inf"))


def ask(port: int, count: int, seconds: float, path: str) -> dict[str, Any]:
    request = REQUEST.format(path=path, headers="").encode()
    return _asked([connected(port) for _ in range(count)], [request], 0.0, time.monotonic() + seconds)


def _asked(socks: list[socket.socket], requests: list[bytes], every_s: float, until: float) -> dict[str, Any]:
    """Each connection sends its request, again when it was answered and `every_s` have passed."""
    by_number = {sock.fileno(): sock for sock in socks}
    begun = time.monotonic()
    due = {number: begun + every_s * place / len(socks) for place, number in enumerate(by_number)}
    texts = {number: requests[place % len(requests)] for place, number in enumerate(by_number)}
    sent: dict[int, float] = {}
    unread: dict[int, bytes] = dict.fromkeys(by_number, b"")
    times: list[float] = []
    statuses: Counter[str] = Counter()

    def send_due() -> float:
        now = time.monotonic()
        for number in [number for number, at in due.items() if at <= now]:
            at = due.pop(number)
            sent[number] = at if every_s else now
            by_number[number].sendall(texts[number])
        return min(due.values(), default=now + 1.0)

    for number in _readable(list(by_number), until, send_due, lambda: bool(times)):
        unread[number] += by_number[number].recv(1 << 16)
        head, blank, body = unread[number].partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if blank and len(body) >= int(length[1] if length else 0):
            unread[number] = b""
            now = time.monotonic()
            times.append(now - sent[number])
            statuses[head.split(b" ", 2)[1].decode()] += 1
            due[number] = max(sent[number] + every_s, now) if every_s else now
    return {"seconds": time.monotonic() - begun, "times": times, "statuses": statuses}


def _readable(
    numbers: list[int], until: float, before: Any = lambda: float("inf"), is_enough: Any = lambda: True
) -> Any:
    """The sockets that can be read, until stdin is closed, or that time has come and it is enough.

    `before` is called before each wait and says when next.
    """
    poller = select.epoll()
    for number in [*numbers, 0]:
        poller.register(number, select.EPOLLIN)
    print(json.dumps("ready"), flush=True)
    while time.monotonic() < until or not is_enough():
        wait_s = min(before(), until) - time.monotonic()
        for number, _ in poller.poll(min(1.0, max(0.0, wait_s))):
            if number == 0:
                return
            yield number


if __name__ == "__main__":
    what, port, *words = sys.argv[1:]
    if what == "watch":
        found = watch(int(port), words[0], int(words[1]))
    elif what == "poll":
        found = poll(int(port), int(words[0]), float(words[1]), words[2:])
    else:
        found = ask(int(port), int(words[0]), float(words[1]), words[2])
    print(json.dumps(found))
