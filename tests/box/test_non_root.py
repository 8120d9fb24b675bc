"""A whole tournament by a user without rights: it has its box, plays, and leaves nobody behind."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tournaments import BAD

pytestmark = pytest.mark.slow

NOBODY = 65534
DROP = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
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
"""With mounts of its own: only the interpreter is seen in a folder that is shut to others, such as /root."""
WHO = """
import os
print("bot of", os.getuid(), flush=True)
if os.fork() == 0:
    os.setsid()
    os.execve("/bin/sleep", ["sleep", "600"], {})
"""
GONE_S_MAX = 5.0


def shut_above(path: Path) -> str:
    """The topmost folder on the way there that others cannot enter; empty if there is none."""
    return next((str(top) for top in reversed([path, *path.parents]) if not top.stat().st_mode & 0o001), "")


@pytest.fixture
def home():
    """A folder of nobody's; those of pytest are shut to others."""
    made = Path(tempfile.mkdtemp(prefix="nobody-"))
    for name in ("mine.py", "yours.py"):
        (made / name).write_text(WHO + (BAD / "honest.py").read_text())
    os.chown(made, NOBODY, NOBODY)
    yield made
    shutil.rmtree(made)


def as_nobody(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What this command says as a user without rights, in mounts of its own if the interpreter is root's alone."""
    base = Path(sys.base_prefix).resolve()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "SHUT": shut_above(base),
        "BASE": str(base),
        "HELD": str(home / "python"),
    }
    words = ("unshare", "--mount", "sh", "-c", OPEN, "sh", *DROP, *words)
    return subprocess.run(
        words,
        cwd=home,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def need_nobody(home: Path) -> None:
    """Skips the test where nobody cannot be, says what it lacks."""
    if os.getuid() != 0:
        pytest.skip("only root can become nobody; the other tests are those of a user without rights")
    for wanted, words in (
        ("read the interpreter and this package", [sys.executable, "-c", "import arena.cli"]),
        ("make user namespaces", ["bwrap", "--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"]),
    ):
        tried = as_nobody(home, *words)
        if tried.returncode:
            pytest.skip(f"nobody cannot {wanted}: {tried.stderr.strip()[-300:]}")


def table(home: Path, name: str) -> list[dict[str, str]]:
    with (home / "out" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("level", ["shield", "strict"])
def test_a_tournament_of_nobody(home, level):
    """Exit code 0, all tables, the box that was asked for, bots of the same user, and no process left."""
    need_nobody(home)
    before = processes()
    words = ("run", "mine.py", "yours.py", "--series", "2", "--sandbox", level, "-q", "--out", "out")
    ended = as_nobody(home, sys.executable, "-m", "arena.cli", *words)
    assert (0, "") == (ended.returncode, ended.stderr)
    assert {f"{level} (bubblewrap)"} == {row["box"] for row in table(home, "bots")}
    assert [4, 8, 2] == [len(table(home, name)) for name in ("matches", "seats", "bots")]
    assert {"0"} == {row["gone"] for row in table(home, "seats")}
    assert {NOBODY} == {path.stat().st_uid for path in (home / "out").rglob("*")}
    said = (home / "out" / "logs" / "mine-1.log").read_text()
    assert f"bot of {NOBODY}\n" == said
    ends_at = time.monotonic() + GONE_S_MAX
    while (left := processes() - before) and time.monotonic() < ends_at:
        time.sleep(0.05)
    assert set() == left


def processes() -> set[int]:
    """Those of nobody."""
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if place.stat().st_uid == NOBODY:
                found.add(int(place.name))
    return found
