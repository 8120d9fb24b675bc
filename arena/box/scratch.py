"""The folder for what boxed programs write for a while, and its end."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Removes the folder, however deep a bot has nested others in it."""
    import shutil  # not when the keeper starts: that would take as long as a bot's start
    import subprocess

    with suppress(RecursionError):  # up to Python 3.12 it calls itself for each
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        subprocess.run(["rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False)
