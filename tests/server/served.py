"""`arena serve` as a process of its own, on free ports."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs


@attrs.frozen
class Served:
    """A server that runs."""

    process: subprocess.Popen[str]
    http: str
    """http://HOST:PORT, or https:, with the base path if there is one."""
    tcp: tuple[str, int]


@contextmanager
def a_server(
    data: Path,
    http: str = "127.0.0.1:0",
    tcp: str = "127.0.0.1:0",
    *options: str,
    is_quick: bool = False,
) -> Iterator[Served]:
    """A server, which is killed at the end; a quick one makes no pauses for people."""
    program = ["tests.server.quick_serve"] if is_quick else ["arena", "serve"]
    command = [sys.executable, "-m", *program, "--http", http, "--listen", tcp, "--data", str(data)]
    command += options
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            said = ""
            for line in process.stderr:
                said += line
                if found := re.search(r"(https?://\S+), bots on (\S+):(\d+)", line):
                    break
            else:
                raise AssertionError(said)
            yield Served(process, found[1], (found[2], int(found[3])))
        finally:
            process.kill()
