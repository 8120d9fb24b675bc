"""The Python SDK: write a class with a `move`, call `run`; see bots/README.md.

It knows nothing of the arena but the wire.
"""

from arena.sdk.bot import Bot
from arena.sdk.moves import choose, every
from arena.sdk.session import run

__all__ = ["Bot", "choose", "every", "run"]
