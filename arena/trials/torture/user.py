"""Runs commands as a user without rights, from an arena that root runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

USER_ID = 65534
"""The id of the user `nobody`, on every system."""
DROP = ("setpriv", f"--reuid={USER_ID}", f"--regid={USER_ID}", "--clear-groups", "--no-new-privs")
OPEN = """
set -e
if [ -n "$SHUT" ]; then
    mkdir -p -m 755 "$HELD"
    mount --bind "$BASE" "$HELD"
    mount -t tmpfs -o mode=755 none "$SHUT"
    mkdir -p "$BASE"
    mount --bind "$HELD" "$BASE"
fi
exec "$@"
"""
"""Runs a command that sees only the interpreter in a folder that is shut to others, such as /root."""


def shut_above(path: Path) -> str:
    """The topmost folder on the way to a path that others cannot enter; empty if there is none."""
    return next((str(top) for top in reversed([path, *path.parents]) if not top.stat().st_mode & 0o001), "")


def run_as_user(
    home: Path, words: Sequence[str], *, stderr: int | None = None, timeout_s: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command as that user, in a folder that it may write to; returns what it printed.

    Raises OSError if there is no `setpriv` or `unshare`, and subprocess.TimeoutExpired.
    """
    base = Path(sys.base_prefix).resolve()
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "SHUT": shut_above(base),
        "BASE": str(base),
        "HELD": str(home / "python"),
    }
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", OPEN, "sh", *DROP, *words],
        cwd=home,
        env=env,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        check=False,
        timeout=timeout_s,
        stdin=subprocess.DEVNULL,
    )
