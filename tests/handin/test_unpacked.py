"""A hand-in as it lies in the store: whole or not at all, named by its content, with the rights that it needs."""

from __future__ import annotations

import errno
import io
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from archive_maker import BOT, SMALL, Ground, Member, Part, files_in, packed_tar, tar_of, zip_of

from arena.errors import ConfigError, DiskFull
from arena.handin.bounds import CHUNK_BYTES, BadHandIn, HandInLimits
from arena.handin.unpack import remove_leftovers, unpack_bot

ELF = b"\x7fELF\2\1\1" + bytes(60)


def recipe(run: str, build: str = "") -> Part:
    return Part(name="bot.toml", content=f"run = {run}\n{f'build = {build}' if build else ''}\n".encode())


@pytest.mark.parametrize(
    ("files", "programs"),
    [
        ([Part(name="bot.py", mode=0o100777), Part(name="x", mode=0o100755)], set()),
        ([Part(name="run.sh", content=b"#!/bin/sh\n", mode=0o100600)], {"run.sh"}),
        ([Part(name="bin/bot", content=ELF), Part(name="x")], {"bin/bot"}),
        (
            [Part(name="x", content=b"\x7fEL"), Part(name="y", content=b"#"), Part(name="z", content=b"")],
            set(),
        ),
        ([recipe('"./play 3"'), Part(name="play")], {"play"}),
        ([recipe('["bin/../play", "x"]'), Part(name="play"), Part(name="x")], {"play"}),
        ([recipe('"python3 bot.py"'), Part(name="bot.py")], set()),
        ([recipe('"./play"', '"./make.it && cp a b"'), Part(name="make.it"), Part(name="a")], {"make.it"}),
        ([recipe('"./play"', '["./make.it"]'), Part(name="make.it")], {"make.it"}),
        ([recipe('"../secret.txt"'), Part(name="x")], set()),
        ([recipe('"/bin/sh"'), Part(name="bin/sh")], set()),
        ([recipe("3"), Part(name="x")], set()),
        ([recipe('""'), Part(name="x")], set()),
        ([recipe('"\'open"'), Part(name="x")], set()),
        ([recipe("[3, [4]]"), Part(name="x")], set()),
        ([Part(name="bot.toml", content=b"no TOML"), Part(name="x")], set()),
        ([Part(name="bot.toml", content=b"\xff"), Part(name="x")], set()),
        ([Part(name="bot.toml", content=b"a." * 50_000 + b"a = 1"), Part(name="x")], set()),
        ([Part(name="bot.toml", content=b"a = " + b"[" * 100_000), Part(name="x")], set()),
        ([recipe('"' + "x" * 200_000 + '"'), Part(name="x")], set()),
    ],
)
def test_what_may_run_follows_from_the_files(ground: Ground, files: list[Part], programs: set[str]) -> None:
    """Scripts, programs, and what `run` and `build` start; what an archive says about rights is not heard."""
    handed = ground.unpack(zip_of(*files))
    assert programs == {path[:-1] for path in files_in(handed.folder) if path.endswith("*")}
    for path in (handed.folder, *handed.folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) in (0o755, 0o644)


def test_rights_are_those_whatever_the_umask(ground: Ground) -> None:
    """A bot may run as another user than the one who unpacked it."""
    before = os.umask(0o077)
    try:
        handed = ground.unpack(zip_of(Part(name="a/run", content=b"#!x"), Part(name="b")))
    finally:
        os.umask(before)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (handed.folder, *handed.folder.rglob("*"))
    }
    assert {handed.hash: 0o755, "a": 0o755, "run": 0o755, "b": 0o644} == modes
    assert 0o700 == stat.S_IMODE(ground.store.stat().st_mode)


def test_the_same_files_are_one_folder(ground: Ground) -> None:
    """However they were packed, in whatever order, and whatever else lay there."""
    files = {"bot.py": BOT, "a/b": b"b", "a/c": b"c"}
    first = ground.unpack(zip_of(*(Part(name=name, content=content) for name, content in files.items())))
    assert first.is_new
    inode = first.folder.stat().st_ino
    for octets in (
        zip_of(*(Part(name=f"x/{name}", content=files[name], method=0) for name in reversed(files))),
        packed_tar(*(Member(name=f"./{name}", content=content) for name, content in files.items())),
        zip_of(
            *(Part(name=name, content=content) for name, content in files.items()), Part(name=".git/config")
        ),
    ):
        again = ground.unpack(octets)
        assert (False, first.hash, inode) == (again.is_new, again.hash, again.folder.stat().st_ino)
    assert [first.hash] == os.listdir(ground.store)


@pytest.mark.parametrize(
    "other",
    [
        [Part(name="bot.py"), Part(name="a", content=b"2")],
        [Part(name="bot.py"), Part(name="b", content=b"1")],
        [Part(name="bot.py"), Part(name="a", content=b"1"), Part(name="c", content=b"")],
        [Part(name="bot.pya"), Part(name="a", content=b"1")],
        [Part(name="bot.py", content=b"1"), Part(name="a", content=BOT)],
        [Part(name="bot.py"), Part(name="a/a", content=b"1")],
    ],
)
def test_other_files_are_another_folder(ground: Ground, other: list[Part]) -> None:
    """Another content, name or number of files."""
    first = ground.unpack(zip_of(Part(name="bot.py"), Part(name="a", content=b"1")))
    assert first.hash != ground.unpack(zip_of(*other)).hash


def test_another_right_is_another_folder(ground: Ground) -> None:
    """A file that only `run` makes a program: bot.toml says it, so that its own bytes differ too."""
    hashes = {ground.unpack(zip_of(recipe(run), Part(name="x"))).hash for run in ('"./x"', '"sh x"')}
    assert 2 == len(hashes)


def test_two_at_once_are_one_folder(ground: Ground) -> None:
    """Whoever comes second finds the folder of the first, also if it appears in the last moment."""
    octets = zip_of(Part(name="bot.py"))

    rename, first = Path.rename, []

    def renamed(draft: Path, target: Path) -> Path:
        patch.undo()
        first.append(unpack_bot(io.BytesIO(octets), ground.store))
        return rename(draft, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "rename", renamed)
        second = ground.unpack(octets)
    assert first[0].is_new
    assert not second.is_new
    assert first[0].folder == second.folder
    assert [second.hash] == os.listdir(ground.store)


def test_a_single_file_is_a_folder_with_it(ground: Ground) -> None:
    """A script can be run there, whatever its owner calls it; in an archive it keeps its name."""
    handed = ground.unpack(BOT, name="odd.py")
    assert {"bot.py": BOT} == files_in(handed.folder)
    assert "bot.py" == handed.only_file
    assert "odd.py" == ground.unpack(zip_of(Part(name="x/odd.py"))).only_file
    assert "" == ground.unpack(zip_of(Part(name="odd.py"), Part(name="x"))).only_file
    assert {"bot*": ELF} == files_in(ground.unpack(ELF, name="bot").folder)
    path = ground.here / "named.py"
    path.write_bytes(BOT)
    assert "bot.py" == unpack_bot(path, ground.store).only_file
    assert "bot.js" == unpack_bot(path, ground.store, name="own.js").only_file
    with pytest.raises(BadHandIn, match="name"):  # where a server keeps it is not its name
        unpack_bot(path, ground.store, name="")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("", BOT),
        ("..", BOT),
        ("../x.py", BOT),
        ("/x.py", BOT),
        ("a/x.py", BOT),
        ("a\\x.py", BOT),
        ("C:x.py", BOT),
        ("a\0.py", BOT),
        ("a\nb.py", BOT),
        ("a\udcff.py", BOT),
        ("x" * 256, BOT),
        ("x.py", b""),
        ("mybot.zip", BOT),
        ("mybot.tar.gz", b"#!/bin/sh\n"),
        ("mybot.TGZ", BOT),
        (".DS_Store", b"Bud1"),
        ("x.rar", b"Rar!\x1a\x07\x01\0"),
        ("x.py", bytes((1 << 20) + 1)),
    ],
)
def test_what_is_no_single_file_is_refused(ground: Ground, name: str, content: bytes) -> None:
    """Names that lead elsewhere, archives that are none, nothing, too much."""
    ground.refusal(content, name=name)


def test_what_a_file_is_follows_from_its_content(ground: Ground) -> None:
    """Its name is nothing to go by."""
    for octets in (
        zip_of(Part(name="bot.py")),
        packed_tar(Member(name="bot.py")),
        tar_of(Member(name="bot.py")),
    ):
        for name in ("", "x.zip", "x.py", "../../x", "x.tar.gz"):
            assert {"bot.py": BOT} == files_in(ground.unpack(octets, name=name).folder)


@pytest.mark.parametrize(
    ("files", "where", "word"),
    [
        ([Part(name="run.sh", content=b"#!/bin/sh\r\necho\r\n")], "run.sh", "LF"),
        ([Part(name="run.sh", content=b"#!/bin/sh\r")], "run.sh", "LF"),
        ([Part(name="run.sh", content=b"\xef\xbb\xbf#!/bin/sh\n")], "run.sh", "UTF-8"),
        ([recipe('"target/release/bot"'), Part(name="target/release/bot", content=ELF)], "bot.toml", "build"),
        ([recipe('"node node_modules/x.js"'), Part(name="node_modules/x.js")], "bot.toml", "!"),
    ],
)
def test_what_will_not_run_is_noted(ground: Ground, files: list[Part], where: str, word: str) -> None:
    """Where, and what would be right; it is not refused."""
    for top in ("", "repo-main/"):
        parts = [Part(name=top + str(part.name), content=part.content) for part in files]
        (note,) = ground.unpack(zip_of(*parts)).notes
        assert where == note.path
        assert word in note.said


@pytest.mark.parametrize(
    "files",
    [
        [Part(name="bot.py", content=b"print(1)\r\n")],
        [Part(name="run.sh", content=b"#!/bin/sh\necho\r\n")],
        [
            recipe('"target/release/bot"', '"cargo build --release"'),
            Part(name="target/release/bot", content=ELF),
        ],
        [recipe('"python3 bot.py target"'), Part(name="bot.py"), Part(name="target")],
        [recipe('"./targets/bot"'), Part(name="targets/bot"), Part(name="target/x")],
    ],
)
def test_what_will_run_is_not_noted(ground: Ground, files: list[Part]) -> None:
    """CR LF within a script, a program that `build` makes, a file that is called like what is left out."""
    assert () == ground.unpack(zip_of(*files)).notes


def test_all_is_on_the_disk_before_it_has_its_name(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file and folder of it, and then the store."""
    kept, at_rename = [], []
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: kept.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    )
    rename = Path.rename

    def renamed(draft: Path, target: Path) -> Path:
        at_rename.extend(os.path.relpath(path, draft) for path in kept)
        return rename(draft, target)

    monkeypatch.setattr(Path, "rename", renamed)
    ground.unpack(zip_of(Part(name="a/b/c"), Part(name="d")))
    assert [".", "a", "a/b", "a/b/c", "d"] == sorted(at_rename)
    assert str(ground.store) == kept[-1]


class Stopped(Exception):
    """Raised by a tick."""


OCTETS = zip_of(
    Part(name="bot.py"), Part(name="a/big", content=os.urandom(3 * CHUNK_BYTES)), Part(name="a/b")
)


def test_it_can_be_stopped_anywhere(ground: Ground) -> None:
    """Nothing is left over, whatever the tick raises, and the next one is none the worse."""
    number = 0
    while True:
        left = number

        def tick() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Stopped

        try:
            with ground.watched():
                unpack_bot(io.BytesIO(OCTETS), ground.store, tick=tick)
        except Stopped:
            assert [] == (os.listdir(ground.store) if ground.store.exists() else [])
            number += 1
        else:
            break
    assert number > 10


KILLED = """
import os, sys
from pathlib import Path
from arena.handin.unpack import unpack_bot
store = Path(sys.argv[2])
def tick():
    if any(path.name.startswith(".") and any(path.iterdir()) for path in store.iterdir()):
        os.kill(os.getpid(), 9)
unpack_bot(Path(sys.argv[1]), store, tick=tick)
"""


@pytest.mark.slow
def test_leftovers_of_a_killed_process_are_removed(ground: Ground) -> None:
    """Hand-ins stay, and so does what somebody else put there."""
    handed = ground.unpack(OCTETS)
    (ground.here / "x.zip").write_bytes(OCTETS)
    done = subprocess.run([sys.executable, "-c", KILLED, ground.here / "x.zip", ground.store], check=False)
    assert -signal.SIGKILL == done.returncode
    (ground.store / "notes.txt").write_text("the host's own")
    assert 3 == len(os.listdir(ground.store))
    remove_leftovers(ground.store)
    assert {handed.hash, "notes.txt"} == set(os.listdir(ground.store))
    assert 3 == len(files_in(handed.folder))
    remove_leftovers(ground.here / "not there")


def test_a_full_disk_is_said(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's disk, in a sentence; nothing is left over."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with ground.watched(), pytest.raises(DiskFull):
        unpack_bot(io.BytesIO(OCTETS), ground.store)
    assert [] == os.listdir(ground.store)


def test_a_store_that_is_a_file_is_said(ground: Ground) -> None:
    """It is the host's mistake, not that of the bot's owner."""
    ground.store.parent.mkdir()
    ground.store.write_text("")
    with pytest.raises(ConfigError) as caught:
        unpack_bot(io.BytesIO(OCTETS), ground.store)
    assert not isinstance(caught.value, BadHandIn)


def test_too_many_and_too_large_files_are_named(ground: Ground) -> None:
    """How many, how much, and the largest."""
    sizes = {"weights.bin": 3 << 20, "tables/a": 2 << 20, "b": 1 << 20, "c": 10}
    parts = [
        Part(name=f"x/{name}", content=b"", packed=b"", octets=octets, packed_octets=0)
        for name, octets in sizes.items()
    ]
    said = str(ground.refusal(zip_of(*parts)))
    assert said.index("weights.bin") < said.index("tables/a") < said.index('b"')
    assert '"x/c"' not in said
    assert "21" in str(ground.refusal(zip_of(*(Part(name=f"{n}") for n in range(21)))))


def test_limits_hold_at_their_edge(ground: Ground) -> None:
    """What is as large as it may be is taken."""
    handed = ground.unpack(
        zip_of(*(Part(name=f"{n}", content=os.urandom(50_000)) for n in range(SMALL.files_max)))
    )
    assert SMALL.files_max == handed.files
    content = os.urandom(1 << 20)
    assert 1 << 20 == ground.unpack(content, name="x").octets
    limits = HandInLimits(archive_mb=200, files_max=10_000)
    assert 800 << 20 == limits.unpacked_bytes_max
