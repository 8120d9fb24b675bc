"""Who did what against whom: every ordered pair of bots that met in a match that counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from arena.store import as_columns

if TYPE_CHECKING:
    from arena.analysis.sheet import Sheet

CELLS = 1 << 19
"""How many meetings are processed at once: large tables have fifteen times as many as matches."""


@attrs.frozen
class Meeting:
    """A row of head_to_head.csv: what one bot did in the matches in which it met another."""

    bot: str
    version: str
    opponent: str
    opponent_version: str
    series: int
    matches: int
    better: int
    """Matches in which the bot placed better than this opponent."""
    tied: int
    worse: int
    share: float
    """(better + tied ÷ 2) ÷ matches."""
    share_low: float
    share_high: float
    returns_mean: float
    """The bot's mean returns in these matches, in the game's own unit."""
    lead_mean: float
    """Its returns minus the opponent's, per match."""
    lead_low: float
    lead_high: float


COLUMNS = as_columns(Meeting)


def meetings(sheet: Sheet, order: Sequence[int]) -> Iterator[Meeting]:
    """All meetings; bots, and the opponents of each, in this order, given as numbers in the sheet."""
    import numpy as np

    cells = _cells(sheet)
    size = len(sheet.bots)
    where = np.searchsorted(cells["pair"], np.arange(size * size + 1))
    for bot in order:
        for opponent in order:
            pair = bot * size + opponent
            part = {name: column[where[pair] : where[pair + 1]] for name, column in cells.items()}
            if len(part["pair"]):
                yield _meeting(sheet, bot, opponent, part)


def _meeting(sheet: Sheet, bot: int, opponent: int, part: dict[str, Any]) -> Meeting:
    from arena.analysis.clusters import Clusters, mean_interval, share_interval, total

    matches = int(part["matches"].sum())
    better, tied = int(part["better"].sum()), int(part["tied"].sum())
    share = Clusters(part["better"] + part["tied"] / 2, part["matches"])
    lead = Clusters(part["lead"], part["matches"])
    low, high = share_interval(share)
    lead_low, lead_high = mean_interval(lead, float(part["largest"].max()))
    return Meeting(
        bot=sheet.bots[bot],
        version=sheet.versions[bot],
        opponent=sheet.bots[opponent],
        opponent_version=sheet.versions[opponent],
        series=len(part["pair"]),
        matches=matches,
        better=better,
        tied=tied,
        worse=matches - better - tied,
        share=share.mean,
        share_low=low,
        share_high=high,
        returns_mean=total(part["returns"]) / matches + 0.0,
        lead_mean=lead.mean,
        lead_low=lead_low,
        lead_high=lead_high,
    )


def _cells(sheet: Sheet) -> dict[str, Any]:
    """Columns with a row for each ordered pair and series in which it met, by pair, then by series.

    `pair` is bot · number of bots + opponent; the others are sums over the matches of the series,
    except `largest`, the largest absolute lead of a match.
    """
    import numpy as np

    by_series = np.lexsort((sheet.seat, sheet.match, sheet.series))
    match, series = sheet.match[by_series], sheet.series[by_series]
    starts = np.flatnonzero(np.diff(match, prepend=-1))
    seats = np.diff(starts, append=len(match))
    parts = [_summed(sheet, by_series, starts[one], seats[one]) for one in _chunks(series[starts], seats)]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in _NAMES}
    order = np.argsort(columns["pair"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


_NAMES = ("pair", "matches", "better", "tied", "returns", "lead", "largest")


def _chunks(series: Any, seats: Any) -> Iterator[slice]:
    """Matches by series, in chunks that never split a series; at least one chunk."""
    import numpy as np

    done = np.cumsum(seats * (seats - 1))
    begin = 0
    while True:
        before = done[begin - 1] if begin else 0
        end = int(np.searchsorted(done, before + CELLS, side="right"))
        end = max(end, begin + 1)
        end = int(np.searchsorted(series, series[end - 1], side="right")) if begin < len(series) else end
        yield slice(begin, end)
        if end >= len(series):
            return
        begin = end


def _summed(sheet: Sheet, rows: Any, starts: Any, seats: Any) -> dict[str, Any]:
    """The cells of these matches, by series, then by pair."""
    import numpy as np

    size = len(sheet.bots)
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    most = int(seats.max(initial=0))
    for one in range(most):
        for other in range(most):
            if one != other:
                both = starts[seats > max(one, other)]
                firsts.append(rows[both + one])
                seconds.append(rows[both + other])
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    pair = sheet.bot[first].astype(np.int64) * size + sheet.bot[second]
    found, cell = np.unique(sheet.series[first].astype(np.int64) * size * size + pair, return_inverse=True)
    lead = sheet.returns[first] - sheet.returns[second]
    largest = np.zeros(len(found))
    np.maximum.at(largest, cell, np.abs(lead))

    def summed(values: Any) -> Any:
        return np.bincount(cell, values, len(found))

    return {
        "pair": found % (size * size) if size else found,
        "matches": summed(None).astype(np.float64),
        "better": summed(sheet.rank[first] < sheet.rank[second]),
        "tied": summed(sheet.rank[first] == sheet.rank[second]),
        "returns": summed(sheet.returns[first]),
        "lead": summed(lead),
        "largest": largest,
    }
