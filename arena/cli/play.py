"""The commands that play: `run` and `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli import completion
from arena.cli.group import EXIT_CODES, cli, options


@cli.command(epilog=EXIT_CODES)
@click.argument("words", metavar="[PLAN.toml | BOT…]", nargs=-1, shell_complete=completion.bots)
@options(
    "What is played",
    ("--game", "NAME", "The game: a name (`arena games`), a .py file or module:Class.  [liars-dice]"),
    ("--rule", "rules", "*KEY=VALUE", "A house rule; may be repeated."),
    ("--tournament", "FORMAT", "round-robin, gauntlet, swiss or knockout.  [round-robin]"),
    ("--seats", "N", "Bots at a table.  [2]"),
    ("--series", "N", "Series that every set of bots plays, each in all rotations.  [10]"),
    ("--sets", "all|balanced", "Round-robin: every set of bots, or a balanced sample.  [all up to 500]"),
    ("--challengers", "N", "Gauntlet: the first N bots play the others, and nobody else meets.  [1]"),
    ("--cycles", "N", "Swiss: how many.  [as many as find the best, and one]"),
    ("--seed", "N", "Where all luck comes from.  [128 bits, drawn and stored]"),
    (
        "--deals",
        "same|fresh",
        "Whether the rotations of a series share their luck.  [same, if all are started]",
    ),
)
@options(
    "Time (500ms, 2s, 20m; a bare number is seconds)",
    ("--move-time", "D", "Limit of every answer, or none.  [1s]"),
    ("--bank", "D", "Time of a bot for a whole match.  [none]"),
    ("--increment", "D", "Added to the bank after every answer.  [0s]"),
    ("--margin", "D", "Granted on top of all limits.  [0s for started, 200ms for connecting bots]"),
    ("--first-move-time", "D", "Limit of an instance's first answer.  [10s]"),
)
@options(
    "Bots that connect by themselves",
    ("--listen", "HOST:PORT", "Where they connect to."),
    ("--remote", "*NAME", "An entrant that connects with a token, which is printed; may be repeated."),
    ("--expect", "N", "Wait for N connecting bots, whoever they are."),
    ("--wait", "D", "Wait so long, then play with those who came.  [until all are there]"),
)
@options(
    "When it ends",
    ("--until", "GOAL", 'Stop when it is settled who leads: "top 3 at 95%"; or none.'),
    ("--max-time", "D", "After that long no other match begins."),
)
@options(
    "Who plays, in a folder that goes on",
    ("--replace", "*NAME=BOT", "A new version of a bot, NAME@2, in its place; only its matches are played."),
    ("--without", "*NAME", "Exclude a bot from play and leaderboard until it is readmitted."),
    ("--readmit", "*NAME", "Let a bot play again that was excluded, or withdrawn for its failures."),
    ("--yes", None, "Play bots whose files have changed as new versions, without asking."),
)
@options(
    "Results",
    ("--out", "DIR", "The results folder.  [results/<plan's name>, or by game and time]"),
    ("--resume", "DIR", "Go on with the run of this folder; needs no other words, and takes more bots."),
    ("--fresh", None, "Forget what the results folder holds and start over."),
    ("--anchor", "BOT", "Whose rating is 1500; the others are told by their distance.  [the mean]"),
    ("--decisions", "faults|all|none", "Which decisions decisions.csv lists.  [faults]"),
    ("--json", "as_json", None, "Print the leaderboard as JSON."),
    ("--color", "auto|always|never", "Colour: on a terminal, unless NO_COLOR is set; or as said.  [auto]"),
    ("--quiet", "-q", None, "No progress."),
)
@options(
    "How it is played",
    ("--concurrency", "N", "Tables at once.  [as many as keep all cores busy]"),
    ("--only", "MATCH", "Play just the match whose id begins so, again if need be."),
    ("--dry-run", None, "Say what would be played, and stop."),
    ("--strict", None, "Exit code 1 if there was any fault."),
    ("--exit-first", "-x", None, "Stop at the first fault and print its capsule."),
    ("--leave-out-broken", None, "Play without bots that cannot be found, built or started."),
    (
        "--sandbox",
        "shield|strict|off",
        "What started bots are shut in: shield against your own, strict against other people's.  [shield]",
    ),
)
def run(
    words: tuple[str, ...],
    resume: str | None,
    fresh: bool,
    only: str | None,
    replace: tuple[str, ...],
    without: tuple[str, ...],
    readmit: tuple[str, ...],
    yes: bool,
    dry_run: bool,
    exit_first: bool,
    quiet: bool,
    as_json: bool,
    color: str | None,
    **wishes: Any,
) -> int:
    """Play a tournament and write its tables and leaderboard.

    A BOT is a folder with bot.toml or bot.py, a .py or .js file, a built-in (`arena bots`), module:Class,
    or a command line in quotes; NAME=BOT gives it a name.  Any other folder is a folder of bots.  Without
    words the quick start is played.  A run plays the matches that are missing: interrupted or extended, the
    same command continues.

    \b
    Examples:
      arena run odds bluffer --series 50 --move-time 500ms
      arena run submissions/ --leave-out-broken
      arena run --game liars-dice --listen 127.0.0.1:8888 --expect 3 --seats 3
      arena run --resume results/latest
    """
    from arena.cli.run import run_command
    from arena.cli.run_options import RunOptions
    from arena.show.inks import inks_for

    inks_for(color)  # a wrong word is told before anything is played
    options = RunOptions(
        resume=None if resume is None else Path(resume),
        fresh=fresh,
        only=only,
        replace=replace,
        without=without,
        readmit=readmit,
        yes=yes,
        dry_run=dry_run,
        exit_first=exit_first,
        quiet=quiet,
        as_json=as_json,
        color=color,
    )
    return run_command(words, options, wishes)


@cli.command(
    epilog="Exit codes: 0 NEW is better; 1 it is not; 3 undecided; 2 a mistake in what was asked; "
    "70 a bug in the arena or a game's rules; 130 Ctrl-C; 143 SIGTERM."
)
@click.argument("bots", metavar="[NEW OLD]", nargs=-1, shell_complete=completion.bots)
@options(
    "What is played",
    ("--game", "NAME", "The game: a name (`arena games`), a .py file or module:Class.  [liars-dice]"),
    ("--rule", "rules", "*KEY=VALUE", "A house rule; may be repeated."),
    ("--field", "*BOT", "Who both play against, in the same seats with the same deals; may be repeated."),
    ("--seats", "N", "Bots at a table: NEW or OLD, and one less of the field.  [2]"),
    ("--seed", "N", "Where all luck comes from.  [128 bits, drawn and stored]"),
)
@options(
    "What is asked",
    ("--elo0", "ELO", "Not better: by so much or less.  [0]"),
    ("--elo1", "ELO", "Better: by so much or more.  [20]"),
    ("--alpha", "P", "How often it may say better though it is not.  [0.05]"),
    ("--beta", "P", "How often it may say not better though it is.  [0.05]"),
    ("--max-series", "N", "There it ends undecided.  [5000]"),
)
@options(
    "Time (500ms, 2s, 20m; a bare number is seconds)",
    ("--move-time", "D", "Limit of every answer, or none.  [1s]"),
    ("--bank", "D", "Time of a bot for a whole match.  [none]"),
    ("--increment", "D", "Added to the bank after every answer.  [0s]"),
    ("--margin", "D", "Granted on top of all limits.  [0s]"),
    ("--first-move-time", "D", "Limit of an instance's first answer.  [10s]"),
    ("--max-time", "D", "After that long no other match begins."),
)
@options(
    "How and where",
    ("--out", "DIR", "The results folder.  [by game and time]"),
    ("--resume", "DIR", "Go on with the comparison of this folder; needs no other words."),
    ("--fresh", None, "Forget what the results folder holds and start over."),
    ("--concurrency", "N", "Tables at once.  [as many as keep all cores busy]"),
    ("--sandbox", "shield|strict|off", "What started bots are shut in.  [shield]"),
    ("--dry-run", None, "Say what is asked and how long it may take, and stop."),
    ("--json", "as_json", None, "Print the verdict as JSON."),
    ("--quiet", "-q", None, "No progress."),
)
def compare(
    bots: tuple[str, ...],
    field: tuple[str, ...],
    elo0: str | None,
    elo1: str | None,
    alpha: str | None,
    beta: str | None,
    max_series: str | None,
    resume: str | None,
    fresh: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    **wishes: Any,
) -> int:
    """Is NEW better than OLD?  Plays series until that can be said, and no longer.

    A sequential test (GSPRT) over series: it stops by itself, as soon as one of the two mistakes is as
    rare as asked.  NEW and OLD are bots as `arena run` takes them.

    \b
    Examples:
      arena compare ./mybot ./mybot-before
      arena compare ./mybot git:HEAD~1
      arena compare new=./mybot odds --field bluffer --field doubter --seats 3 --elo1 10
    """
    from arena.cli.compare import compare_command, hypotheses_from
    from arena.cli.run_options import RunOptions

    options = RunOptions(
        resume=None if resume is None else Path(resume),
        fresh=fresh,
        dry_run=dry_run,
        quiet=quiet,
        as_json=as_json,
    )
    given = hypotheses_from(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, series_max=max_series)
    return compare_command(bots, field, options, wishes, given)
