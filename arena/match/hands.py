"""What is expected of a match for two in which a hand of each seat is all that is hidden."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any


class HiddenHands(ABC):
    """All hands that a seat may be dealt before anything else happens; then it is asked once at most.

    Each hand is as likely as any other, and what one seat wins the other loses.  Who is asked, and what it
    may do, follows from the moves alone.  Hands are known by their numbers, from 0.
    """

    alike: tuple[tuple[int, ...], ...]
    """The numbers of all hands: together those that differ in what means nothing, such as their suits."""

    @property
    def count(self) -> int:
        """How many hands there are."""
        return sum(map(len, self.alike))

    @abstractmethod
    def deal(self, seat: int, hand: int, rng: Random | None = None) -> Any:
        """A move of chance by which the seat is dealt this hand, and the other one any that fits.

        `rng`: draws what means nothing, such as the order of the cards in the hand; None: always the same.
        """

    @abstractmethod
    def plain(self, observation: Any) -> Any:
        """The observation of a seat that was dealt its hand in any way, as if without an rng."""

    @abstractmethod
    def chances(self, hand: int) -> Sequence[float]:
        """The probability of each hand of the other seat, given this one."""

    @abstractmethod
    def returns(self, end: Any, seat: int, hand: int) -> Sequence[float]:
        """What the seat with this hand wins on average, by the other seat's hand.

        `end`: a state after the same moves, with any hands, in which the match is over.
        """
