"""The arena's side of a match between alice, who is plain, and bob, who is not, for exchanges in documents.

The lines of a document come in one of two ways: a `Script` says the whole match and is compared line
for line, in the order of the document; a `Reading` follows a document that shows what each of the two
is told where it explains it, so the order is compared for each of them alone.
"""

import re
from pathlib import Path

import arena.games
from arena.game import CHANCE, Seat, explain, is_legal
from arena.players.codec import Codec, rules_json
from arena.wire.connection import ArenaConnection
from arena.wire.states import Answered

NAMES = ("alice", "bob")


def document(folder):
    """What a game's folder says of it on the wire."""
    return (Path(arena.games.__file__).parent / folder / "wire.md").read_text(encoding="utf-8")


def block(text, beginning):
    """The lines of the block that begins so."""
    found = re.search(rf"```\n({beginning} .*?)```", text, re.DOTALL)
    assert found is not None, f"no block begins with {beginning!r}"
    return found[1].splitlines()


class Table:
    """One match, said by hand in the referee's order.

    `match_id`, `control` and `seeds` (by seat) are those that the document shows.
    """

    def __init__(self, game, *, match_id, control, seeds):
        self.game, self.state = game, game.start(len(NAMES))
        self.match_id, self.control, self.seeds = match_id, control, seeds
        self.connections = [ArenaConnection() for _ in NAMES]
        self.codecs = [Codec(game, NAMES, Seat(seat)) for seat in range(len(NAMES))]
        self.asked = set()

    def note(self, name, text):
        """What the arena says to a bot comes here."""
        raise NotImplementedError

    def say(self, seat, octets):
        """Notes it, unless it is nothing: plain bots get questions only."""
        if octets:
            self.note(NAMES[seat], octets.decode().rstrip("\n"))

    def welcome(self, seat, octets):
        """A bot's first words, and what it is told then."""
        self.connections[seat].receive(octets)
        self.say(seat, self.connections[seat].welcome(NAMES[seat]))

    def begin(self, seat):
        begun = self.connections[seat].begin_match(
            match_id=self.match_id,
            game=self.game.name,
            version=self.game.version,
            rules=rules_json(self.game, len(NAMES)),
            seat=seat,
            names=NAMES,
            time_control=self.control,
            bot_seed=self.seeds[seat],
        )
        self.say(seat, begun)

    def ask(self, seat):
        """Puts the question."""
        codec = self.codecs[seat]
        state = codec.encode(self.game.observe(self.state, seat))
        options = codec.options(self.game.options(self.state, seat))
        time_s = 1.0 if seat in self.asked else 10.0  # of an instance's first answer
        self.asked.add(seat)
        self.say(seat, self.connections[seat].ask(state=state, options=options, time_s=time_s, bank_s=None))

    def judge(self, seat, octets):
        """The move that counts for this answer, and the fault if it is not the bot's own."""
        connection, options = self.connections[seat], self.game.options(self.state, Seat(seat))
        (received,) = connection.receive(octets)
        assert isinstance(received, Answered), received
        move = self.codecs[seat].move(received.move)
        if is_legal(options, move):
            return move
        self.say(seat, connection.fault("illegal", explain(options, move), received.message_id))
        return self.game.default(self.state, Seat(seat))

    def play(self, moves):
        """The turn, and what is told of it."""
        step = self.game.apply(self.state, moves)
        self.state = step.state
        for event in step.events:
            for seat, connection in enumerate(self.connections):
                payload = event.seen_by(Seat(seat))
                if payload is not None:
                    self.say(seat, connection.event(event.kind, self.codecs[seat].encode(payload)))

    def result(self, seat):
        ranks, returns = self.game.ranks(self.state), self.game.returns(self.state)
        by_name = {"ranks": dict(zip(NAMES, ranks, strict=True))}
        by_name["returns"] = dict(zip(NAMES, returns, strict=True))
        self.say(seat, self.connections[seat].result(**by_name))


class Script(Table):
    """A match from the answers and deals of (arrow or "deal", name, text); notes all lines in order."""

    def __init__(self, game, lines, **about):
        super().__init__(game, **about)
        self.answers = [(name, text) for arrow, name, text in lines if arrow == "←"]
        self.deals = [f"{first} {rest}" for word, first, rest in lines if word == "deal"]
        self.lines = []

    def note(self, name, text):
        self.lines.append(("→", name, text))

    def hear(self, seat):
        """What the bot says next."""
        name, text = self.answers.pop(0)
        assert NAMES[seat] == name, f"{NAMES[seat]} is to speak, but {name} says {text}"
        self.lines.append(("←", name, text))
        return text.encode() + b"\n"

    def next_deal(self):
        """What is dealt next."""
        cards = self.deals.pop(0)
        self.lines.append(("deal", *cards.split(maxsplit=1)))
        return cards

    def introduce(self):
        for seat in range(len(NAMES)):
            self.welcome(seat, self.hear(seat))
            self.begin(seat)

    def play_on(self, read_deal):
        """From here to the results."""
        while asked := self.game.to_act(self.state):
            if asked == (CHANCE,):
                self.play({CHANCE: read_deal(self.next_deal())})
            else:
                for seat in asked:
                    self.ask(seat)
                self.play({seat: self.judge(seat, self.hear(seat)) for seat in asked})
        for seat in range(len(NAMES)):
            self.result(seat)


class Reading(Table):
    """A match that goes on as its document is read."""

    def __init__(self, game, **about):
        super().__init__(game, **about)
        self.unread = {name: [] for name in NAMES}
        """What each was told and the document has not shown yet, as lines."""

    def note(self, name, text):
        self.unread[name].append(text)

    def read(self, lines, chance):
        """Follows the document; `chance(table, word, text)` does what its lines without an arrow say."""
        for line in lines:
            word, rest = line.split(maxsplit=1)
            name, _, text = rest.partition(" ")
            if word == "→":
                expected, shown = self.unread[name].pop(0), text.strip()
                assert expected == shown, f"\nthe arena says {expected}\nthe document  {shown}"
            elif word == "←":
                self.hear(NAMES.index(name), text.strip())
            else:
                chance(self, word, rest)
        self.check_all_is_read()

    def check_all_is_read(self):
        assert {name: [] for name in NAMES} == self.unread, f"told, but not shown: {self.unread}"

    def hear(self, seat, text):
        """A line of the bot: its first words, after which the match may begin, or an answer."""
        if self.connections[seat].name is not None:
            self.go_on({Seat(seat): self.judge(seat, text.encode() + b"\n")})
            return
        self.welcome(seat, text.encode())
        if all(each.name for each in self.connections):
            for other in range(len(NAMES)):
                self.begin(other)

    def go_on(self, moves):
        """The turn, what is told of it, and the next questions, or the end."""
        self.play(moves)
        asked = self.game.to_act(self.state)
        for seat in asked if asked != (CHANCE,) else ():
            self.ask(seat)
        if not asked:
            for seat, connection in enumerate(self.connections):
                self.result(seat)
                self.say(seat, connection.bye("the tournament is over"))
