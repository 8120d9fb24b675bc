"""Where a decision's time goes: microseconds of each stage, of a build of the same code with timers in it.

Two programs give recorded answers over TCP in the full protocol, at one table, and each match is kept in a
store: the typical line of each game (`lines.py`), with everything that a run does.  It is played as it is and
with timers around the functions named in `SEAMS`, in turn; what the timers cost is measured and subtracted.

The whole is the processor time of the code as it is.  `the rest` is what of it no stage accounts for: Trio,
its poll included, and whatever is between the stages.  The last row says how far to trust all this: what the
build with timers takes, without what they cost, divided by the whole.  On a machine that does other things
too, stages come out too long, as the clock of most is that of the wall, and the rest too short.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import trio

from arena.bench.clients import Client
from arena.bench.measures import Effort, Measure
from arena.bench.seats import seated_clients
from arena.games import GAMES
from arena.match.clock import Control
from arena.match.game import Game
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.referee import Conduct, Seating, play_match
from arena.store import Store

from .entries import kept_entry, opened_store
from .lines import RecordedLine, line_of
from .timers import Seam, Stopwatch, timer_cost

PROGRAM = Path(__file__).with_name("repeating_client.py")

STAGES = {
    "rules": "whose turn it is, chance, what follows, the result",
    "options": "what is legal",
    "observe": "what a seat sees, and which events it may know",
    "encode": "questions and events as JSON",
    "write": "from a message to the kernel",
    "read": "from the kernel to the connection",
    "decode": "from bytes to a move",
    "check": "whether the move is legal",
    "judge": "time, faults",
    "record": "decisions, the packed match",
    "store": "rows of a database",
    "loop": "the turn loop, and the desk where answers come in",
}
"""Stage -> what it is."""
LEAVES = frozenset({"rules", "options", "observe", "encode", "decode", "check", "record", "store"})
"""What they call is theirs: rules ask for options too."""
LONG = frozenset({"record", "store"})
"""What is done once for a whole match."""

_PLAYER = "arena.players.stream:StreamPlayer"
_CONNECTION = "arena.wire.connection:ArenaConnection"
SEAMS = (
    Seam("arena.referee", "draw_of", "rules"),
    Seam("arena.match.game:Event", "seen_by", "observe"),
    *(Seam(_CONNECTION, name, "encode") for name in ("begin_match", "ask", "event", "fault", "result")),
    Seam("arena.players.stream", "rules_json", "encode"),
    *(Seam(_PLAYER, name, "write") for name in ("begin", "ask", "tell", "flush", "end")),
    Seam("arena.players.transport:SocketTransport", "send_now", "write", wakes=True),
    Seam("arena.players.switchboard:_Switchboard", "_hear_all", "read"),
    Seam(_CONNECTION, "receive", "decode"),
    Seam(_CONNECTION, "read_on", "decode"),
    Seam("arena.referee", "is_legal", "check"),
    Seam("arena.referee:_Match", "_judge", "judge"),
    Seam("arena.referee", "Decision", "record"),
    Seam("arena.referee", "MatchRecord", "record"),
    Seam(__name__, "kept_entry", "record"),
    Seam("arena.store.store:Store", "add", "store"),
    Seam("arena.players.desk:Desk", "_carry_on", "loop"),
)
"""Where stages begin, in the house; those of each game and of codecs are added where they are made."""
OF_A_GAME = {
    **dict.fromkeys(("start", "to_act", "apply", "ranks", "returns", "default"), "rules"),
    "options": "options",
    "observe": "observe",
}


def measure_stages(effort: Effort) -> list[Measure]:
    """For every game: each stage, the rest, the whole, and how well they agree."""
    found = []
    for name in GAMES:
        line = line_of(name)
        rows: dict[str, list[float]] = {stage: [] for stage in (*STAGES, "the rest", "the whole", "error")}
        for sample in trio.run(_samples, line, effort):
            for row, value in sample.items():
                rows[row].append(value)
        for row, values in rows.items():
            if row != "error":
                found.append(Measure("stages", f"{line.what}: {row}", "µs/decision", tuple(values)))
        agreement = f"{line.what}: with timers, less their cost ÷ the whole"
        found.append(Measure("stages", agreement, "×", tuple(rows["error"])))
    return found


async def _samples(line: RecordedLine, effort: Effort) -> list[dict[str, float]]:
    """For each repeat: microseconds a decision, by row."""
    with TemporaryDirectory(prefix="arena-bench-") as folder, opened_store(line.game) as store:
        answers = Path(folder) / "answers.json"
        answers.write_text(json.dumps(line.answers))
        client = Client(
            "full protocol", (sys.executable, str(PROGRAM), str(answers)), PROGRAM.parent, line.game
        )
        async with seated_clients(client, len(line.bots)) as (players, watch):
            table = _Table(line, players, watch, store)
            await table.play()  # fills what is kept from match to match
            return [await _sample(table, effort.seconds / len(GAMES)) for _ in range(effort.repeats)]


async def _sample(table: _Table, seconds: float) -> dict[str, float]:
    """Rounds as it is and rounds with timers, in turn."""
    stopwatch = Stopwatch(tuple(STAGES), leaves=LEAVES, long=LONG)
    whole_s, timed_s, rounds = 0.0, 0.0, 0
    seams = (*SEAMS, *seams_of(table.line.game))
    before = timer_cost()
    while whole_s + timed_s < seconds or not rounds:
        began = time.process_time()
        await table.play()
        between = time.process_time()
        with stopwatch.running(seams), _timed_codecs(stopwatch):
            await table.play()
        whole_s += between - began
        timed_s += time.process_time() - between
        rounds += 1
    cost = before.mean(timer_cost())
    net_s = stopwatch.net_s(cost)
    stages_s = {stage: net_s[stage] for stage in STAGES}
    us = 1e6 / (rounds * table.line.decisions)
    return {
        **{stage: us * spent_s for stage, spent_s in stages_s.items()},
        "the rest": us * (whole_s - sum(stages_s.values())),
        "the whole": us * whole_s,
        "error": (timed_s - stopwatch.cost_s(cost)) / whole_s,
    }


def seams_of(game: Game[Any, Any]) -> Iterator[Seam]:
    """The functions of its rules."""
    kind = type(game)
    for name, stage in OF_A_GAME.items():
        yield Seam(f"{kind.__module__}:{kind.__name__}", name, stage)


class _Table:
    """Where the line is played again and again."""

    def __init__(
        self, line: RecordedLine, players: Sequence[StreamPlayer], watch: LagWatch, store: Store
    ) -> None:
        self.line = line
        self._players = players
        self._watch = watch
        self._store = store
        self._played = 0

    async def play(self) -> None:
        """All matches of the line, each kept."""
        line = self.line
        for seed, turns in zip(line.seeds, line.matches, strict=True):
            record = await play_match(
                line.game,
                self._players,
                seed=seed,
                control=Control(),
                conduct=Conduct(),
                seating=Seating(f"{seed:012x}", line.names, (1,) * len(line.bots)),
                lag=self._watch.since,
            )
            assert turns == tuple(record.turns), "the same line was played"
            self._played += 1
            self._store.add(kept_entry(line.game, line.names, self._played, seed, record))


@contextmanager
def _timed_codecs(stopwatch: Stopwatch) -> Iterator[None]:
    """Every codec timed, from the moment at which a player gets it: codecs live longer than a match."""
    begin = StreamPlayer.begin

    def begin_timed(self: StreamPlayer, start: Any) -> None:
        begin(self, start)
        self._codec = _TimedCodec(self._codec, stopwatch)  # type: ignore[assignment]

    with patch.object(StreamPlayer, "begin", begin_timed):
        yield


class _TimedCodec:
    """A codec whose functions are timed: `move` decodes, all others encode."""

    def __init__(self, inner: Any, stopwatch: Stopwatch) -> None:
        self._inner = inner
        self._stopwatch = stopwatch

    def __getattr__(self, name: str) -> Any:
        timed = self._stopwatch.timed("decode" if name == "move" else "encode", getattr(self._inner, name))
        setattr(self, name, timed)
        return timed
