"""What a person at a table is shown: before anything happens, and when a move is asked."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from arena.games import GAMES
from arena.players.codec import Codec, rules_json
from arena.telling.choices import read_choices
from arena.telling.numbering import Numbering
from arena.terminal.link import ServerLink, read_url
from arena.terminal.person import HELP, Person
from arena.testing.games import random_match


def test_the_help_fits_80_columns() -> None:
    assert max(map(len, HELP.splitlines())) < 80


@pytest.mark.parametrize(
    "rules", [{}, {"dice": 2, "faces": 8}, {"dice": 2, "a rule of another version": 1}], ids=str
)
def test_moves_have_the_numbers_of_the_table(rules: dict[str, Any]) -> None:
    """Those of the same match against bots in this process; if the rules are not known here, in their order."""
    game, names = GAMES["liars-dice"](**{key: rules[key] for key in rules if " " not in key}), ("ann", "bob")
    _, dealt = next(random_match(game, 2, Random(1)))
    (who, *_) = game.to_act(dealt.state)
    options = json.loads(Codec(game, names, who).options(game.options(dealt.state, who)))
    is_known = all(" " not in rule for rule in rules)
    expected = Numbering(game if is_known else None, names, who).of(read_choices(options))
    person = Person(link := ServerLink(read_url("http://localhost/api")), link)
    person._table = {
        "game": "liars-dice",
        "rules": {**json.loads(rules_json(game, 2)), **rules},
        "match": {"match_id": "1", "names": names},
        "you": {"nickname": names[who], "options": options},
    }
    assert expected == [number for number, _ in person._clauses()]
