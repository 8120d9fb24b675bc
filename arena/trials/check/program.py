"""The points about a bot as a program: its start, life, connection, memory, output and end.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from arena.trials.check.findings import CheckFindings, CheckStage
from arena.trials.check.point import OLD, CheckPoint, Look, first_reason, quoted
from arena.wire.messages import check_name
from arena.words import counted, measured, sized

START_SLOW_S = 5.0
NAMELESS_S = 0.9
"""A plain bot that took at least this long to enter had sent nothing to say who it is."""
GROWTH_BYTES = 32 << 20
"""How much more memory may be held in the second half of the matches than in the first."""
MEMORY_SHARE = 0.5
LOG_BYTES_QUIET, LOG_BYTES_MAX = 1 << 16, 1 << 18
"""How much one instance prints before it is worth a word, and before a log no longer keeps it all."""


def _start(found: CheckFindings) -> Iterator[CheckPoint]:
    said, worst_s = found.introduction, max(found.starts_s)
    if said is None:
        yield CheckPoint("start", "fine", "loaded into this process")
        return
    kind = "plain" if said.protocol is None else "full"
    words = f"connected after {measured(worst_s)}, in the {kind} protocol"
    if said.protocol is None and said.name is None and worst_s >= NAMELESS_S:
        advice = f'send {{"name": "{found.bot}"}} at once: the arena waits a second for it at every start'
        yield CheckPoint("start", "note", f"{words}, without saying who it is", advice)
    elif worst_s > START_SLOW_S:
        yield CheckPoint("start", "note", words, "every instance that a run starts takes as long")
    else:
        yield CheckPoint("start", "fine", words)


def _name(found: CheckFindings) -> Iterator[CheckPoint]:
    said = found.introduction
    own = None if said is None else said.name
    if own is not None and (reason := check_name(own, found.reserved)):
        advice = "a port that bots share would refuse it: take another name, or ARENA_NAME"
        yield CheckPoint("name", "mend", f"it calls itself {quoted(own)}, and {reason}", advice)
    elif own is not None and own != found.bot:
        advice = "ARENA_NAME says how it is called in a run"
        yield CheckPoint("name", "note", f"it calls itself {quoted(own)}; here it is {found.bot}", advice)
    else:
        yield CheckPoint("name", "fine", f"it plays as {found.bot}")


def _life(found: CheckFindings) -> Iterator[CheckPoint]:
    lost = [asked for asked in found.answers() if asked.fault == "gone" and asked.stage != "return"]
    if found.crashes:
        reasons = Counter(found.crashes)
        said = "; ".join(
            reason if times == 1 else f"{times} times: {reason}" for reason, times in reasons.items()
        )
        advice = "catch it or fix it: in a run every question of a match is then a fault"
        yield CheckPoint("life", "mend", f"it ended in the midst of play: {said}", advice)
    elif lost:
        said = f"its connection was lost in the midst of play: {first_reason(lost)}"
        yield CheckPoint("life", "mend", said, "keep the connection, and read what comes")
    else:
        yield CheckPoint("life", "fine", f"it stayed alive through {found.matches} matches")


def _loss(found: CheckFindings) -> Iterator[CheckPoint]:
    if found.way == "local":
        return
    back = [asked for asked in found.asked if asked.stage == "back"]
    if not found.after_loss:
        yield CheckPoint("connection", "open", "what it does when its connection breaks could not be tried")
    elif found.after_loss == "came back" and any(asked.fault for asked in back):
        yield CheckPoint(
            "connection",
            "mend",
            f"it came back after its connection broke, and then failed: {first_reason(back)}",
            "introduce yourself again; ids and game_number start at 1 on every connection",
        )
    elif found.after_loss == "came back":
        yield CheckPoint("connection", "fine", "it came back after its connection broke, and played on")
    elif found.after_loss == "ended":
        yield CheckPoint("connection", "fine", "it ended when its connection broke; a run starts a new one")
    else:
        advice = "exit when the connection closes, or connect again and introduce yourself"
        said = "it neither came back nor ended when its connection broke"
        yield CheckPoint("connection", "mend", said, advice)


def _memory(found: CheckFindings) -> Iterator[CheckPoint]:
    held = found.memory_bytes
    if not held:
        return
    half = len(held) // 2
    growth = max(held) - max(held[: half or 1])
    said = f"{sized(max(held))} of the {sized(found.memory_mb << 20)} that it may hold"
    if max(held) > MEMORY_SHARE * (found.memory_mb << 20):
        advice = "at its limit it is killed: hold less, or raise memory_mb in bot.toml"
        yield CheckPoint("memory", "mend", said, advice)
    elif growth > GROWTH_BYTES:
        said += f", {sized(growth)} more in the second half of {len(held)} matches than in the first"
        yield CheckPoint("memory", "mend", said, "start over with each match: a run has thousands")
    else:
        yield CheckPoint("memory", "fine", said)


def _output(found: CheckFindings) -> Iterator[CheckPoint]:
    printed = found.printed
    if not printed or found.way == "local":
        return
    stray, most = sum(each.stray for each in printed), max(each.octets for each in printed)
    unasked = {said: times for said, times in found.notes.items() if said != OLD and "printed to" not in said}
    last = next((each.last for each in printed if each.last), "")
    if stray:
        said = f"{counted(stray, 'line')} on standard output, over which it plays"
        yield CheckPoint("output", "mend", said, "print to standard error: here such a line is an answer")
    elif unasked:
        times = sum(unasked.values())
        said = f"it says what nobody asked for, {counted(times, 'time')}: {quoted(next(iter(unasked)))}"
        yield CheckPoint("output", "note", said, "send answers only; print anything else to standard error")
    elif most > LOG_BYTES_MAX:
        said = f"{sized(most)} printed by one instance, ending in {quoted(last)}"
        yield CheckPoint(
            "output", "mend", said, f"print less: a log keeps {sized(LOG_BYTES_MAX)}, and printing takes time"
        )
    elif most:
        many = "" if most < LOG_BYTES_QUIET else f"; a log keeps {sized(LOG_BYTES_MAX)} of each instance"
        said = f"{sized(most)} printed by one instance{many}, ending in {quoted(last)}"
        yield CheckPoint("output", "note", said)
    else:
        yield CheckPoint("output", "fine", "it prints nothing")


def _bye(found: CheckFindings) -> Iterator[CheckPoint]:
    endings = found.endings
    if not endings:
        return
    slow = [ending for ending in endings if ending.by != "itself"]
    raised = [ending for ending in endings if ending.exception]
    if slow:
        said = f"it did not end when the arena said bye and closed, but by {slow[-1].by}"
        yield CheckPoint("bye", "mend", said, "exit when the connection closes, or at the message `bye`")
    elif raised:
        said = f"it ended when the arena said bye and closed, and raised {quoted(raised[0].exception)}"
        yield CheckPoint("bye", "note", said, "an end of the connection is the normal end")
    else:
        took_s = max(ending.took_s for ending in endings)
        yield CheckPoint("bye", "fine", f"it ended {measured(took_s)} after the arena said bye and closed")


def _seed(found: CheckFindings) -> Iterator[CheckPoint]:
    """The point about repeated matches; only a note, as no bot has to play the same moves again."""
    first = found.first_moves.get("play")
    if not first:
        return
    wheres: Sequence[tuple[CheckStage, str]] = (
        ("fresh", "in a fresh instance"),
        ("again", "in the same instance"),
    )
    clauses = []
    for stage, where in wheres:
        moves = found.first_moves.get(stage)
        if moves:
            at = _first_difference(first, moves)
            same = f"the same {min(len(first), len(moves))} answers"
            clauses.append(f"{same if at is None else f'another answer at question {at + 1}'} {where}")
    if not clauses:
        return
    said = f"the first match again, with the same bot_seed: {', '.join(clauses)}"
    differs = "another" in said
    advice = "for matches that can be played again, take all chance from bot_seed (SDK: self.rng)"
    yield CheckPoint("seed", "note" if differs else "fine", said, advice if differs else "")


def _first_difference(one: Sequence[Any], other: Sequence[Any]) -> int | None:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


LOOKS_AT_START: tuple[Look, ...] = (_start, _name)
LOOKS_AT_PROGRAM: tuple[Look, ...] = (_life, _loss, _memory, _output, _bye, _seed)
