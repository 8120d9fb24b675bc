"""Days, bounds and values of house rules in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from arena.analysis.bot_page import LostHow
from arena.words import counted, listed, number

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
NAMES_MAX = 6
"""The most names in a sentence; of more, the first ones and how many more there are."""
TEXT_MAX = 200
"""The most characters of a reason on a bot's page."""


def short_day(unix_s: float) -> str:
    """A day in few letters, such as `21 Nov`, in UTC."""
    number, month, _ = day(unix_s).split()
    return f"{number} {month[:3]}"


def day(unix_s: float) -> str:
    """A day such as `21 November 2026`, in UTC, and in English whatever the locale."""
    moment = datetime.fromtimestamp(unix_s, UTC)
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def losses(how: LostHow) -> str:
    """Why a bot lost its matches, as a sentence: it failed, had bad luck, or was outplayed."""
    if how.in_all == 1:
        which = (
            "it failed" if how.by_faults else "it lost by luck alone" if how.by_luck else "it was outplayed"
        )
        return f"In its only lost match {which}."
    if how.by_play == how.in_all:
        return f"It was outplayed in all of its {counted(how.in_all, 'lost match')}."
    why = {
        "failed in {}": how.by_faults,
        "lost {} by luck alone": how.by_luck,
        "was outplayed in {}": how.by_play,
    }
    said = listed([words.format(number(count)) for words, count in why.items() if count])
    return f"Of its {counted(how.in_all, 'lost match')} it {said}."


def bound(row: Any) -> str:
    """The bound of a rating: `above 1421` for a bot that won everything, or `below 1395`; else empty."""
    if not row.rating_bound:
        return ""
    return f"{row.rating_bound} {number(row.rating_low if row.rating_bound == 'above' else row.rating_high)}"


def scalar(value: Any) -> str:
    """The value of a house rule in words."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value, 0 if float(value).is_integer() else 3)
    return str(value)
