"""Results head to head: every ordered pair of bots that met in a match that counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from arena.store import as_columns

if TYPE_CHECKING:
    from arena.analysis.clusters import Groups
    from arena.analysis.sheet import Sheet

CELLS = 1 << 19
"""How many meetings are processed at once: large tables have fifteen times as many as matches."""

ROWS_AT_ONCE = 20_000
"""How many rows exist as Python objects at a time."""


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
    """In how many matches the bot placed better than this opponent."""
    tied: int
    worse: int
    share: float
    """The bot's share: (better + tied ÷ 2) ÷ matches."""
    share_low: float
    share_high: float
    returns_mean: float
    """The bot's mean returns in these matches, in the game's own unit."""
    lead_mean: float
    """Its returns minus the opponent's, per match; without luck, where the game declares it."""
    lead_low: float
    lead_high: float


COLUMNS = as_columns(Meeting)


@attrs.frozen(eq=False)
class MeetingTable:
    """All meetings, by the ranks of the bot and of the opponent; a `Meeting` is made when it is looked at.

    500 bots have 249,500 meetings, and usually people look at those of one bot only.
    """

    bots: Sequence[str] = ()
    versions: Sequence[str] = ()
    columns: Mapping[str, Any] = attrs.field(factory=dict)
    """The numpy columns: `bot` and `opponent` as indices into `bots`, and the numbers of a `Meeting`."""

    def __len__(self) -> int:
        return len(self.columns["bot"]) if self.columns else 0

    def __iter__(self) -> Iterator[Meeting]:
        return (Meeting(*row) for row in self.rows())

    def of(self, bot: str) -> Iterator[Meeting]:
        """The meetings of one bot, by the rank of the opponent."""
        return self._where("bot", bot)

    def against(self, opponent: str) -> Iterator[Meeting]:
        """The meetings of all other bots with this one, by their rank."""
        return self._where("opponent", opponent)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows of head_to_head.csv."""
        for begin in range(0, len(self), ROWS_AT_ONCE):
            yield from self._rows(slice(begin, begin + ROWS_AT_ONCE))

    def _where(self, side: str, name: str) -> Iterator[Meeting]:
        import numpy as np

        if len(self):
            here = np.flatnonzero(self.columns[side] == self.bots.index(name))
            yield from (Meeting(*row) for row in self._rows(here))

    def _rows(self, here: Any) -> Iterator[tuple[Any, ...]]:
        names, versions = self.bots, self.versions
        lists = [column[here].tolist() for column in self.columns.values()]
        for bot, opponent, *numbers in zip(*lists, strict=True):
            yield (names[bot], versions[bot], names[opponent], versions[opponent], *numbers)


def meetings(sheet: Sheet, order: Sequence[int], bound: float | None = None) -> MeetingTable:
    """All meetings, with bots and the opponents of each in `order`, given as numbers in the sheet.

    `bound`: the largest absolute returns of a match, if the game declares them.
    """
    import numpy as np

    from arena.analysis.clusters import Groups

    cells, size = _cells(sheet), len(sheet.bots)
    groups = Groups.of(cells["pair"])
    bot, opponent = np.divmod(cells["pair"][groups.starts], max(1, size))
    place = np.zeros(size, np.int64)
    place[list(order)] = np.arange(len(order))
    by_rank = np.argsort(place[bot] * size + place[opponent])
    columns = {"bot": bot, "opponent": opponent, **_numbers(cells, groups, bound)}
    return MeetingTable(
        sheet.bots, sheet.versions, {name: column[by_rank] for name, column in columns.items()}
    )


def _numbers(cells: dict[str, Any], groups: Groups, bound: float | None) -> dict[str, Any]:
    """The columns of the numbers of all meetings, in the order of a `Meeting`."""
    from arena.analysis.clusters import Clusters

    matches, better, tied = (groups.summed(cells[name]).astype(int) for name in ("matches", "better", "tied"))
    share = Clusters(cells["better"] + cells["tied"] / 2, cells["matches"], groups)
    lead = Clusters(cells["lead"], cells["matches"], groups)
    low, high = share.share_intervals()
    lead_low, lead_high = lead.mean_intervals(cells["largest"], bound and 2 * bound)
    return {
        "series": groups.lengths,
        "matches": matches,
        "better": better,
        "tied": tied,
        "worse": matches - better - tied,
        "share": share.means,
        "share_low": low,
        "share_high": high,
        "returns_mean": groups.summed(cells["returns"]) / matches + 0.0,
        "lead_mean": lead.means,
        "lead_low": lead_low,
        "lead_high": lead_high,
    }


def _cells(sheet: Sheet) -> dict[str, Any]:
    """The columns of a table with a row for each ordered pair in each series, by pair, then by series.

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
    lead = sheet.adjusted[first] - sheet.adjusted[second]
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
