"""arena/games/blef/wire.md tells the truth: its exchange is replayed through the real codec and connections."""

import json
import re

import attrs
from exchange import Reading, block, document

from arena.game import CHANCE
from arena.games.blef import Blef
from arena.games.blef.moves import Deal
from arena.games.blef.sets import CARDS, SETS, TEXTS
from arena.match.clock import Control

DOCUMENT = document("blef")


def chance(table, word, text):
    """What the lines without an arrow do: a deal of the hands shown, or rounds that are not shown."""
    if word == "deal":
        table.check_all_is_read()
        hands = [[TEXTS.index(card) for card in cards.split()[1:]] for cards in text.split("|")]
        table.go_on({CHANCE: Deal(deck_of(hands, table.game.max_cards(len(hands))))})
    else:
        assert word == "…"
        skip_rounds(table, int(re.search(r"to (\d+)", text)[1]))


def skip_rounds(table, last):
    """Bob bets the highest set and alice checks it, until this round is over; nobody looks on."""
    while table.state.round_number <= last:
        table.go_on({CHANCE: Deal(tuple(range(len(CARDS))))})
        for seat, action_id in ((1, 87), (0, 88)):
            table.hear(seat, json.dumps({"message_id": table.connections[seat].open_id, "move": action_id}))
    for lines in table.unread.values():
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
    control, seeds = attrs.asdict(Control(move_s=1.0)), (2718281828, 2718281829)
    table = Reading(Blef(), match_id="9f2c4e81a07b", control=control, seeds=seeds)
    table.read(block(DOCUMENT, "← alice"), chance)
    assert table.game.to_act(table.state) == ()
    assert (1, 2) == table.game.ranks(table.state)


def test_the_table_of_sets_is_the_code():
    """The document's ids and names are those of the code, first and last of each kind."""
    rows = re.findall(r"^\| (\d+)–(\d+) \| (.*?) \| (.*?) \|", DOCUMENT, re.MULTILINE)
    assert rows
    for (first, last, one, other), (following, *_) in zip(rows, [*rows[1:], (str(len(SETS)),)], strict=True):
        assert int(following) == int(last) + 1
        assert (SETS[int(first)].name, SETS[int(last)].name) == (one, other)
