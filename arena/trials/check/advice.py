"""Turns findings into points: what is fine, what to mend and how, what is only worth knowing.  Pure."""

from __future__ import annotations

from arena.trials.check.answers import LOOKS_AT_ANSWERS
from arena.trials.check.findings import CheckFindings
from arena.trials.check.point import CheckPoint
from arena.trials.check.program import LOOKS_AT_PROGRAM, LOOKS_AT_START

_AS_IN_A_RUN = "it was started as in a run here, where it sees neither results nor other bots"
_WITHOUT_BOX = "it was started as in a run here: without a box, with your permissions"
_SILENT_START = "it printed nothing: does it connect to ARENA_HOST and ARENA_PORT, or call run()?"
_SILENT_BUILD = "its build printed nothing"


def check_points(found: CheckFindings) -> list[CheckPoint]:
    """All points, about in the order in which things happen to a bot."""
    if found.broken is not None:
        return [CheckPoint("start", "mend", f"cannot play: {found.broken}", _how_to_begin(found))]
    looks = (*LOOKS_AT_START, *LOOKS_AT_ANSWERS, *LOOKS_AT_PROGRAM)
    return [point for look in looks for point in look(found)]


def _how_to_begin(found: CheckFindings) -> str:
    """What the author of a bot that cannot play should look at first."""
    if found.remedy:
        return found.remedy
    silent = {"command": "", "build": _SILENT_BUILD, "start": _SILENT_START}[found.broken_at]
    advice = "the end of its log is below" if found.log.strip() else silent
    surroundings = "" if found.way == "local" else _AS_IN_A_RUN if found.is_boxed else _WITHOUT_BOX
    return "; ".join(part for part in (advice, surroundings) if part)
