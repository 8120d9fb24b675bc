"""arena/games/chamber.md tells the truth: its exchange is replayed through the real codec and connections."""

import json
import re
from pathlib import Path

import attrs

import arena.games
from arena.clock import Control
from arena.game import CHANCE, Seat, explain, is_legal
from arena.games.chamber import Chamber, Load, Observation, Rebalance
from arena.games.chamber_items import ITEMS
from arena.games.chamber_state import Player
from arena.players.codec import Codec
from arena.players.stream import rules_json
from arena.wire.connection import ArenaConnection

DOCUMENT = Path(arena.games.__file__).with_name("chamber.md").read_text(encoding="utf-8")
NAMES = ("alice", "bob")


class Table:
    """The arena's side of one match, said by hand in the referee's order."""

    def __init__(self):
        self.game = Chamber(lives=1, items_per_round=2)
        self.state = self.game.start(len(NAMES))
        self.connections = [ArenaConnection() for _ in NAMES]
        self.codecs = [Codec(self.game, NAMES, Seat(seat)) for seat in range(len(NAMES))]
        self.asked = set()
        self.unread = {name: [] for name in NAMES}
        """What each was told and the document has not shown yet, as lines."""

    def say(self, seat, octets):
        if octets:
            self.unread[NAMES[seat]].append(octets.decode().rstrip("\n"))

    def hear(self, name, text):
        """A line of the bot: its first words, or an answer; one that is not legal is a fault."""
        seat = NAMES.index(name)
        connection = self.connections[seat]
        if connection.name is None:
            connection.receive(text.encode())
            self.say(seat, connection.welcome(name))
            if all(each.name for each in self.connections):
                self.begin()
            return
        (received,) = connection.receive(text.encode() + b"\n")
        move, options = self.codecs[seat].move(received.move), self.game.options(self.state, Seat(seat))
        if not is_legal(options, move):
            self.say(seat, connection.fault("illegal", explain(options, move), received.message_id))
            move = self.game.default(self.state, Seat(seat))
        self.play({Seat(seat): move})

    def begin(self):
        control, rules = attrs.asdict(Control(move_s=1.0)), rules_json(self.game)
        for seat, connection in enumerate(self.connections):
            about = {"seat": seat, "names": NAMES, "time_control": control, "bot_seed": 2718281828 + seat}
            self.say(
                seat,
                connection.begin_match(
                    match_id="51b0c7d2e6f3", game="chamber", version=1, rules=rules, **about
                ),
            )

    def chance(self, word, text):
        """What chance does, as the document shows it to the reader only."""
        *before, chamber = (part.split() for part in text.split("|"))
        if word == "load":
            move = Load(tuple(tuple(items[1:]) for items in before), tuple(chamber))
        else:
            move = Rebalance(tuple(int(amount) for _, amount in before), tuple(chamber))
        self.play({CHANCE: move})

    def play(self, moves):
        """The turn, what is told of it, and the next questions."""
        step = self.game.apply(self.state, moves)
        self.state = step.state
        for seat, connection in enumerate(self.connections):
            for event in step.events:
                payload = event.seen_by(Seat(seat))
                if payload is not None:
                    self.say(seat, connection.event(event.kind, self.codecs[seat].encode(payload)))
        asked = self.game.to_act(self.state)
        if not asked:
            self.end()
        for seat in asked if asked != (CHANCE,) else ():
            state = self.codecs[seat].encode(self.game.observe(self.state, seat))
            options = self.codecs[seat].options(self.game.options(self.state, seat))
            time_s = 1.0 if seat in self.asked else 10.0  # of an instance's first answer
            self.asked.add(seat)
            self.say(
                seat, self.connections[seat].ask(state=state, options=options, time_s=time_s, bank_s=None)
            )

    def end(self):
        ranks, returns = self.game.ranks(self.state), self.game.returns(self.state)
        by_name = {
            "ranks": dict(zip(NAMES, ranks, strict=True)),
            "returns": dict(zip(NAMES, returns, strict=True)),
        }
        for seat, connection in enumerate(self.connections):
            self.say(seat, connection.result(**by_name))
            self.say(seat, connection.bye("the tournament is over"))


def test_the_recorded_exchange_is_what_the_arena_says():
    """Byte for byte, to a plain bot and to one of the full protocol, each question led to by the answers."""
    table = Table()
    block = re.search(r"```\n(← alice .*?)```", DOCUMENT, re.DOTALL)
    assert block is not None
    for line in block[1].splitlines():
        word, rest = line.split(maxsplit=1)
        name, _, text = rest.partition(" ")
        if word == "→":
            assert table.unread[name].pop(0) == text.strip()
        elif word == "←":
            table.hear(name, text.strip())
        else:
            assert {"alice": [], "bob": []} == table.unread
            table.chance(word, rest)
    assert {"alice": [], "bob": []} == table.unread
    assert table.game.to_act(table.state) == ()
    assert (1, 2) == table.game.ranks(table.state)


def test_every_packet_and_field_is_in_the_document():
    """The tables show every move as the codec reads it, every field of a question, every item."""
    packets = [json.loads(text) for text in re.findall(r"^\| `(\{.*?\})` \|", DOCUMENT, re.MULTILINE)]
    codec = Codec(Chamber(), ("bob", "carol"), Seat(0))
    kinds = {type(codec.move(packet)) for packet in packets}
    assert {kind for kind in Chamber.moves if hasattr(kind, "form")} == kinds
    named = set(re.findall(r"`(\w+)`", DOCUMENT))
    for kind in (Observation, Player):
        assert {field.name for field in attrs.fields(kind)} <= named
    assert set(ITEMS) <= named
