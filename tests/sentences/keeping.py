"""The file of all sentences: how it is read and written, and what stands in it for what differs between machines."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from textwrap import indent

import arena
from arena.cli import cli
from arena.games import GAMES
from arena.schedule import FORMATS
from arena.starter.languages import LANGUAGES
from arena.tournament.bots.entrants import builtin_bots
from arena.trials.torture.habits import habits

PATH = Path(__file__).with_name("sentences.txt")
HOUSE = str(Path(arena.__file__).parent)
REWRITE = "python -m tests.sentences --write"
HEAD = f"""\
# What people read when something is wrong.  `{REWRITE}` writes this file; it is not edited by hand.
"""
REGISTRIES: Mapping[str, Collection[str]] = {
    "BOTS": builtin_bots(),
    "COMMANDS": cli.commands,
    "FORMATS": FORMATS,
    "GAMES": GAMES,
    "HABITS": [habit.name for habit in habits()],
    "LANGUAGES": LANGUAGES,
}
"""What grows: where all members are listed, one word stands for them."""
INDENT = "    "


def neutral(text: str, here: Path) -> str:
    """A text without what differs between machines, and without lists that grow with the arena."""
    text = text.replace(str(here), "{HERE}").replace(HOUSE, "{HOUSE}")
    for word, names in REGISTRIES.items():
        name = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        text = re.sub(
            rf"\b(?:(?:{name})(?:, | and | or )){{{len(names) - 1}}}(?:{name})\b", f"{{{word}}}", text
        )
    return text


def text_of(entries: Mapping[str, str]) -> str:
    """Entries by name as text: the name, and below it, indented, what is typed and what is told."""
    parts = [
        f"\n{name}\n" + "".join(f"{INDENT}{line}\n" for line in entry.split("\n"))
        for name, entry in entries.items()
    ]
    return HEAD + "".join(parts)


def entries_of(text: str) -> dict[str, str]:
    """What `text_of` made a text of."""
    entries: dict[str, str] = {}
    for part in text.removeprefix(HEAD).removeprefix("\n").split("\n\n"):
        name, *lines = part.removesuffix("\n").split("\n")
        entries[name] = "\n".join(line.removeprefix(INDENT) for line in lines)
    return entries


def kept() -> dict[str, str]:
    """The entries of the file, by name, in its order."""
    return entries_of(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """For each entry that is not the same: its name, what the file has and what is told now."""
    names = [name for name in {**expected, **found} if expected.get(name) != found.get(name)]
    return [f"{name}\n{_side('was', expected.get(name))}\n{_side('now', found.get(name))}" for name in names]


def _side(when: str, entry: str | None) -> str:
    return indent("nothing" if entry is None else entry, f"  {when}: ")
