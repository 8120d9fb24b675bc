"""What runs on the machines of owners, Windows and macOS among them: it imports nothing that is missing there."""

from __future__ import annotations

import subprocess
import sys

import pytest

ELSEWHERE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "grp", "pwd", "resource", "termios", "tty"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty"):
    sys.modules.pop(name, None)
from arena.cli import cli
from arena.sdk import Bot, run
import arena.terminal.leagues.submitting
cli.main(["new", "mybot"], standalone_mode=False)
from arena.terminal.leagues.bot_here import start_here
from arena.terminal.leagues.joining import bring_bot, own_bot
from arena.handin.pack import pack_bot
here = start_here(own_bot("./mybot"))
print(here.line(20).decode())
here.end()
"""


@pytest.mark.slow
def test_a_bot_is_written_and_started_where_only_windows_has_modules(tmp_path):
    """`arena new`, `submit`, `join` and the SDK."""
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    assert '"type":"hello"' in done.stdout
