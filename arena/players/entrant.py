"""A bot that takes part, and everything needed to start it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import attrs

from arena.box.limits import MEMORY_MB

Kind: TypeAlias = Literal["process", "local", "remote", "broken"]

TransportKind: TypeAlias = Literal["tcp", "stdio"]

Restart: TypeAlias = Literal["never", "series", "match"]

UNVERSIONED = "0"
"""The version of a bot that names none."""

Argv = tuple[str, ...]


@attrs.frozen(kw_only=True)
class Rights:
    """What bots may have beyond what every bot has: as a bot's own files ask for it, or as it is granted."""

    read: tuple[Path, ...] = ()
    """What is read besides its folder; absolute."""
    memory_mb: int | None = None
    """How much memory all its processes together may hold; None: nothing is said."""
    network: bool = False
    """Whether it has the network where bots have none."""
    build_network: bool = False
    """Whether its build has."""
    gpu: bool = False
    """Whether it uses the machine's graphics cards."""
    writable: bool = False
    """Whether it writes to its own folder."""


@attrs.frozen(kw_only=True)
class Entrant:
    """A bot that takes part."""

    name: str
    kind: Kind
    """The arena starts it; an object in this process; it connects, with a token; it cannot play."""
    own_name: str = ""
    """What it is called where another bot of that name is in the tournament before it; else empty."""
    version: str = UNVERSIONED
    language: str = ""
    folder: Path | None = None
    """Its working directory, or what is copied to build it; for `module:Class` what `sys.path` needs, None if
    it is there already."""
    arena_folder: Path | None = None
    """Where the arena keeps what was built of it and what it writes; None: in the current folder."""
    files: tuple[Path, ...] | None = None
    """What its fingerprint covers; None: all of the folder."""
    run: Argv = ()
    """The command that starts it, in its folder."""
    build: Argv = ()
    """The command that builds it, in a copy of its folder, if it must be built."""
    transport: TransportKind = "tcp"
    restart: Restart = "never"
    """When a fresh instance must play: only if the old one is gone, for every series, or for every match."""
    instances_max: int | None = None
    """How many of it can live at once; None: as many as there are tables."""
    connect_s: float = 30.0
    """How long it may take to connect once it is started."""
    asked: Rights = Rights()
    """What its own files ask for; what it has of that is decided by `tournament.grants`."""
    read: tuple[Path, ...] = ()
    """What it reads besides its folder, in a box where not everything can be read; free of links."""
    writable: bool = False
    """Whether it may write to what is in its own folder, which is read-only otherwise, and is kept in a
    strict box what it writes elsewhere."""
    network: bool = False
    """Whether it has network access even in a strict box."""
    gpu: bool = False
    """Whether it has the machine's graphics cards."""
    build_network: bool = False
    """Whether its build has network access even in a strict box."""
    memory_mb: int = MEMORY_MB
    """How much memory all its processes together may hold."""
    path: str = ""
    """What the user said."""
    is_submission: bool = False
    """Whether it was found in a folder of bots: what it asks for, the host grants or does not."""
    command: str = ""
    """`run`, as one would type it."""
    games: tuple[str, ...] = ()
    """What it can play; empty: any game."""
    target: str = ""
    """`module:Class` of a bot in this process."""
    fingerprint: str = ""
    """Changes whenever its files do; empty for bots that connect."""
    problem: str = ""
    """Why a broken one cannot play, found without starting it."""
    is_missing: bool = False
    """Whether that is because nothing is called as the user said."""

    @property
    def is_ours(self) -> bool:
        """Whether the arena creates its instances, as processes or objects; other bots' instances connect."""
        return self.kind in ("process", "local")
