"""Tries habits, attacks and signals in every box here, as root and as another user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

import attrs
import trio

from arena.box.box import Level, Means, open_box, try_boxes
from arena.box.places import FileView
from arena.box.processes import adopt_orphans
from arena.errors import ConfigError
from arena.reading.strict import unknown
from arena.terminal.text import as_json, out, say
from arena.trials.torture import attacks, signals
from arena.trials.torture.boxed import first_line
from arena.trials.torture.channels import bits_a_second, signalled
from arena.trials.torture.command import BROKEN, HELD, SERIES, SERIES_QUICK, trial_rows
from arena.trials.torture.habits import habits
from arena.trials.torture.promises import TrialTerms
from arena.trials.torture.targets import targets
from arena.trials.torture.trial import Trial
from arena.trials.torture.user import USER_ID, run_as_user
from arena.words import printable

SILENCE_BITS = 1.0
"""Fewer bits a second than this are noise, from what others do on the machine."""
_WIDE = 27
_ATTACK, _SIGNAL = "attack", "signal"


@attrs.frozen
class BoxResult:
    """The result of one habit, attack or signal in one box."""

    user: str
    box: str
    name: str
    said: str
    """`held`, `broken`, `open` (broken, but not promised there), or how many bits a second came through."""
    why: str = ""

    @property
    def is_broken(self) -> bool:
        return self.said == "broken"


def row_names() -> list[str]:
    """The names of all that is tried, in the order of the table."""
    own = [f"{_ATTACK} {name}" for name in attacks.ATTACKS] + [
        f"{_SIGNAL} {name}" for name in signals.CHANNELS
    ]
    return [habit.name for habit in habits()] + own


def boxes_command(only: Sequence[str], *, quick: bool, json: bool) -> int:
    """Tries everything asked for in every box, prints the table, and returns the exit code."""
    for name in only:
        if name not in row_names():
            why = unknown(name, row_names(), "habit, attack or signal")
            raise ConfigError(why, setting="only", value=name)
    adopt_orphans()
    found = list(_found_here(only, quick=quick))
    if os.geteuid() == 0:
        found += _found_by_user(only, quick=quick)
    out(as_json([attrs.asdict(result) for result in found]) if json else table_of(found))
    for result in found:
        if result.is_broken:
            say(f"{result.name}, {result.box} as {result.user}: {printable(result.why)}")
    return BROKEN if any(result.is_broken for result in found) else HELD


def table_of(found: Sequence[BoxResult]) -> str:
    """The table: a row for each thing tried, a column for each box and user."""
    columns = list(dict.fromkeys((result.user, result.box) for result in found))
    cells = {(result.user, result.box, result.name): result.said for result in found}
    tried = {result.name for result in found}
    lines = [f"{number}  {box}, as {user}" for number, (user, box) in enumerate(columns, 1)]
    lines += ["", _line("", [str(number) for number, _ in enumerate(columns, 1)])]
    for name in row_names():
        if name in tried:
            lines.append(_line(name, [cells.get((*column, name), "–") for column in columns]))
    return "\n".join(lines)


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:{_WIDE}}{''.join(f'{cell:>9}' for cell in cells)}".rstrip()


# Trials as the user of this process.


def _found_here(only: Collection[str], *, quick: bool) -> Iterator[BoxResult]:
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    for box, cause in trio.run(try_boxes):
        if cause is not None:
            say(f"not tried: {box.name}, as {user}: {cause.why}")
            continue
        asked = [name for name in row_names() if not only or name in only]
        for result in _found_in(user, box.name, box.level, box.means, asked, quick=quick):
            say(f"{result.box}, as {result.user}: {result.name}: {result.said}")
            yield result


def _found_in(
    user: str, name: str, level: Level, means: Means, asked: Collection[str], *, quick: bool
) -> Iterator[BoxResult]:
    terms = TrialTerms(series=SERIES_QUICK if quick else SERIES, sandbox=level, means=means)
    for row in trial_rows([Trial(habit, terms) for habit in habits() if habit.name in asked]):
        yield BoxResult(user, name, row.habit.name, row.verdict, "; ".join(row.breaches))
    own = [words for row in asked if (words := row.split(" "))[0] in (_ATTACK, _SIGNAL)]
    for kind, what in own:
        act = _attack if kind == _ATTACK else _signal
        said, why = trio.run(partial(act, level, means, what))
        yield BoxResult(user, name, f"{kind} {what}", said, why)


async def _attack(level: Level, means: Means, name: str) -> tuple[str, str]:
    program = Path(attacks.__file__)
    # Not in /tmp, because each box has its own; and the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="arena-", dir="/var/tmp") as home:
        top = Path(home)
        place = FileView(folder=top, own=(top,), is_writable=level != "strict", read=(program,))
        with targets(top / "agent") as target_of:
            async with open_box(level, means=means) as box:
                words = (sys.executable, str(program), name, target_of(name))
                said = await first_line(box, place, words)
    return ("held" if said.startswith("held") else "broken"), said or "it said nothing"


async def _signal(level: Level, means: Means, channel: str) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(prefix="arena-", dir="/var/tmp") as home:
        own = (Path(home, "a"), Path(home, "b"))
        for folder in own:
            os.mkdir(folder)
        async with open_box(level, means=means) as box:
            seen = await signalled(box, channel, own)
    bits = bits_a_second(channel, seen)
    if bits >= SILENCE_BITS:
        is_promised = level == "strict" and channel not in signals.SHARED
        return ("broken" if is_promised else f"{bits:.0f} bit/s"), f"{bits:.0f} bits a second came through"
    is_tried = seen.startswith("held") or len(seen) == signals.SLOTS
    return ("held" if is_tried else "broken"), seen or "it said nothing"


# Trials as another user.


def _found_by_user(only: Sequence[str], *, quick: bool) -> list[BoxResult]:
    """Tries the same as an ordinary user, in another process; says why if that is impossible."""
    with tempfile.TemporaryDirectory(prefix="arena-", dir="/var/tmp", ignore_cleanup_errors=True) as place:
        home = Path(place)
        os.chown(home, USER_ID, USER_ID)
        try:
            tried = run_as_user(home, [sys.executable, "-c", "import arena.cli"], stderr=subprocess.PIPE)
            if tried.returncode:
                raise OSError(tried.stderr.strip().rpartition("\n")[2])
        except OSError as error:
            say(f"not tried as an ordinary user, who cannot run this arena: {error}")
            return []
        words = [
            sys.executable,
            "-m",
            "arena.cli",
            "torture",
            "--box",
            "--json",
            *(["--quick"] if quick else []),
        ]
        ended = run_as_user(home, [*words, *(f"--only={name}" for name in only)])
        if ended.returncode not in (HELD, BROKEN):
            raise RuntimeError(f"the arena of an ordinary user ended with exit code {ended.returncode}")
        return [BoxResult(**result) for result in json.loads(ended.stdout)]
