"""Numbers by which a person types moves: one that comes again in a match has the number that it had."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import attrs

from arena.errors import ConfigError
from arena.match.forms import Literal
from arena.match.game import Game, Seat
from arena.players.codec import codec_of
from arena.telling.choices import Choice, forms_text, with_numbers
from arena.words import listed

FIRST = Seat(0)


class Numbering:
    """The numbers of the moves of one match."""

    def __init__(self, game: Game[Any, Any] | None, names: Sequence[str] = (), seat: Seat = FIRST) -> None:
        """Numbers the moves of one seat; `names` are those at the table.  `game` None: it is not known here.

        Moves that are always the same word have the first numbers, and the game says which have the next; the
        others get theirs as they come.
        """
        words, numbered = list[Any](), list[Any]()
        if game is not None:
            codec = codec_of(game, tuple(names), seat)
            words = [cls.form.value for cls in game.moves if _is_word(cls)]
            numbered = [codec.move_json(move) for move in game.numbered_moves(len(names))]
        self._numbers = {key: number for number, key in enumerate(map(_key, [*words, *numbered]), 1)}

    def of(self, options: Sequence[Choice]) -> list[int]:
        """The numbers of the legal moves, in the order of `with_numbers`."""
        keys = [key if key in self._numbers else other for key, other in _keys(options)]
        return [self._numbers.setdefault(key, len(self._numbers) + 1) for key in keys]

    def move_said(self, options: Sequence[Choice], words: Sequence[str]) -> Any:
        """The legal move, as JSON, that a number alone means; None for any other words.

        Raises ConfigError if no legal move has this number.
        """
        if len(words) != 1 or not re.fullmatch(r"\d{1,9}", words[0], re.ASCII):
            return None
        number, moves, numbers = int(words[0]), with_numbers(options)[0], self.of(options)
        if not numbers:
            raise ConfigError(f"the moves have no numbers now: {forms_text(options)}")
        if number not in numbers:
            raise ConfigError(f"no legal move has the number {number} now: they have {_spans(numbers)}")
        return moves[numbers.index(number)]


def _spans(numbers: Sequence[int]) -> str:
    """The numbers in order: `1, 2 and 9 to 80`."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][-1] == number - 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return listed([str(span[0]) if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans])


def _is_word(move: type[Any]) -> bool:
    return isinstance(getattr(move, "form", None), Literal) and not attrs.fields(move)


def _keys(options: Sequence[Choice]) -> Iterator[tuple[str, str]]:
    """What each move is known by: what is sent, and if that is only a number, else which of its kind it is.

    To call is the same move whatever it costs.
    """
    places = count()
    for option in options:
        moves, _ = with_numbers([option])
        domains = list(option.fields.values())
        is_amount = bool(domains) and all("min" in each and each["min"] == each["max"] for each in domains)
        if moves and is_amount:
            yield _key(moves[0]), f"{option.kind} {next(places)}"
        else:
            yield from ((_key(move), _key(move)) for move in moves)


def _key(move: Any) -> str:
    """What is sent; a field that is null may be left out."""
    if isinstance(move, dict):
        move = {name: value for name, value in move.items() if value is not None}
    return json.dumps(move, sort_keys=True)
