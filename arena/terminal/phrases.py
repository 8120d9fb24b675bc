"""Words for a match: help, what may be typed for moves, places at its end.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.words import listed

HELP = """\
3            the move with this number      moves        all legal moves
b 4 5        the beginning of its name,     moves WORD   those with this word
             and what it needs, in order    look         what you see, again
three nines  the words in which it is told  rules        the rules of the game
Enter        to pass, where one can pass    ?            this help
q            leave (end of input too)"""
PLAIN_HELP = """\
Type the number of a move.
Or type the beginning of its name and what it needs, in this order, such as b 4 5.
Or type the words in which it is told, such as three nines.
Type moves for all legal moves, or moves and a word for those with this word in them.
Type look to hear again what you see, and rules for the rules of the game.
Press Enter alone to pass, where one can pass.
Type q to leave."""


def letters_for_suits(word: str) -> str:
    """The word with letters in place of the symbols of suits that cards are shown with."""
    return word.translate(str.maketrans("♣♦♥♠", "CDHS"))


def numbers_of_cards(options: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """What is shown of a card or the like -> the number that is typed for it."""
    for option in options:
        for domain in option["fields"].values():
            if "subset_of" in domain:
                return {str(item): number for number, item in enumerate(domain["subset_of"], 1)}
    return {}


def places_told(names: Sequence[str], ranks: Sequence[int]) -> str:
    """The sentence about who came where: `bob comes first, ann and eve share second place`."""
    clauses = []
    for rank in sorted(set(ranks)):
        there = [name for name, own in zip(names, ranks, strict=True) if own == rank]
        place = _ORDINALS[rank - 1] if rank <= len(_ORDINALS) else f"{rank}th"
        clauses.append(
            f"{there[0]} comes {place}" if len(there) == 1 else f"{listed(there)} share {place} place"
        )
    return f"the match is over: {', '.join(clauses)}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
