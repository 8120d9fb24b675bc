"""Capsules, the evidence of faults: kept with their match, shown as files once its series is closed.

A capsule holds what a bot was told about its hidden dice or cards, so nobody may read it
while a match on the same deals can still be played.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from arena.errors import FAULT_KINDS, ConfigError
from arena.match.record import Capsule, Entry
from arena.words import sized

FOLDER, LEFT_OUT = "faults", "left-out.txt"
CAPSULES_MAX, CAPSULES_BYTES_MAX = 200, 4 << 20
"""How much one bot's capsules may be in a tournament, in number and packed bytes: its failures repeat."""
CAPSULE_BYTES_MAX = 100_000
"""The largest capsule, unpacked; earlier lines are left out first, because the failure comes last."""


class Room:
    """How much of its share of capsules each bot has used.

    Which capsules are kept depends on which match ends first; how many are, on their number and bytes alone.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self.taken: dict[str, tuple[int, int]] = {
            bot: (count, size) for bot, count, size in db.execute(_BY_BOT)
        }

    def is_full(self, bot: str) -> bool:
        count, size = self.taken.get(bot, (0, 0))
        return count >= CAPSULES_MAX or size >= CAPSULES_BYTES_MAX

    def take(self, bot: str, packed: bytes) -> None:
        """Counts one more capsule of a bot."""
        count, size = self.taken.get(bot, (0, 0))
        self.taken[bot] = count + 1, size + len(packed)


PUBLISHED_BYTES_MAX = 100_000_000
"""How much evidence a reader writes at once; a file counts as a block at least, however small its capsule.

A run has written most of its own before, as series closed."""
_BLOCK_BYTES = 4096
_NOTE_BYTES_MAX = 1_000
"""The space kept free for the line that says how many lines were left out."""
_MATCH_ID = re.compile(r"\w{1,64}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}")

_BY_BOT = (
    "SELECT s.bot, COUNT(*), SUM(LENGTH(c.packed)) FROM capsules c"
    " JOIN seats s ON s.match = c.match AND s.seat = c.seat GROUP BY s.bot"
)


def capsule_rows(db: sqlite3.Connection, entry: Entry, room: Room) -> list[tuple[int, int, bytes]]:
    """The rows of a match for `capsules`, without the match's number, as far as there is room for them."""
    rows: list[tuple[int, int, bytes]] = []
    rules = _rules(db) if entry.record.capsules else {}
    for capsule in sorted(entry.record.capsules, key=lambda each: (each.decision.seat, each.number)):
        bot = entry.pairing.bots[capsule.decision.seat]
        if not room.is_full(bot):
            packed = zlib.compress(_text(entry, capsule, rules))
            room.take(bot, packed)
            rows.append((int(capsule.decision.seat), capsule.number, packed))
    return rows


_CAPSULES = (
    "SELECT m.match_id, c.seat, c.number, c.packed"
    " FROM capsules c JOIN matches m ON m.number = c.match WHERE "
)
_CLOSED = "m.series_id NOT IN (SELECT series_id FROM unplayed)"


def publish_closed(db: sqlite3.Connection, folder: Path) -> None:
    """Writes the missing files of all matches whose series are closed, as far as there is room."""
    room, unwritten = PUBLISHED_BYTES_MAX, 0
    for match_id, seat, number, packed in db.execute(_CAPSULES + _CLOSED):
        path = _path(folder, match_id, seat, number)
        if not path.exists():
            if room > 0:
                text = _unpacked(packed)
                _write(path, text)
                room -= max(len(text), _BLOCK_BYTES)
            else:
                unwritten += 1
    _tell_what_is_left_out(db, folder, unwritten)


def _tell_what_is_left_out(db: sqlite3.Connection, folder: Path, unwritten: int) -> None:
    """Writes for which bots evidence of some faults was not kept, and how much of it is not written yet."""
    room = Room(db)
    kinds = " + ".join(FAULT_KINDS)
    lines = []
    for bot, (count, _) in sorted(room.taken.items()):
        if room.is_full(bot):
            ((faults,),) = db.execute(f"SELECT SUM({kinds}) FROM seats WHERE bot = ?", (bot,))
            lines.append(f"{bot}: {faults - count} more faults, of which no evidence was kept\n")
    if lines:
        limit = f"of one bot's {CAPSULES_MAX} faults at most, and {sized(CAPSULES_BYTES_MAX)}, packed"
        lines.append(f"Evidence is kept {limit}.\n")
    if unwritten:
        lines.append(f"{unwritten} more are written by the next `arena leaderboard`.\n")
    if lines:
        _write(folder / FOLDER / LEFT_OUT, "".join(lines).encode())


def publish_matches(db: sqlite3.Connection, folder: Path, match_ids: Iterable[str]) -> None:
    """Writes the files of these matches; the caller must know that their series are closed.

    Asking the database each time would cost as much as going through the whole schedule.
    """
    for match_id in match_ids:
        for _, seat, number, packed in db.execute(f"{_CAPSULES} m.match_id = ?", (match_id,)):
            _write(_path(folder, match_id, seat, number), _unpacked(packed))


def told_capsule(db: sqlite3.Connection, name: str, bots: Sequence[str]) -> bytes | None:
    """The evidence that is called so, if it is about one of these bots and its series is closed.

    Raises ConfigError if it is damaged.
    """
    match_id, _, rest = name.removesuffix(".jsonl").partition("-")
    seat, _, number = rest.partition("-")
    if not (_NUMBER.fullmatch(seat) and _NUMBER.fullmatch(number)):
        return None
    marks = ", ".join("?" * len(bots))
    about = (
        f"EXISTS (SELECT 1 FROM seats s WHERE s.match = c.match AND s.seat = c.seat AND s.bot IN ({marks}))"
    )
    which = f"m.match_id = ? AND c.seat = ? AND c.number = ? AND {_CLOSED} AND {about}"
    for *_, packed in db.execute(_CAPSULES + which, (match_id, int(seat), int(number), *bots)):
        return _unpacked(packed)
    return None


def _unpacked(packed: bytes) -> bytes:
    """The bytes of a capsule.  Raises ConfigError if it is larger than those we write, or damaged."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, CAPSULE_BYTES_MAX + _NOTE_BYTES_MAX)
    except (zlib.error, TypeError):
        text = b""
    if not text or not unpacker.eof:
        raise ConfigError(
            f"a capsule is damaged, or larger than {CAPSULE_BYTES_MAX:,} bytes: ask for the folder again"
        )
    return text


def _path(folder: Path, match_id: object, seat: object, number: object) -> Path:
    """Where the file of a capsule belongs.  Raises ConfigError if that would be outside of the folder."""
    is_id = isinstance(match_id, str) and _MATCH_ID.fullmatch(match_id)
    if not (is_id and isinstance(seat, int) and isinstance(number, int)):
        raise ConfigError(
            f"{folder}: evidence belongs to {ascii(match_id)[:80]}, which is not the id of a match: "
            "ask for the folder again"
        )
    return folder / capsule_name(str(match_id), seat, number)


def capsule_name(match_id: str, seat: int, number: int) -> str:
    """The path of a capsule's file within the results folder."""
    return f"{FOLDER}/{match_id}-{seat}-{number}.jsonl"


_LOG = re.compile(rb'\{"log": "(logs/[\w.%~-]+\.log)"\}')


def log_in(packed: bytes) -> str:
    """The log that a capsule names, within the results folder; empty if it names none."""
    for line in reversed(_unpacked(packed).splitlines()):
        if named := _LOG.fullmatch(line):
            return named[1].decode()
    return ""


def printed_in(packed: bytes) -> str:
    """The end of what the bot printed in the match of a capsule; empty if it printed nothing."""
    for line in reversed(_unpacked(packed).splitlines()):
        if line.startswith(b'{"stderr":'):
            return str(json.loads(line)["stderr"])
    return ""


def _write(path: Path, content: bytes) -> None:
    """Writes a file, whole or not at all."""
    path.parent.mkdir(exist_ok=True)
    place = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    place.write_bytes(content)
    place.replace(path)


def sealed_again(db: sqlite3.Connection, match_id: str) -> list[str]:
    """The matches whose evidence must be hidden when this one is to be played again: all of its series."""
    series = "(SELECT series_id FROM matches WHERE match_id = ?)"
    found = db.execute(
        f"SELECT DISTINCT m.match_id FROM capsules c JOIN matches m ON m.number = c.match"
        f" WHERE m.series_id = {series}",
        (match_id,),
    )
    return [id for (id,) in found]


def withdraw(folder: Path, match_ids: Iterable[str]) -> None:
    """Removes the files of these matches."""
    for match_id in match_ids:
        for path in (folder / FOLDER).glob(f"{match_id}-*.jsonl"):
            path.unlink(missing_ok=True)


def _rules(db: sqlite3.Connection) -> object:
    """The house rules that the folder names; empty if it names none."""
    row = db.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()
    identity = json.loads(row[0]) if row else {}
    return identity.get("rules", {}) if isinstance(identity, dict) else {}


def _text(entry: Entry, capsule: Capsule, rules: object) -> bytes:
    """The text of a capsule, a JSON object a line: what failed, then the evidence, oldest first."""
    decision = capsule.decision
    header = {
        "match_id": entry.match_id,
        "game": entry.pairing.game,
        "rules": rules,
        "seat": int(decision.seat),
        "bot": entry.pairing.bots[decision.seat],
        "turn": decision.turn,
        "fault": decision.fault,
        "reason": decision.reason,
        "elapsed_s": round(decision.elapsed_s, 6),
    }
    first, *lines = [_line(line) for line in (header, *capsule.lines)]
    room, kept = CAPSULE_BYTES_MAX - len(first), list[bytes]()
    while lines and len(lines[-1]) <= room:
        room -= len(lines[-1])
        kept.append(lines.pop())
    if lines:
        kept.append(_line({"left_out": f"{len(lines)} lines before these"}))
    return b"".join([first, *reversed(kept)])


def _line(said: Mapping[str, object]) -> bytes:
    return f"{json.dumps(said, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")
