"""The contract of a game, under the name by which authors import it; `match.game` has it."""

from arena.match.game import *  # noqa: F403
from arena.match.game import __all__ as __all__
