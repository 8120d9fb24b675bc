"""Checks how moves are written in JSON: a form names every field, and its output reads as the same move."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from arena.errors import MalformedAnswer
from arena.match.game import Bare, Game, Items, Tagged
from arena.match.game import Literal as LiteralForm
from arena.players.codec import Codec


def form_of(move: type[Any]) -> Any:
    """The form of a class of moves; None for those that bots may not send."""
    return getattr(move, "form", None)


def check_literals(game: Game[Any, Any]) -> None:
    """Checks that no two moves are the same JSON value."""
    literals = [move.form.value for move in game.moves if isinstance(form_of(move), LiteralForm)]
    assert len(set(literals)) == len(literals), f"two moves are written alike: {literals}"


def check_silent_move(game: Game[Any, Any]) -> None:
    """Checks that the move that says nothing, if there is one, can be sent and has nothing to fill in."""
    move = game.silent_move
    if move is None:
        return
    assert move in game.moves, f"silent_move is {move!r}, which is not a class in moves"
    assert form_of(move) is not None, (
        f"silent_move is {move.__name__}, which has no form: bots may not send it"
    )
    fields = sorted(attrs.fields_dict(move))
    assert not fields, (
        f"silent_move is {move.__name__}, which has fields, and silence fills in none: {fields}"
    )


def check_form(move: type[Any]) -> None:
    """Checks that a form names every field of its move and nothing else."""
    assert attrs.has(move), f"{move.__name__} is not an attrs class"
    form, fields = form_of(move), attrs.fields_dict(move)
    if form is None:
        return
    if isinstance(form, LiteralForm):
        named: set[str] = set()
    elif isinstance(form, Items):
        named = set(form.fields)
    elif isinstance(form, Bare):
        named = {form.field}
    else:
        assert isinstance(form, Tagged), f"{move.__name__} has an unknown form, {form!r}"
        assert set(form.keys) <= set(fields), (
            f"the form of {move.__name__} names fields that it does not have"
        )
        keys = [form.keys.get(name, name) for name in fields]
        assert len({*keys, *form.tags}) == len(keys) + len(form.tags), (
            f"two keys of {move.__name__} are alike"
        )
        named = set(fields)
    assert named == set(fields), (
        f"the form of {move.__name__} names {sorted(named)}, its fields are {sorted(fields)}"
    )


def check_form_of(game: Game[Any, Any], move: Any) -> None:
    """Checks that the move can be read back from its written form."""
    codec = Codec(game, [f"bot-{seat}" for seat in range(game.seats[-1])], None)
    written = msgspec.json.decode(msgspec.json.encode(codec.move_json(move)))
    try:
        found: Any = codec.move(written)
    except MalformedAnswer as error:
        found = error
    assert found == move, f"{move} is written {written!r}, which reads as {found}"
