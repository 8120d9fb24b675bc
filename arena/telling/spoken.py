"""Pure: writes the legal moves in the words of their game, and reads those words as a move.

`choices` reads and writes moves by the names of their forms, for any game; here a game's own clauses are used
too, so that `call` and `raise 100` are understood if the game tells moves that way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from arena.errors import ArenaError, ConfigError
from arena.match.game import Game, Seat
from arena.players.codec import Codec
from arena.telling.choices import Choice, NotLegalNow, move_of, read_choices, with_numbers
from arena.words import plural_verb, spaced


def spoken_moves(
    options: Sequence[Mapping[str, Any]],
    game: Game[Any, Any],
    names: Sequence[str],
    seat: Seat,
    seen: Any = None,
) -> list[tuple[Any, str]]:
    """The legal moves that have numbers, in order: each as JSON, and in words, such as `bids five 3s`.

    `options` are those of the seat, as `Codec.options` writes them, read from JSON.  The words are the
    game's own clause without the name of who moves (for a seat that sees `seen`, if that is given), or are
    made from the names of the fields.  Moves of large families have no numbers (see `with_numbers`).
    """
    codec = Codec(game, names, seat)
    found, _ = with_numbers(read_choices(options))
    return [(move, _spoken(move, codec, game, names, seat, seen)) for move in found]


def _spoken(
    move: Any, codec: Codec, game: Game[Any, Any], names: Sequence[str], seat: Seat, seen: Any
) -> str:
    try:
        said = codec.move(move)
    except ArenaError:  # from an arena of another version: the move is shown as it is sent
        return json.dumps(move)
    return spoken_move(said, game, names, seat, seen)


def spoken_move(move: Any, game: Game[Any, Any], names: Sequence[str], seat: Seat, seen: Any = None) -> str:
    """A move in such words."""
    told = None if seen is None else game.tell_option(seen, seat, move, names.__getitem__)
    told = game.tell_move(seat, move, names.__getitem__) if told is None else told
    if told is not None:
        return told.removeprefix(f"{names[seat]} ")
    fields = (getattr(move, field.name) for field in attrs.fields(type(move)))
    values = [names[value] if isinstance(value, Seat) else str(value) for value in fields]
    return " ".join([spaced(type(move).__name__), *values])


@attrs.frozen
class Amounts:
    """A family of moves of one number that the game tells by another: `raise to 100` for 90 more."""

    choice: Choice
    order: str
    """The words before the number: `raise to`."""
    low: int
    high: int
    less: int
    """How far the number sent is below the number said."""

    @property
    def form(self) -> str:
        """How to say such a move: with the number that is told, or with the one that is sent."""
        (domain,) = self.choice.fields.values()
        sent = f"{self.choice.names[0]} N more (N: {domain['min']} to {domain['max']})"
        return f"{self.order} N (N: {self.low} to {self.high}), or {sent}"

    def move(self, words: Sequence[str]) -> Any:
        """The move of `raise 100` or `raise to 100`, as JSON; None for words that begin otherwise.

        Raises ConfigError if the number is missing or too low or high.
        """
        order = self.order.split()
        if words[0].lower() != order[0]:
            return None
        number = " ".join(words[1:]).lower().removeprefix(" ".join([*order[1:], ""]))
        if not re.fullmatch(r"\d{1,15}", number, re.ASCII) or not self.low <= int(number) <= self.high:
            raise NotLegalNow(" ".join(words), self.form)
        (name,) = self.choice.fields
        return self.choice.filled({name: int(number) - self.less})


def spoken_amounts(
    options: Sequence[Mapping[str, Any]], game: Game[Any, Any], names: Sequence[str], seat: Seat, seen: Any
) -> list[Amounts]:
    """The families of moves of one number that the game tells by another to a seat that sees `seen`."""
    codec, found = Codec(game, names, seat), list[Amounts]()
    for choice in read_choices(options):
        domains = list(choice.fields.items())
        if len(domains) != 1 or "min" not in domains[0][1] or domains[0][1]["min"] == domains[0][1]["max"]:
            continue
        ((field, domain),) = domains
        ends = [choice.filled({field: domain[end]}) for end in ("min", "max")]
        low, high = (_spoken(end, codec, game, names, seat, seen).rpartition(" ") for end in ends)
        told = [end[2].replace(",", "") for end in (low, high)]
        if not low[0] or low[0] != high[0] or not all(number.isdigit() for number in told):
            continue
        less, order = int(told[0]) - domain["min"], plural_verb(low[0])
        if less == int(told[1]) - domain["max"] and order.split()[0] not in choice.names:
            found.append(Amounts(choice, order, int(told[0]), int(told[1]), less))
    return found


def move_said(
    options: Sequence[Mapping[str, Any]],
    game: Game[Any, Any],
    names: Sequence[str],
    seat: Seat,
    seen: Any,
    words: Sequence[str],
) -> Any:
    """The move, as JSON, that these words mean: the words of its form, or those in which the game tells it.

    Raises ConfigError with what would be right.
    """
    try:
        return move_of(read_choices(options), words)
    except ConfigError:
        if " ".join(words).isdigit():
            raise  # a number alone is that of a move in the list
        for amounts in spoken_amounts(options, game, names, seat, seen):
            if (move := amounts.move(words)) is not None:
                return move
        spoken, said = spoken_moves(options, game, names, seat, seen), " ".join(words).lower()
        for ways in (ways_to_say, _verb):
            found = [move for move, told in spoken if said in ways(told.lower())]
            if len(found) == 1:
                return found[0]
        alike = [told for _, told in spoken if _is_begun(told.lower(), words)]
        if len(alike) > 1:
            example = in_the_imperative(alike[-1])
            raise NotLegalNow(" ".join(words), f"say {example}, or its number in the list") from None
        raise


def in_the_imperative(clause: str) -> str:
    """A clause as an order: `steal Skip from ann and use it` from `steals Skip from ann and uses it`."""
    first, *others = clause.split(" and ")
    does = [plural_verb(first), *(plural_verb(other) if " " in other else other for other in others)]
    return re.sub(r"\bthemselves\b", "yourself", " and ".join(does))


def ways_to_say(clause: str) -> set[str]:
    """The ways to say a clause: `bets a pair`, `bet a pair`, `a pair` and `pair`."""
    _, _, rest = clause.partition(" ")
    return {clause, in_the_imperative(clause), rest, rest.removeprefix("a ")} - {""}


def _is_begun(clause: str, words: Sequence[str]) -> bool:
    """Whether these words are part of those that tell a move, more than its verb: `bet pair`."""
    said, (verb, *told) = [word.lower() for word in words], in_the_imperative(clause).split()
    others = said[1:] if said[0] == verb else said
    return bool(others) and not any(word.isdigit() for word in others) and set(others) <= set(told)


def _verb(clause: str) -> set[str]:
    """The verb of a clause: `call` from `calls 10`."""
    return {in_the_imperative(clause).partition(" ")[0]}
