"""Dask clusters of real processes for tests: a scheduler and its workers, on ports that the system chooses."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tournaments import alive

HOUSE = Path(__file__).parent.parent.parent
COMES_S = 30.0


class DaskCluster:
    """A scheduler; workers are started as they are wanted."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.mark = secrets.token_hex(8)
        """In the environment of all its processes, and of what these start."""
        self.processes = [
            self._start("scheduler", "--port", "0", "--scheduler-file", str(place / "scheduler.json"))
        ]
        self.address = ""

    def _start(self, command: str, *words: str, **env: str) -> subprocess.Popen[bytes]:
        with (self.place / f"{command}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", command, "--host", "127.0.0.1", "--no-dashboard", *words],
                cwd=self.place,
                env={
                    **os.environ,
                    "ARENA_TEST_MARK": self.mark,
                    "XDG_CACHE_HOME": str(self.place / "cache"),
                    **env,
                },
                stdout=log,
                stderr=log,
            )

    def add_worker(self, host: str = "", **env: str) -> subprocess.Popen[bytes]:
        """Starts a worker of one thread; `has_all` says when it is there.

        `host`: it believes to be on a host of that name, and has that host's cache, `place / host / "cache"`.
        """
        file = self.place / "scheduler.json"
        came = _until(lambda: file.exists() and file.read_text().endswith("}"))
        assert came, (self.place / "scheduler.log").read_text()
        self.address = json.loads(file.read_text())["address"]
        words = ("--nthreads", "1", "--no-nanny", "--local-directory", str(self.place / host / "scratch"))
        if host:
            env = {**_as_host(self.place / host), **env}
        self.processes.append(self._start("worker", self.address, *words, **env))
        return self.processes[-1]

    def has_all(self) -> bool:
        """Waits until the workers are there that were started."""
        return _until(
            lambda: (self.place / "worker.log").read_text().count("Registered to") >= len(self.processes) - 1
        )

    def arena(self, *words: str, cwd: Path) -> subprocess.Popen[str]:
        """`arena WORDS`, a command that plays, on this cluster."""
        return subprocess.Popen(
            [sys.executable, "-m", "arena", *words, "--cluster", self.address],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(HOUSE), "ARENA_TEST_MARK": self.mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def others(self) -> list[int]:
        """The processes that stay besides those of Dask itself: those of runs, of workers of the arena, of bots."""
        own = {process.pid for process in self.processes}
        _until(lambda: not set(alive(self.mark)) - own)
        return sorted(set(alive(self.mark)) - own)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
        for pid in alive(self.mark):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()


def _as_host(home: Path) -> dict[str, str]:
    """The environment of programs on a host named like this folder; no right to name a host is needed."""
    home.mkdir(exist_ok=True)
    (home / "sitecustomize.py").write_text(f"import platform\n\nplatform.node = lambda: {home.name!r}\n")
    return {"PYTHONPATH": str(home), "XDG_CACHE_HOME": str(home / "cache")}


def _until(is_so) -> bool:
    ends_at = time.monotonic() + COMES_S
    while not (found := is_so()) and time.monotonic() < ends_at:
        time.sleep(0.05)
    return bool(found)
