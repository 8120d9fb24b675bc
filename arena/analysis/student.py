"""Student's t for any degrees of freedom: its quantile, and what is as unlikely on the normal scale."""

from __future__ import annotations

from math import floor, fsum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.analysis.spread import Floats

EXPONENT_MAX = 500.0
"""Beyond this a t of few degrees of freedom is as good as infinite."""


def student_t(freedom: float) -> float:
    """The two-sided 95 % quantile of Student's t for 1 degree of freedom or more, to 0.2 %.

    It uses the Cornish–Fisher expansion, Abramowitz & Stegun 26.7.5; below 3 degrees that fails, and exact
    values are used, between which it is at most 2.7 % too high.
    """
    if freedom < 3:
        below, share = _whole(freedom)
        exact = (12.706204736432095, 4.302652729911275, 3.182446305284263)[below - 1 :]
        return exact[0] ** (1 - share) * exact[1] ** share if share else exact[0]
    z = 1.959963984540054
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum(term / freedom**power for power, term in enumerate(terms))


def _whole(freedom: float) -> tuple[int, float]:
    """The whole degrees of freedom below, and the share of the way to the next, linear in 1 / freedom."""
    below = floor(freedom)
    return below, (freedom - below) * (below + 1) / freedom


def as_normal(t: Floats, freedom: Floats) -> Floats:
    """The z that is as unlikely as Student's t; from t = 2 on slightly closer to 0.

    It is Wallace's approximation (Ann. Math. Stat. 30, 1959).
    """
    import numpy as np  # takes a tenth of a second

    z = np.sqrt(freedom * np.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return np.copysign(z, t)


def as_student(z: Floats, freedom: Floats) -> Floats:
    """The t of these degrees of freedom that is as unlikely as z: the other way round."""
    import numpy as np  # takes a tenth of a second

    wide = np.abs(z) * (8 * freedom + 3) / (8 * freedom + 1)
    return np.copysign(np.sqrt(freedom * np.expm1(np.minimum(wide * wide / freedom, EXPONENT_MAX))), z)
