"""Programs of the bench in processes of their own, which take lines and say lines of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from arena.bench.runner import PATIENCE_S

HOUSE = Path(__file__).resolve().parents[2]
"""The repository: where programs of the bench are started, so that they find each other."""


@attrs.define
class Program:
    """A process of ours that says lines of JSON."""

    process: subprocess.Popen[bytes]

    def hear(self) -> Any:
        assert self.process.stdout is not None, "it is a pipe"
        return json.loads(self.process.stdout.readline())

    def tell(self, line: bytes) -> None:
        assert self.process.stdin is not None, "it is a pipe"
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def end(self) -> Any:
        """Closes its stdin; gives what it says then."""
        assert self.process.stdin is not None, "it is a pipe"
        self.process.stdin.close()
        return self.hear()


@contextmanager
def talking_program(name: str, *words: object) -> Iterator[Program]:
    """A program of the bench, ended on exit, and after a while whatever happens."""
    command = [sys.executable, "-m", f"tests.bench.{name}", *map(str, words)]
    with subprocess.Popen(command, cwd=HOUSE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        overdue = threading.Timer(PATIENCE_S, process.kill)
        overdue.start()
        try:
            yield Program(process)
        finally:
            overdue.cancel()
            process.kill()
