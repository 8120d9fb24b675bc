"""Bots that connect: for which version a connection plays, and what follows from its having no files."""

from __future__ import annotations

import pytest

from arena.league.connecting import connect_bot, name_version
from arena.league.entering import hand_in, note_state, tried_next
from arena.league.joining import ban_owner, forget_owner
from arena.league.league import League
from arena.refusal import Refusal
from tests.league.test_league_rules import a_league, handed, refused, states


def connected(league: League, said: str = "", owner: str = "o1") -> tuple[League, str]:
    """The league in which a bot of Ann has connected and plays, and how results call it."""
    after, version = connect_bot(league, owner, said, 2.0)
    return note_state(after, version.id, "playing", "", "", 3.0), version.id


def test_the_first_connection_makes_a_bot_and_later_ones_are_the_same():
    """Whatever the bot calls itself then, as its owner has no other and may have none."""
    league, first = connected(a_league(), "dicer")
    assert ("b1@1", "dicer") == (first, league.entry("b1").name)
    for said in ("dicer", "b1", "", "Bot"):
        again, same = connect_bot(league, "o1", said, 4.0)
        assert (league, first, False) == (again, same.id, same.is_new)


def test_who_may_have_several_says_which():
    league, _ = connected(a_league(entries_per_owner=2), "dicer")
    league, second = connected(league, "other")
    assert "b2@1" == second
    assert refused(connect_bot, league, "o1", "third", 4.0)[:2] == ("bad_request", "name")


def test_a_version_that_is_named_waits_for_its_connection_and_then_plays():
    """Nothing shows that a program is another one: its owner says so."""
    league, _ = connected(a_league(), "dicer")
    league, named = name_version(league, "o1", "dicer", 4.0)
    assert ("b1@2", "its connection") == (named.id, named.version.waits_for)
    assert ["playing", "waiting"] == states(league)
    league, came = connected(league)
    assert ("b1@2", ["replaced", "playing"]) == (came, states(league))


def test_what_waits_for_its_connection_keeps_no_hand_in_from_being_tried():
    league = a_league(entries_per_owner=2)
    league, _ = hand_in(league, "o1", "one", "a", 2.0)
    league, _ = name_version(league, "o1", "two", 3.0)
    assert ["b1@1"] == [entry.of(version) for entry, version in tried_next(league)]
    assert ["b2@1"] == [entry.of(version) for entry, version in league.awaited()]


@pytest.mark.parametrize(
    ("rule", "league", "kind", "words"),
    [
        (
            "a hand-in is not displaced by chance",
            handed(a_league(), "a"),
            "conflict",
            "version 1 was handed in",
        ),
        (
            "nor is one that failed taken up again",
            note_state(handed(a_league(), "a"), "b1@1", "refused", "", "", 3.0),
            "conflict",
            "none of its versions plays",
        ),
        ("a ban", ban_owner(a_league(), "o1", "eva", "asks others", 2.0), "forbidden", "banned"),
    ],
)
def test_who_cannot_connect_is_told_why(rule, league, kind, words):
    found, _, said = refused(connect_bot, league, "o1", "", 4.0)
    assert (kind, True) == (found, words in said), rule


def test_forgetting_an_owner_deletes_no_files_for_a_bot_without_any():
    """Its hash is empty: the folder of that name would be that of all hand-ins."""
    league, _ = connected(a_league())
    assert not forget_owner(league, "o1", "eva", 4.0)[1]


def test_names_are_checked_as_for_hand_ins():
    with pytest.raises(Refusal):
        connect_bot(a_league(), "o1", "x" * 99, 2.0)
