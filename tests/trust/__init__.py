"""How far the numbers can be trusted: simulations with fixed seeds behind what `analysis/METHOD.md` claims.

Each module of this folder simulates one method on cases of which the truth is known, and says how often it
was right.  Seeds and sizes are fixed, so that every run gives the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from arena.bench.measures import Effort, Measure

from .adjusted import adjusted_rows
from .asking import asking_rows
from .better import better_rows
from .chance import chance_rows
from .comparison import comparison_rows
from .cycles import cycle_rows
from .intervals import intervals_rows
from .looks import looks_rows
from .placing import placing_rows
from .ranks import ranks_rows
from .rating_intervals import rating_interval_rows
from .returns_intervals import returns_interval_rows
from .until import until_rows

TOPICS: Mapping[str, Callable[[], Iterator[Measure]]] = {
    "adjusted": adjusted_rows,
    "asking": asking_rows,
    "better": better_rows,
    "chance": chance_rows,
    "comparison": comparison_rows,
    "cycles": cycle_rows,
    "intervals": intervals_rows,
    "looks": looks_rows,
    "placing": placing_rows,
    "ranks": ranks_rows,
    "rating intervals": rating_interval_rows,
    "returns intervals": returns_interval_rows,
    "until": until_rows,
}
"""Topic -> its simulations, each a row of the table; at most a few minutes of one core each."""


def measure_trust(effort: Effort) -> list[Measure]:
    """The rows of all topics.  They do not depend on the effort: a rate needs the cases that it needs."""
    return [row for simulate in TOPICS.values() for row in simulate()]
