"""Tells what a bot was asked, answered and printed, in lines below its move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from arena.terminal.exchanges import Aside, Exchange, Exchanges
from arena.terminal.inks import PLAIN, Inks
from arena.terminal.text import cut_short, cut_up, wrapped
from arena.words import measured, percent, printable

MARGIN = " " * 10
LABEL_COLUMNS = 10
QUESTION_LINES, OPTIONS_LINES, SAID_LINES = 6, 2, 4
"""How many lines of each a terminal shows; elsewhere, and in JSON, all is shown."""


def preface(exchanges: Exchanges, bot: str, columns: int | None = None, inks: Inks = PLAIN) -> Iterator[str]:
    """The lines before the match: what was not kept, and what came before the first question."""
    if not exchanges.is_recorded:
        asked = exchanges.by_turn.values()
        times = "" if all(each.elapsed_s is not None for each in asked) else ", times"
        said = f"{printable(bot)}'s messages{times} and output were not kept, as the run did not debug it; "
        said += "its questions are rebuilt from the moves"
        yield from (inks.warning(line) for line in wrapped(said, columns))
    if exchanges.first:
        yield ""
        yield "before its first question:"
        yield from _more(exchanges.first, columns)


def exchange_lines(exchange: Exchange, columns: int | None = None, inks: Inks = PLAIN) -> Iterator[str]:
    """The lines of one question: its answer, the time, and what the bot printed until the next question."""
    question = _labelled("asked", _json(exchange.question), columns, QUESTION_LINES)
    options = _labelled("options", _json(exchange.options), columns, OPTIONS_LINES)
    yield from (inks.faint(line) for line in (*question, *options))
    yield from _labelled("answered", _answer(exchange), columns, SAID_LINES)
    yield from _more(exchange.more, columns)
    if exchange.evidence:
        yield from _labelled("evidence", exchange.evidence, columns)


def _answer(exchange: Exchange) -> str:
    if exchange.is_answered:
        return _json(exchange.answer) + _time(exchange)
    if exchange.fault in ("malformed", "illegal"):
        return f"something {exchange.fault}{_time(exchange)}"
    return "nothing" + ("" if exchange.fault == "gone" else _time(exchange))


def _more(said: tuple[Aside, ...], columns: int | None) -> Iterator[str]:
    """The lines of what came besides, with one label for all that came in the same way."""
    before = ""
    for each in said:
        label = "" if each.how == before else each.how
        yield from _labelled(label, printable(each.text), columns, mark="| ")
        before = each.how


def _labelled(
    label: str, text: str, columns: int | None, most: int | None = None, mark: str = ""
) -> Iterator[str]:
    start = f"{MARGIN}{label:{LABEL_COLUMNS}}"
    room = None if columns is None else columns - len(start) - len(mark)
    for place, line in enumerate(cut_up(text, room) if mark else cut_short(text, room, most)):
        yield f"{' ' * len(start) if place else start}{mark}{line}".rstrip()


def _time(exchange: Exchange) -> str:
    """How long an answer took: ` after 2.2 ms of 1 s (<1%)`."""
    if exchange.elapsed_s is None:
        return ""
    after = f" after {measured(exchange.elapsed_s)}"
    if not exchange.limit_s:
        return after
    return f"{after} of {exchange.limit_s:g} s ({percent(exchange.elapsed_s / exchange.limit_s)})"


def _json(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False))
