"""The whole conversations of bots that are debugged: JSON Lines in the folder of logs, of bounded size."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from io import BufferedWriter
from pathlib import Path

from arena.errors import ConfigError
from arena.players.stream import StreamPlayer
from arena.players.transcript import Direction, blanked
from arena.tournament.logs import file_name

CONVERSATIONS_BYTES_MAX = 200_000_000
"""In all files of a run together."""


class Conversations:
    """Writes down what is said to these bots and by them, a file for each instance."""

    def __init__(self, bots: Collection[str], folder: Path) -> None:
        self._bots = frozenset(bots)
        self._folder = folder
        self._files: dict[StreamPlayer, BufferedWriter] = {}
        self._numbers: Counter[str] = Counter()
        self._room = CONVERSATIONS_BYTES_MAX

    def attend(self, bot: str, player: object, match_id: str) -> None:
        """A match of this player begins.  Raises ConfigError if its file cannot be written."""
        if bot not in self._bots or not isinstance(player, StreamPlayer):
            return
        if player not in self._files:
            self._files[player] = self._opened(bot)
            player.overhear(lambda now, direction, octets: self._note(player, now, direction, octets))
        self._write(player, {"match_id": match_id})

    def _opened(self, bot: str) -> BufferedWriter:
        """The file of one more instance."""
        name = file_name(bot)
        while True:
            self._numbers[name] += 1
            path = self._folder / f"{name}-{self._numbers[name]}-conversation.jsonl"
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                return path.open("xb")
            except FileExistsError:
                continue
            except OSError as error:
                raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error

    def _note(self, player: StreamPlayer, now: float, direction: Direction, octets: bytes) -> None:
        text = blanked(octets.decode("utf-8", "backslashreplace").rstrip("\n"), player.secrets)
        self._write(player, {"t_s": round(now, 6), "dir": direction, "text": text})

    def _write(self, player: StreamPlayer, line: dict[str, object]) -> None:
        octets = json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        if self._room <= 0:
            return
        self._room -= len(octets)
        try:
            self._files[player].write(octets)
            if self._room <= 0:
                self._files[player].write(b'{"note": "there is no room for more"}\n')
        except OSError:  # a full disk must not end a match
            self._room = 0

    def close(self) -> None:
        """Writes what is left."""
        for file in self._files.values():
            try:
                file.close()
            except OSError:
                pass
