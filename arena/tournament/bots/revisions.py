"""Takes an earlier version of a bot from its git repository: `git:HEAD~1`.

The bot's folder as it was at that commit is kept in `.arena/versions` of the current folder, so that a run
can be resumed.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from arena.errors import ConfigError, unwritable
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.fingerprints import FILES_BYTES_MAX, FILES_MAX
from arena.tournament.bots.repository import Repository, opened_repository
from arena.tournament.plan import BotSpec
from arena.wire.messages import NAME_LENGTH_MAX
from arena.words import counted, sized

PREFIX = "git:"
VERSIONS = Path(".arena") / "versions"
"""The folder of the versions, relative to the current one."""
_HASH_DIGITS = 12
_LISTING_BYTES_MAX = FILES_MAX * 300
"""How long git's list of files may be: their names, with what git says beside them."""


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
    with opened_repository(folder, f"{spec}: {other.spec}") as repository:
        words = ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        commit = repository.read(*words, why=f"{spec}: no such commit").decode().strip()
        inside = folder.resolve().relative_to(repository.top)
        kept = other.base / VERSIONS / _name_of(commit, inside)
        if not kept.is_dir():
            _check_out(spec, repository, f"{commit}:{'' if inside == Path() else inside}", kept)
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


def _name_of(commit: str, inside: Path) -> str:
    return "-".join([commit[:_HASH_DIGITS], *inside.parts])[:200]


def _check_out(spec: str, repository: Repository, tree: str, kept: Path) -> None:
    """Makes the folder as it was, whole or not at all, and without links, which could lead elsewhere."""
    blobs = repository.blobs(
        tree, why=spec, absent=f"{spec}: the bot was not there yet", bytes_max=_LISTING_BYTES_MAX
    )
    if len(blobs) > FILES_MAX:
        raise ConfigError(f"{spec}: it has {counted(len(blobs), 'file')}, more than {FILES_MAX:,}")
    if sum(blob.size for blob in blobs) > FILES_BYTES_MAX:
        raise ConfigError(f"{spec}: its files have more than {sized(FILES_BYTES_MAX)}")
    for above in (kept.parent.parent, kept.parent):
        if above.is_symlink():
            raise ConfigError(f"{spec}: {above} is a link, where versions are to be kept: remove it")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".new-") as name:
        new = Path(name) / "files"
        new.mkdir()
        try:
            for blob, content in repository.contents(blobs, why=spec):
                file = new / blob.path
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("xb") as written:
                    written.write(content)
                file.chmod(0o755 if blob.is_executable else 0o644)
        except OSError as error:
            raise unwritable(kept, error) from error
        try:
            new.rename(kept)
        except OSError:
            if not kept.is_dir():  # else another arena was quicker
                raise
