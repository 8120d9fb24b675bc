"""arena/games/bluff/wire.md shows what is really said: its match is replayed through codec and connections."""

import json
from random import Random

from exchange import Script, block, document

from arena.game import CHANCE, Seat, is_legal
from arena.games.bluff import Bluff
from arena.games.bluff.moves import Deal
from arena.games.cards import RANKS, SUITS
from arena.players.codec import Codec
from arena.sdk import choose

TEXT = document("bluff")
CLOCK = {"move_s": 1.0, "bank_s": None, "increment_s": 0.0, "margin_s": 0.2, "first_s": 10.0}


def transcript():
    """The lines of the recorded match: (arrow or "deal", name, what is said)."""
    return [tuple(line.split(maxsplit=2)) for line in block(TEXT, "deal")]


def deal(cards):
    """All cards in their order."""
    return Deal(tuple(cards.split()))


def test_the_recorded_match_is_what_the_arena_says():
    """Byte for byte the arena says what stands there, and the answers lead from each question to the next."""
    lines = transcript()
    table = Script(Bluff(), lines, match_id="5f21c0a9d3b7", control=CLOCK, seeds=(42, 42))
    first = deal(table.next_deal())  # the document shows it before the two are there
    table.introduce()
    table.play({CHANCE: first})
    table.play_on(deal)
    assert lines == table.lines
    assert (1, 2) == table.game.ranks(table.state)
    assert table.answers == table.deals == []


def test_the_match_shows_all_that_can_be_said():
    """Every event and every field of a question stands in the tables, and each is in the match."""
    said = "\n".join(text for arrow, _, text in transcript() if arrow == "→")
    for kind in ("dealt", "hand", "play", "unchallenged", "challenge", "match_over"):
        assert f'"kind":"{kind}"' in said
        assert f"| `{kind}` |" in TEXT
    game = Bluff()
    for field in game.observe(game.start(2), None).__attrs_attrs__:
        assert f"`{field.name}`" in TEXT
    assert all(f'`"{word}"`' in TEXT for word in Bluff.reserved_names)
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
