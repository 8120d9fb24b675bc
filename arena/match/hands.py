"""What is expected of a match for two in which a hand of each seat is what is hidden."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar


class HiddenHands(ABC):
    """All hands that a seat may be dealt before anything else happens.

    Each hand is as likely as any other, and what one seat wins the other loses.  Who is asked, and what it
    may do, follows from the moves alone; these are open, and so is all that chance does later.  Hands are
    known by their numbers, from 0.
    """

    alike: ClassVar[tuple[tuple[int, ...], ...]]
    """The numbers of all hands: together those that differ in what means nothing, such as their suits."""
    is_asked_once: bool = True
    """Whether a seat is asked once at most.

    If it is not, `hand_of` and `tried` are there too; `deal` and `chances` take `seen`, `returns` `others`.
    """

    @property
    def count(self) -> int:
        """How many hands there are."""
        return sum(map(len, self.alike))

    @abstractmethod
    def deal(self, seat: int, hand: int, rng: Random | None = None, seen: Any = None) -> Any:
        """The move of chance by which the seat is dealt this hand, and the other one any that fits.

        `rng`: draws what means nothing, such as the order of the cards in the hand; None: always the same.
        `seen`: what the other seat sees, if that is to be so with this deal.
        """

    @abstractmethod
    def plain(self, observation: Any) -> Any:
        """The observation of a seat that was dealt its hand in any way, as if without an rng."""

    @abstractmethod
    def chances(self, hand: int, seen: Any = None) -> Sequence[float]:
        """The probability of each hand of the other seat, given this one, and what its seat has `seen`.

        0 for hands that are not possible; all others as chance deals them, whatever was done since.
        """

    @abstractmethod
    def returns(
        self, state: Any, seat: int, hand: int, others: Sequence[int] | None = None
    ) -> Sequence[float]:
        """What the seat with this hand wins on average against each of the `others`; None: all hands.

        `state`: one after the same moves, with any hands, in which a seat is asked, and then as if from there
        on all made the first of their `tried` moves; or in which the match is over, other than by a showdown
        on a street that was played.
        """

    def hand_of(self, observation: Any) -> int:
        """The number of the hand that a seat holds that sees this."""
        raise NotImplementedError

    def tried(self, state: Any) -> Sequence[Any]:
        """The few moves that are worth a try to the seat that is asked.

        The first goes on to the end at the least price, as a check or call does.
        """
        raise NotImplementedError
