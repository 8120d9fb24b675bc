"""Which files of an archive or a folder are the bot's: without folders around it, and without litter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import attrs

from arena.handin.bounds import BadHandIn, HandInLimits
from arena.handin.ignoring import IGNORE_FILE, IgnorePattern, is_ignored, read_ignored
from arena.handin.paths import Parts, check_files
from arena.reading.units import shown
from arena.words import listed, sized

OPENED_MAX = 2
"""How many folders around everything are opened: a hosting site adds one, its owner may have had another."""

LARGEST_NAMED = 3
"""How many of the largest files are named where a bot is too large."""


class FileTree(Protocol):
    """Files in folders: of an archive, or on a disk."""

    def names(self, folder: Parts) -> Mapping[str, bool]:
        """The names in a folder, and whether each is a folder."""

    def text(self, file: Parts) -> bytes:
        """The content of a small file.  Raises BadHandIn if it is not small."""


@attrs.frozen
class Selection:
    """The files of a bot."""

    top: Parts
    """The folder that is the bot's, below that of the archive."""
    files: tuple[Parts, ...]
    """The bot's files, from its own folder, sorted."""
    left_out: tuple[str, ...]
    """What else lies there, from the folder of the archive, sorted; a folder, with all that it holds, ends in
    a slash."""


def select_files(tree: FileTree) -> Selection:
    """The bot's files.  Raises BadHandIn if there are none, or if their names cannot stay as they are."""
    top, left_out = _opened(tree)
    has_patterns = tree.names(top).get(IGNORE_FILE) is False
    patterns = read_ignored(tree.text((*top, IGNORE_FILE))) if has_patterns else ()
    files = list[Parts]()
    folders: list[Parts] = [()]
    while folders:
        folder = folders.pop()
        for name, is_folder in tree.names(top + folder).items():
            path = (*folder, name)
            if _is_left_out(tree, top, path, is_folder, patterns):
                left_out.append(_said(top + path, is_folder))
            else:
                (folders if is_folder else files).append(path)
    if not files:
        but = f" but what is left out, {shown(min(left_out))}" if left_out else ""
        raise BadHandIn(f"it has no files{but}: expected those of a bot")
    files.sort()
    check_files(files)
    return Selection(top, tuple(files), tuple(sorted(left_out)))


def _opened(tree: FileTree) -> tuple[Parts, list[str]]:
    """The innermost of the folders that have everything in them, and what was left out around it."""
    top, left_out = Parts(), list[str]()
    for _ in range(OPENED_MAX):
        names = tree.names(top)
        around = {name for name, is_folder in names.items() if _is_left_out(tree, top, (name,), is_folder)}
        inner = names.keys() - around
        if len(inner) != 1 or not names[name := inner.pop()]:
            break
        left_out += (_said((*top, name), names[name]) for name in around)
        top = (*top, name)
    return top, left_out


def _is_left_out(
    tree: FileTree, top: Parts, path: Parts, is_folder: bool, patterns: Iterable[IgnorePattern] = ()
) -> bool:
    return is_ignored(path, tree.names(top + path) if is_folder else None, patterns)


def _said(path: Parts, is_folder: bool) -> str:
    return "/".join(path) + "/" * is_folder


class ListedFiles:
    """The tree of files that are known by their paths."""

    def __init__(self, nodes_max: int) -> None:
        """`nodes_max`: how many names there may be, of files and folders."""
        self._top: dict[str, object] = {}
        self._nodes, self._nodes_max = 0, nodes_max
        self._folders, self._clashes = set[Parts](), set[Parts]()

    def add(self, path: Parts) -> None:
        """Adds a file, with the folders that it lies in.  Raises BadHandIn if there are too many."""
        folder = self._top
        for depth, name in enumerate(path[:-1], 1):
            if not isinstance(inner := folder.get(name), dict):
                if name in folder:
                    self._clashes.add(path[:depth])
                folder[name] = inner = {}
                self._count()
            folder = inner
        if path[-1] in folder:
            self._clashes.add(path)
        else:
            folder[path[-1]] = None
            self._count()

    def add_folder(self, path: Parts) -> None:
        """Adds a folder, which counts only if a file has its name: empty ones are not a part of a bot."""
        self._folders.add(path)

    def names(self, folder: Parts) -> Mapping[str, bool]:
        """The names in a folder, and whether each is a folder; none if there is no such folder."""
        inner: object = self._top
        for name in folder:
            inner = inner.get(name) if isinstance(inner, dict) else None
        return (
            {name: isinstance(what, dict) for name, what in inner.items()} if isinstance(inner, dict) else {}
        )

    def check_clashes(self, selection: Selection) -> None:
        """Raises BadHandIn if the path of one of the bot's files is there twice."""
        for file in selection.files:
            path = selection.top + file
            above = (path[:end] for end in range(len(path), 0, -1)) if self._clashes else ()
            if path in self._folders or any(each in self._clashes for each in above):
                raise BadHandIn(
                    "two files, or a file and a folder, have this path: pack it again", path="/".join(path)
                )

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > self._nodes_max:
            raise too_many(self._nodes_max)


def too_many(entries_max: int) -> BadHandIn:
    """The error for an archive with too many entries, or a folder with too many names."""
    return BadHandIn(
        f"more than {entries_max:,} files and folders, with those that are left out: pack the bot alone"
    )


def check_amount(sizes: Mapping[str, int], limits: HandInLimits) -> None:
    """Raises BadHandIn if a bot has too many files, or too large ones; `sizes`: bytes by path."""
    if len(sizes) > limits.files_max:
        raise BadHandIn(
            f"{len(sizes):,} files, expected at most {limits.files_max:,}: name in .arenaignore what the "
            "bot does not need"
        )
    if sum(sizes.values()) > limits.unpacked_bytes_max:
        raise BadHandIn(
            f"its files are larger than {sized(limits.unpacked_bytes_max)}, the most that is taken: leave "
            f"out what the bot does not need; the largest: {largest(sizes)}"
        )


def largest(sizes: Mapping[str, int]) -> str:
    """The largest files, each with its size."""
    paths = sorted(sizes, key=lambda path: (-sizes[path], path))[:LARGEST_NAMED]
    return listed([f"{shown(path)} ({sized(sizes[path])})" for path in paths])
