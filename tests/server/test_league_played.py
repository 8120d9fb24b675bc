"""What a league has played, asked over REST: whose matches who may see, and whose logs."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
import trio
from click.testing import CliRunner
from needs import needs

from arena.cli import cli
from arena.ladder import play
from arena.league.entering import hand_in, note_state
from arena.store import Store
from arena.terminal.leagues.league_lines import league_text
from arena.tournament.folder.published import archive_of
from tests.ladder.ladders import house, league
from tests.server.league_rest import AT, LeagueRest, league_rest
from tests.verify.folders import verified

pytestmark = [pytest.mark.slow, needs("bubblewrap")]


@pytest.fixture(autouse=True)
def short_batches(monkeypatch):
    monkeypatch.setattr(play, "LEAST_S", 0.05)


KINDS = ("Steady", "Doubter", "Chancy")


async def played(
    rest: LeagueRest,
    names: tuple[str, ...],
    kinds: tuple[str, ...] = KINDS,
    *,
    epochs: int = 0,
    **settings: object,
) -> dict[str, str]:
    """A league in which a bot of each owner has played, for so many epochs; returns name -> token."""
    code = await rest.league(rules={"dice": 1}, **settings)
    tokens = {name: await rest.join(name, code) for name in names}
    for number in range(1, len(names) + 1):
        after, taken = hand_in(rest.live.league, f"o{number}", "", f"{number:064x}", 1.0)
        rest.live.change(note_state(after, taken.id, "playing", "", "", 2.0))
    bots = [house(number, kind) for number, kind in enumerate(kinds, 1)]
    folder = rest.server.folder / "leagues" / "class"
    async with league(folder, epoch_s=0.2 if epochs else 3600.0) as server:
        await server.wants(*bots[: len(names)])
        await server.batches(4)
        while not archive_of(folder, epochs - 1).exists() and epochs:
            await server.batches(1)
    return tokens


async def test_an_owner_sees_what_its_bot_lost_and_how(tmp_path):
    """Its matches in all versions, and each of them step by step once its series is closed."""
    async with league_rest() as rest:
        tokens = await played(rest, ("Ann", "Bob"))
        lost = await rest.get(f"{AT}/bots/b2/matches?only=lost", tokens["Bob"])
        assert lost["matches_in_all"] > 0
        assert all("b2@1" in match["names"] for match in lost["matches"])
        shown = next(match for match in lost["matches"] if not match["sealed"])
        film = await rest.get(f"{AT}/matches/{shown['match_id']}/film", tokens["Bob"])
        assert set(film["names"]) == {"b1@1", "b2@1"}
        whole = await rest.get(f"{AT}/bots/b2/matches", tokens["Bob"])
        assert whole["matches_in_all"] > lost["matches_in_all"]


async def test_an_epoch_that_has_ended_can_be_had_and_verified(tmp_path):
    """Of the one that is played its seal alone is told; where matches are an owner's own, hosts have copies."""
    async with league_rest() as rest:
        tokens = await played(rest, ("Ann", "Bob"), epochs=1)
        now, *_, first = await rest.get(f"{AT}/epochs", tokens["Ann"])
        assert (now["ended"], now["has_copy"], first["has_copy"]) == (None, False, True)
        assert now.keys() == {"number", "began", "ended", "seal", "has_copy"}
        answer = await rest.http.get(f"{AT}/epochs/0", headers={"Authorization": f"Bearer {tokens['Ann']}"})
        with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
            packed.extractall(tmp_path)
        assert verified(tmp_path / "class-0", "--seal", first["seal"])[0] == 0
        status, said = await rest.ask("GET", f"{AT}/epochs/{now['number']}", token=tokens["Ann"])
        assert (status, "still played" in said["message"]) == (409, True)
        assert (await rest.ask("GET", f"{AT}/epochs/99", token=tokens["Ann"]))[0] == 404
        assert (await rest.ask("GET", f"{AT}/epochs"))[0] == 401
        await rest.post(f"{AT}/settings", {"replays": "own"}, rest.server.host)
        assert (await rest.ask("GET", f"{AT}/epochs/0", token=tokens["Ann"]))[0] == 403


async def test_commands_show_bots_by_their_names(tmp_path, monkeypatch):
    """As people know them; programs get ids, and so does whoever has no names."""
    async with league_rest() as rest:
        await played(rest, ("Ann", "Bob"))
        await rest.live.kept()
    monkeypatch.chdir(tmp_path)
    folder = str(rest.server.folder / "leagues" / "class")

    def said(*words: str) -> str:
        result = CliRunner().invoke(cli, [*words, folder], standalone_mode=False)
        assert result.exception is None, result.exception
        return result.stdout

    assert ids(said("leaderboard", "--csv")) == ids(said("matches", "--json")) == {"b1@1", "b2@1"}
    match = json.loads(said("matches", "--json", "--bot", "Ann@1"))[0]["match_id"]
    for words in (["leaderboard"], ["leaderboard", "--bot", "Ann@1"], ["matches"], ["replay", match]):
        shown = said(*words)
        assert "Ann@1" in shown, words
        assert not ids(shown), words
    said("report", "--out", "page.html")
    page = await trio.Path("page.html").read_text()
    assert "Ann@1" in page
    assert not ids(page)


def ids(text: str) -> set[str]:
    return set(re.findall(r"b\d+@\d+", text))


async def test_replays_of_others_are_shown_where_the_league_says_so(tmp_path):
    async with league_rest() as rest:
        tokens = await played(rest, ("Ann", "Bob", "Cat"), replays="own")
        for path in (f"{AT}/bots/b1/matches", f"{AT}/bots/b1/matches?only=lost"):
            assert (await rest.ask("GET", path, token=tokens["Ann"]))[0] == 200
            assert (await rest.ask("GET", path, token=tokens["Cat"]))[0] == 403
            assert (await rest.ask("GET", path, token=rest.server.host))[0] == 200
        found = (await rest.get(f"{AT}/bots/b1/matches", tokens["Ann"]))["matches"]
        match = next(each for each in found if "b2@1" in each["names"] and not each["sealed"])
        path = f"{AT}/matches/{match['match_id']}/film"
        status = {name: (await rest.ask("GET", path, token=token))[0] for name, token in tokens.items()}
        assert status == {"Ann": 200, "Bob": 200, "Cat": 403}
        assert (await rest.ask("GET", path))[0] == 401


async def test_what_a_bot_printed_is_for_its_owner_and_hosts(tmp_path):
    async with league_rest() as rest:
        tokens = await played(rest, ("Ann", "Bob"), look="public")
        logs = rest.server.folder / "leagues" / "class" / "logs"
        logs.mkdir(exist_ok=True)
        (logs / "b1@1-1.log").write_text("bid 3 fives\n")
        (logs / "b1%401-1.log").write_text("bid 3 fives\n")
        path = f"{AT}/bots/b1/log"
        assert "bid 3 fives" in (await rest.get(path, tokens["Ann"]))["text"]
        assert "bid 3 fives" in (await rest.get(path, rest.server.host))["text"]
        assert (await rest.ask("GET", path, token=tokens["Bob"]))[0] == 403
        assert (await rest.ask("GET", path))[0] == 401
        status, said = await rest.ask("GET", f"{AT}/bots/b2/log", token=tokens["Bob"])
        assert (status, "printed nothing" in said["message"]) == (404, True)


async def test_what_only_its_owner_sees_of_a_bot(tmp_path):
    """Analysis, capsules, logs and matches as CSV: nobody else is told any of it, nor that there is any."""
    async with league_rest() as rest, trio.open_nursery() as nursery:
        tokens = await played(
            rest, ("Ann", "Bob", "Cat", "Dan"), kinds=("Steady", "Doubter", "Chancy", "Fragile")
        )
        nursery.start_soon(rest.server.reports.run)
        with Store.open(rest.server.folder / "leagues" / "class") as store:
            capsule = next(fault.capsule for fault in store.faults(published=True) if fault.capsule)
        name = capsule.rpartition("/")[2]
        bot = f"{AT}/bots/b4"
        report = await rest.until_made(f"{bot}/report", tokens["Dan"])
        assert f'data-capsule="{name}"' in report
        saved = await rest.octets(f"{bot}/capsules/{name}", tokens["Dan"])
        assert b'"question"' in saved or b"options" in saved
        lines = (await rest.octets(f"{bot}/matches.csv", tokens["Dan"])).decode().splitlines()
        assert lines[0].startswith("match_id,")
        assert len(lines) > 1
        assert all("b4@1" in line for line in lines[1:])
        for path in ("report", f"capsules/{name}", "matches.csv", "log", "log?version=1"):
            told = [await rest.status(f"{bot}/{path}", token) for token in (tokens["Ann"], None, "guessed")]
            assert told == [403, 401, 401], path
        assert await rest.status(f"{AT}/bots/b1/capsules/{name}", tokens["Ann"]) == 404
        assert await rest.status(f"{bot}/capsules/..%2farena.db", tokens["Dan"]) == 404
        nursery.cancel_scope.cancel()


async def test_the_matches_of_a_league_are_found_by_who_played_them(tmp_path):
    async with league_rest() as rest:
        tokens = await played(rest, ("Ann", "Bob", "Cat"), replays="own")
        path = f"{AT}/matches?bot=b1@1&versions=all"
        found = await rest.get(f"{path}&against=b2@1&only=lost", tokens["Ann"])
        assert all({"b1@1", "b2@1"} == {*match["names"]} for match in found["matches"])
        assert found["matches_in_all"] > 0
        asked = {name: (await rest.ask("GET", path, token=token))[0] for name, token in tokens.items()}
        assert asked == {"Ann": 200, "Bob": 403, "Cat": 403}
        assert (await rest.ask("GET", f"{AT}/matches", token=tokens["Ann"]))[0] == 403
        assert (await rest.ask("GET", f"{AT}/matches", token=rest.server.host))[0] == 200
        status, said = await rest.ask("GET", f"{path}&only=won", token=tokens["Ann"])
        assert (status, said["field"]) == (400, "only")


async def test_who_stands_where_is_told_with_names(tmp_path):
    """Also of those that come with the arena."""
    from arena.ladder.messages import LadderRow, StandingsSaid

    async with league_rest() as rest:
        tokens = await played(rest, ("Ann", "Bob"), approve_names=True)
        rows = (LadderRow("b1@1", 1, 2, 1510.0, 80.0, 9), LadderRow("odds", 1, 2, 1490.0, None, 1))
        rest.live.note_standings(StandingsSaid(4, 20, rows))
        told = await rest.get(f"{AT}/standings", tokens["Ann"])
        assert [(each["bot"], each["name"], each["version"], each["owner"]) for each in told["places"]] == [
            ("b1", "b1", 1, "o1"),
            ("odds", "odds", None, None),
        ]
        assert told["costs"] is None, "nothing is known yet of how long matches take"
        said = StandingsSaid(4, 20, rows, match_s=3.98, match_bytes=1_400, cores=2.0)
        rest.live.note_standings(said)
        told = await rest.get(f"{AT}/standings", tokens["Ann"])
        assert 1_800 == told["costs"]["matches_an_hour"]
        text = league_text(await rest.get(AT, tokens["Ann"]), told, [])
        assert "1,800 matches an hour, a new version is ranked in about 8.6 minutes" in text
