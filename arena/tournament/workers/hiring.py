"""How a run gets its workers, wherever they are."""

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
"""How many workers a run may lose on this machine, where nothing should ever end one."""
ONE_PROCESS = Hint("workers", "plays on in one process", "1")


Enlist: TypeAlias = Callable[[str], AbstractAsyncContextManager[StartedWorker]]
"""Starts a worker with a given name, which is gone when the context ends."""
Doubt: TypeAlias = Callable[[Entry, float], str | None]
"""Returns what cannot be true of a match that came this long (s) after it was ordered; None: nothing."""


@attrs.frozen
class Hiring:
    """How the workers of a run are started, and what is expected of them."""

    enlist: Enlist
    is_afar: bool = False
    """Whether the workers are on other machines, which have none of our files; how many come is not our
    choice, so play begins with the first."""
    calibrates: bool = False
    """Whether workers are refused whose machines are not about as fast as this one."""
    begin_s: float = BEGIN_S
    lost_max: int = LOST_MAX
    otherwise: Hint = ONE_PROCESS
    """What to do if workers are lost again and again."""
    doubt: Doubt = lambda entry, wait_s: None
    """Examines each match before it is booked.  Workers that are our children are believed."""


CHILDREN = Hiring(enlist_child)
"""The way to start workers as children of this process."""
