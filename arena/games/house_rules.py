"""House rules that refuse wrong values: the validator that every game's fields use."""

from __future__ import annotations

from typing import Any

import attrs

from arena.errors import ConfigError
from arena.game import Between, Game, OneOf


@attrs.frozen
class Accepts:
    """An attrs validator: the value must be in `domain` and of its type; `str()` says what is accepted.

    `dice: int = attrs.field(default=5, validator=Accepts(Between(1, 20)))`
    """

    domain: Between | OneOf

    def __call__(self, game: Any, rule: attrs.Attribute[Any], value: object) -> None:
        """Raises ConfigError, which names game, rule, value and accepted values, if the value is wrong."""
        if not self._has(value):
            raise ConfigError(
                f"House rule {rule.name} of {game.name} is {_spelt(value)}, but must be {self}."
            )

    def _has(self, value: object) -> bool:
        # By exact type first: True is an int, and 1 == True, but neither may stand for the other.
        values = (0,) if isinstance(self.domain, Between) else self.domain.values
        return type(value) in {type(each) for each in values} and value in self.domain

    def __str__(self) -> str:
        if isinstance(self.domain, Between):
            return f"a whole number, {self.domain}"
        return " or ".join(_spelt(value) for value in self.domain.values)


@attrs.frozen
class AcceptsEach:
    """An attrs validator: the value must be a tuple of whole numbers in `domain`; it may be empty.

    `stacks: tuple[int, ...] = attrs.field(default=(), validator=AcceptsEach(Between(1, 100)))`
    """

    domain: Between

    def __call__(self, game: Any, rule: attrs.Attribute[Any], value: object) -> None:
        """Raises ConfigError, which names game, rule, the first wrong number and those accepted."""
        if type(value) is not tuple:
            raise ConfigError(f"House rule {rule.name} of {game.name} must be a tuple: {self}.")
        for place, number in enumerate(value, 1):
            if type(number) is not int or number not in self.domain:
                raise ConfigError(
                    f"House rule {rule.name} of {game.name} has {_spelt(number)} in place {place}, "
                    f"but must be {self}."
                )

    def __str__(self) -> str:
        return f"whole numbers, {self.domain}, or none"


def check_seats(game: Game[Any, Any], seats: int) -> None:
    """Raises ConfigError if the game cannot be played by this many seats."""
    if seats not in game.seats:
        raise ConfigError(
            f"{game.name} is played by {game.seats[0]} to {game.seats[-1]} seats, but {seats} were asked for."
        )


def _spelt(value: object) -> str:
    """The value as a plan file spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > 1000:
        return "a huge number"  # `repr` refuses numbers of more than 4300 digits
    return f'"{value}"' if isinstance(value, str) else repr(value)
