"""Paths in archives: split into their parts, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TypeAlias
from unicodedata import normalize

from arena.handin.bounds import PARTS_MAX, PATH_BYTES_MAX, BadHandIn
from arena.reading.strict import FILE_NAME_BYTES_MAX
from arena.reading.units import shown

Parts: TypeAlias = tuple[str, ...]
"""A path below the bot's folder; empty: the folder itself."""

SCRIPTS = (".py", ".js")
"""The suffixes of files that are bots by themselves, if they are called bot."""
_DRIVE = re.compile(r"[A-Za-z]:")


def parts_of(spelled: str) -> Parts:
    """The parts of a path with `/` between them, in Unicode's composed form (NFC).

    So do programs on Linux write names; those of macOS decompose them.  Raises BadHandIn for a path that
    could lead out of the folder, or that no file can have.
    """
    if len(spelled.encode("utf-8", "surrogatepass")) > PATH_BYTES_MAX:
        raise BadHandIn(f"a path that is too long, expected at most {PATH_BYTES_MAX:,} bytes", path=spelled)
    if spelled.startswith("/") or _DRIVE.match(spelled):
        raise BadHandIn("an absolute path, expected one below the bot's folder", path=spelled)
    parts = tuple(part for part in normalize("NFC", spelled).split("/") if part not in ("", "."))
    if ".." in parts:
        raise BadHandIn("a path that leads upwards, expected one below the bot's folder", path=spelled)
    if any(len(part.encode("utf-8", "surrogatepass")) > FILE_NAME_BYTES_MAX for part in parts):
        raise BadHandIn(
            f"a name that is too long, expected at most {FILE_NAME_BYTES_MAX} bytes", path=spelled
        )
    return parts


def check_files(paths: Iterable[Parts]) -> None:
    """Raises BadHandIn if the paths of a bot's files have names that trouble people or other systems.

    That is: names that cannot be printed, too many folders in each other, and names in a folder that are
    equal but for case or Unicode form, so that one file would hide the other on Windows or macOS.
    """
    seen: dict[str, str] = {}
    for parts in paths:
        path = "/".join(parts)
        if not path.isprintable():
            raise BadHandIn("a name that cannot be printed: rename it", path=path)
        if "\\" in path:
            raise BadHandIn("a name with a backslash, which is a slash on Windows: rename it", path=path)
        if len(parts) > PARTS_MAX:
            raise BadHandIn(f"more than {PARTS_MAX} folders in each other, expected fewer", path=path)
        for end in range(len(parts), 0, -1):
            above = "/".join(parts[:end])
            if (folded := _folded(above)) not in seen:
                seen[folded] = above
                continue
            if seen[folded] != above:
                raise BadHandIn(
                    f"its name is that of {shown(seen[folded])} but for case or Unicode form: rename one",
                    path=above,
                )
            break  # the folders above it were looked at then


def _folded(path: str) -> str:
    return normalize("NFKC", normalize("NFKC", path).casefold())


def name_of_single(name: str) -> str:
    """What a bot in one file is called in its folder: a script may have any name elsewhere."""
    suffix = PurePosixPath(name).suffix
    return f"bot{suffix}" if suffix in SCRIPTS else name
