"""Figures made of others."""

from __future__ import annotations

from collections.abc import Sequence


def ratios(over: Sequence[float], under: Sequence[float]) -> tuple[float, ...]:
    """Each sample of `over` divided by the one of `under` taken beside it, so that noise affects both."""
    return tuple(a / b for a, b in zip(over, under, strict=True))
