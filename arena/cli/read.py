"""The commands that read: results, matches, games, bots."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion
from arena.cli.group import cli
from arena.cli.mistakes import WholeNumber, WordOf
from arena.cli.reading import (
    bot_option,
    complained,
    faults_listing,
    folder_argument,
    game_option,
    latest,
    opened_to_read,
    reading,
)
from arena.errors import FAULT_KINDS, ConfigError

if TYPE_CHECKING:
    from arena.store import Store, StoredMatch
    from arena.terminal.text import TableFormat


@cli.command()
@folder_argument
@bot_option("--bot", "bot", "NAME", "One bot's page: match-ups, seats, faults, lost matches.")
@bot_option("--anchor", "anchor", "BOT", "The bot whose rating is 1500.  [that of the run, or the mean]")
@reading
def leaderboard(
    folder: Path, bot: str | None, anchor: str | None, form: TableFormat, color: str | None
) -> int:
    """Show who is best in a results folder, and rewrite its CSVs.

    \b
    Examples:
      arena leaderboard results/quickstart
      arena leaderboard --bot odds
    """
    from arena.analysis import export, exported_before
    from arena.analysis.ranking import leaderboard as read_only
    from arena.terminal.board import leaderboard_text
    from arena.terminal.inks import inks_for
    from arena.terminal.text import columns_of, out, say

    inks = inks_for(color)

    with opened_to_read(folder) as store:
        if bot is not None:
            bot = store.names.bot(bot)
            out(
                _bot_text(
                    store, bot, anchor, "" if folder == latest() else f" {shlex.quote(str(folder))}", form
                )
            )
            return complained(store)
        try:
            board = exported_before(store, anchor=anchor) or export(store, anchor=anchor)
        except ConfigError as error:  # reading must do where writing cannot
            board = read_only(store, anchor=anchor)
            if store.damage is None:
                say(f"arena: the CSVs were not written: {error}")
        shown = board if form else store.names.shown(board)
        out(leaderboard_text(shown, form, columns_of(sys.stdout), inks), inks)
        return complained(store)


def _bot_text(store: Store, bot: str, anchor: str | None, where: str, form: TableFormat) -> str:
    """One bot's page; as CSV its match-ups."""
    import attrs

    from arena.analysis.bot_page import bot_page_of, old_versions
    from arena.analysis.ranking import leaderboard as read_only
    from arena.analysis.sheet import read_sheet
    from arena.terminal.bot_page import bot_page
    from arena.terminal.text import as_csv, as_json, columns_of

    with store.frozen():
        sheet = read_sheet(store)
        board = read_only(store, anchor=anchor, sheet=sheet)
        faults = store.faults(published=True)
        page = bot_page_of(sheet, board, bot, faults, store.log_of, old_versions(store, faults))
    if form == "json":
        return as_json(attrs.asdict(page))
    if form == "csv":
        header, rows = board.head_to_head
        return as_csv(header, [row for row in rows if row[header.index("bot")] == page.row.bot])
    return bot_page(
        store.names.shown(page),
        where,
        listing=faults_listing(where, page.row.bot),
        folder=shlex.quote(str(store.folder)),
        columns=columns_of(sys.stdout),
    )


@cli.command()
@folder_argument
@click.option("--out", "path", metavar="FILE", help="The file to write.  [DIR/report.html]")
@click.option("--open", "is_opened", is_flag=True, help="Open it in the browser, if there is one.")
@game_option
def report(folder: Path, path: str | None, is_opened: bool, game: str | None) -> int:
    """Write a page to share: who is best, and how bots lost.

    A single file that needs nothing else: leaderboard, ratings, match-ups, seats, faults, thinking
    times, a page for every bot, and a viewer of matches.

    \b
    Example: arena report results/quickstart --open
    """
    from arena.page.report import write_report
    from arena.terminal.text import out
    from arena.tournament.folder.stored import stored_game

    with opened_to_read(folder) as store:
        if game is not None:
            stored_game(store, game)  # a wrong one is told before anything is written
        written = write_report(store, None if path is None else Path(path), game=game)
        _say_what_is_missing(store, game)
    out(str(written))
    if is_opened:
        from arena.cli.browser import show_page

        show_page(written.absolute().as_uri())
    return complained(store)


def _say_what_is_missing(store: Store, game: str | None) -> None:
    """Says why the page shows no matches, if it shows none, which is not the user's mistake."""
    from arena.terminal.text import say
    from arena.tournament.folder.stored import stored_game

    try:
        stored_game(store, game)
    except ConfigError as error:
        say(f"arena: the page shows no matches: {error}")
    except KeyError:  # a folder that no run wrote, which names no game
        pass


MATCH_COLUMNS = (
    *("match_id", "series_id", "rotation", "bots", "winners"),
    *("faults", "turns", "duration_s", "status"),
)
MATCH_COLUMNS_LESS_NEEDED = ("series_id", "status", "rotation", "duration_s")
"""The columns that are left out, in this order, if a terminal is too narrow for all."""


@cli.command()
@folder_argument
@bot_option("--bot", "bot", "NAME", "Only matches of this bot.")
@bot_option("--winner", "winner", "NAME", "Only matches that this bot won, alone or with others.")
@click.option("--fault", type=WordOf([*FAULT_KINDS, "any"]), help="Only matches with this fault.")
@click.option("--sort", metavar="COLUMN", help="Sort by a column; from the largest with a `-` before it.")
@click.option("--limit", metavar="N", type=WholeNumber(), help="Only the first N.")
@reading
def matches(
    folder: Path,
    bot: str | None,
    winner: str | None,
    fault: str | None,
    sort: str | None,
    limit: int | None,
    form: TableFormat,
    color: str | None,
) -> int:
    """List the matches of a results folder, in schedule order.

    \b
    Examples:
      arena matches --bot odds --fault any
      arena matches --winner random --sort -turns --limit 5
    """
    from arena.terminal.inks import inks_for
    from arena.terminal.text import as_table, columns_of, fitting, out

    inks = inks_for(color)
    with opened_to_read(folder) as store:
        known = [row.bot for row in store.bots()]
        bot, winner = (word and store.names.bot(word) for word in (bot, winner))
        for option, name in (("--bot", bot), ("--winner", winner)):
            if name is not None and name not in known:
                raise ConfigError(f"{option}: {name!r} did not play here; {', '.join(known)} did")
        found = (_match_row(match) for match in store.matches(bot=bot, fault=fault))
        chosen = (row for row, winners in found if winner is None or winner in winners)
        rows = list(islice(_sorted(chosen, sort), limit))
        rows = rows if form else store.names.shown(rows)
    header: Sequence[str] = MATCH_COLUMNS
    if form is None and (columns := columns_of(sys.stdout)):
        header, rows = fitting(header, rows, columns, MATCH_COLUMNS_LESS_NEEDED)
    out(as_table(header, rows, form, inks), inks)
    return complained(store)


def _sorted(rows: Iterable[Sequence[Any]], sort: str | None) -> Iterable[Sequence[Any]]:
    """The rows sorted by a column, stably; None: as they were."""
    if sort is None:
        return rows
    from arena.reading.strict import did_you_mean

    column = sort.removeprefix("-")
    if column not in MATCH_COLUMNS:
        near = did_you_mean(column, MATCH_COLUMNS)
        raise ConfigError(f"--sort: no column {column!r}{near}; there are {', '.join(MATCH_COLUMNS)}")
    return sorted(rows, key=itemgetter(MATCH_COLUMNS.index(column)), reverse=sort.startswith("-"))


def _match_row(match: StoredMatch) -> tuple[tuple[Any, ...], list[str]]:
    """The row of a match under `MATCH_COLUMNS`, and the names of those that won it."""
    winners = [seat.bot for seat in match.seats if seat.rank == 1]
    row = (
        match.match_id,
        match.series_id,
        match.rotation,
        "; ".join(match.bots),
        "; ".join(winners),
        sum(seat.faults for seat in match.seats),
        match.turns,
        match.duration_s,
        match.status,
    )
    return row, winners


@cli.command()
@click.argument("name", required=False, shell_complete=completion.games)
@reading
def games(name: str | None, form: TableFormat, color: str | None) -> None:
    """List the games, or the house rules of one with their defaults.

    NAME may be a file or module:Class, as for `arena run --game`.

    \b
    Examples:
      arena games liars-dice
      arena games ./kuhn.py
    """
    import attrs

    from arena.games import GAMES
    from arena.terminal.inks import inks_for
    from arena.terminal.text import as_table, columns_of, out, reflowed
    from arena.tournament.bots.game_source import find_game

    inks = inks_for(color)

    if name is None:
        header = ("game", "title", "seats_min", "seats_max", "rated_by", "version")
        classes = [GAMES[each] for each in GAMES]
        rows = [(c.name, c.title, c.seats[0], c.seats[-1], c.rated_by, c.version) for c in classes]
        out(as_table(header, rows, form, inks), inks)
        return
    cls = find_game(name).cls
    if form is None:
        out(f"{cls.title} ({cls.name}), version {cls.version}: {cls.seats[0]} to {cls.seats[-1]} seats\n")
        rules_text = (sys.modules[cls.__module__].__doc__ or "").strip()
        out(f"{reflowed(rules_text, columns_of(sys.stdout))}\n")
    rules = [(field.name, _spelt(field.default), str(field.validator)) for field in attrs.fields(cls)]
    if form is None and not rules:
        out("no house rules")
        return
    out(as_table(("rule", "default", "accepted"), rules, form, inks), inks)


def _spelt(value: object) -> object:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else value


@cli.command()
@reading
def bots(form: TableFormat, color: str | None) -> None:
    """List the built-in bots, which can be named from anywhere.

    \b
    Example: arena bots
    """
    from arena.terminal.inks import inks_for
    from arena.terminal.text import as_table, out
    from arena.tournament.bots.entrants import builtin_bots, resolve

    inks = inks_for(color)

    entrants = [resolve(name, base=folder.parent) for name, folder in builtin_bots().items()]
    rows = [
        (bot.name, bot.version, bot.language, ", ".join(bot.games) or "any", bot.command) for bot in entrants
    ]
    out(as_table(("bot", "version", "language", "games", "command"), rows, form, inks), inks)
