"""Tournaments that reports are made of: real ones of random bots, and small ones without a game."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import trio
from replays import SMALL
from tournaments import local, play

from arena.games import GAMES
from arena.match.game import Game, Seat
from arena.match.record import Decision, Entry, MatchRecord
from arena.page.report import write_report
from arena.players.codec import rules_of
from arena.schedule import Pairing
from arena.sdk import Bot, choose
from arena.store import Store

HOSTILE = (
    '<script>alert("a")</script>',
    "</script><img src=x onerror=alert(1)>",
    "'\"&<b>bold</b>",
    "a name of sixty-four characters, the most that a bot may have ...",
    "{{ 7 * 7 }}",
    "名前-Ω-😀",
)
"""Names that would like to be more than names."""


class Chooser(Bot):
    """Plays any game at random."""

    def move(self, state: Any, options: Any) -> Any:
        return choose(options, self.rng)


class Sloppy(Chooser):
    """Sends something that is no move at its second question of every match."""

    def begin(self, match: Any) -> None:
        super().begin(match)
        self.asked = 0

    def move(self, state: Any, options: Any) -> Any:
        self.asked += 1
        return ["<i>", "</script>"] if self.asked == 2 else super().move(state, options)


def tournament(folder: Path, game: str | Game[Any, Any], names: Sequence[str], **plan: Any) -> Path:
    """A played tournament of random bots, the last of them sloppy; its folder says what `arena run` would."""
    rules = (SMALL.get(game) or GAMES[game]()) if isinstance(game, str) else game
    entrants = [local(name, Sloppy if name == names[-1] else Chooser) for name in names]
    trio.run(partial(play, folder, entrants, game=rules, **plan))
    with Store.open(folder, write=True) as store:
        identity = {
            "game": rules.name,
            "version": rules.version,
            "rules": rules_of(rules),
            "tournament": "round-robin",
        }
        store.set_meta(
            "identity", identity | {"seats": plan.get("seats", 2), "deals": "same", "move_time": 1.0}
        )
        store.set_meta("rated_by", rules.rated_by)
        store.set_meta("returns_unit", list(rules.returns_unit))
    return folder


def reported(folder: Path, *, game: str | None = None) -> Path:
    """The report of a folder, just written; `game` as in `arena report --game`."""
    with Store.open(folder) as store:
        return write_report(store, game=game)


def entry(
    series: int,
    rotation: int,
    *,
    bots: tuple[str, str] = ("ann", "bob"),
    ranks: tuple[int, int] = (1, 2),
    decisions: Sequence[Decision] = (),
    error: str | None = None,
) -> Entry:
    """A match of series `s<series>` of a game that nobody knows, which the first bot wins if nothing is said."""
    pairing = Pairing(f"s{series}.{rotation}", "dice", bots, 0xFEED, f"s{series}", rotation, series)
    decisions = tuple(decisions) or tuple(Decision(seat, Seat(seat), "pass", 0.25) for seat in (0, 1))
    points = tuple(0.5 if ranks[0] == ranks[1] else float(rank == 1) for rank in ranks)
    return Entry(
        match_id=f"{series:08x}{rotation:04x}",
        pairing=pairing,
        deals="same",
        versions=("1.0", "1.0"),
        withdrawn=(False, False),
        record=MatchRecord(
            turns=({},) * 3,
            decisions=decisions,
            ranks=() if error else ranks,
            returns=() if error else tuple(2 * share - 1 for share in points),
            abandoned=(False, False),
            duration_s=0.5,
            error=error,
        ),
        points=() if error else points,
        packed=b"moves",
        decisions=tuple(decision for decision in decisions if decision.fault),
        started_at=1_700_000_000.0,
    )


def films_of(path: Path) -> dict[str, dict[str, Any]]:
    """The films that a report holds, by match."""
    found = re.findall(r'<i data-match="(\w+)">([^<]*)</i>', path.read_text(encoding="utf-8"))
    return {match: json.loads(zlib.decompress(base64.b64decode(text), -15)) for match, text in found}
