"""Packs bots and games to travel: the files that a fingerprint covers, named by a hash of their content."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path, PurePosixPath

import attrs
import msgspec

from arena.errors import ConfigError, naming
from arena.players.entrant import Entrant
from arena.players.folders import ARENA_FOLDER
from arena.reading.strict import read_regular
from arena.tournament.bots.fingerprints import FILES_BYTES_MAX, FILES_MAX, covered_files
from arena.tournament.bots.game_source import Origin, files_of
from arena.words import sized

PACKED_BYTES_MAX = FILES_BYTES_MAX + 20_000_000
"""The largest packed parcel: files that do not compress, with their names and what packing adds."""


class PackedFile(msgspec.Struct, array_like=True):
    """A file of a parcel."""

    name: str
    """The file's path below the folder, with `/` between its parts."""
    is_program: bool
    content: bytes


@attrs.frozen
class Parcel:
    """The files of a bot or of a game."""

    hash: str
    """The hash of the content, in 32 hexadecimal digits."""
    packed: bytes = attrs.field(repr=False)


def parcel_of(entrant: Entrant) -> Parcel | None:
    """The files of a bot that the arena starts; None if it has no files to bring along.

    Raises ConfigError if they lie where they cannot be on another machine.
    """
    if entrant.folder is None or not entrant.is_ours:
        return None
    built = (entrant.build, entrant.build_network)  # another build makes another bot of the same files
    return parcel_from({_below(path, entrant): path for path in covered_files(entrant).values()}, repr(built))


def parcel_of_game(origin: Origin) -> Parcel:
    """The files of a game that is not built in.  Raises ConfigError if they cannot be read."""
    return parcel_from(files_of(origin), "")


def parcel_from(files: Mapping[str, Path], salt: str) -> Parcel:
    """Makes a parcel of files; `files`: by their names in the parcel."""
    found = [
        PackedFile(name, bool(path.stat().st_mode & stat.S_IXUSR), _content(path))
        for name, path in sorted(files.items())
    ]
    octets = msgspec.msgpack.encode(found)
    digest = blake2b(octets, digest_size=16)
    digest.update(salt.encode())
    return Parcel(digest.hexdigest(), zlib.compress(octets, 1))


def unpack_into(folder: Path, packed: bytes) -> None:
    """Writes the files of a parcel into a folder.  Raises ValueError if it is not a parcel, and OSError."""
    unpacker = zlib.decompressobj()
    octets = unpacker.decompress(packed, PACKED_BYTES_MAX)
    if unpacker.unconsumed_tail:
        raise ValueError(f"a parcel holds more than {sized(PACKED_BYTES_MAX)}")
    files = msgspec.msgpack.decode(octets, type=list[PackedFile])
    if len(files) > FILES_MAX:
        raise ValueError(f"a parcel holds more than {FILES_MAX:,} files")
    for file in files:
        path = folder / _safe(file.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with naming(path):
            path.write_bytes(file.content)
        path.chmod(0o755 if file.is_program else 0o644)


def at_home_in(entrant: Entrant, folder: Path) -> Entrant:
    """The entrant as it is when its files lie in this folder."""
    assert entrant.folder is not None, "a bot that came in a parcel has a folder"
    files = entrant.files
    return attrs.evolve(
        entrant,
        folder=folder,
        arena_folder=folder.resolve().parent / ARENA_FOLDER,
        files=None if files is None else tuple(folder / _below(path, entrant) for path in files),
    )


def _below(path: Path, entrant: Entrant) -> str:
    folder = entrant.folder
    assert folder is not None, "called for bots with a folder only"
    top = Path(os.path.normpath(folder.absolute()))
    place = Path(os.path.normpath(path.absolute()))
    if not place.is_relative_to(top):
        raise ConfigError(
            f"{entrant.name}: {path} is not below {folder}, and cannot be taken to a cluster: put the "
            "bot into a folder with bot.toml, with all that it needs"
        )
    return place.relative_to(top).as_posix()


def _safe(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"a parcel holds a file called {name!r}")
    return path


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, FILES_BYTES_MAX)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
