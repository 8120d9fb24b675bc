"""Hands a bot in to a league, and waits until it plays or is refused."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.handin.bounds import HandInLimits
from arena.handin.pack import pack_bot
from arena.terminal.leagues.league_link import WAIT_S, LeagueLink, part
from arena.words import counted, listed, printable, sized

TRYING = frozenset(("waiting", "building", "checking"))
WAITED_MAX_S = 1800.0
"""How long a bot is waited for."""
LEFT_OUT_TOLD = 8
REASON_LINES_MAX = 60
"""How much of a reason is shown, with the end of a log."""
PLAYS, REFUSED, WAITS = 0, 1, 3
"""Exit codes: it plays; it was refused, or plays no more; it is still to be tried."""


def submit_bot(
    link: LeagueLink, source: Path, name: str, say: Callable[[str], None], *, is_waiting: bool
) -> int:
    """Hands in a folder or file; returns the exit code.  Raises ConfigError if it is not taken."""
    check_is_there(source)  # before the server is asked
    shown = link.of_league("GET", "")
    limits = HandInLimits(archive_mb=shown["archive_mb"], files_max=shown["files_max"])
    octets, notes = packed_bot(source, limits)
    for note in notes:
        say(note)
    taken = link.of_league("POST", "/versions", octets, bot=name, file=source.name)
    for line in taken_lines(taken, is_packed=source.is_dir()):
        say(line)
    bot, version = taken["bot"], taken["version"]
    state = version["state"]
    if is_waiting and state in TRYING:
        state = wait_for(link, bot, version["number"], say)
    elif state not in TRYING:
        for line in _state_lines(version):
            say(line)
    return PLAYS if state == "playing" else WAITS if state in TRYING else REFUSED


def check_is_there(source: Path) -> None:
    """Raises ConfigError if there is nothing to hand in."""
    if not source.exists():
        raise ConfigError(f"{printable(str(source))} is not there: name a folder, an archive or a file")


def packed_bot(source: Path, limits: HandInLimits) -> tuple[bytes, list[str]]:
    """What is sent, and what its owner should know.  Raises ConfigError if it cannot be handed in.

    A folder is packed, an archive and a single file are sent as they are.
    """
    if source.is_file():
        octets = source.read_bytes()
        if len(octets) > limits.archive_bytes_max:
            why = f"it has {sized(len(octets))}, and this league takes {sized(limits.archive_bytes_max)}"
            raise ConfigError(f"{printable(str(source))} is too large: {why}")
        return octets, []
    out = io.BytesIO()
    packed = pack_bot(source, out, limits=limits)
    said = [
        f"{counted(packed.files, 'file')}, {sized(packed.packed_octets)} packed",
        *(f"{printable(note.path)}: {note.said}" if note.path else note.said for note in packed.notes),
    ]
    if packed.left_out:
        said.append(f"left out: {listed([*map(printable, packed.left_out)], most=LEFT_OUT_TOLD)}")
    return out.getvalue(), said


def taken_lines(taken: Any, *, is_packed: bool) -> Iterator[str]:
    """What the server says to a hand-in; of a folder that was packed here, what is left out was told."""
    if not is_packed:
        yield from map(printable, taken["notes"])
        if taken["left_out"]:
            yield f"left out: {listed([*map(printable, taken['left_out'])], most=LEFT_OUT_TOLD)}"
    yield f"{printable(taken['said'])} ({taken['version']['id']})"


def wait_for(link: LeagueLink, bot: Any, number: int, say: Callable[[str], None]) -> str:
    """Says what a version waits for until it has been tried; returns the state that it is in then."""
    ends_at = time.monotonic() + WAITED_MAX_S
    last = list[str]()
    while True:
        version = bot["versions"][number - 1]
        lines = _state_lines(version)
        if lines != last:
            for line in lines:
                say(line)
            last = lines
        if version["state"] not in TRYING or time.monotonic() > ends_at:
            return str(version["state"])
        after = {"after": str(bot["version"]), "wait": str(WAIT_S)}
        bot = link.of_league("GET", f"/bots/{part(bot['id'])}", **after)


def _state_lines(version: Any) -> list[str]:
    """The state of a version with its reason: `version 2 is refused: …`, and what else is known, indented."""
    why = (version["reason"] or version["waits_for"] or "").strip()
    first, *more = [printable(line) for line in why.splitlines()[:REASON_LINES_MAX]] or [""]
    head = f"version {version['number']} is {version['state']}{': ' if first else ''}{first}"
    return [head, *(f"  {line}" for line in more)]
