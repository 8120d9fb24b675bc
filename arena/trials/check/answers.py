"""The points about a bot's answers: legal, with the right ids, in time, and after a fault.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median

from arena.errors import Hint
from arena.trials.check.findings import Asked, CheckFindings, number_range
from arena.trials.check.point import (
    OLD,
    CheckPoint,
    Look,
    Standing,
    first_reason,
    of_answers,
    provoked,
)
from arena.words import counted, listed, measured, percent

SHARE_TIGHT, SHARE_CLOSE = 0.8, 0.5
"""Shares of the limit above which an answer would be late, or might be, on a slower or busier machine."""
NAGLE_S = (0.038, 0.05)
"""The range of times (s) of an answer that the kernel held back for 40 ms."""
LONGER = Hint("max_time", "is longer", "60s")
LIMIT = Hint("move_time", "sets the limit of a run", "D", command="run")
UNUSUAL = 'zoë, the "k" and {e}'


def _answers(found: CheckFindings) -> Iterator[CheckPoint]:
    answers = found.answers()
    if not answers:
        yield CheckPoint("answers", "open", "it was never asked", "the game ended before its first turn")
        return
    bad = [asked for asked in answers if asked.fault in ("illegal", "malformed") and not _is_about_id(asked)]
    if all(asked.stage in ("names", "recorded") for asked in bad):  # the points of these stages tell it
        bad = []
    if not bad:
        asked = counted(len(answers), "question")
        yield CheckPoint("answers", "fine", f"{asked}, no answer that was illegal or malformed")
    for fault, advice in _ADVICE.items():
        if of_kind := [asked for asked in bad if asked.fault == fault]:
            said = f"{of_answers(len(of_kind), len(answers))} {fault}: {first_reason(of_kind)}"
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
        many = of_answers(len(wrong), len(found.answers()))
        said = f"{many} without the id of the question: {first_reason(wrong)}"
        yield CheckPoint("ids", "mend", said, "send back the message_id of the question that you answer")
    elif old > late + provoked(found):
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


def _kinds(found: CheckFindings) -> Iterator[CheckPoint]:
    seen = Counter(kind for asked in found.asked for kind in asked.kinds)
    numbers = {asked.seats for asked in found.asked}
    missing = [kind for kind in found.kinds if not seen[kind]]
    skipped = [number for number in found.seats if number not in numbers]
    said = f"asked with {listed([f'{kind} ({seen[kind]:,})' for kind in found.kinds if seen[kind]])}"
    said += f", at {number_range(numbers)} seats"
    unreached = [kind for kind in missing if kind in found.possible]
    if unreached:
        more = f"{said}; never with {listed(unreached)}, which random players are asked with"
        yield _unreached("note", more, found, is_cut_short=bool(skipped) and not found.is_out_of_time)
    elif missing:
        more = f"{said}; {listed(missing)} cannot come up under these rules, or hardly"
        yield CheckPoint("questions", "note", more)
    else:
        yield CheckPoint("questions", "fine", said)
    if found.other_games:
        more = f"it says that it also plays {listed(found.other_games)}"
        hint = Hint("game", "does", found.other_games[0])
        yield CheckPoint("game", "note", more, "check that too", (hint,))
    if skipped:
        more = f"never asked at {number_range(skipped)} seats"
        yield _unreached("open", more, found, is_cut_short=not found.is_out_of_time)


def _unreached(standing: Standing, said: str, found: CheckFindings, *, is_cut_short: bool) -> CheckPoint:
    """The point about questions that were not asked, for want of time or because the bot was gone."""
    if not is_cut_short:
        return CheckPoint("questions", standing, said, "give it more time", (LONGER,))
    times = counted(len(found.crashes), "time")
    advice = f"the check stopped because the bot ended {times} in the midst of play: mend that first"
    return CheckPoint("questions", standing, said, advice)


def _recorded(found: CheckFindings) -> Iterator[CheckPoint]:
    """The point about the questions of recorded matches."""
    if not found.recorded_wanted:
        return
    asked = found.recorded()
    bad = [each for each in asked if each.fault is not None and not each.is_lagged]
    matches = counted(len({each.place.rpartition(" ")[2] for each in asked}), "recorded match")
    if bad:
        first = f"{bad[0].fault}: {bad[0].reason} ({bad[0].place})"
        said = f"{len(bad):,} of {counted(len(asked), 'question')} of {matches} went wrong, first {first}"
        match_id = bad[0].place.rpartition(" ")[2]
        advice = f"`arena replay {match_id} {found.recorded_in}` tells how the match went"
        yield CheckPoint("recorded", "mend", said, advice if found.recorded_in else "")
    elif len(asked) < found.recorded_wanted:
        said = (
            f"{len(asked):,} of {counted(found.recorded_wanted, 'recorded question')}, answered as any others"
        )
        yield CheckPoint("recorded", "note", said, "give it more time for the others", (LONGER,))
    else:
        said = f"{counted(len(asked), 'question')} of {matches}, answered as any others"
        yield CheckPoint("recorded", "fine", said)


def _names(found: CheckFindings) -> Iterator[CheckPoint]:
    """The point about unusual names; a failure is told only if the bot fails nowhere else."""
    stage = [asked for asked in found.answers() if asked.stage == "names"]
    bad = [asked for asked in stage if asked.fault is not None]
    before = {asked.fault for asked in found.answers() if asked.stage in ("play", "long")}
    if new := [asked for asked in bad if asked.fault not in before]:
        said = f"at tables with unusual names it failed, and nowhere else: {first_reason(new)}"
        advice = f"names may have quotes, braces and letters of any script, such as {UNUSUAL}"
        yield CheckPoint("names", "mend", said, advice)
    elif stage and not bad:
        yield CheckPoint("names", "fine", f"opponents with names such as {UNUSUAL} are no trouble")


def _time(found: CheckFindings) -> Iterator[CheckPoint]:
    timed = [asked for asked in found.answers() if asked.stage not in ("return",)]
    late = [asked for asked in timed if asked.fault == "too_late"]
    usual = [asked for asked in timed if asked.elapsed_s is not None and not asked.is_first]
    if blamed := [asked for asked in late if not asked.is_lagged]:
        said = f"{of_answers(len(blamed), len(timed))} too late: {first_reason(blamed)}"
        yield CheckPoint("time", "mend", said, "answer sooner", (LIMIT,))
        return
    if late:
        said = f"{of_answers(len(late), len(timed))} too late while the arena itself was late"
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
    faults = counted(provoked(found), "fault")
    if new:
        said = f"{told} {faults} that it had not committed, it then failed: {first_reason(new)}"
        advice = "a fault costs one move, not the match: take the next question as it comes"
        yield CheckPoint("faults", "mend", said, advice)
    else:
        yield CheckPoint("faults", "fine", f"{told} {faults} that it had not committed, it goes on as before")


LOOKS_AT_ANSWERS: tuple[Look, ...] = (_answers, _ids, _recorded, _kinds, _names, _time, _after_fault)
