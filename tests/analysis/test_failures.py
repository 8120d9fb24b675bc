"""In which ways bots failed: what is told once, what together, and what for people."""

from __future__ import annotations

import pytest

from arena.analysis.failures import BOTS_MAX, SHOWN_MAX, Failure, failures, most_telling
from arena.players.crash import why_ended
from arena.players.start import ending
from arena.players.stream import CONSEQUENCE
from arena.store import FaultCount

TRACEBACK = "Traceback (most recent call last):\n  File 'bot.py'\nKeyError: 'hand'\n"


def told(*faults: FaultCount) -> list[str]:
    return [f"{each.count} × {each.said}" for each in failures(faults)]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (why_ended(ending(1), TRACEBACK), "crashed: KeyError: 'hand'"),
        (why_ended(ending(1), "no luck\n"), "crashed: exit code 1; it last printed: no luck"),
        (ending(3), "crashed: exit code 3"),
        (why_ended(ending(-6), "panic: no hand"), "crashed: SIGABRT: panic: no hand"),
        (ending(-11), "crashed: SIGSEGV"),
        ("raised KeyError: 'hand'", "crashed: KeyError: 'hand'"),
        (ending(-9), "gone: was ended by SIGKILL"),
        (ending(0), "gone: its process ended with exit code 0"),
        (ending(None), "gone: its process is gone"),
        ("closed its connection", "gone: closed its connection"),
    ],
)
def test_a_crash_is_called_so(reason, expected):
    """What players say of a bot that failed by itself; who was ended or went away did not crash."""
    assert [f"1 × {expected}"] == told(FaultCount("a", "gone", reason, 1, seats=1))


def test_a_crash_is_told_once():
    """Five faults in a match, and the moves for which it was not asked any more, are one crash."""
    crash = FaultCount("a", "gone", why_ended(ending(1), TRACEBACK), 5, seats=1)
    assert ["1 × crashed: KeyError: 'hand' (and 4 moves by default)"] == told(crash)
    twice = FaultCount("a", "gone", "closed its connection", 7, seats=2, not_asked=6)
    assert ["2 × gone: closed its connection (and 11 moves by default)"] == told(twice)
    assert ["1 × crashed: KeyError: 'hand'"] == told(FaultCount("a", "gone", "raised KeyError: 'hand'", 1, 1))
    assert ["2 × illegal: no"] == told(FaultCount("a", "illegal", "no", 2, seats=1, not_asked=9))
    assert 7 == failures([twice])[0].faults


def test_reasons_that_differ_in_numbers_only_are_told_together():
    """The most frequent one is the example; other words, another kind and another bot are told apart."""
    assert [
        "6 × illegal: e.g. bid [4, 2] is not higher than [4.5, 2]",
        "2 × malformed: bid [3, 2] is not higher than [4, 2]",
        "1 × illegal: bid [3, 2] is not lower than [4, 2]",
        "1 × illegal: bid [3, 2] is not higher than [4, 2]",
    ] == told(
        FaultCount("a", "illegal", "bid [3, 2] is not higher than [4, 2]", 1),
        FaultCount("a", "illegal", "bid [4, 2] is not higher than [4.5, 2]", 3),
        FaultCount("a", "illegal", "bid [10, 2] is not higher than [12, 2]", 2),
        FaultCount("a", "malformed", "bid [3, 2] is not higher than [4, 2]", 2),
        FaultCount("a", "illegal", "bid [3, 2] is not lower than [4, 2]", 1),
        FaultCount("b", "illegal", "bid [3, 2] is not higher than [4, 2]", 1),
    )


def test_late_answers_are_told_together():
    """Whether they came or not, and however late."""
    assert ["5 × too_late: e.g. no answer within 1 s", "1 × too_late"] == told(
        FaultCount("a", "too_late", "answered after 1.200 s; the limit is 1 s", 2),
        FaultCount("a", "too_late", "no answer within 1 s", 3),
        FaultCount("b", "too_late", "", 1),
    )


def test_a_cause_is_told_rather_than_its_consequences():
    """However many questions were lost to the one that it did not answer."""
    cause = FaultCount("a", "too_late", "no answer within 1 s", 1, capsule="first")
    lost = FaultCount("a", "too_late", f"{CONSEQUENCE}: asked 0.5 s late", 9, capsule="later")
    assert ["10 × too_late: e.g. no answer within 1 s"] == told(lost, cause)
    assert ["first"] == [each.capsule for each in failures([lost, cause])]


def test_what_a_bot_printed_last_does_not_tell_crashes_apart():
    """A bot that says what it thinks ends on another line every time."""
    lines = ["I have a six", "I fear the worst", "well"]
    assert ["3 × crashed: e.g. SIGSEGV; it last printed: I have a six"] == told(
        *(FaultCount("a", "gone", why_ended(ending(-11), line), 1, seats=1) for line in lines)
    )


def test_the_evidence_of_one_of_them_is_named():
    """That of the most frequent one, or else of any; with its log, looked up for those that are shown."""
    asked = []

    def log_of(capsule: str) -> str:
        asked.append(capsule)
        return f"log of {capsule}"

    alike = [
        FaultCount("a", "illegal", "bid 1", 1, capsule="first"),
        FaultCount("a", "illegal", "bid 2", 5),
        FaultCount("a", "illegal", "bid 3", 2, capsule="third"),
    ]
    (merged,) = failures(alike, log_of)
    assert ("bid 2", "first", "log of first") == (merged.reason, merged.capsule, merged.log)
    words = "abcdefghijklmnopqrstuvwxyz"
    many = failures([FaultCount("a", "illegal", word, 1, capsule=word) for word in words], log_of)
    assert (26, 1 + SHOWN_MAX) == (len(many), len(asked))
    assert {""} == {each.log for each in failures(alike)}


def test_every_bot_that_failed_is_told_of():
    """Whatever else another one did; then the most frequent ones, as far as there is room."""
    rude = [Failure("rude", "illegal", f"reason {number}", 9, 9) for number in range(50)]
    crashed = Failure("ann", "crashed", "KeyError: 'hand'", 1, 1)
    assert [*range(SHOWN_MAX - 1), 50] == most_telling([*rude, crashed])
    assert [0, 1] == most_telling([crashed, rude[0]])
    crowd = [Failure(f"bot-{number}", "crashed", "", 1, 1) for number in range(2 * BOTS_MAX)]
    assert list(range(BOTS_MAX)) == most_telling(crowd)
    assert [] == most_telling([])


def test_a_long_reason_is_cut_and_what_followed_is_told():
    """The report has room for so many characters."""
    failure = Failure("a", "crashed", "x" * 100, 1, 3, defaults=2)
    assert f"crashed: {'x' * 9}… (and 2 moves by default)" == failure.within(10).said


def test_what_is_said_is_one_printable_line():
    """The words are a bot's own."""
    assert "gone: \\x1b[31m\\n" == Failure("a", "gone", "\x1b[31m\n", 1, 1).said
