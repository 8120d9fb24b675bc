"""The contract of a game, under the name by which authors import it; `match.game` has it."""

from __future__ import annotations

from arena.match.game import (
    CHANCE,
    Bare,
    Between,
    Domain,
    Event,
    Form,
    Game,
    IllegalMove,
    Items,
    Literal,
    Names,
    OneOf,
    Option,
    Seat,
    Step,
    Subset,
    Tagged,
    explain,
    is_legal,
    shared_returns,
)

__all__ = [
    "CHANCE",
    "Bare",
    "Between",
    "Domain",
    "Event",
    "Form",
    "Game",
    "IllegalMove",
    "Items",
    "Literal",
    "Names",
    "OneOf",
    "Option",
    "Seat",
    "Step",
    "Subset",
    "Tagged",
    "explain",
    "is_legal",
    "shared_returns",
]
