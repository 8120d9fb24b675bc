"""What of a folder is no part of the bot: what tools leave behind, and what `.arenaignore` names.

`.arenaignore` lies in the bot's folder and has patterns as `.gitignore` has them, one a line:

- `notes.txt`, `*.log`: files and folders of such a name, wherever they lie
- `/data`, `tables/old`: with a slash in front or within, paths from the bot's folder
- `drafts/`: with a slash at the end, folders only
- `!keep.log`: what an earlier line, or our own list, leaves out is handed in after all
- `*` and `?` stand for characters of one name, `[abc]` for one of these; `**` is not known

The last pattern that matches decides.  Nothing that lies in a folder that is left out can be had back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from fnmatch import translate

import attrs

from arena.handin.bounds import BadHandIn
from arena.handin.paths import Parts
from arena.reading.units import shown

IGNORE_FILE = ".arenaignore"
PATTERNS_MAX, PATTERN_LENGTH_MAX = 100, 200

_FOLDERS = frozenset(
    (
        *(".git", ".hg", ".svn", "CVS"),
        *("__MACOSX", ".Spotlight-V100", ".Trashes", ".fseventsd", "$RECYCLE.BIN"),
        *("__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"),
        *(".tox", ".nox", ".cache", ".eggs", ".gradle", ".arena"),
        *("node_modules", "target"),
    )
)
_FILES = frozenset((".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini", "Icon\r"))
_MARKS = frozenset(("pyvenv.cfg", "CACHEDIR.TAG", "arena.db", "server.db"))
"""Files by which a folder is known: a virtual environment, a cache, results of runs, a server's data."""


@attrs.frozen
class IgnorePattern:
    """A line of `.arenaignore`."""

    parts: tuple[re.Pattern[str], ...]
    """For each part of a path, from the bot's folder; of one only, if it is about names wherever they lie."""
    is_anchored: bool
    is_for_folders: bool
    is_negated: bool

    def matches(self, path: Parts, is_folder: bool) -> bool:
        """Whether it is about this path."""
        if self.is_for_folders and not is_folder:
            return False
        if not self.is_anchored:
            path = path[-1:]
        return len(path) == len(self.parts) and all(
            pattern.match(part) for pattern, part in zip(self.parts, path, strict=True)
        )


def read_ignored(text: bytes) -> tuple[IgnorePattern, ...]:
    """The patterns of an `.arenaignore`.  Raises BadHandIn for what they cannot say."""
    try:
        lines = text.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise BadHandIn("not UTF-8 text: save it as UTF-8", path=IGNORE_FILE) from None
    said = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    said = [(number, line) for number, line in said if line and not line.startswith("#")]
    if len(said) > PATTERNS_MAX:
        raise BadHandIn(f"more than {PATTERNS_MAX} patterns, expected fewer", path=IGNORE_FILE)
    return tuple(_pattern(line, number) for number, line in said)


def _pattern(line: str, number: int) -> IgnorePattern:
    bare = line.removeprefix("!").removesuffix("/")
    names = bare.removeprefix("/").split("/")
    if "" in names or "**" in bare or "\\" in bare or len(line) > PATTERN_LENGTH_MAX:
        raise BadHandIn(
            f"line {number}: found {shown(line)}, expected a name or path such as *.log, /data or drafts/ "
            r"(no ** and no \)",
            path=IGNORE_FILE,
        )
    return IgnorePattern(
        parts=tuple(re.compile(translate(name)) for name in names),
        is_anchored="/" in bare,
        is_for_folders=line.endswith("/"),
        is_negated=line.startswith("!"),
    )


def is_ignored(path: Parts, inner: Collection[str] | None, patterns: Iterable[IgnorePattern] = ()) -> bool:
    """Whether this path is left out; `inner`: the names in it if it is a folder, else None.

    Only what tools leave behind, unless patterns are given, whose paths begin at the bot's folder.
    """
    is_folder, name = inner is not None, path[-1]
    said = name in _FOLDERS or not _MARKS.isdisjoint(inner or ()) if is_folder else _is_litter(name)
    if path == (IGNORE_FILE,):
        return False  # it must be there when the archive is read
    for pattern in patterns:
        if pattern.matches(path, is_folder):
            said = not pattern.is_negated
    return said


def _is_litter(name: str) -> bool:
    return name in _FILES or name.startswith("._")  # what macOS keeps beside files on disks of others
