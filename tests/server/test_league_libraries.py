"""Folders that bots of a league may read: granted by a host, within what the server was started with."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
import trio
from needs import needs

from arena.box.box import open_box
from arena.ladder.machine import found_by_bots
from arena.ladder.messages import BeginLadder, FieldVersion, MachineSaid
from arena.ladder.serve import tournament_of_ladder
from arena.ladder.trying import VersionRefused, entrant_of
from arena.refusal import Refusal
from arena.server.league.ladder_child import plan_of_league
from arena.server.league.libraries import Libraries
from tests.server.league_rest import AT, league_rest


def test_a_host_grants_what_the_server_allows(tmp_path: Path) -> None:
    """Links are followed before anything is compared."""
    (tmp_path / "opt" / "tables").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "opt" / "link").symlink_to(tmp_path / "secret")
    libraries = Libraries([tmp_path / "opt"])
    within = f"{tmp_path}/opt:{tmp_path}/opt/tables"
    libraries.check(within)
    libraries.check("")
    assert within.split(":") == libraries.readable(f"{within}:{tmp_path}/secret")
    refused = {"/": "forbidden", f"{tmp_path}/secret": "forbidden", f"{tmp_path}/opt/link": "forbidden"}
    refused |= {f"{tmp_path}/opt/../secret": "forbidden", f"{tmp_path}/opt/nosuch": "bad_request"}
    for library, kind in refused.items():
        with pytest.raises(Refusal) as found:
            libraries.check(library)
        assert (kind, "library") == (found.value.kind, found.value.field), library
    with pytest.raises(Refusal):
        Libraries().check("/opt")


async def test_a_setting_that_is_not_allowed_changes_nothing(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        await rest.league()
        for library, status in (("opt", 400), ("/opt", 403), ("", 200)):
            answer = await rest.ask("POST", f"{AT}/settings", {"library": library}, rest.server.host)
            assert status == answer[0], answer
        assert "" == rest.live.league.settings.library


def test_a_bot_reads_what_it_asks_for_if_it_is_granted(tmp_path: Path) -> None:
    """And is refused, with the reason, where it is not."""
    from arena.league.league import LeagueSettings

    tables, bot = tmp_path / "tables", tmp_path / "bot"
    tables.mkdir()
    bot.mkdir()
    (bot / "bot.py").write_text("# a bot\n")
    (bot / "bot.toml").write_text(f'run = ["python3", "bot.py"]\nread = ["{tables}"]\n')
    version = FieldVersion("b1@1", "o1", str(bot))

    def plan(*readable: str) -> BeginLadder:
        settings = LeagueSettings("class", "liars-dice")
        return BeginLadder(str(tmp_path / "league"), plan_of_league(settings, readable))

    assert (tables,) == entrant_of(version, tournament_of_ladder(plan(str(tables)))).read
    with pytest.raises(VersionRefused, match="asks to read"):
        entrant_of(version, tournament_of_ladder(plan()))
    with pytest.raises(VersionRefused, match="hidden from all bots"):
        entrant_of(version, tournament_of_ladder(plan(str(tmp_path / "league"))))
    assert "allow" not in msgspec.json.decode(plan().plan)


@pytest.mark.slow
@needs("bubblewrap")
async def test_a_bot_finds_what_is_told() -> None:
    """In the strict box; nothing of it is half a line."""
    async with open_box("strict", say=lambda line: None) as box:
        said = await found_by_bots(box)
    (python,) = (each for each in said.programs if each.startswith("python3:"))
    assert re.fullmatch(r"python3: Python 3\.[0-9]+\.[0-9]+\S*", python)
    assert all(re.fullmatch(r"[\w+]+: \S.*", each) for each in said.programs), said.programs


async def test_what_bots_find_is_asked_once(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    async with league_rest(folder=tmp_path) as rest:
        await rest.league(look="public")
        said = MachineSaid(("python3: Python 3.13",), ("numpy 2.3",))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(rest.get, f"{AT}/machine")
            await trio.testing.wait_all_tasks_blocked()
            rest.live.note_machine(said)
        told = await rest.get(f"{AT}/machine")
        assert (["python3: Python 3.13"], ["numpy 2.3"], []) == (
            told["programs"],
            told["libraries"],
            told["folders"],
        )
        assert 1 == rest.process.asks
