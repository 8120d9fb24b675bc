"""arena/games/holdem/wire.md shows what is really said: its match is replayed through codec and connections."""

import re

from exchange import Script, block, document

from arena.games.cards import DECK
from arena.games.holdem import Holdem
from arena.games.holdem.moves import Deal

TEXT = document("holdem")
CLOCK = {"move_s": 1.0, "bank_s": None, "increment_s": 0.0, "margin_s": 0.0, "first_s": 10.0}
GAME = Holdem(stack=100, hands=2)


def transcript():
    """The lines of the recorded match: (arrow or "deal", name, what is said)."""
    return [tuple(line.split(maxsplit=2)) for line in block(TEXT, "←")]


def deal(cards):
    """The deal of `AS KD | 7C 7D | 2C …`: two hands and the board, the other cards behind them."""
    alice, bob, board = (part.split() for part in cards.split("|"))
    rest = [card for card in DECK if card not in {*alice, *bob, *board}]
    return Deal((*alice, *bob, *rest[:16], *board, *rest[16:]))


def test_the_recorded_match_is_what_the_arena_says():
    """Byte for byte the arena says what stands there, and the answers lead from each question to the next."""
    lines = transcript()
    table = Script(GAME, lines, match_id="3c6e0b8a9c15", control=CLOCK, seeds=(161803, 161803))
    table.introduce()
    table.play_on(deal)
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
