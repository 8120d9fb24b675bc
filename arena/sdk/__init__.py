"""The Python SDK: write a class with a `move`, call `run`; see bots/README.md.

It knows only the wire of the arena.
"""

from arena.sdk.bot import Bot
from arena.sdk.moves import allows, choose, every
from arena.sdk.session import rehearse, run

__all__ = ["Bot", "allows", "choose", "every", "rehearse", "run"]
