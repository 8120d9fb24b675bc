"""Names that people can tell apart: which characters are invisible, and which names look alike.

It has no table of all of Unicode: names look alike by NFKC and casefolding, and by the Greek and
Cyrillic letters that look like Latin ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, groupby
from unicodedata import category, normalize

MARKS_MAX = 4
"""The most marks on one letter: any script needs no more, and a tower of them would cover the lines above."""
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U00016fe4\U0001d159")
"""Letters and signs that are invisible, though Unicode does not class them as blanks."""
_UNSEEN = (*range(0x180B, 0x1810), 0x034F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
"""Marks that change how another character is drawn, if anything: variation selectors, the grapheme joiner."""
_INVISIBLE = _BLANK | frozenset(map(chr, _UNSEEN))

_LATIN = str.maketrans(
    # Cyrillic, then Greek, capitals first; then what looks like a lowercase L, or an O
    "АВСЕНІЈКМОРЅТХУаԁеһіјорԛѕсѵԝхуӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορυχ1I|0O",
    "ABCEHlJKMoPSTXYadehijopqscvwxylABEZHlKMNoPTYXayiKvopuxllloo",
)


def is_readable(name: str, chars_max: int) -> bool:
    """Whether somebody can be called that: it is short, and people see all of it."""
    is_whole = name.isprintable() and name == name.strip() and unseen(name) is None
    return 1 <= len(name) <= chars_max and is_whole


def unseen(name: str) -> str | None:
    """The first invisible character, mark without a letter, or excess mark; None if there is none."""
    letter_before, marks = False, 0
    for char in name:
        is_mark = category(char).startswith("M")
        marks = marks + 1 if is_mark else 0
        if char in _INVISIBLE or (is_mark and not letter_before) or marks > MARKS_MAX:
            return char
        letter_before = is_mark or category(char)[0] in "LN"
    return None


def looks_like(name: str, other: str) -> bool:
    """Whether people may mistake one name for the other: case, width, alphabet, blanks, 0 for O, 1 for l."""
    return not looks_of(name).isdisjoint(looks_of(other))


def alike(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every pair of different names that look alike."""
    for _, group in groupby(
        sorted((look, name) for name in set(names) for look in looks_of(name)), lambda it: it[0]
    ):
        yield from combinations([name for _, name in group], 2)


def told_apart(name: str) -> str:
    """The name, followed by the code points of its non-ASCII characters."""
    points = " ".join(f"U+{ord(char):04X}" for char in name if not char.isascii())
    return f"{name} ({points})" if points else name


@lru_cache(1 << 13)
def looks_of(name: str) -> frozenset[str]:
    """The name reduced to how it looks, and to how it reads: names that share either are alike."""
    plain = " ".join(normalize("NFKC", name).split())
    drawn = normalize("NFC", plain.translate(_LATIN)).casefold()
    return frozenset((f"drawn {drawn}", f"read {normalize('NFKC', plain.casefold())}"))
