"""The bots of the golden tournaments, for any game but where said; each run imports a copy as `golden_bots`.

Their moves follow from what the match tells them and from nothing else: no memory between matches, no set's order, and
of `rng` only `random()`, which Python promises to keep.
"""

from __future__ import annotations

import json
import os
import signal
from hashlib import sha256

from arena.sdk import Bot
from arena.sdk.moves import fill

STOP = "GOLDEN_STOP"
"""Names the environment variable `SIGNAL MATCHES`: at the beginning of that match the signal goes to this process.

With `SIGNAL MATCHES parent` it goes to the one that has started it.
"""
_begun: set[str] = set()

ILLEGAL = {
    "liars-dice": [7, 7],
    "blef": 200,
    "bluff": {"play": [], "claim": None},
    "holdem": {"action": 1, "betAmount": 123_456_789},
}
"""Moves that each game has and that are never allowed."""


def pick(options, number):
    """The move that a number from 0 up to 1 stands for: an option, then a value of each field."""

    def next_of(count):
        nonlocal number
        number *= count
        whole = min(int(number), count - 1)
        number -= whole
        return whole

    def value(domain):
        if "one_of" in domain:
            return domain["one_of"][next_of(len(domain["one_of"]))]
        if "subset_of" in domain:
            size = domain["least"] + next_of(min(3, domain["most"] - domain["least"] + 1))
            first = next_of(len(domain["subset_of"]) - size + 1)
            return domain["subset_of"][first : first + size]
        return domain["min"] + next_of(min(4, domain["max"] - domain["min"] + 1))

    option = options[next_of(len(options))]
    return fill(option["form"], {field: value(domain) for field, domain in option["fields"].items()})


class Chancy(Bot):
    """Plays at random, modestly."""

    def started(self, match):
        self.asked = 0
        _begun.add(match.match_id)
        number, matches, *whom = os.environ.get(STOP, " 0").split(" ")
        if len(_begun) == int(matches):
            del os.environ[STOP]
            os.kill(os.getppid() if whom else os.getpid(), signal.Signals[number])

    def move(self, state, options):
        self.asked += 1
        return self.moved(state, options)

    def moved(self, state, options):
        return pick(options, self.rng.random())


class Attentive(Chancy):
    """Every move depends on all that it was told so far: rules, names, clock, seed, events, states, options, faults."""

    def started(self, match):
        self.heard = sha256()
        told = ("match_id", "game", "version", "rules", "seat", "names", "time_control", "bot_seed")
        self.hear([getattr(match, name) for name in told])
        super().started(match)

    def event(self, kind, payload):
        self.hear([kind, payload])

    def fault(self, kind, reason):
        self.hear([kind])

    def moved(self, state, options):
        self.hear([state, options])
        return pick(options, int.from_bytes(self.heard.digest()[:6]) / 2**48)

    def hear(self, said):
        self.heard.update(json.dumps(said, sort_keys=True).encode())


class First(Chancy):
    """The first move of the first option, always: passes, folds, bids low."""

    def moved(self, state, options):
        return pick(options[:1], 0.0)


class Honest(Chancy):
    """Liar's Dice by its own dice, and well."""

    def moved(self, state, options):
        hand, (face, count) = state["your_hand"], state["last_bid"]
        dice = sum(number for _, number in state["other_hands"])
        if all(option["kind"] != "Bid" for option in options[:1]) and options[0]["form"] == "pass":
            doubtful = count > hand.count(face) + (dice - len(hand)) / 2
            return "challenge" if doubtful and len(options) > 1 else "pass"
        if count == 0:
            face = max(sorted(set(hand)), key=hand.count)
            return [face, hand.count(face)]
        if count > hand.count(face) + (dice - len(hand)) / 3 or count == dice:
            return "challenge"
        bids = [[f, count + (f <= face)] for f in range(1, 7)]
        return max(bids, key=lambda bid: (hand.count(bid[0]) - bid[1], bid))


class Cheeky(Chancy):
    """One move in eight is illegal."""

    def moved(self, state, options):
        return self.illegal() if self.rng.random() < 1 / 8 else super().moved(state, options)

    def illegal(self):
        own_name = self.match.names[self.match.seat]
        return ILLEGAL.get(self.match.game, {"packet": "UseSkipItem", "target": own_name})


class Impudent(Attentive, Cheeky):
    """One move in eight is illegal, and all others depend on what it was told, its faults among that."""

    def moved(self, state, options):
        return self.illegal() if self.rng.random() < 1 / 8 else super().moved(state, options)


class Hopeless(Cheeky):
    """All of its moves are illegal."""

    def moved(self, state, options):
        return self.illegal()


class Rude(Chancy):
    """One answer in eight is no move, and some of those are no JSON."""

    def moved(self, state, options):
        chance = self.rng.random() * 8
        if chance < 1:
            return ("me first", {"move": [1.5]}, object(), "x" * 70_000)[int(chance * 4)]
        return super().moved(state, options)


class Fragile(Chancy):
    """Raises at its third question in one match of three."""

    def started(self, match):
        self.raises_at = 3 if self.rng.random() < 1 / 3 else 0
        super().started(match)

    def moved(self, state, options):
        if self.asked == self.raises_at:
            raise RuntimeError("fragile")
        return super().moved(state, options)


class Doomed(Chancy):
    """Raises at the second question of every match; ends its program, if it could."""

    def moved(self, state, options):
        if self.asked == 2:
            raise SystemExit("doomed")
        return super().moved(state, options)
