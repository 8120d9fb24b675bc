"""Decides what each bot gets of what its bot.toml asks for: a submission's files grant it nothing.

A bot that its user names gets what it asks for, up to the host's limit of memory; one that was found in a
folder of bots gets what the host grants.  Nobody gets what is hidden from all: results, the folders of other
bots, what the arena keeps beside them, a server's data.  Paths are compared without links, as they are now,
and a bot is shown what was compared, whatever becomes of the links.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from arena.box.limits import MEMORY_MB
from arena.box.places import LOOKED_AT_MAX, below, is_kept_by_the_arena, kept_below
from arena.errors import ConfigError, Hint
from arena.players.access import own_files
from arena.players.entrant import Entrant, Rights
from arena.reading.units import shown
from arena.tournament.plan import EVERYONE, FLAGS, Allow, rights_of
from arena.words import counted, listed, printable

_OF_THE_BOX = tuple(map(Path, ("/dev", "/proc", "/run", "/tmp")))
"""Every box has its own of these."""
_ASKS = {
    "network": "for the network",
    "build_network": "for the network for its build",
    "gpu": "for the graphics cards",
    "writable": "to write to its own folder",
}
_HAS = {
    "network": "network",
    "build_network": "network for builds",
    "gpu": "graphics cards",
    "writable": "writes to its own folder",
}


def granted(entrants: Iterable[Entrant], allow: Allow, *, hidden: Sequence[Path] = ()) -> tuple[Entrant, ...]:
    """The entrants with the rights that they ask for; those that ask for more than they may have are broken.

    `hidden`: the folders that no bot may see.  Raises ConfigError if what is granted is hidden from all bots,
    or granted to a bot that does not exist.
    """
    field = tuple(entrants)
    view = _view_of(field, hidden)
    _check(allow, field, view)
    asked = [_open_requests(entrant) for entrant in field]
    lacking = [tuple(_lacks(one, asks, allow, view)) for one, asks in zip(field, asked, strict=True)]
    often = Counter(lack for lacks in lacking for lack in lacks)
    return tuple(
        _broken(one, lacks, often) if lacks else _with(one, asks, allow)
        for one, asks, lacks in zip(field, asked, lacking, strict=True)
    )


def grants_said(entrants: Iterable[Entrant]) -> str:
    """One line about the rights that bots have beyond those of every bot; empty if there are none."""
    who: dict[str, list[str]] = {}
    for entrant in entrants:
        for what in _has(entrant):
            who.setdefault(what, []).append(printable(entrant.name))
    said = [f"{what} ({_told(names)})" for what, names in who.items()]
    return f"granted: {', '.join(said)}" if said else ""


def _told(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else counted(len(names), "bot")


@attrs.frozen
class _View:
    """What no bot may see, and whose files are whose."""

    hidden: tuple[Path, ...]
    owners: Mapping[Path, frozenset[str]]

    def hides(self, path: Path, reader: Entrant | None = None) -> bool:
        """Whether a path is hidden from all bots, or belongs to others than this reader."""
        ways = (path, *path.parents)
        return (
            below(path, self.hidden)
            or any(top == path or path in top.parents for top in _OF_THE_BOX)
            or below(path, _OF_THE_BOX[:2])
            or any(way.name == ".arena" for way in ways)
            or any(map(is_kept_by_the_arena, ways))
            or any(self._is_of_others(way, reader) for way in ways)
        )

    def _is_of_others(self, path: Path, reader: Entrant | None) -> bool:
        owners = self.owners.get(path, frozenset())
        return bool(owners) and (reader is None or reader.name not in owners)


def _view_of(field: Sequence[Entrant], hidden: Sequence[Path]) -> _View:
    owners: dict[Path, frozenset[str]] = {}
    for entrant in field:
        for path in own_files(entrant):
            owners[path] = owners.get(path, frozenset()) | {entrant.name}
    return _View(tuple(map(_real, hidden)), owners)


def _real(path: Path) -> Path:
    """The path without links, `..` and `.`; in a loop of links, as far as it can be followed."""
    return Path(os.path.realpath(path))


def _check(allow: Allow, field: Sequence[Entrant], view: _View) -> None:
    names = [entrant.name for entrant in field]
    for name, rights in allow.items():
        if name != EVERYONE and name not in names:
            raise ConfigError(
                f"allow: there is no bot called {shown(name)}, expected one of {listed(names)} or {EVERYONE}"
            )
        for path in rights.read:
            if view.hides(_real(path)):
                whom = "bots" if name == EVERYONE else printable(name)
                raise ConfigError(
                    f"allow: {whom} cannot be granted {printable(str(path))}: results, the folders of bots, "
                    "what the arena keeps, and what every box has of its own are hidden from all bots"
                )


@attrs.frozen
class _Lack:
    """Something that a bot asks for and must not have, or is not granted."""

    asks: str
    """What it asks for: a clause after "it asks"."""
    right: str = ""
    """What would have to be granted, in a word; empty: it never is."""
    setting: str = ""
    """The one of ALLOW_OPTIONS that grants it."""


def _open_requests(entrant: Entrant) -> Rights:
    """The rights that a bot asks for, without paths to its own files and paths that lead nowhere."""
    own = tuple(own_files(entrant))
    paths = dict.fromkeys(_real(path) for path in entrant.asked.read if os.path.lexists(path))
    return attrs.evolve(entrant.asked, read=tuple(path for path in paths if not below(path, own)))


def _lacks(entrant: Entrant, asked: Rights, allow: Allow, view: _View) -> Iterator[_Lack]:
    rights = rights_of(allow, entrant.name)
    granted = tuple(map(_real, rights.read))
    for path in asked.read:
        if view.hides(path, entrant):
            yield _Lack(f"to read {path}, which is hidden from all bots")
        elif not _can_be_looked_through(path):
            yield _Lack(f"to read {path}, with more than {LOOKED_AT_MAX:,} files: results may be among them")
        elif entrant.is_submission and not below(path, granted):
            yield _Lack(f"to read {path}", str(path), "allow_read")
    for flag in FLAGS:
        if entrant.is_submission and getattr(asked, flag) and not getattr(rights, flag):
            yield _Lack(_ASKS[flag], flag, "allow")
    if asked.memory_mb is not None and asked.memory_mb > _limit(rights):
        yield _Lack(f"for {asked.memory_mb:,} MB of memory", str(asked.memory_mb), "memory_max")


def _can_be_looked_through(path: Path) -> bool:
    """Whether all results below the path can be found, so that they can be hidden."""
    try:
        kept_below(path)
    except OSError:
        return False
    return True


def _limit(rights: Rights) -> int:
    return MEMORY_MB if rights.memory_mb is None else rights.memory_mb


def _broken(entrant: Entrant, lacks: Sequence[_Lack], often: Mapping[_Lack, int]) -> Entrant:
    """The bot as a broken entrant; `often`: how many bots lack the same, as a hint then grants it to all."""
    never = [lack.asks for lack in lacks if not lack.right]
    if never:
        return attrs.evolve(
            entrant, kind="broken", problem=f"its bot.toml asks {listed(never)}: take that out of it"
        )
    asks = listed([lack.asks for lack in lacks])
    return attrs.evolve(
        entrant,
        kind="broken",
        problem=f"its bot.toml asks {asks}, which [allow] of the plan does not grant",
        hints=tuple(_hint(entrant.name, lack, often[lack] > 1) for lack in lacks),
    )


def _hint(name: str, lack: _Lack, is_common: bool) -> Hint:
    whose = "" if lack.setting == "memory_max" else f"{EVERYONE if is_common else name}="
    return Hint(lack.setting, "grants it", f"{whose}{lack.right}")


def _with(entrant: Entrant, asked: Rights, allow: Allow) -> Entrant:
    if entrant.kind != "process":
        return entrant
    limit = _limit(rights_of(allow, entrant.name))
    return attrs.evolve(
        entrant,
        read=asked.read,
        memory_mb=min(MEMORY_MB, limit) if asked.memory_mb is None else asked.memory_mb,
        **{flag: getattr(asked, flag) for flag in FLAGS},
    )


def _has(entrant: Entrant) -> Iterator[str]:
    yield from (f"reads {printable(str(path))}" for path in entrant.read)
    yield from (_HAS[flag] for flag in FLAGS if getattr(entrant, flag))
    if entrant.memory_mb > MEMORY_MB:
        yield f"{entrant.memory_mb:,} MB of memory"
