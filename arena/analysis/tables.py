"""A results folder as pandas DataFrames, each created on demand."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import arena
from arena.analysis.head_to_head import COLUMNS as MEETING_COLUMNS
from arena.analysis.leaderboard import COLUMNS as LEADERBOARD_COLUMNS
from arena.analysis.leaderboard import SHOWN
from arena.analysis.series import COLUMNS as SERIES_COLUMNS
from arena.analysis.series import series_table
from arena.errors import ConfigError
from arena.reading.strict import read_regular
from arena.store import DATABASE, LATEST, TABLES, Column, Store, Table, exports, holds_tournament
from arena.store.cells import meant
from arena.store.foreign import check_folder

if TYPE_CHECKING:
    from pandas import DataFrame

RUN_BYTES_MAX = 10_000_000
"""The largest run.json that is read; it usually holds a page."""

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    **TABLES,
    "series": SERIES_COLUMNS,
    "head_to_head": MEETING_COLUMNS,
    "leaderboard": LEADERBOARD_COLUMNS,
}
"""Every table that people read; results/README.md explains each column."""

METHOD = 3
"""Raised whenever the same matches lead to other numbers in these tables."""
MAKER = f"{arena.__version__} {METHOD} {crc32(repr([*COLUMNS.items()]).encode()):08x}"
"""Identifies who writes these tables: another version of the arena may have other columns, or compute them
otherwise."""

_DTYPES = {"text": "str", "integer": "int64", "real": "float64", "boolean": "bool"}


def load(folder: str | Path = LATEST) -> Results:
    """The results of a run: from its database, or, if that was not shared, from its CSVs.

    Raises ConfigError if it is not a results folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder: `arena run` makes one, or name another")
    check_folder(folder)  # CSVs without a database are read too
    if not holds_tournament(folder) and not (folder / "matches.csv").is_file():
        raise ConfigError(f"{folder} is not a results folder: it has neither {DATABASE} nor matches.csv")
    return Results(folder)


class Results:
    """The tables of one results folder as DataFrames with the columns of the CSVs, read on demand.

    Each property raises ConfigError if its CSV is missing or cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def matches(self) -> DataFrame:
        """One row per match."""
        return self._frame("matches")

    @cached_property
    def seats(self) -> DataFrame:
        """One row per seat of a match: what its bot did there."""
        return self._frame("seats")

    @cached_property
    def bots(self) -> DataFrame:
        """One row per bot."""
        return self._frame("bots")

    @cached_property
    def decisions(self) -> DataFrame:
        """One row per decision that the run kept (`decisions`) and whose series is closed."""
        return self._frame("decisions")

    @cached_property
    def series(self) -> DataFrame:
        """One row per bot in a series: the units of all errors."""
        return self._frame("series")

    @cached_property
    def head_to_head(self) -> DataFrame:
        """One row per ordered pair of bots that met, by the rank of both."""
        return self._frame("head_to_head")

    @cached_property
    def leaderboard(self) -> DataFrame:
        """One row per bot, best first."""
        return self._frame("leaderboard")

    @cached_property
    def run(self) -> dict[str, Any]:
        """The contents of run.json: plan, versions, machine, times; empty if there is none."""
        path = self.folder / "run.json"
        try:
            value = json.loads(read_regular(path, RUN_BYTES_MAX))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{path} is not JSON: {error}") from error
        return dict(value)

    def __repr__(self) -> str:
        matches, bots = len(self.matches), len(self.bots)
        games = ", ".join(sorted(set(self.matches["game"]))) or "no game"
        return (
            f"Results of {self.folder}: {games}, {bots} bots, {matches} matches; tables: {', '.join(COLUMNS)}"
        )

    def _repr_html_(self) -> str:
        from arena.analysis.notebook import html_lines, html_table

        rows = self.leaderboard[list(SHOWN)].to_numpy().tolist()
        return html_lines([repr(self)]) + html_table(SHOWN, rows)

    def _frame(self, name: str) -> DataFrame:
        if holds_tournament(self.folder):
            with Store.checked(self.folder) as store:
                if store.damage is not None:
                    warnings.warn(f"{store.damage}, and the tables have only these", stacklevel=3)
                return _typed(name, *_table(store, name))
        return _read(self.folder / f"{name}.csv", name)


def _table(store: Store, name: str) -> Table:
    from arena.analysis.sheet import read_sheet

    if name in TABLES:
        return exports.table(store, name)
    if name == "series":
        return series_table(store, read_sheet(store))
    from arena.analysis.ranking import leaderboard  # numpy takes a tenth of a second

    board = leaderboard(store)
    return board.table if name == "leaderboard" else board.head_to_head


def _read(path: Path, name: str) -> DataFrame:
    """The table in a CSV, with every cell taken literally: a bot may be named NA or 007."""
    import pandas

    try:
        frame = pandas.read_csv(path, dtype="str", keep_default_na=False, encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path} is not there: `arena leaderboard {path.parent}` writes it") from None
    except ValueError as error:  # pandas' own errors, and text that is not UTF-8
        raise ConfigError(f"{path} is not a table: {error}") from error
    if missing := [column.name for column in COLUMNS[name] if column.name not in frame]:
        raise ConfigError(
            f"{path} is missing the columns {', '.join(missing)}: another version of the arena wrote it"
        )
    for column in COLUMNS[name]:
        if column.type == "text":
            frame[column.name] = frame[column.name].map(meant)
    try:
        return _typed(name, list(frame.columns), frame)
    except ValueError as error:
        raise ConfigError(f"{path} has something that is not a number: {error}") from error


def _typed(name: str, header: Sequence[str], rows: Any) -> DataFrame:
    import pandas

    frame = pandas.DataFrame(rows, columns=list(header))
    for column in COLUMNS[name]:
        if column.type == "boolean":
            frame[column.name] = frame[column.name].astype("int64")
        frame[column.name] = frame[column.name].astype(_DTYPES[column.type])  # type: ignore[call-overload]
    return frame
