"""The facts that the report tells, as numbers: gathered once from the store, before anything is drawn."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import arena
from arena.analysis.bot_page import (
    BotPage,
    LostHow,
    SeatResult,
    bot_page_of,
    lost_how,
    old_versions,
    score_of_rows,
)
from arena.analysis.leaderboard import Leaderboard, LeaderboardRow, Scale
from arena.analysis.sheet import Sheet
from arena.analysis.strata import Strata
from arena.analysis.tables import RUN_BYTES_MAX
from arena.errors import ConfigError
from arena.match.game import Game
from arena.page.report.charts import LEAST_S, STEPS_OF_TEN, Line
from arena.reading.strict import read_regular
from arena.schedule.roster import by_version, slot_name
from arena.store import DATABASE, Store
from arena.tournament.folder.stored import ORIGIN, stored_game
from arena.tournament.plan import is_guessable
from arena.tournament.play.logs import FOLDER as LOGS
from arena.tournament.play.logs import file_name, latest_logs
from arena.words import clipped, printable, without_folders

PAGES_MAX = 100
"""The most bots that get a page of their own; if there are more, the first ones do."""
POINTS_MAX = 160
"""The most points of one line of the course; fewer if there are many lines."""

PRINTED_MAX, LINES_MAX, LINE_MAX = 3, 8, 120
"""The failures of a bot beside which the report shows what it printed; lines, and characters of a line."""
EARLY = 0.04
"""The share of its matches after which a bot's line begins: the mean of the first ones is all luck."""


@attrs.frozen
class PlayFacts:
    """What was played, as the folder remembers it."""

    game: Game[Any, Any] | None
    """The game; None if this arena cannot play it: `trouble` says why."""
    trouble: str
    name: str
    """The game's name, whether or not it can be played."""
    house_rules: Mapping[str, Any]
    """The house rules that differ from the usual ones."""
    plan: Mapping[str, Any]
    identity: Mapping[str, Any]
    version: str
    """The version of the arena that played."""
    ended_at: float | None
    """When the run ended, in Unix time."""
    conclusion: tuple[str, ...] = ()
    """The sentences that the run ended with."""
    anchor: str = ""
    """The bot whose rating is fixed; empty: the mean is."""
    is_guessable: bool = False
    """Whether the bots could guess the seed."""


@attrs.frozen
class Times:
    """The thinking times of one bot's answers, in seconds."""

    bot: str
    answers: int
    median_s: float
    p99_s: float
    max_s: float
    counts: tuple[int, ...]
    """How many answers took about as long, from LEAST_S on, in steps of a third of a power of ten."""


@attrs.frozen
class Facts:
    """Everything that the page shows, except the matches."""

    played: PlayFacts
    board: Leaderboard
    pages: tuple[BotPage, ...]
    """The bots' pages, by rank."""
    why_lost: Mapping[str, LostHow]
    """Why each of these bots lost."""
    printed: Mapping[str, tuple[str, ...]]
    """The last lines that a bot had printed when it failed, by the name of the capsule."""
    since: Mapping[str, float]
    """When each bot began its first match, in Unix time; a new version is a bot of its own."""
    logs: Mapping[str, str]
    """The name of the latest log of each bot that printed something, within the folder."""
    seats: tuple[SeatResult, ...]
    """The results of each seat, all bots together."""
    times: tuple[Times, ...]
    """The bots' times, by rank; bots that never answered are left out."""
    course: tuple[Line, ...]
    """The bots' lines, by rank; bots without a match that counts are left out."""

    @property
    def scale(self) -> Scale:
        return self.board.scale

    @property
    def rows(self) -> tuple[LeaderboardRow, ...]:
        return self.board.rows


def facts_of(
    store: Store, sheet: Sheet, board: Leaderboard, game: str | None = None, *, slot: str | None = None
) -> Facts:
    """The facts of what the store holds; `sheet` and `board` are read from it already.

    `slot`: pages are made of the versions of this bot alone, the newest first.
    """
    scale, faults = board.scale, store.faults(published=True)
    names = [row.bot for row in board.rows]
    own = [name for name in names if slot is None or slot_name(name) == slot]
    paged = (own if slot is None else sorted(own, key=by_version, reverse=True))[:PAGES_MAX]
    older = old_versions(store, faults)
    pages = tuple(bot_page_of(sheet, board, name, faults, store.log_of, older) for name in paged)
    return Facts(
        played=_played(store, store.meta(), game),
        board=board,
        pages=pages,
        printed=dict(_printed(store, pages)),
        since=dict(_since(store, sheet)),
        logs=dict(_logs(store.folder, paged)),
        why_lost={name: lost_how(sheet, name, scale) for name in paged},
        seats=_seats(sheet, scale),
        times=tuple(times for row in board.rows if (times := _times(sheet, row)).answers),
        course=_course(sheet, names, scale),
    )


def _printed(store: Store, pages: Sequence[BotPage]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What was printed before the failures that are shown, without the folders of a machine."""
    for failure in (each for page in pages for each in page.failures[:PRINTED_MAX]):
        lines = (
            [line for line in store.printed_before(failure.capsule).splitlines() if line.strip()]
            if failure.capsule
            else []
        )
        if lines:
            told = (clipped(printable(without_folders(line)), LINE_MAX) for line in lines[-LINES_MAX:])
            yield failure.capsule, tuple(told)


def _since(store: Store, sheet: Sheet) -> Iterator[tuple[str, float]]:
    """Each bot that played, and when its first match in schedule order began."""
    for bot, row in zip(*np.unique(sheet.bot, return_index=True), strict=True):
        for (began,) in store.rows(
            "SELECT started_at FROM matches WHERE match_id = ?", sheet.match_ids[sheet.match[row]]
        ):
            yield sheet.bots[bot], float(began)


def _logs(folder: Path, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each bot that printed something, and its latest log that says what."""
    latest = latest_logs(_printed_files(folder / LOGS))
    for bot in bots:
        if found := latest.get(file_name(bot)):
            yield bot, f"{LOGS}/{found}"


def _printed_files(folder: Path) -> Iterator[str]:
    """The names of the files in a folder that are not empty.

    While a run goes on, logs are removed; and a link may lead anywhere.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                look = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(look.st_mode) and look.st_size:
                    yield entry.name


def _played(store: Store, meta: Mapping[str, Any], word: str | None) -> PlayFacts:
    identity, run = meta.get("identity", {}), _run_file(store)
    game: Game[Any, Any] | None = None
    trouble = ""
    try:
        game = stored_game(store, word)
    except (ConfigError, KeyError) as error:  # KeyError: a folder that names no game
        is_known = isinstance(error, ConfigError)
        trouble = str(error) if is_known else f"{store.folder} does not say which game it holds"
        if ORIGIN in meta:  # pages are passed on, and must not say where the game's file was looked for
            trouble = "the rules of its game were not available when this page was written"
    usual = {} if game is None else {field.name: field.default for field in attrs.fields(type(game))}
    rules = identity.get("rules", {})
    return PlayFacts(
        game=game,
        trouble=trouble,
        name=str(identity.get("game", "")),
        house_rules={rule: value for rule, value in rules.items() if usual.get(rule, value) != value},
        plan=meta.get("plan", {}),
        identity=identity,
        version=str(run.get("arena", arena.__version__)),
        ended_at=run.get("ended_at"),
        conclusion=(*meta.get("conclusion", ()), *_damage(store)),
        anchor=meta.get("plan", {}).get("anchor") or "",
        is_guessable=is_guessable(seed if isinstance(seed := identity.get("seed"), int) else None),
    )


def _damage(store: Store) -> Iterator[str]:
    """What is damaged in the folder, without its path, as pages are passed on."""
    if store.damage is not None:
        yield f"{attrs.evolve(store.damage, path=Path(DATABASE))}, and only those are shown"


def _run_file(store: Store) -> Mapping[str, Any]:
    """The content of run.json; empty if it is missing or half written."""
    try:
        run = json.loads(read_regular(store.folder / "run.json", RUN_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    return run if isinstance(run, dict) else {}


def _scores(sheet: Sheet, scale: Scale) -> Any:
    """The score of every seat of the sheet, in the unit of the leaderboard."""
    return sheet.points if scale.rated_by == "ranks" else sheet.adjusted / scale.returns_per_unit


def _seats(sheet: Sheet, scale: Scale) -> tuple[SeatResult, ...]:
    """What each seat was worth, no matter who sat there."""
    strata = Strata.of(sheet)
    seats = range(int(sheet.seat.max()) + 1 if len(sheet) else 0)
    return tuple(_seat(seat, sheet, strata, np.flatnonzero(sheet.seat == seat), scale) for seat in seats)


def _seat(seat: int, sheet: Sheet, strata: Strata, rows: Any, scale: Scale) -> SeatResult:
    wins, ties = int(sheet.win[rows].sum()), int(sheet.tie[rows].sum())
    losses = len(rows) - wins - ties
    return SeatResult(seat, len(rows), wins, ties, losses, *score_of_rows(sheet, strata, rows, scale))


def _times(sheet: Sheet, row: LeaderboardRow) -> Times:
    times = sheet.times[sheet.bots.index(row.bot)]
    longest_s = float(times.max()) if len(times) else 0.0
    places = np.floor(STEPS_OF_TEN * np.log10(np.maximum(times, LEAST_S) / LEAST_S) + 1e-6)
    counts = np.bincount(places.astype(np.int64)) if len(times) else np.zeros(0, dtype=np.int64)
    return Times(
        row.bot, len(times), row.move_time_median_s, row.move_time_p99_s, longest_s, tuple(counts.tolist())
    )


def _course(sheet: Sheet, names: Sequence[str], scale: Scale) -> tuple[Line, ...]:
    """Every bot's mean score so far, at as many moments as can be told apart."""
    scores, matches = _scores(sheet, scale), max(1, len(sheet.match_ids))
    most = max(40, POINTS_MAX - 6 * len(names))
    lines = []
    for name in names:
        places = np.flatnonzero(sheet.bot == sheet.bots.index(name))
        if not len(places):
            continue
        means = np.cumsum(scores[places]) / np.arange(1, len(places) + 1)
        first = int(EARLY * len(places))
        shown = np.unique(np.linspace(first, len(places) - 1, most).round().astype(np.int64))
        shares = (sheet.match[places[shown]] + 1) / matches
        points = [*zip(shares.tolist(), means[shown].tolist(), strict=True), (1.0, float(means[-1]))]
        lines.append(Line(name, tuple(points)))
    return tuple(lines)
