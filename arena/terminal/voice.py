"""Prints lines in a terminal, drawn or plain for screen readers, and the prompt before what is typed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence

import attrs

from arena.terminal.inks import PLAIN, Inks, inks_for
from arena.terminal.text import calm, columns_of, out, wrapped
from arena.words import printable

WIDTH_MAX = 80
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_ITEM = re.compile(r"\[([^\[\]]{1,20})\]")
"""A card or the like, `[AS]`, in the lines of a game."""
_CARD = re.compile(r"\b([2-9TJQKA])([CDHS])\b")


@attrs.frozen
class Voice:
    """Tells lines to a person."""

    measure: Callable[[], int | None] = lambda: WIDTH_MAX
    """How wide lines may be now; None: any width."""
    inks: Inks = PLAIN
    is_plain: bool = False
    """Whether each line is a whole sentence of plain characters, without columns."""
    has_suits: bool = True
    """Whether the stream can show ♣ and the like."""
    is_prompting: bool = False
    """Whether what is typed follows a prompt on the same line."""

    @property
    def columns(self) -> int | None:
        return self.measure()

    def tell(self, text: str = "", *, ink: str = "", indent: str = "") -> None:
        """Tells one thing that happened or is to be seen; `ink`: `strong`, `faint` or `warning`."""
        if self.is_plain:
            if text:
                out(sentence(text))
            return
        drawn = self.drawn(printable(text))
        room = None if self.columns is None else self.columns - len(indent)
        for place, line in enumerate(wrapped(drawn, room)):
            shown = (indent if place else "") + line
            out(getattr(self.inks, ink)(shown) if ink else shown, self.inks)

    def rows(self, texts: Sequence[str]) -> None:
        """Shows things to choose from, side by side as far as there is room."""
        if self.is_plain or self.columns is None:
            for text in texts:
                self.tell(text)
            return
        line = ""
        for text in texts:
            longer = f"{line}   {text}" if line else text
            if line and len(longer) > self.columns:
                self.tell(line)
                longer = text
            line = longer
        if line:
            self.tell(line, indent="    ")

    def table(self, texts: Sequence[str]) -> None:
        """Shows many things to choose from, in columns as far as there is room."""
        wide = max(map(len, texts), default=0) + 3
        across = 1 if self.is_plain or self.columns is None else max(1, (self.columns + 3) // wide)
        down = -(-len(texts) // across)
        for row in range(down):
            self.tell("".join(text.ljust(wide) for text in texts[row::down]).rstrip())

    def ask(self, question: str) -> None:
        """Shows that something is to be typed."""
        if not self.is_prompting:
            self.tell(f"{question}?")
            return
        sys.stdout.write(calm(self.inks.strong(f"{printable(question)}> "), self.inks))
        sys.stdout.flush()

    def drawn(self, text: str) -> str:
        """The text with the symbols of suits, if they can be shown."""
        return _CARD.sub(lambda card: card[1] + SUITS[card[2]], text) if self.has_suits else text


def with_card_numbers(line: str, numbers: Mapping[str, int]) -> str:
    """The line with numbers before the cards that can be named by them: `1:[AS] 2:[7D]`."""

    def shown(item: re.Match[str]) -> str:
        return f"{numbers[item[1]]}:{item[0]}" if item[1] in numbers else item[0]

    return _ITEM.sub(shown, line)


def sentence(text: str) -> str:
    """The text with a full stop, and without signs that a screen reader would spell out."""
    said = _ITEM.sub(r"\1", re.sub(r"\] +(?=(\d+:)?\[)", "], ", printable(text))).strip()
    return said if said.endswith((".", "!", "?", ":")) else f"{said}."


def voice_for(is_plain: bool) -> Voice:
    """A voice for standard output that suits what it is."""
    has_prompt = sys.stdout.isatty() and sys.stdin.isatty()
    return Voice(
        measure=(lambda: None) if is_plain else _width_of_output,
        inks=PLAIN if is_plain else inks_for(None),
        is_plain=is_plain,
        has_suits=not is_plain and _can_show("".join(SUITS.values())),
        is_prompting=has_prompt and not is_plain,
    )


def _width_of_output() -> int:
    return min(WIDTH_MAX, columns_of(sys.stdout) or WIDTH_MAX)


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
