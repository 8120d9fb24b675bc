"""Moves, observations, options and event payloads as JSON, for one receiver at one table.

Inside the arena seats are ints; outside they are names.  What a game sends is encoded by its runtime types (a
`Seat` becomes the name of the bot in it); what a bot sends is read by the annotations of the game's move
classes.  No game is named here: the form of a move is declared beside its class (`game.Form`).

Reading is strict: `"3"`, `2.7` and `true` are not 3, 2 and 1; `3.0` is 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any, get_args, get_origin, get_type_hints

import attrs
import msgspec
from cattrs import Converter

from arena.errors import MalformedAnswer
from arena.match.game import (
    TOLD_IF_SET,
    Bare,
    Between,
    Domain,
    Game,
    Items,
    Literal,
    OneOf,
    Option,
    Seat,
    Tagged,
)
from arena.players.growing import GrowingEncoder
from arena.wire.short_json import short_json

OPTIONS_KEPT_MAX = 512
"""How many encoded lists of options are kept for games that return the same tuple again."""
CODECS_KEPT_MAX = 256
"""How many codecs are kept for receivers that sit down at the same table again."""

MoveReader = Callable[[Any, Mapping[str, Seat]], Any]
KeptOptions = tuple[tuple[Option, ...], bytes]

_nameless_options: dict[int, KeptOptions] = {}
"""Encoded options that are the same for all receivers: games return the same tuples again and again."""


class Codec:
    """What one receiver (None: a spectator) at one table is sent, and what its answers mean."""

    def __init__(self, game: Game[Any, Any], names: Sequence[str], seat: Seat | None) -> None:
        shown = list(names)
        self._seats = {name: Seat(index) for index, name in enumerate(names)}
        if seat is not None and game.own_name is not None:
            shown[seat] = game.own_name
            self._seats[game.own_name] = seat

        def name_of(value: Any) -> Any:
            if type(value) is Seat:
                return shown[value]
            raise TypeError(f"{type(value).__name__} cannot be sent to a bot")

        self._name_of = name_of
        self.encode: Callable[[Any], bytes] = msgspec.json.Encoder(enc_hook=name_of).encode
        """Encodes an observation or a payload as a JSON object."""
        self.observation = GrowingEncoder(self.encode)
        """Encodes an observation like `encode`, at a cost that does not grow as the match goes on."""
        self._read = _move_reader(type(game))
        self._options: dict[int, KeptOptions] = {}
        """Encoded options with names in them, which differ from receiver to receiver."""

    def options(self, options: tuple[Option, ...]) -> bytes:
        """The list of options as JSON; `wire/PROTOCOL.md` says how to read it."""
        key = id(options)
        kept = _nameless_options.get(key) or self._options.get(key)
        if kept is not None:
            return kept[1]
        encoded = self.encode([_option(option) for option in options])
        keep = self._options if any(map(_names_seats, options)) else _nameless_options
        if len(keep) >= OPTIONS_KEPT_MAX:
            keep.clear()
        keep[key] = (options, encoded)  # the tuple is kept too, so that no other one gets its id
        return encoded

    def move(self, value: Any) -> Any:
        """The move that a JSON value stands for.  Raises MalformedAnswer if it stands for none."""
        return self._read(value, self._seats)

    def move_json(self, move: Any) -> Any:
        """A move as the JSON value that stands for it; if bots cannot send it, its class and fields."""
        return msgspec.to_builtins(_written(move), enc_hook=self._name_of)


@lru_cache(maxsize=CODECS_KEPT_MAX)
def codec_of(game: Game[Any, Any], names: tuple[str, ...], seat: Seat) -> Codec:
    """The codec of a receiver; one that sits there again gets its old one, which knows most options."""
    return Codec(game, names, seat)


# Writing


@lru_cache(maxsize=64)
def rules_json(game: Game[Any, Any], seats: int) -> bytes:
    """The house rules that hold at a table of `seats`, as a JSON object."""
    return msgspec.json.encode(rules_of(game.at_table(seats)))


def rules_of(game: Game[Any, Any]) -> dict[str, Any]:
    """The house rules of a game as JSON values.

    A list that is empty, as by default, is left out, and so is a rule of TOLD_IF_SET at its default: bots are
    told, and folders hold, the same as before the game had such a rule.
    """
    told = {}
    for field in attrs.fields(type(game)):
        value = getattr(game, field.name)
        if value != field.default or not (field.default == () or field.metadata.get(TOLD_IF_SET)):
            told[field.name] = list(value) if isinstance(value, tuple) else value
    return told


def _option(option: Option) -> dict[str, Any]:
    fields = {name: _domain(domain) for name, domain in option.fields.items()}
    return {"kind": option.move.__name__, "form": _template(option), "fields": fields}


def _template(option: Option) -> Any:
    form = option.move.form
    match form:
        case Literal(value):
            return value
        case Items(fields):
            return [f"<{field}>" for field in fields]
        case Bare(field):
            return f"<{field}>"
        case Tagged(tags, keys):
            return {**tags, **{keys.get(field, field): f"<{field}>" for field in option.fields}}
    raise TypeError(f"{option.move.__name__} has no form")


def _names_seats(option: Option) -> bool:
    for domain in option.fields.values():
        values = (
            () if isinstance(domain, Between) else domain.values if isinstance(domain, OneOf) else domain.of
        )
        if any(type(value) is Seat for value in values):
            return True
    return False


def _domain(domain: Domain) -> dict[str, Any]:
    if isinstance(domain, Between):
        return {"min": domain.low, "max": domain.high}
    if isinstance(domain, OneOf):
        return {"one_of": domain.values}
    return {"subset_of": domain.of, "least": domain.least, "most": domain.most}


def _written(move: Any) -> Any:
    form = getattr(type(move), "form", None)
    match form:
        case Literal(value):
            return value
        case Items(fields):
            return [getattr(move, field) for field in fields]
        case Bare(field):
            return getattr(move, field)
        case Tagged(tags, keys):
            given = {name: value for name, value in _values(move).items() if value is not None}
            return {**tags, **{keys.get(name, name): value for name, value in given.items()}}
    values = _values(move)
    return {"kind": type(move).__name__, **values} if values else type(move).__name__


def _values(move: Any) -> dict[str, Any]:
    return {field.name: getattr(move, field.name) for field in attrs.fields(type(move))}


# Reading


@cache
def _move_reader(game: type[Game[Any, Any]]) -> MoveReader:
    """The reader of all moves of a game that bots may send."""
    literals: dict[type, dict[Any, Any]] = {str: {}, int: {}}
    readers: list[tuple[Callable[[Any], bool], MoveReader]] = []
    for move in game.moves:
        form = getattr(move, "form", None)
        match form:
            case None:
                continue
            case Literal(value):
                literals[type(value)][value] = move()
            case Items(fields):
                readers.append((_is_list, _items_reader(move, fields)))
            case Bare(field):
                is_tuple = get_origin(get_type_hints(move)[field]) is tuple
                readers.append((_is_list if is_tuple else _is_scalar, _bare_reader(move, field)))
            case Tagged(tags, keys):
                readers.append((_has_tags(tags), _tagged_reader(move, keys)))
    key, by_tag = _by_tag(game)

    def read(value: Any, seats: Mapping[str, Seat]) -> Any:
        if type(value) is float and value.is_integer():
            value = int(value)
        if (among := literals.get(type(value))) is not None and (known := among.get(value)) is not None:
            return known
        if key and type(value) is dict and type(tag := value.get(key)) in (str, int) and tag in by_tag:
            return by_tag[tag](value, seats)
        reasons = []
        for fits, reader in readers:
            if fits(value):
                try:
                    return reader(value, seats)
                except MalformedAnswer as error:
                    reasons.append(str(error))
        if reasons:
            raise MalformedAnswer("; or ".join(reasons))
        raise MalformedAnswer(
            f"move {short_json(value)} is not a move of {game.name}; its moves look like {_shapes(game)}"
        )

    return read


def _by_tag(game: type[Game[Any, Any]]) -> tuple[str, dict[str | int, MoveReader]]:
    """The one key that tells all tagged moves of a game apart, and their readers; empty if there is none."""
    tagged = [(form, move) for move in game.moves if isinstance(form := getattr(move, "form", None), Tagged)]
    keys = {key for form, _ in tagged for key in form.tags}
    if len(keys) != 1 or not all(form.tags for form, _ in tagged):
        return "", {}
    (key,) = keys
    readers = {form.tags[key]: _tagged_reader(move, form.keys) for form, move in tagged}
    return (key, readers) if len(readers) == len(tagged) else ("", {})


@cache
def _shapes(game: type[Game[Any, Any]]) -> str:
    shapes = []
    for move in game.moves:
        if getattr(move, "form", None) is not None:
            fields = {field.name: OneOf(()) for field in attrs.fields(move)}
            shapes.append(msgspec.json.encode(_template(Option(move, fields))).decode())
    return ", ".join(dict.fromkeys(shapes))


def _is_list(value: Any) -> bool:
    return type(value) is list


def _is_scalar(value: Any) -> bool:
    return type(value) in (int, str, float, bool)


def _has_tags(tags: Mapping[str, str | int]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        if type(value) is not dict:
            return False
        return all(
            type(found := _whole(value.get(key))) is type(tag) and found == tag for key, tag in tags.items()
        )

    return fits


def _whole(value: Any) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


def _items_reader(move: type[Any], fields: Sequence[str]) -> MoveReader:
    hints = get_type_hints(move)
    readers = [(field, _reader(hints[field])) for field in fields]
    in_order = [field.name for field in attrs.fields(move)] == list(fields)
    are_ints = (int,) * len(fields) if in_order and all(hints[field] is int for field in fields) else ()

    def read(value: Any, seats: Mapping[str, Seat]) -> Any:
        if len(value) != len(readers):
            raise MalformedAnswer(f"move {short_json(value)}: expected [{', '.join(fields)}]")
        if are_ints and tuple(map(type, value)) == are_ints:
            return move(*value)
        found = {
            field: _read(reader, field, item, seats)
            for (field, reader), item in zip(readers, value, strict=True)
        }
        return move(**found)

    return read


def _bare_reader(move: type[Any], field: str) -> MoveReader:
    reader = _reader(get_type_hints(move)[field])

    def read(value: Any, seats: Mapping[str, Seat]) -> Any:
        return move(**{field: _read(reader, field, value, seats)})

    return read


def _tagged_reader(move: type[Any], keys: Mapping[str, str]) -> MoveReader:
    hints = get_type_hints(move)
    fields = [
        (field, field.name, keys.get(field.name, field.name), hints[field.name], _reader(hints[field.name]))
        for field in attrs.fields(move)
    ]

    def read(value: Any, seats: Mapping[str, Seat]) -> Any:
        found = {}
        for field, name, key, hint, reader in fields:
            if key in value:
                item = value[key]
                if type(item) is hint:  # an int or a text, which the reader would return as it is
                    found[name] = item
                elif hint is Seat and type(item) is str and item in seats:  # as the reader of seats does it
                    found[name] = seats[item]
                else:
                    found[name] = _read(reader, key, item, seats)
            elif field.default is attrs.NOTHING:
                raise MalformedAnswer(f"move {short_json(value)}: {key} is missing")
        return move(**found)

    return read


def _read(reader: MoveReader, field: str, value: Any, seats: Mapping[str, Seat]) -> Any:
    try:
        return reader(value, seats)
    except MalformedAnswer as error:
        raise MalformedAnswer(f"{field} {error}") from None


_here: ContextVar[Mapping[str, Seat]] = ContextVar("_here")
"""The names at the table whose answer is being read, for the hook of Seat."""


@cache
def _reader(hint: Any) -> MoveReader:
    """The strict reader of one annotation: cattrs with the hooks below."""
    structure = _converter().get_structure_hook(hint)

    def read(value: Any, seats: Mapping[str, Seat]) -> Any:
        _here.set(seats)
        return structure(value, hint)

    return read


@cache
def _converter() -> Converter:
    """A strict cattrs: by itself it makes ints from "3", 2.7 and true, and a tuple from any text."""
    converter = Converter(detailed_validation=False)
    for kind in _WORDS:
        converter.register_structure_hook(kind, _exactly)
    converter.register_structure_hook(Seat, _seat_named)
    converter.register_structure_hook_func(lambda hint: getattr(hint, "__origin__", None) is tuple, _tuple_of)
    return converter


_WORDS: Mapping[Any, str] = {int: "a whole number", str: "a string", bool: "true or false"}


def _exactly(value: Any, kind: Any) -> Any:
    if kind is int:
        value = _whole(value)
    if type(value) is not kind:
        raise MalformedAnswer(f"{short_json(value)} is not {_WORDS[kind]}")
    return value


def _seat_named(value: Any, _: Any) -> Seat:
    seats = _here.get()
    seat = seats.get(value) if type(value) is str else None
    if seat is None:
        raise MalformedAnswer(f"{short_json(value)} is not a player here; the players are {', '.join(seats)}")
    return seat


def _tuple_of(value: Any, hint: Any) -> Any:
    """What a `tuple[X, ...]` is read from: a list in JSON and nothing else."""
    (of, _) = get_args(hint)
    if type(value) is not list:
        raise MalformedAnswer(f"{short_json(value)} is not a list")
    if of in _WORDS and {of}.issuperset(map(type, value)):  # 64 KiB hold 20,000 cards: no call for each
        return tuple(value)
    inner = _converter().get_structure_hook(of)
    return tuple([inner(item, of) for item in value])
