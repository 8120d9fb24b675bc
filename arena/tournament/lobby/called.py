"""Looks up the names and tokens of connecting bots, quickly, however many there are."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Generic, TypeVar

import attrs

from arena.wire.messages import NAME_LENGTH_MAX
from arena.wire.names import looks_of

T = TypeVar("T")


class TokenOwners(Generic[T]):
    """Each token's owner.

    Tokens are kept as hashes with a key of our own, so that the time of a look-up does not reveal how much of
    a token is right.
    """

    def __init__(self, owners: Iterable[tuple[str, T]] = ()) -> None:
        self._key = secrets.token_bytes(16)
        self._owners: dict[bytes, T] = {}
        for token, owner in owners:
            self.add(token, owner)

    def __iter__(self) -> Iterator[T]:
        """The owners, in the order in which they were added."""
        return iter(self._owners.values())

    def add(self, token: str, owner: T) -> None:
        self._owners[self._hash(token)] = owner

    def remove(self, token: str) -> None:
        del self._owners[self._hash(token)]

    def owner(self, token: str) -> T | None:
        return self._owners.get(self._hash(token))

    def _hash(self, token: str) -> bytes:
        octets = token.encode("utf-8", "surrogatepass")
        return blake2b(octets, key=self._key, digest_size=16).digest()


@attrs.frozen
class Secrets:
    """The tokens that are hidden in what is shown of one bot's messages: those of all entrants, and its own.

    All bots share one object with the entrants' tokens: else thousands of bots would each have a list of
    thousands.
    """

    entrants: tuple[str, ...]
    own: str | None

    def __iter__(self) -> Iterator[str]:
        yield from self.entrants
        if self.own is not None:
            yield self.own


class Called:
    """The names that are taken: knows what each looks like, and which names are free."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._by_look: dict[str, tuple[str, ...]] = {}
        self._numbered: Counter[str | None] = Counter()
        """A name that bots said -> the last number tried with it; all up to it are taken."""
        for name in names:
            self.note(name)

    def note(self, name: str) -> None:
        """Notes that this name is taken."""
        self._names.add(name)
        for look in looks_of(name):
            self._by_look[look] = (*self._by_look.get(look, ()), name)

    def forget(self, name: str) -> None:
        """Notes that this name is free again."""
        self._names.discard(name)
        self._numbered.clear()
        for look in looks_of(name):
            others = tuple(other for other in self._by_look[look] if other != name)
            if others:
                self._by_look[look] = others
            else:
                del self._by_look[look]

    def has_like(self, name: str) -> bool:
        """Whether this name is taken, or one that people could mistake for it."""
        return any(look in self._by_look for look in looks_of(name))

    def double_of(self, said: str) -> str | None:
        """A taken name that people could mistake this one for; not the same name, which gets a number."""
        others = {other for look in looks_of(said) for other in self._by_look.get(look, ())}
        return min(others - {said}, default=None)

    def free_name(self, said: str | None) -> str:
        """The name that a bot said if it is free; else that name (or `bot`) with the first free number."""
        if said is not None and said not in self._names:
            return said
        stem = "bot" if said is None else said[: NAME_LENGTH_MAX - 5]
        number = max(self._numbered[said] + 1, 1 if said is None else 2)
        while f"{stem}-{number}" in self._names:
            number += 1
        self._numbered[said] = number - 1
        return f"{stem}-{number}"
