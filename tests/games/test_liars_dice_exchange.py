"""arena/games/liars_dice/wire.md shows what is really said: its match is replayed through the real codec."""

import json
import re

from exchange import NAMES, document

from arena.game import CHANCE, Seat, is_legal
from arena.games.liars_dice import LiarsDice
from arena.games.liars_dice.moves import Roll
from arena.players.codec import Codec

TEXT = document("liars_dice")


def exchange():
    """The lines of the recorded exchange: (arrow or "dice", name or all hands, JSON text)."""
    block = re.search(r"```\n(dice .*?)```", TEXT, re.DOTALL)
    assert block is not None
    for line in block[1].splitlines():
        if line.startswith("dice"):
            yield "dice", [[int(die)] for die in re.findall(r"\d", line)], ""
        else:
            arrow, name, text = line.split(maxsplit=2)
            yield arrow, name, text


def test_the_recorded_exchange_is_what_the_engine_says():
    """Questions are the engine's, key for key, and the answers lead from each to the next."""
    game = LiarsDice(dice=1)
    codecs = {name: Codec(game, NAMES, Seat(seat)) for seat, name in enumerate(NAMES)}
    state, asked, ids, answers = game.start(2), [], dict.fromkeys(NAMES, 0), {}
    for arrow, name, text in exchange():
        if arrow == "dice":
            state = game.apply(state, {CHANCE: Roll(tuple(map(tuple, name)))}).state
        elif arrow == "→":
            ids[name] += 1
            asked.append(Seat(NAMES.index(name)))
            observation = json.loads(codecs[name].encode(game.observe(state, asked[-1])))
            assert json.loads(text) == {"message_id": str(ids[name]), "game_number": 1, **observation}
        else:
            seat, answer = Seat(NAMES.index(name)), json.loads(text)
            assert str(ids[name]) == answer["message_id"]
            move = codecs[name].move(answer["move"])
            legal = is_legal(game.options(state, seat), move)
            answers[seat] = move if legal else game.default(state, seat)
        if asked and len(answers) == len(asked):
            assert game.to_act(state) == tuple(asked)
            state = game.apply(state, answers).state
            asked, answers = [], {}
    assert game.to_act(state) == ()
    assert game.ranks(state) == (2, 1)
