"""A run of the bench as JSON: what `--json` prints, and `--show` and `--against` read."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Annotated

import msgspec

from arena.bench.measures import FORMAT, Measure, Report, Threshold
from arena.errors import ConfigError
from arena.reading.strict import read_regular

BYTES_MAX = 1 << 24
REPEATS_MAX = 1_000_000
GOAL = r"^[≤≥] [0-9,]+(\.[0-9]+)?(e-?[0-9]+)?$"
"""What `str` of a goal gives."""
MADE_BY = "what `python -m tests.bench --json` prints"


class _StoredMachine(msgspec.Struct):
    commit: str
    system: str
    processor: str
    cores: int | None
    load: float
    python: str
    trio: str


class _StoredMeasure(msgspec.Struct):
    group: str
    what: str
    unit: str
    samples: Annotated[tuple[float, ...], msgspec.Meta(min_length=1, max_length=REPEATS_MAX)]
    goal: Annotated[str, msgspec.Meta(pattern=GOAL)] | None = None

    def measure(self) -> Measure:
        """As it was measured."""
        goal = None if self.goal is None else _threshold(self.goal)
        return Measure(self.group, self.what, self.unit, self.samples, goal)


def _threshold(said: str) -> Threshold:
    """What `str` of a goal says."""
    return Threshold(float(said[2:].replace(",", "")), is_upper=said[0] == "≤")


class _StoredReport(msgspec.Struct):
    machine: _StoredMachine
    measures: tuple[_StoredMeasure, ...]
    loop_ms: tuple[float, ...] = ()


class _Format(msgspec.Struct):
    format: int | None = None


def read_report(path: Path, option: str) -> Report:
    """A run that was kept.  Raises ConfigError if there is none at that path, or of another format."""
    where = f"{option}: {path}"
    try:
        octets = read_regular(path, BYTES_MAX)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        if isinstance(error, OSError) and error.errno == errno.ENOENT:
            raise ConfigError(f"{where}: there is no such file, expected {MADE_BY}") from None
        reason = error.strerror if isinstance(error, OSError) else None
        raise ConfigError(f"{where}: cannot be read: {reason or error}") from None
    try:
        version = msgspec.json.decode(octets, type=_Format).format
        if version is not None and version != FORMAT:
            raise ConfigError(
                f"{where}: of format {version}, expected {FORMAT}: another version of the arena made it"
            )
        stored = msgspec.json.decode(octets, type=_StoredReport)
        measures = tuple(each.measure() for each in stored.measures)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: not from the bench ({error}), expected {MADE_BY}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: not JSON ({error}), expected {MADE_BY}") from None
    return Report(msgspec.structs.asdict(stored.machine), measures, stored.loop_ms)
