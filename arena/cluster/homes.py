"""Keeps the parcels that came to a host: each as it came, and unpacked in folders called homes.

Bots of any number of workers and runs play in one home, as on the machine that they come from.  They are
built once: a worker that has bots to build holds the parcel's lock until it is ready.  A bot may write into
its own folder; a home whose files have changed is made anew or, while it is in use, another one is made.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from arena.box.scratch import remove_folder
from arena.cluster.parcels import PACKED_BYTES_MAX, unpack_into
from arena.errors import naming

KEPT_DAYS = 30
"""How many days a parcel is kept that no run wants."""


def cache() -> Path:
    """The folder in which a host keeps parcels, in the user's home."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "bot-arena" / "parcels"


def is_kept(hash: str) -> bool:
    """Whether this parcel has come, whole."""
    return (cache() / hash / "packed").is_file()


def keep_piece(hash: str, at: int, octets: bytes, whole: int, by: str) -> None:
    """Writes a piece of a parcel, whose pieces come in order; with the last one it is kept.

    `by`: a unique name of who brings it, as somebody else may bring the same parcel meanwhile.
    """
    if whole > PACKED_BYTES_MAX:
        raise ValueError(f"a parcel of {whole:,} bytes was announced")
    if is_kept(hash):  # a task may run twice
        return
    place = cache() / hash
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = place / f"packed.{by}"
    try:
        with naming(new), new.open("r+b" if at else "wb") as file:
            file.seek(at)
            file.write(octets)
    except OSError:
        new.unlink(missing_ok=True)  # half a parcel is of no use, and the disk may be full
        raise
    if at + len(octets) == whole:
        new.replace(place / "packed")


@contextmanager
def locked(hashes: list[str]) -> Iterator[None]:
    """Locks these parcels: nobody else on this host makes homes of them meanwhile, or builds in them."""
    held: list[int] = []
    try:
        for hash in sorted(set(hashes)):  # all take locks in the same order, which rules out a deadlock
            held.append(_opened(cache() / hash / "lock"))
            fcntl.flock(held[-1], fcntl.LOCK_EX)
            os.utime(cache() / hash)
        yield
    finally:
        for lock in held:
            os.close(lock)


def home_of(hash: str, is_whole: Callable[[Path], bool]) -> tuple[Path, int]:
    """A home with the parcel's files, and its lock, which is to be closed when the home is no longer used.

    To be called while the parcel is `locked`.  `is_whole`: whether the files of a home are unchanged.
    """
    place = cache() / hash
    for number in count(1):
        home, lock = place / str(number), _opened(place / f"{number}.lock")
        if home.is_dir() and is_whole(home):
            fcntl.flock(lock, fcntl.LOCK_SH)
            return home, lock
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            remove_folder(home)
            home.mkdir()
            unpack_into(home, (place / "packed").read_bytes())
        except BaseException:
            remove_folder(home)
            os.close(lock)
            raise
        fcntl.flock(lock, fcntl.LOCK_SH)
        return home, lock
    raise AssertionError("numbers do not end")


def tidy_up() -> None:
    """Removes the parcels that nobody has wanted for `KEPT_DAYS`."""
    with suppress(OSError):
        for place in cache().iterdir():
            if place.stat().st_mtime < time.time() - KEPT_DAYS * 86400:
                with suppress(OSError, BlockingIOError):
                    lock = _opened(place / "lock")
                    try:
                        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        remove_folder(place)
                    finally:
                        os.close(lock)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
