"""Reads zip archives that others made, with bounds of our own.

Not by `zipfile`, which makes an object for each entry before anybody can count them, cuts names at a NUL, and
reads archives with something in front of them or with entries that share bytes.  It reads the two methods
that every packer has, stored and deflated.
Source: APPNOTE.TXT of PKWARE, version 6.3.10.
"""

from __future__ import annotations

import stat
import struct
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Container, Iterator
from typing import BinaryIO

import attrs

from arena.handin.archives import ArchiveEntry, damaged, exactly
from arena.handin.bounds import CHUNK_BYTES, BadHandIn
from arena.handin.paths import Parts, parts_of

_END, _END_MARK = struct.Struct("<4s4H2LH"), b"PK\x05\x06"
_END_64, _END_64_MARK = struct.Struct("<4sQ2H2L4Q"), b"PK\x06\x06"
_END_64_AT, _END_64_AT_MARK = struct.Struct("<4sLQL"), b"PK\x06\x07"
_ENTRY, _ENTRY_MARK = struct.Struct("<4s6H3L5H2L"), b"PK\x01\x02"
_LOCAL, _LOCAL_MARK = struct.Struct("<4s5H3L2H"), b"PK\x03\x04"
_COMMENT_BYTES_MAX = 0xFFFF
_IN_EXTRA = 0xFFFFFFFF
"""Stands for a size or place that is in the extra field, with 64 bits."""
_ENCRYPTED, _UTF8 = 0x2041, 0x800
_STORED, _DEFLATED = 0, 8
_SIZES_EXTRA, _NAME_EXTRA = 0x0001, 0x7075


@attrs.frozen(kw_only=True)
class _ZipEntry(ArchiveEntry):
    raw: bytes
    method: int
    check: int
    """The CRC-32 of its content."""
    packed: int
    """Its size (bytes) in the archive."""
    place: int
    """Where its local header begins."""


class ZipArchive:
    """A zip archive in a seekable file."""

    def __init__(self, file: BinaryIO, octets: int) -> None:
        """`octets`: the size of the file.  Raises BadHandIn if it does not end as a zip archive does."""
        self._file = file
        self._begin, self._end, self._declared = _directory(file, octets)

    def entries(self) -> Iterator[ArchiveEntry]:
        """What the central directory lists."""
        return self._listed()

    def contents(self, wanted: Container[Parts]) -> Iterator[tuple[Parts, Iterator[bytes]]]:
        """The wanted files in the order in which they lie in the archive."""
        places = array("Q")
        entries = []
        for entry in self._listed():
            places.append(entry.place)
            if not entry.is_folder and entry.path in wanted:
                entries.append(entry)
        places = array("Q", sorted(places))
        for entry in sorted(entries, key=lambda entry: entry.place):
            after = bisect_right(places, entry.place)
            is_twice = places[after - 2 : after - 1] == places[after - 1 : after]
            end = places[after] if after < len(places) else self._begin
            yield entry.path, self._content(entry, entry.place if is_twice else min(end, self._begin))

    def _listed(self) -> Iterator[_ZipEntry]:
        place, number = self._begin, 0
        while place < self._end:
            self._file.seek(place)
            fields = _ENTRY.unpack(exactly(self._file, _ENTRY.size))
            sizes = fields[10:13]
            variable = exactly(self._file, sum(sizes))
            place += _ENTRY.size + len(variable)
            number += 1
            if fields[0] != _ENTRY_MARK or place > self._end:
                raise damaged()
            yield _entry(fields, variable[: sizes[0]], variable[sizes[0] : sizes[0] + sizes[1]])
        if number & 0xFFFF != self._declared & 0xFFFF:
            raise damaged()

    def _content(self, entry: _ZipEntry, end: int) -> Iterator[bytes]:
        """The pieces of a file, which is exactly as large as it says and has the checksum that it says.

        `end`: where the next entry begins, or the directory.
        """
        begin, left = self._begin_of(entry), entry.packed
        if begin + left > end:
            raise damaged(entry.spelled, "its bytes are also those of another entry")
        self._file.seek(begin)
        check = octets = 0
        for piece in (_inflated if entry.method == _DEFLATED else _stored)(self._file, left, entry.spelled):
            octets += len(piece)
            check = zlib.crc32(piece, check)
            if octets > entry.octets:
                raise damaged(entry.spelled, "larger than the archive says")
            yield piece
        if octets != entry.octets or check != entry.check:
            raise damaged(entry.spelled)

    def _begin_of(self, entry: _ZipEntry) -> int:
        """Where its content begins, after the local header, which says the same as the directory."""
        if entry.place > self._begin:
            raise damaged(entry.spelled)
        self._file.seek(entry.place)
        mark, _, flags, method, *_, name_bytes, extra_bytes = _LOCAL.unpack(
            exactly(self._file, _LOCAL.size, entry.spelled)
        )
        name = exactly(self._file, name_bytes, entry.spelled)
        if mark != _LOCAL_MARK or name != entry.raw or method != entry.method or flags & _ENCRYPTED:
            raise damaged(entry.spelled, "the archive says two different things about it")
        return entry.place + _LOCAL.size + int(name_bytes + extra_bytes)


def _directory(file: BinaryIO, octets: int) -> tuple[int, int, int]:
    """Where the central directory begins and ends, and how many entries it declares."""
    tail_at = max(0, octets - _END.size - _COMMENT_BYTES_MAX)
    file.seek(tail_at)
    tail = exactly(file, octets - tail_at)
    at = last = tail.rfind(_END_MARK)
    while at >= 0 and _left_after(tail, at):
        at = tail.rfind(_END_MARK, 0, at)
    if at < 0:
        has_end = last >= 0 and _left_after(tail, last) > 0
        raise damaged(what="something follows after the end of the archive" if has_end else "")
    _, disk, first_disk, _, number, size, begin, _ = _END.unpack_from(tail, at)
    end = tail_at + at
    if end >= _END_64_AT.size:
        file.seek(end - _END_64_AT.size)
        mark, _, end_64, disks = _END_64_AT.unpack(exactly(file, _END_64_AT.size))
        if mark == _END_64_AT_MARK:
            return _directory_64(file, end_64, end - _END_64_AT.size, disks)
    return _checked(begin, size, end, number, disk or first_disk)


def _directory_64(file: BinaryIO, at: int, locator_at: int, disks: int) -> tuple[int, int, int]:
    """The same from the record for large archives."""
    if at + _END_64.size > locator_at:
        raise damaged()
    file.seek(at)
    mark, size, _, _, disk, first_disk, _, number, directory_bytes, begin = _END_64.unpack(
        exactly(file, _END_64.size)
    )
    if mark != _END_64_MARK or at + 12 + size != locator_at:
        raise damaged()
    return _checked(begin, directory_bytes, at, number, disk or first_disk or disks > 1)


def _left_after(tail: bytes, at: int) -> int:
    """How many bytes follow after a record that begins there, with its comment; below 0 if it is cut."""
    rest = len(tail) - at - _END.size
    return rest - int(_END.unpack_from(tail, at)[-1]) if rest >= 0 else rest


def _checked(begin: int, size: int, end: int, number: int, has_parts: int) -> tuple[int, int, int]:
    if has_parts:
        raise BadHandIn("the archive is one of several parts, expected one with everything")
    if begin + size != end:
        raise damaged(what="the archive has something in front of it or in it that belongs to no file")
    return begin, end, number


def _entry(fields: tuple[int, ...], raw: bytes, extra: bytes) -> _ZipEntry:
    _, _, _, flags, method, _, _, check, packed, octets, *_, attributes, place = fields
    extras = dict(_extras(extra))
    spelled, is_guessed = _decoded(raw, flags, extras.get(_NAME_EXTRA, b""))
    octets, packed, place = _in_64_bits((octets, packed, place), extras.get(_SIZES_EXTRA, b""), spelled)
    path = parts_of(spelled.replace("\\", "/"))  # as old packers of Windows have it
    is_folder = spelled.endswith(("/", "\\"))
    return _ZipEntry(
        spelled=spelled,
        path=path,
        is_folder=is_folder,
        octets=octets,
        wrong=_wrong(flags, method, attributes >> 16, is_folder, packed != octets),
        is_guessed=is_guessed,
        raw=raw,
        method=method,
        check=check,
        packed=packed,
        place=place,
    )


def _wrong(flags: int, method: int, mode: int, is_folder: bool, is_smaller: bool) -> str:
    """Why an entry cannot be taken."""
    if stat.S_ISLNK(mode):
        return "a symbolic link, expected files and folders only: put a copy in its place"
    if not is_folder and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "a device, a pipe or the like, expected files and folders only: leave it out"
    if flags & _ENCRYPTED:
        return "encrypted: pack it without a password"
    if method not in (_STORED, _DEFLATED) or (method == _STORED and is_smaller):
        return "compressed by a method that few programs read: pack an ordinary zip (deflate)"
    return ""


def _extras(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of an extra field, by their kinds; what is left at its end is padding."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<2H", extra, at)
        yield kind, extra[at + 4 : at + 4 + size]
        at += 4 + size


def _decoded(raw: bytes, flags: int, extra: bytes) -> tuple[str, bool]:
    """A name, and whether its encoding is a guess.

    macOS writes UTF-8 and does not say so; else it is the code page of DOS, which Windows still uses.
    """
    if extra[:1] == b"\x01" and extra[1:5] == zlib.crc32(raw).to_bytes(4, "little"):
        raw, flags = extra[5:], flags | _UTF8
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        spelled = raw.decode("cp437")
    if flags & _UTF8:
        raise BadHandIn(
            "a name that is not UTF-8 though the archive says so: rename it, and pack it again", path=spelled
        )
    return spelled, True


def _in_64_bits(values: tuple[int, ...], extra: bytes, spelled: str) -> tuple[int, ...]:
    """Sizes and place of an entry, of which those that have no room in 32 bits are in an extra field."""
    at, found = 0, []
    for value in values:
        if value == _IN_EXTRA and extra:
            if at + 8 > len(extra):
                raise damaged(spelled)
            (value,) = struct.unpack_from("<Q", extra, at)
            at += 8
        found.append(value)
    return tuple(found)


def _stored(file: BinaryIO, left: int, path: str) -> Iterator[bytes]:
    while left:
        piece = exactly(file, min(left, CHUNK_BYTES), path)
        left -= len(piece)
        yield piece


def _inflated(file: BinaryIO, left: int, path: str) -> Iterator[bytes]:
    """Unpacked pieces, none larger than CHUNK_BYTES, whatever the packed ones unpack to."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    feed = b""
    while not unpacker.eof:
        if not feed and left:
            feed = exactly(file, min(left, CHUNK_BYTES), path)
            left -= len(feed)
        try:
            piece = unpacker.decompress(feed, CHUNK_BYTES)
        except zlib.error:
            raise damaged(path) from None
        feed = unpacker.unconsumed_tail
        if piece:
            yield piece
        elif not feed and not left and not unpacker.eof:
            raise damaged(path)
    if left or unpacker.unused_data:
        raise damaged(path)
