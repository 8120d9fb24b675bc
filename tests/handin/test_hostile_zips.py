"""Zips that are made to harm: each is refused with a sentence, and nothing is left of it or written elsewhere."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile

import pytest
from archive_maker import BOT, SMALL, Ground, Part, deflated, files_in, in_64_bits, zeros, zip_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.handin.bounds import CHUNK_BYTES, BadHandIn, HandInLimits
from arena.handin.unpack import unpack_bot

GOOD = Part(name="bot.py")
DIRECTORY = b"PK\1\2"
LOADED = 0xFFFFFFFF

PATHS = [
    "../evil.py",
    "a/../../evil.py",
    "a/..",
    "..",
    "/evil.py",
    "//evil.py",
    "///../evil.py",
    "..\\evil.py",
    "a\\..\\..\\evil.py",
    "a/..\\../evil.py",
    "\\evil.py",
    "\\\\server\\share\\evil.py",
    "C:\\evil.py",
    "C:evil.py",
    "c:/evil.py",
    "./../evil.py",
    ".git/../../evil.py",
    "__MACOSX/../../../evil.py",
    "evil.py\0.txt",
    "a/" * 600 + "evil.py",
    "e" * 300,
]
BROKEN = {
    "a symbolic link": [GOOD, Part(name="x", content=b"/etc/passwd", mode=0o120777)],
    "a device": [GOOD, Part(name="x", content=b"", mode=0o020666)],
    "a FIFO": [GOOD, Part(name="x", content=b"", mode=0o010666)],
    "a socket": [GOOD, Part(name="x", content=b"", mode=0o140666)],
    "a folder's mode for a file": [GOOD, Part(name="x", mode=0o040755)],
    "a link, then a file through it": [
        Part(name="a", content=b"/tmp", mode=0o120777),
        Part(name="a/evil.py"),
    ],
    "encrypted": [GOOD, Part(name="x", flags=1)],
    "strongly encrypted": [GOOD, Part(name="x", flags=0x41)],
    "encrypted names": [GOOD, Part(name="x", flags=0x2000)],
    "bzip2": [GOOD, Part(name="x", method=12)],
    "LZMA": [GOOD, Part(name="x", method=14)],
    "zstd": [GOOD, Part(name="x", method=93)],
    "an unknown method": [GOOD, Part(name="x", method=77)],
    "one file twice": [GOOD, GOOD],
    "a file and a folder": [GOOD, Part(name="x"), Part(name="x/y")],
    "a folder and a file": [GOOD, Part(name="x/y"), Part(name="x")],
    "an empty folder and a file": [GOOD, Part(name="x/", content=b""), Part(name="x")],
    "names equal but for case": [GOOD, Part(name="BOT.py")],
    "folders equal but for case": [GOOD, Part(name="a/x"), Part(name="A/y")],
    "names equal but for composition": [GOOD, Part(name="\u00fc.py"), Part(name="u\u0308.py")],
    "names equal but for width": [GOOD, Part(name="\uff42ot.py")],
    "names equal but for sharp s": [GOOD, Part(name="gro\u00df"), Part(name="GROSS")],
    "an escape sequence in a name": [GOOD, Part(name="\x1b[31mred")],
    "a change of writing direction": [GOOD, Part(name="a\u202eyp.tob")],
    "a line break in a name": [GOOD, Part(name="a\nb")],
    "a name that is not UTF-8 though it says so": [GOOD, Part(name=b"a\xff.py", flags=0x800)],
    "too many folders in each other": [GOOD, Part(name="a/" * 40 + "x")],
    "smaller than it says": [GOOD, Part(name="x", octets=len(BOT) + 1)],
    "larger than it says": [GOOD, Part(name="x", octets=len(BOT) - 1)],
    "stored and larger": [GOOD, Part(name="x", method=0, octets=3)],
    "another checksum": [GOOD, Part(name="x", check=1)],
    "garbage for deflate": [GOOD, Part(name="x", packed=b"\xff\xff\xff\xff")],
    "deflate without an end": [GOOD, Part(name="x", packed=deflated(BOT)[:-3])],
    "something after deflate's end": [GOOD, Part(name="x", packed=deflated(BOT) + b"more")],
    "nothing for deflate": [GOOD, Part(name="x", packed=b"")],
    "another name in front of the file": [GOOD, Part(name="x", local_name=b"y")],
    "a place outside": [GOOD, Part(name="x", place=1 << 30)],
    "a place far outside": [GOOD, Part(name="x", place=LOADED, extra=in_64_bits((1 << 64) - 1))],
    "a place in the directory": [GOOD, Part(name="x", place=50)],
    "one place for two": [GOOD, Part(name="bot.py.copy", place=0, local_name=b"bot.py")],
    "a size that reaches into the next file": [
        Part(name="x", method=0, packed_octets=len(BOT) + 40, octets=len(BOT) + 40),
        GOOD,
    ],
    "a size that reaches out of the file": [
        GOOD,
        Part(name="x", method=0, packed_octets=1 << 30, octets=1 << 30),
    ],
    "terabytes": [GOOD, Part(name="x", octets=LOADED, extra=in_64_bits(5 << 40))],
    "2⁶⁴ − 1 bytes": [GOOD, Part(name="x", octets=LOADED, extra=in_64_bits((1 << 64) - 1))],
    "half a size": [GOOD, Part(name="x", octets=LOADED, extra=in_64_bits(1)[:9])],
    "too many files": [Part(name=f"{n}.py") for n in range(SMALL.files_max + 1)],
    "too many files and folders": [Part(name=f"node_modules/{n}") for n in range(SMALL.entries_max)],
    "too many folders": [Part(name=f"{n}/", content=b"") for n in range(SMALL.entries_max + 1)],
    "too many folders around few files": [Part(name=f"{n}/" * 60 + "x") for n in range(4)],
    "one name many times": [Part(name="node_modules/x") for _ in range(SMALL.entries_max + 1)],
    "nothing": [],
    "an empty folder": [Part(name="a/", content=b"")],
    "nothing but litter": [Part(name="__MACOSX/._x"), Part(name="a/.git/config"), Part(name="a/.DS_Store")],
    "a file without a name": [GOOD, Part(name="")],
}


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_out(ground: Ground, path: str) -> None:
    """Upwards, absolute, of a drive, of a network, cut at a NUL, too long: refused, also where it would be left out."""
    assert ground.refusal(zip_of(GOOD, Part(name=path))).path


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_no_bot_is_refused(ground: Ground, what: str) -> None:
    """Links, devices, encryption, names twice, sizes that lie, entries that share bytes."""
    said = str(ground.refusal(zip_of(*BROKEN[what])))
    assert said.isprintable()
    assert len(said) < 300
    assert "expected" in said or ": " in said


FRAMES = {
    "something in front": zip_of(GOOD, before=b"PK\3\4" + bytes(100)),
    "something behind": zip_of(GOOD, after=b"garbage"),
    "zeros behind": zip_of(GOOD, after=bytes(10)),
    "something in the middle": zip_of(GOOD, within=b"garbage"),
    "another zip behind": zip_of(GOOD, after=zip_of(GOOD)),
    "fewer entries than it says": zip_of(GOOD, number=2),
    "more entries than it says": zip_of(GOOD, Part(name="x"), number=1),
    "one of several": zip_of(GOOD, disk=1),
    "a directory of a wrong size": zip_of(GOOD, size=1 << 30),
    "no end": zip_of(GOOD)[:-22],
    "half of an end": zip_of(GOOD)[:-5],
    "nothing but a beginning": b"PK\3\4",
    "an end alone": zip_of(),
    "a part of several": b"PK\x07\x08" + zip_of(GOOD),
    "many ends": zip_of(GOOD) + b"PK\5\6" * 10_000,
    "an end in the comment of an end": zip_of(GOOD, comment=zip_of(GOOD)[-22:]),
    "larger than an archive may be": zip_of(GOOD, comment=b"", within=bytes(1 << 20)),
}


@pytest.mark.parametrize("what", FRAMES)
def test_a_zip_is_a_zip_from_its_beginning_to_its_end(ground: Ground, what: str) -> None:
    """What other programs may read in another way is not read at all."""
    ground.refusal(FRAMES[what])


def test_a_comment_may_look_like_an_end(ground: Ground) -> None:
    """The end is the one whose comment ends with the file."""
    handed = ground.unpack(zip_of(GOOD, comment=b"PK\5\6 is how it ends"))
    assert {"bot.py": BOT} == files_in(handed.folder)


BOMBS = {
    "one file": [Part(name="x", packed=zeros(1000), octets=1000 << 20)],
    "one file that claims to be small": [Part(name="x", packed=zeros(1000), octets=1 << 20)],
    "one file that claims terabytes": [
        Part(name="x", packed=zeros(1000), octets=LOADED, extra=in_64_bits(5 << 40))
    ],
    "many files": [Part(name=f"{n}", packed=zeros(50), octets=50 << 20) for n in range(19)],
    "many files that claim to be small": [Part(name=f"{n}", packed=zeros(50), octets=9) for n in range(19)],
    "files that share one bomb": [
        Part(name="0", packed=zeros(3), octets=3 << 20),
        *(
            Part(
                name=f"{n}", packed=b"", packed_octets=len(zeros(3)), octets=3 << 20, place=0, local_name=b"0"
            )
            for n in range(1, 19)
        ),
    ],
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_bomb_is_refused_while_it_is_read(ground: Ground, what: str) -> None:
    """No more is unpacked than a bot may have, in pieces, whatever the archive declares."""
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    octets = zip_of(*BOMBS[what])
    source = Counted(octets)
    tracemalloc.start()
    with ground.watched(), pytest.raises(BadHandIn):
        unpack_bot(source, ground.store, limits=SMALL, tick=tick)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ticks <= SMALL.unpacked_bytes_max // CHUNK_BYTES + 3 * SMALL.files_max
    assert source.read_octets <= 2 * len(octets) + 10_000
    assert peak < 1 << 20, f"{peak:,} bytes"


class Counted(io.BytesIO):
    """A file that counts what is read of it."""

    read_octets = 0

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size)
        self.read_octets += len(content)
        return content


@pytest.mark.slow
def test_a_bomb_of_10_mb_that_claims_terabytes_is_not_even_begun(ground: Ground) -> None:
    """What an archive declares is believed if it is too much: only the directory is read."""
    bomb = Part(name="x", content=b"", packed=zeros(10_000), octets=LOADED, extra=in_64_bits(5 << 40))
    octets = zip_of(GOOD, bomb)
    assert 9 << 20 < len(octets) < 20 << 20
    source = Counted(octets)
    with ground.watched(), pytest.raises(BadHandIn, match=r"5 TB"):
        unpack_bot(source, ground.store)
    assert source.read_octets < 100_000


def test_what_unpacks_to_far_more_than_its_size_is_refused(ground: Ground) -> None:
    """Also if that would still be less than a bot may have."""
    assert "200 times" in str(ground.refusal(zip_of(Part(name="x", packed=zeros(3), octets=3 << 20))))
    handed = ground.unpack(zip_of(Part(name="x", content=bytes(1 << 19))))
    assert 1 << 19 == handed.octets


def test_an_archive_in_an_archive_stays_packed(ground: Ground) -> None:
    """Nested bombs never go off: what lies in an archive is data."""
    inner = zip_of(Part(name="x", packed=zeros(30), octets=30 << 20))
    for _ in range(3):
        inner = zip_of(*(Part(name=f"{n}.zip", content=inner, method=0) for n in range(2)))
    handed = ground.unpack(inner)
    assert {"0.zip", "1.zip"} == files_in(handed.folder).keys()


@pytest.mark.slow
def test_half_a_million_entries_are_refused_before_they_are_in_memory(ground: Ground) -> None:
    """The directory is read entry by entry, no further than a bot's may go."""
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0x21, 0, 0, 0, 6, 0) + b"000000"
    head = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0x21, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0)
    directory = b"".join(head + b"%06d" % number for number in range(500_000))
    limits = HandInLimits(archive_mb=200, files_max=500)
    for declared in (500_000 & 0xFFFF, 1):
        end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, declared, declared, len(directory), len(local), 0)
        source = Counted(local + directory + end)
        tracemalloc.start()
        with ground.watched(), pytest.raises(BadHandIn, match="5,000"):
            unpack_bot(source, ground.store, limits=limits)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 6 << 20, f"{peak:,} bytes"
        assert source.read_octets < 5_002 * (46 + 6) + 100_000


class Cut(io.BytesIO):
    """A file that ends while it is read."""

    reads_left = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads_left -= 1
        return super().read(size)[: None if self.reads_left > 0 else 1]


def test_a_file_that_ends_while_it_is_read_is_refused(ground: Ground) -> None:
    """Wherever; nobody waits for what does not come."""
    octets = zip_of(Part(name="a", method=0), Part(name="b"))
    for reads in range(2, 40):
        source = Cut(octets)
        source.reads_left = reads
        try:
            with ground.watched():
                unpack_bot(source, ground.store, name="x")
        except BadHandIn:
            assert not ground.store.exists() or not list(ground.store.iterdir())
        else:
            break
    assert 8 < reads < 39


names = st.text("ab./\\:\0 \u00fcC~-", min_size=1, max_size=12)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(names, st.binary(max_size=200), min_size=1, max_size=5), st.data())
def test_whatever_is_in_it_nothing_leads_out(
    ground: Ground, files: dict[str, bytes], data: st.DataObject
) -> None:
    """Any names, any damage: it is refused, or lies in a folder of its own."""
    octets = bytearray(zip_of(*(Part(name=name, content=content) for name, content in files.items())))
    for _ in range(data.draw(st.integers(0, 3))):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    try:
        ground.unpack(bytes(octets), name="x.zip")
    except BadHandIn:
        pass


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_zip_that_is_cut_is_refused(ground: Ground, data: st.DataObject) -> None:
    """However much of it came."""
    octets = zip_of(GOOD, Part(name="a/b.txt", content=b"b" * 500), comment=b"from somewhere")
    ground.refusal(octets[: data.draw(st.integers(4, len(octets) - 1))])


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.text("abcdefü", min_size=1, max_size=5).map(lambda name: f"x{name}/y"),
        st.binary(max_size=3000).map(lambda content: b"-" + content),
        min_size=2,
        max_size=8,
    ),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_what_python_packs_is_unpacked_alike(ground: Ground, files: dict[str, bytes], method: int) -> None:
    """The standard library's packer is the other end."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert files == files_in(ground.unpack(made.getvalue()).folder)


def test_large_sizes_are_read_where_they_are(ground: Ground) -> None:
    """Packers that do not know a size beforehand write it with 64 bits, and an end of its own."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive, archive.open("bot.py", "w", force_zip64=True) as file:
        file.write(BOT)
    handed = ground.unpack(made.getvalue())
    assert {"bot.py": BOT} == files_in(handed.folder)
    part = Part(
        name="bot.py", octets=LOADED, packed_octets=LOADED, extra=in_64_bits(len(BOT), len(deflated(BOT)))
    )
    assert {"bot.py": BOT} == files_in(ground.unpack(zip_of(part)).folder)
    assert {"bot.py": BOT} == files_in(ground.unpack(with_large_end(zip_of(GOOD))).folder)


def with_large_end(octets: bytes, *, at: int | None = None, number: int = 1) -> bytes:
    """The zip with the records for large archives before its end."""
    begin, end = octets.index(DIRECTORY), len(octets) - 22
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, number, number, end - begin, begin)
    where = struct.pack("<4sLQL", b"PK\6\7", 0, end if at is None else at, 1)
    return octets[:end] + record + where + octets[end:]


@pytest.mark.parametrize("at", [0, 10, 1 << 62, (1 << 64) - 1])
def test_a_large_end_elsewhere_is_refused(ground: Ground, at: int) -> None:
    """Wherever it says that it is."""
    ground.refusal(with_large_end(zip_of(GOOD), at=at))
    ground.refusal(with_large_end(zip_of(GOOD), number=2))
