"""The rules of a game as a person tells them: `rules.md` in its folder, or `kuhn.rules.md` beside `kuhn.py`.

The text is Markdown without links: its first paragraph says in a line what the game is, cards, dice and the
like stand in brackets, `{dice}` is the value of a house rule, and a point that begins with
`when wild_ones is true:` is only there where that is so.  A name that is no house rule stays as it is.  The
site reads it so too (`page/site/guide.js`).
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from arena.match.game import Game

_WHEN = re.compile(r"when (\w+) is (\w+): ")


def beside(game: type[Game[Any, Any]], name: str) -> Path | None:
    """The file of this name in a game's folder, `blef/board.js`, or beside it, `kuhn.board.js`; or None.

    A game in a package, such as `arena/games/blef/rules.py`, has a folder of its own.
    """
    module = sys.modules.get(game.__module__)
    file = getattr(module, "__file__", None)
    if module is None or not file:
        return None
    own = Path(file)
    near = own.with_name(f"{own.stem}.{name}")
    found = own.with_name(name) if module.__package__ else near
    return found if found.is_file() else near if near.is_file() else None


def guide_of(game: type[Game[Any, Any]]) -> str | None:
    """The rules as they are written, with the marks for house rules; None: nobody has told them."""
    file = beside(game, "rules.md")
    return None if file is None else file.read_text(encoding="utf-8")


def described(game: type[Game[Any, Any]]) -> str:
    """The specification of a game, for authors of bots: what its module says."""
    return inspect.getdoc(inspect.getmodule(game)) or ""


def line_of(game: type[Game[Any, Any]]) -> str:
    """What the game is, in one line: the first one of its rules, or of its specification."""
    line = " ".join((guide_of(game) or described(game)).strip().partition("\n\n")[0].split())
    return re.sub(rf"^{re.escape(game.title)}: (\w)", lambda found: found[1].upper(), line)


def guide_for(game: Game[Any, Any]) -> str | None:
    """The rules with the house rules of this game in them."""
    text = guide_of(type(game))
    if text is None:
        return None
    rules = {field.name: _said(getattr(game, field.name)) for field in attrs.fields(type(game))}
    return _filled(text, rules)


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs and points of a text, each on one line."""
    parts = re.split(r"\n\s*\n|\n(?=- )", text.strip())
    return [" ".join(part.split()) for part in parts]


def _filled(text: str, rules: Mapping[str, str]) -> str:
    lines = []
    for line in text.splitlines():
        when = _WHEN.match(line.removeprefix("- "))
        if when is None:
            lines.append(line)
        elif rules.get(when[1]) == when[2]:
            lines.append(line.replace(when[0], "", 1))
    return re.sub(r"\{(\w+)\}", lambda found: rules.get(found[1], found[0]), "\n".join(lines))


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value)
