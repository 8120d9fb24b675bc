"""Moves from options: one at random, or every one of them.

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
    """A move at random: an option uniformly, then each field uniformly.

    For a subset first its size, then its members.  Raises IndexError if there are no options.
    """
    option = rng.choice(options)
    return fill(option["form"], {field: _sample(domain, rng) for field, domain in option["fields"].items()})


def every(options: Sequence[OptionJson]) -> Iterator[Any]:
    """Every move that the options allow, lazily: subsets and wide ranges can give very many."""
    for option in options:
        names = list(option["fields"])
        for values in product(*(_values(domain) for domain in option["fields"].values())):
            yield fill(option["form"], dict(zip(names, values, strict=True)))


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
