"""Which files each bot of a tournament may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from arena.box.places import FileView, needed_paths
from arena.players.entrant import Entrant


@lru_cache(maxsize=1024)
def place_of(entrant: Entrant, field: tuple[Entrant, ...], results: tuple[Path, ...]) -> FileView:
    """What a bot started among others sees of the file system: nothing below `results` but its own files."""
    assert entrant.folder is not None, "what is started has a folder"
    folder = entrant.folder.resolve()
    own = (folder,) if entrant.files is None else tuple(file.resolve() for file in entrant.files)
    others = [other for other in field if other.name != entrant.name]
    hidden = {path for other in others for path in own_files(other)} - set(own)
    hidden -= {folder}  # the other is run in the same folder, and may be the same bot
    hidden |= {path.resolve() for path in results}
    return FileView(
        folder=folder,
        own=own,
        is_writable=entrant.files is None or not _is_shared(folder, others),
        read=entrant.read,
        has_gpu=entrant.gpu,
        hidden=tuple(sorted(hidden)),
    )


def own_files(entrant: Entrant) -> Iterator[Path]:
    """The files to be hidden from all bots but this one."""
    if entrant.files is not None:
        yield from (file.resolve() for file in entrant.files if _is_ours(file))
    elif entrant.folder is not None:
        yield entrant.folder.resolve()


def _is_ours(file: Path) -> bool:
    """Whether a file is a bot's, and not a program of the system that happens to run it."""
    return not any(file.resolve().is_relative_to(needed) for needed in needed_paths())


def _is_shared(folder: Path, others: Iterable[Entrant]) -> bool:
    """Whether another bot runs here: it would import what this one writes."""
    return any(other.folder is not None and other.folder.resolve() == folder for other in others)
