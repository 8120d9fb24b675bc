"""A bot that guesses the seed of its tournament from the id of its match, and then sees all dice.

It plays as any started bot does: all that it has is what the protocol tells it, and the code of the arena.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from arena.games import GAMES
from arena.schedule import Pairing, derive_seed, match_id
from arena.schedule.pairing import rotations, series_id
from arena.sdk import Bot, run

SEEDS = range(500)
"""Those that people write."""
SERIES_MAX = 20


def guess(told_id: str, names: Sequence[str], seeds: Iterable[int]) -> tuple[int, Pairing] | None:
    """The seed among these, and the match of the plan, for which this match has the id that it has."""
    places = range(len(names))
    planned = [(repetition, place) for repetition in range(SERIES_MAX) for place in places]
    ids = [f"{series_id(names, repetition)}/{place}" for repetition, place in planned]
    for seed in seeds:
        for id, (repetition, place) in zip(ids, planned, strict=True):
            if match_id(seed, id) == told_id:
                series = rotations(names, repetition, cycle=0, game="liars-dice", seed=seed, deals="same")
                return seed, list(series)[place]
    return None


class Guesser(Bot):
    """Plays as if all dice lay open, if it has guessed the seed; else as its own dice suggest."""

    name = "guesser"
    seeds: Iterable[int] = SEEDS

    def started(self, match):
        found = guess(match.match_id, match.names, self.seeds)
        self.deals = None if found is None else found[1].seed
        self.seeds = [] if found is None else [found[0]]  # all matches have the same

    def move(self, state, options):
        kinds = {option["kind"] for option in options}
        if "Pass" in kinds:
            return "pass"
        face, count = state["last_bid"]
        there = self.all_dice(state)
        if "Challenge" in kinds and there[face] < count:
            return "challenge"
        true = [(there[f], f) for f in range(1, 7) if (there[f], f) > (count, face)]
        if true:
            count, face = max(true)
            return [face, count]
        return "challenge" if "Challenge" in kinds else [1, 1]

    def all_dice(self, state):
        """How many dice show each face; a guess of the others' if the seed is not known."""
        own = Counter(state["your_hand"])
        left = dict(state["other_hands"])
        if self.deals is None:
            others = sum(left.values()) - own.total()
            return Counter({face: own[face] + others // 3 for face in range(1, 7)})
        game, names = GAMES["liars-dice"](), self.match.names
        rng = Random(derive_seed(self.deals, "roll", state["round_number"]))
        hands = game.draw(game.start(len(names)), rng).hands
        seats = {"yourself" if seat == self.match.seat else name: seat for seat, name in enumerate(names)}
        assert sorted(hands[self.match.seat][: left["yourself"]]) == state["your_hand"]
        return Counter(face for name, dice in left.items() for face in hands[seats[name]][:dice])


if __name__ == "__main__":
    run(Guesser)
