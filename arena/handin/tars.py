"""Reads tar archives that others made, packed by gzip or not, with bounds of our own.

`tarfile` decodes single headers; not more, because it takes as much memory for an extended header as that
asks for, follows links, and has filters only from Python 3.11.4 on.
Source: pax in POSIX.1-2017, and "Basic Tar Format" of the GNU tar manual.
"""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Callable, Container, Iterator, Mapping
from typing import BinaryIO

from arena.handin.archives import ArchiveEntry, damaged, kind_of
from arena.handin.bounds import CHUNK_BYTES, BadHandIn, Meter
from arena.handin.paths import Parts, parts_of

BLOCK_BYTES = 512
_END = bytes(BLOCK_BYTES)
_EXTENDED_BYTES_MAX = 1 << 20
"""The largest extended header: macOS keeps what it knows about a file there."""
_SPARSE = "sparse"
"""Stands for all that pax headers say about files with holes."""
_LINKS = {tarfile.SYMTYPE: "a symbolic link", tarfile.LNKTYPE: "a hard link"}
_FILES = frozenset((tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE))
_SPECIAL = frozenset((tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE))
_WITHOUT_CONTENT = _SPECIAL | _LINKS.keys() | {tarfile.DIRTYPE}
"""What is followed by the next header, whatever size it declares."""
_EXTENDED = frozenset(
    (
        tarfile.XHDTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    )
)


class TarArchive:
    """A tar archive in a seekable file."""

    def __init__(self, file: BinaryIO, *, is_packed: bool, meter: Callable[[], Meter]) -> None:
        """`meter`: makes what counts the bytes of one reading, with those that are passed over.

        Raises BadHandIn if it is packed and something else.
        """
        self._file, self._is_packed, self._meter = file, is_packed, meter
        if is_packed and kind_of(next(self._chunks(), b"")) != "tar":
            raise BadHandIn("a gzip file without a tar archive in it, expected a zip, a tar.gz or one file")

    def entries(self) -> Iterator[ArchiveEntry]:
        """All entries up to the end of the file, where nothing else may be."""
        for entry, _ in self._read():
            yield entry

    def contents(self, wanted: Container[Parts]) -> Iterator[tuple[Parts, Iterator[bytes]]]:
        """The wanted files in the order of the archive."""
        for entry, pieces in self._read():
            if not entry.is_folder and entry.path in wanted:
                yield entry.path, pieces

    def _read(self) -> Iterator[tuple[ArchiveEntry, Iterator[bytes]]]:
        stream = _TarStream(self._chunks())
        extended: dict[str, str] = {}
        while (block := stream.read(BLOCK_BYTES)) != _END:
            header = _header(block)
            if header.type in _EXTENDED:
                content = stream.read_padded(header.size, header.name)
                extended |= _extended(header.type, content)
                continue
            octets = _octets(header, extended)
            pieces = stream.pieces(octets)
            yield _entry_of(header, extended, octets), pieces
            for _ in pieces:  # what nobody read
                pass
            extended = {}
        stream.check_end()

    def _chunks(self) -> Iterator[bytes]:
        """What the tar archive consists of, in pieces of at most CHUNK_BYTES."""
        self._file.seek(0)
        meter = self._meter()
        for chunk in (
            _gunzipped(self._file) if self._is_packed else iter(lambda: self._file.read(CHUNK_BYTES), b"")
        ):
            meter.count(len(chunk), "")
            yield chunk


class _TarStream:
    """The bytes of a tar archive, one after the other."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._ready = chunks, memoryview(b"")

    def _some(self, most: int) -> memoryview:
        """The next bytes, at least one.  Raises BadHandIn if there are none."""
        if not self._ready:
            self._ready = memoryview(next(self._chunks, b""))
        if not self._ready:
            raise damaged()
        some, self._ready = self._ready[:most], self._ready[most:]
        return some

    def pieces(self, octets: int) -> Iterator[bytes]:
        """The next bytes in pieces, without what fills up the last block."""
        left, padding = octets, -octets % BLOCK_BYTES
        while left:
            some = self._some(left)
            left -= len(some)
            yield bytes(some)
        self.read(padding)

    def read(self, octets: int) -> bytes:
        """The next few bytes."""
        content = bytearray()
        while len(content) < octets:
            content += self._some(octets - len(content))
        return bytes(content)

    def read_padded(self, octets: int, path: str) -> bytes:
        """The content of an extended header."""
        if not 0 <= octets <= _EXTENDED_BYTES_MAX:
            raise BadHandIn("its header is too long: pack it again", path=path)
        return self.read(octets + -octets % BLOCK_BYTES)[:octets]

    def check_end(self) -> None:
        """Raises BadHandIn if anything but zeros follows, in this archive or behind it."""
        while self._ready:
            if bytes(self._ready).count(0) != len(self._ready):
                raise damaged(what="something follows after the end of the archive")
            self._ready = memoryview(next(self._chunks, b""))


def _gunzipped(file: BinaryIO) -> Iterator[bytes]:
    """Unpacked pieces, none larger than CHUNK_BYTES.  Raises BadHandIn if anything follows but zeros."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    feed = b""
    while not unpacker.eof:
        fresh = b"" if feed else file.read(CHUNK_BYTES)
        try:
            piece = unpacker.decompress(feed or fresh, CHUNK_BYTES)
        except zlib.error:
            raise damaged() from None
        feed = unpacker.unconsumed_tail
        if piece:
            yield piece
        elif not feed and not fresh and not unpacker.eof:
            raise damaged()
    rest = unpacker.unused_data
    while rest:
        if rest.count(0) != len(rest):
            raise damaged(what="something follows after the end of the archive")
        rest = file.read(CHUNK_BYTES)


def _header(block: bytes) -> tarfile.TarInfo:
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "strict")
    except UnicodeDecodeError:
        raise BadHandIn(
            "a name that is not UTF-8: rename it, and pack it again",
            path=block[:100].rstrip(b"\0").decode(errors="backslashreplace"),
        ) from None
    except (tarfile.HeaderError, ValueError):
        raise damaged() from None


def _octets(header: tarfile.TarInfo, extended: Mapping[str, str]) -> int:
    """How many bytes of content follow."""
    if header.type in _WITHOUT_CONTENT:
        return 0
    size = extended.get("size", str(header.size))
    if not (size.isascii() and size.isdigit() and len(size) < 20):
        raise damaged(header.name)
    return int(size)


def _entry_of(header: tarfile.TarInfo, extended: Mapping[str, str], octets: int) -> ArchiveEntry:
    spelled = extended.get("path", header.name)
    path = parts_of(spelled)
    is_folder = header.type == tarfile.DIRTYPE
    wrong = ""
    if header.type in _LINKS:
        wrong = f"{_LINKS[header.type]}, expected files and folders only: put a copy in its place"
    elif header.type in _SPECIAL:
        wrong = "a device, a pipe or the like, expected files and folders only: leave it out"
    elif header.type == tarfile.GNUTYPE_SPARSE or _SPARSE in extended:
        wrong = "packed as a file with holes: pack it as it is"
    elif not is_folder and header.type not in _FILES:
        wrong = "a kind of entry that few programs read: pack an ordinary tar.gz or zip"
    return ArchiveEntry(spelled=spelled, path=path, is_folder=is_folder, octets=octets, wrong=wrong)


def _extended(kind: bytes, content: bytes) -> dict[str, str]:
    """What an extended header says about the entry after it; of one that is about all, only that it may."""
    if kind == tarfile.GNUTYPE_LONGLINK:
        return {}
    if kind == tarfile.GNUTYPE_LONGNAME:
        return {"path": _text(content.rstrip(b"\0"))}
    said = dict(_records(content))
    if kind == tarfile.XGLTYPE:  # hosting sites write the commit there
        if not said.keys().isdisjoint(("path", "size", _SPARSE)):
            raise damaged(what="the archive gives all its files one name or size")
        return {}
    return said


def _records(content: bytes) -> Iterator[tuple[str, str]]:
    """The keys and values of a pax header, of those that matter."""
    at = 0
    while at < len(content):
        length, _, _ = content[at : at + 8].partition(b" ")
        end = at + int(length) if length.isdigit() else 0
        key, is_there, value = content[at + len(length) + 1 : end - 1].partition(b"=")
        if not is_there or end > len(content) or content[end - 1 : end] != b"\n":
            raise damaged()
        if key in (b"path", b"size"):
            yield _text(key), _text(value)
        if key.startswith(b"GNU.sparse."):
            yield _SPARSE, ""
        at = end


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise BadHandIn(
            "a name that is not UTF-8: rename it, and pack it again",
            path=content[:200].decode(errors="backslashreplace"),
        ) from None
