"""The rules of a league, one by one: who joins, what is handed in, what comes of a version."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from arena.league.connecting import connect_bot
from arena.league.entering import (
    BACK_S,
    DAY_S,
    REFUSED_PER_DAY,
    HandedIn,
    hand_in,
    note_state,
    roll_back,
    tried_next,
    withdraw_entry,
)
from arena.league.joining import (
    add_person_code,
    add_roster,
    ban_owner,
    forget_owner,
    hash_of_code,
    join_league,
    revoke_join_code,
    set_join_code,
    undo_join,
)
from arena.league.league import League, LeagueSettings
from arena.league.moderation import exclude, readmit, retry, tell_all
from arena.league.moving import without_lost
from arena.league.naming import rename_owner, show_name
from arena.league.roster import RosterRow, read_roster, roster_text
from arena.league.settings import change_settings, new_league
from arena.league.storing import LOST, MADE_ROOM, hashes_handed_in
from arena.refusal import Kind, Refusal


def a_league(**settings: Any) -> League:
    """A league that Ann (o1) and Bob (o2) have joined."""
    league = new_league(LeagueSettings("class", "game", **settings), "eva", 0.0)
    league = set_join_code(league, "eva", "code", 0.0)
    for name in ("Ann", "Bob"):
        league, _ = join_league(league, name, "code", f"token of {name}", 1.0)
    return league


def handed(league: League, hash: str, owner: str = "o1", name: str = "", now: float = 2.0) -> League:
    return hand_in(league, owner, name, hash, now)[0]


def playing(league: League, *hashes: str) -> League:
    """A league in which Ann's versions have played, the last of them plays."""
    for hash in hashes:
        league = handed(league, hash)
        league = note_state(league, f"b1@{len(league.entry('b1').versions)}", "playing", "", "", 3.0)
    return league


def states(league: League, bot: str = "b1") -> list[str]:
    return [version.state for version in league.entry(bot).versions]


def refused(act: Any, *words: Any, **more: Any) -> tuple[Kind, str, str]:
    """Kind, field and sentence of the refusal."""
    with pytest.raises(Refusal) as found:
        act(*words, **more)
    return found.value.kind, found.value.field, str(found.value)


# Joining


@pytest.mark.parametrize(
    ("rule", "how", "code", "kind"),
    [
        ("whoever has the code joins", "code", "code", None),
        ("without it nobody does", "code", None, "bad_request"),
        ("a wrong one is refused", "code", "nosuch", "forbidden"),
        ("an open league needs none", "open", None, None),
        ("a closed one takes nobody, with a code either", "closed", "code", "forbidden"),
    ],
)
def test_who_may_join(rule: str, how: Any, code: str | None, kind: Kind | None) -> None:
    league = change_settings(a_league(), "eva", {"join": how} if how != "code" else {}, 1.0)
    if kind is not None:
        assert kind == refused(join_league, league, "Cy", code, "token", 1.0)[0], rule
        return
    joined, owner = join_league(league, "Cy", code, "token", 1.0)
    assert ("o3", owner) == (owner.id, joined.holder("token")), rule


def test_a_new_code_ends_the_old_one_and_nobody_leaves() -> None:
    league = set_join_code(a_league(), "eva", "other", 1.0)
    assert "forbidden" == refused(join_league, league, "Cy", "code", "token", 1.0)[0]
    assert 2 == len(league.owners)
    assert "conflict" == refused(revoke_join_code, revoke_join_code(league, "eva", 1.0), "eva", 1.0)[0]


def test_a_code_is_the_same_however_it_is_typed() -> None:
    assert hash_of_code("ABCDE-FGHJK") == hash_of_code(" abcde fghjk ") == hash_of_code("abcdefghjk")
    assert hash_of_code("abcde") != hash_of_code("abcdf")


def test_people_of_one_team_are_one_owner() -> None:
    """Each with a token of their own; a code works once, and the public name is the first one's."""
    rows = [RosterRow("Ada", "red", "1"), RosterRow("Bo", "red", "2"), RosterRow("Cy", "", "3")]
    league = add_roster(a_league(), "eva", rows, ["h1", "h2", "h3"], 1.0)
    league, first = join_league(league, "Reds", "h1", "t1", 1.0)
    league, second = join_league(league, "Blues", "h2", "t2", 1.0)
    assert ("o3", "o3", "Reds", 2) == (first.id, second.id, second.name, len(second.persons))
    league, alone = join_league(league, "", "h3", "t3", 1.0)
    assert ("o4", "Cy", "3") == (alone.id, alone.name, alone.persons[0].roster_id)
    kind, field, _ = refused(join_league, league, "Red2", "h2", "t4", 1.0)
    assert ("conflict", "code") == (kind, field)
    again = add_roster(league, "eva", rows, ["n1", "n2", "n3"], 2.0)
    assert {"h1", "h2", "h3"} == again.codes.keys() - {"code"}, "who has used a code needs no other one"


def test_an_unused_code_of_a_roster_ends_with_the_next_roster() -> None:
    rows = [RosterRow("Ada")]
    league = add_roster(add_roster(a_league(), "eva", rows, ["h1"], 1.0), "eva", rows, ["n1"], 2.0)
    assert ("h1" in league.codes, "n1" in league.codes) == (False, True)


def test_a_joining_of_which_nobody_was_told_leaves_no_trace() -> None:
    """Name and code are free again; of a team the others stay."""
    rows = [RosterRow("Ada", "red", "1"), RosterRow("Bo", "red", "2")]
    league = add_roster(a_league(), "eva", rows, ["h1", "h2"], 1.0)
    once, owner = join_league(league, "Reds", "h1", "t1", 2.0)
    undone = undo_join(once, owner.id, "h1", "t1", 2.0)
    assert undone.holder("t1") is None
    again, owner = join_league(undone, "Reds", "h1", "t1", 3.0)
    assert ("o4", "Reds") == (owner.id, owner.name)
    both, _ = join_league(again, "", "h2", "t2", 3.0)
    left = undo_join(both, "o4", "h2", "t2", 3.0)
    assert (["t1"], "", "o4") == (
        [person.token_hash for person in left.owner("o4").persons],
        left.codes["h2"].used_by,
        left.codes["h1"].used_by,
    )


def test_a_lost_token_is_replaced_also_where_nobody_new_may_join() -> None:
    league = change_settings(a_league(), "eva", {"join": "closed"}, 1.0)
    league = add_person_code(league, "o1", "eva", "once", 1.0)
    league, owner = join_league(league, "", "once", "new token", 2.0)
    assert "o1" == owner.id == league.holder("new token").id  # type: ignore[union-attr]


# Names


@pytest.mark.parametrize(
    "name",
    ["ann", "ANN", "Аnn", "Ａnn", "Ann ", "A\u200bnn", "n" * 25, "", "a\nb", "A\u0301" * 1 + "\u0301" * 9],
)
def test_names_that_nobody_can_have_beside_ann(name: str) -> None:
    """Those of others but for case, alphabet or width, and those that people could not read."""
    kind, field, _ = refused(join_league, a_league(), name, "code", "token", 1.0)
    assert (kind in ("bad_request", "conflict"), "name") == (True, field)


def test_words_of_the_game_are_no_names() -> None:
    league = a_league(reserved=frozenset({"chance"}))
    assert ("bad_request", "name") == refused(hand_in, league, "o1", "chance", "aa", 2.0)[:2]
    assert ("bad_request", "name") == refused(rename_owner, league, "o1", "chance", "", 2.0, by_host=False)[
        :2
    ]


def test_a_bot_may_have_its_owners_name_and_not_another_owners() -> None:
    league = handed(a_league(), "aa", name="ann")
    assert "ann" == league.entry("b1").name
    assert ("conflict", "name") == refused(hand_in, league, "o2", "ANN", "bb", 2.0)[:2]


def test_names_wait_for_approval_where_the_host_wants_it() -> None:
    """Until then people see the id, and nobody learns the name by trying it."""
    league = handed(a_league(approve_names=True), "aa", name="dicer")
    assert ("o1", "b1") == (league.owner("o1").shown_name, league.entry("b1").shown_name)
    said = refused(hand_in, league, "o2", "DICER", "bb", 2.0)[2]
    assert "dicer" not in said
    shown = show_name(show_name(league, "o1", "eva", True, 3.0), "b1", "eva", True, 3.0)
    assert ("Ann", "dicer") == (shown.owner("o1").shown_name, shown.entry("b1").shown_name)
    renamed = rename_owner(shown, "o1", "Anna", "", 4.0, by_host=False)
    assert "o1" == renamed.owner("o1").shown_name


def test_the_log_says_who_did_what_and_no_names() -> None:
    """Names can be forgotten; what a log holds cannot."""
    league = rename_owner(a_league(), "o1", "Anna", "eva", 1.0, by_host=True)
    league = ban_owner(league, "o2", "eva", "rude", 2.0)
    assert ["eva"] * len(league.log) == [line.who for line in league.log]
    assert not any(name in line.text for line in league.log for name in ("Ann", "Bob"))
    assert "bans o2: rude" == league.log[-1].text


# Handing in


def test_what_is_handed_in_waits_and_what_plays_plays_on() -> None:
    league = handed(playing(a_league(), "aa"), "bb")
    assert ["playing", "waiting"] == states(league)
    league = note_state(league, "b1@2", "building", "", "", 4.0)
    league = note_state(league, "b1@2", "refused", "no compiler", "", 5.0)
    assert ["playing", "refused"] == states(league)
    assert "no compiler" == league.entry("b1").versions[1].reason


def test_a_version_replaces_the_one_before_when_it_plays() -> None:
    assert ["replaced", "replaced", "playing"] == states(playing(a_league(), "aa", "bb", "cc"))


def test_a_newer_hand_in_replaces_one_that_waits() -> None:
    league = handed(handed(a_league(), "aa"), "bb")
    assert ["replaced", "waiting"] == states(league)
    late = note_state(league, "b1@1", "playing", "", "", 9.0)
    assert late is league, "a report of what is no more the process's changes nothing"


@pytest.mark.parametrize("state", ["waiting", "refused", "playing"])
def test_the_same_bytes_change_nothing(state: Any) -> None:
    """Whatever became of them; nor do they cost anything, once the day's hand-ins are used up."""
    league = handed(a_league(hand_ins_per_day=1), "aa")
    league = league if state == "waiting" else note_state(league, "b1@1", state, "", "", 3.0)
    after, found = hand_in(league, "o1", "", "aa", 4.0)
    assert (True, False, 1) == (after is league, found.is_new, found.version.number)


def test_hand_ins_a_day() -> None:
    """What is refused costs none, but not without end; a clock that is set back gives none."""
    league = playing(a_league(hand_ins_per_day=2), "a", "b")
    with pytest.raises(Refusal) as found:
        hand_in(league, "o1", "", "c", 10.0)
    assert ("too_many", "hand_ins_per_day") == (found.value.kind, found.value.key)
    assert DAY_S - 8.0 == found.value.seconds
    assert "too_many" == refused(hand_in, league, "o1", "", "c", 1.0)[0]
    assert hand_in(league, "o1", "", "c", DAY_S + 10.0)[1].is_new
    for number in range(REFUSED_PER_DAY):
        league = handed(league, f"bad {number}", "o2")
        league = note_state(league, f"b2@{number + 1}", "refused", "", "", 3.0)
    assert "too_many" == refused(hand_in, league, "o2", "", "one more", 4.0)[0]


def test_bots_of_an_owner() -> None:
    league = handed(a_league(), "aa", name="dicer")
    kind, field, said = refused(hand_in, league, "o1", "other", "bb", 2.0)
    assert ("conflict", "name", True) == (kind, field, "dicer" in said)
    two = handed(change_settings(league, "eva", {"entries_per_owner": 2}, 2.0), "bb", name="other")
    assert ("bad_request", "name") == refused(hand_in, two, "o1", "", "cc", 3.0)[:2]
    assert ["waiting"] == states(two, "b2")


def test_one_of_an_owner_is_tried_at_a_time_the_newest_first() -> None:
    """Then whoever has waited longest; what is being tried already comes first."""
    league = a_league(entries_per_owner=3)
    league = handed(league, "aa", name="one", now=2.0)
    league = handed(league, "bb", "o2", now=3.0)
    league = handed(league, "cc", name="two", now=4.0)
    assert ["b2", "b3"] == [entry.id for entry, _ in tried_next(league)]
    league = note_state(league, "b1@1", "checking", "", "", 5.0)
    assert ["b1", "b2"] == [entry.id for entry, _ in tried_next(league)]


def test_going_back() -> None:
    """To what has played and did not fail."""
    league = playing(a_league(), "aa", "bb")
    now = BACK_S + 4.0
    back = roll_back(league, "b1", 1, now)
    assert ["playing", "replaced"] == states(back)
    assert "conflict" == refused(roll_back, back, "b1", 1, now)[0]
    failed = note_state(back, "b1@1", "failed", "it crashed 20 times", "", now)
    assert ["failed", "replaced"] == states(failed)
    assert "conflict" == refused(roll_back, failed, "b1", 1, now)[0]
    assert ["failed", "playing"] == states(roll_back(failed, "b1", 2, now))
    waiting = handed(a_league(), "aa")
    assert "conflict" == refused(roll_back, waiting, "b1", 1, 7.0)[0]
    assert "not_found" == refused(roll_back, waiting, "b1", 2, 7.0)[0]


def test_nobody_leaves_and_comes_back_whenever_it_is_losing() -> None:
    """Open series are void then: a version is out of play for a while, whichever way it left."""
    league = roll_back(playing(a_league(), "aa", "bb"), "b1", 1, BACK_S + 4.0)
    assert "too_many" == refused(roll_back, league, "b1", 2, BACK_S + 5.0)[0]
    assert ["replaced", "playing"] == states(roll_back(league, "b1", 2, BACK_S + 5.0, is_host=True))
    assert ["replaced", "playing"] == states(roll_back(league, "b1", 2, 2 * BACK_S + 4.0))
    left = withdraw_entry(league, "b1", BACK_S + 5.0)
    assert "too_many" == refused(roll_back, left, "b1", 1, 2 * BACK_S)[0]
    assert ["playing", "replaced"] == states(roll_back(left, "b1", 1, 2 * BACK_S + 5.0))


@pytest.mark.parametrize("name", ["o3", "B17", "b17@2", "О3", "ｂ1"])
def test_nobody_is_called_as_an_id(name: str) -> None:
    """In any alphabet or width: results and logs name owners and bots by their ids."""
    kind, field, said = refused(join_league, a_league(), name, "code", "token", 2.0)
    assert ("bad_request", "name") == (kind, field)
    assert "id" in said
    join_league(a_league(), f"{name}x", "code", "token", 2.0)


# What hosts do


def test_who_is_banned_is_out() -> None:
    league = ban_owner(playing(a_league(), "aa"), "o1", "eva", "rude", 4.0)
    assert ["excluded"] == states(league)
    kind, _, said = refused(hand_in, league, "o1", "", "bb", 5.0)
    assert ("forbidden", True) == (kind, "rude" in said)
    assert "forbidden" == refused(roll_back, league, "b1", 1, 5.0)[0]
    assert "forbidden" == refused(retry, league, "b1", 1, "eva", 5.0)[0]


def test_one_version_is_thrown_out() -> None:
    """The one that plays goes on."""
    league = exclude(handed(playing(a_league(), "aa"), "bb"), "b1", 2, "eva", "copied", 4.0)
    assert ["playing", "excluded"] == states(league)
    assert "conflict" == refused(exclude, league, "b1", 2, "eva", "again", 5.0)[0]


def test_who_is_readmitted_comes_back_as_it_was() -> None:
    """What played plays, what waited is tried, and a version that was thrown out before stays out."""
    league = exclude(handed(playing(a_league(), "aa"), "bb"), "b1", 2, "eva", "copied", 4.0)
    league = exclude(handed(league, "cc"), "b1", None, "eva", "for a while", 5.0)
    assert ["excluded", "excluded", "excluded"] == states(league)
    league = readmit(league, "b1", "eva", 6.0)
    assert ["playing", "excluded", "waiting"] == states(league)
    waiting = exclude(handed(a_league(), "aa"), "b1", None, "eva", "for a while", 4.0)
    assert ["waiting"] == states(readmit(waiting, "b1", "eva", 5.0))


def test_a_version_is_tried_again_unless_another_would_be_lost_for_it() -> None:
    league = note_state(handed(a_league(), "aa"), "b1@1", "refused", "", "", 3.0)
    league = note_state(handed(league, "bb"), "b1@2", "refused", "", "", 4.0)
    again = retry(league, "b1", 1, "eva", 5.0)
    assert ["waiting", "refused"] == states(again)
    assert "conflict" == refused(retry, again, "b1", 2, "eva", 5.0)[0]
    newer = note_state(league, "b1@2", "waiting", "", "", 5.0)
    assert newer is league, "the process cannot bring back what is out"


@pytest.mark.parametrize(
    ("changes", "kind", "field"),
    [
        ({"rules": {}}, "conflict", "rules"),
        ({"nosuch": 1}, "bad_request", "nosuch"),
        ({"join": "everybody"}, "bad_request", "join"),
        ({"entries_per_owner": 0}, "bad_request", "entries_per_owner"),
        ({"entries_per_owner": True}, "bad_request", "entries_per_owner"),
        ({"approve_names": 1}, "bad_request", "approve_names"),
        ({"build_s": float("nan")}, "bad_request", "build_s"),
    ],
)
def test_settings_that_cannot_be(changes: dict[str, Any], kind: Kind, field: str) -> None:
    assert (kind, field) == refused(change_settings, a_league(), "eva", changes, 1.0)[:2]


@pytest.mark.parametrize("name", ["", "Class", "a b", "-a", "a-", "a" * 41, "ä", "a/b", ".", "b_c"])
def test_names_that_no_league_can_have(name: str) -> None:
    assert ("bad_request", "name") == refused(new_league, LeagueSettings(name, "game"), "eva", 0.0)[:2]


def test_forgetting_leaves_ids_alone() -> None:
    """Nothing that says who it was, in anything that is kept; what others handed in too stays."""
    rows = [RosterRow("Ada Lovelace", "red", "1815"), RosterRow("Mary", "red", "1816")]
    league = add_roster(a_league(), "eva", rows, ["h1", "h2"], 1.0)
    league, _ = join_league(league, "Analyst", "h1", "token", 1.0)
    league = note_state(handed(league, "aa", "o3"), "b1@1", "refused", "Lovelace.py: line 1", "", 2.0)
    league = handed(handed(league, "bb", "o3"), "bb", "o1")
    after, gone = forget_owner(league, "o3", "eva", 9.0)
    kept = repr(attrs.asdict(after))
    for word in ("Lovelace", "1815", "1816", "Mary", "Analyst", "red'", "token'"):
        assert word not in kept, word
    assert {"aa"} == gone
    assert ("b1", ["refused", "withdrawn"]) == (after.entry("b1").shown_name, states(after))
    assert "not_found" == refused(forget_owner, after, "o3", "eva", 9.0)[0]
    assert after.owners["o3"].forgotten_at == 9.0


@pytest.mark.parametrize("message", ["", " ", "a\nb", "a" * 501])
def test_messages_that_cannot_be(message: str) -> None:
    assert ("bad_request", "message") == refused(tell_all, a_league(), "eva", message, 1.0)[:2]


def test_a_hand_in_is_called_as_results_call_it() -> None:
    league, found = hand_in(a_league(), "o1", "", "aa", 1.0)
    assert "b1@1" == found.id
    assert isinstance(found, HandedIn)
    assert (found.entry.id, 1) == tuple(
        attrs.astuple(each, recurse=False)[0] for each in league.find_version("b1@1") or ()
    )
    for wrong in ("b1", "b1@2", "b1@0", "b2@1", "b1@x", "@", "b1@1@1", "b1@" + "9" * 5000):
        assert league.find_version(wrong) is None


# Rosters


@pytest.mark.parametrize(
    ("rule", "text", "rows"),
    [
        ("the three columns", "name,team,id\nAda,red,1\n", [RosterRow("Ada", "red", "1")]),
        ("a byte order mark, semicolons, CRLF", "\ufeffName;Id\r\nAda;1\r\n", [RosterRow("Ada", "", "1")]),
        ("tabs, in any order, empty lines", "id\tname\n\n1\tAda\n\t\n", [RosterRow("Ada", "", "1")]),
        ("quotes", 'name\n"Lovelace, Ada"\n', [RosterRow("Lovelace, Ada")]),
        ("cells that are missing", "name,team,id\nAda\n", [RosterRow("Ada")]),
        (
            "two of one name with an id each",
            "name,id\nAda,1\nAda,2",
            [RosterRow("Ada", "", "1"), RosterRow("Ada", "", "2")],
        ),
    ],
)
def test_rosters(rule: str, text: str, rows: list[RosterRow]) -> None:
    assert rows == read_roster(text), rule


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "first line"),
        ("Ada,red,1\n", "first line"),
        ("name,mail\nAda,a@b\n", "mail"),
        ("name,name\nAda,Ada\n", "twice"),
        ("name\n", "nobody"),
        ("name,team\nAda,red,1\n", "line 2"),
        ("name,team\n,red\n", "line 2"),
        ("name\n" + "a" * 101, "line 2"),
        ("name\nA\x1b[2J\n", "line 2"),
        ("name,id\nAda,1\nBo,2\nEve,1\n", "lines 2 and 4"),
        ("name\nAda\nAda\n", "lines 2 and 3"),
        ("name\n" + "".join(f"n{number}\n" for number in range(1001)), "1,000"),
        ('name\n"Ada', "cannot be read"),
    ],
)
def test_rosters_that_are_refused(text: str, told: str) -> None:
    kind, field, said = refused(read_roster, text)
    assert ("bad_request", "roster", True) == (kind, field, told in said), said


def test_a_table_for_a_spreadsheet_computes_nothing() -> None:
    written = roster_text(("name", "id"), [("=1+1", 'a "b"'), ("Lovelace, Ada", -1)])
    assert 'name,id\n\'=1+1,"a ""b"""\n"Lovelace, Ada",\'-1\n' == written


# Room on the disk.


def test_what_never_played_makes_room_the_oldest_first() -> None:
    """What plays, has played or is to be tried keeps its files; the owner of the others is told."""
    mb = 1 << 20
    league = a_league(owner_mb=10)
    league = note_state(hand_in(league, "o1", "", "played", 2.0, 4 * mb)[0], "b1@1", "playing", "", "", 2.5)
    for number, hash in enumerate(("old", "newer", "newest"), 3):
        league = hand_in(league, "o1", "", hash, float(number), 2 * mb)[0]
    assert ["played", "old", "newer", "newest"] == [each.hash for each in league.entry("b1").versions]
    league = hand_in(league, "o1", "", "large", 9.0, 3 * mb)[0]
    assert ["played", LOST, LOST, "newest", "large"] == [each.hash for each in league.entry("b1").versions]
    assert MADE_ROOM in league.entry("b1").versions[1].reason
    assert frozenset(("played", "newest", "large")) == hashes_handed_in(league)
    kind, _, said = refused(hand_in, league, "o1", "", "too large", 10.0, 7 * mb)
    assert ("too_many", True) == (kind, "`owner_mb`" in said)
    assert hand_in(league, "o1", "", "old", 10.0, mb)[1].is_new
    assert hand_in(league, "o2", "", "Bob's", 10.0, 10 * mb)[1].is_new


def test_a_bot_that_connects_has_no_files_to_lose():
    """It is neither among what was handed in, nor lost where a league is played on elsewhere."""
    league = handed(a_league(), "h1")
    league, connected = connect_bot(league, "o2", "", 3.0)
    assert {"h1"} == hashes_handed_in(league)
    left, gone = without_lost(league, frozenset(), 4.0)
    assert ["b1@1"] == gone
    assert connected.version == left.entry(connected.entry.id).versions[-1]
