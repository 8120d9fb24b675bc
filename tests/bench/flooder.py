"""Floods a port of the arena as hard as one process can; ends by itself after a minute.

`flooder.py bot`, with ARENA_PORT and ARENA_TOKEN: says hello, then floods over 16 connections.
`flooder.py strangers PORT COUNT`: COUNT connections that never say who they are, opened again and again.
"""

import os
import select
import socket
import sys
import time

ENDS_IN_S = 60
HEARD_IN_S = 0.5
"""Who floods before the arena has heard its name is refused, and nothing is measured."""
JUNK = b"{\n" * 32768
"""What used to cost most to read: 204 ms for every 64 kB."""


def opened(port: int) -> socket.socket:
    sock = socket.socket()
    sock.setblocking(False)
    sock.connect_ex(("127.0.0.1", port))
    return sock


def flood(port: int, count: int, first: bytes) -> None:
    """Keeps this many connections open and full; `first` is sent on the first one before anything else."""
    poll = select.epoll()
    socks: dict[int, tuple[socket.socket, bytes]] = {}
    if first:
        sock = opened(port)
        sock.setblocking(True)
        sock.sendall(first)
        sock.setblocking(False)
        time.sleep(HEARD_IN_S)
        socks[sock.fileno()] = (sock, b"")
        poll.register(sock, select.EPOLLOUT)
    ends_at = time.monotonic() + ENDS_IN_S
    while time.monotonic() < ends_at:
        while len(socks) < count:
            sock = opened(port)
            socks[sock.fileno()] = (sock, b"")
            poll.register(sock, select.EPOLLOUT)
        for fd, _ in poll.poll(1.0):
            sock, waiting = socks[fd]
            try:
                sent = sock.send(waiting or JUNK)
                socks[fd] = (sock, waiting[sent:])
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(fd)
                del socks[fd]
                sock.close()
                time.sleep(0.001)


if __name__ == "__main__":
    if sys.argv[1] == "bot":
        token = os.environ.get("ARENA_TOKEN", "")
        hello = b'{"name":"flooder","token":"%b"}\n' % token.encode()
        flood(int(os.environ["ARENA_PORT"]), 16, hello)
    else:
        flood(int(sys.argv[2]), int(sys.argv[3]), b"")
