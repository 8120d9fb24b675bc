"""Colours text on a terminal, and nowhere else: bold, dim, and one colour for what went wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

import attrs

from arena.errors import ConfigError

WHEN = ("auto", "always", "never")
_BOLD, _DIM, _YELLOW, _END = "\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[0m"
SEQUENCES = (_BOLD, _DIM, _YELLOW, _END)
"""All that is ever written to change how text looks."""


@attrs.frozen
class Inks:
    """Ways to set off a text; without colour each returns the text as it is."""

    is_on: bool = False

    def strong(self, text: str) -> str:
        """Sets off a heading, or who leads."""
        return self._inked(_BOLD, text)

    def faint(self, text: str) -> str:
        """Sets off what is read only when needed: heads of tables, explanations."""
        return self._inked(_DIM, text)

    def warning(self, text: str) -> str:
        """Sets off faults."""
        return self._inked(_YELLOW, text)

    def _inked(self, ink: str, text: str) -> str:
        return f"{ink}{text}{_END}" if self.is_on and text.strip() else text


PLAIN = Inks()


def inks_for(
    when: str | None, stream: TextIO | None = None, environment: Mapping[str, str] | None = None
) -> Inks:
    """The inks for a stream, by default standard output.

    `when`: `always`, `never`, or `auto` (None), which is on a terminal unless NO_COLOR is set.
    Raises ConfigError for any other word.
    """
    stream = sys.stdout if stream is None else stream
    environment = os.environ if environment is None else environment
    if when not in (None, *WHEN):
        raise ConfigError(f"found {when!r}, expected {', '.join(WHEN[:-1])} or {WHEN[-1]}", setting="color")
    if when in (None, "auto"):
        has_colour = stream.isatty() and environment.get("TERM", "dumb") not in ("dumb", "unknown")
        return Inks(has_colour and not environment.get("NO_COLOR"))
    return Inks(when == "always")
