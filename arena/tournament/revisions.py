"""An earlier version of a bot, from its git repository: `git:HEAD~1`.

The folder of the other bot is taken as it was at that commit, and kept in `.arena/versions` of the current
folder, so that a run can be resumed.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

from arena.errors import ConfigError
from arena.tournament.entrants import resolve
from arena.tournament.fingerprints import FILES_BYTES_MAX, FILES_MAX
from arena.tournament.plan import BotSpec
from arena.wire.messages import NAME_LENGTH_MAX
from arena.words import counted, printable

PREFIX = "git:"
VERSIONS = Path(".arena") / "versions"
"""Where the versions are kept, from the current folder."""
GIT_S_MAX = 60.0
_HASH_DIGITS = 12
_ARCHIVE_BYTES_MAX = 2 * FILES_BYTES_MAX
"""With the archive's own headers and padding."""


def is_revision(spec: str) -> bool:
    """Whether the spec names a commit, and not a bot."""
    return spec.startswith(PREFIX)


def version_at(spec: str, other: BotSpec) -> BotSpec:
    """The bot `other` as it was at the commit that `spec` names, such as `git:HEAD~1` or `git:main`.

    Raises ConfigError if there is no such commit, or the bot was not there.
    """
    revision = spec.removeprefix(PREFIX)
    place = other.base / os.path.expanduser(other.spec.partition("=")[2] or other.spec)
    if not place.exists():
        place = other.base / os.path.expanduser(other.spec)
    if not place.exists():
        raise ConfigError(f"{spec}: the other bot must be a folder or a file in a git repository")
    folder = place if place.is_dir() else place.parent
    if not revision or revision.startswith("-"):
        raise ConfigError(f"{spec}: expected a commit, such as git:HEAD~1 or git:main")
    inside = _git(
        folder, "rev-parse", "--show-prefix", why=f"{spec}: {other.spec} is not in a git repository"
    )
    commit = _git(
        folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", why=f"{spec}: no such commit"
    )
    kept = other.base / VERSIONS / _name_of(commit, inside)
    if not kept.is_dir():
        top = Path(_git(folder, "rev-parse", "--show-toplevel", why=spec))
        _check_out(spec, top, f"{commit}:{inside}", kept)
    file = "" if place.is_dir() else place.name
    if file and not (kept / file).is_file():
        raise ConfigError(f"{spec}: {file} was not there at {commit[:_HASH_DIGITS]}")
    name = resolve(other.spec, base=other.base, name=other.name).name
    short = commit[:7]
    return BotSpec(
        str(VERSIONS / kept.name / file),
        other.base,
        name=f"{name[: NAME_LENGTH_MAX - 1 - len(short)]}-{short}",
    )


def _name_of(commit: str, inside: str) -> str:
    parts = [part for part in Path(inside).parts if part]
    return "-".join([commit[:_HASH_DIGITS], *parts])[:200]


def _git(folder: Path, *words: str, why: str) -> str:
    """What git prints, without the line's end.  Raises ConfigError with `why` if it fails."""
    return _run_git(folder, words, why).decode("utf-8", "surrogateescape").rstrip("\n")


def _run_git(folder: Path, words: tuple[str, ...], why: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, timeout=GIT_S_MAX, check=False
        )
    except FileNotFoundError:
        raise ConfigError(f"{PREFIX}…: there is no git on this machine") from None
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{why}: git took more than {GIT_S_MAX:g} s") from None
    if done.returncode:
        said = printable(done.stderr.decode("utf-8", "replace").strip().partition("\n")[0])[:200]
        raise ConfigError(f"{why}{f' ({said})' if said else ''}")
    return done.stdout


def _check_out(spec: str, top: Path, tree: str, kept: Path) -> None:
    """Makes the folder as it was; whole or not at all."""
    packed = _run_git(top, ("archive", "--format=tar", tree), f"{spec}: the bot was not there yet")
    if len(packed) > _ARCHIVE_BYTES_MAX:
        raise ConfigError(f"{spec}: its files have more than {FILES_BYTES_MAX:,} bytes")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".new-") as name:
        new = Path(name) / "files"
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            members = [member for member in archive.getmembers() if member.isreg() or member.isdir()]
            if len(members) > FILES_MAX:
                raise ConfigError(f"{spec}: it has {counted(len(members), 'file')}, more than {FILES_MAX:,}")
            if hasattr(tarfile, "data_filter"):  # not before Python 3.11.4
                archive.extraction_filter = tarfile.data_filter
            archive.extractall(new, members)  # without links, which could lead elsewhere
        try:
            new.rename(kept)
        except OSError:
            if not kept.is_dir():  # else another arena was quicker
                raise


__all__ = ["PREFIX", "VERSIONS", "is_revision", "version_at"]
