"""The JSON Schema of a game: real questions and moves fit it, and others do not."""

from __future__ import annotations

import copy
import json
from random import Random

import attrs
import msgspec
import pytest
from msgspec import Raw
from test_cli import call
from toys import Toy

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.game import CHANCE
from arena.players.codec import Codec
from arena.players.schema import game_schema
from arena.wire.messages import Ask, encode, plain_question

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema validates what `arena schema` prints")

NAMES = ("ann", "bob", "cat", "dan")
SPOILT = (None, True, 2.5, "no such thing", [], {}, [[]])


def validator(game, part):
    schema = game_schema(type(game))
    return jsonschema.Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{part}"}]})


def questions(game, seats, seed, most=100):
    """(codec, state as bytes, options) of a match of random players."""
    rng, state = Random(seed), game.start(seats)
    codecs = [Codec(game, NAMES[:seats], seat) for seat in range(seats)]
    for _ in range(most):
        if not (asked := game.to_act(state)):
            return
        if asked == (CHANCE,):
            moves = {CHANCE: game.draw(state, rng)}
        else:
            moves = {}
            for seat in asked:
                options = game.options(state, seat)
                yield codecs[seat], codecs[seat].encode(game.observe(state, seat)), options
                moves[seat] = rng.choice(options).sample(rng)
        state = game.apply(state, moves).state


def fits(check, value) -> bool:
    return check.is_valid(value)


GAMES_TRIED = [*(GAMES[name]() for name in GAMES), Toy()]


@pytest.mark.parametrize("game", GAMES_TRIED, ids=lambda game: game.name)
def test_questions_of_play_fit_the_schema(game):
    """In both protocols; every key of them is in it, and a question with a key less does not fit."""
    plain, full = validator(game, "question"), validator(game, "ask")
    known = plain.schema["$defs"]["question"]["properties"].keys()
    for number, (codec, state, options) in enumerate(
        questions(game, game.seats[min(1, len(game.seats) - 1)], 1)
    ):
        question = json.loads(plain_question("7", 1, state))
        assert question.keys() == set(known)
        if number % 30:  # validating takes a millisecond
            continue
        plain.validate(question)
        asked = Ask("7", 1, "abc", 1.0, None, Raw(state), Raw(codec.options(options)))
        full.validate(json.loads(encode(asked)))
        for key in question if number == 0 else ():
            assert not fits(plain, {k: v for k, v in question.items() if k != key}), key


@pytest.mark.parametrize("game", GAMES_TRIED, ids=lambda game: game.name)
def test_moves_of_play_fit_the_schema(game):
    """Every kind of legal move; and what no move looks like does not."""
    answer, rng, seen = validator(game, "answer"), Random(2), set()
    for codec, _, options in questions(game, game.seats[0], 2, most=150):
        for option in options:
            if option.move in seen and rng.random() < 0.98:
                continue
            seen.add(option.move)
            move = json.loads(msgspec.json.encode(codec.move_json(option.sample(rng))))
            answer.validate({"message_id": "1", "move": move})
            answer.validate({"message_id": 1, "move": move})
            if isinstance(move, list):
                assert not fits(answer, {"message_id": 1, "move": [*move, 1]})
    assert seen
    for wrong in SPOILT:
        assert not fits(answer, {"message_id": "1", "move": wrong}), wrong
    assert not fits(answer, {"move": move})


@pytest.mark.slow
def test_the_schema_is_a_schema():
    """Of the dialect that it names."""
    for game in GAMES_TRIED:
        jsonschema.Draft202012Validator.check_schema(game_schema(type(game)))


def test_what_fields_mean_is_said():
    """By the docstrings below them, and the one of the class."""
    told = game_schema(GAMES["liars-dice"])["$defs"]
    (state,) = [
        part
        for part in told.values()
        if "your_hand" in part.get("properties", {}) and part != told["question"]
    ]
    assert "sorted" in state["properties"]["your_hand"]["description"]
    assert state["properties"]["last_bid"]["prefixItems"] == [{"type": "integer"}] * 2
    assert "yourself" in told["name"]["description"]


def test_a_game_that_does_not_say_what_it_shows():
    """A sentence about its annotation."""

    @attrs.frozen
    class Vague(Toy):
        def observe(self, state, seat):
            return copy.copy(state)

    with pytest.raises(ConfigError, match=r"Vague\.observe does not say what it gives"):
        game_schema(Vague)


def test_the_command(capsys, monkeypatch):
    """It prints the schema."""
    code, out, _ = call(capsys, monkeypatch, "schema", "liars-dice")
    assert 0 == code
    assert game_schema(GAMES["liars-dice"]) == json.loads(out)
