"""The rules by which Landlock lets a program see exactly those files that its place says."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from arena.box.messages import LandlockRules
from arena.box.places import FileView, graphics, needed_paths, shown_paths

_DEVICES = (
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
)
"""The devices that are shown; in others root could read disks, KVM and what is typed into terminals."""
_SHARED_MEMORY = "/dev/shm"
"""All programs of the machine share it: they can open files whose names they know, but not list them."""
_RUN_SHOWN = "/run/systemd/resolve"


def rules(place: FileView, scratch: Path) -> LandlockRules:
    """The rules for one program: everything that it is shown, and `scratch` for its temporary files."""
    hidden = [*place.hidden, *map(Path, ("/dev", "/proc", "/run")), scratch.parent]
    inner = [path for path in place.hidden if place.folder in path.parents]
    readable = [*shown_paths(hidden), *needed_paths(), Path(_RUN_SHOWN)]
    readable += [shown for path in place.read for shown in shown_paths(_inside(path, hidden), path)]
    readable += shown_paths(inner, place.folder) if inner else place.own
    readable += [Path("/proc") / name for name in os.listdir("/proc") if not name.isdigit()]
    writable = [*map(Path, _DEVICES), scratch, *place.writable]
    writable += graphics() if place.has_gpu else ()
    return LandlockRules(
        readable=[str(path) for path in readable],
        writable=[str(path) for path in writable],
        unlisted=[_SHARED_MEMORY],
    )


def _inside(top: Path, paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if top in path.parents]
