"""The process of a league as the server keeps it: real bots, in their box, and `kill -9`."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import trio
from needs import needs

from arena.league.entering import hand_in
from arena.league.joining import join_league
from arena.league.league import LeagueSettings
from arena.league.settings import new_league
from arena.server.league import ladder_child
from arena.server.league.ladder_child import LadderChild
from arena.server.league.league_records import LeagueRecords
from arena.server.league.leagues import OpenLeague
from arena.store import Store
from tests.verify.folders import verified

pytestmark = pytest.mark.slow
GOOD = """
from arena.sdk import Bot, choose, run
class Chancy(Bot):
    def move(self, state, options):
        return choose(options, self.rng)
run(Chancy)
"""
BROKEN = "raise SystemExit('no way')"


@pytest.fixture(autouse=True)
def few_house_bots(monkeypatch):
    """One is enough to play against; and what takes seconds for people takes less here."""
    monkeypatch.setattr(ladder_child, "TERMS", {"check_s": 0.5, "rate_s": 0.1})
    whole = ladder_child.house_versions
    monkeypatch.setattr(
        ladder_child, "house_versions", lambda game: [one for one in whole(game) if one.id == "random"]
    )


@pytest.fixture
def live(tmp_path) -> OpenLeague:
    """A league with one owner, of one die each."""
    settings = LeagueSettings(name="class", game="liars-dice", rules={"dice": 1}, join="open")
    league, *_ = join_league(new_league(settings, "host", 1.0), "Ann", None, "0" * 64, 2.0)
    return OpenLeague(league, LeagueRecords(), tmp_path / "bots", now=lambda: 10.0)


def handed_in(live: OpenLeague, code: str, hash: str) -> str:
    """Hands in a bot of one file; returns how results call it."""
    folder = live.bots / hash
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(code)
    league, taken = hand_in(live.league, "o1", "", hash, 3.0)
    live.change(league)
    return taken.id


def state_of(live: OpenLeague, id: str) -> str:
    found = live.league.find_version(id)
    assert found is not None
    return found[1].state


async def until(live: OpenLeague, is_so) -> None:
    with trio.fail_after(60):
        while not is_so():
            await live.changed(live.league.version)


async def matches(live: OpenLeague, least: int) -> None:
    """Returns once so many are over."""
    with trio.fail_after(60):
        while live.standings is None or live.standings.matches < least:  # noqa: ASYNC110
            await trio.sleep(0.05)


def pids(folder: Path) -> list[int]:
    """The processes that hold a league's folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if b"arena.ladder" in (place / "cmdline").read_bytes() and str(folder) in str(
                [os.readlink(file) for file in (place / "fd").iterdir()]
            ):
                found.append(int(place.name))
        except OSError:
            continue
    return found


@needs("bubblewrap")
async def test_a_hand_in_is_checked_and_plays_and_survives_kill_9(live, tmp_path):
    """What fails displaces nobody; after a kill everything goes on, and no match is played twice."""
    folder = tmp_path / "leagues" / "class"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(LadderChild(live, tmp_path, lambda line: None).run)
        first = handed_in(live, GOOD, "a" * 64)
        await until(live, lambda: state_of(live, first) == "playing")
        await matches(live, 10)
        bad = handed_in(live, BROKEN, "b" * 64)
        await until(live, lambda: state_of(live, bad) == "refused")
        assert "no way" in live.league.find_version(bad)[1].reason
        assert state_of(live, first) == "playing"
        (pid,) = pids(folder)
        os.kill(pid, signal.SIGKILL)
        with trio.fail_after(30):
            while live.is_played:  # noqa: ASYNC110
                await trio.sleep(0.02)
        assert "SIGKILL" in live.trouble
        before = live.standings.matches
        await matches(live, before + 10)
        second = handed_in(live, GOOD + "# better", "c" * 64)
        await until(live, lambda: state_of(live, second) == "playing")
        assert state_of(live, first) == "replaced"
        assert live.standings is not None
        nursery.cancel_scope.cancel()
    with Store.open(folder) as store:
        status = {bot.bot: bot.status for bot in store.bots()}
    assert status[first] in ("ok", "replaced")
    assert status[second] == "ok"
    assert bad not in status
    assert verified(folder)[0] == 0
    assert not pids(folder)
