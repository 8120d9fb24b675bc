"""Names that people can tell apart: which characters one cannot see, and which names look alike.

Below rank 0.  No table of all of Unicode: what NFKC and casefolding equate, and the letters of the Greek and
the Cyrillic alphabet that are drawn as Latin ones are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, groupby
from unicodedata import category, normalize

MARKS_MAX = 4
"""On one letter, as many as any script needs; a tower of them would cover the lines above."""
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U00016fe4\U0001d159")
"""Letters and signs that are drawn as nothing, though Unicode does not call them blanks."""
_UNSEEN = (*range(0x180B, 0x1810), 0x034F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
"""Marks that change how another character is drawn, if anything: variation selectors, the grapheme joiner."""
_INVISIBLE = _BLANK | frozenset(map(chr, _UNSEEN))

_LATIN = str.maketrans(
    # Cyrillic, then Greek, capitals first; then what is drawn as a small L, or an O
    "АВСЕНІЈКМОРЅТХУаԁеһіјорԛѕсѵԝхуӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορυχ1I|0O",
    "ABCEHlJKMoPSTXYadehijopqscvwxylABEZHlKMNoPTYXayiKvopuxllloo",
)


def unseen(name: str) -> str | None:
    """The first character that nobody can see in it, or that belongs on a letter and stands on none."""
    letter_before, marks = False, 0
    for char in name:
        is_mark = category(char).startswith("M")
        marks = marks + 1 if is_mark else 0
        if char in _INVISIBLE or (is_mark and not letter_before) or marks > MARKS_MAX:
            return char
        letter_before = is_mark or category(char)[0] in "LN"
    return None


def looks_like(name: str, other: str) -> bool:
    """Whether people may take one for the other: by case, width, alphabet, blanks, 0 for O, 1 for l."""
    return not _looks(name).isdisjoint(_looks(other))


def alike(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every two of the names, each of which is another, that look alike."""
    for _, group in groupby(
        sorted((look, name) for name in set(names) for look in _looks(name)), lambda it: it[0]
    ):
        yield from combinations([name for _, name in group], 2)


def told_apart(name: str) -> str:
    """The name, with the numbers of those of its characters that a keyboard may not have."""
    points = " ".join(f"U+{ord(char):04X}" for char in name if not char.isascii())
    return f"{name} ({points})" if points else name


@lru_cache(4096)
def _looks(name: str) -> frozenset[str]:
    """What it is drawn as, and what it is read as."""
    plain = " ".join(normalize("NFKC", name).split())
    drawn = normalize("NFC", plain.translate(_LATIN)).casefold()
    return frozenset((f"drawn {drawn}", f"read {normalize('NFKC', plain.casefold())}"))
