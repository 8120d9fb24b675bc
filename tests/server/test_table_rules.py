"""The rules of a table, without a server: who may join, start, change, leave, speak."""

from __future__ import annotations

from random import Random

import attrs
import pytest

from arena.refusal import Refusal
from arena.server.limits import CHAT_AT_ONCE
from arena.server.tables import rules as tables
from arena.server.tables.table import After, Began, Closed, Ended, HostSet, Member, Published, Table


def a_table(**changes: object) -> Table:
    table = Table("t", "some-game", {}, (2, 4), 30.0, 0.0, frozenset({"pass"}))
    return attrs.evolve(table, **changes)  # type: ignore[arg-type]


def person(name: str, **changes: object) -> Member:
    return attrs.evolve(Member(f"id-{name}", name, "person", 0.0, f"key-{name}"), **changes)  # type: ignore[arg-type]


def seated(*names: str) -> Table:
    table = a_table()
    for name in names:
        table, _ = tables.join(table, person(name))
    return table


def kinds(after: After) -> list[str]:
    return [type(notice).__name__ for notice in after[1]]


def test_the_first_with_a_seat_is_host() -> None:
    """Until then who watches is: such a one can have bots play each other."""
    watched, _ = tables.join(a_table(), person("sue", is_spectator=True))
    assert watched.host == "id-sue"
    joined, notices = tables.join(watched, person("ann"))
    assert joined.host == "id-ann"
    assert [type(notice) for notice in notices][1:] == [HostSet]
    assert tables.join(joined, person("bob"))[0].host == "id-ann"


@pytest.mark.parametrize(
    ("nickname", "words"),
    [
        ("", "1 to 24 printable"),
        ("a" * 25, "1 to 24 printable"),
        (" ann", "without spaces at its ends"),
        ("an\nn", "printable"),
        ("an\u202en", "printable"),
        ("pass", "a word of the game"),
        ("ann", "is taken"),
        ("Ann", "looks like"),
        ("аnn", "looks like"),
    ],
)
def test_a_nickname_that_cannot_be_had(nickname: str, words: str) -> None:
    with pytest.raises(Refusal, match=words) as refused:
        tables.join(seated("ann"), person("x", nickname=nickname))
    assert refused.value.field == "nickname"


def test_a_full_table_and_a_running_match_take_spectators_only() -> None:
    full = seated("ann", "bob", "cid", "dora")
    with pytest.raises(Refusal, match="all 4 seats are taken"):
        tables.join(full, person("eve"))
    playing, _ = tables.begin(full, "id-ann", Random(1), 1.0)
    with pytest.raises(Refusal, match="play has begun"):
        tables.join(playing, person("eve"))
    assert tables.join(playing, person("eve"), or_watch=True)[0].members[-1].is_spectator
    over, _ = tables.finish(tables.begin(seated("ann", "bob"), "id-ann", Random(1), 1.0)[0], 2.0)
    assert not tables.join(over, person("eve"), or_watch=True)[0].members[-1].is_spectator
    assert tables.join(playing, person("eve", is_spectator=True))[0].members[-1].is_spectator


def test_only_the_host_starts_from_two_players_on() -> None:
    with pytest.raises(Refusal, match="needs 2 players, and 1 is seated"):
        tables.begin(seated("ann"), "id-ann", Random(1), 1.0)
    two = seated("ann", "bob")
    with pytest.raises(Refusal, match="only ann, the host, can start") as refused:
        tables.begin(two, "id-bob", Random(1), 1.0)
    assert refused.value.kind == "forbidden"
    public, _ = tables.make_public(two, "id-ann", True, 1.0)
    begun, notices = tables.begin(public, "id-ann", Random(1), 1.0)
    assert not begun.is_public
    assert notices == (Published(False), Began())
    with pytest.raises(Refusal, match="a match is being played"):
        tables.begin(begun, "id-ann", Random(1), 1.0)


def test_seats_are_shuffled_by_the_draw() -> None:
    four = seated("ann", "bob", "cid", "dora")
    orders = {tables.begin(four, "id-ann", Random(seed), 1.0)[0].names for seed in range(200)}
    assert len(orders) == 24, "all orders of four come up (by chance, one is missing with probability 0.005)"
    assert tables.begin(four, "id-ann", Random(5), 1.0) == tables.begin(four, "id-ann", Random(5), 1.0)


def test_all_ready_begin_without_the_host() -> None:
    table = seated("ann", "bob")
    table, _ = tables.join(table, Member("id-odds", "odds", "house", 0.0, bot="odds"))
    table, _ = tables.ready(table, "id-ann", Random(1), 1.0)
    assert table.status == "waiting"
    after = tables.ready(table, "id-bob", Random(1), 1.0)
    assert after[0].status == "playing"
    assert kinds(after) == ["GotReady", "Began"]
    assert not any(member.is_ready for member in after[0].members), "for the next match they say it again"


def test_the_next_one_is_host_when_the_host_leaves() -> None:
    table = seated("ann", "bob", "cid")
    left, notices = tables.leave(table, "id-ann", 1.0)
    assert left.host == "id-bob"
    assert notices[1] == HostSet(left.member("id-bob"))
    given, _ = tables.hand_over(table, "id-ann", "id-cid", 1.0)
    assert given.host == "id-cid"
    with pytest.raises(Refusal, match="only cid, the host"):
        tables.hand_over(given, "id-ann", "id-ann", 1.0)


def test_a_seat_left_in_a_match_stays_to_its_end() -> None:
    playing, _ = tables.begin(seated("ann", "bob", "cid"), "id-ann", Random(1), 1.0)
    left, _ = tables.leave(playing, "id-ann", 2.0)
    assert left.member("id-ann").has_left
    assert left.host == "id-bob"
    over, notices = tables.finish(left, 3.0)
    assert [member.nickname for member in over.members] == ["bob", "cid"]
    assert notices == (Ended(),)
    again, _ = tables.rematch(over, "id-bob", Random(2), 4.0)
    assert set(again.names) == {"bob", "cid"}
    assert again.matches == 2


def test_a_table_closes_with_its_last_person() -> None:
    table, _ = tables.join(seated("ann"), Member("id-odds", "odds", "house", 0.0, bot="odds"))
    closed, notices = tables.leave(table, "id-ann", 1.0)
    assert closed.is_closed
    assert closed.members == ()
    assert notices[-1] == Closed("everybody has left")


def test_chat_is_bounded_in_rate_and_number() -> None:
    table = seated("ann", "bob")
    for _ in range(CHAT_AT_ONCE):
        table, _ = tables.speak(table, "id-ann", "hello", 10.0)
    with pytest.raises(Refusal) as refused:
        tables.speak(table, "id-ann", "hello", 10.0)
    assert (refused.value.kind, refused.value.key, refused.value.seconds) == ("too_many", "chat", 2.0)
    assert tables.speak(table, "id-bob", "hello", 10.0)[0].chat[-1].nickname == "bob"
    assert tables.speak(table, "id-ann", " hello ", 12.0)[0].chat[-1].message == "hello"
    for text in ("", "   ", "a\nb", "x" * 501):
        with pytest.raises(Refusal, match="1 to 500 printable"):
            tables.speak(table, "id-ann", text, 100.0)


def test_what_is_refused_changes_nothing() -> None:
    table = seated("ann", "bob")
    for act in (
        lambda: tables.rematch(table, "id-ann", Random(1), 1.0),
        lambda: tables.leave(table, "id-nobody", 1.0),
        lambda: tables.ready(table, "id-nobody", Random(1), 1.0),
        lambda: tables.make_public(table, "id-bob", True, 1.0),
        lambda: tables.give_seat(table, "id-bob", person("x")),
        lambda: tables.hand_over(table, "id-ann", "id-nobody", 1.0),
    ):
        with pytest.raises(Refusal):
            act()
    assert table == seated("ann", "bob")


def test_the_last_one_who_was_not_ready_leaves() -> None:
    table = seated("ann", "bob", "cid")
    for name in ("ann", "bob"):
        table, _ = tables.ready(table, f"id-{name}", Random(1), 1.0)
    begun, notices = tables.leave(table, "id-cid", 2.0, Random(1))
    assert begun.status == "playing"
    assert Began() in notices


def test_after_a_match_newcomers_have_a_seat_again() -> None:
    """As in the lobby of Chamber's document; the rematch is played with everybody who is seated then."""
    playing, _ = tables.begin(seated("ann", "bob"), "id-ann", Random(1), 1.0)
    over, _ = tables.finish(playing, 2.0)
    joined, _ = tables.join(over, person("cid"), or_watch=True)
    assert not joined.member("id-cid").is_spectator
    assert set(tables.rematch(joined, "id-ann", Random(2), 3.0)[0].names) == {"ann", "bob", "cid"}
