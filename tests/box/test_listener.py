"""The listening socket within a box: made in its network at whatever point bubblewrap is."""

from __future__ import annotations

import os
import re
import socket
import subprocess

import pytest
from boxes import STRICT, need

from arena.box.bubblewrap import program
from arena.box.guard import _listen_inside
from arena.box.processes import children

pytestmark = pytest.mark.slow


def test_a_listener_is_made_after_bubblewrap_has_nested_its_users_too():
    """Which of both is first is a race: one start in thirty lost it on a busy machine, and the run refused the bot."""
    need(STRICT)
    reads, info = os.pipe()
    words = ["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--die-with-parent"]
    words += ["--ro-bind", "/", "/", "--proc", "/proc", "--info-fd", str(info), "--", "cat"]
    boxed = subprocess.Popen(
        [program(), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[info]
    )
    try:
        os.close(info)
        boxed.stdin.write(b"!")
        boxed.stdin.flush()
        assert b"!" == boxed.stdout.read(1)  # it runs: all namespaces are made
        with open(reads, "rb") as said:
            inner = int(re.search(rb'"child-pid": (\d+)', said.read(4096))[1])
        assert children(inner)
        with socket.socket(fileno=_listen_inside(inner)) as listener:
            assert 1 == listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    finally:
        boxed.kill()
        boxed.wait()
        boxed.stdin.close()
        boxed.stdout.close()
