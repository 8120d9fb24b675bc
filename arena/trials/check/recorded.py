"""Reads a recorded question: the match and events before it, what is asked, the options as data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

import attrs

from arena.errors import ConfigError, Hint
from arena.match.game import Between, Domain, Game, OneOf, Option, Seat, Subset
from arena.reading.strict import read_regular
from arena.reading.units import shown

FILE_BYTES_MAX = 20_000_000
A_QUESTION = (
    "a question as the arena sends it, or JSON Lines that end with one, such as a capsule or a conversation"
)


@attrs.frozen(kw_only=True)
class RecordedQuestion:
    """One question, with what a bot was told before it in the same match."""

    state: Mapping[str, Any]
    options: Sequence[Any] | None
    """The options as they were sent; None: a plain bot was asked."""
    match: Mapping[str, Any] | None = None
    """The message with which the match began, if it was recorded."""
    events: tuple[tuple[str, Any], ...] = ()
    """The events before the question: their kinds and payloads."""


def read_question(path: Path, number: int | None = None) -> RecordedQuestion:
    """Reads the last question of a file, or the one with this number, from 1.  Raises ConfigError."""
    found: list[RecordedQuestion] = []
    match: Mapping[str, Any] | None = None
    events: list[tuple[str, Any]] = []
    for message in _messages(path):
        kind = message.get("type")
        if kind == "match":
            match, events = message, []
        elif kind == "event" and isinstance(message.get("kind"), str):
            events.append((message["kind"], message.get("payload")))
        elif (asked := _question(message)) is not None:
            found.append(attrs.evolve(asked, match=match, events=tuple(events)))
    if not found:
        raise ConfigError(f"{path} contains no whole question: expected {A_QUESTION}")
    if number is None:
        return found[-1]
    if not 1 <= number <= len(found):
        raise ConfigError(f"{path} has {len(found)} questions", setting="at", value=str(number))
    return found[number - 1]


def _question(message: Mapping[str, Any]) -> RecordedQuestion | None:
    if message.get("type") == "ask" or ("state" in message and "options" in message):
        state, options = message.get("state"), message.get("options")
        if isinstance(state, dict) and isinstance(options, list):
            return RecordedQuestion(state=state, options=options)
    elif "type" not in message and "message_id" in message and "move" not in message:
        envelope = ("message_id", "game_number")
        return RecordedQuestion(
            state={key: value for key, value in message.items() if key not in envelope}, options=None
        )
    return None


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    """The arena's messages, one by one; lines that are something else, or cut, are left out."""
    try:
        text = read_regular(path, FILE_BYTES_MAX).decode()
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path}") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not text in UTF-8: expected {A_QUESTION}") from None
    whole = _object_in(text)
    for said in [whole] if whole is not None else map(_object_in, text.splitlines()):
        if said is None or said.get("dir") == "←":
            continue
        if said.get("dir") == "→" and isinstance(said.get("text"), str):
            yield from filter(None, map(_object_in, said["text"].splitlines()))
        else:
            yield said


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# Options.


def read_options(
    game: type[Game[Any, Any]], options: Sequence[Any], names: Sequence[str]
) -> tuple[Option, ...]:
    """The options that were sent with a question.  Raises ConfigError if they are not of this game."""
    kinds = {move.__name__: move for move in game.moves if getattr(move, "form", None) is not None}
    seats = {name: Seat(seat) for seat, name in enumerate(names)}
    found = []
    for option in options:
        kind = option.get("kind") if isinstance(option, dict) else None
        if kind not in kinds:
            raise ConfigError(
                f"the question has an option {shown(kind)}, which {game.name} does not have",
                hints=[Hint("game", "names the one that it is of", "NAME")],
            )
        move = kinds[kind]
        try:
            fields = {name: _domain(move, name, said, seats) for name, said in option["fields"].items()}
        except (LookupError, TypeError, AttributeError):
            raise ConfigError(f"the option {kind} of the question is not one of {game.name}") from None
        found.append(Option(move, fields))
    return tuple(found)


def _domain(move: type[Any], field: str, said: Mapping[str, Any], seats: Mapping[str, Seat]) -> Domain:
    has_seats = _has_seats(move, field)

    def value(item: Any) -> Any:
        return seats[item] if has_seats and isinstance(item, str) else item

    if "one_of" in said:
        return OneOf(tuple(map(value, said["one_of"])))
    if "subset_of" in said:
        return Subset(tuple(map(value, said["subset_of"])), said["least"], said["most"])
    return Between(said["min"], said["max"])


def names_recorded(
    game: type[Game[Any, Any]], question: RecordedQuestion, own: str
) -> tuple[tuple[str, ...], int]:
    """The names at the table, and the receiver's seat: from the match, or as far as the options tell."""
    match = question.match or {}
    names, seat = match.get("names"), match.get("seat")
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if is_list and type(seat) is int and 0 <= seat < len(names or ()):
        return tuple(names or ()), seat
    others = [name for name in _named(game, question.options or ()) if name not in (own, game.own_name)]
    found = [own, *dict.fromkeys(others)]
    found += [f"other-{number}" for number in range(len(found), game.seats[0])]
    return tuple(found), 0


def _named(game: type[Game[Any, Any]], options: Sequence[Any]) -> Iterator[str]:
    """The names of bots in these options."""
    kinds = {move.__name__: move for move in game.moves}
    for option in options:
        move = kinds.get(str(option.get("kind"))) if isinstance(option, dict) else None
        fields = option.get("fields") if move is not None else None
        for field, said in fields.items() if isinstance(fields, dict) else ():
            if isinstance(said, dict) and _has_seats(move, field):
                words = said.get("one_of") or said.get("subset_of") or ()
                yield from (word for word in words if isinstance(word, str))


def _has_seats(move: Any, field: str) -> bool:
    """Whether the values of this field are seats, which bots are sent as names."""
    hint = get_type_hints(move).get(field)
    return hint is Seat or Seat in get_args(hint)
