"""What people see in a terminal: aligned tables, the progress of a run, a match retold.  Rank 6, beside `cli`."""

from __future__ import annotations

import csv
import io
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import attrs
import msgspec

from arena.game import CHANCE, Game, Seat, Step
from arena.record import Entry, Turn

if TYPE_CHECKING:
    from arena.players.codec import Codec

LINE_EVERY_S = 5.0
"""Without a terminal a run tells how far it is once in so many seconds."""


def cell(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}"
    return str(value)


def aligned(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of aligned columns, numbers to the right; the same in a terminal and in a pipe."""
    rows = [list(row) for row in rows]
    numeric = [bool(rows) and all(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    texts = [[cell(value) for value in row] for row in rows]
    widths = [max(len(name), *(len(row[i]) for row in texts)) if texts else len(name) for i, name in enumerate(header)]

    def line(values: Sequence[str]) -> str:
        padded = [v.rjust(w) if n else v.ljust(w) for v, w, n in zip(values, widths, numeric, strict=True)]
        return "  ".join(padded).rstrip()

    return "\n".join([line(list(header)), line(["─" * width for width in widths]), *(line(row) for row in texts)])


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def as_json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value)).decode()


def as_table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, csv: bool, json: bool) -> str:
    """A table in the form that was asked for; JSON as a list of objects."""
    if json:
        return as_json([dict(zip(header, row, strict=True)) for row in rows])
    return as_csv(header, rows) if csv else aligned(header, rows)


def counted(number: int, noun: str) -> str:
    """`1 match`, `2 matches`."""
    plural = noun + ("es" if noun.endswith("ch") else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def as_time(seconds: float) -> str:
    """About how long, for people: `5 s`, `3 min`, `2.5 h`."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


# A run.


class Plain:
    """Tells a run in lines: where there is no terminal, or with `--quiet` (then only what needs an answer)."""

    def __init__(self, stream: TextIO, *, quiet: bool) -> None:
        self._stream = stream
        self._quiet = quiet
        self._told_at = time.monotonic()
        self._began_at = time.monotonic()
        self._planned = self._done = self._played = 0

    def note(self, line: str) -> None:
        if not self._quiet:
            self._say(line)

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        self._say(f"listening on {address}, waiting for {', '.join(missing)}")

    def begins(self, planned: int, done: int) -> None:
        self._planned, self._done = planned, done
        self._began_at = self._told_at = time.monotonic()

    def played(self, entry: Entry) -> None:
        self._played += 1
        self._done += 1
        if not self._quiet and time.monotonic() - self._told_at > LINE_EVERY_S:
            self._told_at = time.monotonic()
            self._say(f"{self._done} of {counted(self._planned, 'match')}, {self._rate()}")

    def ends(self) -> None:
        pass

    def _rate(self) -> str:
        rate = self._played / max(1e-9, time.monotonic() - self._began_at)
        left = (self._planned - self._done) / rate if rate else 0.0
        return f"{rate:.1f}/s, {as_time(left)} left"

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class Bar:
    """Tells a run as a progress bar."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

        self._console = Console(file=stream, highlight=False, soft_wrap=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("matches"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[faults]}"),
            console=self._console,
            transient=True,
            refresh_per_second=5,
        )
        self._task = self._progress.add_task("getting ready", total=None, rate="", faults="")
        self._faults = self._played = 0
        self._began_at = time.monotonic()
        self._waiting_for = ""
        self._progress.start()

    def note(self, line: str) -> None:
        self._console.print(line, markup=False)

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        said = f"listening on {address}"
        if said != self._waiting_for:
            self._waiting_for = said
            self.note(said)
        self._progress.update(self._task, description=f"waiting for {', '.join(missing)}")

    def begins(self, planned: int, done: int) -> None:
        self._began_at = time.monotonic()
        self._progress.update(self._task, description="playing", total=planned, completed=done)

    def played(self, entry: Entry) -> None:
        self._played += 1
        self._faults += len(entry.record.capsules)
        rate = self._played / max(1e-9, time.monotonic() - self._began_at)
        faults = counted(self._faults, "fault") if self._faults else ""
        self._progress.update(self._task, advance=1, rate=f"{rate:.0f}/s", faults=faults)

    def ends(self) -> None:
        self._progress.stop()


def progress(*, quiet: bool) -> Plain | Bar:
    """The reporter that fits standard error."""
    if quiet or not sys.stderr.isatty():
        return Plain(sys.stderr, quiet=quiet)
    return Bar(sys.stderr)


def tally(faults: Counter[tuple[str, str, str]], most: int = 10) -> Iterator[str]:
    """The faults of a run by bot and reason, the most frequent first."""
    merged: Counter[tuple[str, str, str]] = Counter()
    for (bot, kind, reason), count in faults.items():
        merged[bot, kind, _generic(reason) if kind == "too_late" else reason] += count
    if merged:
        yield f"{counted(sum(merged.values()), 'fault')}:"
    for (bot, kind, reason), count in merged.most_common(most):
        yield f"  {count:>5} × {bot}: {kind}" + (f" ({reason})" if reason else "")
    if len(merged) > most:
        yield f"        and {len(merged) - most} other kinds; `arena matches --fault any` lists the matches"


def _generic(reason: str) -> str:
    """A reason without the time it took, so that late answers are counted together."""
    return reason.split(";", 1)[-1].strip()


# A match.


def retold(
    game: Game[Any, Any], bots: Sequence[str], steps: Iterable[tuple[Turn, Step[Any]]], *, viewer: str | None
) -> Iterator[str]:
    """A match move by move; viewer: a bot's name, `spectator`, or None for one who sees all hands."""
    from arena.players.codec import Codec

    codec = Codec(game, bots, None)
    seat = Seat(bots.index(viewer)) if viewer in bots else None
    for number, (moves, step) in enumerate(steps):
        said = [
            f"{bots[who]}: {_move(move, codec)}"
            for who, move in moves.items()
            if who != CHANCE and (viewer is None or who == seat)
        ]
        if said:
            yield f"{number:>4}  " + " | ".join(said)
        for event in step.events:
            for who, payload in _payloads(event, bots, viewer, seat):
                fields = msgspec.json.decode(codec.encode(payload))
                yield f"      {event.kind}{who}  " + _fields(fields)


def _move(move: Any, codec: Codec) -> str:
    """A move in words: its class and its fields, seats as names."""
    fields = {field.name: msgspec.json.decode(codec.encode(getattr(move, field.name))) for field in attrs.fields(type(move))}
    return " ".join([type(move).__name__, *(f"{name} {_short(value)}" for name, value in fields.items() if value is not None)])


def _payloads(event: Any, bots: Sequence[str], viewer: str | None, seat: Seat | None) -> Iterator[tuple[str, Any]]:
    if viewer is None:
        if event.public is not None:
            yield "", event.public
        for who, payload in event.private.items():
            yield f" ({bots[who]})", payload
        return
    payload = event.seen_by(seat)
    if payload is not None:
        yield "", payload


def _fields(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_short(value)}" for name, value in fields.items())


def _short(value: Any) -> str:
    """A JSON value with as few marks as it can be understood with."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        joint = "; " if value and all(isinstance(item, list | dict) for item in value) else " "
        return joint.join(_short(item) for item in value)
    if isinstance(value, dict):
        return " ".join(f"{key}={_short(item)}" for key, item in value.items())
    return msgspec.json.encode(value).decode()


def steps_json(
    game: Game[Any, Any], bots: Sequence[str], steps: Iterable[tuple[Turn, Step[Any]]], *, viewer: str | None
) -> list[dict[str, Any]]:
    """Every step: the moves that led to it, its events, its state (or what the viewer may know of it), and the options of who is asked."""
    from arena.players.codec import Codec

    codec = Codec(game, bots, None)
    seat = Seat(bots.index(viewer)) if viewer in bots else None
    shown = []
    for number, (moves, step) in enumerate(steps):
        state = step.state if viewer is None else game.observe(step.state, seat)
        asked = [who for who in game.to_act(step.state) if who != CHANCE]
        shown.append(
            {
                "step": number,
                "moves": {
                    "chance" if who == CHANCE else bots[who]: codec.move_json(move)
                    for who, move in moves.items()
                    if viewer is None or who == seat
                },
                "events": [
                    {"kind": event.kind, "to": who.strip(" ()") or None, **msgspec.json.decode(codec.encode(payload))}
                    for event in step.events
                    for who, payload in _payloads(event, bots, viewer, seat)
                ],
                "state": msgspec.json.decode(codec.encode(state)) if attrs.has(type(state)) else str(state),
                "options": {
                    bots[who]: msgspec.json.decode(codec.options(game.options(step.state, who)))
                    for who in asked
                    if viewer is None or who == seat
                },
            }
        )
    return shown
