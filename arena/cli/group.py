"""What all commands share: the group, exit codes, options in sections, and the options of several."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

import arena
from arena.cli import completion

# Plain click: rich-click's boxes cost 0.1 s of `arena --help` (measured: 60 ms without, 120 to 160 ms with).

F = TypeVar("F", bound=Callable[..., Any])

DONE, FAULTS, MISTAKE, BUG, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143

EXIT_CODES = (
    "Exit codes: 0 done; 1 faults under --strict or -x; 2 a mistake in what was asked; "
    "70 a bug in the arena or a game's rules; 130 Ctrl-C; 143 SIGTERM."
)

COMPLETED = {
    "--game": completion.games,
    "--field": completion.bots,
    "--lang": completion.languages,
    "--out": completion.folders,
    "--resume": completion.folders,
}
"""Options of commands that play -> what the Tab key offers for them."""


class _Option(click.Option):
    def __init__(self, *args: Any, section: str = "Options", **more: Any) -> None:
        super().__init__(*args, **more)
        self.section = section


class _Command(click.Command):
    def __init__(self, *args: Any, common: Collection[str] = (), **more: Any) -> None:
        """`common`: the options that `--help` shows, where there are too many to show all."""
        super().__init__(*args, **more)
        self.common = frozenset(common)
        if common:
            self.params.append(_help_all())

    @property
    def help_option(self) -> str:
        """The option that shows all options."""
        return "--help-all" if self.common else "--help"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses as click does; every error knows its command, to say what would be right."""
        try:
            left = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if not ctx.resilient_parsing:
            self._check_values(ctx)
        return left

    def _check_values(self, ctx: click.Context) -> None:
        """Raises ConfigError for an option that took the next one for its value: `--out --fresh`."""
        from arena.cli.mistakes import no_value

        names = {name for param in self.params for name in param.opts}
        for param in self.params:
            said = ctx.params.get(param.name or "")
            for value in said if isinstance(said, tuple) else (said,):
                if isinstance(param, click.Option) and not param.is_flag and str(value) in names:
                    raise no_value(param)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None and self._is_shown(parameter, ctx):
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def _is_shown(self, parameter: click.Parameter, ctx: click.Context) -> bool:
        is_all = not self.common or ctx.meta.get(SHOWS_ALL)
        return bool(is_all) or not self.common.isdisjoint(parameter.opts)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if self.common and not ctx.meta.get(SHOWS_ALL):
            formatter.write_paragraph()
            formatter.write_text(f"All options: {ctx.command_path} {self.help_option}")


def subgroup() -> type[click.Group]:
    """The class of a command that has commands of its own."""
    return _Group


SHOWS_ALL = "arena.cli.shows_all"
"""The key under which a context keeps whether its help has all options."""


def _help_all() -> click.Option:
    """The option that shows all options."""

    def show(context: click.Context, parameter: click.Parameter, is_asked: bool) -> None:
        if is_asked and not context.resilient_parsing:
            context.meta[SHOWS_ALL] = True
            click.echo(context.get_help())
            context.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show all options and exit.",
    )


DAY = {
    "Play": ("run", "compare", "play", "watch"),
    "Bots": ("new", "bots", "check", "ask", "exploit", "submit", "join"),
    "Results": ("leaderboard", "report", "matches", "replay", "verify"),
    "Servers": ("serve", "league"),
    "Games": ("games", "schema"),
}
"""The commands in the order of a user's day; what is not among them comes after these."""


class _Group(click.Group):
    command_class = _Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolves as click does, with a sentence of ours for a word that is no command."""
        word = args[0]
        if word in self.commands or word.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from arena.cli.mistakes import no_such_command

        raise no_such_command(word, self.list_commands(ctx))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in self._by_section().values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the first sentence of each, whole: click would cut off what a line has no room for."""
        width = max(map(len, self.commands))
        for title, names in self._by_section().items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", summary(self.commands[name])) for name in names])

    def _by_section(self) -> dict[str, list[str]]:
        return {"Commands": list(self.commands)}


class _Program(_Group):
    """The program itself, whose commands stand in the order of a day."""

    def _by_section(self) -> dict[str, list[str]]:
        found = {title: [name for name in names if name in self.commands] for title, names in DAY.items()}
        found["More"] = [name for name in self.commands if all(name not in names for names in DAY.values())]
        return found


def summary(command: click.Command) -> str:
    """What a command does, in its first sentence."""
    first = " ".join((command.help or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.?]) ", first, maxsplit=1)[0]


RULE = ("--rule", "rules", "*KEY=VALUE", "A house rule; may be repeated.")
FIRST_MOVE_TIME = ("--first-move-time", "D", "Limit for an instance's first answer.  [10s]")
COLOR = (
    "--color",
    "auto|always|never",
    "When to use colour; auto: on a terminal, unless NO_COLOR is set.  [auto]",
)
QUIET = ("--quiet", "-q", None, "No progress.")
MEMORY_MAX = ("--memory-max", "MB", "The most memory that a bot may ask for in bot.toml.  [2048]")
GRANTS = (
    ("--allow-read", "*NAME=PATH", "Let the bot NAME read PATH if its bot.toml asks so; NAME may be *."),
    ("--allow", "*NAME=RIGHT", "Grant network, build_network, gpu or writable likewise."),
    MEMORY_MAX,
)
"""Options by which the host grants what bots from a folder of bots ask for."""


def options(section: str, *options: tuple[Any, ...]) -> Callable[[F], F]:
    """Adds options to a section of a command's help.

    Each is given as names, metavar (None: a flag; a leading `*`: repeatable) and help.
    """

    def add(command: F) -> F:
        for *names, metavar, words in reversed(options):
            kind: dict[str, Any] = {"is_flag": True} if metavar is None else {"metavar": metavar.lstrip("*")}
            if metavar is not None and metavar.startswith("*"):
                kind["multiple"] = True
            kind["shell_complete"] = COMPLETED.get(names[0])
            command = click.option(*names, cls=_Option, section=section, help=words, **kind)(command)
        return command

    return add


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]…",
)
@click.pass_context
@click.version_option(arena.__version__, prog_name="arena")
def cli(context: click.Context) -> None:
    """A battleground for bots: hidden-information games over TCP and JSON, in tournaments under time limits.

    \b
    arena run                  a first tournament, of built-in bots
    arena new mybot            a bot of your own, to go on from
    arena run odds ./mybot     your bot against one of them
    arena run plan.toml        a tournament from a file
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
