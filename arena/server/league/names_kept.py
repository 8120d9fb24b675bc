"""Keeps the names of a league's bots beside its folder, where commands that read the folder find them."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import trio

from arena.league.league import League
from arena.server.kept.keeping import not_kept
from arena.store.files import made
from arena.store.shown_names import names_file, names_text


class KeptNames:
    """The file with the names of one league's bots."""

    def __init__(self, folder: Path) -> None:
        """`folder`: in which the league's matches lie."""
        self._path = names_file(folder)
        self._said = ""
        """What the file is known to say."""
        self._turn = trio.Lock()

    def keep_now(self, league: League) -> None:
        """Writes the names if they are not those of the file, or it is not known what that says.

        Raises OSError.
        """
        text = names_text(
            {each.id: each.name for each in league.entries.values() if each.shown_name != each.id}
        )
        if text != self._said:
            self._write(text)
            self._said = text

    async def keep(self, league: League) -> None:
        """Writes them in a thread.  Raises Refusal if the disk fails."""
        async with self._turn:
            try:
                await trio.to_thread.run_sync(self.keep_now, league)
            except OSError:
                raise not_kept() from None

    def _write(self, text: str) -> None:
        # Under a name that nobody can guess: the user who plays the league may write there, too.
        made(self._path.parent)
        descriptor, draft = tempfile.mkstemp(dir=self._path.parent, prefix=".names-")
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(draft, self._path)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise
