"""When a schedule may stop: `--until "top 3 at 95%"`, by the rule with which its folder began."""

from __future__ import annotations

from collections.abc import Mapping

from arena.analysis.stopping.goal import A_GOAL, CYCLES_MIN, Goal, Until, parse_goal
from arena.analysis.stopping.mixture import Mixture
from arena.analysis.stopping.obrien_fleming import ObrienFleming

RULES: Mapping[int, type[Until]] = {1: ObrienFleming, 2: Mixture}
"""The rules by the number that a folder keeps; entries never change, so that a folder goes on as it began."""
RULE = 2
"""The rule of new folders."""

__all__ = ["A_GOAL", "CYCLES_MIN", "RULE", "RULES", "Goal", "Until", "parse_goal"]
