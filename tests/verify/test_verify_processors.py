"""`arena verify` on another processor than the one that wrote the folder; and what is computed there."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from daily import daily, nightly

from arena.analysis.leaderboard import ROUNDED
from tests.processors import KERNELS, under
from tests.verify.folders import untruth, verified

pytestmark = pytest.mark.slow

PLAY = """
from pathlib import Path
from tests.verify.folders import SMALL, played
played(SMALL, Path("small").resolve())
"""

FIELDS = """
import json
import numpy as np
from arena.analysis.strength.posterior import posterior

rng = np.random.default_rng(7)
leads, better = [], []
for bots in 2 * [*range(8, 24)]:
    estimate = np.full(bots, 1500.0)
    known = posterior(estimate, np.diag(rng.uniform(100, 900, bots)), np.full(bots, 9.0))
    leads.append(known.leads(0))
    better.append([known.better(0, other) for other in range(bots)])
print(json.dumps([leads, better]))
"""
FAR_APART = (KERNELS[0], KERNELS[-1])
"""The oldest, which writes the folder, and the newest: their sums are in pieces of 2 and 8 numbers, others' between."""


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """A folder that one processor wrote."""
    home = tmp_path_factory.mktemp("processors")
    under(KERNELS[0], "-c", PLAY, at=home)
    return home / "small"


@pytest.mark.parametrize("kernel", daily(KERNELS[-1].__eq__, KERNELS))
def test_a_folder_of_one_processor_is_verified_on_another(small, kernel):
    """Its ratings and probabilities come from linear algebra, which rounds otherwise there."""
    assert under(kernel, "-m", "arena", "verify", str(small)).startswith("verified: 12 matches")


@pytest.mark.parametrize("column", ROUNDED)
def test_the_last_digit_of_an_estimate_may_differ_by_one(small, tmp_path, column):
    """What lies between two digits is rounded up here and down there; two of them are an untruth."""
    step = 10.0 ** -ROUNDED[column]
    for steps, is_true in ((1, True), (-1, True), (2, False)):
        folder = tmp_path / str(steps)
        shutil.copytree(small, folder)
        _add(folder / "leaderboard.csv", column, steps * step)
        assert verified(folder)[0] == (0 if is_true else 1), steps
        assert is_true or untruth(folder)["column"] == column


@pytest.mark.parametrize("kernels", [FAR_APART, *nightly(KERNELS)], ids=",".join)
def test_equal_bots_have_the_same_draws_on_every_processor(kernels):
    """The probability to be the best is the same, though equals differ by rounding; those of pairs to 1e-9.

    That is a thousandth of the last digit that is told, and ten thousand times what was seen.
    """
    leads, better = json.loads(under(kernels[0], "-c", FIELDS))
    for kernel in kernels[1:]:
        others = json.loads(under(kernel, "-c", FIELDS))
        assert leads == others[0], kernel
        for here, there in zip(better, others[1], strict=True):
            assert here == pytest.approx(there, abs=1e-9)


def _add(path: Path, column: str, amount: float) -> None:
    """Adds to a cell of the first row."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [*csv.reader(file)]
    place = rows[0].index(column)
    rows[1][place] = repr(round(float(rows[1][place]) + amount, ROUNDED[column]))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
