"""How a run comes by its workers, wherever these are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

import attrs

from arena.errors import Hint
from arena.match.record import Entry
from arena.tournament.workers.local import enlist_child
from arena.tournament.workers.post import StartedWorker

BEGIN_S = 60.0
"""How long a worker may take until it is ready: it imports the arena, and reads the bots' files."""
LOST_MAX = 20
"""So many workers may be lost in a run on this machine, where nothing should ever end one."""
ONE_PROCESS = Hint("workers", "plays on in one process", "1")


Enlist: TypeAlias = Callable[[str], AbstractAsyncContextManager[StartedWorker]]
"""Starts the worker of this name; it is gone when the context ends."""
Doubt: TypeAlias = Callable[[Entry, float], str | None]
"""What cannot be of a match that came so many seconds after it was ordered; None: nothing was found."""


@attrs.frozen
class Hiring:
    """How the workers of a run are started, and what may be asked of them."""

    enlist: Enlist
    is_afar: bool = False
    """Whether they are on other machines: they have none of our files, and their number is not ours to
    choose.  Play begins with the first of them."""
    calibrates: bool = False
    """Whether those are refused whose machine is not about as fast as this one."""
    begin_s: float = BEGIN_S
    lost_max: int = LOST_MAX
    otherwise: Hint = ONE_PROCESS
    """What to do if workers are lost again and again."""
    doubt: Doubt = lambda entry, wait_s: None
    """Looks at each match before it is booked.  Workers that are our children are believed."""


CHILDREN = Hiring(enlist_child)
"""Workers that are children of this process."""

__all__ = ["CHILDREN", "Doubt", "Enlist", "Hiring"]
