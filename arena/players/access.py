"""Which files each bot of a tournament may see, and which it may write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from arena.box.places import FILES_SHOWN_MAX, FileView, below, kept_below, kept_in, needed_paths
from arena.players.entrant import Entrant
from arena.players.folders import arena_folder, scratch_folder, working_folder

RECIPE_FILE = "bot.toml"
"""The file that the arena reads in a bot's folder before it starts the bot."""


def place_of(entrant: Entrant, field: tuple[Entrant, ...], results: tuple[Path, ...]) -> FileView:
    """What a bot started among others sees of the file system: nothing below `results` but its own files.

    It sees no results or server's data in the current folder either, nor below what else it may read.
    """
    return _place_of(entrant, field, results, Path.cwd())


@lru_cache(maxsize=1024)
def _place_of(
    entrant: Entrant, field: tuple[Entrant, ...], results: tuple[Path, ...], here: Path
) -> FileView:
    folder = working_folder(entrant)
    own = (folder,) if entrant.files is None else tuple(file.resolve() for file in entrant.files)
    others = [other for other in field if other.name != entrant.name]
    hidden = {path for other in others for path in own_files(other)} - set(own)
    hidden -= {folder}  # another bot runs in the same folder, and may be the same one
    hidden |= {path.resolve() for path in results}
    hidden |= {arena_folder(one) for one in (entrant, *others)}
    kept = {path for top in entrant.read for path in kept_below(top)} | set(kept_in(here))
    hidden |= {path for path in kept if not any(below(one, (path,)) for one in (folder, *own))}
    return FileView(
        folder=folder,
        own=own,
        writes=tuple(_open_parts(entrant)) if entrant.writable else (),
        scratch=scratch_folder(entrant),
        read=entrant.read,
        has_gpu=entrant.gpu,
        hidden=tuple(sorted(hidden)),
    )


def own_files(entrant: Entrant) -> Iterator[Path]:
    """The files that are hidden from all bots but this one."""
    if entrant.files is not None:
        yield from (file.resolve() for file in entrant.files if _is_ours(file))
    elif entrant.folder is not None:
        yield entrant.folder.resolve()


def _is_ours(file: Path) -> bool:
    """Whether a file is a bot's, and not a program of the system that happens to run it."""
    return not any(file.resolve().is_relative_to(needed) for needed in needed_paths())


def _open_parts(entrant: Entrant) -> Iterator[Path]:
    """The files and folders that a bot which may write to its folder can write there, as of now.

    Not the folder itself: where a bot can create files, it could create a bot.toml, or a repository that we
    read; and Landlock cannot protect a part of a folder from whoever may write to the folder.  Nor anything
    hidden by its name, bot.toml, links, or a file with a second name, which may be any of these.  The copy in
    which a bot is built is never written: it would no longer be what was built.
    """
    if entrant.build or entrant.files is not None:
        return
    with os.scandir(working_folder(entrant)) as entries:
        for entry in sorted(islice(entries, FILES_SHOWN_MAX), key=lambda entry: entry.name):
            if entry.name.startswith(".") or entry.name == RECIPE_FILE:
                continue
            is_file = entry.is_file(follow_symlinks=False) and entry.stat().st_nlink == 1
            if is_file or entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
