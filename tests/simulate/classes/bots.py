"""The bots of a class: scripts with habits, what becomes of each, and how they play in virtual time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from random import Random
from typing import Literal, TypeAlias

import attrs
import trio

from arena.errors import FaultKind
from arena.players.base import MatchStart, Player
from arena.players.desk import Question, Reply, Slot

Fate: TypeAlias = Literal["plays", "fails", "refused", "not taken"]
"""It plays on and on; it is taken out of play; its check refuses it; it is no hand-in at all."""
SCRIPT = "bot.py"
BOMB_BYTES = 4 << 20


@attrs.frozen
class Habit:
    """What a kind of bot does, and what becomes of it."""

    fate: Fate
    fault: FaultKind | None = None
    """The fault that it earns."""
    share: float = 1.0
    """In which share of its matches it fails."""
    weight: float = 1.0
    """How often a sound one is drawn."""
    thinks: float = 0.0
    """The part of its limit that it takes, if it is not its pace."""


HABITS: Mapping[str, Habit] = {
    "good": Habit("plays", weight=20.0),
    "sleeper": Habit("plays", thinks=0.95, weight=1.0),
    "crashes seldom": Habit("plays", "gone", share=0.01, weight=3.0),
    # Taken out of play.
    "never answers": Habit("fails", "too_late"),
    "connects and drops": Habit("fails", "gone"),
    "floods": Habit("fails", "malformed"),
    "cheats": Habit("fails", "illegal"),
    # Refused by its check.
    "is no bot": Habit("refused"),
    "does not start": Habit("refused"),
    "fork bomb": Habit("refused"),
    "hangs in its check": Habit("refused"),
    # Refused as it comes.
    "is empty": Habit("not taken"),
    "zip bomb": Habit("not taken"),
    "climbs out": Habit("not taken"),
    "is cut off": Habit("not taken"),
}
SOUND = frozenset(name for name, habit in HABITS.items() if habit.fate == "plays")
BROKEN = HABITS.keys() - SOUND


def archive_of(habit: str, pace_s: float, nonce: str) -> bytes:
    """What is sent of a bot with this habit."""
    match habit:
        case "is empty":
            return b""
        case "zip bomb":
            return _zipped({"big.bin": bytes(BOMB_BYTES)})
        case "climbs out":
            return _zipped({"../../out.py": b"x"})
    whole = _zipped({SCRIPT: f"{habit}\n{pace_s}\n{nonce}\n".encode()})
    return whole[: len(whole) // 2] if habit == "is cut off" else whole


def _zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


@attrs.frozen
class Mind:
    """How a version plays, as its files say."""

    habit: str
    pace_s: float


def mind_in(text: str) -> Mind:
    """How the bot plays whose script this is."""
    habit, pace_s, _ = text.splitlines()
    return Mind(habit, float(pace_s))


class ClassPlayer(Player):
    """A bot of a class at its table."""

    def __init__(
        self, name: str, mind: Mind, nursery: trio.Nursery, note_begun: Callable[[str], object]
    ) -> None:
        self.name = name
        self._mind = mind
        self._habit = HABITS[mind.habit]
        self._nursery = nursery
        self._note_begun = note_begun
        self._rng = Random()
        self._slot: Slot | None = None
        self._fails = False
        self._is_gone = False

    @property
    def is_gone(self) -> bool:
        return self._is_gone

    def begin(self, start: MatchStart) -> None:
        self._rng = Random(f"{start.match_id}/{start.seat}")
        self._fails = self._habit.fault is not None and self._rng.random() < self._habit.share
        self._note_begun(start.match_id)

    def ask(self, question: Question, slot: Slot) -> None:
        self._slot = slot
        slot.note_sent(trio.current_time())
        fault = self._habit.fault if self._fails else None
        if self._is_gone or fault == "gone":
            self._is_gone = True
            slot.fail("gone", "its script ended")
        elif fault == "malformed":
            slot.fail("malformed", "a flood")
        elif fault != "too_late":
            move = self._rng.choice(question.options).sample(self._rng)
            if fault == "illegal":
                move = None
            part = self._habit.thinks * question.limit.total_s
            self._nursery.start_soon(
                self._answer, slot, move, part or self._mind.pace_s * self._rng.uniform(0.5, 1.5)
            )

    async def _answer(self, slot: Slot, move: object, after_s: float) -> None:
        await trio.sleep(after_s)
        if slot is self._slot:
            self._slot = None
            now = trio.current_time()
            slot.settle(Reply(move, now, now))

    def expire(self) -> tuple[FaultKind, str]:
        self._slot = None
        return "too_late", "no answer"

    def break_off(self) -> None:
        self._slot = None


__all__ = ["BROKEN", "HABITS", "SOUND", "ClassPlayer", "Mind", "archive_of", "mind_in"]
