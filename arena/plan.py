"""What a tournament is to be: a plan, from a TOML file and the command line.  Pure but for `load_plan`.

Keys of the file are the names of the options with `_`; house rules stand in a table of their own:

    game = "liars-dice"
    bots = ["odds", "../mine", { name = "old", spec = "python3 mine.py --depth 1" }]
    series = 50
    move_time = "500ms"

    [rules]
    dice = 3

Nothing is bent into shape, and every mistake is a sentence: file, key, what was found, what is accepted.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, TypeVar

import attrs

from arena.clock import Control
from arena.errors import ConfigError
from arena.game import Game
from arena.schedule import Deals, round_robin_size
from arena.strict import (
    Reader,
    duration,
    flag,
    listed,
    many,
    one_of,
    optional,
    read_table,
    read_toml,
    text,
    unknown,
    whole,
)
from arena.units import Address, format_duration, parse_address, shown, unexpected

G = TypeVar("G", bound=Game[Any, Any])
Rule: TypeAlias = bool | int | str

TOURNAMENTS = ("round-robin",)
MARGIN_STARTED_S, MARGIN_CONNECTING_S = 0.0, 0.2
"""What is granted on top of every limit: nothing on this machine, else a network's way there and back."""


@attrs.frozen
class BotSpec:
    """A bot as the user named it; `entrants.resolve` finds it."""

    spec: str
    """`[NAME=]SPEC`."""
    base: Path
    """The folder at which relative paths in the spec start."""
    name: str | None = None
    """Its name in the tables, if that is said apart; the spec has no `NAME=` then."""


@attrs.frozen(kw_only=True)
class Plan:
    """Everything that `arena run` can be told about a tournament.  All times in seconds."""

    name: str = ""
    """Names the results folder; empty for a plan made of options alone."""
    game: str = "liars-dice"
    rules: Mapping[str, Rule] = attrs.field(factory=dict)
    """House rules, as written; `make_game` checks them."""
    tournament: str = "round-robin"
    bots: tuple[BotSpec, ...] = ()
    remote: tuple[str, ...] = ()
    """Names of entrants that connect by themselves, with a token."""
    expect: int = 0
    """How many bots connect besides, whoever they are."""
    listen: Address | None = None
    """Where they connect to."""
    seats: int = 2
    series: int = 10
    seed: int | None = None
    """None: a seed of 128 bits is drawn."""
    deals: Deals | None = None
    """None: `deals_of` decides."""
    move_time: float | None = 1.0
    """None (written `"none"`): the bank alone limits."""
    bank: float | None = None
    increment: float = 0.0
    margin: float | None = None
    """None: by kind of bot, MARGIN_STARTED_S or MARGIN_CONNECTING_S."""
    first_move_time: float = 10.0
    """What the first answer of an instance may take: programs are slow to warm up."""
    concurrency: int | None = None
    """Tables at once; None: `concurrency_of` decides."""
    faults_max: int = 5
    """After that many faults a seat is not asked any more in that match."""
    withdrawn_after: int = 3
    """After that many such matches in succession a bot is withdrawn."""
    restarts_max: int = 10
    """A bot that crashed in more matches than this is withdrawn."""
    reconnect_s: float = 10.0
    """How long a lost connection may take to come back."""
    name_wait_s: float = 1.0
    """How long a silent connection is waited for until it is called `bot-1`."""
    matches_max: int = 100_000
    decisions: Literal["faults", "all", "none"] = "faults"
    """Which decisions get a row of their own."""
    strict: bool = False
    """Exit code 1 if there was any fault."""
    leave_out_broken: bool = False
    out: Path | None = None
    """The results folder; None: by the plan's name."""

    @property
    def connecting(self) -> int:
        """How many entrants connect by themselves."""
        return len(self.remote) + self.expect

    @property
    def entrants(self) -> int:
        """How many bots there will be."""
        return len(self.bots) + self.connecting


# From files and options to a plan.


def load_plan(path: Path) -> Plan:
    """The plan in a TOML file; it is called like the file unless it says otherwise."""
    where = str(path)
    return plan_from(read_toml(path, where=where), where=where, base=path.parent, name=path.stem)


def plan_from(mapping: Mapping[str, object], *, where: str, base: Path, name: str = "") -> Plan:
    """The plan that a mapping holds, as TOML or `as_mapping` gives it; relative paths start at `base`.

    Raises ConfigError with a sentence for every mistake, each beginning with `where`.
    """
    named = {"name": name, **mapping} if name else mapping
    readers = _readers(base)

    def reject(key: str) -> str:
        return _HINTS.get(key) or unknown(key, readers, "key")

    return Plan(**read_table(named, readers, where=where, reject=reject))


def with_options(plan: Plan, options: Mapping[str, object], *, base: Path) -> Plan:
    """The plan with what the command line says instead; relative paths in it start at `base`.

    Keys are the plan's; an option that was not given is None, False or empty.  Numbers may be text still.
    House rules are no business of this: see `parse_rules`.
    """
    given = {key: _number(key, value) for key, value in options.items() if _is_given(value)}
    values = read_table(given, _readers(base), where="", key_of=_option)
    return attrs.evolve(plan, **values)


def as_mapping(plan: Plan) -> dict[str, Any]:
    """The whole plan in JSON's types; `plan_from` gives it back."""
    mapping = attrs.asdict(plan, recurse=False)
    bots = [{"spec": bot.spec, "base": str(bot.base), "name": bot.name} for bot in plan.bots]
    return mapping | {
        "rules": dict(plan.rules),
        "bots": bots,
        "remote": list(plan.remote),
        "listen": None if plan.listen is None else str(plan.listen),
        "out": None if plan.out is None else str(plan.out),
    }


def check(plan: Plan, *, where: str = "") -> None:
    """Raises ConfigError if the plan's parts do not go together, with a sentence for every mistake."""
    prefix = f"{where}: " if where else ""
    mistakes = [prefix + mistake for mistake in _mistakes(plan)]
    if mistakes:
        raise ConfigError("\n".join(mistakes))


# What a plan leaves open.


def deals_of(plan: Plan) -> Deals:
    """Whether the rotations of a series share their deals.

    By default only if the arena starts every bot: one that connects keeps its memory, and would know the
    other hands when the same deal comes again.
    """
    return plan.deals or ("fresh" if plan.connecting else "same")


def control_of(plan: Plan, *, connecting: bool) -> Control:
    """The time control of a bot that the arena starts, or of one that connects."""
    margin_s = MARGIN_CONNECTING_S if connecting else MARGIN_STARTED_S
    return Control(
        move_s=plan.move_time,
        bank_s=plan.bank,
        increment_s=plan.increment,
        margin_s=margin_s if plan.margin is None else plan.margin,
        first_s=plan.first_move_time,
    )


def concurrency_of(plan: Plan, cores: int) -> int:
    """How many tables play at once: by default as many as have a core for every seat, at least one."""
    return plan.concurrency or max(1, cores // plan.seats)


def size_of(plan: Plan, entrants: int) -> str:
    """The tournament's size in words: `4 bots, 6 pairs × 10 series × 2 seats = 120 matches`."""
    matches = round_robin_size(entrants, plan.seats, plan.series)
    sets = matches // (plan.series * plan.seats)
    kind = _counted(sets, "pair") if plan.seats == 2 else f"{_counted(sets, 'set')} of {plan.seats}"
    return f"{entrants} bots, {kind} × {plan.series} series × {plan.seats} seats = {matches:,} matches"


def warnings_of(plan: Plan) -> tuple[str, ...]:
    """What is allowed and may still be regretted, a sentence each."""
    found = []
    if plan.connecting and plan.seed is not None and plan.seed < 1 << 64:
        found.append(f"seed {plan.seed} can be guessed by whoever connects, and with it every deal")
    if plan.connecting and plan.deals == "same":
        found.append('deals = "same" deals the same hands again to bots that connect and may remember')
    return tuple(found)


# What depends on the game.


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
    """House rules from `KEY=VALUE` words, by the kinds of the game's fields; the last of a key counts."""
    kinds = _rules(cls)
    rules = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ConfigError(f"--rule: found {shown(word)}, expected KEY=VALUE such as {_example(cls)}")
        if key not in kinds:
            raise ConfigError(f"--rule {key}: {_unknown_rule(cls, key)}")
        rules[key] = _parse_rule(kinds[key], value)
    return rules


def check_seats(cls: type[Game[Any, Any]], seats: int, *, where: str = "") -> None:
    """Raises ConfigError if so many cannot play the game."""
    prefix = f"{where}: " if where else ""
    if seats not in cls.seats:
        expected = f"{cls.seats[0]} to {cls.seats[-1]}, as many as play {cls.name}"
        raise ConfigError(f"{prefix}seats: found {seats}, expected {expected}")


def identity(plan: Plan, game: Game[Any, Any]) -> dict[str, Any]:
    """What must be the same whenever one results folder is played on, in JSON's types.

    More bots and more series only add matches; whatever stands here would change those that are there.
    """
    started, connecting = control_of(plan, connecting=False), control_of(plan, connecting=True)
    return {
        "tournament": plan.tournament,
        "game": game.name,
        "version": game.version,
        "rules": attrs.asdict(game),
        "seats": plan.seats,
        "seed": plan.seed,
        "deals": deals_of(plan),
        "move_time": plan.move_time,
        "bank": plan.bank,
        "increment": plan.increment,
        "margin of started bots": started.margin_s,
        "margin of connecting bots": connecting.margin_s,
        "first_move_time": plan.first_move_time,
        "faults_max": plan.faults_max,
        "withdrawn_after": plan.withdrawn_after,
        "restarts_max": plan.restarts_max,
    }


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two identities, in words: `move_time: was 1s, now 2s`.

    A plan without a seed takes the folder's, so that is no difference.
    """
    found = []
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before == after or (key == "seed" and after is None):
            continue
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            found += [f"{key}: {difference}" for difference in differences(before, after)]
        else:
            found.append(f"{key}: was {_in_words(key, before)}, now {_in_words(key, after)}")
    return found


# Helpers: reading.

_EXAMPLE_BOTS = 'a list of bots such as ["odds", "my/folder", "python3 mine.py"]'
_COMMAND_LINE = "can be said on the command line only"
_HINTS: Mapping[str, str] = {
    "rule": "house rules are a table of their own: [rules]",
    **dict.fromkeys(("resume", "fresh", "only", "dry_run", "quiet", "json"), _COMMAND_LINE),
}
_COUNTS = frozenset(field.name for field in attrs.fields(Plan) if str(field.type).startswith("int"))
"""Keys that take whole numbers, which the command line may hand over as text."""


def _readers(base: Path) -> dict[str, Reader[Any]]:
    """How each key of a plan is read."""
    return {
        "name": _folder_name,
        "game": text,
        "rules": _read_rules,
        "tournament": one_of(*TOURNAMENTS),
        "bots": many(lambda value: _read_bot(value, base), _EXAMPLE_BOTS),
        "remote": many(text, 'a list of names such as ["alice"]'),
        "expect": whole(0, 1000),
        "listen": optional(parse_address),
        "seats": whole(2),
        "series": whole(1),
        "seed": optional(_seed),
        "deals": optional(one_of("same", "fresh")),
        "move_time": _move_time,
        "bank": optional(duration(beyond=True)),
        "increment": duration(),
        "margin": optional(duration()),
        "first_move_time": duration(beyond=True),
        "concurrency": optional(whole(1, 1000)),
        "faults_max": whole(1),
        "withdrawn_after": whole(1),
        "restarts_max": whole(0),
        "reconnect_s": duration(),
        "name_wait_s": duration(),
        "matches_max": whole(1),
        "decisions": one_of("faults", "all", "none"),
        "strict": flag,
        "leave_out_broken": flag,
        "out": optional(lambda value: base / Path(text(value)).expanduser()),
    }


def _folder_name(value: object) -> str:
    """A name that can be the folder `results/<name>`."""
    if value == "":
        return ""  # a plan of options alone
    name = text(value)
    if len(name) > 64 or name.startswith(".") or name == "latest" or set(name) & set("/\\:"):
        raise unexpected(value, 'a name for a folder below results/ (up to 64 characters, not "latest")')
    return name


def _read_bot(value: object, base: Path) -> BotSpec:
    if isinstance(value, str):
        return BotSpec(text(value), base)
    if not isinstance(value, dict):
        raise unexpected(value, 'a bot such as "odds", or a table { name = …, spec = … }')
    readers = {"name": optional(text), "spec": text, "base": lambda folder: base / text(folder)}
    fields = {"base": base} | read_table(value, readers, where="", joint="; ")
    if "spec" not in fields:
        raise ConfigError('has no spec, expected a table such as { name = "mine", spec = "python3 mine.py" }')
    return BotSpec(**fields)


def _read_rules(value: object) -> dict[str, Rule]:
    """House rules, of whatever kind the game may take."""
    if not isinstance(value, Mapping):
        raise unexpected(value, "a table: [rules]")
    for rule, given in value.items():
        if not isinstance(given, bool | int | str):
            raise ConfigError(f"{rule}: found {shown(given)}, expected a number, true, false or a text")
    return dict(value)


def _seed(value: object) -> int:
    if type(value) is int and 0 <= value < 1 << 128:
        return value
    raise unexpected(value, "a whole number from 0 to 2^128 − 1")


def _move_time(value: object) -> float | None:
    return None if value is None or value == "none" else duration(beyond=True)(value)


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value != () and value != []


def _number(key: str, value: object) -> object:
    """The number that the text of a counting option is, if it is one."""
    if key in _COUNTS and isinstance(value, str) and re.fullmatch("[0-9]{1,99}", value):
        return int(value)
    return value


def _option(key: str) -> str:
    """How a key is written on the command line."""
    return "BOT" if key == "bots" else f"--{key.replace('_', '-')}"


# Helpers: checking.


def _mistakes(plan: Plan) -> Iterator[str]:
    """What does not go together, whatever the game."""
    if plan.entrants < plan.seats:
        yield f"{_counted(plan.entrants, 'bot')} for {plan.seats} seats: name more bots, or fewer seats"
    if round_robin_size(plan.entrants, plan.seats, plan.series) > plan.matches_max:
        yield f"{size_of(plan, plan.entrants)}, more than matches_max = {plan.matches_max:,} allows"
    if plan.connecting and plan.listen is None:
        who = ", ".join(plan.remote) or _counted(plan.expect, "bot")
        yield f"{who} shall connect, but to where? say listen = HOST:PORT such as 127.0.0.1:8888"
    if not plan.connecting and plan.listen is not None:
        yield f"listen = {plan.listen}, but nobody is to connect: say expect = N or remote = NAME"
    if plan.move_time is None and plan.bank is None:
        yield "move_time = none leaves no limit at all: say a bank, or a move_time"
    if plan.increment > 0 and plan.bank is None:
        yield f"increment = {format_duration(plan.increment)}, but there is no bank to add it to: say a bank"
    if repeated := _repeated(plan.remote):
        yield f"remote: {listed(repeated)} stands there more than once, expected different names"
    yield from filter(None, map(_name_mistake, plan.remote))


def _name_mistake(name: str) -> str | None:
    from arena.wire.messages import check_name

    reason = check_name(name)
    return f"remote: {shown(name)} cannot be a name: {reason}" if reason else None


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# Helpers: house rules.


def _unknown_rule(cls: type[Game[Any, Any]], rule: str) -> str:
    return unknown(rule, _rules(cls), f"rule in {cls.name}")


def _rules(cls: type[Game[Any, Any]]) -> dict[str, Any]:
    """The house rules of a game -> the kinds of their values."""
    kinds = typing.get_type_hints(cls)
    return {field.name: kinds[field.name] for field in attrs.fields(cls)}


def _rule_reader(kind: Any) -> Reader[Any]:
    words = typing.get_args(kind) if typing.get_origin(kind) is Literal else ()
    return one_of(*words) if words else _RULE_READERS[_plain(kind)]


def _parse_rule(kind: Any, value: str) -> Rule:
    """A rule's value from the command line; what does not fit stays text, for `make_game` to refuse."""
    plain = _plain(kind)
    if plain is bool and value in ("true", "false"):
        return value == "true"
    if plain is int and re.fullmatch("-?[0-9]{1,99}", value):
        return int(value)
    return value


def _plain(kind: Any) -> Any:
    """The kind without `| None`, which no file and no option can say."""
    if typing.get_origin(kind) in (typing.Union, UnionType):
        (kind,) = (part for part in typing.get_args(kind) if part is not NoneType)
    return kind


def _integer(value: object) -> int:
    if type(value) is int:
        return value
    raise unexpected(value, "a whole number")


_RULE_READERS: Mapping[Any, Reader[Any]] = {bool: flag, int: _integer, str: text}


def _example(cls: type[Game[Any, Any]]) -> str:
    for field in attrs.fields(cls):
        if isinstance(field.default, bool | int | str):
            return f"{field.name}={str(field.default).lower()}"
    return "dice=3"


def _in_words(key: str, value: object) -> str:
    """A value of an identity, as its user would write it."""
    is_time = key.startswith(("move_time", "bank", "increment", "margin", "first_move_time"))
    if is_time and isinstance(value, int | float):
        return format_duration(value)
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
