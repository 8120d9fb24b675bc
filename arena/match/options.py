"""What a seat may do, as data: families of legal moves, and the domain of each of their fields.

The legality check, the list that bots are sent, the random bot and the tests' strategies all derive from it.
`arena.match.game` exports these names too, so that a game imports from one place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import comb, prod
from random import Random
from typing import Any

import attrs

from arena.words import spelt, spelt_list


@attrs.frozen
class OneOf:
    """Any one of `values`."""

    values: tuple[Any, ...]

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def sample(self, rng: Random) -> Any:
        return rng.choice(self.values)

    def __str__(self) -> str:
        return f"one of {spelt_list(self.values)}" if len(self.values) != 1 else spelt(self.values[0])


@attrs.frozen
class Between:
    """Any integer from `low` to `high`, both included."""

    low: int
    high: int

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high

    def sample(self, rng: Random) -> int:
        return rng.randint(self.low, self.high)

    def __str__(self) -> str:
        return f"{self.low} to {self.high}" if self.low < self.high else str(self.low)


@attrs.frozen
class Subset:
    """A tuple of distinct members of `of`, at least `least` and at most `most` of them, in any order."""

    of: tuple[Any, ...]
    least: int
    most: int

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, tuple)
            and self.least <= len(value) <= self.most
            and len(members := set(value)) == len(value)
            and members.issubset(self.of)
        )

    def sample(self, rng: Random) -> tuple[Any, ...]:
        """A subset: first its size, uniformly, then its members."""
        return tuple(rng.sample(self.of, rng.randint(self.least, self.most)))

    def __str__(self) -> str:
        return f"{self.least} to {self.most} different ones of {spelt_list(self.of)}"

    def wrong_in(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """The members that make `value` illegal: not in `of`, or named twice.

        Looks at one member more than `of` has at most, of which one must be wrong: a bot may name 20,000.
        """
        head, known = value[: len(self.of) + 1], set(self.of)
        times = Counter(head)
        return tuple([each for each in head if each not in known or times[each] > 1])


Domain = OneOf | Between | Subset


@attrs.frozen
class Option:
    """A family of legal moves: every `move(**fields)` with each field in its domain.

    A rule that ties two fields together needs several options.
    """

    move: type[Any]
    fields: Mapping[str, Domain] = attrs.field(factory=dict)

    def __contains__(self, move: object) -> bool:
        if type(move) is not self.move:
            return False
        # A loop that checks integers itself, as this runs for every move: `all(...)` takes thrice as long.
        for name, domain in self.fields.items():
            value = getattr(move, name)
            if type(domain) is Between and type(value) is int:
                if not domain.low <= value <= domain.high:
                    return False
            elif value not in domain:
                return False
        return True

    def sample(self, rng: Random) -> Any:
        """A move of this family, each field drawn uniformly."""
        return self.move(**{name: domain.sample(rng) for name, domain in self.fields.items()})

    def __str__(self) -> str:
        fields = ", ".join(f"{name} {domain}" for name, domain in self.fields.items())
        return f"{self.move.__name__}({fields})" if fields else self.move.__name__


def is_legal(options: Sequence[Option], move: object) -> bool:
    """Whether some option contains the move."""
    kind = type(move)
    for option in options:  # noqa: SIM110 - see Option.__contains__
        # Most options are of another kind or have no fields: neither needs a call.
        if option.move is kind and (not option.fields or move in option):
            return True
    return False


def moves_of(options: Sequence[Option], limit: int) -> tuple[Any, ...] | None:
    """Every move that the options contain, each once and in their order; None if there are more than `limit`.

    The members of a Subset are given in the order of its `of` alone: their other orders say the same.  Moves
    are counted before any is made, those that two options contain twice.
    """
    if sum([prod(map(_size, option.fields.values())) for option in options]) > limit:
        return None
    # A dict, for each once and in their order.
    return tuple(dict.fromkeys(move for option in options for move in _moves(option)))


def _moves(option: Option) -> Iterator[Any]:
    """Every move of a family, the last field changing fastest."""
    for values in product(*map(_values, option.fields.values())):
        yield option.move(**dict(zip(option.fields, values, strict=True)))


def _size(domain: Domain) -> int:
    """How many values a domain has."""
    if isinstance(domain, Between):
        return max(0, domain.high - domain.low + 1)
    if isinstance(domain, OneOf):
        return len(domain.values)
    return sum([comb(len(domain.of), size) for size in range(domain.least, domain.most + 1)])


def _values(domain: Domain) -> Iterator[Any]:
    """Every value of a domain; a Subset's members in the order of its `of` alone."""
    if isinstance(domain, Between):
        yield from range(domain.low, domain.high + 1)
    elif isinstance(domain, OneOf):
        yield from domain.values
    else:
        for size in range(domain.least, domain.most + 1):
            yield from combinations(domain.of, size)


def explain(options: Sequence[Option], move: object) -> str:
    """Why `move` is not legal: one clause that names the field and the accepted values."""
    same = [option for option in options if option.move is type(move)]
    if not same:
        kinds = ", ".join(dict.fromkeys(option.move.__name__ for option in options))
        return f"{type(move).__name__} is not possible here; possible: {kinds}"
    wrong = [
        [
            f"{name} {_wrong(domain, getattr(move, name))} is not {domain}"
            for name, domain in option.fields.items()
            if getattr(move, name) not in domain
        ]
        for option in same
    ]
    least = min(map(len, wrong))  # the families nearest to the move show best what was meant
    clauses = [" and ".join(each) for each in wrong if len(each) == least]
    return f"{type(move).__name__}: " + "; or ".join(clauses)


def _wrong(domain: Domain, value: object) -> str:
    """What is wrong with a value, in readable form; for a long list only its wrong members."""
    if isinstance(domain, Subset) and isinstance(value, tuple):
        wrong = spelt_list(domain.wrong_in(value) or value) or "nothing"
        return wrong if len(value) <= len(domain.of) else f"{wrong} (among {len(value)})"
    return spelt(value)
