"""Many bots in one process that answer each question a fixed time after it came.

    python sleepers.py PORT DELAY_S TOKEN:COUNT...

Standard library only, one thread, `select.poll`.  At its end it prints how late it was itself, in
seconds: what is late here is no fault of the arena's.
"""

from __future__ import annotations

import heapq
import json
import select
import socket
import sys
import time


def move_of(question):
    """Bids low on turn, raises once in a while, doubts what cannot well be: legal, and soon at an end."""
    _, count = question["last_bid"]
    hands = question["other_hands"]
    if hands[0][0] != "yourself":
        return "pass"
    dice = sum(number for _, number in hands)
    if count == 0:
        return [1, 1]
    return "challenge" if count * 2 > dice else [6, count + 1]


def main(port, delay_s, *groups):
    poll, connections, waiting = select.poll(), {}, []
    for group in groups:
        token, count = group.split(":")
        for _ in range(int(count)):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(json.dumps({"name": "sleeper", "token": token}).encode())
            connections[connection.fileno()] = connection
            poll.register(connection, select.POLLIN)
    lateness = []
    while connections:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            due, fd, answer = heapq.heappop(waiting)
            if fd in connections:
                try:
                    connections[fd].send(answer)
                except OSError:
                    pass
                lateness.append(time.monotonic() - due)
        timeout_ms = max(0.0, (waiting[0][0] - time.monotonic()) * 1000) if waiting else None
        # Rounded up by poll to whole milliseconds, which is part of "about".
        for fd, _ in poll.poll(timeout_ms):
            chunk = b""
            try:
                chunk = connections[fd].recv(65536)
            except OSError:
                pass
            arrived_at = time.monotonic()
            if not chunk:
                poll.unregister(fd)
                connections.pop(fd).close()
                continue
            question = json.loads(chunk)
            answer = json.dumps({"message_id": question["message_id"], "move": move_of(question)}).encode()
            heapq.heappush(waiting, (arrived_at + delay_s, fd, answer))
    lateness.sort()
    quantile = {
        f"p{q:g}": lateness[min(len(lateness) - 1, int(len(lateness) * q / 100))] for q in (50, 99, 99.9)
    }
    print(json.dumps({"answers": len(lateness), **quantile, "worst": lateness[-1]}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
