"""Pure: reads a person's words as a move, and writes the legal moves as words, for any game.

A move is said by its name, or the beginning of it, and its fields one after the other; cards and the like by
the numbers shown beside them.  Only words are read here: what is legal is decided elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

import attrs

from arena.errors import ConfigError, MalformedAnswer
from arena.match.game import Option, Seat, explain, is_legal
from arena.players.codec import Codec
from arena.words import spaced

LISTED_MAX = 100
"""The most moves of one family that get numbers; of a larger family only the form is shown."""
QUOTED_MAX = 60
"""How many characters of what was typed a message repeats."""
Domain: TypeAlias = Mapping[str, Any]

_SHORT = "A23456789TJQK"
_SUITS = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
_RANKS = (
    "ace",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
)
CARD_WORDS: Mapping[str, str] = {
    **_SUITS,
    **{word[:-1]: short for word, short in _SUITS.items()},
    **dict(zip(_RANKS, _SHORT, strict=True)),
    **{f"{word}{'es' if word == 'six' else 's'}": rank for word, rank in zip(_RANKS, _SHORT, strict=True)},
    "10": "T",
}
"""Suits and ranks as people call them."""


@attrs.frozen
class Choice:
    """A family of legal moves."""

    kind: str
    form: Any
    fields: Mapping[str, Domain]

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the family may be called by; the first is shown."""
        words = spaced(self.kind)
        called = (words.replace(" ", "-"), words.replace(" ", ""))
        return (*called, self.form) if isinstance(self.form, str) and not self.fields else called

    def filled(self, values: Mapping[str, Any]) -> Any:
        """The move as JSON."""
        return _filled(self.form, {f"<{name}>": value for name, value in values.items()})


class NotLegalNow(ConfigError):
    """The words that were typed mean no legal move."""

    def __init__(self, said: str, would_be_right: str) -> None:
        shown = said if len(said) <= QUOTED_MAX else f"{said[:QUOTED_MAX]}…"
        self.sentence = f'"{shown}" is not a legal move now'
        """The message without what would be right, which can be long."""
        super().__init__(f"{self.sentence}: {would_be_right}")


def read_choices(options: Sequence[Mapping[str, Any]]) -> tuple[Choice, ...]:
    """The options as `Codec.options` writes them, read from JSON."""
    return tuple(Choice(str(each["kind"]), each["form"], each["fields"]) for each in options)


def _filled(form: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(form, str):
        return values.get(form, form)
    if isinstance(form, list):
        return [_filled(each, values) for each in form]
    if isinstance(form, dict):
        return {key: _filled(each, values) for key, each in form.items()}
    return form


# Moves from words


def move_of(options: Sequence[Choice], words: Sequence[str]) -> Any:
    """The move, as JSON, that these words mean.  Raises ConfigError with what would be right."""
    text = " ".join(words)
    if text[:1] in "{[":
        return _json(text)
    if len(words) == 1 and re.fullmatch(r"\d{1,4}", text, re.ASCII):
        return _by_number(options, int(text))
    called = _called(options, words[0])
    if not called and words[0].lower() == "play" and len(words) > 1 and _is_said(options, words[1:]):
        return move_of(options, words[1:])
    if not called:
        raise NotLegalNow(text, forms_text(options))
    if len({option.kind for option in called}) > 1:
        names = " or ".join(option.names[0] for option in called)
        raise ConfigError(f"{words[0]} can mean {names}: say more of it")
    problems = set()
    for option in called:
        try:
            return option.filled(_values(option, list(words[1:])))
        except ConfigError as error:
            problems.add(str(error))
    if len(problems) > 1:  # what one family forbids, another may allow
        raise NotLegalNow(text, forms_text(called))
    raise ConfigError(f"{problems.pop()}: {forms_text(called)}")


def legal_move(codec: Codec, options: tuple[Option, ...], names: Sequence[str], value: Any) -> Any:
    """The legal move that a JSON value means.  Raises ConfigError, with the players' names, if it is none."""
    try:
        move = codec.move(value)
    except MalformedAnswer as error:
        raise ConfigError(str(error)) from None
    if not is_legal(options, move):
        reason = explain(options, move)
        for seat, name in enumerate(names):
            reason = reason.replace(repr(Seat(seat)), name)
        raise ConfigError(reason)
    return move


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigError("this begins like JSON, and is none") from None


def _by_number(options: Sequence[Choice], number: int) -> Any:
    found, _ = with_numbers(options)
    if not found:
        raise ConfigError(f"the moves have no numbers now: {forms_text(options)}")
    if not 1 <= number <= len(found):
        raise ConfigError(f"the moves are numbered from 1 to {len(found)} now")
    return found[number - 1]


def _called(options: Sequence[Choice], word: str) -> list[Choice]:
    """The options that a word means: by the whole name, a word that no other name has, or a beginning."""
    word = word.lower()
    whole = [option for option in options if word in option.names]
    parts = [option for option in options if word in spaced(option.kind).split()]
    begun = [option for option in options if any(name.lower().startswith(word) for name in option.names)]
    for found in (whole, parts):
        if found and len({option.kind for option in found}) == 1:
            return found
    return begun or parts


def _is_said(options: Sequence[Choice], words: Sequence[str]) -> bool:
    """Whether the words after `play` name a move by themselves."""
    return bool(_called(options, words[0]))


def _values(option: Choice, words: list[str]) -> dict[str, Any]:
    """The move's fields, each read from the words that are left for it."""
    values: dict[str, Any] = {}
    fields = list(option.fields.items())
    for place, (name, domain) in enumerate(fields):
        later = fields[place + 1 :]
        if "subset_of" in domain:
            kept = _kept_for(later, words, domain)
            values[name] = _subset(name, domain, words[: len(words) - kept])
            words = words[len(words) - kept :]
        elif not words and None in domain.get("one_of", ()):
            values[name] = None
        elif not words:
            raise ConfigError(f"{option.names[0]} needs {_told(name, domain)}")
        else:
            values[name] = _one(name, domain, words.pop(0))
    if words:
        raise ConfigError(f"{' '.join(words)} is more than {option.names[0]} takes")
    return values


def _kept_for(later: Sequence[tuple[str, Domain]], words: Sequence[str], domain: Domain) -> int:
    """How many of the last words belong to the fields after a list of cards."""
    needed = sum(None not in each.get("one_of", ()) for _, each in later)
    if len(later) > needed and len(words) > 1 and _item(domain, words[-1]) is None:
        return len(later)
    return min(needed, max(0, len(words) - 1))


def _subset(name: str, domain: Domain, words: Sequence[str]) -> list[Any]:
    found = []
    for word in words:
        if (item := _item(domain, word)) is None:
            raise ConfigError(f"{word} is none of your {name}: say their numbers as shown, from 1")
        found.append(item)
    if len(set(map(str, found))) < len(found):
        raise ConfigError(f"one of the {name} is named twice")
    if not domain["least"] <= len(found) <= domain["most"]:
        raise ConfigError(f"{domain['least']} to {domain['most']} {name} are asked for")
    return found


def _item(domain: Domain, word: str) -> Any:
    """The item of a list that a word means, by its number or as it is written; None if there is none."""
    items = domain["subset_of"]
    if re.fullmatch(r"\d{1,4}", word, re.ASCII):
        return items[int(word) - 1] if 1 <= int(word) <= len(items) else None
    same = [item for item in items if str(item).lower() == word.lower()]
    return same[0] if same else None


def _one(name: str, domain: Domain, word: str) -> Any:
    if "one_of" in domain:
        items = [item for item in domain["one_of"] if item is not None]
        said, short = word.lower(), CARD_WORDS.get(word.lower(), word).lower()
        whole = [item for item in items if str(item).lower() in (said, short)]
        begun = [item for item in items if str(item).lower().startswith(said)]
        for found in (whole, begun):
            if len(found) == 1:
                return found[0]
    elif re.fullmatch(r"-?\d{1,15}", word, re.ASCII) and domain["min"] <= int(word) <= domain["max"]:
        return int(word)
    raise ConfigError(f"{word} cannot be the {name} now")


# Words for moves


def with_numbers(options: Sequence[Choice]) -> tuple[list[Any], list[str]]:
    """The legal moves that have numbers, as JSON, in order; and the forms of families that are too large."""
    found: list[Any] = []
    others: list[Choice] = []
    for option in options:
        has_lists = any("subset_of" in domain for domain in option.fields.values())
        domains = [] if has_lists else [_all(domain) for domain in option.fields.values()]
        if has_lists or prod(map(len, domains)) > LISTED_MAX:
            others.append(option)
            continue
        found += [
            option.filled(dict(zip(option.fields, values, strict=True))) for values in product(*domains)
        ]
    return found, forms(others)


def _all(domain: Domain) -> Sequence[Any]:
    if "min" in domain:
        return range(domain["min"], domain["max"] + 1)
    return [item for item in domain["one_of"] if item is not None] or [None]


def forms(options: Sequence[Choice]) -> list[str]:
    """How to say the legal moves."""
    return list(dict.fromkeys(_form(option) for option in options))


def forms_text(options: Sequence[Choice]) -> str:
    return " | ".join(forms(options))


def _form(option: Choice) -> str:
    words = [option.names[0]]
    told = []
    for name, domain in option.fields.items():
        is_optional = None in domain.get("one_of", ())
        if is_optional and len(_all(domain)) == 1:
            continue  # it need not be said: there is no choice
        words.append(f"[{name.upper()}]" if is_optional else name.upper())
        told.append(_told(name, domain))
    return " ".join(words) + (f" ({'; '.join(told)})" if told else "")


def _told(name: str, domain: Domain) -> str:
    if "subset_of" in domain:
        return f"{name}: {domain['least']} to {domain['most']} of their numbers"
    if "one_of" in domain:
        return f"{name}: {', '.join(str(item) for item in domain['one_of'] if item is not None)}"
    low, high = domain["min"], domain["max"]
    return f"{name}: {low}" if low == high else f"{name}: {low} to {high}"
