"""Who plays whom: pairings, their seeds, and the formats that yield them.  Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena.schedule import comparison, endless, gauntlet, knockout, round_robin, swiss
from arena.schedule.allocation import Allocate, Shares
from arena.schedule.laps import ORDER
from arena.schedule.pairing import (
    SEEDING,
    Deals,
    Pairing,
    PairingId,
    Points,
    bot_seed,
    bot_seeds,
    deals_in,
    derive_bot_seed,
    derive_seed,
    match_id,
    series_id,
)
from arena.schedule.round_robin import SETS_MAX
from arena.schedule.terms import FinishedPoints, Format, FormatKind, ScheduleSize, Sets, Terms, Withdrawn

FORMATS: Mapping[str, FormatKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            round_robin.KIND,
            gauntlet.KIND,
            swiss.KIND,
            knockout.KIND,
            comparison.KIND,
            endless.KIND,
        )
    }
)
"""Every format by its name."""
