"""Packs a bot's folder to be handed in: the same files give the same zip, whatever system it is packed on.

Imports nothing that Windows or macOS lack.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO
from unicodedata import normalize

import attrs

from arena.errors import ConfigError, is_full, unwritable
from arena.handin.archives import HEAD_OF_ARCHIVE, kind_of
from arena.handin.bounds import CHUNK_BYTES, HEAD_BYTES, IGNORE_BYTES_MAX, BadHandIn, HandInLimits, Tick
from arena.handin.paths import Parts, name_of_single
from arena.handin.programs import (
    RECIPE_FILE,
    BotFile,
    Commands,
    HandInNote,
    commands_in,
    content_hash,
    is_program,
    notes_on,
)
from arena.handin.selection import ListedFiles, check_amount, largest, select_files, too_many
from arena.words import sized

_MADE_AT = (1980, 1, 1, 0, 0, 0)
"""The time of all files in the zip, the first that it can say."""
_UNIX = 3


@attrs.frozen(kw_only=True)
class PackedBot:
    """A bot in a zip."""

    hash: str
    """That of `HandIn`, once it is unpacked."""
    files: int
    octets: int
    packed_octets: int
    left_out: tuple[str, ...]
    notes: tuple[HandInNote, ...]


def pack_bot(
    source: Path, into: BinaryIO, *, limits: HandInLimits | None = None, tick: Tick = lambda: None
) -> PackedBot:
    """Writes a zip with a bot's folder, or its single file, into an empty, seekable file.

    Raises BadHandIn if the bot cannot be handed in, and what the tick raises.
    """
    limits = limits or HandInLimits()
    with _readable(source):
        disk = _DiskTree(source, limits, tick)
        chosen = select_files(disk)
        paths = [chosen.top + file for file in chosen.files]
        check_amount({"/".join(path): disk.octets(path) for path in paths}, limits)
        # The bot is what whoever unpacks the zip finds in it, which has no empty folders.
        zipped = _ZippedTree(disk, paths, limits)
        selection = select_files(zipped)
        commands = Commands()
        if (RECIPE_FILE,) in selection.files:
            commands = commands_in(disk.place((*selection.top, RECIPE_FILE)))
        files = _write(disk, paths, len(selection.top), commands, into, limits, tick)
    selection = attrs.evolve(selection, left_out=tuple(sorted({*chosen.left_out, *selection.left_out})))
    bots = {"/".join(path) for path in selection.files}
    files = [file for file in files if file.path in bots]
    return PackedBot(
        hash=content_hash(files, commands),
        files=len(files),
        octets=sum(file.octets for file in files),
        packed_octets=into.tell(),
        left_out=selection.left_out,
        notes=tuple(notes_on(files, commands, selection)),
    )


def _write(
    disk: _DiskTree,
    paths: Sequence[Parts],
    depth: int,
    commands: Commands,
    into: BinaryIO,
    limits: HandInLimits,
    tick: Tick,
) -> list[BotFile]:
    """Writes the zip; returns its files, with paths from the bot's folder, `depth` folders deep in it."""
    files = []
    with zipfile.ZipFile(into, "w") as archive:
        for path in paths:
            own = "/".join(path[depth:])
            octets = 0
            with disk.opened(path) as file:
                piece = file.read(CHUNK_BYTES)
                head, digest = piece[:HEAD_BYTES], sha256()
                entry = _entry("/".join(path), may_run=is_program(own, head, commands))
                with archive.open(entry, "w") as packed:
                    while piece:
                        tick()
                        octets += len(piece)
                        if octets > disk.octets(path):
                            raise BadHandIn("it grew while it was packed: pack the bot again", path=own)
                        packed.write(piece)
                        digest.update(piece)
                        piece = file.read(CHUNK_BYTES)
            files.append(BotFile(own, octets, digest.digest(), head))
    if into.tell() > limits.archive_bytes_max:
        raise _too_large(archive, limits)
    return files


def _entry(path: str, *, may_run: bool) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, _MADE_AT)
    entry.create_system = _UNIX
    entry.external_attr = (stat.S_IFREG | (0o755 if may_run else 0o644)) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _too_large(archive: zipfile.ZipFile, limits: HandInLimits) -> BadHandIn:
    sizes = {entry.filename: entry.compress_size for entry in archive.infolist()}
    return BadHandIn(
        f"packed it is larger than {sized(limits.archive_bytes_max)}, the most that is taken; the largest: "
        f"{largest(sizes)}: name in .arenaignore what the bot does not need"
    )


class _DiskTree:
    """The files of a folder, or a single one; no link is followed before its target is looked at."""

    def __init__(self, source: Path, limits: HandInLimits, tick: Tick) -> None:
        self._source, self._limits, self._tick = source, limits, tick
        self._places: dict[Parts, Path] = {(): source}
        self._names: dict[Parts, dict[str, bool]] = {}
        self._octets: dict[Parts, int] = {}
        if not source.is_dir():
            name = name_of_single(normalize("NFC", source.name))
            self._places[(name,)] = source
            self._names[()] = {name: False}
            _check_single(source)

    def names(self, folder: Parts) -> Mapping[str, bool]:
        """The names in a folder, and whether each is a folder."""
        if folder not in self._names:
            found = self._names[folder] = {}
            with os.scandir(self._places[folder]) as entries:
                for entry in entries:
                    self._tick()
                    name = normalize("NFC", entry.name)
                    if (path := (*folder, name)) in self._places:
                        raise BadHandIn(
                            "two names are equal but for Unicode form: rename one", path="/".join(path)
                        )
                    if len(self._places) > self._limits.entries_max:
                        raise too_many(self._limits.entries_max)
                    self._places[path] = Path(entry.path)
                    found[name] = entry.is_dir(follow_symlinks=False) and not _is_junction(entry)
        return self._names[folder]

    def place(self, path: Parts) -> Path:
        """Where a file lies that was listed."""
        return self._places[path]

    def text(self, file: Parts) -> bytes:
        """The content of a small file.  Raises BadHandIn if it is not small."""
        if self.octets(file) > IGNORE_BYTES_MAX:
            raise BadHandIn(f"larger than {sized(IGNORE_BYTES_MAX)}, expected less", path=file[-1])
        with self.opened(file) as opened:
            return opened.read(IGNORE_BYTES_MAX)

    def octets(self, file: Parts) -> int:
        """A file's size when it was first looked at.  Raises BadHandIn if it is no file of the bot's own."""
        if file not in self._octets:
            self._octets[file] = self._checked(file).st_size
        return self._octets[file]

    def opened(self, file: Parts) -> BinaryIO:
        """A file to be read, after `octets` said that it may be."""
        return self._places[file].open("rb")

    def _checked(self, file: Parts) -> os.stat_result:
        place, said = self._places[file], "/".join(file)
        if place.is_symlink() and place != self._source:
            target = Path(os.path.realpath(place))
            if not target.is_relative_to(os.path.realpath(self._source)):
                raise BadHandIn(
                    "a link that leads out of the bot's folder: put a copy in its place", path=said
                )
            if not target.is_file():
                raise BadHandIn("a link that leads to no file: put a copy in its place", path=said)
        found = place.stat()
        if not stat.S_ISREG(found.st_mode):
            raise BadHandIn(
                "a device, a pipe or the like, expected files and folders only: leave it out", path=said
            )
        return found


def _check_single(source: Path) -> None:
    """Raises BadHandIn or OSError if this is no bot in one file."""
    if not stat.S_ISREG(source.stat().st_mode):
        raise BadHandIn("a device, a pipe or the like, expected a bot's file or folder", path=source.name)
    with source.open("rb") as file:
        if kind_of(file.read(HEAD_OF_ARCHIVE)):
            raise BadHandIn("an archive already: hand it in as it is", path=source.name)


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Whether it is a kind of link that only Windows has, and Python only knows from 3.12 on."""
    return bool(getattr(entry, "is_junction", bool)())


class _ZippedTree(ListedFiles):
    """The files that go into the zip, as they are read from it."""

    def __init__(self, disk: _DiskTree, paths: Sequence[Parts], limits: HandInLimits) -> None:
        super().__init__(limits.entries_max)
        self._disk = disk
        for path in paths:
            self.add(path)

    def text(self, file: Parts) -> bytes:
        """The content of a small file."""
        return self._disk.text(file)


@contextmanager
def _readable(source: Path) -> Iterator[None]:
    """Turns system errors into sentences."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise unwritable(error.filename or "the packed bot", error) from error
        raise ConfigError(f"{error.filename or source}: cannot be read: {error.strerror or error}") from error
