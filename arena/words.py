"""Counts, numbers, shares, times, lists, names and untrusted texts as people read them, on any screen."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from unicodedata import combining, east_asian_width

LISTED_MAX = 250
"""How many characters of a list a reason may repeat: enough for a whole deck of cards."""
SPELT_MAX = 80
"""How many characters of one value a reason may repeat."""
LUCK_ADJUSTED = "luck-adjusted: what only chance decides counts as its average"
"""What people are told where bots are rated by returns without luck."""


def counted(amount: int, noun: str) -> str:
    """A count with its noun: `1 match`, `2,000 matches`, `2 series`."""
    plural = noun if noun.endswith("series") else noun + ("es" if noun.endswith("ch") else "s")
    return f"{amount:,} {noun if amount == 1 else plural}"


def number(value: float, digits: int = 0, sign: str = "") -> str:
    """A number as people read it: `1612`, `16,120`, `+12.5`, `1.2M`; never `-0`, and with a true minus."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:{sign}.1f}M".replace("-", "−")
    comma = "," if abs(value) >= 1e4 else ""
    return f"{round(value, digits) + 0.0:{sign}{comma}.{digits}f}".replace("-", "−")


def digits_for(half: float) -> int:
    """How many digits after the point are meaningful with an uncertainty of ± `half`."""
    return 0 if half >= 10 else 1 if half >= 1 else 2 if half >= 0.1 else 3


def with_half(value: float, half: float, sign: str = "+") -> str:
    """A value with its uncertainty, without the digits that it makes meaningless: `+2944 ± 582`."""
    digits = digits_for(half)
    return f"{number(value, digits, sign)} ± {number(half, digits)}"


def percent(share: float) -> str:
    """A share in percent: `58%`; only all of something is called 100%, and only nothing 0%."""
    if 0.995 <= share < 1:
        return ">99%"
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def with_range(share: float, low: float, high: float) -> str:
    """A share with its interval: `58.0% (52–64)`."""
    return f"{share:.1%} ({low * 100:.0f}–{high * 100:.0f})"


def with_ranks(rank: int, low: int, high: int) -> str:
    """A rank with the ranks that may be the true one: `2 (1–4)`, or `2` if there is no other."""
    return f"{rank} ({low}–{high})" if low < high else str(rank)


def chance(probability: float) -> str:
    """A probability in percent, never quite 0% or 100%: nothing is certain."""
    return ">99%" if probability >= 0.995 else "<1%" if probability < 0.005 else percent(probability)


def measured(time_s: float) -> str:
    """A measured time: `8 µs`, `0.12 ms`, `45 ms`, `1.2 s`."""
    if time_s < 0.00001:
        return f"{time_s * 1e6:.0f} µs"
    if time_s >= 0.9995:
        return f"{time_s:.1f} s"
    return f"{time_s * 1000:.0f} ms" if time_s >= 0.00995 else f"{time_s * 1000:.2f} ms"


def roughly(seconds: float) -> str:
    """An estimated time, to two digits in the unit in which people think of it: `3.2 minutes`, `17 hours`."""
    units = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
    unit, size = next((each for each in units if seconds >= 2 * each[1]), units[-1])
    return f"{float(f'{seconds / size:.2g}'):g} {unit}"


_SIZES = ("kB", "MB", "GB", "TB")


def sized(octets: int) -> str:
    """A size in bytes: `812 bytes`, `300 kB`, `1.4 MB`; units are powers of 1024, as in `memory_mb`."""
    if octets < 1024:
        return counted(octets, "byte")
    value, unit = octets / 1024, 0
    while value >= 999.5 and unit < len(_SIZES) - 1:
        value, unit = value / 1024, unit + 1
    digits = 0 if value >= 9.95 or round(value, 1).is_integer() else 1
    return f"{number(value, digits)} {_SIZES[unit]}"


def listed(names: Collection[str], joint: str = "and", most: int | None = None) -> str:
    """Names as a list: `ann, bob and cat`; of more than `most` the first ones and a count; or `nobody`."""
    first = list(names)
    if most is not None and len(first) > most:
        first[most:] = [f"{len(first) - most} more"]
    *head, last = first or ["nobody"]
    return f"{', '.join(head)} {joint} {last}" if head else last


def first_place(names: Collection[str], verb: str) -> str:
    """Who came first: `bob wins`, or `ann and bob share first place`."""
    return f"{listed(names)} {verb if len(names) == 1 else 'share first place'}"


NAMES_TOLD = 40
"""The most names in a line for people; a run may have thousands of bots."""


def at_most_listed(names: Sequence[str]) -> str:
    """Names joined by commas; of more than NAMES_TOLD the first ones, and how many more."""
    return ", ".join(names) if len(names) <= NAMES_TOLD else listed(names, most=NAMES_TOLD)


def number_word(number: int) -> str:
    """A number as a word: `no`, `one`, `twelve`; digits from 13 on."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"


_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def plural_verb(words: str) -> str:
    """The plural of a verb and what follows it: `pass` from `passes`, `hold a card` from `holds a card`."""
    verb, blank, rest = words.partition(" ")
    base = verb.removesuffix("es" if verb.endswith(("sses", "shes", "ches")) else "s")
    return f"{base}{blank}{rest}"


def version_words(version: str) -> str:
    """The version that a bot declares; empty if it declares none, which the tables call 0."""
    return "" if version == "0" else printable(version)


def spaced(name: str) -> str:
    """A name as separate words: `raise to` from `RaiseTo`, `raise_to` and `raiseTo`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("_", " ")).lower()


def printable(text: str, keep: str = "") -> str:
    """The text on one line, with all characters escaped that are neither printable nor in `keep`.

    What bots send may contain terminal escape sequences, and NULs and lone surrogates, which neither SQLite
    nor UTF-8 accepts.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in text
    )


def spelt(value: object) -> str:
    """A value in few characters; None means that it was left out."""
    if value is None:
        return "nothing"
    if isinstance(value, int) and value.bit_length() > 4 * SPELT_MAX:
        return "a huge number"  # `str` is slow for thousands of digits, and refuses more
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= SPELT_MAX else text[: SPELT_MAX - 1] + "…"


def spelt_list(values: Sequence[object]) -> str:
    """A list of values, cut to LISTED_MAX characters."""
    words: list[str] = []
    room = LISTED_MAX
    for value in values:
        word = spelt(value)
        room -= len(word) + len(", ")
        words.append("…" if room < 0 else word)
        if room < 0:
            break
    return ", ".join(words)


def width(text: str) -> int:
    """How many columns a text takes up in a terminal."""
    return len(text) if text.isascii() else sum(map(_columns, text))


_FOLDERS = re.compile(r"""(?<![\w./~-])(?:/[^/\s'"():]+)+/""")


def without_folders(text: str) -> str:
    """A text without the folders of absolute paths before names of files: they are those of one machine."""
    return _FOLDERS.sub("", text)


def clipped(text: str, most: int) -> str:
    """The text, or as much of it as fits into `most` columns, ending in `…`."""
    if width(text) <= most:
        return text
    room = most - 1
    for place, char in enumerate(text):
        room -= _columns(char)
        if room < 0:
            return f"{text[:place].rstrip()}…"
    raise AssertionError("a text wider than `most` has a character past it")


def _columns(char: str) -> int:
    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1
