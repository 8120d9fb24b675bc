"""Dask clusters of real processes for tests: a scheduler and its workers, on ports that the system chooses."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from tournaments import alive

HOUSE = Path(__file__).parent.parent.parent
COMES_S = 30.0
RUN_S = 180.0
"""A run that has not said by then what is waited for, or not ended, never will."""


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

    def goes_on_when_lost(
        self,
        waits: subprocess.Popen[bytes],
        doomed: subprocess.Popen[bytes],
        runs: list[subprocess.Popen[str]],
    ) -> int:
        """Has a worker that stops itself go on once another one is dead, until the runs are over.

        Returns how often it stopped.  Raises AssertionError if the runs do not end.
        """
        stops, is_stopped, ends_at = 0, False, time.monotonic() + RUN_S
        while any(run.poll() is None for run in runs):
            pid, _ = os.waitpid(waits.pid, os.WNOHANG | os.WUNTRACED)
            stops, is_stopped = stops + bool(pid), is_stopped or bool(pid)
            if is_stopped and doomed.poll() is not None:
                waits.send_signal(signal.SIGCONT)
                is_stopped = False
            if time.monotonic() > ends_at:
                log = (self.place / "worker.log").read_text()
                raise AssertionError(
                    f"not over after {RUN_S:g} s; stopped {stops} times, lost: {doomed.poll()}; {log}"
                )
            time.sleep(0.05)
        return stops

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


def heard(run: subprocess.Popen[str], words: str) -> str:
    """What a run says until it says this.  Raises AssertionError if it ends before, or is killed for taking too long."""
    said = ""
    limit = threading.Timer(RUN_S, run.kill)
    limit.start()
    try:
        while words not in said:
            line = run.stdout.readline()
            assert line, f"{words!r} was not said: {said}"
            said += line
    finally:
        limit.cancel()
    return said


def last_heard(run: subprocess.Popen[str]) -> str:
    """What a run says until it ends.  Raises AssertionError if it does not end."""
    with suppress(subprocess.TimeoutExpired):
        return run.communicate(timeout=RUN_S)[0]
    run.kill()
    raise AssertionError(f"the run had not ended after {RUN_S:g} s: {run.communicate()[0]}")


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
