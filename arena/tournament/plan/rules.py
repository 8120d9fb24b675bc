"""Makes a game from house rules, in words or in a table, by the types of its fields."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar

import attrs

from arena.errors import ConfigError, Hint
from arena.match.game import Game
from arena.reading.strict import Reader, integer, many, read_table, reader_of, unknown
from arena.reading.units import shown
from arena.tournament.plan.model import Plan, Rule

G = TypeVar("G", bound=Game[Any, Any])


def make_game(cls: type[G], rules: Mapping[str, object], *, where: str = "") -> G:
    """The game with these house rules.  Raises ConfigError for unknown rules and values it does not take."""
    prefix = f"{where}: " if where else ""
    readers = {rule: _rule_reader(kind) for rule, kind in _rules(cls).items()}
    values = read_table(rules, readers, where=f"{prefix}rules", reject=lambda rule: _unknown_rule(cls, rule))
    try:
        return cls(**values)
    except ConfigError as error:
        raise ConfigError(f"{prefix}{error}") from None


def parse_rules(cls: type[Game[Any, Any]], words: Sequence[str]) -> dict[str, Rule]:
    """House rules from `KEY=VALUE` words, by the kinds of the game's fields; a key's last value counts."""
    kinds = _rules(cls)
    rules = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            expected = f"expected KEY=VALUE such as {_example(cls)}"
            raise ConfigError(f"found {shown(word)}, {expected}", setting="rule")
        if key not in kinds:
            hints = [Hint(key, "sets it")] if key in _PLAN_KEYS else []
            raise ConfigError(_unknown_rule(cls, key), setting="rule", value=key, hints=hints)
        rules[key] = _parse_rule(kinds[key], value)
    return rules


def check_plan_seats(cls: type[Game[Any, Any]], seats: int) -> None:
    """Raises ConfigError if the game cannot be played at this many seats."""
    if seats not in cls.seats:
        expected = f"{cls.seats[0]} to {cls.seats[-1]} for {cls.name}"
        raise ConfigError(f"found {seats}, expected {expected}", setting="seats")


def _unknown_rule(cls: type[Game[Any, Any]], rule: str) -> str:
    if rule in _PLAN_KEYS and rule not in _rules(cls):  # in TOML all lines below [rules] belong to it
        return f"no rule of {cls.name}, but a key of plans: put it above [rules]"
    return unknown(rule, _rules(cls), f"rule in {cls.name}")


_PLAN_KEYS = frozenset(field.name for field in attrs.fields(Plan)) - {"rules"}


def _rules(cls: type[Game[Any, Any]]) -> dict[str, Any]:
    """House rule of a game -> the type of its values."""
    try:
        kinds = typing.get_type_hints(cls)
    except (NameError, TypeError) as error:  # somebody's own game
        raise ConfigError(f"the house rules of {cls.name} have types that cannot be read: {error}") from None
    return {field.name: kinds[field.name] for field in attrs.fields(cls)}


def _rule_reader(kind: Any) -> Reader[Any]:
    plain = _plain(kind)
    if plain == _NUMBERS:
        return many(integer, "a list of whole numbers such as [500, 1000], or 500,1000 in one word")
    if plain in (bool, int, str) or typing.get_origin(plain) is Literal:
        return reader_of(plain)
    raise ConfigError(
        f"a house rule is of type {shown(plain)}: only bool, int, str and tuple[int, ...] can be given"
    )


def _parse_rule(kind: Any, value: str) -> Rule:
    """A rule's value from the command line; if it does not fit it stays text, for `make_game` to refuse."""
    plain = _plain(kind)
    if plain is bool and value in ("true", "false"):
        return value == "true"
    if plain is int and re.fullmatch("-?[0-9]{1,99}", value):
        return int(value)
    if plain == _NUMBERS and re.fullmatch("-?[0-9]{1,99}(,-?[0-9]{1,99})*", value):
        return tuple(map(int, value.split(",")))
    return value


def _plain(kind: Any) -> Any:
    """The type without `| None`, which neither a file nor an option can express."""
    if typing.get_origin(kind) in (typing.Union, UnionType):
        (kind,) = (part for part in typing.get_args(kind) if part is not NoneType)
    return kind


_NUMBERS = tuple[int, ...]


def _example(cls: type[Game[Any, Any]]) -> str:
    for field in attrs.fields(cls):
        if isinstance(field.default, bool | int | str):
            return f"{field.name}={str(field.default).lower()}"
    return "dice=3"
