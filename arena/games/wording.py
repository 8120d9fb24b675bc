"""Phrases that the sentences of several games are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.game import Names, Seat
from arena.words import first_place, listed, number_word


def some(number: int, one: str, many: str) -> str:
    """A number of things in words: `one die`, `five dice`, `no dice`."""
    return f"{number_word(number)} {one if number == 1 else many}"


def holdings(pairs: Sequence[tuple[Seat, int]], name: Names, one: str, many: str) -> str:
    """How many of something each seat has: `ann and bob have two dice each`, `ann has one die, bob two`."""
    numbers = {number for _, number in pairs}
    if len(pairs) > 1 and len(numbers) == 1:
        return f"{listed([name(seat) for seat, _ in pairs])} have {some(pairs[0][1], one, many)} each"
    (first, number), *others = pairs
    rest = [f"{name(seat)} {number_word(other)}" for seat, other in others]
    return ", ".join([f"{name(first)} has {some(number, one, many)}", *rest])


def cards_of(cards: Iterable[object]) -> str:
    """Cards or dice side by side: `AS KD`."""
    return " ".join(map(str, cards)) or "nothing"


def articled(words: str) -> str:
    """What somebody has, with its article: `a pair of nines`; but `three nines`, `two pair`, `high card`."""
    return words if words.startswith(("high", "two", "three", "four")) else f"a {words}"


def drawn(cards: Iterable[object]) -> str:
    """Cards or dice that viewers draw: `[AS] [KD]`."""
    return " ".join(f"[{card}]" for card in cards) or "nothing"


def hands_of(hands: Iterable[tuple[Seat, Iterable[object]]], name: Names) -> str:
    """The hands that were shown: `ann 1 2, bob 4 4`."""
    return ", ".join(f"{name(seat)} {cards_of(cards)}" for seat, cards in hands)


def pot_shares(winners: Sequence[tuple[Seat, int]], name: Names) -> str:
    """Who gets how many chips: `ann 61, bob 60`."""
    return ", ".join(f"{name(seat)} {chips:,}" for seat, chips in winners)


def match_won(ranks: Iterable[tuple[Seat, int]], name: Names) -> str:
    """Who came first: `bob wins the match`, `ann and bob share first place`."""
    return first_place([name(seat) for seat, rank in ranks if rank == 1], "wins the match")
