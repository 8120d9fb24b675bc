"""Any game that gives states which fit what a seat knows (`sample_state`): it draws some, and looks ahead.

It reads what it is told as the game's own values, so it needs the game's code and none of its own.  How it
looks ahead is in `thinking.py` and beside it.  A game that offers no such states it plays at random.
"""

import argparse
import json
from functools import partial
from math import inf
from time import monotonic

from thinking import Thinker

from arena.games import GAMES
from arena.match.game import Acted, Information, Seat
from arena.players.codec import Codec
from arena.players.decoder import Decoder
from arena.sdk import Bot, choose, run
from arena.tournament.bots.game_source import find_game

THINK_S = 0.065  # the most for a decision: on a machine that does other things too, an answer takes longer
SHARE = 0.65  # the most of the limit of a shorter move
MOVES_OF_BANK = 400  # for so many moves the time of a whole match must do


class Search(Bot):
    name = "search"
    version = "3"

    def __init__(self, game=None, rounds=0):
        """`game`: the class of one that is not built in; `rounds`: how long to think, instead of a time."""
        self.known = dict(GAMES) if game is None else {**GAMES, game.name: game}
        self.rounds = rounds

    def started(self, match):
        kind = self.known.get(match.game)
        self.past, self.thinker = [], None
        if kind is None:
            return
        rules = {key: tuple(each) if isinstance(each, list) else each for key, each in match.rules.items()}
        game, seat = kind(**rules), Seat(match.seat)
        self.decoder, self.codec = Decoder(game, match.names, seat), Codec(game, match.names, seat)
        self.information = partial(Information, seat, len(match.names))
        self.thinker = Thinker(game, seat, len(match.names))

    def event(self, kind, payload):
        if self.thinker is not None and payload is not None:
            self.past.append(self.decoder.told(kind, payload))

    def move(self, state, options):
        if self.thinker is None:
            return choose(options, self.rng)
        seen = self.decoder.observation(state)
        end = inf if self.rounds else monotonic() + self.time_s()
        move = self.thinker.move(self.information(seen, tuple(self.past)), self.rng, end, self.rounds)
        if move is None:
            said = choose(options, self.rng)
            move = self.codec.move(said)
        self.past.append(Acted(seen, move))
        return json.loads(json.dumps(self.codec.move_json(move)))  # lists, as others send them

    def fault(self, kind, reason):
        """What it meant to do did not count: the default move was made instead."""
        places = [place for place, each in enumerate(self.past) if isinstance(each, Acted)]
        if self.thinker is not None and places:
            seen, _ = self.past[places[-1]]
            before = self.information(seen, tuple(self.past[: places[-1]]))
            self.past[places[-1]] = Acted(seen, self.thinker.default(before, self.rng))

    def time_s(self):
        """How long it may think about a move."""
        control = self.match.time_control
        limit, bank = control.get("move_s"), control.get("bank_s")
        each = [] if bank is None else [bank / MOVES_OF_BANK + control.get("increment_s", 0) * SHARE]
        return min([THINK_S, *([] if limit is None else [limit * SHARE]), *each])


def from_arguments():
    """The bot that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", help="a game that is not built in: a .py file, or module:Class")
    parser.add_argument("--rounds", type=int, default=0, help="think so long, whatever the clock says")
    asked = parser.parse_args()
    return Search(find_game(asked.game).cls if asked.game else None, asked.rounds)


if __name__ == "__main__":
    run(from_arguments())
