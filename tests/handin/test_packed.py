"""A bot that is packed: the same zip each time, which unpacks to the same bot, and nothing that Windows lacks."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from archive_maker import BOT, SMALL, Ground, files_in
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_as_people_pack import AS_UNPACKED, LEFT_OUT, written

from arena.errors import ConfigError, DiskFull
from arena.handin.bounds import BadHandIn, HandInLimits
from arena.handin.pack import PackedBot, pack_bot
from arena.handin.unpack import HandIn


def packed(source: Path, limits: HandInLimits = SMALL) -> tuple[PackedBot, bytes]:
    into = io.BytesIO()
    return pack_bot(source, into, limits=limits), into.getvalue()


def there_and_back(ground: Ground, source: Path) -> tuple[PackedBot, HandIn]:
    bot, octets = packed(source)
    return bot, ground.unpack(octets)


def test_a_folder_is_packed_without_litter(ground: Ground, tmp_path: Path) -> None:
    """By the same rule as an archive is unpacked; what is left out is named, and not in the zip."""
    bot, octets = packed(written(tmp_path / "mybot"))
    assert LEFT_OUT == list(bot.left_out)
    with zipfile.ZipFile(io.BytesIO(octets)) as archive:
        assert sorted(path.removesuffix("*") for path in AS_UNPACKED) == archive.namelist()
        assert archive.testzip() is None
    handed = ground.unpack(octets)
    assert AS_UNPACKED == files_in(handed.folder)
    assert (bot.hash, bot.files, bot.octets) == (handed.hash, handed.files, handed.octets)
    assert len(octets) == bot.packed_octets


def test_the_same_files_are_the_same_zip(tmp_path: Path) -> None:
    """Whenever they were written, in whatever order, and whatever rights they have."""
    first = packed(written(tmp_path / "a"))
    again = tmp_path / "b"
    for path in sorted((tmp_path / "a").rglob("*"), reverse=True):
        if path.is_file() and not path.is_symlink():
            copy = again / path.relative_to(tmp_path / "a")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            copy.chmod(0o600)
            os.utime(copy, (1, 1))
    (again / "run.sh").chmod(0o755)
    (again / "bot.py").chmod(0o777)
    assert first[1] == packed(again)[1]


def test_a_single_file_is_packed(ground: Ground, tmp_path: Path) -> None:
    """It is the same hand-in as the file by itself."""
    (tmp_path / "odd.py").write_bytes(BOT)
    bot, handed = there_and_back(ground, tmp_path / "odd.py")
    assert "bot.py" == handed.only_file
    assert bot.hash == handed.hash == ground.unpack(BOT, name="odd.py").hash


def test_an_archive_is_not_packed_again(tmp_path: Path) -> None:
    """It is handed in as it is."""
    path = tmp_path / "mybot.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bot.py", BOT)
    with pytest.raises(BadHandIn, match="as it is"):
        packed(path)


def link_out(folder: Path) -> None:
    (folder / "x").symlink_to("/etc/passwd")


def link_up(folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "a").mkdir()
    (folder / "a/x").symlink_to("../../secret.txt")


def link_to_a_folder_out(folder: Path) -> None:
    (folder / "x").symlink_to("/etc")


def link_to_a_folder(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "x").symlink_to("a")


def link_to_itself(folder: Path) -> None:
    (folder / "x").symlink_to("x")


def link_to_nothing(folder: Path) -> None:
    (folder / "x").symlink_to("nothing")


def link_by_others(folder: Path) -> None:
    (folder / "y").symlink_to("/etc/passwd")
    (folder / "x").symlink_to("y")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "x")


def not_utf8(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/x\xff")).write_bytes(b"")


def alike(folder: Path) -> None:
    (folder / "BOT.py").write_bytes(b"")


def composed(folder: Path) -> None:
    (folder / "\u00fc").write_bytes(b"")
    (folder / "u\u0308").write_bytes(b"")


def backslash(folder: Path) -> None:
    (folder / "a\\b").write_bytes(b"")


def too_many(folder: Path) -> None:
    for number in range(SMALL.files_max):
        (folder / f"{number}").write_bytes(b"")


def far_too_many(folder: Path) -> None:
    (folder / ".git").mkdir()
    for number in range(SMALL.entries_max):
        (folder / ".git" / f"{number}").write_bytes(b"")


def too_large(folder: Path) -> None:
    (folder / "huge").write_bytes(b"")
    os.truncate(folder / "huge", SMALL.unpacked_bytes_max + 1)


def too_large_packed(folder: Path) -> None:
    for number in range(3):
        (folder / f"big{number}").write_bytes(os.urandom(400_000 + number))


def no_pattern(folder: Path) -> None:
    (folder / ".arenaignore").write_text("a/**")


def huge_patterns(folder: Path) -> None:
    (folder / ".arenaignore").write_text("#" * 20_000)


BAD = [
    link_out,
    link_up,
    link_to_a_folder_out,
    link_to_a_folder,
    link_to_itself,
    link_to_nothing,
    link_by_others,
]
BAD += [pipe, not_utf8, alike, composed, backslash, too_many, far_too_many, too_large, too_large_packed]
BAD += [no_pattern, huge_patterns]


@pytest.mark.parametrize("spoil", BAD)
def test_what_cannot_be_handed_in_is_refused(tmp_path: Path, spoil) -> None:
    """Links out of the folder, pipes, names, too much: a sentence, before anything is sent."""
    folder = tmp_path / "mybot"
    folder.mkdir()
    (folder / "bot.py").write_bytes(BOT)
    spoil(folder)
    with pytest.raises(BadHandIn) as caught:
        packed(folder)
    assert str(caught.value).isprintable()
    if "large" in spoil.__name__:
        assert "huge" in str(caught.value) or "big2" in str(caught.value)


def test_links_within_the_folder_are_copies(ground: Ground, tmp_path: Path) -> None:
    """No archive has links; what they lead to in the folder is packed in their place."""
    folder = tmp_path / "mybot"
    (folder / "a").mkdir(parents=True)
    (folder / "bot.py").write_bytes(BOT)
    (folder / "a/x.py").symlink_to("../bot.py")
    (tmp_path / "linked").symlink_to("mybot")
    _, handed = there_and_back(ground, tmp_path / "linked")
    assert {"bot.py": BOT, "a/x.py": BOT} == files_in(handed.folder)


@pytest.mark.parametrize("name", ["missing", "empty", "pipe"])
def test_what_is_no_bot_is_said(tmp_path: Path, name: str) -> None:
    """Nothing there, nothing in it, neither a file nor a folder."""
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match=name if name != "empty" else "no files"):
        packed(tmp_path / name)


def test_a_file_that_grows_is_refused(tmp_path: Path) -> None:
    """It was looked at before, and what is sent would be more than that."""
    folder = tmp_path / "mybot"
    folder.mkdir()
    log = folder / "log"
    log.write_bytes(b"x" * 100)

    def tick() -> None:
        with log.open("ab") as file:
            file.write(b"x" * 100)

    with pytest.raises(BadHandIn, match="grew"):
        pack_bot(folder, io.BytesIO(), tick=tick)


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """Where the zip is written, not where the bot lies."""

    class Full(io.BytesIO):
        def write(self, octets: object, /) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "bot.py").write_bytes(BOT)
    with pytest.raises(DiskFull):
        pack_bot(tmp_path / "bot.py", Full())


def test_packing_can_be_stopped(tmp_path: Path) -> None:
    """While the folder is looked through, and while its files are packed."""
    folder = written(tmp_path / "mybot")
    ticks = 0

    def count() -> None:
        nonlocal ticks
        ticks += 1

    pack_bot(folder, io.BytesIO(), tick=count)
    assert ticks > 20, "each name, and each piece of a file"
    for number in range(ticks):
        left = iter(range(number))
        with pytest.raises(StopIteration):
            pack_bot(folder, io.BytesIO(), tick=lambda left=left: next(left))


def test_empty_folders_change_nothing(ground: Ground, tmp_path: Path) -> None:
    """They are not in the zip, where a folder may be the only one then, which is opened."""
    folder = tmp_path / "mybot"
    (folder / "empty/inner").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "src/bot.py").write_bytes(BOT)
    (folder / "src/.arenaignore").write_text("*.log")
    (folder / "src/x.log").write_text("log")
    bot, handed = there_and_back(ground, folder)
    assert {"bot.py", ".arenaignore"} == files_in(handed.folder).keys()
    assert (bot.hash, bot.files) == (handed.hash, handed.files)
    assert ("src/x.log",) == bot.left_out


def test_what_a_recipe_starts_is_a_program(ground: Ground, tmp_path: Path) -> None:
    """Before it is sent as afterwards, also in a folder that is opened."""
    for top in ("a", "b/mybot"):
        folder = tmp_path / top
        folder.mkdir(parents=True)
        (folder / "bot.toml").write_text('run = "./play"')
        (folder / "play").write_bytes(BOT)
        bot, handed = there_and_back(ground, tmp_path / top.split("/")[0])
        assert {"bot.toml", "play*"} == files_in(handed.folder).keys()
        assert bot.hash == handed.hash


def test_a_recipe_that_is_left_out_makes_no_program(ground: Ground, tmp_path: Path) -> None:
    """What is not handed in decides nothing, also if it is a link to the owner's own file."""
    folder = tmp_path / "mybot"
    folder.mkdir()
    (tmp_path / "other.toml").write_text('run = "./play"')
    (folder / "bot.toml").symlink_to("../other.toml")
    (folder / "play").write_bytes(BOT)
    (folder / ".arenaignore").write_text("bot.toml")
    bot, handed = there_and_back(ground, folder)
    assert bot.hash == handed.hash
    assert {"play", ".arenaignore"} == files_in(handed.folder).keys()


NAMES = st.sampled_from(
    [
        "a",
        "b",
        "bot.py",
        "run.sh",
        "bot.toml",
        ".git",
        "node_modules",
        "target",
        "x.log",
        ".DS_Store",
        "ü",
        ".arenaignore",
    ]
)
CONTENTS = st.sampled_from(
    [
        b"",
        BOT,
        b"#!/bin/sh\r\n",
        b"\x7fELF",
        b'run = "./a"',
        b"*.log\n",
        b"!target\n",
        b"a/\n!b\n",
        b"/a/b\n",
        b"*\n",
        b"bot.toml\n",
    ]
)
TREES = st.dictionaries(st.lists(NAMES, min_size=1, max_size=4).map(tuple), CONTENTS, min_size=1, max_size=8)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES, st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=2))
def test_what_is_packed_is_what_is_unpacked(
    ground: Ground,
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[tuple[str, ...], bytes],
    empty: list[list[str]],
) -> None:
    """The hash that is known before it is sent is that of the folder in the store; or both refuse it."""
    folder = tmp_path_factory.mktemp("bot")
    for path, content in files.items():
        place = folder.joinpath(*path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        except OSError:  # a file is there already where this one needs a folder, or the other way round
            continue
    for path in empty:
        try:
            folder.joinpath(*path).mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
    try:
        bot, octets = packed(folder)
    except BadHandIn as error:
        if "no files" in str(error):
            return
        raise
    handed = ground.unpack(octets)
    assert (bot.hash, bot.files, bot.octets) == (handed.hash, handed.files, handed.octets)
    assert set(handed.notes) <= set(bot.notes), "only who packs knows what was left out"
    again, _ = packed(handed.folder)
    if again.hash != handed.hash:
        assert len(list(handed.folder.iterdir())) == 1, (
            "a bot's folder is only another bot's if it is opened further"
        )


LACKS = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "trio"):
    sys.modules[name] = None
for name in [name for name in dir(os) if name.startswith("O_") and name not in ("O_RDONLY", "O_WRONLY", "O_RDWR",
             "O_CREAT", "O_EXCL", "O_TRUNC", "O_APPEND")] + ["fork", "fchmod", "getuid", "geteuid", "mkfifo"]:
    delattr(os, name)
import errno
import io
from pathlib import Path
from arena.handin.pack import pack_bot
print(pack_bot(Path(sys.argv[1]), io.BytesIO()).hash)
"""


@pytest.mark.slow
def test_packing_needs_nothing_that_windows_lacks(tmp_path: Path) -> None:
    """Neither modules nor flags of Unix."""
    folder = written(tmp_path / "mybot")
    done = subprocess.run([sys.executable, "-c", LACKS, folder], capture_output=True, text=True, check=False)
    assert (packed(folder)[0].hash, "") == (done.stdout.strip(), done.stderr)
