"""Moves from options: a random one, all of them, and whether a move is among them.

An option is `{"kind": "Bid", "form": ["<face>", "<count>"], "fields": {"face": {"min": 1, "max": 6}, …}}`:
the move is `form` with a value for each `"<field>"`, taken from the field's domain, which is
`{"min", "max"}`, `{"one_of"}` or `{"subset_of", "least", "most"}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Any

OptionJson = Mapping[str, Any]


def choose(options: Sequence[OptionJson], rng: Random) -> Any:
    """A random move: an option is drawn uniformly, then each field uniformly.

    For a subset its size is drawn first, then its members.  Raises IndexError if there are no options.
    """
    option = rng.choice(options)
    return fill(option["form"], {field: _sample(domain, rng) for field, domain in option["fields"].items()})


def every(options: Sequence[OptionJson]) -> Iterator[Any]:
    """Every move that the options allow, lazily: subsets and wide ranges can mean very many."""
    for option in options:
        names = list(option["fields"])
        for values in product(*(_values(domain) for domain in option["fields"].values())):
            yield fill(option["form"], dict(zip(names, values, strict=True)))


def allows(options: Sequence[OptionJson], move: Any) -> bool:
    """Whether one of the options contains the move, given as JSON; a key that is left out means null."""
    return any(_fits(option["form"], option["fields"], move) for option in options)


def fill(form: Any, values: Mapping[str, Any]) -> Any:
    """The form with each string `"<field>"` replaced by that field's value."""
    if isinstance(form, str):
        is_field = form.startswith("<") and form.endswith(">") and form[1:-1] in values
        return values[form[1:-1]] if is_field else form
    if isinstance(form, Mapping):
        return {key: fill(part, values) for key, part in form.items()}
    if isinstance(form, Sequence):
        return [fill(part, values) for part in form]
    return form


def _sample(domain: Mapping[str, Any], rng: Random) -> Any:
    if "one_of" in domain:
        return rng.choice(domain["one_of"])
    if "subset_of" in domain:
        return rng.sample(domain["subset_of"], rng.randint(domain["least"], domain["most"]))
    return rng.randint(domain["min"], domain["max"])


def _values(domain: Mapping[str, Any]) -> Iterator[Any]:
    if "one_of" in domain:
        yield from domain["one_of"]
    elif "subset_of" in domain:
        for size in range(domain["least"], domain["most"] + 1):
            yield from map(list, combinations(domain["subset_of"], size))
    else:
        yield from range(domain["min"], domain["max"] + 1)


def _fits(form: Any, fields: Mapping[str, Any], move: Any) -> bool:
    """Whether the move is the form with a value from its domain in place of each field."""
    if isinstance(form, Mapping):
        is_like = isinstance(move, Mapping) and move.keys() <= form.keys()
        return is_like and all(_fits(part, fields, move.get(key)) for key, part in form.items())
    if isinstance(form, list):
        is_like = isinstance(move, list) and len(move) == len(form)
        return is_like and all(_fits(part, fields, value) for part, value in zip(form, move, strict=True))
    if isinstance(form, str) and form.startswith("<") and form.endswith(">") and form[1:-1] in fields:
        return _is_in(fields[form[1:-1]], move)
    return type(move) is type(form) and bool(move == form)  # for Python, true is 1


def _is_in(domain: Mapping[str, Any], value: Any) -> bool:
    if "one_of" in domain:
        return any(_fits(each, {}, value) for each in domain["one_of"])
    if "subset_of" not in domain:
        return type(value) is int and domain["min"] <= value <= domain["max"]
    if not isinstance(value, list) or not domain["least"] <= len(value) <= domain["most"]:
        return False
    return all(each in domain["subset_of"] and each not in value[:place] for place, each in enumerate(value))
