"""Whatever people, hosts and the playing process do to a league, in any order: its promises hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league import entering, joining, moderation, naming
from arena.league.league import LIVE, MAY_BECOME, QUEUED, VERSION_STATES, League, LeagueSettings
from arena.league.settings import change_settings, new_league
from arena.refusal import STATUS, Refusal
from arena.wire.names import looks_like

NAMES = ("Ann", "ann", "Аnn", "Bob", "BOB", "Eve", "dicer", "DICER", " x", "a\u200bb", "", "n" * 25)
STEPS = 120
DAY_S = 86_400.0
CHANGES: tuple[dict[str, Any], ...] = (
    {"entries_per_owner": 2},
    {"join": "closed"},
    {"join": "code"},
    {"game": "other"},
    {"hand_ins_per_day": 0},
    {"nosuch": 1},
    {},
)


class LeagueWalk:
    """A league to which a random walk does things; `counts`: how often each was done, or refused."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.now = 1000.0
        self.tokens = 0
        settings = LeagueSettings(
            "class",
            "game",
            entries_per_owner=rng.randint(1, 2),
            hand_ins_per_day=rng.choice([2, 6, 20]),
            approve_names=rng.random() < 0.5,
        )
        self.league = joining.set_join_code(new_league(settings, "eva", 0.0), "eva", "code", 0.0)
        self.counts: Counter[tuple[str, bool]] = Counter()

    def do(self, act: Callable[..., Any], *words: Any, **more: Any) -> Any:
        """Does something.  A refusal says why; what is not refused moves versions only as they may."""
        before = self.league
        try:
            found = act(before, *words, **more)
        except Refusal as refused:
            self.counts[act.__name__, False] += 1
            check_refusal(refused)
            return None
        self.league = found[0] if isinstance(found, tuple) else found
        self.counts[act.__name__, True] += self.league is not before
        assert (self.league.version > before.version) == (self.league is not before)
        check_moves(before, self.league)
        check_league(self.league)
        return found

    def step(self) -> None:
        """One of the things that can happen, the usual ones more often."""
        acts = {
            self.time_goes_by: 4,
            self.join: 4,
            self.hand_in: 16,
            self.report: 12,
            self.report_something: 3,
            self.bring_back: 6,
            self.withdraw: 2,
            self.exclude: 2,
            self.readmit: 3,
            self.ban: 0.3,
            self.lift_ban: 3,
            self.rename: 3,
            self.decide_name: 1,
            self.forget: 0.2,
            self.add_person: 1,
            self.revoke: 0.5,
            self.set_settings: 1,
            self.pause: 1,
        }
        (act,) = self.rng.choices(list(acts), list(acts.values()))
        act()

    def owner(self) -> str:
        return self.rng.choice([*self.league.owners, *self.league.owners, "o99", "b1", ""])

    def bot(self) -> str:
        return self.rng.choice([*self.league.entries, *self.league.entries, "b99", "o1"])

    def number(self, bot: str) -> int:
        there = len(self.league.entries[bot].versions) if bot in self.league.entries else 0
        return self.rng.choice([*range(1, there + 1), there, 9, 0])

    def time_goes_by(self) -> None:
        """Or the clock is set back."""
        self.now = max(0.0, self.now + DAY_S * self.rng.choice([0.0, 0.001, 0.5, 1.1, -0.5]))

    def join(self) -> None:
        self.tokens += 1
        code = self.rng.choice(["code", "code", "code", "nosuch", None])
        self.do(joining.join_league, self.rng.choice(NAMES), code, f"token {self.tokens}", self.now)

    def hand_in(self) -> None:
        owner = self.owner()
        if owner not in self.league.owners or self.league.owners[owner].forgotten_at is not None:
            return  # nobody has a token of it
        playing = {entry.id: entry.playing for entry in self.league.entries.values()}
        name, hash = self.rng.choice(("", "", "", *NAMES)), self.rng.choice("abcdef")
        found = self.do(entering.hand_in, owner, name, hash, self.now)
        if found is not None:
            handed = found[1]
            assert hash == handed.version.hash
            assert "waiting" == handed.version.state or not handed.is_new
            assert playing.get(handed.entry.id) == self.league.entry(handed.entry.id).playing

    def report(self) -> None:
        """What a process says that tries what it is given, and plays."""
        field = [*entering.tried_next(self.league), *self.league.playing()]
        if field:
            entry, version = self.rng.choice(field)
            states = (
                ("failed",)
                if version.state == "playing"
                else ("playing", "playing", "refused", "building", "checking")
            )
            self._report(entry.of(version), self.rng.choice(states))

    def report_something(self) -> None:
        """What is late, or makes no sense."""
        bot = self.bot()
        self._report(f"{bot}@{self.number(bot)}", self.rng.choice(VERSION_STATES))

    def _report(self, id: str, state: Any) -> None:
        before = [(entry.id, version) for entry, version in self.league.playing()]
        self.do(entering.note_state, id, state, "why", "", self.now)
        for bot, version in before:
            if self.league.entries[bot].playing is None:
                assert f"{bot}@{version.number}" == id, "only a report about it ends play"
                assert state in ("failed", "refused"), "nothing else ends play"
                assert "failed" == self.league.entry(bot).version(version.number).state

    def bring_back(self) -> None:
        out = [
            (entry.id, version.number)
            for entry in self.league.entries.values()
            for version in entry.versions
            if version.state not in LIVE
        ]
        other = self.bot()
        bot, number = self.rng.choice([*out, *out, (other, self.number(other))])
        if self.rng.random() < 0.5:
            self.do(moderation.retry, bot, number, "eva", self.now)
        elif self.do(entering.roll_back, bot, number, self.now) is not None:
            version = self.league.entry(bot).version(number)
            assert "playing" == version.state
            assert version.played_at is not None

    def withdraw(self) -> None:
        bot = self.bot()
        if self.do(entering.withdraw_entry, bot, self.now) is not None:
            assert LIVE.isdisjoint(each.state for each in self.league.entry(bot).versions)

    def exclude(self) -> None:
        bot = self.bot()
        number = None if self.rng.random() < 0.3 else self.number(bot)
        self.do(moderation.exclude, bot, number, "eva", "why", self.now)

    def readmit(self) -> None:
        self.do(moderation.readmit, self.bot(), "eva", self.now)

    def ban(self) -> None:
        self.do(joining.ban_owner, self.owner(), "eva", "rude", self.now)

    def lift_ban(self) -> None:
        self.do(joining.lift_ban, self.owner(), "eva", self.now)

    def rename(self) -> None:
        by_host, name = self.rng.random() < 0.5, self.rng.choice(NAMES)
        if self.rng.random() < 0.5:
            self.do(naming.rename_entry, self.bot(), name, "eva", self.now, by_host=by_host)
        else:
            self.do(naming.rename_owner, self.owner(), name, "eva", self.now, by_host=by_host)

    def decide_name(self) -> None:
        id = self.rng.choice([self.bot(), self.owner()])
        self.do(naming.show_name, id, "eva", self.rng.random() < 0.5, self.now)

    def forget(self) -> None:
        owner = self.owner()
        found = self.do(joining.forget_owner, owner, "eva", self.now)
        if found is not None:
            stone = self.league.owners[owner]
            assert ("", (), "") == (stone.name, stone.persons, stone.team)
            assert all(not entry.name for entry in self.league.entries_of(owner))
            others = [entry for entry in self.league.entries.values() if entry.owner != owner]
            assert found[1].isdisjoint(version.hash for entry in others for version in entry.versions)

    def add_person(self) -> None:
        self.tokens += 1
        owner, code = self.owner(), f"code {self.tokens}"
        if self.do(joining.add_person_code, owner, "", code, self.now) is not None:
            words = ("", code, f"token {self.tokens}", self.now)
            found = self.do(joining.join_league, *words)
            assert found is None or owner == found[1].id
            assert self.do(joining.join_league, *words) is None, "it works once"

    def revoke(self) -> None:
        owner = self.owner()
        if self.do(joining.revoke_tokens, owner, "eva", self.now) is not None:
            assert () == self.league.owner(owner).persons

    def set_settings(self) -> None:
        self.do(change_settings, "eva", self.rng.choice(CHANGES), self.now)

    def pause(self) -> None:
        self.do(moderation.set_paused, "eva", self.rng.random() < 0.5, self.now)


def check_refusal(refusal: Refusal) -> None:
    """It is a sentence with a kind, and names its limit if it is one."""
    assert refusal.kind in STATUS
    assert refusal.kind != "too_many" or refusal.key
    assert str(refusal)
    assert not str(refusal).endswith(".")


def check_moves(before: League, after: League) -> None:
    """No version went where it cannot go, and nothing of one but its state changed."""
    for id, entry in before.entries.items():
        versions = after.entries[id].versions
        assert len(versions) >= len(entry.versions)
        for old, new in zip(entry.versions, versions, strict=False):
            assert (old.number, old.hash, old.received_at) == (new.number, new.hash, new.received_at)
            assert old.state == new.state or new.state in MAY_BECOME[old.state]


def check_league(league: League) -> None:
    """What is true of every league."""
    for entry in league.entries.values():
        states = Counter(version.state for version in entry.versions)
        assert states["playing"] <= 1
        assert sum(states[state] for state in QUEUED) <= 1
        assert [*range(1, len(entry.versions) + 1)] == [version.number for version in entry.versions]
        owner = league.owners[entry.owner]
        if entry.exclusion or owner.ban or owner.forgotten_at is not None:
            assert LIVE.isdisjoint(states)
    check_queue(league)
    check_names(league)
    assert [*range(1, len(league.log) + 1)] == [line.number for line in league.log]


def check_queue(league: League) -> None:
    """One of each owner who has something to be tried; who is being tried comes first."""
    queue = entering.tried_next(league)
    owners = [entry.owner for entry, _ in queue]
    assert len(set(owners)) == len(owners)
    assert set(owners) == {
        entry.owner
        for entry in league.entries.values()
        if any(each.state in QUEUED for each in entry.versions)
    }
    order = [(version.state == "waiting", version.received_at) for _, version in queue]
    assert order == sorted(order)
    assert (entering.next_to_try(league) is None) == (True not in [is_waiting for is_waiting, _ in order])


def check_names(league: League) -> None:
    """No two look alike, but a bot may be called as its owner."""
    owners = [each for each in league.owners.values() if each.name]
    bots = [each for each in league.entries.values() if each.name]
    for each in owners:
        assert not any(looks_like(each.name, other.name) for other in owners if other is not each)
    for bot in bots:
        assert not any(looks_like(bot.name, other.name) for other in bots if other is not bot)
        assert not any(looks_like(bot.name, owner.name) for owner in owners if owner.id != bot.owner)


@given(seed=st.integers(0, 2**32))
def test_the_promises_of_a_league_hold(seed: int) -> None:
    walk = LeagueWalk(Random(seed))
    for _ in range(STEPS):
        walk.step()


def test_the_walks_go_everywhere() -> None:
    """Each act is done and refused in some of them, and every state is reached: else they would prove nothing."""
    counts: Counter[tuple[str, bool]] = Counter()
    states = set()
    for seed in range(60):
        walk = LeagueWalk(Random(seed))
        for _ in range(STEPS):
            walk.step()
        counts += walk.counts
        states |= {version.state for entry in walk.league.entries.values() for version in entry.versions}
    acts = {name for name, _ in counts}
    assert set() == {name for name in acts if not counts[name, True]}
    assert {"note_state"} == {name for name in acts if not counts[name, False]}
    assert set(VERSION_STATES) == states


@pytest.mark.parametrize("wrong", ["two play", "two wait", "numbers"])
def test_what_must_not_be_is_seen(wrong: str) -> None:
    """A second version that plays or waits, as a careless rule would leave it."""
    walk = LeagueWalk(Random(1))
    walk.do(joining.join_league, "Ann", "code", "token", 1.0)
    walk.do(entering.hand_in, "o1", "", "a", 1.0)
    if wrong == "two play":
        walk.do(entering.note_state, "b1@1", "playing", "", "", 1.0)
    entry = walk.league.entry("b1")
    second = attrs.evolve(entry.versions[0], number=7 if wrong == "numbers" else 2)
    with pytest.raises(AssertionError):
        check_league(walk.league.with_entry(attrs.evolve(entry, versions=(*entry.versions, second))))
