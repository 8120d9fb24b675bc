"""arena/games/holdem.md shows what is really said: its match is replayed through codec and connections."""

import re
from pathlib import Path

import arena.games
from arena.game import CHANCE, Seat, explain, is_legal
from arena.games.cards import DECK
from arena.games.holdem import Deal, Holdem
from arena.players.codec import Codec
from arena.players.stream import rules_json
from arena.wire.connection import Answered, ArenaConnection

TEXT = Path(arena.games.__file__).with_name("holdem.md").read_text(encoding="utf-8")
NAMES = ("alice", "bob")
CLOCK = {"move_s": 1.0, "bank_s": None, "increment_s": 0.0, "margin_s": 0.0, "first_s": 10.0}
GAME = Holdem(stack=100, hands=2)


def transcript():
    """The lines of the recorded match: (arrow or "deal", name, what is said)."""
    block = re.search(r"```\n(← .*?)```", TEXT, re.DOTALL)
    assert block is not None
    return [tuple(line.split(maxsplit=2)) for line in block[1].splitlines()]


def deal(cards):
    """The deal of `AS KD | 7C 7D | 2C …`: two hands and the board, the other cards behind them."""
    alice, bob, board = (part.split() for part in cards.split("|"))
    rest = [card for card in DECK if card not in {*alice, *bob, *board}]
    return Deal((*alice, *bob, *rest[:16], *board, *rest[16:]))


class Table:
    """A match between alice, who is plain, and bob, who is not: notes all that is said."""

    def __init__(self, lines):
        self.deals = [f"{name} {text}" for arrow, name, text in lines if arrow == "deal"]
        self.answers = [(name, text) for arrow, name, text in lines if arrow == "←"]
        self.lines, self.state = [], GAME.start(len(NAMES))
        self.connections = {name: ArenaConnection() for name in NAMES}
        self.codecs = {name: Codec(GAME, NAMES, Seat(seat)) for seat, name in enumerate(NAMES)}
        self.answered = set()

    def hear(self, name):
        """What the bot says next."""
        who, text = self.answers.pop(0)
        assert name == who
        self.lines.append(("←", name, text))
        return self.connections[name].receive(text.encode() + b"\n")

    def say(self, name, message):
        """Notes it, unless it is nothing: plain bots get questions only."""
        if message:
            self.lines.append(("→", name, message.decode().rstrip("\n")))

    def begin(self, seat, name):
        connection = self.connections[name]
        self.hear(name)
        self.say(name, connection.welcome(name))
        said = connection.begin_match(
            match_id="3c6e0b8a9c15",
            game=GAME.name,
            version=GAME.version,
            rules=rules_json(GAME),
            seat=seat,
            names=list(NAMES),
            time_control=CLOCK,
            bot_seed=161803,
        )
        self.say(name, said)

    def decide(self, seat):
        """The question, the answer, and the fault where it is not legal; gives the move that counts."""
        name, options = NAMES[seat], GAME.options(self.state, seat)
        connection, codec = self.connections[name], self.codecs[name]
        question = codec.encode(GAME.observe(self.state, seat)), codec.options(options)
        time_s = 1.0 if name in self.answered else 10.0
        self.answered.add(name)
        self.say(name, connection.ask(state=question[0], options=question[1], time_s=time_s, bank_s=None))
        message_id = connection.open_id
        (heard,) = self.hear(name)
        assert isinstance(heard, Answered)
        move = codec.move(heard.move)
        if is_legal(options, move):
            return move
        self.say(name, connection.fault("illegal", explain(options, move), message_id))
        return GAME.default(self.state, seat)

    def play(self):
        """The whole match."""
        for seat, name in enumerate(NAMES):
            self.begin(seat, name)
        while asked := GAME.to_act(self.state):
            if asked == (CHANCE,):
                cards = self.deals.pop(0)
                self.lines.append(("deal", *cards.split(maxsplit=1)))
                moves = {CHANCE: deal(cards)}
            else:
                moves = {seat: self.decide(seat) for seat in asked}
            step = GAME.apply(self.state, moves)
            self.state = step.state
            for event in step.events:
                for seat, name in enumerate(NAMES):
                    payload = event.seen_by(Seat(seat))
                    if payload is not None:
                        said = self.codecs[name].encode(payload)
                        self.say(name, self.connections[name].event(event.kind, said))
        ranks = dict(zip(NAMES, GAME.ranks(self.state), strict=True))
        returns = dict(zip(NAMES, GAME.returns(self.state), strict=True))
        for name in NAMES:
            self.say(name, self.connections[name].result(ranks=ranks, returns=returns))


def test_the_recorded_match_is_what_the_arena_says():
    """Byte for byte the arena says what stands there, and the answers lead from each question to the next."""
    lines = transcript()
    table = Table(lines)
    table.play()
    assert lines == table.lines
    assert table.answers == table.deals == []
    assert GAME.ranks(table.state) == (1, 2)


def test_every_field_and_event_is_explained():
    """The tables name every field of a question, and every event that the match shows."""
    shown = set(re.findall(r'"kind":"([a-z_]+)","payload"', TEXT))
    assert {"hand_started", "hole", "raise", "call", "showdown", "pot", "uncalled", "match_over"} <= shown
    assert not {kind for kind in shown if f"`{kind}`" not in TEXT}
    seen = GAME.observe(GAME.start(2), None)
    parts = (seen, seen.turn, seen.cards, seen.table[0], seen.pots[0])
    fields = {field.name for part in parts for field in part.__attrs_attrs__}
    assert not {field for field in fields if f"`{field}`" not in TEXT}
