"""Mends a damaged database so that a run can continue: replaces it with a copy of its sound part."""

from __future__ import annotations

import os
import shutil
from itertools import count
from pathlib import Path

from arena.store.files import DATABASE, draft_path, sentences, touch
from arena.store.soundness import Damage, is_sound, salvaged
from arena.store.store import Store, holds_tournament


def mended(folder: Path) -> Damage | None:
    """Replaces a damaged database, which is kept, with a copy of its sound part; returns the damage, if any.

    Raises ConfigError, and leaves everything as it is, if the sound part cannot be continued.
    """
    path = folder / DATABASE
    if not holds_tournament(folder):
        return None
    place = draft_path(folder, DATABASE, os.getpid())
    with sentences(path):
        try:
            place.unlink(missing_ok=True)  # whatever somebody else put there
            touch(place)
            with Store.unchecked(folder) as store:
                if is_sound(store.connection, path):
                    return None
                copy, damage = salvaged(store.connection, path, str(place))
                copy.close()
            if damage.parts & {"meta", "bots"}:
                raise damage.mistake(", but no run can continue without it")
            _put_in_place(place, path)
            return damage
        finally:
            place.unlink(missing_ok=True)


def _put_in_place(place: Path, path: Path) -> None:
    aside = _free(path)
    shutil.copy2(path, aside)
    for suffix in ("-wal", "-shm"):  # left by a reader or a killed writer: they belong to the old database
        beside = path.with_name(f"{path.name}{suffix}")
        if beside.exists():
            beside.replace(aside.with_name(f"{aside.name}{suffix}"))
    place.replace(path)


def _free(path: Path) -> Path:
    """An unused path for the damaged database."""
    names = (f"{path.name}.damaged{'' if number == 1 else f'-{number}'}" for number in count(1))
    return next(place for place in map(path.with_name, names) if not place.exists())
