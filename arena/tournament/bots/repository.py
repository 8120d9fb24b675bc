"""Reads a git repository that somebody else made, without doing what it says.

git runs commands that a repository's own configuration names: to fetch missing objects, to watch files, to
convert them.  So git reads a repository that is made here, in a temporary folder, with a configuration of
ours.  The other one's references are copied, and its folders of objects, which are nothing but data, are
linked; no link in it is followed, and no objects of a third repository are read.
"""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import attrs

from arena.errors import ConfigError
from arena.reading.strict import read_regular
from arena.words import printable, sized

GIT_S_MAX = 60.0
_MEMORY_BYTES_MAX = 4 << 30
"""Address space of git: an object's size is only known when it is unpacked."""
_REFERENCES_MAX, _REFERENCE_BYTES_MAX = 50_000, 100_000_000
_OBJECT_FILES_MAX = 1_000_000
_LIMITED = 'ulimit -f "$1"; ulimit -t "$2"; ulimit -v "$3" 2>/dev/null; shift 3; exec git "$@"'
"""Limits on files (blocks of 512 bytes), seconds and memory (KiB); macOS knows none of the last kind."""
_CONFIG = """[core]
 repositoryformatversion = 1
 bare = true
 commitGraph = false
 multiPackIndex = false
 packedGitWindowSize = 32m
 packedGitLimit = 256m
[protocol]
 allow = never
[extensions]
 objectFormat = {format}
"""


@attrs.frozen
class Blob:
    """A file in a commit."""

    path: PurePosixPath
    object: str
    size: int
    is_executable: bool


@attrs.frozen
class Repository:
    """A repository of ours with the references and objects of somebody else's."""

    own: Path
    top: Path
    """The folder whose versions the other repository keeps."""
    lacking: str
    """Why objects may be missing; empty if nothing says that any are."""

    def read(self, *words: str, why: str, given: bytes = b"", bytes_max: int = 1 << 20) -> bytes:
        """What git prints.  Raises ConfigError, which begins with `why`, if it fails or prints more."""
        with tempfile.TemporaryFile(dir=self.own) as printed, tempfile.TemporaryFile(dir=self.own) as errors:
            limits = (bytes_max // 512 + 1, int(GIT_S_MAX), _MEMORY_BYTES_MAX >> 10)
            try:
                done = subprocess.run(
                    ["/bin/sh", "-c", _LIMITED, "sh", *map(str, limits), *words],
                    cwd=self.own,
                    env=_environment(self.own),
                    input=given,
                    stdout=printed,
                    stderr=errors,
                    timeout=GIT_S_MAX,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise ConfigError(f"{why}: git took more than {GIT_S_MAX:g} s") from None
            if done.returncode == -signal.SIGXFSZ:
                raise ConfigError(
                    f"{why}: git's answer has more than {bytes_max:,} bytes, too many for a bot"
                )
            if done.returncode == 127:
                raise ConfigError(f"{why}: there is no git on this machine")
            if done.returncode:
                errors.seek(0)
                said = errors.read(200).decode("utf-8", "replace").strip().partition("\n")[0]
                reasons = "; ".join(reason for reason in (printable(said), self.lacking) if reason)
                raise ConfigError(f"{why}{f' ({reasons})' if reasons else ''}")
            printed.seek(0)
            return printed.read()

    def blobs(self, tree: str, *, why: str, absent: str, bytes_max: int) -> list[Blob]:
        """The files of a tree and of those below it, without links and submodules.

        Raises ConfigError: `absent` if there is no such tree, else with `why` and what is wrong.
        """
        self.read("cat-file", "-e", tree, why=absent)
        listed = self.read("ls-tree", "-r", "-z", "--long", tree, why=why, bytes_max=bytes_max)
        read = (self._blob(line, why) for line in listed.split(b"\0") if line)
        return [blob for blob in read if blob is not None]

    def contents(self, blobs: list[Blob], *, why: str) -> Iterator[tuple[Blob, bytes]]:
        """Yields each file with its bytes."""
        objects = "".join(f"{blob.object}\n" for blob in blobs).encode()
        most = sum(blob.size + 200 for blob in blobs)
        packed = self.read("cat-file", "--batch", why=why, given=objects, bytes_max=most)
        start = 0
        for blob in blobs:
            content = packed.index(b"\n", start) + 1
            if packed[start:content] != f"{blob.object} blob {blob.size}\n".encode():
                raise self._missing(blob.path, why)
            yield blob, packed[content : content + blob.size]
            start = content + blob.size + 1

    def _blob(self, line: bytes, why: str) -> Blob | None:
        """The file that a line of `git ls-tree` names; None for a link or a submodule.

        Raises ConfigError if it lies outside of the tree.
        """
        facts, _, name = line.partition(b"\t")
        mode, kind, object, size = facts.split()
        parts = os.fsdecode(name).split("/")
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
            raise ConfigError(f"{why}: {printable('/'.join(parts))} is no path of a file")
        if kind != b"blob" or mode not in (b"100644", b"100664", b"100755"):
            return None
        path = PurePosixPath(*parts)
        if not size.isdigit():
            raise self._missing(path, why)
        return Blob(path, object.decode(), int(size), mode == b"100755")

    def _missing(self, path: PurePosixPath, why: str) -> ConfigError:
        reason = f" ({self.lacking})" if self.lacking else ""
        return ConfigError(f"{why}: {printable(str(path))} is missing{reason}")


@contextmanager
def opened_repository(folder: Path, why: str) -> Iterator[Repository]:
    """The repository whose working tree contains the folder.

    Raises ConfigError, which begins with `why`, if there is none, or it cannot be read as it is.
    """
    top, common, head = _located(folder.resolve(), why)
    with tempfile.TemporaryDirectory() as name:
        own = Path(name)
        try:
            _copy_references(common, own)
            _copy_file(head / "HEAD", own / "HEAD")
            (own / "config").write_text(_CONFIG.format(format=_object_format(common)))
            _link_objects(common / "objects", own / "objects")
        except OSError as error:
            what = f"{error.filename or common}: {error.strerror or error}"
            raise ConfigError(f"{why}: its git repository cannot be read: {what}") from None
        yield Repository(own, top, _lacking(common))


def _located(folder: Path, why: str) -> tuple[Path, Path, Path]:
    """The working tree, the repository, and the folder with HEAD, of which each worktree has its own."""
    for top in (folder, *folder.parents):
        place = top / ".git"
        if _is(stat.S_ISDIR, place):
            return top, place, place
        if _is(stat.S_ISREG, place):
            own = _worktree(place)
            if own is None:
                raise ConfigError(
                    f"{why}: {place} leads to a git repository elsewhere, which knows no worktree here"
                )
            return top, own.parent.parent, own
        if place.is_symlink():
            raise ConfigError(f"{why}: {place} is a link, expected a git repository or a worktree's file")
    raise ConfigError(f"{why} is not in a git repository")


def _worktree(file: Path) -> Path | None:
    """The folder of a worktree in its repository; None unless that leads back here.

    Anybody can write a file that leads to any repository, and what is private in it is not for a bot.
    """
    try:
        target = read_regular(file, 10_000).removeprefix(b"gitdir:").strip()
        own = (file.parent / os.fsdecode(target)).resolve()
        back = Path(os.fsdecode(read_regular(own / "gitdir", 10_000).strip())).resolve()
    except (OSError, ValueError):
        return None
    return own if back == file and own.parent.name == "worktrees" else None


def _copy_references(common: Path, own: Path) -> None:
    """Copies the references, which name commits.  Raises OSError if they are too many or too large."""
    (own / "refs").mkdir()
    tops, files, size = [Path("refs"), Path("logs")], [Path("packed-refs"), Path("shallow")], 0
    while tops:
        top = tops.pop()
        if _is(stat.S_ISDIR, common / top):
            inside = [top / name for name in os.listdir(common / top)]
            tops += (folders := [path for path in inside if _is(stat.S_ISDIR, common / path)])
            files += [path for path in inside if path not in folders]
        if len(files) + len(tops) > _REFERENCES_MAX:
            raise OSError(f"it has more than {_REFERENCES_MAX:,} loose references (`git gc` packs them)")
    for file in files:
        (own / file).parent.mkdir(parents=True, exist_ok=True)
        size += _copy_file(common / file, own / file)
        if size > _REFERENCE_BYTES_MAX:
            raise OSError(f"its references have more than {sized(_REFERENCE_BYTES_MAX)}")


def _copy_file(file: Path, copy: Path) -> int:
    """Copies a regular file, not one behind a link; returns its size (bytes)."""
    if not _is(stat.S_ISREG, file):
        return 0
    return copy.write_bytes(read_regular(file, _REFERENCE_BYTES_MAX))


def _object_format(common: Path) -> str:
    """The hash that names objects, the only thing that the repository's own configuration is read for."""
    if not _is(stat.S_ISREG, common / "config"):
        return "sha1"
    is_sha256 = re.search(rb"(?i)objectformat\s*=\s*\"?sha256", read_regular(common / "config", 1 << 20))
    return "sha256" if is_sha256 else "sha1"


def _link_objects(objects: Path, own: Path) -> None:
    """Links the folders of objects, packed and loose.  Raises OSError if anything in them is a link itself.

    What else lies beside them is left out: other places to look for objects, and what is known of commits.
    """
    own.mkdir()
    looked = 0
    if objects.is_symlink():
        raise OSError(f"{objects} is a link")
    for name in ("pack", *(f"{number:02x}" for number in range(256))):
        folder = objects / name
        if _is(stat.S_ISDIR, folder):
            looked += _check_files(folder)
            (own / name).symlink_to(folder)
        elif folder.is_symlink():
            raise OSError(f"{folder} is a link")
        if looked > _OBJECT_FILES_MAX:
            raise OSError(f"it has more than {_OBJECT_FILES_MAX:,} files")


def _check_files(folder: Path) -> int:
    """How many files the folder has.  Raises OSError if it has anything else, such as a link."""
    looked = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                raise OSError(f"{printable(entry.path)} is not a file")
            looked += 1
    return looked


def _lacking(common: Path) -> str:
    """Why objects may be missing; empty if nothing says that any are."""
    if any((common / "objects" / "pack").glob("*.promisor")):
        return "it is a partial clone, and the arena fetches nothing: clone it whole"
    if (common / "objects" / "info" / "alternates").exists():
        return "it borrows objects of another repository, which the arena does not read: clone it whole"
    if (common / "shallow").exists():
        return "it is a shallow clone: git fetch --unshallow completes it"
    return ""


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether something of this kind is at this path itself, not behind a link."""
    try:
        return kind(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _environment(own: Path) -> dict[str, str]:
    """git's environment: nothing of the caller's, whose `GIT_DIR` may name another repository."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "HOME": str(own),
        "GIT_DIR": str(own),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
