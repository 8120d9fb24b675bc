"""The command line: words -> one function call -> print.  Results go to stdout, all else to stderr."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import arena
from arena.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from arena.show.text import Form
    from arena.store import Store, StoredMatch

# Plain click: rich-click's boxes cost 0.1 s of `arena --help` (measured: 60 ms without, 120 to 160 ms with).

F = TypeVar("F", bound=Callable[..., Any])

DONE, FAULTS, MISTAKE, BUG, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143

EXIT_CODES = (
    "Exit codes: 0 done; 1 faults under --strict or -x; 2 a mistake in what was asked; "
    "70 a bug in the arena or a game's rules; 130 Ctrl-C; 143 SIGTERM."
)
FAULT_KINDS = ("too_late", "malformed", "illegal", "gone")
LATEST = Path("results/latest")


def main() -> None:
    """The program `arena`: every mistake is one sentence on stderr, every ending has its exit code."""
    _make_streams_safe()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # unless `run` hears it
    try:
        _check_system()
        code = cli.main(standalone_mode=False) or DONE
    except click.ClickException as error:
        error.show()
        code = MISTAKE
    except ArenaError as error:
        print(f"arena: {error}", file=sys.stderr)
        code = MISTAKE
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except Exception:
        import traceback

        traceback.print_exc()
        print(
            "arena: this is a bug of the arena, not of a bot; the traceback above says where", file=sys.stderr
        )
        code = BUG
    sys.exit(code)


def _make_streams_safe() -> None:
    """Standard streams that are there and take any text.

    A closed one (`>&-`) would be the next file that is opened; one that is not UTF-8 would raise at `–`.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _check_system() -> None:
    """Raises ConfigError on systems without process groups and POSIX signals."""
    if sys.platform == "win32":
        raise ConfigError(
            "the arena needs Linux or macOS; on Windows, run it in WSL (Windows Subsystem for Linux)"
        )


# Help: options in sections, commands in the order of this file.


class _Option(click.Option):
    def __init__(self, *args: Any, section: str = "Options", **more: Any) -> None:
        super().__init__(*args, **more)
        self.section = section


class _Command(click.Command):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


class _Group(click.Group):
    command_class = _Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def _options(section: str, *options: tuple[Any, ...]) -> Callable[[F], F]:
    """Options of one section: names, metavar (None: a flag, a leading `*`: repeatable), help."""

    def add(command: F) -> F:
        for *names, metavar, words in reversed(options):
            kind: dict[str, Any] = {"is_flag": True} if metavar is None else {"metavar": metavar.lstrip("*")}
            if metavar is not None and metavar.startswith("*"):
                kind["multiple"] = True
            command = click.option(*names, cls=_Option, section=section, help=words, **kind)(command)
        return command

    return add


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES,
)
@click.version_option(arena.__version__, prog_name="arena")
def cli() -> None:
    """A battleground for bots: hidden-information games over TCP and JSON, in tournaments under time limits.

    \b
    arena run                  a first tournament, of built-in bots
    arena run odds ./mybot     your bot against one of them
    arena run plan.toml        a tournament from a file
    """


# run


@cli.command(epilog=EXIT_CODES)
@click.argument("words", metavar="[PLAN.toml | BOT…]", nargs=-1)
@_options(
    "What is played",
    ("--game", "NAME", "The game; `arena games` lists them.  [liars-dice]"),
    ("--rule", "rules", "*KEY=VALUE", "A house rule; may be repeated."),
    ("--tournament", "FORMAT", "The format.  [round-robin]"),
    ("--seats", "N", "Bots at a table.  [2]"),
    ("--series", "N", "Series that every set of bots plays, each in all rotations.  [10]"),
    ("--seed", "N", "Where all luck comes from.  [128 bits, drawn and stored]"),
    (
        "--deals",
        "same|fresh",
        "Whether the rotations of a series share their luck.  [same, if all are started]",
    ),
)
@_options(
    "Time (500ms, 2s, 20m; a bare number is seconds)",
    ("--move-time", "D", "Limit of every answer, or none.  [1s]"),
    ("--bank", "D", "Time of a bot for a whole match.  [none]"),
    ("--increment", "D", "Added to the bank after every answer.  [0s]"),
    ("--margin", "D", "Granted on top of all limits.  [0s for started, 200ms for connecting bots]"),
    ("--first-move-time", "D", "Limit of an instance's first answer.  [10s]"),
)
@_options(
    "Bots that connect by themselves",
    ("--listen", "HOST:PORT", "Where they connect to."),
    ("--remote", "*NAME", "An entrant that connects with a token, which is printed; may be repeated."),
    ("--expect", "N", "Wait for N connecting bots, whoever they are."),
)
@_options(
    "Results",
    ("--out", "DIR", "The results folder.  [results/<plan's name>, or by game and time]"),
    ("--resume", "DIR", "Go on with the run of this folder; needs no other words, and takes more bots."),
    ("--fresh", None, "Forget what the results folder holds and play anew."),
    ("--decisions", "faults|all|none", "Which decisions decisions.csv lists.  [faults]"),
    ("--json", "as_json", None, "Print the leaderboard as JSON."),
    ("--quiet", "-q", None, "No progress."),
)
@_options(
    "How it is played",
    ("--concurrency", "N", "Tables at once.  [cores ÷ seats]"),
    ("--only", "MATCH", "Play just the match whose id begins so, again if need be."),
    ("--dry-run", None, "Say what would be played, and stop."),
    ("--strict", None, "Exit code 1 if there was any fault."),
    ("--exit-first", "-x", None, "Stop at the first fault and print its capsule."),
    ("--leave-out-broken", None, "Play without bots that cannot be started."),
)
def run(
    words: tuple[str, ...],
    resume: str | None,
    fresh: bool,
    only: str | None,
    dry_run: bool,
    exit_first: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Play a tournament and write its tables and leaderboard.

    A BOT is a folder with bot.toml, a .py or .js file, a built-in (`arena bots`), module:Class, or a
    command line in quotes; NAME=BOT gives it a name.  Without words the quick start is played.  A run
    plays what its folder lacks: interrupted or extended, the same command goes on.

    \b
    Examples:
      arena run odds bluffer --series 50 --move-time 500ms
      arena run --game liars-dice --listen 127.0.0.1:8888 --expect 3 --seats 3
      arena run --resume results/latest
    """
    from arena.session.run import run_command
    from arena.session.words import Asked

    asked = Asked(
        resume=None if resume is None else Path(resume),
        fresh=fresh,
        only=only,
        dry_run=dry_run,
        exit_first=exit_first,
        quiet=quiet,
        as_json=as_json,
    )
    return run_command(words, asked, options)


# Reading commands


def reading(command: F) -> F:
    """The forms in which every reading command prints."""
    command = click.option("--csv", "form", flag_value="csv", help="Print as CSV.")(command)
    return click.option("--json", "form", flag_value="json", help="Print as JSON.")(command)


folder_argument = click.argument("folder", metavar="[DIR]", default=LATEST, type=click.Path(path_type=Path))


def _opened(folder: Path) -> Store:
    """The store of a results folder.  Raises ConfigError with what to do where there is none."""
    from arena.store import DATABASE, Store

    if folder == LATEST and not (folder / DATABASE).is_file():
        if folder.is_symlink():
            raise ConfigError(
                f"{folder} points to {os.readlink(folder)}, where no results are any more: "
                "name a results folder"
            )
        raise ConfigError(
            f"there is no {folder} in this folder: `arena run` makes it, or name a results folder "
            "as the last word of the command"
        )
    return Store.open(folder)


@cli.command()
@folder_argument
@reading
def leaderboard(folder: Path, form: Form) -> None:
    """Who is best in a results folder; writes its CSVs anew.

    \b
    Example: arena leaderboard results/quickstart
    """
    from arena.analysis import export
    from arena.analysis.leaderboard import leaderboard as read_only
    from arena.show.board import leaderboard_text
    from arena.show.text import out, say

    with _opened(folder) as store:
        try:
            board = export(store)
        except ConfigError as error:  # reading must do where writing cannot
            say(f"arena: the CSVs are not written: {error}")
            board = read_only(store)
        out(leaderboard_text(board, form))


@cli.command()
@folder_argument
@click.option("--bot", metavar="NAME", help="Only matches of this bot.")
@click.option("--fault", type=click.Choice([*FAULT_KINDS, "any"]), help="Only matches with such a fault.")
@reading
def matches(folder: Path, bot: str | None, fault: str | None, form: Form) -> None:
    """The matches of a results folder, in schedule order.

    \b
    Example: arena matches --bot odds --fault any
    """
    from arena.show.text import as_table, out

    with _opened(folder) as store:
        if bot is not None and bot not in (known := [row.bot for row in store.bots()]):
            raise ConfigError(f"--bot: {bot!r} did not play here; {', '.join(known)} did")
        rows = [_match_row(match) for match in store.matches(bot=bot, fault=fault)]
    header = (
        "match_id",
        "series_id",
        "rotation",
        "bots",
        "winner",
        "faults",
        "turns",
        "duration_s",
        "status",
    )
    out(as_table(header, rows, form))


def _match_row(match: StoredMatch) -> tuple[Any, ...]:
    first = [seat.bot for seat in match.seats if seat.rank == 1]
    return (
        match.match_id,
        match.series_id,
        match.rotation,
        ", ".join(match.bots),
        ", ".join(first),
        sum(seat.faults for seat in match.seats),
        match.turns,
        match.duration_s,
        match.status,
    )


@cli.command()
@click.argument("match", metavar="MATCH")
@folder_argument
@click.option("--as", "viewer", metavar="BOT|spectator", help="Hide what this one did not know.")
@reading
def replay(match: str, folder: Path, viewer: str | None, form: Form) -> None:
    """A match move by move, with all hands.

    MATCH is the beginning of its id (`arena matches` lists them), or the path of a capsule, whose
    evidence is shown too.  --json gives state, options and moves of every step, --csv a row for every move.

    \b
    Example: arena replay 3f0a --as odds
    """
    from arena.prepare.plans import stored_game
    from arena.show.match import STEP_COLUMNS, retold, step_rows, steps_json, telling
    from arena.show.text import as_json, as_table, out

    capsule = _capsule(match)
    if capsule is not None:
        match, home = capsule.name.partition("-")[0], capsule.absolute().parent.parent
        folder = home if (home / "arena.db").is_file() else folder
    with _opened(folder) as store:
        told = telling(store, store.match(match), stored_game(store), viewer)
        if form == "json":
            out(as_json(steps_json(told)))
        elif form == "csv":
            out(as_table(STEP_COLUMNS, step_rows(told), form))
        else:
            out("\n".join(retold(told)))
            if capsule is not None and viewer is None:
                out(_evidence(capsule))


def _capsule(match: str) -> Path | None:
    """The capsule that the word names.  Raises ConfigError if it can only be a path, and nothing is there."""
    if not match:
        raise ConfigError("MATCH is empty: say how its id begins; `arena matches` lists them")
    path = Path(match)
    if path.is_dir():
        raise ConfigError(f"{match} is a folder: say the match first, then the folder")
    if path.suffix != ".jsonl":
        return None
    if not path.is_file():
        raise ConfigError(f"there is no capsule {match}")
    return path


def _evidence(capsule: Path) -> str:
    import json

    from arena.show.text import capsule_lines

    try:
        lines = [json.loads(line) for line in capsule.read_text("utf-8").splitlines()]
        return "\n".join(["", *capsule_lines(lines)])
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigError(f"{capsule} is no capsule: {error}") from None


@cli.command()
@click.argument("name", required=False)
@reading
def games(name: str | None, form: Form) -> None:
    """The games, or the house rules of one, with their defaults.

    \b
    Example: arena games liars-dice
    """
    import attrs

    from arena.games import GAMES
    from arena.prepare.plans import game_class
    from arena.show.text import as_table, out

    if name is None:
        header = ("game", "title", "seats_min", "seats_max", "rated_by", "version")
        classes = [GAMES[each] for each in GAMES]
        rows = [(c.name, c.title, c.seats[0], c.seats[-1], c.rated_by, c.version) for c in classes]
        out(as_table(header, rows, form))
        return
    cls = game_class(name)
    if form is None:
        out(f"{cls.title} ({cls.name}), version {cls.version}: {cls.seats[0]} to {cls.seats[-1]} seats\n")
        out(f"{(sys.modules[cls.__module__].__doc__ or '').strip()}\n")
    rules = [(field.name, _spelt(field.default), str(field.validator)) for field in attrs.fields(cls)]
    out(as_table(("rule", "default", "accepted"), rules, form))


def _spelt(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


@cli.command()
@reading
def bots(form: Form) -> None:
    """The built-in bots, which can be named from anywhere.

    \b
    Example: arena bots
    """
    from arena.entrants import builtin_bots, resolve
    from arena.show.text import as_table, out

    entrants = [resolve(name, base=folder.parent) for name, folder in builtin_bots().items()]
    rows = [
        (bot.name, bot.version, bot.language, ", ".join(bot.games) or "any", bot.command) for bot in entrants
    ]
    out(as_table(("bot", "version", "language", "games", "command"), rows, form))


if __name__ == "__main__":
    main()
