"""For authors of games, players and bots: contract tests, players that follow a script, bots that misbehave.

Every game passes `check_game`, and every player `check_player`.  The bots here are coroutines at the other
end of an in-memory connection; in virtual time (`trio.testing.MockClock`, pytest-trio's `autojump_clock`) a
day of silence costs nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

import attrs
import msgspec
import trio

from arena.errors import FaultKind
from arena.match.clock import Control
from arena.match.game import Game, Seat
from arena.match.record import Decision, MatchRecord
from arena.players.base import MatchStart, Player
from arena.players.desk import Question, Reply, Slot
from arena.players.wrapped import WrappedPlayer
from arena.referee import Conduct, Seating, play_match
from arena.testing.bots import (
    MISBEHAVIOURS,
    SECRET,
    Behaviour,
    Peer,
    chopped,
    connect,
    dripping,
    flooding,
    gone,
    half_said,
    honest,
    illegal,
    late,
    never_reading,
    rude,
    seat_bots,
    silent,
    telling_twice,
    wrong_ids,
    wrong_types,
)
from arena.testing.games import Tiny, check_game, random_match, random_move

__all__ = [
    "MISBEHAVIOURS",
    "SECRET",
    "SILENCE",
    "After",
    "Behaviour",
    "Fail",
    "Peer",
    "ScriptedPlayer",
    "Tiny",
    "check_game",
    "check_player",
    "chopped",
    "connect",
    "dripping",
    "flooding",
    "gone",
    "half_said",
    "honest",
    "illegal",
    "late",
    "never_reading",
    "play_once",
    "random_match",
    "random_move",
    "rude",
    "seat_bots",
    "silent",
    "telling_twice",
    "wrong_ids",
    "wrong_types",
]


# Players that follow a script.


@attrs.frozen
class Fail:
    """In a script: the player fails to answer, for this reason."""

    fault: FaultKind
    reason: str = "so says the script"


@attrs.frozen
class After:
    """In a script: the answer comes this many seconds after the question."""

    delay_s: float
    answer: Any


SILENCE = object()
"""In a script: nothing comes at all."""

Script: TypeAlias = Callable[[Question], Any]
"""Returns a move, a `Fail`, an `After`, or SILENCE for a question."""


class ScriptedPlayer(Player):
    """A player that does what its script says, and remembers everything it was told.

    `script` is a function of the question, or a list of answers, after which the player picks the least move
    of the first option.  Answers that come `After` some time need the nursery of a test.
    """

    def __init__(
        self,
        name: str,
        script: Script | Iterable[Any] = (),
        *,
        nursery: trio.Nursery | None = None,
        margin_s: float = 0.0,
    ) -> None:
        self.name = name
        self.margin_s = margin_s
        self._script = script if callable(script) else _listed(script)
        self._nursery = nursery
        self._slot: Slot | None = None
        self.starts: list[MatchStart] = []
        self.questions: list[Question] = []
        self.events: list[tuple[str, Any]] = []
        self.blamed: list[Decision] = []
        self.results: list[tuple[Mapping[Seat, int], Mapping[Seat, float]]] = []
        self.broken_off = 0
        """How many matches ended without a result."""

    def begin(self, start: MatchStart) -> None:
        self.starts.append(start)

    def ask(self, question: Question, slot: Slot) -> None:
        self.questions.append(question)
        self._slot = slot
        slot.note_sent(trio.current_time())
        answer = self._script(question)
        if isinstance(answer, After):
            assert self._nursery is not None, "a scripted player needs a nursery to answer after a time"
            self._nursery.start_soon(self._answer_later, slot, answer)
        else:
            self._answer(slot, answer)

    async def _answer_later(self, slot: Slot, answer: After) -> None:
        await trio.sleep(answer.delay_s)
        if slot is self._slot:
            self._answer(slot, answer.answer)

    def _answer(self, slot: Slot, answer: Any) -> None:
        if answer is SILENCE:
            return
        self._slot = None
        if isinstance(answer, Fail):
            slot.fail(answer.fault, answer.reason)
        else:
            now = trio.current_time()
            slot.settle(Reply(answer, now, now))

    def expire(self) -> tuple[FaultKind, str]:
        self._slot = None
        return "too_late", ""

    def tell(self, kind: str, payload: Any) -> None:
        self.events.append((kind, payload))

    def blame(self, decision: Decision) -> None:
        self.blamed.append(decision)

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        self.results.append((ranks, returns))

    def break_off(self) -> None:
        self.broken_off += 1

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        return ({"note": f"{len(self.questions)} questions"},)


def _listed(answers: Iterable[Any]) -> Script:
    left = deque(answers)

    def script(question: Question) -> Any:
        return left.popleft() if left else question.options[0].sample(_Least())

    return script


class _Least(Random):
    """A source of chance that always picks the first and the least."""

    def choice(self, seq: Any) -> Any:
        return seq[0]

    def randint(self, a: int, b: int) -> int:
        return a

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        return list(population[:k])


# The contract of a player.


async def check_player(player: Player, game: Game[Any, Any], *, matches: int = 3, seed: int = 0) -> None:
    """Checks a player: raises AssertionError with a sentence that says what the player does wrong.

    It plays matches against players in this process, and must be able to play `game` without a fault.
    """
    rng = Random(f"{seed}/others")
    for match in range(matches):
        others = [
            ScriptedPlayer(f"other-{seat}", lambda question: rng.choice(question.options).sample(rng))
            for seat in range(1, game.seats[0])
        ]
        checked = _Checked(player)
        record = await play_once(game, [checked, *others], seed=seed + match)
        _check_record(player, checked, record)
    assert not player.is_gone, f"{player.name} is gone after {matches} matches"


async def play_once(
    game: Game[Any, Any],
    players: Sequence[Player | None],
    *,
    seed: int = 0,
    control: Control | None = None,
    faults_max: int = 5,
    **more: Any,
) -> MatchRecord:
    """One match between these players; `more` goes to `play_match`."""
    names = tuple(f"nobody-{seat}" if player is None else player.name for seat, player in enumerate(players))
    return await play_match(
        game,
        players,
        seed=seed,
        control=Control() if control is None else control,
        conduct=Conduct(faults_max),
        seating=Seating(f"{seed:012x}", names, tuple(seed + seat for seat in range(len(players)))),
        **more,
    )


class _Checked(WrappedPlayer):
    """Wraps a player and checks that it keeps to the contract."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self.slots: list[Slot] = []

    def ask(self, question: Question, slot: Slot) -> None:
        assert all(earlier.reply is not None for earlier in self.slots), "two questions are open at once"
        self.slots.append(slot)
        super().ask(question, slot)


def _check_record(player: Player, checked: _Checked, record: MatchRecord) -> None:
    own = [decision for decision in record.decisions if decision.seat == 0]
    assert own, f"{player.name} was never asked: the game is too short to check a player with"
    for decision in own:
        assert decision.fault is None, f"{player.name}: {decision.fault} ({decision.reason})"
        assert decision.elapsed_s >= 0.0, f"{player.name} answered before it was asked"
    for slot in checked.slots:
        assert slot.reply is not None, f"{player.name} left a question open at the end of its match"
        assert slot.sent_at is not None, f"{player.name} does not say when a question was handed over"
        assert slot.asked_at <= slot.sent_at <= slot.reply.arrived_at, (
            f"{player.name}: its times run backwards"
        )
    for line in player.evidence():
        assert isinstance(line, Mapping), f"{player.name}: a line of its evidence is not a JSON object"
        msgspec.json.encode(line)
