"""Finds the field: every bot of a plan, also those that cannot play, each with what is wrong with it.

Nothing is started here.  A bot with a mistake becomes an entrant of the kind `broken`, so that the others
can be tried and all mistakes told together, or the tournament played without it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import attrs

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.reading.units import shown
from arena.schedule.roster import is_version_name
from arena.tournament.bots.entrants import NoBot, name_and_spec, remote, resolve, unique_names
from arena.tournament.bots.fingerprints import fingerprint
from arena.tournament.bots.submissions import place_of_spec, submitted
from arena.tournament.plan import BotSpec
from arena.wire.names import alike, told_apart
from arena.words import listed, printable


def field_of(
    specs: Sequence[BotSpec],
    remotes: Sequence[str] = (),
    *,
    game: str,
    reserved: Collection[str] = (),
    found: Mapping[BotSpec, Entrant] = MappingProxyType({}),
) -> tuple[Entrant, ...]:
    """The bots of a plan in its order, then those that connect with a token.

    `reserved`: words of the game that no bot may have as its name.  `found`: the bots that were found before.
    Raises ConfigError if a bot that connects has a wrong name.
    """
    said = [*(found.get(spec) or found_bot(spec) for spec in specs), *map(remote, remotes)]
    given = [spec.name if spec.is_submission else None for spec in specs] + [None] * len(remotes)
    return judged(unique_names(said), given, game=game, reserved=reserved)


def judged(
    entrants: Iterable[Entrant],
    given: Sequence[str | None] = (),
    *,
    game: str,
    reserved: Collection[str] = (),
) -> tuple[Entrant, ...]:
    """The entrants, broken if name or game does not fit.  `given`: the names that they must have."""
    field = tuple(entrants)
    found = [
        *_of_names_taken(field, given),
        *_of_looks(field),
        *_of_words(field, reserved),
        *_of_versions(field),
        *_of_games(field, game),
    ]
    problems = dict(reversed(found))  # the first one of each bot counts
    return tuple(broken(one, problems[one.name]) if one.name in problems else one for one in field)


def broken(entrant: Entrant, problem: str) -> Entrant:
    """The entrant, marked as broken with this problem.  Raises ConfigError if it connects by itself."""
    if entrant.kind == "remote":
        raise ConfigError(f"{entrant.name}: {problem}")
    return entrant if entrant.kind == "broken" else attrs.evolve(entrant, kind="broken", problem=problem)


def found_bot(spec: BotSpec, *, must_be_there: bool = False) -> Entrant:
    """The bot that a spec names, or a broken one.

    With `must_be_there` raises ConfigError instead, unless it lies in a folder of bots.
    """
    try:
        if not spec.is_submission:
            return resolve(spec.spec, base=spec.base, name=spec.name)
        entrant = attrs.evolve(submitted(spec), name=_checked_name(spec), path=spec.spec, is_submission=True)
        return attrs.evolve(entrant, fingerprint=fingerprint(entrant))
    except ConfigError as error:
        if must_be_there and not spec.is_submission:
            raise
        return _not_found(spec, error)


def _checked_name(spec: BotSpec) -> str:
    from arena.wire.messages import check_name

    assert spec.name is not None, "where a submission lies names it"
    if reason := check_name(spec.name):
        raise ConfigError(f"it cannot be called {shown(spec.name)}: {reason}; rename it")
    return spec.name


def _not_found(spec: BotSpec, error: ConfigError) -> Entrant:
    """A broken entrant in place of the bot; a submission's files, if any, stay hidden from other bots."""
    name, said = name_and_spec(spec.spec, base=spec.base, name=spec.name)
    place = place_of_spec(attrs.evolve(spec, spec=said))
    about = error.about if isinstance(error, NoBot) else str(error)
    mistakes = [_within(mistake, place.absolute(), Path(said)) for mistake in about.splitlines()]
    if spec.is_submission:
        mistakes = [_GUESSED.sub(r"\1", mistake) for mistake in mistakes]
    bot = Entrant(
        name=_likely_name(place, said) if name is None else _as_name(name),
        kind="broken",
        path=said,
        problem="; ".join(mistakes),
        hints=error.hints,
        is_missing=isinstance(error, NoBot) and error.is_missing,
    )
    if not spec.is_submission or not os.path.exists(place):
        return bot
    is_folder = os.path.isdir(place)
    return attrs.evolve(
        bot, folder=place if is_folder else place.parent, files=None if is_folder else (place,)
    )


def _likely_name(place: Path, said: str) -> str:
    """The name that a bot would probably have if there were nothing wrong with it."""
    if os.path.isdir(place):
        return _as_name(place.resolve().name)
    return _as_name(place.stem if os.path.exists(place) else said)


def _as_name(name: str) -> str:
    """As much of a name as can be shown and stored."""
    from arena.wire.messages import NAME_LENGTH_MAX

    return printable(name).strip()[:NAME_LENGTH_MAX].strip() or "nameless"


def _within(mistake: str, *places: Path) -> str:
    """A mistake without the bot's own path before it, which is shown anyway."""
    for place in places:
        mistake = mistake.removeprefix(f"{place}{os.sep}")
    return mistake


_GUESSED = re.compile(r"(\(did you mean [^()]*\?\)); accepted: .*")
"""A mistake for which a guess is enough, where each of many bots gets one line."""


Problems = Iterator[tuple[str, str]]
"""(name of a bot, what is wrong with it), one after the other."""


def _of_names_taken(field: Sequence[Entrant], given: Sequence[str | None]) -> Problems:
    """Finds submissions whose name another bot had first: to number them would hide that there are two."""
    paths: Mapping[str, str] = {entrant.name: _place(entrant) for entrant in field}
    for entrant, name in zip(field, given, strict=False):
        if name is not None and name != entrant.name and name in paths:
            yield entrant.name, f"{paths[name]} is called {name} too: rename one of them"


def _of_words(field: Sequence[Entrant], reserved: Collection[str]) -> Problems:
    from arena.wire.messages import check_name

    for entrant in field:
        if reason := check_name(entrant.name, reserved):
            yield entrant.name, f"nobody can be called {shown(entrant.name)}: {reason}; {_ANOTHER_NAME}"


def _of_versions(field: Sequence[Entrant]) -> Problems:
    """Finds names of the kind that only new versions of bots get."""
    for entrant in field:
        if is_version_name(entrant.name):
            yield (
                entrant.name,
                f"nobody can be called {shown(entrant.name)}: names that end in @ and a number are given to "
                f"new versions of a bot; {_ANOTHER_NAME}",
            )


def _of_games(field: Sequence[Entrant], game: str) -> Problems:
    for entrant in field:
        if entrant.games and game not in entrant.games:
            yield (
                entrant.name,
                f"it cannot play {game}: its bot.toml says that it plays {listed(entrant.games)}; "
                f"game = {listed(entrant.games, 'or')} plays that, or add {game} to its games",
            )


def _of_looks(field: Sequence[Entrant]) -> Problems:
    """Finds bots that people could mistake for one that is named before them."""
    places = {entrant.name: place for place, entrant in enumerate(field) if entrant.kind != "broken"}
    for pair in alike(places):
        # The later one is blamed, but none that connects by itself: it could not be left out.
        first, second = sorted(pair, key=lambda name: (field[places[name]].kind != "remote", places[name]))
        yield (
            second,
            f"{told_apart(second)} and {told_apart(first)} ({_place(field[places[first]])}) look alike: "
            f"{_ANOTHER_NAME}",
        )


_ANOTHER_NAME = "rename it, or use NAME=BOT"


def _place(entrant: Entrant) -> str:
    return entrant.path or entrant.name
