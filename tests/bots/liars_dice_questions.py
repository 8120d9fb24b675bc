"""Questions of Liar's Dice, what may be answered to them, and means to ask them of bots in any language."""

import json
import os
import socket
import subprocess
from pathlib import Path
from random import Random

import attrs

import arena
from arena.match.game import CHANCE, Seat, is_legal
from arena.players.codec import Codec
from arena.schedule import derive_seed
from arena.wire.messages import Ask, EventMessage, Match, encode

HOUSE = Path(arena.__file__).parents[1]
BOTS = HOUSE / "bots"


def question(hand, seats, bid=(0, 0), bidder="not_available", **more):
    """A state as bots see it; `seats` in playing order, as in `other_hands`."""
    return {
        "round_number": 2,
        "move_number": 1 if bid == (0, 0) else 3,
        "your_hand": list(hand),
        "other_hands": [list(seat) for seat in seats],
        "last_move": "challenge_made" if bid == (0, 0) else "bid_made",
        "last_bid": list(bid),
        "last_bidder": bidder,
        "last_loser": "bob",
        "last_challenger": "yourself",
        **more,
    }


def me(dice):
    return ("yourself", dice)


TEN = [me(5), *((f"bot-{number}", 5) for number in range(9))]
ODD = 'a "}{][\\" \u00fc\u6f22 \\'

QUESTIONS = {
    "the first bid": question((1, 2, 3, 4, 5), [me(5), ("bob", 5)]),
    "the first bid of the last dice": question((1,), [me(1), ("bob", 1)]),
    "five equal dice": question((6, 6, 6, 6, 6), [me(5), ("bob", 1)]),
    "an ordinary bid": question((2, 2, 3, 5, 6), [me(5), ("bob", 5)], (2, 3), "bob"),
    "an impossible bid": question((2, 2, 3, 5, 6), [me(5), ("bob", 1)], (4, 5), "bob"),
    "no higher bid is left": question((6, 6), [me(2), ("bob", 1)], (6, 3), "bob"),
    "one higher bid is left": question((6, 6), [me(2), ("bob", 1)], (5, 3), "bob"),
    "a bid it knows to be true": question((4, 4, 4), [me(3), ("bob", 2)], (4, 3), "bob"),
    "off turn before the first bid": question((1, 2), [("bob", 5), me(2), ("cem", 1)]),
    "off turn under its own bid": question((1, 2), [("bob", 5), me(2)], (1, 6), "yourself"),
    "off turn, likely": question((3, 3), [("cem", 5), me(2), ("bob", 5)], (3, 2), "bob"),
    "off turn, impossible": question((1, 2), [("cem", 1), me(2), ("bob", 1)], (6, 4), "bob"),
    "off turn, the highest bid": question((6,), [("cem", 1), me(1), ("bob", 1)], (6, 3), "bob"),
    "ten seats": question((1, 1, 2, 5, 6), TEN, (3, 9), "bot-8"),
    "ten seats, off turn": question((1, 1, 2, 5, 6), TEN[1:] + TEN[:1], (3, 49), "bot-8"),
    "ten seats, the first bid": question((1, 1, 2, 5, 6), TEN),
    "names that look like JSON": question((1, 6), [me(2), (ODD, 3)], (5, 1), ODD, last_loser=ODD),
    "a field it does not know": question(
        (1, 6), [me(2), ("bob", 3)], (5, 1), "bob", more={"a": [{"]": None}]}
    ),
}


def may_answer(state, move, faces=6):
    """Whether the rules allow the move: RULES.md, written down a second time."""
    on_turn = state["other_hands"][0][0] == "yourself"
    (last_face, last_count) = state["last_bid"]
    if move == "challenge":
        return last_count > 0 and state["last_bidder"] != "yourself"
    if move == "pass":
        return not on_turn
    face, count = move
    higher = count > last_count or (count == last_count and face > last_face)
    in_play = sum(dice for _, dice in state["other_hands"])
    return on_turn and higher and 1 <= face <= faces and 1 <= count <= in_play


class RemoteBot:
    """A bot's process, and our end of the connection to it."""

    def __init__(self, command, folder, *, ends_lines=True, **environment):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(20)
            environment = {
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(HOUSE),
                "ARENA_HOST": "127.0.0.1",
                "ARENA_PORT": str(listener.getsockname()[1]),
                **environment,
            }
            self.process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE)
            self.connection, _ = listener.accept()
        self.connection.settimeout(20)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ends_lines = ends_lines
        self.lines = self.connection.makefile("rb")
        self.greeting = self.read()

    def read(self):
        """The next object from the bot; of one that ends no lines, the next chunk."""
        return json.loads(self.lines.readline() if self.ends_lines else self.connection.recv(65536))

    def send(self, data):
        self.connection.sendall(data)

    def ask(self, number, state):
        """The move it answers."""
        self.send(plain(number, state))
        answer = self.read()
        assert str(number) == answer["message_id"]
        return answer["move"]

    def hang_up(self):
        """Closes the connection; gives the exit code and what stands on standard error."""
        self.lines.close()
        self.connection.close()
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors.decode()

    def end(self):
        self.process.kill()
        self.process.communicate()
        self.lines.close()
        self.connection.close()


def plain(number, state, **layout):
    """A question of the plain protocol as bytes."""
    return json.dumps({"message_id": str(number), "game_number": 1, **state}, **layout).encode() + b"\n"


# Whole matches, in this process.


class PlainSeat:
    """A remote bot in the shape of the SDK's: what it is asked goes over its connection."""

    def __init__(self, remote):
        self.remote, self.asked = remote, 0

    def begin(self, match):
        pass

    def event(self, kind, payload):
        pass

    def move(self, state, options):
        self.asked += 1
        return self.remote.ask(self.asked, state)


class FullSeat(PlainSeat):
    """The same over the full protocol."""

    def begin(self, match):
        self.remote.send(encode(match))

    def event(self, kind, payload):
        self.remote.send(encode(EventMessage("m", kind, payload)))

    def move(self, state, options):
        self.asked += 1
        self.remote.send(encode(Ask(str(self.asked), 1, "m", 1.0, None, state, options)))
        answer = self.remote.read()
        assert answer["message_id"] == str(self.asked)
        return answer["move"]


def play(game, bots, seed):
    """The ranks of one match; asserts on the way that every answer is legal."""
    names = [f"bot-{seat}" for seat in range(len(bots))]
    codecs = [Codec(game, names, Seat(seat)) for seat in range(len(bots))]
    for seat, bot in enumerate(bots):
        rules = attrs.asdict(game)
        bot.begin(Match("m", 1, game.name, 1, rules, seat, names, {}, str(derive_seed(seed, "bot", seat))))
    state = game.start(len(bots))
    while asked := game.to_act(state):
        if asked == (CHANCE,):
            rng = Random(derive_seed(seed, *game.chance_key(state)))
            moves = {CHANCE: game.draw(state, rng)}
        else:
            moves = {seat: answer(game, state, seat, codecs[seat], bots[seat]) for seat in asked}
        step = game.apply(state, moves)
        state = step.state
        for event in step.events:
            for seat, bot in enumerate(bots):
                bot.event(event.kind, json.loads(codecs[seat].encode(event.seen_by(Seat(seat)))))
    return game.ranks(state)


def answer(game, state, seat, codec, bot):
    options = game.options(state, seat)
    seen, allowed = codec.encode(game.observe(state, seat)), codec.options(options)
    move = bot.move(json.loads(seen), json.loads(allowed))
    assert is_legal(options, codec.move(json.loads(json.dumps(move)))), (seen, move)
    return codec.move(move)
