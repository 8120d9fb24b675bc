"""The matches in the report, each as a film that is small enough, and the moments at which they were lost."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from arena.match.game import Game
from arena.page.film import (
    HEADING,
    NEWS,
    Filming,
    FilmStep,
    Watched,
    Watcher,
    changes_of,
    film_json,
    stored_head,
)
from arena.page.report.chosen import Wish
from arena.store import Store
from arena.telling.replay import Replay, replay_of
from arena.words import clipped, listed

FILMS_MAX = 120
TURNS_MAX, FILM_TURNS_MAX = 200_000, 50_000
"""The most turns replayed for a report, and of one match: a match of 10,000 hands takes a minute."""
STEPS_MAX = 120
"""The most steps shown of one match; of a longer one, the rounds in which most was lost are shown."""
LAST_MAX = 20
"""The most steps with which the last round is shown whatever was lost in it."""
SAID_MAX = 240
"""The most characters said about the moment of a loss."""
LISTED_BYTES = 400
"""About how many bytes a match takes in the list of matches."""


@attrs.frozen
class Turning:
    """The moment at which a bot lost most at once."""

    step: int
    """The index of the step among those of the film, from 0."""
    turn: int
    """The turn's index, as the match counts them; −1 at its start."""
    seat: int
    lost: float
    """How much the bot lost of what the game is played for."""
    said: str
    """What happened at that moment, in the words of the game."""


@attrs.frozen
class Film:
    """A match as the report contains it."""

    match_id: str
    bots: tuple[str, ...]
    won: str
    why: str
    steps: int
    """How many of its steps are shown."""
    turnings: dict[str, Turning]
    """Each bot's turning; bots that lost nothing, or whose game declares no holdings, are left out."""
    octets: str
    """Its JSON, deflated (raw) and in base64."""

    @property
    def largest(self) -> Turning | None:
        """The moment at which any bot lost most at once; of several the last."""
        return max(self.turnings.values(), key=lambda each: (each.lost, each.step), default=None)

    @property
    def size(self) -> int:
        return len(self.octets) + LISTED_BYTES


def films(
    store: Store,
    game: Game[Any, Any],
    wished: Iterable[Wish],
    bytes_max: int,
    names_max: int,
    move_s: float | None = None,
) -> list[Film]:
    """The films of the wished matches in turn, as many as fit; `move_s` was the limit of a move."""
    found: list[Film] = []
    room, turns_left, misses = bytes_max, TURNS_MAX, 0
    for wish in wished:
        if len(found) >= FILMS_MAX or misses >= 3:
            break
        match, wish = store.names.shown((store.match(wish.match_id), wish))
        if match.turns > min(turns_left, FILM_TURNS_MAX):
            misses += 1
            continue
        turns_left -= match.turns
        film = film_for(replay_of(store, match, game), wish, names_max, move_s)
        if film.size > room:
            misses += 1  # a shorter match may still fit
            continue
        found.append(film)
        room -= film.size
    return found


def film_for(replay: Replay, wish: Wish, names_max: int = 6, move_s: float | None = None) -> Film:
    """The film of a chosen match: all of it, or the rounds that matter."""
    match, watcher = replay.match, Watcher(replay)
    watched = [watcher.note(moment) for moment in replay.moments()]
    kept = window_of(watched, match.bots.index(wish.loser) if wish.loser in match.bots else None)
    filming = Filming(replay)
    steps = [filming.step(watched[place]) for place in kept]
    note = "" if len(kept) == len(watched) else _note(len(kept), len(watched))
    film = stored_head(replay, move_s=move_s) | {
        "why": wish.why,
        "note": note,
        "decided": watcher.decided([seat.rank for seat in match.seats] if match.status == "done" else None),
        "steps": list(changes_of(steps)),
    }
    first = [seat.bot for seat in match.seats if seat.rank == 1]
    return Film(
        match.match_id,
        match.bots,
        listed(first, most=names_max) if match.status == "done" else "–",
        wish.why,
        len(kept),
        {bot: found for seat, bot in enumerate(match.bots) if (found := turning_of(steps, seat, match.bots))},
        base64.b64encode(zlib.compress(film_json(film), 9, -15)).decode(),
    )


def _note(kept: int, steps: int) -> str:
    return f"{kept} of its {steps:,} steps are shown: the rounds in which most was lost, and the last one"


def window_of(watched: Sequence[Watched], loser: int | None = None) -> list[int]:
    """The indices of the steps to show: all of a short match, else whole rounds, those that cost most first.

    Among them is always the round that cost the loser most.
    """
    if len(watched) <= STEPS_MAX:
        return list(range(len(watched)))
    rounds: dict[int, list[int]] = {}
    for place, each in enumerate(watched):
        rounds.setdefault(each.round_number, []).append(place)
    cost = {number: _cost(watched, places, None) for number, places in rounds.items()}
    ordered = sorted(rounds, key=lambda number: (-cost[number], number))
    wanted = (
        [max(rounds)] if len(rounds[max(rounds)]) <= LAST_MAX else []
    )  # how the match ended, if that is short
    if loser is not None:
        wanted.append(max(rounds, key=lambda number: (_cost(watched, rounds[number], loser), number)))
    kept: set[int] = set()
    for number in dict.fromkeys((*wanted, *ordered)):
        room = STEPS_MAX - len(kept)
        if kept and len(rounds[number]) > room:
            if number in wanted:
                continue
            break
        kept |= set(rounds[number][-room:])
    return sorted(kept)


def _cost(watched: Sequence[Watched], places: Sequence[int], of: int | None) -> float:
    """The most that anybody, or this seat, lost at once."""
    drops = [drop for place in places for seat, drop in watched[place].lost if of in (None, seat)]
    return max(drops, default=0.0)


def turning_of(steps: Sequence[FilmStep], seat: int, names: Sequence[str]) -> Turning | None:
    """The step at which this seat lost most at once; None if it lost nothing.

    Of several steps it is one at which the seat failed to answer, else the last, that of its elimination.
    """
    drops = [
        (drop, any(who == seat and fault for who, _, fault in step.times), place)
        for place, step in enumerate(steps)
        for who, drop in step.lost
        if who == seat
    ]
    if not drops:
        return None
    lost, _, place = max(drops)
    return Turning(place, steps[place].turn, seat, lost, _said(steps[place], seat, names))


def _said(step: FilmStep, seat: int, names: Sequence[str]) -> str:
    """What happened at a step, as a spectator was told: what was done, and what followed."""
    is_told = 1 << len(names)
    told = []
    for mask, kind, who, text, fault in step.lines:
        if not mask & is_told or kind == HEADING:
            continue
        if fault:
            told.append(f"{text} ({fault.partition(':')[0]})")
        elif kind == NEWS or not _is_aside(text, who, seat, names):
            told.append(text)
    return clipped("; ".join(told), SAID_MAX)


def _is_aside(text: str, who: int, seat: int, names: Sequence[str]) -> bool:
    """Whether a line says only that somebody else did something simple, such as passing."""
    return who not in (-1, seat) and " " not in text.removeprefix(f"{names[who]} ")
