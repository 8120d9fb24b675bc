"""Tars that are made to harm, packed by gzip or not: each is refused with a sentence, and nothing is left of it."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc

import pytest
from archive_maker import (
    BOT,
    SMALL,
    Ground,
    Member,
    files_in,
    gzip_of,
    packed_tar,
    pax,
    tar_of,
    zeros,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_hostile_zips import PATHS, Counted

from arena.handin.bounds import CHUNK_BYTES, BadHandIn
from arena.handin.unpack import unpack_bot

GOOD = Member(name="bot.py")
LONG = b"L"

BROKEN = {
    "a symbolic link": [GOOD, Member(name="x", content=b"", kind=tarfile.SYMTYPE, link="/etc/passwd")],
    "a link within": [GOOD, Member(name="x", content=b"", kind=tarfile.SYMTYPE, link="bot.py")],
    "a hard link": [GOOD, Member(name="x", content=b"", kind=tarfile.LNKTYPE, link="bot.py")],
    "a hard link out": [GOOD, Member(name="x", content=b"", kind=tarfile.LNKTYPE, link="../../secret.txt")],
    "a link, then a file through it": [
        Member(name="a", content=b"", kind=tarfile.SYMTYPE, link="/tmp"),
        Member(name="a/evil.py"),
    ],
    "a file, then a link in its place": [
        GOOD,
        Member(name="bot.py", content=b"", kind=tarfile.SYMTYPE, link="/etc/passwd"),
    ],
    "a device": [GOOD, Member(name="x", content=b"", kind=tarfile.CHRTYPE)],
    "a disk": [GOOD, Member(name="x", content=b"", kind=tarfile.BLKTYPE)],
    "a FIFO": [GOOD, Member(name="x", content=b"", kind=tarfile.FIFOTYPE)],
    "a file with holes": [GOOD, Member(name="x", kind=tarfile.GNUTYPE_SPARSE)],
    "a file with holes, as pax has it": [
        GOOD,
        pax({"GNU.sparse.major": "1", "GNU.sparse.realsize": str(1 << 40)}),
        Member(name="x"),
    ],
    "an unknown kind": [GOOD, Member(name="x", kind=b"Z")],
    "a volume": [GOOD, Member(name="x", content=b"", kind=b"V")],
    "one file twice": [GOOD, GOOD],
    "a file and a folder": [GOOD, Member(name="x"), Member(name="x/y")],
    "names equal but for case": [GOOD, Member(name="BOT.py")],
    "a backslash in a name": [GOOD, Member(name="a\\b")],
    "a name that is not UTF-8": [GOOD, Member(name="a\udcff.py")],
    "a long name that is not UTF-8": [
        GOOD,
        Member(name="x", content=b"a\xff\0", kind=LONG),
        Member(name="x"),
    ],
    "a pax name that is not UTF-8": [GOOD, pax(b"10 path=\xff\n"), Member(name="x")],
    "a huge pax header": [GOOD, pax({"comment": "x" * (2 << 20)}), Member(name="x")],
    "a pax header of terabytes": [GOOD, Member(name="x", content=b"", kind=tarfile.XHDTYPE, octets=5 << 40)],
    "a long name of terabytes": [GOOD, Member(name="x", content=b"", kind=LONG, octets=5 << 40)],
    "a global pax header of terabytes": [
        GOOD,
        Member(name="x", content=b"", kind=tarfile.XGLTYPE, octets=5 << 40),
    ],
    "a global header with a path": [pax({"path": "../evil.py"}, tarfile.XGLTYPE), GOOD],
    "a global header with a size": [pax({"size": "1"}, tarfile.XGLTYPE), GOOD],
    "a pax record without a length": [GOOD, pax(b"path=x\n"), Member(name="x")],
    "a pax record of length 0": [GOOD, pax(b"0 path=x\n"), Member(name="x")],
    "a pax record that is too long": [GOOD, pax(b"99 path=x\n"), Member(name="x")],
    "a pax record without an end": [GOOD, pax(b"10 path=xy"), Member(name="x")],
    "a pax record of an endless length": [GOOD, pax(b"1" * 5000), Member(name="x")],
    "a pax size that is no number": [GOOD, pax({"size": "-1"}), Member(name="x")],
    "a pax size of many digits": [GOOD, pax({"size": "1" * 5000}), Member(name="x")],
    "a pax size in other digits": [GOOD, pax({"size": "\u0661"}), Member(name="x")],
    "a pax size that reaches into the next file": [
        GOOD,
        pax({"size": "600"}),
        Member(name="x"),
        Member(name="y"),
    ],
    "a size below zero": [GOOD, Member(name="x", octets=-1)],
    "a size of terabytes": [GOOD, Member(name="x", octets=5 << 40)],
    "a size that is too large": [GOOD, Member(name="x", octets=5000)],
    "a wrong checksum": [GOOD, b"bot.py" + bytes(506)],
    "garbage": [GOOD, b"garbage!" * 64],
    "half a block": [GOOD, b"garbage"],
    "a zero block, then more": [GOOD, bytes(512), Member(name="x")],
    "another tar behind": [GOOD, bytes(1024), tar_of(GOOD)],
    "too many files": [Member(name=f"{n}") for n in range(SMALL.files_max + 1)],
    "too many files and folders": [Member(name=f".git/{n}", content=b"") for n in range(SMALL.entries_max)],
    "too many folders": [
        Member(name=f"{n}/", content=b"", kind=tarfile.DIRTYPE) for n in range(SMALL.entries_max + 1)
    ],
    "nothing but headers": [pax({"comment": "x"}) for _ in range(1000)],
    "nothing": [],
    "a file without a name": [GOOD, Member(name=".")],
    "nothing but an empty folder": [Member(name="a/", content=b"", kind=tarfile.DIRTYPE)],
}


HEADERS = [
    (path, how)
    for path in PATHS
    if "\\" not in path or ":" in path
    for how in ("pax", "long", "plain")
    if how != "plain" or (len(path) <= 100 and "\0" not in path)
]


@pytest.mark.parametrize(("path", "how"), HEADERS)
def test_no_path_leads_out(ground: Ground, path: str, how: str) -> None:
    """Whichever header the path stands in."""
    if how == "plain":
        members: list[Member | bytes] = [Member(name=path)]
    elif how == "pax":
        members = [pax({"path": path}), Member(name="x")]
    else:
        members = [Member(name="x", content=path.encode() + b"\0", kind=LONG), Member(name="x")]
    assert ground.refusal(packed_tar(GOOD, *members)).path


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_what_is_no_bot_is_refused(ground: Ground, what: str, pack: type) -> None:
    """Links, devices, holes, headers that take memory, sizes that lie, what follows the end."""
    said = str(ground.refusal(pack(tar_of(*BROKEN[what]))))
    assert said.isprintable()
    assert len(said) < 300


FRAMES = {
    "a gzip file of something else": gzip.compress(BOT),
    "a gzip file of a gzip file": gzip.compress(packed_tar(GOOD)),
    "a gzip file of nothing": gzip.compress(b""),
    "garbage behind": packed_tar(GOOD) + b"garbage",
    "two gzip files": packed_tar(GOOD) + packed_tar(GOOD),
    "a thousand gzip files": packed_tar(GOOD) + gzip.compress(b"") * 1000,
    "a wrong checksum": packed_tar(GOOD)[:-8] + bytes(8),
    "no checksum": packed_tar(GOOD)[:-8],
    "a header alone": b"\x1f\x8b",
    "a header with an endless name": b"\x1f\x8b\x08\x08\0\0\0\0\0\xff" + b"n" * 100_000,
    "no end": gzip.compress(tar_of(GOOD, end=b"")),
    "no end, not packed": tar_of(GOOD, end=b""),
    "bzip2": b"BZh91AY&SY",
    "xz": b"\xfd7zXZ\0",
    "zstd": b"\x28\xb5\x2f\xfd",
    "RAR": b"Rar!\x1a\x07\x01\0",
    "7z": b"7z\xbc\xaf\x27\x1c\0\4",
}


@pytest.mark.parametrize("what", FRAMES)
def test_a_tar_is_a_tar_from_its_beginning_to_its_end(ground: Ground, what: str) -> None:
    """No other archive, nothing behind it, and all of it."""
    ground.refusal(FRAMES[what])


def bomb(*, megabytes: int, name: str = "x") -> bytes:
    """A tar of one file of zeros, by gzip."""
    header = tar_of(Member(name=name, content=b"", octets=megabytes << 20), end=b"")
    return gzip_of(_deflated_block(header) + zeros(megabytes))


def _deflated_block(content: bytes) -> bytes:
    """A stored block of deflate, after which others follow."""
    size = len(content)
    return b"\0" + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + content


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x", "node_modules/x", ".git/x"])
def test_a_bomb_is_refused_while_it_is_read(ground: Ground, name: str) -> None:
    """Also in what is left out, which a tar must unpack to pass over."""
    octets, ticks = bomb(megabytes=900, name=name), 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    source = Counted(octets)
    tracemalloc.start()
    with ground.watched(), pytest.raises(BadHandIn, match="more than"):
        unpack_bot(source, ground.store, limits=SMALL, tick=tick)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ticks <= SMALL.stream_bytes_max // CHUNK_BYTES + 3
    assert source.read_octets <= 3 * CHUNK_BYTES
    assert peak < 1 << 20, f"{peak:,} bytes"


@pytest.mark.slow
def test_zeros_after_the_end_end_too(ground: Ground) -> None:
    """They are passed over, up to a limit."""
    assert {"bot.py": BOT} == files_in(ground.unpack(gzip.compress(tar_of(GOOD) + bytes(20_000))).folder)
    octets = gzip_of(_deflated_block(tar_of(GOOD)) + zeros(900))
    with ground.watched(), pytest.raises(BadHandIn, match="more than"):
        unpack_bot(io.BytesIO(octets), ground.store, limits=SMALL)


@pytest.mark.slow
def test_half_a_million_entries_are_refused_before_they_are_in_memory(ground: Ground) -> None:
    """They are counted as they come."""
    one = tar_of(Member(name="node_modules/x", content=b""), end=b"")
    octets = gzip.compress(one * 30_000, 1)
    source = Counted(octets)
    with ground.watched(), pytest.raises(BadHandIn, match="200 files"):
        unpack_bot(source, ground.store, limits=SMALL)
    assert source.read_octets <= 3 * CHUNK_BYTES


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.booleans())
def test_a_tar_that_is_cut_is_refused(ground: Ground, data: st.DataObject, is_packed: bool) -> None:
    """However much of it came."""
    members = (GOOD, Member(name="a/b.txt", content=b"b" * 500))
    octets = packed_tar(*members) if is_packed else tar_of(*members, end=bytes(512))
    ground.refusal(octets[: data.draw(st.integers(2 if is_packed else 300, len(octets) - 1))])


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.text("ab./\\:\0 \u00fcC~-", min_size=1, max_size=12), st.binary(max_size=200)),
        max_size=5,
    ),
    st.data(),
)
def test_whatever_is_in_it_nothing_leads_out(
    ground: Ground, files: list[tuple[str, bytes]], data: st.DataObject
) -> None:
    """Any names, any damage: it is refused, or lies in a folder of its own."""
    octets = bytearray(tar_of(GOOD, *(Member(name=name, content=content) for name, content in files)))
    for _ in range(data.draw(st.integers(0, 3))):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    for packed in (bytes(octets), gzip.compress(octets)):
        try:
            ground.unpack(packed, name="x.tar")
        except BadHandIn:
            pass


def test_headers_that_people_have_are_read(ground: Ground) -> None:
    """Long names by GNU tar and by pax, what macOS notes about a file, and a comment about all."""
    long = "/".join(["folder" * 20] * 3) + "/x.py"
    members = [
        pax({"comment": "52a1c64ff1dbd1a4b7ba5ffbb7a4fcbfb5f7f6c0"}, tarfile.XGLTYPE),
        GOOD,
        Member(name="x", content=long.encode() + b"\0", kind=LONG),
        Member(name="cut", content=b"1"),
        pax({"path": "ü.py", "mtime": "1.5", "LIBARCHIVE.xattr.com.apple.quarantine": "x" * 9000}),
        Member(name="cut", content=b"2"),
        pax({"size": "3"}),
        Member(name="sized", content=b"abc", octets=0),
    ]
    with tarfile.open(fileobj=io.BytesIO(tar_of(*members))) as archive:
        assert long in archive.getnames()
    found = files_in(ground.unpack(packed_tar(*members)).folder)
    assert {"bot.py": BOT, long: b"1", "ü.py": b"2", "sized": b"abc"} == found


def test_sizes_of_folders_and_links_are_no_content(ground: Ground) -> None:
    """Some packers declare one, and the next header follows at once."""
    members = [
        Member(name="a/", content=b"", kind=tarfile.DIRTYPE, octets=4096),
        Member(name="a/.git/x", content=b"", kind=tarfile.LNKTYPE, link="bot.py", octets=99),
        Member(name="a/bot.py"),
    ]
    assert {"bot.py": BOT} == files_in(ground.unpack(packed_tar(*members)).folder)
