"""Archives as people make them: by Windows, macOS, GitHub, `tar` and Python, with all that lies in a folder."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
import zlib
from pathlib import Path
from unicodedata import normalize

import pytest
from archive_maker import BOT, Ground, Part, files_in, packed_tar, pax, tar_of, zip_of
from archive_maker import Member as TarMember

from arena.handin.bounds import HandInLimits

RECIPE = b'run = "python3 bot.py"\n'
FILES = {
    "bot.toml": RECIPE,
    "bot.py": BOT,
    "tables/open.json": b"[1, 2]",
    "run.sh": b"#!/bin/sh\nexec true\n",
}
AS_UNPACKED = {name + "*" * (name == "run.sh"): content for name, content in FILES.items()}
UNIX_TIMES = bytes.fromhex("5554050001" + "00c0a567")


def windows_explorer() -> bytes:
    """*Send to → compressed folder* of a folder: DOS attributes, no folders as entries."""
    return zip_of(
        *(
            Part(name=f"mybot/{name}", content=content, mode=0, system=0, attributes=0x20)
            for name, content in FILES.items()
        ),
        Part(name="mybot/Thumbs.db", content=b"pictures", mode=0, system=0, attributes=0x26),
        Part(name="mybot/desktop.ini", content=b"[.ShellClassInfo]", mode=0, system=0, attributes=0x26),
    )


def windows_framework() -> bytes:
    """`Compress-Archive` and .NET of old: backslashes, folders that end in one."""
    names = {f"mybot\\{name}".replace("/", "\\"): content for name, content in FILES.items()}
    return zip_of(
        Part(name="mybot\\", content=b"", method=0, mode=0, system=0, attributes=0x10),
        Part(name="mybot\\tables\\", content=b"", method=0, mode=0, system=0, attributes=0x10),
        *(Part(name=name, content=content, mode=0, system=0) for name, content in names.items()),
    )


def macos_finder() -> bytes:
    """*Compress* in Finder: sizes behind the content, and beside each file what macOS knows about it."""
    parts = [Part(name="mybot/", content=b"", method=0, mode=0o040755)]
    for name, content in {**FILES, ".DS_Store": b"\0\0\0\1Bud1"}.items():
        parts.append(Part(name=f"mybot/{name}", content=content, has_descriptor=True, extra=UNIX_TIMES))
        beside = "/".join(("__MACOSX/mybot", *name.split("/")[:-1], f"._{name.split('/')[-1]}"))
        parts.append(Part(name=beside, content=b"\0\5\x16\7", has_descriptor=True))
    return zip_of(*parts)


def github() -> bytes:
    """*Download ZIP*: a folder with the branch in its name, the commit as a comment."""
    return zip_of(
        Part(
            name="mybot-main/", content=b"", method=0, mode=0o040755, local_extra=UNIX_TIMES, extra=UNIX_TIMES
        ),
        Part(name="mybot-main/tables/", content=b"", method=0, mode=0o040755),
        *(
            Part(name=f"mybot-main/{name}", content=content, local_extra=UNIX_TIMES, extra=UNIX_TIMES)
            for name, content in FILES.items()
        ),
        comment=b"52a1c64ff1dbd1a4b7ba5ffbb7a4fcbfb5f7f6c0",
    )


def github_tar() -> bytes:
    """The same as a tar.gz: the commit in a header about all files."""
    return packed_tar(
        pax({"comment": "52a1c64ff1dbd1a4b7ba5ffbb7a4fcbfb5f7f6c0"}, b"g"),
        TarMember(name="mybot-main/", content=b"", kind=b"5"),
        *(TarMember(name=f"mybot-main/{name}", content=content) for name, content in FILES.items()),
    )


def safari_tar() -> bytes:
    """What Safari makes of a tar.gz that it downloads."""
    return tar_of(*(TarMember(name=f"mybot-main/{name}", content=content) for name, content in FILES.items()))


def macos_tar() -> bytes:
    """`tar czf` on macOS: beside each file what macOS knows about it, and the same in headers."""
    members: list[TarMember | bytes] = []
    for name, content in FILES.items():
        members.append(
            TarMember(name=f"./._{name}" if "/" not in name else "./tables/._open.json", content=b"\0\5")
        )
        members.append(pax({"LIBARCHIVE.xattr.com.apple.provenance": "AQIAb"}))
        members.append(TarMember(name=f"./{name}", content=content))
    return packed_tar(*members)


def written(folder: Path) -> Path:
    """The bot's folder, with what tools leave in one."""
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name in (
        ".git/HEAD",
        ".git/refs/heads/Main",
        ".git/refs/heads/main",
        "__pycache__/bot.cpython-311.pyc",
        ".venv/pyvenv.cfg",
        ".venv/lib/x.py",
        "env/pyvenv.cfg",
        "node_modules/a/index.js",
        "target/debug/bot",
        ".pytest_cache/CACHEDIR.TAG",
        "build-cache/CACHEDIR.TAG",
        "results/first/arena.db",
        "results/first/matches.csv",
        "tables/.DS_Store",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")
    (folder / ".venv/bin").mkdir()
    (folder / ".venv/bin/python").symlink_to("/usr/bin/python3")
    (folder / "node_modules/.bin").symlink_to("a")
    return folder


LEFT = (".git/", ".pytest_cache/", ".venv/", "__pycache__/", "build-cache/", "env/", "node_modules/")
LEFT_OUT = [*LEFT, "results/first/", "tables/.DS_Store", "target/"]


@pytest.mark.parametrize(
    "pack", [windows_explorer, windows_framework, macos_finder, github, github_tar, safari_tar, macos_tar]
)
def test_what_people_pack_is_their_bot(ground: Ground, pack) -> None:
    """Whatever they pack it with: the same files, the same hash, without the folder around and without litter."""
    handed = ground.unpack(pack())
    assert AS_UNPACKED == files_in(handed.folder)
    assert (
        handed.hash == ground.unpack(zip_of(*(Part(name=name, content=FILES[name]) for name in FILES))).hash
    )


@pytest.mark.parametrize(
    "words",
    [
        ["tar", "czf", "{to}", "mybot"],
        ["tar", "czf", "{to}", "-C", "mybot", "."],
        ["tar", "cf", "{to}", "mybot"],
    ],
)
def test_tar_and_all_that_lies_in_a_folder(ground: Ground, tmp_path: Path, words: list[str]) -> None:
    """Repositories, environments with their links, caches, builds and results of runs are left out, and named."""
    written(tmp_path / "mybot")
    made = tmp_path / "packed"
    subprocess.run([word.format(to=made) for word in words], cwd=tmp_path, check=True)
    handed = ground.unpack(made.read_bytes())
    assert AS_UNPACKED == files_in(handed.folder)
    assert sorted(LEFT_OUT) == [path.removeprefix("mybot/") for path in handed.left_out]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["zip", "gztar"])
def test_python_packs(ground: Ground, tmp_path: Path, kind: str) -> None:
    """`shutil.make_archive`; in its zips a link is a file."""
    folder = written(tmp_path / "mybot")
    made = shutil.make_archive(str(tmp_path / "packed"), kind, root_dir=tmp_path, base_dir=folder.name)
    assert AS_UNPACKED == files_in(ground.unpack(Path(made).read_bytes(), limits=HandInLimits()).folder)


def test_a_stream_of_python_is_read(ground: Ground) -> None:
    """A zip whose sizes nobody knew beforehand."""

    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: object) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    made = Stream()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    assert AS_UNPACKED == files_in(ground.unpack(made.getvalue()).folder)


def test_names_of_macos_become_those_of_linux(ground: Ground) -> None:
    """Finder decomposes letters, and writes UTF-8 without saying so."""
    name = "m\u00fcnze.py"
    handed = ground.unpack(zip_of(Part(name=normalize("NFD", name)), Part(name="bot.py")))
    assert {name, "bot.py"} == files_in(handed.folder).keys()
    assert () == handed.notes


def test_names_of_windows_are_read_and_noted(ground: Ground) -> None:
    """Explorer writes the code page of DOS where it can; other packers add the name in UTF-8."""
    handed = ground.unpack(zip_of(Part(name="münze.py".encode("cp437")), Part(name="bot.py")))
    assert {"münze.py", "bot.py"} == files_in(handed.folder).keys()
    assert ["münze.py"] == [note.path for note in handed.notes]
    raw = "münze.py".encode("latin1")
    more = b"\1" + zlib.crc32(raw).to_bytes(4, "little") + "münze.py".encode()
    extra = (0x7075).to_bytes(2, "little") + len(more).to_bytes(2, "little") + more
    handed = ground.unpack(zip_of(Part(name=raw, extra=extra), Part(name="bot.py")))
    assert {"münze.py", "bot.py"} == files_in(handed.folder).keys()
    assert () == handed.notes


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["bot.py"], ["bot.py"]),
        (["a/bot.py", "a/x/y"], ["bot.py", "x/y"]),
        (["a/b/bot.py"], ["bot.py"]),
        (["a/b/c/bot.py"], ["c/bot.py"]),
        (["a/bot.py", "b/x"], ["a/bot.py", "b/x"]),
        (["a/bot.py", "README"], ["README", "a/bot.py"]),
        (["a/bot.py", ".DS_Store", "__MACOSX/a/._bot.py"], ["bot.py"]),
        (["a/b/bot.py", "a/.DS_Store", "a/.git/config"], ["bot.py"]),
        (["a/bot.py", "c/"], ["bot.py"]),
        (["./a/./bot.py", "a//x"], ["bot.py", "x"]),
        (["a/bot.py", "a/pyvenv/x", "a/pyvenv/pyvenv.cfg"], ["bot.py"]),
    ],
)
def test_folders_around_everything_are_opened(ground: Ground, names: list[str], found: list[str]) -> None:
    """At most two of them, whatever litter lies beside them."""
    handed = ground.unpack(
        zip_of(*(Part(name=name, content=b"" if name[-1] == "/" else BOT) for name in names))
    )
    assert found == list(files_in(handed.folder))
