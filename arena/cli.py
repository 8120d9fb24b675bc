"""The command line: words -> one function call -> print.  Results go to stdout, progress and mistakes to stderr."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

import arena
from arena.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from arena.store import StoredMatch

F = TypeVar("F", bound=Callable[..., Any])

DONE, FAULTS, MISTAKE, BUG, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143

EXIT_CODES = """Exit codes: 0 done; 1 faults under --strict; 2 a mistake in what was asked;
70 a bug in the arena or a game's rules; 130 Ctrl-C; 143 SIGTERM."""

click.rich_click.TEXT_MARKUP = "rich"
click.rich_click.MAX_WIDTH = 110
click.rich_click.SHOW_ARGUMENTS = True


def main() -> None:
    """The program `arena`: every mistake is one sentence on stderr, every ending has its exit code."""
    try:
        from arena.prepare import check_system

        check_system()
        sys.exit(cli.main(standalone_mode=False) or DONE)
    except click.ClickException as error:
        error.show()
        code = MISTAKE
    except ArenaError as error:
        print(f"arena: {error}", file=sys.stderr)
        code = MISTAKE
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except Exception:
        traceback.print_exc()
        print("arena: this is a bug of the arena, not of a bot; the traceback above says where", file=sys.stderr)
        code = BUG
    sys.exit(code)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(arena.__version__, prog_name="arena")
def cli() -> None:
    """A battleground for bots: hidden-information games over TCP and JSON, in tournaments under time limits.

    First steps: `arena run` plays a tournament of the built-in bots,
    `arena run odds ./mybot` one with yours.
    """


def reading(command: F) -> F:
    """The options that every reading command has."""
    command = click.option("--csv", "as_csv", is_flag=True, help="Print as CSV.")(command)
    return click.option("--json", "as_json", is_flag=True, help="Print as JSON.")(command)


# run


@cli.command(epilog=EXIT_CODES)
@click.argument("words", metavar="[PLAN.toml | BOT…]", nargs=-1)
@click.option("--game", help="The game; `arena games` lists them.  [liars-dice]")
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A house rule; may be repeated.")
@click.option("--tournament", help="The format.  [round-robin]")
@click.option("--seats", metavar="N", help="Bots at a table.  [2]")
@click.option("--series", metavar="N", help="Series that every set of bots plays, each in all rotations.  [10]")
@click.option("--seed", metavar="N", help="Where all luck comes from.  [128 bits drawn and stored]")
@click.option("--deals", metavar="same|fresh", help="Whether the rotations of a series share their luck.")
@click.option("--move-time", metavar="D", help="Limit of every answer, e.g. 500ms, 2s, or none.  [1s]")
@click.option("--bank", metavar="D", help="Time of a bot for a whole match.")
@click.option("--increment", metavar="D", help="Added to the bank after every answer.")
@click.option("--margin", metavar="D", help="Granted on top of limits.  [0 started, 200ms connecting]")
@click.option("--first-move-time", metavar="D", help="Limit of an instance's first answer.  [10s]")
@click.option("--concurrency", metavar="N", help="Tables at once.  [cores ÷ seats]")
@click.option("--listen", metavar="HOST:PORT", help="Where bots connect that the arena does not start.")
@click.option("--remote", multiple=True, metavar="NAME", help="An entrant that connects with a token; may be repeated.")
@click.option("--expect", metavar="N", help="Wait for N connecting bots, whoever they are.")
@click.option("--decisions", metavar="faults|all|none", help="Which decisions decisions.csv lists.  [faults]")
@click.option("--out", metavar="DIR", help="The results folder.")
@click.option("--resume", metavar="DIR", help="Go on with the run of this folder; needs no other words.")
@click.option("--fresh", is_flag=True, help="Forget what the results folder holds and play anew.")
@click.option("--only", metavar="MATCH", help="Play just this match, again if need be.")
@click.option("--dry-run", is_flag=True, help="Say what would be played, and stop.")
@click.option("--strict", is_flag=True, help="Exit code 1 if there was any fault.")
@click.option("-x", "--exit-first", is_flag=True, help="Stop at the first fault and print its capsule.")
@click.option("--leave-out-broken", is_flag=True, help="Play without bots that cannot be started.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def run(words: tuple[str, ...], **options: Any) -> int:
    """Play a tournament and write its tables and leaderboard.

    A BOT is a folder with bot.toml, a .py or .js file, a built-in (`arena bots`), module:Class, or a command line;
    NAME=BOT gives it a name.  Without words the quick start is played.  A run plays what its folder lacks:
    the same command again goes on where it stopped.

    \b
    Example: arena run odds ./mybot --series 50 --move-time 500ms
    """
    from arena.session import run_command

    return run_command(words, options)


# Reading commands


def folder_argument(command: F) -> F:
    return click.argument("folder", metavar="[DIR]", default="results/latest", type=click.Path(path_type=Path))(command)


@cli.command()
@folder_argument
@reading
def leaderboard(folder: Path, as_csv: bool, as_json: bool) -> None:
    """Who is best in a results folder; writes its CSVs anew.

    \b
    Example: arena leaderboard results/quickstart
    """
    from arena.analysis import export
    from arena.session import print_leaderboard
    from arena.store import Store

    with Store.open(folder) as store:
        try:
            board = export(store)
        except ConfigError as error:  # reading must do where writing cannot
            from arena.analysis.leaderboard import leaderboard as read_only

            print(f"arena: the CSVs are not written: {error}", file=sys.stderr)
            board = read_only(store)
        print_leaderboard(board, store, as_csv=as_csv, as_json=as_json)


@cli.command()
@folder_argument
@click.option("--bot", metavar="NAME", help="Only matches of this bot.")
@click.option("--fault", metavar="KIND", help="Only matches with a fault: too_late, malformed, illegal, gone, or any.")
@reading
def matches(folder: Path, bot: str | None, fault: str | None, as_csv: bool, as_json: bool) -> None:
    """The matches of a results folder, in schedule order.

    \b
    Example: arena matches --bot odds --fault any
    """
    from arena.record import FAULT_KINDS
    from arena.show import as_table
    from arena.store import Store

    if fault is not None and fault not in (*FAULT_KINDS, "any"):
        raise ConfigError(f"--fault: found {fault!r}, expected one of {', '.join(FAULT_KINDS)} or any")
    with Store.open(folder) as store:
        if bot is not None and bot not in (known := [row.bot for row in store.bots()]):
            raise ConfigError(f"--bot: {bot!r} did not play here; {', '.join(known)} did")
        rows = [_match_row(match) for match in store.matches(bot=bot, fault=fault)]
    header = ("match_id", "series_id", "rotation", "bots", "winner", "faults", "turns", "duration_s", "status")
    print(as_table(header, rows, csv=as_csv, json=as_json))


def _match_row(match: StoredMatch) -> tuple[Any, ...]:
    first = [seat.bot for seat in match.seats if seat.rank == 1]
    return (
        match.match_id,
        match.series_id,
        match.rotation,
        " ".join(match.bots),
        " ".join(first) if match.status == "done" else "",
        sum(seat.faults for seat in match.seats),
        match.turns,
        match.duration_s,
        match.status,
    )


@cli.command()
@click.argument("match", metavar="MATCH")
@folder_argument
@click.option("--as", "viewer", metavar="BOT|spectator", help="Hide what this one did not know.")
@click.option("--json", "as_json", is_flag=True, help="Print state, options and move of every step.")
def replay(match: str, folder: Path, viewer: str | None, as_json: bool) -> None:
    """A match move by move, with all hands.

    MATCH is the beginning of its id (`arena matches` lists them), or the path of a capsule.

    \b
    Example: arena replay 3f0a --as odds
    """
    from arena.session import print_replay
    from arena.store import Store

    path = Path(match)
    if path.suffix == ".jsonl" and path.is_file():
        match, folder = path.name.split("-")[0], path.absolute().parent.parent
    with Store.open(folder) as store:
        print_replay(store, match, viewer=viewer, as_json=as_json)


@cli.command()
@click.argument("name", required=False)
@reading
def games(name: str | None, as_csv: bool, as_json: bool) -> None:
    """The games, or the house rules of one, with their defaults.

    \b
    Example: arena games liars-dice
    """
    import attrs

    from arena.games import GAMES
    from arena.prepare import game_class
    from arena.show import as_table

    if name is None:
        listed = [
            (each.name, each.title, f"{each.seats[0]}–{each.seats[-1]}", each.rated_by, each.version)
            for each in map(GAMES.__getitem__, GAMES)
        ]
        print(as_table(("game", "title", "seats", "rated_by", "version"), listed, csv=as_csv, json=as_json))
        return
    cls = game_class(name)
    rules = [(field.name, _shown_default(field.default), getattr(field.type, "__name__", str(field.type))) for field in attrs.fields(cls)]
    if not (as_csv or as_json):
        print(f"{cls.title} ({cls.name}), version {cls.version}, {cls.seats[0]} to {cls.seats[-1]} seats, rated by {cls.rated_by}\n")
    print(as_table(("rule", "default", "type"), rules, csv=as_csv, json=as_json))


def _shown_default(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


@cli.command()
@reading
def bots(as_csv: bool, as_json: bool) -> None:
    """The built-in bots, which can be named from anywhere.

    \b
    Example: arena bots
    """
    from arena.entrants import builtin_bots, resolve
    from arena.show import as_table

    entrants = [resolve(name, base=Path.cwd()) for name in builtin_bots()]
    rows = [(bot.name, bot.version, bot.language, " ".join(bot.games) or "any", bot.command) for bot in entrants]
    print(as_table(("bot", "version", "language", "games", "command"), rows, csv=as_csv, json=as_json))




if __name__ == "__main__":
    main()
