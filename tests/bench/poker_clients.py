"""Programs that play Hold'em and only check and call: in Python and compiled."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from arena.bench.clients import Client
from arena.games import GAMES, SERVICES

HERE = Path(__file__).parent
CHECK_CALL, CHECK_CALL_SOURCE = HERE / "check_call.py", HERE / "check_call.cpp"


def check_and_call(protocol: str, **rules: int) -> Client:
    """The Python program that checks and calls, in the `plain` or the `full` protocol."""
    command = (sys.executable, str(CHECK_CALL), protocol)
    return Client(f"{protocol} protocol", command, HERE, GAMES[SERVICES["poker"]](**rules))


def compiled_check_and_call(**rules: int) -> Client | None:
    """The compiled program that checks and calls, plain; None on a machine without a compiler."""
    program = _built()
    if program is None:
        return None
    return Client("plain protocol", (str(program),), HERE, GAMES[SERVICES["poker"]](**rules))


@cache
def _built() -> Path | None:
    """The program, built once; its folder is removed when this process ends."""
    if shutil.which("g++") is None:
        return None
    folder = _keep(tempfile.TemporaryDirectory(prefix="arena-bench-"))
    program = folder / CHECK_CALL_SOURCE.stem
    subprocess.run(["g++", "-std=c++17", "-O2", "-o", str(program), str(CHECK_CALL_SOURCE)], check=True)
    return program


def _keep(folder: tempfile.TemporaryDirectory[str]) -> Path:
    _kept.append(folder)
    return Path(folder.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []
