"""Watches one `arena run` from outside: two honest bots, and a bad one or strangers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from arena.errors import FAULT_KINDS, ConfigError
from arena.store import Store, chunks
from arena.tournament.bots.entrants import builtin_bots
from arena.tournament.folder.latest import latest_kept
from arena.tournament.play.startup import BUDGET_S
from arena.trials.torture import habits
from arena.trials.torture.habits import HONEST, Habit
from arena.trials.torture.processes import left_below_us, peak_mb
from arena.trials.torture.promises import Findings, TrialTerms

HONEST_NAMES = ("honest-1", "honest-2")
BAD_NAME = "bad"
LOOK_EVERY_S = 0.02
HANGS_AFTER_S = 40.0
"""A run that exceeds its allowed time by this is killed."""
LOBBY_SERIES = 20
"""Series with strangers, for each series of others: connecting bots start at once, strangers need time."""
HEAD_START_S = 1.0
"""How long strangers are connected before the honest bots connect."""
LAST_WORDS_MAX = 160
WITHOUT_BUBBLEWRAP = (
    "from arena.box import bubblewrap; bubblewrap.PROGRAM = 'none'; from arena.cli import main; main()"
)
"""Runs the arena as on a machine that has no bubblewrap."""


@attrs.frozen
class Trial:
    """What to run: a habit, and on what terms."""

    habit: Habit
    terms: TrialTerms
    is_without: bool = False
    """Whether an honest bot, or nobody, takes the habit's place."""
    bot: str = ""
    """The spec of a user's bot in place of the habit's."""
    game: str = ""

    @property
    def series(self) -> int:
        return self.terms.series * (LOBBY_SERIES if self.habit.is_stranger else 1)

    @property
    def extra_s(self) -> float:
        """How much longer the run may take: (limit + grace) × matches with the habit; strangers: × series."""
        seats = 1 if self.habit.is_stranger else 2 * len(HONEST_NAMES)
        return self.terms.allowed_s(seats * self.terms.series, BUDGET_S if self.habit.slow else 0.0)


def observe(trial: Trial) -> Findings:
    """Runs a trial in a folder that is removed afterwards; leaves no process."""
    temporary = tempfile.TemporaryDirectory(prefix="arena-torture-", ignore_cleanup_errors=True)
    with latest_kept(), temporary as place:
        return _Run(trial, Path(place)).observe()


class _Run:
    """A trial in progress."""

    def __init__(self, trial: Trial, home: Path) -> None:
        self.trial = trial
        self.home = home
        self.out = home / "results"
        self.said = home / "said"
        self.guests: list[subprocess.Popen[bytes]] = []
        """The honest bots and strangers that connect by themselves."""

    def observe(self) -> Findings:
        began = time.monotonic()
        peak: float | None = None
        with self.said.open("wb") as said:
            arena = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        try:
            if self.trial.habit.is_stranger:
                self._invite(arena)
            while arena.poll() is None and time.monotonic() - began < self.trial.extra_s + HANGS_AFTER_S:
                peak = peak_mb(arena.pid) or peak
                time.sleep(LOOK_EVERY_S)
            code = arena.poll()
        finally:
            if arena.poll() is None:
                arena.kill()
            arena.wait()
            seconds = time.monotonic() - began
            for guest in self.guests:
                guest.kill()
                guest.wait()
            left = left_below_us()
        return self._observed(code, seconds, peak, left)

    # The run.

    def _command(self) -> list[str]:
        """The command line of `arena run`; writes its plan, and a folder for each bot."""
        trial, terms = self.trial, self.trial.terms
        plan: dict[str, object] = {
            "series": trial.series,
            "move_time": terms.move_s,
            "bank": terms.limit_s,
            "first_move_time": terms.first_s,
            "concurrency": terms.tables,
            "reconnect_s": 0.5,
            "name_wait_s": 0.2,
        }
        if trial.game or trial.habit.game:
            plan["game"] = trial.game or trial.habit.game
        if trial.habit.is_stranger:
            plan |= {"remote": list(HONEST_NAMES), "listen": "127.0.0.1:0"}
        if terms.sandbox:
            plan["sandbox"] = terms.sandbox
        path = self.home / "trial.toml"
        # texts, numbers and lists of texts look the same in JSON and in TOML
        path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in plan.items()))
        command = ["-c", WITHOUT_BUBBLEWRAP] if terms.means == "landlock" else ["-m", "arena.cli"]
        words = [sys.executable, *command, "run", str(path), *self._bots()]
        return [*words, "--quiet", "--out", str(self.out)]

    def _bots(self) -> Iterator[str]:
        trial = self.trial
        if trial.habit.is_stranger:
            return
        for name in HONEST_NAMES:
            yield self._honest(name)
        if trial.is_without:
            yield self._honest(BAD_NAME)
        else:
            yield trial.bot or self._misbehaving()

    def _honest(self, name: str) -> str:
        builtin = habits.honest_bot(self.trial.game or self.trial.habit.game)
        return f"{name}={builtin_bots()[builtin]}" if builtin else self._bot(name, (HONEST,))

    def _misbehaving(self) -> str:
        return self._bot(BAD_NAME, self.trial.habit.run, self.trial.habit)

    def _bot(self, name: str, run: Sequence[str], habit: Habit | None = None) -> str:
        """Makes a bot's folder, with bot.toml, the script, and what that imports; returns it."""
        folder = self.home / name
        folder.mkdir()
        for script in {run[0], HONEST}:
            shutil.copy(habits.folder() / script, folder)
        recipe: dict[str, object] = {"name": name, "run": ["python3", *run]}
        if habit is not None:
            transport = "stdio" if habit.way == "stdio" else "tcp"
            recipe |= {"transport": transport, "restart": habit.restart}
            recipe |= {"connect_s": self.trial.terms.connect_s}
        (folder / "bot.toml").write_text("".join(f"{key} = {json.dumps(recipe[key])}\n" for key in recipe))
        return str(folder)

    # The bots that connect by themselves.

    def _invite(self, arena: subprocess.Popen[bytes]) -> None:
        """Reads where to connect, as a person would, and starts the strangers, then the honest bots."""
        port, tokens = _guidance(self.said, arena, len(HONEST_NAMES))
        if not self.trial.is_without:
            for number in range(self.trial.habit.copies):
                self._start(self.trial.habit.run, {"ARENA_PORT": port, "ARENA_NAME": f"stranger-{number}"})
        time.sleep(HEAD_START_S)
        for name, token in zip(HONEST_NAMES, tokens, strict=False):
            # one for each table: a connection plays one match at a time
            for _ in range(self.trial.terms.tables):
                self._start((HONEST,), {"ARENA_PORT": port, "ARENA_NAME": name, "ARENA_TOKEN": token})

    def _start(self, run: Sequence[str], environment: dict[str, str]) -> None:
        command = [sys.executable, str(habits.folder() / run[0]), *run[1:]]
        null = subprocess.DEVNULL
        own = {key: value for key, value in os.environ.items() if not key.startswith("ARENA_")}
        self.guests.append(
            subprocess.Popen(command, stdin=null, stdout=null, stderr=null, env={**own, **environment})
        )

    # Its results.

    def _observed(self, code: int | None, seconds: float, peak: float | None, left: int | None) -> Findings:
        said = self.said.read_bytes()
        lines = said.decode("utf-8", "replace").strip().splitlines()
        found = _Found()
        try:
            with Store.open(self.out) as store:
                found = _read(store)
        except ConfigError:
            pass  # the run never began
        honest = Counter[str]()
        bad = Counter[str]()
        for bot, faults in found.faults.items():
            (honest if bot in HONEST_NAMES else bad).update(faults)
        return Findings(
            exit_code=code,
            seconds=seconds,
            peak_mb=peak,
            left=left,
            faults=dict(bad),
            honest_faults=dict(honest),
            planned=found.planned,
            played=found.played,
            aborted=found.aborted,
            times_s=sorted(found.times_s),
            last_words=_last_words(lines),
            obeyed=_OBEYED.search(said) is not None,
            box=found.box,
        )


_OBEYED = re.compile(rb"\x1b|\x07|\xc2\x9b|\xe2\x80\xae")
"""What a terminal would obey: escape, bell, the one-character CSI, a change of direction of writing."""
_GUIDANCE = re.compile(r"ARENA_PORT=(\d+) ARENA_NAME=\S+ ARENA_TOKEN=(\S+)")


def _guidance(said: Path, arena: subprocess.Popen[bytes], bots: int) -> tuple[str, list[str]]:
    """The port and the tokens that the arena prints; empty if it ends before."""
    while arena.poll() is None:
        found = _GUIDANCE.findall(said.read_text(encoding="utf-8", errors="replace"))
        if len(found) == bots:
            return found[0][0], [token for _, token in found]
        time.sleep(LOOK_EVERY_S)
    return "0", []


def _last_words(lines: Sequence[str]) -> str:
    """The last line that the arena printed, or the exception of a traceback."""
    telling = [
        line.strip(" |+-") for line in lines if re.match(r"[\s|+-]*(arena: |\w*(Error|Exception)\b)", line)
    ]
    last = (telling or [line.strip() for line in lines] or [""])[-1]
    return last if len(last) <= LAST_WORDS_MAX else f"{last[: LAST_WORDS_MAX - 1]}…"


@attrs.define
class _Found:
    """What was found in the folder of a run."""

    planned: int = 0
    played: int = 0
    aborted: int = 0
    faults: dict[str, Counter[str]] = attrs.field(factory=dict)
    times_s: array[float] = attrs.field(factory=lambda: array("f"))
    box: str = ""


def _read(store: Store) -> _Found:
    found = _Found(planned=store.planned())
    for match in store.matches():
        found.played += 1
        found.aborted += match.status == "aborted"
        for seat in match.seats:
            counts = {kind: count for kind in FAULT_KINDS if (count := getattr(seat, kind))}
            found.faults.setdefault(seat.bot, Counter()).update(counts)
    for chunk in chunks.seats(store):
        for bot, times in zip(chunk[1], chunk[-1], strict=True):
            if bot in HONEST_NAMES:
                found.times_s.frombytes(times)
    found.box = next((str(bot.box) for bot in store.bots() if bot.bot not in HONEST_NAMES), "")
    return found
