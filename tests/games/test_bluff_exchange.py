"""arena/games/bluff.md shows what is really said: its match is replayed through codec and connections."""

import json
import re
from pathlib import Path
from random import Random

import arena.games
from arena.game import CHANCE, Seat, explain, is_legal
from arena.games.bluff import Bluff, Deal
from arena.games.cards import RANKS, SUITS
from arena.players.codec import Codec
from arena.players.stream import rules_json
from arena.sdk import choose
from arena.wire.connection import Answered, ArenaConnection
from arena.wire.messages import RESERVED_NAMES

TEXT = Path(arena.games.__file__).with_name("bluff.md").read_text(encoding="utf-8")
NAMES = ("alice", "bob")
CLOCK = {"move_s": 1.0, "bank_s": None, "increment_s": 0.0, "margin_s": 0.2, "first_s": 10.0}
PLAIN, FULL = '{"name": "alice"}', '{"type":"hello","protocol":1,"name":"bob"}'


def transcript(text=TEXT):
    """The lines of the recorded match: (arrow or "deal", name, what is said)."""
    block = re.search(r"```\n(deal .*?)```", text, re.DOTALL)
    assert block is not None
    return [tuple(line.split(maxsplit=2)) for line in block[1].splitlines()]


class Table:
    """A match between alice, who is plain, and bob, who is not: notes all that is said."""

    def __init__(self, game, said_by_bots):
        self.game = game
        self.answers = [(name, text) for arrow, name, text in said_by_bots if arrow == "←"]
        self.lines = []
        self.lines_of = {name: ArenaConnection() for name in NAMES}
        self.codecs = {name: Codec(game, NAMES, Seat(seat)) for seat, name in enumerate(NAMES)}
        self.asked_before = set()

    def hear(self, name):
        """The next thing that the bot says."""
        who, text = self.answers.pop(0)
        assert name == who
        self.lines.append(("←", name, text))
        return self.lines_of[name].receive(text.encode() + b"\n")

    def say(self, name, message):
        """What plain bots are told is nothing."""
        if message:
            self.lines.append(("→", name, message.decode().rstrip("\n")))

    def begin(self, name):
        connection, seat = self.lines_of[name], NAMES.index(name)
        self.hear(name)
        self.say(name, connection.welcome(name))
        kept = {"game": self.game.name, "version": self.game.version, "rules": rules_json(self.game)}
        names = {"names": list(NAMES), "time_control": CLOCK, "bot_seed": 42}
        self.say(name, connection.begin_match(match_id="5f21c0a9d3b7", seat=seat, **kept, **names))

    def ask(self, state, seat):
        """Puts the question."""
        name = NAMES[seat]
        time_s = 1.0 if name in self.asked_before else 10.0
        self.asked_before.add(name)
        seen = self.codecs[name].encode(self.game.observe(state, seat))
        options = self.codecs[name].options(self.game.options(state, seat))
        said = self.lines_of[name].ask(state=seen, options=options, time_s=time_s, bank_s=None)
        self.say(name, said)

    def answer(self, state, seat):
        """The move that counts, and the fault if it is not the bot's own."""
        name, options = NAMES[seat], self.game.options(state, seat)
        question = self.lines_of[name].open_id
        (heard,) = self.hear(name)
        assert isinstance(heard, Answered)
        move = self.codecs[name].move(heard.move)
        if is_legal(options, move):
            return move
        self.say(name, self.lines_of[name].fault("illegal", explain(options, move), question))
        return self.game.default(state, seat)

    def tell(self, events):
        for event in events:
            for seat, name in enumerate(NAMES):
                payload = event.seen_by(Seat(seat))
                if payload is not None:
                    self.say(name, self.lines_of[name].event(event.kind, self.codecs[name].encode(payload)))

    def play(self, cards):
        """The whole match; gives its last state."""
        self.lines.append(("deal", *" ".join(cards).split(maxsplit=1)))
        for name in NAMES:
            self.begin(name)
        state, moves = self.game.start(2), {CHANCE: Deal(cards)}
        while True:
            step = self.game.apply(state, moves)
            state = step.state
            self.tell(step.events)
            asked = self.game.to_act(state)
            if not asked:
                break
            for seat in asked:
                self.ask(state, seat)
            moves = {seat: self.answer(state, seat) for seat in asked}
        ranks = dict(zip(NAMES, self.game.ranks(state), strict=True))
        returns = dict(zip(NAMES, self.game.returns(state), strict=True))
        for name in NAMES:
            self.say(name, self.lines_of[name].result(ranks=ranks, returns=returns))
        return state


def test_the_recorded_match_is_what_the_arena_says():
    """Byte for byte the arena says what stands there, and the answers lead from each question to the next."""
    lines = transcript()
    _, first, rest = lines[0]
    table = Table(Bluff(), lines)
    state = table.play((first, *rest.split()))
    assert lines == table.lines
    assert (1, 2) == table.game.ranks(state)
    assert [] == table.answers


def test_the_match_shows_all_that_can_be_said():
    """Every event and every field of a question stands in the tables, and each is in the match."""
    said = "\n".join(text for arrow, _, text in transcript() if arrow == "→")
    for kind in ("dealt", "hand", "play", "unchallenged", "challenge", "match_over"):
        assert f'"kind":"{kind}"' in said
        assert f"| `{kind}` |" in TEXT
    game = Bluff()
    for field in game.observe(game.start(2), None).__attrs_attrs__:
        assert f"`{field.name}`" in TEXT
    assert {"bluff", "pass"} <= set(RESERVED_NAMES)
    assert "`" + "`, `".join(f'"{claim}"' for claim in SUITS) + "`" in TEXT
    assert RANKS[0] in TEXT


def test_random_plays_from_the_options_alone():
    """Under any house rule what `random` makes of the options is a legal move."""
    rng = Random(3)
    for claims in ("sequence", "free_rank", "free_suit"):
        game = Bluff(claims)
        state = game.apply(game.start(3), {CHANCE: game.draw(game.start(3), rng)}).state
        codec = Codec(game, ("a", "b", "c"), Seat(0))
        for _ in range(50):
            options = game.options(state, Seat(0))
            move = choose(json.loads(codec.options(options)), rng)
            assert is_legal(options, codec.move(move))
