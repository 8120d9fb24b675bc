"""What is wrong with a hand-in: an archive, a file, or a folder that is packed."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from arena.handin.bounds import HandInLimits
from arena.handin.pack import pack_bot
from arena.handin.unpack import unpack_bot

from .case import Case, refused

LIMITS = HandInLimits(archive_mb=1, files_max=5)
LINK, PIPE = stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o666
ENCRYPTED, BZIP2 = 1, 12
BOT = b"print()\n"


def _zip(
    files: Mapping[str, bytes], mode: int = stat.S_IFREG | 0o644, flags: int = 0, method: int = 0
) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, content)
            entry.flag_bits |= flags
            entry.compress_type = method
    return made.getvalue()


def _tar(kind: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        member = tarfile.TarInfo("x")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    return made.getvalue()


def _bomb() -> bytes:
    """5 MB of zeros."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(5 << 20))
    return made.getvalue()


ONE = _zip({"bot.py": BOT})
HAND_INS: list[tuple[str, str, bytes]] = [
    ("a path upwards", "../x", _zip({"../x": BOT})),
    ("an absolute path", "/x", _zip({"/x": BOT})),
    ("folders in each other", "a/a/", _zip({"a/" * 36 + "x": BOT})),
    ("a path of 1,001 bytes", "a/a/", _zip({"a/" * 500 + "x": BOT})),
    ("a name of 256 bytes", "xxx", _zip({"x" * 256: BOT})),
    ("an unprintable name", r"a\nb", _zip({"a\nb": BOT})),
    ("names equal but for case", '"A"|"a"', _zip({"A": BOT, "a": BOT})),
    ("a file and a folder of one name", '"a/b"', _zip({"a": BOT, "a/b": BOT})),
    ("a link", '"x"|link', _zip({"x": BOT}, LINK)),
    ("a pipe", '"x"', _zip({"x": BOT}, PIPE)),
    ("an encrypted file", '"x"|password', _zip({"x": BOT}, flags=ENCRYPTED)),
    ("another method", '"x"|deflate', _zip({"x": BOT}, method=BZIP2)),
    ("damaged", '"bot.py"', ONE.replace(BOT, BOT.upper())),
    ("half of a zip", "archive", ONE[: len(ONE) // 2]),
    ("something behind", "archive", ONE + b"x"),
    ("something in front", "archive", b"PK\3\4" + ONE),
    ("nothing in it", "no files", _zip({})),
    ("nothing but litter", ".git/", _zip({".git/config": BOT})),
    ("too many files", "6 files|5", _zip({str(number): BOT for number in range(6)})),
    ("too many entries", "50 files", _zip({f".git/{number}": BOT for number in range(51)})),
    ("a bomb", "4 MB", _bomb()),
    ("a pattern", ".arenaignore|line 2", _zip({"x": BOT, ".arenaignore": b"a\n**/b\n"})),
    ("a tar with a link", '"x"|link', _tar(tarfile.SYMTYPE)),
    ("a tar with a hard link", '"x"|hard link', _tar(tarfile.LNKTYPE)),
    ("a tar with a device", '"x"', _tar(tarfile.CHRTYPE)),
    ("a tar with holes", '"x"|holes', _tar(tarfile.GNUTYPE_SPARSE)),
    ("a gzip file of something else", "gzip|zip", gzip.compress(BOT)),
    ("RAR", "RAR|zip", b"Rar!\x1a\x07"),
    ("too large", "1 MB", bytes(1_100_000)),
    ("empty", '"x.py"', b""),
]


def _unpack(octets: bytes) -> object:
    return unpack_bot(io.BytesIO(octets), Path("bots"), name="x.py", limits=LIMITS)


def _pack(limits: HandInLimits = LIMITS) -> object:
    return pack_bot(Path("mybot"), io.BytesIO(), limits=limits)


def _unpack_without_name() -> object:
    return unpack_bot(io.BytesIO(BOT), Path("bots"))


def cases() -> Iterable[Case]:
    for name, names, octets in HAND_INS:
        yield refused(f"hand-in: {name}", names, partial(_unpack, octets))
    yield refused("hand-in: a file without a name", "bot.py", _unpack_without_name)
    yield refused("pack: a link out of it", '"x"', _pack, {"mybot/x": lambda path: path.symlink_to("/etc")})
    yield refused("pack: nothing there", "mybot", _pack)
