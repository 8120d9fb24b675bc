"""The targets of attacks: an agent that listens, and a terminal of the same user."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def targets(agent: Path) -> Iterator[Callable[[str], str]]:
    """Yields a function from an attack's name to its target.  `agent`: where to listen, a short path."""
    abstract = f"arena-{secrets.token_hex(8)}"
    with ExitStack() as undo:
        for name in (str(agent), "\0" + abstract):
            listener = undo.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(name)
            listener.listen()
        undo.callback(agent.unlink, missing_ok=True)
        for fd in (terminal := os.openpty()):
            undo.callback(os.close, fd)
        aims = {"agent": str(agent), "agent-abstract": abstract, "terminal": os.ttyname(terminal[1])}
        yield lambda attack: aims.get(attack, "")
