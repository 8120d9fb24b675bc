"""Unpacks what people hand in into a folder named by a hash of its content: all of it or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Container, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import attrs

from arena.errors import unwritable
from arena.handin.archives import (
    HEAD_OF_ARCHIVE,
    ArchiveEntry,
    BotArchive,
    kind_of,
    single_file,
)
from arena.handin.bounds import HEAD_BYTES, IGNORE_BYTES_MAX, BadHandIn, HandInLimits, Meter, Tick
from arena.handin.paths import Parts
from arena.handin.programs import (
    RECIPE_FILE,
    BotFile,
    HandInNote,
    commands_in,
    content_hash,
    is_program,
    notes_on,
)
from arena.handin.selection import ListedFiles, Selection, check_amount, select_files, too_many
from arena.handin.tars import TarArchive
from arena.handin.zips import ZipArchive
from arena.words import sized

SYNCS_AT_ONCE = 8
"""Files of which the disk is asked at once to keep them: 2,000 take 0.4 s so, one after the other 10 s."""
_DRAFT_PREFIX, _DRAFT_SUFFIX = ".unpacking-", ".tmp"


@attrs.frozen(kw_only=True)
class HandIn:
    """A bot that was handed in, unpacked."""

    hash: str
    """64 hexadecimal digits: the same for the same files, however they were packed."""
    folder: Path
    is_new: bool
    """Whether nobody had handed in the same files."""
    files: int
    octets: int
    only_file: str
    """The name of its file, if it has no other."""
    left_out: tuple[str, ...]
    """What of the archive is no part of the bot: paths, those of folders with a slash at the end."""
    notes: tuple[HandInNote, ...]


def unpack_bot(
    source: Path | BinaryIO,
    store: Path,
    *,
    name: str | None = None,
    limits: HandInLimits | None = None,
    tick: Tick = lambda: None,
) -> HandIn:
    """Unpacks a zip, a tar (packed by gzip or not) or a single file into `store/HASH`.

    `source`: the file, which nobody changes meanwhile, or its path; `name`: what its owner calls it, if that
    is not the name there; a bot in a single file needs one.  What the file is follows from its content.
    Raises BadHandIn, another ConfigError if the store cannot be written, and what the tick raises; then
    nothing is left over.
    """
    limits = limits or HandInLimits()
    if isinstance(source, Path):
        with source.open("rb") as file:
            return unpack_bot(
                file, store, name=source.name if name is None else name, limits=limits, tick=tick
            )
    octets = source.seek(0, os.SEEK_END)
    if octets > limits.archive_bytes_max:
        raise BadHandIn(
            f"it is larger than {sized(limits.archive_bytes_max)}, the most that is taken: leave out what "
            "the bot does not need"
        )
    archive = _archive_in(source, name or "", octets, limits, tick)
    tree = _ArchiveTree(archive, limits, tick)
    selection = select_files(tree)
    tree.check(selection)
    with _draft_in(store) as draft:
        meter = Meter(limits.unpacked_bytes_max, octets, tick)
        files = list(_written(archive, selection, draft, meter))
        assert len(files) == len(selection.files), "an archive has the same files each time it is read"
        return _placed(draft, files, selection, tree.guessed(selection), tick)


def remove_leftovers(store: Path) -> None:
    """Removes what was being unpacked when a process was killed; called while nobody unpacks there."""
    for draft in store.glob(f"{_DRAFT_PREFIX}*{_DRAFT_SUFFIX}"):
        shutil.rmtree(draft, ignore_errors=True)


def _archive_in(file: BinaryIO, name: str, octets: int, limits: HandInLimits, tick: Tick) -> BotArchive:
    file.seek(0)
    kind = kind_of(file.read(HEAD_OF_ARCHIVE))
    if kind == "zip":
        return ZipArchive(file, octets)
    if kind:
        return TarArchive(
            file, is_packed=kind == "gzip", meter=lambda: Meter(limits.stream_bytes_max, octets, tick)
        )
    return single_file(file, name, octets)


class _ArchiveTree(ListedFiles):
    """The files of an archive."""

    def __init__(self, archive: BotArchive, limits: HandInLimits, tick: Tick) -> None:
        super().__init__(limits.entries_max)
        self._archive, self._limits, self._tick = archive, limits, tick
        self._entries: dict[Parts, ArchiveEntry] = {}
        for number, entry in enumerate(archive.entries(), 1):
            tick()
            if number > limits.entries_max:
                raise too_many(limits.entries_max)
            if entry.is_folder:
                self.add_folder(entry.path)
            elif not entry.path:
                raise BadHandIn("a file without a name: pack it again", path=entry.spelled)
            else:
                self.add(entry.path)
                self._entries[entry.path] = entry

    def names(self, folder: Parts) -> Mapping[str, bool]:
        """The names in a folder, and whether each is a folder."""
        self._tick()
        return super().names(folder)

    def text(self, file: Parts) -> bytes:
        """The content of a small file.  Raises BadHandIn if it is not small."""
        content = b""
        for _, pieces in self._archive.contents({file}):
            for piece in pieces:
                content += piece
                if len(content) > IGNORE_BYTES_MAX:
                    raise BadHandIn(f"larger than {sized(IGNORE_BYTES_MAX)}, expected less", path=file[-1])
        return content

    def check(self, selection: Selection) -> None:
        """Raises BadHandIn if the bot's files are too many or, as the archive has it, wrong or too large."""
        self.check_clashes(selection)
        entries = self._of(selection)
        for entry in entries:
            if entry.wrong:
                raise BadHandIn(entry.wrong, path=entry.spelled)
        check_amount({"/".join(entry.path): entry.octets for entry in entries}, self._limits)

    def guessed(self, selection: Selection) -> list[str]:
        """The paths of which nobody knows for sure how they are written."""
        return [entry.spelled for entry in self._of(selection) if entry.is_guessed]

    def _of(self, selection: Selection) -> list[ArchiveEntry]:
        return [self._entries[selection.top + file] for file in selection.files]


@contextmanager
def _draft_in(store: Path) -> Iterator[Path]:
    """A new folder in the store, which is removed at the end if it is still there."""
    draft = None
    try:
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=_DRAFT_PREFIX, suffix=_DRAFT_SUFFIX, dir=store))
        yield draft
    except OSError as error:
        raise unwritable(store, error) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _written(archive: BotArchive, selection: Selection, draft: Path, meter: Meter) -> Iterator[BotFile]:
    """Writes the bot's files, each of which its archive has once."""
    depth = len(selection.top)
    wanted = frozenset(selection.top + file for file in selection.files)
    for path, pieces in archive.contents(wanted):
        place = draft.joinpath(*path[depth:])
        place.parent.mkdir(parents=True, exist_ok=True)
        digest, octets, head = sha256(), 0, b""
        with place.open("xb") as file:
            for piece in pieces:
                meter.count(len(piece), "/".join(path))
                file.write(piece)
                digest.update(piece)
                octets += len(piece)
                head += piece[: HEAD_BYTES - len(head)]
        yield BotFile("/".join(path[depth:]), octets, digest.digest(), head)


def _placed(
    draft: Path, files: list[BotFile], selection: Selection, guessed: Iterable[str], tick: Tick
) -> HandIn:
    """Gives the draft its rights and its name; if there is such a folder already, that one is the bot's."""
    commands = commands_in(draft / RECIPE_FILE)
    programs = {file.path for file in files if is_program(file.path, file.head, commands)}
    hash = content_hash(files, commands)
    folder = draft.parent / hash
    if is_new := not folder.exists():
        _settle_all(draft, files, programs, tick)
        try:
            draft.rename(folder)
        except OSError:
            if not folder.exists():
                raise
            is_new = False  # somebody handed in the same meanwhile
        _settle_folder(draft.parent)
    guesses = [
        HandInNote(path, "no program says how this name is written: use plain letters, digits, - and _")
        for path in guessed
    ]
    return HandIn(
        hash=hash,
        folder=folder,
        is_new=is_new,
        files=len(files),
        octets=sum(file.octets for file in files),
        only_file=files[0].path if len(files) == 1 else "",
        left_out=selection.left_out,
        notes=(*notes_on(files, commands, selection), *guesses),
    )


def _settle_all(draft: Path, files: Iterable[BotFile], programs: Container[str], tick: Tick) -> None:
    """Sets the rights of all files and folders, and has the disk keep them."""

    def settle(file: BotFile) -> None:
        with (draft / file.path).open("rb") as opened:
            os.fchmod(opened.fileno(), 0o755 if file.path in programs else 0o644)
            os.fsync(opened.fileno())

    def settle_folder(folder: str) -> None:
        os.chmod(folder, 0o755)
        _settle_folder(Path(folder))

    with ThreadPoolExecutor(SYNCS_AT_ONCE) as pool:
        for _ in pool.map(settle, files):
            tick()
        for _ in pool.map(settle_folder, [top for top, _, _ in os.walk(draft)]):
            tick()


def _settle_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
