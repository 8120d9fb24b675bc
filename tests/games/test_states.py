"""`changed` is `attrs.evolve`, only quicker."""

import attrs
import pytest

from arena.game import Seat
from arena.games import GAMES
from arena.games.states import changed


@pytest.mark.parametrize("name", GAMES)
def test_the_fields_named_change_and_no_others(name):
    """What `attrs.evolve` gives, and the state before is as it was."""
    before = GAMES[name]().start(2)
    field = next(iter(attrs.fields_dict(type(before))))
    after = changed(before, **{field: "other"})
    assert attrs.evolve(before, **{field: "other"}) == after
    assert GAMES[name]().start(2) == before
    assert "other" == getattr(after, field)


def test_the_next_state_is_frozen_too():
    """It is made without its `__init__`, but is of the same class."""
    after = changed(GAMES["blef"]().start(2), on_turn=Seat(1))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        after.on_turn = Seat(0)
    assert hash(after) != hash(changed(after, on_turn=Seat(0)))


def test_a_field_that_is_not_there_is_refused():
    """A typing error does not become a field."""
    with pytest.raises(AssertionError, match=r"State does not have all the fields .*'on_trun'"):
        changed(GAMES["blef"]().start(2), on_trun=Seat(1))
