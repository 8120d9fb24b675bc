"""Capsules, the evidence of faults: kept with their match, shown as files once its series is closed.

A capsule holds what a bot was told of its hidden dice or cards, so nobody may read it
while a match on the same deals can still be played.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path

from arena.record import Capsule, Entry

FOLDER = "faults"


def capsule_rows(db: sqlite3.Connection, entry: Entry) -> list[tuple[int, int, bytes]]:
    """The rows of a match in `capsules`, without its number."""
    if not entry.record.capsules:
        return []
    rules = _rules(db)
    return sorted(
        (int(capsule.decision.seat), capsule.number, zlib.compress(_text(entry, capsule, rules)))
        for capsule in entry.record.capsules
    )


_CAPSULES = (
    "SELECT m.match_id, c.seat, c.number, c.packed"
    " FROM capsules c JOIN matches m ON m.number = c.match WHERE "
)
_CLOSED = "m.series_id NOT IN (SELECT series_id FROM unplayed)"


def publish(db: sqlite3.Connection, folder: Path) -> None:
    """Writes what is missing of the files of all matches whose series are closed."""
    for match_id, seat, number, packed in db.execute(_CAPSULES + _CLOSED):
        path = _path(folder, match_id, seat, number)
        if not path.exists():
            _write(path, packed)


def publish_matches(db: sqlite3.Connection, folder: Path, match_ids: Iterable[str]) -> None:
    """Writes the files of these matches; that their series are closed is the caller's word.

    To ask the database each time would cost as much as the whole schedule is long.
    """
    for match_id in match_ids:
        for _, seat, number, packed in db.execute(f"{_CAPSULES} m.match_id = ?", (match_id,)):
            _write(_path(folder, match_id, seat, number), packed)


def _path(folder: Path, match_id: str, seat: int, number: int) -> Path:
    return folder / FOLDER / f"{match_id}-{seat}-{number}.jsonl"


def _write(path: Path, packed: bytes) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(exist_ok=True)
    place = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    place.write_bytes(zlib.decompress(packed))
    place.replace(path)


def sealed_again(db: sqlite3.Connection, match_id: str) -> list[str]:
    """The matches whose evidence must not be read once this one is to be played again: all of its series."""
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
    """The house rules, if the folder names them."""
    row = db.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()
    identity = json.loads(row[0]) if row else {}
    return identity.get("rules", {}) if isinstance(identity, dict) else {}


def _text(entry: Entry, capsule: Capsule, rules: object) -> bytes:
    """One JSON object a line: what failed, then the evidence, oldest first."""
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
    lines = (json.dumps(line, ensure_ascii=False) for line in (header, *capsule.lines))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
