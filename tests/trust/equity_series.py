"""Series of `equity` against a bolder copy: `python -m tests.trust.equity_series` plays them again (half an hour).

What near-copies of a real bot win from each other on shared luck: most series are 0 and a few are huge.  They
are kept because playing them takes far longer than all that is computed from them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

KEPT = Path(__file__).with_suffix(".npz")
BOTS = ("equity=tests.trust.luck:Equity", "equity-bold=tests.trust.luck:BoldEquity")
HANDS = {"one": (1, 4000), "ten": (10, 1500)}
"""Name of the array -> hands of a match, and number of series; all from seed 5."""


def kept(name: str) -> NDArray[np.float64]:
    """(series, 2): the chips that `equity` won in each match of a series."""
    with np.load(KEPT) as arrays:
        return np.asarray(arrays[name], np.float64)


def _played(hands: int, series: int) -> NDArray[np.int32]:
    from arena.analysis import load

    with tempfile.TemporaryDirectory() as folder:
        words = ["--game", "holdem", "--rule", f"hands={hands}", "--series", str(series), "--seed", "5", "-q"]
        run = [sys.executable, "-m", "arena", "run", *BOTS, *words, "--out", folder]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        results = load(folder)
        seats = results.seats.merge(results.matches[["match_id", "series_id", "rotation"]], on="match_id")
        own = seats[seats.bot == "equity"].sort_values(["series_id", "rotation"])
        return own.returns.to_numpy().reshape(-1, 2).astype(np.int32)


if __name__ == "__main__":
    np.savez_compressed(KEPT, **{name: _played(*size) for name, size in HANDS.items()})
    print(f"{KEPT.name}: {KEPT.stat().st_size:,} bytes")
