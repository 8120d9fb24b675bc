"""arena/games/chamber/wire.md tells the truth: its exchange is replayed through the real codec and connections."""

import json
import re

import attrs
from exchange import Reading, block, document

from arena.game import CHANCE, Seat
from arena.games.chamber import Chamber
from arena.games.chamber.items import ITEMS
from arena.games.chamber.moves import Load, Rebalance
from arena.games.chamber.state import Observation, Player
from arena.match.clock import Control
from arena.players.codec import Codec

DOCUMENT = document("chamber")


def chance(table, word, text):
    """What chance does, as the document shows it to the reader only."""
    table.check_all_is_read()
    *before, chamber = (part.split() for part in text.split("|"))
    if word == "load":
        move = Load(tuple(tuple(items[1:]) for items in before), tuple(chamber))
    else:
        move = Rebalance(tuple(int(amount) for _, amount in before), tuple(chamber))
    table.go_on({CHANCE: move})


def test_the_recorded_exchange_is_what_the_arena_says():
    """Byte for byte, to a plain bot and to one of the full protocol, each question led to by the answers."""
    control, seeds = attrs.asdict(Control(move_s=1.0)), (2718281828, 2718281829)
    game = Chamber(lives=1, items_per_round=2)
    table = Reading(game, match_id="51b0c7d2e6f3", control=control, seeds=seeds)
    table.read(block(DOCUMENT, "← alice"), chance)
    assert game.to_act(table.state) == ()
    assert (1, 2) == game.ranks(table.state)


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
