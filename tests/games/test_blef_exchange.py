"""arena/games/blef.md tells the truth: its exchange is replayed through the real codec and connections."""

import json
import re
from pathlib import Path

import attrs

import arena.games
from arena.clock import Control
from arena.game import CHANCE, Seat, explain, is_legal
from arena.games.blef import Blef, Deal
from arena.games.blef_sets import CARDS, SETS, TEXTS
from arena.players.codec import Codec
from arena.players.stream import rules_json
from arena.wire.connection import ArenaConnection

DOCUMENT = Path(arena.games.__file__).with_name("blef.md").read_text(encoding="utf-8")
NAMES = ("alice", "bob")


class Table:
    """The arena's side of one match, said by hand in the referee's order."""

    def __init__(self):
        self.game = Blef()
        self.state = self.game.start(len(NAMES))
        self.connections = [ArenaConnection() for _ in NAMES]
        self.codecs = [Codec(self.game, NAMES, Seat(seat)) for seat in range(len(NAMES))]
        self.unread = {name: [] for name in NAMES}
        """What each was told and the document has not shown yet, as lines."""

    def say(self, seat, octets):
        if octets:
            self.unread[NAMES[seat]].append(octets.decode().rstrip("\n"))

    def introduced(self, seat, text):
        """The bot's first words; once all have come the match begins."""
        connection = self.connections[seat]
        connection.receive(text.encode())
        self.say(seat, connection.welcome(NAMES[seat]))
        if all(each.name for each in self.connections):
            for other, each in enumerate(self.connections):
                control, seed = attrs.asdict(Control(move_s=1.0)), 2718281828 + other
                about = {"seat": other, "names": NAMES, "time_control": control, "bot_seed": seed}
                begun = each.begin_match(
                    match_id="9f2c4e81a07b", game="blef", version=1, rules=rules_json(self.game), **about
                )
                self.say(other, begun)

    def answered(self, seat, text):
        """An answer; one that is not legal is a fault, and the default is played."""
        (received,) = self.connections[seat].receive(text.encode() + b"\n")
        move, options = self.codecs[seat].move(received.move), self.game.options(self.state, Seat(seat))
        if not is_legal(options, move):
            reason = explain(options, move)
            self.say(seat, self.connections[seat].fault("illegal", reason, received.message_id))
            move = self.game.default(self.state, Seat(seat))
        self.play({Seat(seat): move})

    def dealt(self, text):
        """A deal from the hands that the document shows."""
        hands = [[TEXTS.index(card) for card in cards.split()[1:]] for cards in text.split("|")]
        self.play({CHANCE: Deal(deck_of(hands, self.game.max_cards(len(hands))))})

    def play(self, moves):
        """The turn, what is told of it, and the next question."""
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
        elif asked != (CHANCE,):
            (seat,) = asked
            state = self.codecs[seat].encode(self.game.observe(self.state, seat))
            options = self.codecs[seat].options(self.game.options(self.state, seat))
            time_s = 10.0 if self.state.round_number == 1 else 1.0  # of an instance's first answer
            asking = self.connections[seat].ask(state=state, options=options, time_s=time_s, bank_s=None)
            self.say(seat, asking)

    def end(self):
        ranks, returns = self.game.ranks(self.state), self.game.returns(self.state)
        for seat, connection in enumerate(self.connections):
            by_name = {"ranks": dict(zip(NAMES, ranks, strict=True))}
            by_name["returns"] = dict(zip(NAMES, returns, strict=True))
            self.say(seat, connection.result(**by_name))
            self.say(seat, connection.bye("the tournament is over"))

    def skip_rounds(self, last):
        """Bob bets the highest set and alice checks it, until this round is over; nobody looks on."""
        while self.state.round_number <= last:
            self.play({CHANCE: Deal(tuple(range(len(CARDS))))})
            for seat, action_id in ((1, 87), (0, 88)):
                answer = {"message_id": self.connections[seat].open_id, "move": action_id}
                self.answered(seat, json.dumps(answer))
        for lines in self.unread.values():
            lines.clear()


def deck_of(hands, stretch):
    """A deck that deals these hands."""
    left = [number for number in range(len(CARDS)) if not any(number in hand for hand in hands)]
    deck = []
    for hand in hands:
        deck += [*hand, *(left.pop() for _ in range(stretch - len(hand)))]
    return (*deck, *left)


def test_the_recorded_exchange_is_what_the_arena_says():
    """Byte for byte, to a plain bot and to one of the full protocol; answers lead from line to line."""
    table = Table()
    block = re.search(r"```\n(← alice .*?)```", DOCUMENT, re.DOTALL)
    assert block is not None
    for line in block[1].splitlines():
        word, _, rest = line.partition(" ")
        name, _, text = rest.strip().partition(" ")
        if word == "deal":
            assert {"alice": [], "bob": []} == table.unread
            table.dealt(rest)
        elif word == "…":
            table.skip_rounds(int(re.search(r"to (\d+)", rest)[1]))
        elif word == "→":
            assert table.unread[name].pop(0) == text.strip()
        elif table.connections[NAMES.index(name)].name is None:
            table.introduced(NAMES.index(name), text.strip())
        else:
            table.answered(NAMES.index(name), text.strip())
    assert {"alice": [], "bob": []} == table.unread
    assert table.game.to_act(table.state) == ()
    assert (1, 2) == table.game.ranks(table.state)


def test_the_table_of_sets_is_the_code():
    """The document's ids and names are those of the code, first and last of each kind."""
    rows = re.findall(r"^\| (\d+)–(\d+) \| (.*?) \| (.*?) \|", DOCUMENT, re.MULTILINE)
    assert rows
    for (first, last, one, other), (following, *_) in zip(rows, [*rows[1:], (str(len(SETS)),)], strict=True):
        assert int(following) == int(last) + 1
        assert (SETS[int(first)].name, SETS[int(last)].name) == (one, other)
