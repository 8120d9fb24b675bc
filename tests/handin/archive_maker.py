"""Makes archives byte by byte, as no packer would, and unpacks them where any trace outside would be seen."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import attrs

from arena.handin.bounds import BadHandIn, HandInLimits
from arena.handin.unpack import HandIn, unpack_bot

BOT = b'print("a bot")\n'
SMALL = HandInLimits(archive_mb=1, files_max=20)
"""4 MB unpacked, 16 MB of tar, 200 entries."""


@attrs.frozen(kw_only=True)
class Part:
    """An entry of a zip, and what is wrong with it."""

    name: bytes | str
    content: bytes = BOT
    packed: bytes | None = None
    """What lies in the archive; None: the deflated content."""
    method: int = 8
    flags: int = 0
    mode: int = 0o100644
    octets: int | None = None
    """The size that it declares; None: the true one."""
    check: int | None = None
    packed_octets: int | None = None
    extra: bytes = b""
    local_name: bytes | None = None
    local_extra: bytes = b""
    has_descriptor: bool = False
    """Whether its sizes stand behind its content, as packers do it that write to a stream."""
    system: int = 3
    attributes: int = 0
    """Those of DOS."""
    place: int | None = None
    """Where it says that its local header is; None: where it is."""

    @property
    def raw(self) -> bytes:
        return self.name.encode() if isinstance(self.name, str) else self.name

    @property
    def stored(self) -> bytes:
        if self.packed is not None:
            return self.packed
        return deflated(self.content) if self.method == 8 else self.content


def deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def zip_of(
    *parts: Part,
    before: bytes = b"",
    after: bytes = b"",
    comment: bytes = b"",
    within: bytes = b"",
    number: int | None = None,
    disk: int = 0,
    size: int | None = None,
) -> bytes:
    """A zip; `before`, `within` and `after`: what is put in front of it, before its directory, and behind it."""
    made, directory = bytearray(), bytearray()
    for part in parts:
        stored, raw = part.stored, part.raw
        check = zlib.crc32(part.content) if part.check is None else part.check
        octets = len(part.content) if part.octets is None else part.octets
        packed = len(stored) if part.packed_octets is None else part.packed_octets
        place = len(made) if part.place is None else part.place
        flags = part.flags | 8 * part.has_descriptor
        sizes = (check, packed, octets)
        local = raw if part.local_name is None else part.local_name
        head = (b"PK\3\4", 20, flags, part.method, 0, 0x21)
        local_sizes = (0, 0, 0) if part.has_descriptor else sizes
        made += struct.pack("<4s5H3L2H", *head, *local_sizes, len(local), len(part.local_extra))
        made += local + part.local_extra + stored
        if part.has_descriptor:
            made += b"PK\x07\x08" + struct.pack("<3L", *sizes)
        directory += struct.pack(
            "<4s6H3L5H2L",
            *(b"PK\1\2", part.system << 8 | 20, 20, flags, part.method, 0, 0x21, *sizes),
            *(len(raw), len(part.extra), 0, 0, 0, part.mode << 16 | part.attributes, place),
        )
        directory += raw + part.extra
    number = len(parts) if number is None else number
    begin = len(made)
    return (
        before
        + bytes(made)
        + within
        + bytes(directory)
        + struct.pack(
            "<4s4H2LH",
            *(b"PK\5\6", disk, disk, number, number, size or len(directory), begin, len(comment)),
        )
        + comment
        + after
    )


def in_64_bits(*values: int) -> bytes:
    """The extra field with sizes (and the place) that do not fit into 32 bits."""
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)


@attrs.frozen(kw_only=True)
class Member:
    """An entry of a tar."""

    name: str
    content: bytes = BOT
    kind: bytes = tarfile.REGTYPE
    link: str = ""
    octets: int | None = None
    """The size that it declares; None: the true one."""


def tar_of(*members: Member | bytes, end: bytes = bytes(1024)) -> bytes:
    """A tar; bytes are put in as they are."""
    made = bytearray()
    for member in members:
        made += member if isinstance(member, bytes) else _blocks(member)
    return bytes(made) + end


def _blocks(member: Member) -> bytes:
    header = tarfile.TarInfo(member.name)
    header.type, header.linkname = member.kind, member.link
    header.size = len(member.content) if member.octets is None else member.octets
    block = header.tobuf(tarfile.GNU_FORMAT, errors="surrogateescape")
    return block + member.content + bytes(-len(member.content) % 512)


def pax(records: dict[str, str] | bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """An extended header."""
    content = records if isinstance(records, bytes) else b"".join(map(_record, records, records.values()))
    return _blocks(Member(name="PaxHeaders/x", content=content, kind=kind))


def _record(key: str, value: str) -> bytes:
    body = f" {key}={value}\n".encode()
    length = next(n for n in range(len(body), len(body) + 10) if n == len(body) + len(str(n)))
    return str(length).encode() + body


def packed_tar(*members: Member | bytes) -> bytes:
    return gzip.compress(tar_of(*members), mtime=0)


@cache
def zeros(megabytes: int) -> bytes:
    """Deflated zeros: a thousandth of what they unpack to, and made at once."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + b"\3\0"


def gzip_of(stream: bytes, content: bytes = b"") -> bytes:
    """A deflated stream as gzip has it."""
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stream + struct.pack("<2L", zlib.crc32(content), len(content))


# Where they are unpacked.


@attrs.frozen
class Ground:
    """A folder with a store in it, and other things that must stay as they are."""

    here: Path

    @property
    def store(self) -> Path:
        return self.here / "data" / "bots"

    def unpack(self, octets: bytes, name: str = "mybot.zip", limits: HandInLimits = SMALL) -> HandIn:
        with self.watched():
            return unpack_bot(io.BytesIO(octets), self.store, name=name, limits=limits)

    def refusal(self, octets: bytes, name: str = "mybot.zip", limits: HandInLimits = SMALL) -> BadHandIn:
        """The error with which it is refused; nothing is left of it."""
        try:
            self.unpack(octets, name, limits)
        except BadHandIn as error:
            assert [] == (sorted(self.store.iterdir()) if self.store.exists() else [])
            return error
        raise AssertionError("it was taken")

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Nothing outside of the store changes here, and in it are whole hand-ins only."""
        before = self._outside()
        try:
            yield
        finally:
            assert before == self._outside(), "something was written outside of the store"
            names = os.listdir(self.store) if self.store.exists() else []
            assert [] == [name for name in names if len(name) != 64]

    def _outside(self) -> dict[str, bytes]:
        """All files here and in the folder above, but for those in the store."""
        found = {}
        for top, folders, names in os.walk(self.here.parent):
            if top == str(self.store.parent):
                names = sorted({*folders, *names} - {self.store.name})
                folders.clear()
            found |= {f"{top}/{name}/": b"" for name in folders if name != self.store.parent.name}
            found |= {f"{top}/{name}": Path(top, name).read_bytes() for name in names}
        return found


def files_in(folder: Path) -> dict[str, bytes]:
    """The files below a folder; those with the right to run have a `*` behind their path."""
    return {
        path.relative_to(folder).as_posix() + "*" * bool(path.stat().st_mode & 0o111): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
