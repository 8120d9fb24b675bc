"""Reads a plan from a TOML file and the command line, and writes it back.  Pure except for `load_plan`.

Keys of the file are the names of the options with `_`; house rules have a table of their own:

    game = "liars-dice"
    bots = ["odds", "../mine", { name = "old", spec = "python3 mine.py deep" }]
    series = 50
    move_time = "500ms"

    [rules]
    dice = 3

No value is coerced, and every mistake is a sentence: file, key, what was found, what is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import attrs

from arena.errors import ConfigError
from arena.reading.strict import (
    Reader,
    as_said,
    did_you_mean,
    duration,
    many,
    one_of,
    optional,
    place,
    read_table,
    read_toml,
    readers_of,
    text,
    whole,
)
from arena.reading.units import parse_address, shown, unexpected
from arena.schedule import FORMATS
from arena.tournament.bots.game_source import placed
from arena.tournament.plan.allow import ALLOW_OPTIONS, allow_as_mapping, allow_in_words, merged, read_allow
from arena.tournament.plan.model import BotSpec, Plan, Rule

T = TypeVar("T")


def load_plan(path: Path) -> Plan:
    """The plan in a TOML file, named after the file unless it says otherwise.

    Raises ConfigError if the file cannot be read, or with a sentence for every mistake in it.
    """
    where = str(path)
    return plan_from(read_toml(path, where=where), where=where, base=path.parent, name=path.stem)


def plan_from(mapping: Mapping[str, object], *, where: str, base: Path, name: str = "") -> Plan:
    """The plan that a mapping holds, as TOML or `as_mapping` makes it; relative paths start at `base`.

    Raises ConfigError with a sentence for every mistake, each beginning with `where`.
    """
    named = {"name": name, **mapping} if name else mapping
    readers = _readers(base)

    def reject(key: str) -> str:
        return _HINTS.get(key) or no_such_key(key, readers)

    return Plan(**read_table(named, readers, where=where, reject=reject))


def no_such_key(key: str, known: Collection[str]) -> str:
    """The message for a key that no plan has: what may have been meant, and where all keys are listed."""
    other = OTHER_WORDS.get(key.lower().replace("-", "_"), "")
    near = f" (did you mean {other}?)" if other in known else did_you_mean(key, known, 3)
    return (
        f"no such key{near}; keys are bots, [rules] and the options that the full help of `arena run` lists, "
        "with _ for -"
    )


def with_options(plan: Plan, options: Mapping[str, object], *, base: Path) -> Plan:
    """The plan as changed by the command line; relative paths in the options start at `base`.

    Keys are the plan's; an option that was not given is None, False or empty.  Numbers may still be text.
    House rules are left alone: see `parse_rules`.  Raises ConfigError with a sentence for every mistake.
    """
    given = {key: _number(key, value) for key, value in options.items() if _is_given(value)}
    more = allow_in_words(given, base=base)
    asked = {key: value for key, value in given.items() if key not in ALLOW_OPTIONS}
    values = read_table(asked, _readers(base), where="")
    return attrs.evolve(plan, allow=merged(plan.allow, more), **values)


def as_mapping(plan: Plan) -> dict[str, Any]:
    """The whole plan in JSON's types, from which `plan_from` makes it again."""
    mapping = attrs.asdict(plan, recurse=False)
    return mapping | {
        "rules": {
            rule: list(given) if isinstance(given, tuple) else given for rule, given in plan.rules.items()
        },
        "bots": [bot_as_mapping(bot, str(bot.base)) for bot in plan.bots],
        "remote": list(plan.remote),
        "listen": None if plan.listen is None else str(plan.listen),
        "out": None if plan.out is None else str(plan.out),
        "allow": allow_as_mapping(plan.allow),
    }


def bot_as_mapping(bot: BotSpec, base: str) -> dict[str, Any]:
    """A bot of a plan in JSON's types, with `base` as the folder of its relative paths."""
    mapping = {"spec": bot.spec, "base": base, "name": bot.name}
    return mapping | ({"is_submission": True} if bot.is_submission else {})


_EXAMPLE_BOTS = 'a list of bots such as ["odds", "my/folder", "python3 mine.py"]'

OTHER_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("time", "time_limit", "timeout", "limit", "move_timeout", "move_limit"), "move_time"),
    **dict.fromkeys(("rounds", "matches", "repeat", "repeats", "n"), "series"),
    **dict.fromkeys(("players", "bot", "entrants", "agents"), "bots"),
    **dict.fromkeys(("output", "results", "folder", "dir", "output_dir"), "out"),
    **dict.fromkeys(("threads", "jobs", "parallel", "tables"), "concurrency"),
    **dict.fromkeys(("worker", "processes", "procs", "cores", "cpus"), "workers"),
    **dict.fromkeys(("format", "type", "kind", "mode"), "tournament"),
    **dict.fromkeys(("port", "address", "host", "bind"), "listen"),
    **dict.fromkeys(("random_seed", "rng"), "seed"),
    **dict.fromkeys(("force", "overwrite", "restart"), "fresh"),
    "continue": "resume",
}
"""What newcomers call a key or an option, having used other programs -> what it is called here."""

_WORKERS = whole(1, 256, 'a whole number from 1 to 256, or "auto"')
CONNECTING_MAX = 10_000
"""How many bots may connect; 5,000 were measured (`connected` in `tests.bench`)."""

_COMMAND_LINE = "can be said on the command line only"

_HINTS: Mapping[str, str] = {
    "rule": "house rules are a table of their own: [rules]",
    **dict.fromkeys(("resume", "fresh", "only", "dry_run", "quiet", "json"), _COMMAND_LINE),
}

_COUNTS = frozenset(key for key, kind in get_type_hints(Plan).items() if int in (kind, *get_args(kind)))
"""Keys that take whole numbers, which the command line may pass as text."""


def _readers(base: Path) -> dict[str, Reader[Any]]:
    """How each key of a plan is read: by its annotation, or here if that needs `base` or more words."""
    return {
        **readers_of(Plan),
        "name": _folder_name,
        "game": lambda value: placed(text(value), base),
        "rules": _read_rules,
        "tournament": _format,
        "until": _none_or(text),
        "bots": many(lambda value: _read_bot(value, base), _EXAMPLE_BOTS),
        "remote": many(text, 'a list of names such as ["alice"]'),
        "expect": whole(0, CONNECTING_MAX),
        "listen": optional(parse_address),
        "seed": optional(whole(0, (1 << 128) - 1, "a whole number from 0 to 2^128 − 1")),
        "move_time": _none_or(duration(beyond=True)),
        "bank": _none_or(duration(beyond=True)),
        "first_move_time": _first_move_time,
        "workers": lambda value: value if value == "auto" else _WORKERS(value),
        "allow": lambda value: read_allow(value, base),
        "out": optional(lambda value: base / place(value)),
    }


def _format(value: object) -> str:
    """A format by its name; formats with a command of their own are accepted but not suggested."""
    if isinstance(value, str) and value in FORMATS:
        return value
    return one_of(*(name for name, kind in FORMATS.items() if kind.is_offered))(value)


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
    readers = {"name": optional(text), **readers_of(BotSpec), "base": lambda folder: base / text(folder)}
    fields = {"base": base} | read_table(value, readers, where="", joint="; ")
    if "spec" not in fields:
        raise ConfigError('has no spec, expected a table such as { name = "mine", spec = "python3 mine.py" }')
    return BotSpec(**fields)


def _read_rules(value: object) -> dict[str, Rule]:
    """The house rules in a table, whatever the game."""
    if not isinstance(value, Mapping):
        raise unexpected(value, "a table: [rules]")
    return {rule: _read_rule(rule, given) for rule, given in value.items()}


def _read_rule(rule: str, given: object) -> Rule:
    if isinstance(given, bool | int | str):
        return given
    if isinstance(given, list | tuple) and all(type(item) is int for item in given):
        return tuple(given)
    expected = "a number, true, false, a text or a list of whole numbers"
    raise ConfigError(f"{as_said(rule)}: found {shown(given)}, expected {expected}")


def _none_or(read: Reader[T]) -> Reader[T | None]:
    """A reader for what `read` reads, or `"none"`, as the help shows it, which is None."""
    return lambda value: None if value is None or value == "none" else read(value)


def _first_move_time(value: object) -> float:
    if value == "none":
        raise ConfigError(
            'found "none", but a bot that never gives its first answer would hold its match for ever: '
            "expected a duration, a long one such as 5m if bots prepare long"
        )
    return duration(beyond=True)(value)


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value != () and value != []


def _number(key: str, value: object) -> object:
    """The number in the text of a counting option, if it is one; else the value as it is."""
    if key in _COUNTS and isinstance(value, str) and re.fullmatch("[0-9]{1,99}", value):
        return int(value)
    return value
