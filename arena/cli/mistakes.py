"""Words the user's mistakes, in what ended a run and in the words of a command, each in one sentence.

No other room knows how settings and the ways out of a mistake are typed.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from arena.errors import ArenaError, ConfigError, Hint

T = TypeVar("T")


def told_mistake(error: ArenaError) -> str:
    """The mistake with its setting named as an option, followed by the options that are a way out."""
    if not isinstance(error, ConfigError):
        return str(error)
    if error.parts:
        return "\n".join(map(told_mistake, error.parts))
    said = str(error)
    if error.setting:
        said = option_of(error.setting) + said.removeprefix(error.setting)
    return with_hints(said, error.hints)


def with_hints(said: str, hints: Iterable[Hint]) -> str:
    """The sentence and what may be typed: `…; --fresh starts over, --out DIR plays elsewhere`."""
    typed = ", ".join(map(_typed, hints))
    joint = "\n" if "\n" in said else "; "
    return f"{said}{joint}{typed}" if typed else said


def option_of(setting: str) -> str:
    """How a setting is named on the command line."""
    return "BOT" if setting == "bots" else f"--{setting.replace('_', '-')}"


def _typed(hint: Hint) -> str:
    words = [option_of(hint.setting), *([shlex.quote(hint.value)] if hint.value else [])]
    command = " ".join(["arena", hint.command, *words] if hint.command else words)
    return f"{f'`{command}`' if hint.command else command} {hint.does}"


@contextmanager
def ungrouped() -> Iterator[None]:
    """Raises the user's mistake alone, out of the groups in which trio's nurseries wrap it."""
    try:
        yield
    except BaseExceptionGroup as group:
        if (mistake := the_mistake_in(group)) is not None:
            raise mistake from None
        raise


def the_mistake_in(group: BaseExceptionGroup[BaseException]) -> ConfigError | None:
    """The user's mistake that ended the run; None if anything else is in the group: a bug of ours."""
    leaves = list(_leaves(group))
    if not all(isinstance(leaf, ArenaError) for leaf in leaves):
        return None
    first = leaves[0]
    return first if isinstance(first, ConfigError) else ConfigError(str(first))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def worded(error: click.ClickException) -> str:
    """What click found wrong, as the arena says it: what, where, what would be right.

    click has messages of its own, in a style of its own, below a line of usage.
    """
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return _begun_small(error.format_message())
    if isinstance(error, click.NoSuchOption):
        return _no_option(error.option_name, context)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"{_hint(error.param, context)} is missing, expected: {_usage(context)}"
    if isinstance(error, click.BadOptionUsage):
        return _wrong_use(error, context)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{_hint(error.param, context)}: {error.message.rstrip('.')}"
    message = error.format_message()
    if extra := re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", message, re.DOTALL):
        words = (
            "a word too many" if message.startswith("Got unexpected extra argument ") else "too many words"
        )
        return f"{words} ({extra[1]}), expected: {_usage(context)}"
    return f"{_begun_small(message).rstrip('.')}; {_help_of(context)} says what is expected"


def no_such_command(word: str, commands: Collection[str]) -> ConfigError:
    """The error for a first word that is no command; it may be a bot, with `run` forgotten."""
    from arena.reading.strict import did_you_mean
    from arena.reading.units import shown
    from arena.tournament.bots.entrants import builtin_bots

    near = did_you_mean(word, commands)
    if not near and (os.path.exists(word) or word.partition("=")[2] or word in builtin_bots()):
        return ConfigError(f"{shown(word)} is not a command: `arena run {shlex.quote(word)}` plays it")
    others = "`arena --help` lists all" if near else f"there are {', '.join(commands)}"
    return ConfigError(f"no command {shown(word)}{near}; {others}")


def no_value(option: click.Parameter) -> ConfigError:
    """The error for an option without its value."""
    name = option.opts[0]
    return ConfigError(f"{name}: its value is missing, expected: {name} {_metavar(option)}")


class WholeNumber(click.ParamType):  # type: ignore[type-arg]  # as below
    """A whole number from 1 on, as `click.IntRange(1)`, with the message that all other numbers have."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number.  Raises ConfigError with what was found and what is expected."""
        from arena.reading.strict import whole

        is_number = isinstance(value, str) and re.fullmatch("-?[0-9]{1,99}", value)
        return _of_option(param, whole(1), int(value) if is_number else value)


class WordOf(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of some words, as `click.Choice`, with the message that all other choices have."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word.  Raises ConfigError with what was found and what is expected."""
        from arena.reading.strict import one_of

        return _of_option(param, one_of(*self.choices), value)


def _of_option(param: click.Parameter | None, read: Callable[[object], T], value: object) -> T:
    try:
        return read(value)
    except ConfigError as error:
        raise ConfigError(f"{param.opts[0]}: {error}" if param is not None else str(error)) from None


def _no_option(option: str, context: click.Context) -> str:
    from arena.reading.strict import as_said, did_you_mean
    from arena.tournament.plan.reading import OTHER_WORDS

    word = option.lstrip("-")
    if word == "bots" and context.command.name == "run":
        return "--bots: no such option; bots are named without one: arena run odds random"
    known = [
        name[2:] for param in context.command.get_params(context) for name in param.opts if name[:2] == "--"
    ]
    other = OTHER_WORDS.get(word.lower().replace("-", "_"), "").replace("_", "-")
    near = f" (did you mean {other}?)" if other in known else did_you_mean(word, known)
    return (
        f"{as_said(option)}: no such option{near.replace('mean ', 'mean --')}; {_help_of(context)} lists all"
    )


def _wrong_use(error: click.BadOptionUsage, context: click.Context) -> str:
    name = error.option_name
    for param in context.command.get_params(context):
        if name in param.opts and not getattr(param, "is_flag", False):
            return str(no_value(param))
    return f"{name} takes no value"


def _hint(param: click.Parameter, context: click.Context) -> str:
    return param.opts[0] if isinstance(param, click.Option) else param.human_readable_name


def _metavar(param: click.Parameter) -> str:
    if isinstance(param.type, click.Choice):
        return "|".join(param.type.choices)
    return param.metavar or "VALUE"


def _usage(context: click.Context) -> str:
    pieces: Sequence[str] = context.command.collect_usage_pieces(context)
    return " ".join([context.command_path, *(piece for piece in pieces if piece != "[OPTIONS]")])


def _help_of(context: click.Context) -> str:
    """The command that shows all options."""
    return f"`{context.command_path} {getattr(context.command, 'help_option', '--help')}`"


def _begun_small(message: str) -> str:
    return message[:1].lower() + message[1:]
