"""Findings -> points: what is fine, what to mend and how, what is only worth knowing.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, Literal, TypeAlias

import attrs

from arena.check.findings import Asked, CheckFindings, CheckStage, number_range
from arena.wire.messages import check_name
from arena.words import counted, listed, measured, percent

Standing: TypeAlias = Literal["fine", "mend", "note", "open"]
"""`note`: nothing is wrong, but it is worth knowing; `open`: could not be tried."""

START_SLOW_S = 5.0
NAMELESS_S = 0.9
"""A plain bot that took at least so long to enter had said nothing."""
SHARE_TIGHT, SHARE_CLOSE = 0.8, 0.5
"""Shares of the limit: on a slower or busier machine such an answer is late; perhaps is."""
NAGLE_S = (0.038, 0.05)
"""The times of an answer that the kernel held back for 40 ms."""
GROWTH_BYTES = 32 << 20
"""How much more memory may be held in the second half of the matches than in the first."""
MEMORY_SHARE = 0.5
LOG_BYTES_QUIET, LOG_BYTES_MAX = 1 << 16, 1 << 18
"""Printed by one instance: worth a word; more than a log keeps."""
OLD = "an answer to an old question"
SAID_MAX = 200


@attrs.frozen
class CheckPoint:
    """One thing that was looked at."""

    name: str
    standing: Standing
    said: str
    advice: str = ""
    """What to do about it."""


def check_points(found: CheckFindings) -> list[CheckPoint]:
    """Everything that was looked at, in the order in which it happens to a bot."""
    if found.broken is not None:
        advice = "the end of its log is below" if found.log.strip() else _SILENT_START
        return [CheckPoint("start", "mend", f"cannot play: {found.broken}", advice)]
    return [point for look in _LOOKS for point in look(found)]


_SILENT_START = "it printed nothing: does it connect to ARENA_HOST and ARENA_PORT, or call run()?"


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
        yield CheckPoint("name", "mend", f"it calls itself {_short(own)}, and {reason}", advice)
    elif own is not None and own != found.bot:
        advice = "ARENA_NAME says how it is called in a run"
        yield CheckPoint("name", "note", f"it calls itself {_short(own)}; here it is {found.bot}", advice)
    else:
        yield CheckPoint("name", "fine", f"it plays as {found.bot}")


def _answers(found: CheckFindings) -> Iterator[CheckPoint]:
    answers = found.answers()
    if not answers:
        yield CheckPoint("answers", "open", "it was never asked", "the game ended before its first turn")
        return
    bad = [asked for asked in answers if asked.fault in ("illegal", "malformed") and not _is_about_id(asked)]
    if not bad:
        asked = counted(len(answers), "question")
        yield CheckPoint("answers", "fine", f"{asked}, no answer that was illegal or malformed")
    for fault, advice in _ADVICE.items():
        if of_kind := [asked for asked in bad if asked.fault == fault]:
            said = f"{_of(len(of_kind), len(answers))} {fault}: {_first_reason(of_kind)}"
            yield CheckPoint("answers", "mend", said, advice.format(game=found.game))


_ADVICE = {
    "illegal": "take moves from the options of the question, or see the rules with `arena games {game}`",
    "malformed": 'answer {{"message_id": …, "move": …}} on a line of its own; '
    "arena/games/README.md shows the moves of each game",
}


def _ids(found: CheckFindings) -> Iterator[CheckPoint]:
    wrong = [asked for asked in found.answers() if asked.fault == "malformed" and _is_about_id(asked)]
    old = found.notes.get(OLD, 0)
    late = sum(asked.fault == "too_late" for asked in found.asked)
    if wrong:
        said = (
            f"{_of(len(wrong), len(found.answers()))} without the id of the question: {_first_reason(wrong)}"
        )
        yield CheckPoint("ids", "mend", said, "send back the message_id of the question that you answer")
    elif old > late + _provoked(found):
        yield CheckPoint(
            "ids",
            "mend",
            f"{counted(old, 'answer')} came to questions that were answered already",
            "answer every question once",
        )
    elif found.way != "local":
        yield CheckPoint("ids", "fine", "every answer has the id of its question")


def _is_about_id(asked: Asked) -> bool:
    return asked.reason.startswith(("message_id ", 'no "message_id"'))


def _provoked(found: CheckFindings) -> int:
    return sum(asked.is_provoked for asked in found.asked)


def _kinds(found: CheckFindings) -> Iterator[CheckPoint]:
    seen = Counter(kind for asked in found.asked for kind in asked.kinds)
    numbers = {asked.seats for asked in found.asked}
    missing = [kind for kind in found.kinds if not seen[kind]]
    said = f"asked with {listed([f'{kind} ({seen[kind]:,})' for kind in found.kinds if seen[kind]])}"
    said += f", at {number_range(numbers)} seats"
    unreached = [kind for kind in missing if kind in found.possible]
    if unreached:
        more = f"{said}; never with {listed(unreached)}, which random players are asked with"
        yield CheckPoint("questions", "note", more, "a longer check may reach it: --max-time 60s")
    elif missing:
        more = f"{said}; {listed(missing)} cannot come up under these rules, or hardly"
        yield CheckPoint("questions", "note", more)
    else:
        yield CheckPoint("questions", "fine", said)
    if skipped := [number for number in found.seats if number not in numbers]:
        more = f"never asked at {number_range(skipped)} seats"
        yield CheckPoint("questions", "open", more, "give it more time, such as --max-time 60s")


def _time(found: CheckFindings) -> Iterator[CheckPoint]:
    timed = [asked for asked in found.answers() if asked.stage not in ("return",)]
    late = [asked for asked in timed if asked.fault == "too_late"]
    usual = [asked for asked in timed if asked.elapsed_s is not None and not asked.is_first]
    if blamed := [asked for asked in late if not asked.is_lagged]:
        said = f"{_of(len(blamed), len(timed))} too late: {_first_reason(blamed)}"
        yield CheckPoint("time", "mend", said, "answer sooner; the limit of a run is --move-time")
        return
    if late:
        said = f"{_of(len(late), len(timed))} too late while the arena itself was late"
        yield CheckPoint("time", "note", said, "check again on a machine that does less")
        return
    if not usual:
        yield CheckPoint("time", "open", "nothing was timed but first answers, which have longer")
        return
    times_s = [asked.elapsed_s or 0.0 for asked in usual]
    worst = max(usual, key=_share)
    middle_s = median(times_s)
    middle = median(map(_share, usual))
    said = f"median {measured(middle_s)} ({percent(middle)} of the limit), "
    said += f"worst {measured(worst.elapsed_s or 0.0)} ({percent(_share(worst))}) at {worst.seats} seats"
    if firsts := [asked.elapsed_s for asked in timed if asked.is_first and asked.elapsed_s is not None]:
        said += f"; first answers {measured(max(firsts))} at most"
    if NAGLE_S[0] <= middle_s <= NAGLE_S[1]:
        yield CheckPoint("time", "note", said, "40 ms looks like a socket without TCP_NODELAY: set it")
    elif _share(worst) >= SHARE_TIGHT:
        yield CheckPoint("time", "mend", said, "leave more room: a slower or busier machine makes it late")
    elif _share(worst) >= SHARE_CLOSE:
        yield CheckPoint("time", "note", said, "on a slower or busier machine it may be late")
    else:
        yield CheckPoint("time", "fine", said)


def _share(asked: Asked) -> float:
    """The share of its limit that an answer took."""
    return (asked.elapsed_s or 0.0) / asked.limit_s if asked.limit_s else 1.0


def _life(found: CheckFindings) -> Iterator[CheckPoint]:
    if found.crashes:
        reasons = Counter(found.crashes)
        said = "; ".join(
            reason if times == 1 else f"{times} times: {reason}" for reason, times in reasons.items()
        )
        advice = "catch it or fix it: in a run every question of a match is then a fault"
        yield CheckPoint("life", "mend", f"it ended in the midst of play: {said}", advice)
    else:
        yield CheckPoint("life", "fine", f"it stayed alive through {found.matches} matches")


def _after_fault(found: CheckFindings) -> Iterator[CheckPoint]:
    stage = [asked for asked in found.asked if asked.stage == "fault"]
    first = next((place for place, asked in enumerate(stage) if asked.is_provoked), None)
    after = [] if first is None else [asked for asked in stage[first + 1 :] if not asked.is_provoked]
    told = "told of" if found.introduction is None or found.introduction.protocol else "charged with"
    if not after:
        yield CheckPoint("faults", "open", "how it goes on after a fault could not be tried")
        return
    before = {asked.fault for asked in found.asked if asked.stage in ("play", "long")}
    new = [asked for asked in after if asked.fault is not None and asked.fault not in before]
    faults = counted(_provoked(found), "fault")
    if new:
        said = f"{told} {faults} that it had not committed, it then failed: {_first_reason(new)}"
        advice = "a fault costs one move, not the match: take the next question as it comes"
        yield CheckPoint("faults", "mend", said, advice)
    else:
        yield CheckPoint("faults", "fine", f"{told} {faults} that it had not committed, it goes on as before")


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
            f"it came back after its connection broke, and then failed: {_first_reason(back)}",
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
    said = f"{_megabytes(max(held))} of the {found.memory_mb:,} MB that it may hold"
    if max(held) > MEMORY_SHARE * (found.memory_mb << 20):
        advice = "at its limit it is killed: hold less, or raise memory_mb in bot.toml"
        yield CheckPoint("memory", "mend", said, advice)
    elif growth > GROWTH_BYTES:
        said += f", {_megabytes(growth)} more in the second half of {len(held)} matches than in the first"
        yield CheckPoint("memory", "mend", said, "start over with each match: a run has thousands")
    else:
        yield CheckPoint("memory", "fine", said)


def _megabytes(octets: int) -> str:
    return f"{octets / (1 << 20):,.0f} MB"


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
        said = f"it says what nobody asked for, {counted(times, 'time')}: {_short(next(iter(unasked)))}"
        yield CheckPoint("output", "note", said, "send answers only; print anything else to standard error")
    elif most > LOG_BYTES_MAX:
        said = f"{_megabytes(most)} printed by one instance, ending in {_short(last)}"
        yield CheckPoint("output", "mend", said, "print less: a log keeps 256 kB, and printing takes time")
    elif most:
        many = "" if most < LOG_BYTES_QUIET else "; a log keeps 256 kB of each instance"
        said = f"{counted(most, 'byte')} printed by one instance{many}, ending in {_short(last)}"
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
        said = f"it ended when the arena said bye and closed, and raised {_short(raised[0].exception)}"
        yield CheckPoint("bye", "note", said, "an end of the connection is the normal end")
    else:
        took_s = max(ending.took_s for ending in endings)
        yield CheckPoint("bye", "fine", f"it ended {measured(took_s)} after the arena said bye and closed")


def _seed(found: CheckFindings) -> Iterator[CheckPoint]:
    """Information only: a bot may well be free in what it does."""
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


# Words.


def _of(some: int, total: int) -> str:
    return f"{some:,} of {counted(total, 'answer')} {'was' if some == 1 else 'were'}"


def _first_reason(asked: Sequence[Asked]) -> str:
    """Why the first of these failed, and at which table."""
    bad = next(each for each in asked if each.fault is not None)
    return f"{bad.reason} (first at {bad.seats} seats)"


def _short(text: str) -> str:
    return repr(text if len(text) <= SAID_MAX else f"{text[: SAID_MAX - 1]}…")


_LOOKS: tuple[Callable[[CheckFindings], Iterator[CheckPoint]], ...] = (
    _start,
    _name,
    _answers,
    _ids,
    _kinds,
    _time,
    _life,
    _after_fault,
    _loss,
    _memory,
    _output,
    _bye,
    _seed,
)
