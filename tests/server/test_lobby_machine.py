"""Anything that people may do at a table, in any order: what always holds, and what nobody may do."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import attrs
import pytest
from daily import nightly
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from arena.refusal import Refusal
from arena.server.limits import ABSENT_S, CHAT_AT_ONCE, CHAT_KEPT, IDLE_ASLEEP_S
from arena.server.tables import absence
from arena.server.tables import rules as tables
from arena.server.tables.table import (
    After,
    Began,
    Came,
    Closed,
    Ended,
    FellAsleep,
    HostSet,
    Member,
    Notice,
    Published,
    Spoke,
    Table,
    Went,
    Woke,
)

LEAST, MOST = 2, 3
NAMES = ("ann", "bob", "cid", "dora", "eve", "pass", "Ann", "")
WHO = st.integers(0, 5)
"""Somebody at the table, by place; beyond its end, somebody who has left, or never came."""


class Lobby(RuleBasedStateMachine):
    """One table, and all that ever joined it."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(
            "t",
            "some-game",
            {},
            (LEAST, MOST),
            30.0,
            0.0,
            frozenset({"pass"}),
            is_clock_chosen=False,
        )
        self.now = 0.0
        self.came = 0
        self.has_had_people = False

    def who(self, place: int) -> str:
        members = self.table.members
        return members[place].player_id if place < len(members) else f"id {place}"

    def do(self, act: Callable[..., After], *args: Any, **more: Any) -> tuple[Notice, ...] | None:
        """What is told; None: it is refused, and nothing has changed."""
        before = self.table
        copy = repr(before)
        try:
            after, notices = act(before, *args, **more)
        except Refusal:
            after, notices = before, None
        assert repr(before) == copy
        self.table = after
        if notices is None:
            return None
        self.check_told(before, notices)
        return notices

    def check_told(self, before: Table, notices: tuple[Notice, ...]) -> None:
        """Each change is told, and nothing else."""
        after = self.table
        hosts = [each for each in notices if isinstance(each, HostSet)]
        if not after.is_closed:
            assert (before.host != after.host) == bool(hosts)
            assert before.is_public != after.is_public or Published not in map(type, notices)
        assert [each.is_public for each in notices if isinstance(each, Published)] in (
            [],
            [not before.is_public],
        )
        kinds = [type(each) for each in notices]
        assert (Began in kinds) == (after.matches == before.matches + 1)
        assert after.matches - before.matches in (0, 1)
        assert (Ended in kinds) == (before.is_playing and not after.is_playing)
        assert (Closed in kinds) == (after.is_closed and not before.is_closed)
        assert (Spoke in kinds) == (before.chat != after.chat)
        assert (FellAsleep in kinds) == (after.is_asleep and not before.is_asleep)
        assert (Woke in kinds) == (before.is_asleep and after.is_playing and not after.is_asleep)
        if not after.is_closed:
            ids = {each.player_id for each in after.members}, {each.player_id for each in before.members}
            assert (Came in kinds) == bool(ids[0] - ids[1])
            assert not ids[1] - ids[0] or Went in kinds or Ended in kinds

    @initialize(count=st.integers(0, MOST))
    def begin_with_people(self, count: int) -> None:
        """Few examples would have a match otherwise."""
        for name in NAMES[:count]:
            self.join(name, False, False)

    @precondition(lambda self: not self.table.is_closed)
    @rule(name=st.sampled_from(NAMES), spectate=st.booleans(), or_watch=st.booleans())
    def join(self, name: str, spectate: bool, or_watch: bool) -> None:
        self.came += 1
        newcomer = Member(f"m{self.came}", name, "person", self.now, "", is_spectator=spectate)
        told = self.do(tables.join, newcomer, or_watch=or_watch)
        if told is not None:
            self.has_had_people = True
            assert name not in ("pass", "")

    @rule(place=WHO, luck=st.none() | st.integers(0, 3))
    def leave(self, place: int, luck: int | None) -> None:
        who = self.who(place)
        told = self.do(tables.leave, who, self.now, None if luck is None else Random(luck))
        assert (told is None) == (
            who not in {each.member.player_id for each in told or () if isinstance(each, Went)}
        )

    @rule(place=WHO, bot=st.sampled_from(["odds", "bluffer"]))
    def give_seat(self, place: int, bot: str) -> None:
        self.came += 1
        self.by_host(place, tables.give_seat, Member(f"m{self.came}", bot, "house", self.now, bot=bot))

    @rule(place=WHO, to=WHO)
    def hand_over(self, place: int, to: int) -> None:
        self.by_host(place, tables.hand_over, self.who(to), self.now)

    @rule(place=WHO, is_public=st.booleans())
    def make_public(self, place: int, is_public: bool) -> None:
        self.by_host(place, tables.make_public, is_public, self.now)

    @rule(place=WHO)
    def begin(self, place: int) -> None:
        was = self.table.status
        if self.by_host(place, tables.begin, Random(place), self.now) is not None:
            assert was == "waiting"

    @rule(place=WHO)
    def rematch(self, place: int) -> None:
        was = self.table.status
        if self.by_host(place, tables.rematch, Random(place), self.now) is not None:
            assert was == "finished"

    def by_host(self, place: int, act: Callable[..., After], *args: Any) -> tuple[Notice, ...] | None:
        """What only the host may do."""
        who, host = self.who(place), self.table.host
        told = self.do(act, who, *args)
        assert told is None or who == host
        return told

    @rule(place=WHO)
    def ready(self, place: int) -> None:
        before = self.table
        told = self.do(tables.ready, self.who(place), Random(place), self.now)
        if told is not None and Began in map(type, told):
            others = [each for each in before.players if each.way != "house"]
            assert all(each.is_ready or each.player_id == self.who_was(before, place) for each in others)

    def who_was(self, table: Table, place: int) -> str:
        return table.members[place].player_id

    @precondition(lambda self: self.table.is_playing)
    @rule()
    def finish(self) -> None:
        self.do(tables.finish, self.now)

    @precondition(lambda self: self.table.is_playing)
    @rule(broken=st.sets(WHO))
    def break_off(self, broken: set[int]) -> None:
        """A bot could not be started: it goes, everybody is told why, and another match can begin."""
        bots = {each.player_id for each in self.table.members if each.way == "house"}
        gone = bots & {self.who(place) for place in broken}
        self.do(tables.break_off, "it is broken", self.now, frozenset(gone))
        if not self.table.is_closed:
            assert (self.table.status, self.table.chat[-1].message) == ("waiting", "it is broken")
            assert not gone & {each.player_id for each in self.table.members}

    @rule(place=WHO, text=st.sampled_from(["hi", "<b>", "", "a\nb", "x" * 501]))
    def speak(self, place: int, text: str) -> None:
        told = self.do(tables.speak, self.who(place), text, self.now)
        assert told is None or text in ("hi", "<b>")

    @rule(place=WHO)
    def flood(self, place: int) -> None:
        """However much is said at once, no more than the limit is heard."""
        heard = [self.do(tables.speak, self.who(place), "hi", self.now) for _ in range(CHAT_AT_ONCE + 1)]
        assert None in heard

    @rule(seconds=st.sampled_from([0.1, 3.0, 60.0, ABSENT_S]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(place=WHO)
    def see(self, place: int) -> None:
        """Whoever plays alone against bots wakes the match that sleeps, and nobody else does."""
        before, who = self.table, self.who(place)
        told = self.do(absence.note_seen, who, self.now)
        if told is not None and before.is_asleep:
            person = absence.only_person(before)
            assert (Woke in map(type, told)) == (person is not None and person.player_id == who)

    @rule()
    def fall_asleep(self) -> None:
        before = self.table
        told = self.do(absence.fall_asleep, self.now)
        person = absence.only_person(before)
        is_due = before.is_playing and not before.is_closed and not before.is_asleep and person is not None
        is_due = is_due and self.now - person.seen_at >= ABSENT_S if person is not None else False
        assert (told == (FellAsleep(),)) == is_due

    # What always holds.

    @invariant()
    def one_is_host_if_somebody_can_be(self) -> None:
        can_be = [each.player_id for each in self.table.players if each.way != "house" and not each.has_left]
        can_be = can_be or [each.player_id for each in self.table.spectators]
        assert (self.table.host in can_be) if can_be else (self.table.host is None)

    @invariant()
    def names_and_ids_are_unique(self) -> None:
        members = self.table.members
        assert len({each.nickname.casefold() for each in members}) == len(members)
        assert len({each.player_id for each in members}) == len(members)

    @invariant()
    def no_more_sit_than_can_play(self) -> None:
        assert len(self.table.players) <= MOST

    @invariant()
    def a_match_has_its_people(self) -> None:
        table = self.table
        if table.is_closed:
            return
        here = {each.player_id for each in table.members}
        if table.is_playing:
            assert set(table.seating) <= here, "who leaves is here to the end"
            assert LEAST <= len(table.seating) == len(set(table.seating)) <= MOST
            assert not table.is_public
            assert not any(each.is_ready for each in table.members)
        else:
            assert not any(each.has_left for each in table.members)

    @invariant()
    def it_is_closed_once_all_people_have_gone(self) -> None:
        has_people = any(each.way != "house" and not each.has_left for each in self.table.members)
        assert self.table.is_closed == (self.has_had_people and not has_people)
        assert not (self.table.is_closed and self.table.members)

    @invariant()
    def only_a_match_of_one_person_sleeps(self) -> None:
        table = self.table
        if table.is_asleep and not table.is_closed:
            assert table.is_playing
            awake = [each for each in table.players if each.way != "house" and not each.has_left]
            assert 1 == len(awake)
            assert absence.idle_s(table, self.now) > IDLE_ASLEEP_S - 40 * ABSENT_S, "it is kept for a week"

    @invariant()
    def there_is_no_limit_against_bots_alone(self) -> None:
        people = [each for each in self.table.players if each.way != "house" and not each.has_left]
        is_alone = len(people) == 1 and len(self.table.players) > 1
        assert absence.limit_s(self.table) == (None if is_alone else 30.0)

    @invariant()
    def the_chat_is_bounded_and_numbered(self) -> None:
        numbers = [line.number for line in self.table.chat]
        assert len(numbers) <= CHAT_KEPT
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True


@pytest.mark.slow
@pytest.mark.parametrize("examples", [30, *nightly(100)])
def test_a_lobby_in_which_anything_is_tried(examples: int) -> None:
    run_state_machine_as_test(Lobby, settings=settings(max_examples=examples, stateful_step_count=40))


def test_a_table_is_closed_once() -> None:
    """One that was closed while a match was played is not closed again when the match is over."""
    lobby = Lobby()
    lobby.begin_with_people(count=2)
    shut, _ = tables.close(attrs.evolve(lobby.table, status="playing"), "the server ends")
    over, notices = tables.finish(shut, 0.0)
    assert (True, [Ended]) == (over.is_closed, [type(each) for each in notices])
