"""How a command is run in a world, and why it cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

ENTER = Path(__file__).with_name("enter.py")
WORLDS: Mapping[str, str] = {
    "bubblewrap": "shield (bubblewrap)",
    "refused": "shield (landlock)",
    "landlock": "shield (landlock)",
    "neither": "shield (limits)",
}
"""World -> what bots run in there: bubblewrap, bubblewrap that may create no namespace, none, nor Landlock."""
USERS = ("root", "user")
_TRIED_S_MAX = 60


def entered(world: str, home: Path | None, *command: str | Path) -> list[str]:
    """The words that run a command in the world, as the user without rights whose home this is, or as we are."""
    own = [] if os.getuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return [
        *("unshare", "--mount", *own, sys.executable, str(ENTER)),
        *(world, "-" if home is None else str(home), *map(str, command)),
    ]


@lru_cache
def unavailable(world: str, user: str = "", home: Path | None = None) -> str:
    """Why this world cannot be entered by this user; empty if it can."""
    if user and (user == "root") != (home is None):
        raise ValueError("a user without rights has a home, and root needs none")
    if user and os.getuid() != 0:
        return f"only root can be {user}: the other tests are those of a user without rights"
    words = [sys.executable, "-c", "import arena.cli"]
    if world == "bubblewrap":
        words = ["bwrap", *(() if user == "root" else ("--unshare-user",)), "--ro-bind", "/", "/", *words]
    tried = subprocess.run(
        entered(world, home, *words), capture_output=True, text=True, timeout=_TRIED_S_MAX, check=False
    )
    return "" if tried.returncode == 0 else f"{world} cannot be entered: {tried.stderr.strip()[-300:]}"
