"""Keeps the whole conversations of bots that are debugged, as JSON Lines of bounded size beside the logs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from io import BufferedWriter
from pathlib import Path
from typing import Any

from arena.errors import ConfigError, unwritable
from arena.players.process import ProcessPlayer
from arena.players.stream import StreamPlayer
from arena.players.transcript import Direction, blanked
from arena.reading.strict import read_regular
from arena.tournament.play.logs import FOLDER as LOGS
from arena.tournament.play.logs import file_name
from arena.tournament.play.share import WHOLE, Share

NAME_END = "-conversation.jsonl"
CONVERSATIONS_BYTES_MAX = 200_000_000
"""How large all conversations of a run may be together."""


class Conversations:
    """Records what is said to and by the debugged bots, in a file for each instance."""

    def __init__(self, bots: Collection[str], folder: Path, share: Share = WHOLE) -> None:
        self._bots = frozenset(bots)
        self._folder = folder
        self._files: dict[StreamPlayer, BufferedWriter] = {}
        self._numbers: Counter[str] = Counter()
        self._printed: dict[StreamPlayer, int] = {}
        """How much each player had printed when the last message was noted (bytes)."""
        self._said_at: dict[StreamPlayer, float] = {}
        """When the last message to or from each player was noted."""
        self._room = share.part(CONVERSATIONS_BYTES_MAX)

    def attend(self, bot: str, player: object, match_id: str) -> None:
        """Records that a match of this player begins.  Raises ConfigError if its file cannot be written."""
        if bot not in self._bots or not isinstance(player, StreamPlayer):
            return
        if player not in self._files:
            self._files[player] = self._opened(bot)
            player.overhear(lambda now, direction, octets: self._note(player, now, direction, octets))
        else:
            self._note_printed(player, self._said_at.get(player, 0.0))  # which belongs to the match before
        self._write(player, {"match_id": match_id})

    def _opened(self, bot: str) -> BufferedWriter:
        """Opens a new file for one more instance."""
        name = file_name(bot)
        while True:
            self._numbers[name] += 1
            path = self._folder / f"{name}-{self._numbers[name]}{NAME_END}"
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                return path.open("xb")
            except FileExistsError:
                continue
            except OSError as error:
                raise unwritable(path, error) from error

    def _note(self, player: StreamPlayer, now: float, direction: Direction, octets: bytes) -> None:
        self._note_printed(player, now)
        self._said_at[player] = now
        text = blanked(octets.decode("utf-8", "backslashreplace").rstrip("\n"), player.secrets)
        self._write(player, {"t_s": round(now, 6), "dir": direction, "text": text})

    def _note_printed(self, player: StreamPlayer, now: float) -> None:
        """Records what the bot has printed since the last message, so that it stands before the answer."""
        if not isinstance(player, ProcessPlayer):
            return
        player.log.take_rest()  # else output would stand below the answer that it came before
        before, player_total = self._printed.get(player, player.log.total), player.log.total
        self._printed[player] = player_total
        if player_total > before:
            for line in blanked(player.log.since(before), player.secrets).splitlines():
                self._write(player, {"t_s": round(now, 6), "dir": "|", "text": line})

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
        """Writes the rest and closes all files: a program that fails says why after its connection closes."""
        for player, file in self._files.items():
            self._note_printed(player, self._said_at.get(player, 0.0))
            try:
                file.close()
            except OSError:
                pass


def conversation_in(folder: Path, bot: str, match_id: str) -> list[dict[str, Any]]:
    """The messages to and from this bot in one match; empty if they were not kept.

    Raises ConfigError if a file cannot be read.
    """
    found: list[dict[str, Any]] = []
    own = re.compile(rf"{re.escape(file_name(bot))}-[0-9]+{re.escape(NAME_END)}", re.ASCII)
    for path in sorted((folder / LOGS).glob(f"*{NAME_END}")):
        if not own.fullmatch(path.name):  # `ann` is not `ann-2`
            continue
        is_it = False
        for line in _lines_of(path):
            said = _object_of(line)
            if "match_id" in said:
                is_it = said["match_id"] == match_id
            elif is_it and "text" in said:
                found.append(said)
    return found


def _lines_of(path: Path) -> list[str]:
    try:
        return read_regular(path, 2 * CONVERSATIONS_BYTES_MAX).decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from None


def _object_of(line: str) -> dict[str, Any]:
    """The JSON object in a line; an empty one if there is none, as at the end of a run that was killed."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
