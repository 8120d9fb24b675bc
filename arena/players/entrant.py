"""A bot that takes part, and everything needed to start it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import attrs

from arena.box.limits import MEMORY_MB
from arena.errors import Hint

Kind: TypeAlias = Literal["process", "local", "remote", "broken"]

TransportKind: TypeAlias = Literal["tcp", "stdio"]

Restart: TypeAlias = Literal["never", "series", "match"]

UNVERSIONED = "0"
"""The version of a bot that names none."""

Argv = tuple[str, ...]


@attrs.frozen(kw_only=True)
class Rights:
    """What a bot may have beyond what every bot has, either as its files ask for it or as it is granted."""

    read: tuple[Path, ...] = ()
    """Absolute paths that the bot reads besides its folder."""
    memory_mb: int | None = None
    """How many MB of memory all its processes together may hold; None: not specified."""
    network: bool = False
    """Whether the bot has the network where bots have none."""
    build_network: bool = False
    """Whether the bot's build has the network where bots have none."""
    gpu: bool = False
    """Whether the bot uses the machine's graphics cards."""
    writable: bool = False
    """Whether the bot writes to its own folder."""


@attrs.frozen(kw_only=True)
class Entrant:
    """A bot that takes part, with everything needed to start it."""

    name: str
    kind: Kind
    """The arena starts it; it is an object in this process; it connects, with a token; it cannot play."""
    own_name: str = ""
    """The bot's own name, if another bot that came first has that name in the tournament; else empty."""
    version: str = UNVERSIONED
    language: str = ""
    folder: Path | None = None
    """Its working directory, or the folder that is copied to build it; for `module:Class` the folder that
    `sys.path` needs, None if it has it already."""
    arena_folder: Path | None = None
    """Where the arena keeps the bot's build and what the bot writes; None: in the current folder."""
    files: tuple[Path, ...] | None = None
    """The files that its fingerprint covers; None: all of the folder."""
    run: Argv = ()
    """The command that starts it, in its folder."""
    build: Argv = ()
    """The command that builds it, in a copy of its folder, if it must be built."""
    transport: TransportKind = "tcp"
    restart: Restart = "never"
    """When a fresh instance must play: only if the old one is gone, for every series, or for every match."""
    instances_max: int | None = None
    """How many instances can live at once; None: as many as there are tables."""
    connect_s: float = 30.0
    """How many seconds it may take to connect once it is started."""
    asked: Rights = Rights()
    """The rights that its own files ask for; `tournament.grants` decides which of them it gets."""
    read: tuple[Path, ...] = ()
    """The paths that it may read besides its folder, in a box where not everything can be read; no links."""
    writable: bool = False
    """Whether it may write to what is in its own folder, which otherwise is read-only, and whether a strict
    box keeps what it writes elsewhere."""
    network: bool = False
    """Whether it has network access even in a strict box."""
    gpu: bool = False
    """Whether it has the machine's graphics cards."""
    build_network: bool = False
    """Whether its build has network access even in a strict box."""
    memory_mb: int = MEMORY_MB
    """How many MB of memory all its processes together may hold."""
    path: str = ""
    """The bot as the user named it."""
    is_submission: bool = False
    """Whether it was found in a folder of bots: then the host decides which rights it gets."""
    command: str = ""
    """The command `run` as one would type it."""
    games: tuple[str, ...] = ()
    """The games that it can play; empty: any game."""
    target: str = ""
    """The name, `module:Class`, of a bot in this process."""
    fingerprint: str = ""
    """A hash that changes whenever its files do; empty for bots that connect."""
    problem: str = ""
    """Why a broken bot cannot play, as found without starting it."""
    hints: tuple[Hint, ...] = ()
    """What a person may choose so that it can play."""
    is_missing: bool = False
    """Whether it is broken because nothing has the name that the user gave."""

    @property
    def is_ours(self) -> bool:
        """Whether the arena creates its instances, as processes or objects; others connect by themselves."""
        return self.kind in ("process", "local")
