"""Archives, as whoever unpacks them sees them; what a file is, by its content."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, Protocol

import attrs

from arena.handin.bounds import CHUNK_BYTES, BadHandIn
from arena.handin.paths import Parts, check_files, name_of_single, parts_of

HEAD_OF_ARCHIVE = 512
"""How much of a file's beginning tells what it is."""
_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
_MARKS = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\x1f\x8b": "gzip",
}
_OTHERS = {
    b"PK\x07\x08": "a part of a zip archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"!<arch>\n": "an ar archive",
}
_SUFFIXES = (".zip", ".tar", ".gz", ".tgz")


@attrs.frozen(kw_only=True)
class ArchiveEntry:
    """What an archive says of a file or folder in it; none of that is believed while it is unpacked."""

    spelled: str
    """Its path as it is written there."""
    path: Parts
    is_folder: bool
    octets: int = 0
    """Its declared size."""
    wrong: str = ""
    """Why it cannot be taken, as a sentence; empty if it can."""
    is_guessed: bool = False
    """Whether the archive does not say in which encoding its path is."""


class BotArchive(Protocol):
    """An archive, which is read from its beginning each time."""

    def entries(self) -> Iterator[ArchiveEntry]:
        """All entries, in order.  Raises BadHandIn."""

    def contents(self, wanted: Container[Parts]) -> Iterator[tuple[Parts, Iterator[bytes]]]:
        """The wanted files, and the pieces of each, to be read before the next one.  Raises BadHandIn."""


def kind_of(head: bytes) -> str:
    """What a file that begins so is: `zip`, `gzip`, `tar`; empty if it is no archive.

    Raises BadHandIn for an archive that we do not read.
    """
    for mark, said in _OTHERS.items():
        if head.startswith(mark):
            raise BadHandIn(f"it is {said}, expected a zip, a tar.gz or one file")
    if head[_TAR_MARK_AT:].startswith(_TAR_MARK):
        return "tar"
    return next((kind for mark, kind in _MARKS.items() if head.startswith(mark)), "")


@attrs.frozen
class SingleFile:
    """One file that is no archive, seen as one with that file in it."""

    file: BinaryIO
    entry: ArchiveEntry

    def entries(self) -> Iterator[ArchiveEntry]:
        """The file alone."""
        yield self.entry

    def contents(self, wanted: Container[Parts]) -> Iterator[tuple[Parts, Iterator[bytes]]]:
        """The file's content, if it is wanted."""
        if self.entry.path in wanted:
            self.file.seek(0)
            yield self.entry.path, iter(lambda: self.file.read(CHUNK_BYTES), b"")


def single_file(file: BinaryIO, name: str, octets: int) -> SingleFile:
    """A file that is no archive, under its name.  Raises BadHandIn if no bot can be in such a file."""
    path = parts_of(name)
    if len(path) != 1:
        raise BadHandIn("a single file needs a name of its own, such as bot.py", path=name)
    if PurePosixPath(path[0]).suffix.lower() in _SUFFIXES:
        raise BadHandIn("not such an archive, whatever its name says: pack it again", path=name)
    if not octets:
        raise BadHandIn("empty, expected a bot", path=name)
    check_files([path])
    path = (name_of_single(path[0]),)
    return SingleFile(file, ArchiveEntry(spelled=name, path=path, is_folder=False, octets=octets))


def damaged(path: str = "", what: str = "") -> BadHandIn:
    """The error for an archive that cannot be read to its end, or not in one way only."""
    what = what or f"{'' if path else 'the archive is '}damaged or incomplete"
    return BadHandIn(f"{what}: pack it again, and hand in all of it", path=path)


def exactly(file: BinaryIO, octets: int, path: str = "") -> bytes:
    """The next bytes of a file.  Raises BadHandIn if it ends before."""
    content = file.read(octets)
    if len(content) != octets:
        raise damaged(path)
    return content
