"""The settings of a league: what each may be, a new league, and how hosts change them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

import attrs

from arena.league.league import Joining, League, LeagueSettings, Looking, ReplaysShown
from arena.refusal import Refusal
from arena.words import listed

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)
FIXED = ("name", "game", "rules", "seats", "reserved", "hand_ins")
"""What a league keeps from its beginning: other rules would be another league."""


def _words(kind: Any) -> tuple[str, Callable[[Any], bool]]:
    words = get_args(kind)
    return listed([f'"{word}"' for word in words], "or"), lambda value: value in words


def _whole(least: int, most: int) -> tuple[str, Callable[[Any], bool]]:
    def fits(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return f"a whole number from {least:,} to {most:,}", fits


def _is_folder(path: str) -> bool:
    return path.isprintable() and (path.startswith("/") or not path)


ACCEPTED: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "name": (
        "1 to 40 lower-case letters a to z, digits and inner hyphens, as it stands in addresses",
        lambda value: isinstance(value, str) and NAME.fullmatch(value) is not None,
    ),
    "join": _words(Joining),
    "look": _words(Looking),
    "replays": _words(ReplaysShown),
    "entries_per_owner": _whole(1, 20),
    "hand_ins_per_day": _whole(1, 1_000),
    "approve_names": ("true or false", lambda value: isinstance(value, bool)),
    "archive_mb": _whole(1, 200),
    "files_max": _whole(1, 10_000),
    "owner_mb": _whole(1, 100_000),
    "matches_gb": _whole(1, 100_000),
    "library": (
        "absolute paths of folders on the server, with : between them",
        lambda value: isinstance(value, str) and all(map(_is_folder, value.split(":"))),
    ),
    "build_s": (
        "a number of seconds from 1 to 3,600",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= 3_600,
    ),
    "epoch_hours": (
        "a number of hours from 0.1 to 744",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0.1 <= value <= 744,
    ),
}
"""Each setting that is checked here, with what it may be in words; the game checks its rules and seats."""


def new_league(settings: LeagueSettings, who: str, now: float) -> League:
    """A league without anybody in it.  Raises Refusal for a setting that cannot be."""
    _check(settings)
    return League(settings, made_at=now).noting(who, f"makes the league {settings.name}", now)


def change_settings(league: League, who: str, changes: Mapping[str, Any], now: float) -> League:
    """Sets what a host changes.  Raises Refusal for what cannot be changed, or not so."""
    for name in changes:
        if name in FIXED:
            why = f"a league keeps its {name}: make another league with `arena league new`"
            raise Refusal("conflict", why, field=name)
        if name not in ACCEPTED:
            raise Refusal("bad_request", f"{name} is no setting of a league", field=name)
    changed = attrs.evolve(league.settings, **changes)
    _check(changed)
    if changed == league.settings:
        return league
    said = listed([f"{name} to {_shown(value)}" for name, value in changes.items()])
    set_so = attrs.evolve(league, settings=changed, version=league.version + 1)
    return set_so.noting(who, f"sets {said}", now)


def _check(settings: LeagueSettings) -> None:
    for name, (words, fits) in ACCEPTED.items():
        if not fits(getattr(settings, name)):
            raise Refusal("bad_request", f"{name} is {words}", field=name)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
