"""The commands that play tournaments: `run` and `compare`."""

from __future__ import annotations

from typing import Any

import click

from arena.cli import completion
from arena.cli.group import COLOR, EXIT_CODES, FIRST_MOVE_TIME, GRANTS, MEMORY_MAX, QUIET, RULE, cli, options

GAME = (
    ("--game", "NAME", "The game: a name (`arena games`), a .py file or module:Class.  [liars-dice]"),
    RULE,
)
CLOCK = (
    ("--move-time", "D", "Limit for every answer, or none.  [1s]"),
    ("--bank", "D", "A bot's time for a whole match.  [none]"),
    ("--increment", "D", "Added to the bank after every answer.  [0s]"),
)
MAX_TIME = ("--max-time", "D", "After this long no new match begins.")
FRESH = ("--fresh", None, "Forget what the results folder holds and start over.")
PLAYED_BY = (
    ("--concurrency", "N", "Tables at once.  [as many as keep all cores busy]"),
    ("--workers", "N|auto", "Processes that play; auto: as many as cores, half if bots are programs.  [1]"),
    ("--cluster", "tcp://HOST:PORT", "Play on the Dask cluster of this scheduler; or tls://HOST:PORT."),
    ("--trusted-network", None, "Let --cluster use tcp:// beyond this machine: anybody there can run code."),
    ("--calibrate", None, "Refuse workers whose machine is more than 25 % slower or faster than this one."),
)
"""Options of both commands."""

COMMON = (
    *("--game", "--rule", "--tournament", "--seats", "--series", "--seed", "--move-time", "--bank"),
    *("--listen", "--remote", "--expect", "--until", "--replace", "--out", "--resume", "--json", "--quiet"),
    *("--workers", "--dry-run", "--exit-first", "--leave-out-broken", "--sandbox"),
)
"""Options of `run` that people use every day."""

COMMON_COMPARED = (
    *("--game", "--rule", "--field", "--seats", "--seed", "--by", "--elo1", "--gain1", "--max-series"),
    *("--move-time", "--bank", "--out", "--resume", "--workers", "--dry-run", "--json", "--quiet"),
)
"""Options of `compare` that people use every day."""


@cli.command(epilog=EXIT_CODES, common=COMMON)
@click.argument("words", metavar="[PLAN.toml | BOT…]", nargs=-1, shell_complete=completion.bots)
@options(
    "What is played",
    *GAME,
    ("--tournament", "FORMAT", "round-robin, gauntlet, swiss or knockout.  [round-robin]"),
    ("--seats", "N", "Bots at a table.  [2]"),
    ("--series", "N", "Series that every set of bots plays, each in all rotations.  [10]"),
    ("--sets", "all|balanced", "Round-robin: every set of bots, or a balanced sample.  [all up to 500]"),
    ("--challengers", "N", "Gauntlet: the first N bots play all the others, who do not meet.  [1]"),
    ("--cycles", "N", "Swiss: the number of cycles.  [enough to find the best, plus one]"),
    ("--seed", "N", "The source of all luck; bots can guess one below 2^64.  [128 random bits, stored]"),
    (
        "--deals",
        "same|fresh",
        "Whether the rotations of a series share their luck.  [same if the arena starts all bots]",
    ),
)
@options(
    "Time (500ms, 2s, 20m; a bare number is seconds)",
    *CLOCK,
    ("--margin", "D", "Added to all limits.  [0s for started, 200ms for connecting bots]"),
    FIRST_MOVE_TIME,
    ("--no-clock", None, "No limit at all, for a bot under a debugger."),
)
@options(
    "Bots that connect by themselves",
    ("--listen", "HOST:PORT", "The address they connect to."),
    ("--remote", "*NAME", "An entrant that connects with a token, which is printed; may be repeated."),
    ("--expect", "N", "Wait for N connecting bots, whoever they are."),
    ("--per-address", "N", "Connections allowed from one address.  [256; on loopback what all bots need]"),
    ("--wait", "D", "Wait this long, then play with the bots that are there.  [until all are]"),
)
@options(
    "When it ends",
    ("--until", "GOAL", 'Stop when it is settled who leads: "top 3 at 95%"; or none.'),
    ("--allocate", "open|even", "Whether bots whose order is open meet more often.  [open with --until]"),
    MAX_TIME,
)
@options(
    "Who plays when a folder is continued",
    ("--replace", "*NAME=BOT", "A new version of a bot, NAME@2, in its place; only its matches are played."),
    ("--without", "*NAME", "Exclude a bot from play and leaderboard until it is readmitted."),
    ("--readmit", "*NAME", "Let a bot that was excluded, or withdrawn for its failures, play again."),
    ("--yes", None, "Play bots whose files have changed as new versions, without asking."),
)
@options(
    "Results",
    ("--out", "DIR", "The results folder.  [results/<plan's name>, or named by game and time]"),
    ("--resume", "DIR", "Continue the run in this folder; needs no other arguments, and takes more bots."),
    FRESH,
    (
        "--commit",
        None,
        "Print the hash of plan, seed and bots before play, and what it is of when all is played.",
    ),
    ("--anchor", "BOT", "The bot whose rating is 1500; the others are relative to it.  [the mean]"),
    ("--decisions", "faults|all|none", "Which decisions decisions.csv lists.  [faults]"),
    ("--json", "as_json", None, "Print the leaderboard as JSON."),
    COLOR,
    QUIET,
)
@options(
    "How it is played",
    *PLAYED_BY,
    ("--only", "MATCH", "Play only the match whose id begins like this, again if it was played."),
    ("--dry-run", None, "Print what would be played, and stop."),
    ("--strict", None, "Exit code 1 if there was any fault."),
    ("--exit-first", "-x", None, "Stop at the first fault and print its capsule."),
    ("--debug", "*BOT", "Keep all that this bot hears and says, with times, in logs/; may be repeated."),
    ("--leave-out-broken", None, "Play without bots that cannot be found, built or started."),
    (
        "--sandbox",
        "shield|strict|off",
        "What confines the bots that are started: shield for your own, strict for other people's.  "
        "[strict if any comes from a folder of bots, else shield]",
    ),
    *GRANTS,
)
def run(words: tuple[str, ...], **said: Any) -> int:
    """Play a tournament and write its tables and leaderboard.

    A BOT is a folder with bot.toml or bot.py, a .py or .js file, a built-in (`arena bots`), module:Class,
    or a command line in quotes; NAME=BOT gives it a name.  Any other folder is a folder of bots.  Without
    arguments the quick start is played.  A run plays the matches that are missing: the same command continues
    one that was interrupted, and more series or bots extend it.

    \b
    Examples:
      arena run odds bluffer --series 50 --move-time 500ms
      arena run submissions/ --leave-out-broken
      arena run --game liars-dice --listen 127.0.0.1:8888 --expect 3 --seats 3
      arena run --resume results/latest
    """
    from arena.cli.runs.dry_run import show_run
    from arena.cli.runs.run import run_command
    from arena.cli.runs.run_options import options_of
    from arena.terminal.inks import inks_for

    inks_for(said["color"])  # a wrong word is told before anything is played
    options = options_of(said)
    return show_run(words, options) if options.dry_run else run_command(words, options)


@cli.command(
    epilog="Exit codes: 0 NEW is better; 1 it is not, or is worse; 3 undecided; 2 a mistake in what was "
    "asked; 70 a bug in the arena or a game's rules; 130 Ctrl-C; 143 SIGTERM.",
    common=COMMON_COMPARED,
)
@click.argument("bots", metavar="[NEW OLD]", nargs=-1, shell_complete=completion.bots)
@options(
    "What is played",
    *GAME,
    (
        "--field",
        "*BOT",
        "A bot that both play against, in the same seats with the same deals; may be repeated.",
    ),
    ("--seats", "N", "Bots at a table: NEW or OLD, and the others from the field.  [2]"),
    ("--seed", "N", "The source of all luck.  [128 random bits, stored]"),
)
@options(
    "What is asked",
    (
        "--by",
        "returns|wins",
        "Compare mean returns, or matches won.  [returns where the game is rated by them and declares their "
        "bounds]",
    ),
    ("--elo0", "ELO", "By wins, not better: by this much or less.  [0]"),
    ("--elo1", "ELO", "By wins, better: by this much or more.  [20]"),
    ("--gain0", "RETURNS", "By returns, not better: by this much or less, in the game's unit.  [0]"),
    (
        "--gain1",
        "RETURNS",
        "By returns, better: by this much or more.  [50, or a twentieth of what a series counts at most]",
    ),
    (
        "--tails",
        "any|normal",
        "By returns: whether nothing is assumed of them, or that no rare huge loss is still unseen, which "
        "takes far fewer series.  [any]",
    ),
    ("--alpha", "P", "How often the verdict may be better (or worse) although it is not.  [0.05]"),
    ("--beta", "P", "How often the verdict may be not better although it is.  [0.05]"),
    ("--max-series", "series_max", "N", "After this many it ends undecided.  [5000]"),
)
@options(
    "Time (500ms, 2s, 20m; a bare number is seconds)",
    *CLOCK,
    ("--margin", "D", "Added to all limits.  [0s]"),
    FIRST_MOVE_TIME,
    MAX_TIME,
)
@options(
    "How and where",
    ("--out", "DIR", "The results folder.  [named by game and time]"),
    ("--resume", "DIR", "Continue the comparison in this folder; needs no other arguments."),
    FRESH,
    *PLAYED_BY,
    ("--sandbox", "shield|strict|off", "What confines the bots that are started.  [shield]"),
    MEMORY_MAX,
    ("--dry-run", None, "Print the question and how long the answer may take, and stop."),
    ("--json", "as_json", None, "Print the verdict as JSON."),
    QUIET,
)
def compare(bots: tuple[str, ...], field: tuple[str, ...], **said: Any) -> int:
    """Play until it is decided whether NEW is better than OLD.

    A sequential test over series, of matches won (GSPRT) or of mean returns (betting): it stops by itself, as
    soon as one of the two mistakes is as rare as asked.  NEW and OLD are bots as `arena run` takes them.

    \b
    Examples:
      arena compare ./mybot ./mybot-before
      arena compare ./mybot git:HEAD~1
      arena compare --game holdem ./mybot equity --gain1 100
      arena compare new=./mybot odds --field bluffer --field truthful --seats 3 --elo1 10
    """
    from arena.cli.runs.compare import compare_command
    from arena.cli.runs.question import asked_from
    from arena.cli.runs.run_options import options_of

    asked = asked_from(said)
    return compare_command(bots, field, options_of(said), asked)
