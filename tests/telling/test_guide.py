"""Rules as a person tells them: every game has some, true to its house rules, and found beside it."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pytest

from arena.errors import ConfigError
from arena.game import OneOf
from arena.games import GAMES
from arena.games.liars_dice import LiarsDice
from arena.telling.guide import described, guide_for, guide_of, line_of, paragraphs_of
from arena.tournament.bots.game_source import find_game

KUHN = Path(__file__).parents[2] / "examples" / "kuhn.py"
LINE_MAX = 120


def chosen(game: type[Any]) -> list[dict[str, Any]]:
    """House rules in words, in all of which the game can be told: every one of each pair of words or switches."""
    rules = [
        rule for rule in attrs.fields(game) if isinstance(getattr(rule.validator, "domain", None), OneOf)
    ]
    each = [[(rule.name, value) for value in rule.validator.domain.values] for rule in rules]
    return [dict(pairs) for pairs in product(*each)]


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_are_those_of_the_table(name: str) -> None:
    """Under any house rules nothing is left of the marks, and each value of a rule that is told apart can be."""
    cls = GAMES[name]
    whens = set(re.findall(r"when (\w+) is (\w+): ", guide_of(cls) or ""))
    told = set()
    for rules in chosen(cls):
        try:
            game = cls(**rules, **({"stack": 200} if rules.get("push_or_fold") else {}))
        except ConfigError:
            continue  # house rules that exclude each other
        text = guide_for(game) or ""
        assert not re.search(r"[{}]|when \w+ is \w+:", text)
        told |= {(rule, str(value).lower()) for rule, value in rules.items()}
    assert whens <= told
    assert LINE_MAX >= len(line_of(cls))
    assert {"## How it goes", "## An example", "## What decides"} <= set(paragraphs_of(guide_of(cls) or ""))


def test_values_are_told() -> None:
    guide = guide_for(LiarsDice(dice=3, faces=8, wild_ones=True)) or ""
    assert "Everybody starts with 3 dice" in guide
    assert "twice in 8" in guide
    assert "once in 8" not in guide


def test_a_game_in_one_file_has_them_beside_it(tmp_path: Path) -> None:
    """Without any it is told by its specification."""
    assert "Both put in one chip" in (guide_of(find_game(str(KUHN)).cls) or "")
    alone = tmp_path / "lonely.py"
    alone.write_text(f"{KUHN.read_text()}# another one\n")
    game = find_game(str(alone)).cls
    assert guide_of(game) is None
    assert line_of(game).startswith("Kuhn poker: three cards, one bet.")
    assert "House rule: a player that fails" in described(game)


def test_what_names_no_house_rule_stays_as_it_is(tmp_path: Path) -> None:
    """An author's slip is seen where it is read; nothing fails of it."""
    (tmp_path / "slipped.py").write_text(f"{KUHN.read_text()}# with a slip\n")
    (tmp_path / "slipped.rules.md").write_text("Cards.\n\n- when antes is 2: Two.\n- {antes} chips each.\n")
    assert guide_for(find_game(str(tmp_path / "slipped.py")).cls()) == "Cards.\n\n- {antes} chips each."
