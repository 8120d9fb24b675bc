"""What is kept of leagues: a row of the server's database for each of their parts, in JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from arena.league.league import Code, League, LeagueEntry, LeagueSettings, LogLine, Owner
from arena.server.kept.keeping import Keeper

RowKind: TypeAlias = Literal["head", "owner", "entry", "code", "log"]


class LeagueHead(msgspec.Struct):
    """A league without its parts."""

    settings: LeagueSettings
    made_at: float
    is_paused: bool
    version: int


class LeagueRecords:
    """Keeps what happens in leagues, and says when it is kept.

    This one keeps nothing; tests use it.
    """

    def keep(self, before: League | None, after: League) -> None:
        """A league was made, or has changed."""

    def drop(self, name: str) -> None:
        """A league that was made is undone, as it was not kept."""

    async def kept(self) -> None:
        """Returns once all of this is kept.  Raises Refusal if the disk fails."""

    def check(self) -> None:
        """Raises Refusal while the disk fails."""


class KeptLeagues(LeagueRecords):
    """Puts the parts of leagues that have changed into the keeper."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def keep(self, before: League | None, after: League) -> None:
        for kind, id, value in changed_rows(before, after):
            if value is None:
                self._keeper.drop_league_row(after.name, kind, id)
            else:
                self._keeper.put_league_row(after.name, kind, id, value)

    def drop(self, name: str) -> None:
        self._keeper.drop_league(name)

    async def kept(self) -> None:
        await self._keeper.kept_or_refused()

    def check(self) -> None:
        self._keeper.check()

    def leagues(self, note: Callable[[str], None]) -> Iterator[League]:
        """The leagues as they were; to be read before the keeper runs.

        `note` is told of each that cannot be read; its rows stay as they are.
        """
        rows: dict[str, dict[str, dict[str, bytes]]] = defaultdict(lambda: defaultdict(dict))
        for league, kind, id, value in self._keeper.league_rows():
            rows[league][kind][id] = value
        for name, parts in rows.items():
            try:
                yield league_of(parts)
            except (ValueError, KeyError) as error:
                note(f"league {name} is not played, as it cannot be read any more: {error}")


def changed_rows(before: League | None, after: League) -> Iterator[tuple[RowKind, str, bytes | None]]:
    """The rows in which a league differs from what it was: kind, id, and value; None: it is gone."""
    head = LeagueHead(after.settings, after.made_at, after.is_paused, after.version)
    yield "head", "", msgspec.json.encode(head)
    old = before or League(after.settings, after.made_at)
    parts: list[tuple[RowKind, Mapping[str, Any], Mapping[str, Any]]] = [
        ("owner", old.owners, after.owners),
        ("entry", old.entries, after.entries),
        ("code", old.codes, after.codes),
    ]
    if old.log is not after.log:
        parts.append(("log", _numbered(old), _numbered(after)))
    for kind, were, are in parts:
        if were is not are:
            new = {id: part for id, part in are.items() if were.get(id) is not part}
            yield from ((kind, id, msgspec.json.encode(part)) for id, part in new.items())
            yield from ((kind, id, None) for id in were.keys() - are.keys())


def league_of(parts: Mapping[str, Mapping[str, bytes]]) -> League:
    """The league of these rows, by kind and id.  Raises ValueError or KeyError if it cannot be read."""
    head = msgspec.json.decode(parts["head"][""], type=LeagueHead)
    owners = {id: msgspec.json.decode(value, type=Owner) for id, value in parts["owner"].items()}
    entries = {id: msgspec.json.decode(value, type=LeagueEntry) for id, value in parts["entry"].items()}
    log = [msgspec.json.decode(value, type=LogLine) for value in parts["log"].values()]
    return League(
        head.settings,
        head.made_at,
        owners=dict(sorted(owners.items(), key=lambda it: _place(it[0]))),
        entries=dict(sorted(entries.items(), key=lambda it: _place(it[0]))),
        codes={id: msgspec.json.decode(value, type=Code) for id, value in parts["code"].items()},
        log=tuple(sorted(log, key=lambda line: line.number)),
        is_paused=head.is_paused,
        version=head.version,
    )


def _place(id: str) -> int:
    return int(id[1:])


def _numbered(league: League) -> dict[str, LogLine]:
    return {str(line.number): line for line in league.log}
