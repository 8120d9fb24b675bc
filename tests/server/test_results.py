"""Results folders over HTTP: their matches, their reports, and a sentence for whatever cannot be read."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
import threading
import time
from array import array
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import httpx
import pytest
import trio

import arena.server.kept.reports
import arena.server.kept.results
from arena.refusal import Refusal
from arena.server.http.answer_types import FilmPage
from arena.server.http.endpoints import routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.results_types import ResultsListed, ResultsMatches
from arena.server.http.routing import Routing
from arena.server.kept import bot_logs
from arena.server.kept.archive import open_archive
from arena.server.kept.bot_logs import logs_text
from arena.server.kept.chosen import FILTER_COST, ChosenMatches
from arena.server.kept.reports import Reports
from arena.server.kept.results import ResultsCatalog
from arena.server.kept.results_api import ResultsApi
from arena.server.site.site import Site
from arena.store import DATABASE, MatchFilter, Store, store_lock
from tests.report.reports import HOSTILE, entry, tournament
from tests.server.test_api import strictly

REPORT = """\
import sys
print("began", sys.argv[1:], file=open(sys.argv[2] + ".log", "a"))
open(sys.argv[2], "w").write("<meta content=\\"script-src 'sha256-" + "A" * 43 + "='\\"><script></script>")
"""


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tournament; it is copied, and never changed."""
    return tournament(
        tmp_path_factory.mktemp("played") / "run", "liars-dice", ("ann", "bob", "cat"), series=1
    )


@pytest.fixture
def root(tmp_path: Path, played: Path) -> Path:
    """A folder of results folders, with one in it."""
    (tmp_path / "results").mkdir()
    shutil.copytree(played, tmp_path / "results" / "first")
    return tmp_path / "results"


@attrs.frozen
class Results:
    """A client of a server's results."""

    http: httpx.AsyncClient
    notes: list[str]

    async def get(self, path: str) -> tuple[int, Any]:
        response = await self.http.get(path)
        return response.status_code, response.json()


@asynccontextmanager
async def results(
    root: Path | None, script: str = REPORT, questions: Any = None, client: str = "127.0.0.1"
) -> AsyncIterator[Results]:
    """The results of a folder, whose reports a small script writes."""
    notes: list[str] = []
    async with trio.open_nursery() as nursery:
        api = ResultsApi()
        if root is not None:
            reports = Reports(root.parent / "data", notes.append, (sys.executable, "-c", script))
            nursery.start_soon(reports.run)
            api = ResultsApi(ResultsCatalog(root), reports, questions)
        site = Site(list_results=api.list_folders)
        routes = [*routes_to(api.endpoints()), *site.routes(), *api.routes()]
        app = Guard(Routing(routes), GuardOptions(), note_bug=partial(pytest.fail))
        transport = httpx.ASGITransport(app, client=(client, 5000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            yield Results(http, notes)
        nursery.cancel_scope.cancel()


async def report(server: Results, name: str) -> httpx.Response:
    """The page of a folder once it is no longer being made."""
    with trio.fail_after(30):
        while (answer := await server.http.get(f"/results/{name}")).status_code == 202:  # noqa: ASYNC110
            await trio.sleep(0.02)
    return answer


# Matches.


async def test_folders_are_listed(root: Path) -> None:
    async with results(root) as server:
        response = await server.http.get("/api/results")
        (folder,) = strictly(response.content, list[ResultsListed])
    assert ("first", "liars-dice", "Liar's Dice", 3) == (folder.name, folder.game, folder.title, folder.bots)
    assert folder.matches == folder.planned > 0
    assert folder.problem is None


async def test_matches_are_listed_page_by_page(root: Path) -> None:
    """All, and those of a bot; the next page begins where this one ends."""
    async with results(root) as server:
        path = "/api/results/first/matches"
        everything = strictly((await server.http.get(path)).content, ResultsMatches)
        assert ["ann", "bob", "cat"] == everything.bots
        assert everything.matches_in_all == len(everything.matches) > 4
        assert everything.next is None
        found, first = [], 0
        while first is not None:
            status, page = await server.get(f"{path}?first={first}&count=2")
            assert 200 == status
            found += page["matches"]
            first = page["next"]
        assert [each.match_id for each in everything.matches] == [each["match_id"] for each in found]
        status, of_ann = await server.get(f"{path}?bot=ann")
        assert of_ann["matches_in_all"] == len(of_ann["matches"]) < len(found)
        assert all("ann" in each["names"] for each in of_ann["matches"])
        assert (404, "bot") == ((told := await server.get(f"{path}?bot=eve"))[0], told[1]["field"])


async def test_matches_are_filtered(root: Path) -> None:
    """By two who played, by who lost to whom, by faults, and by who won against its betters."""
    async with results(root) as server:
        path = "/api/results/first/matches"
        _, everything = await server.get(path)
        scores: dict[str, list[float]] = {}
        for each in everything["matches"]:
            for name, rank in zip(each["names"], each["ranks"], strict=True):
                scores.setdefault(name, []).append(float(rank == 1))
        mean = {name: sum(points) / len(points) for name, points in scores.items()}

        def is_upset(match: Any) -> bool:
            won, lost = sorted(match["names"], key=lambda name: match["ranks"][match["names"].index(name)])
            return mean[won] < mean[lost]

        def lost_to(match: Any) -> bool:
            ranks = dict(zip(match["names"], match["ranks"], strict=True))
            return {"ann", "bob"} == ranks.keys() and ranks["ann"] > ranks["bob"]

        for query, meant in (
            ("?bot=ann&against=bob", lambda match: {"ann", "bob"} == set(match["names"])),
            ("?bot=ann&against=bob&only=lost", lost_to),
            ("?only=faults", lambda match: match["faults"] > 0),
            ("?only=upsets", is_upset),
        ):
            _, found = await server.get(path + query)
            expected = [each["match_id"] for each in everything["matches"] if meant(each)]
            assert expected == [each["match_id"] for each in found["matches"]], query
            assert len(expected) == found["matches_in_all"]
            assert len(expected) < len(everything["matches"])
        assert (400, "bot") == ((told := await server.get(f"{path}?only=lost"))[0], told[1]["field"])
        assert (400, "only") == ((told := await server.get(f"{path}?only=mine"))[0], told[1]["field"])
        assert (404, "against") == ((told := await server.get(f"{path}?against=eve"))[0], told[1]["field"])


async def test_a_filter_looks_through_a_folder_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pages are of what was found then, until the folder changes; what is kept has a bound."""
    looked: list[MatchFilter] = []
    numbers_of = Store.numbers_of
    monkeypatch.setattr(Store, "numbers_of", lambda store, of: looked.append(of) or numbers_of(store, of))
    catalog, upsets, of_ann = ResultsCatalog(root), MatchFilter(only="upsets"), MatchFilter("ann")
    first, second = [catalog.matches("first", upsets, place, 1) for place in (0, 1)]
    assert [upsets] == looked
    assert first.matches != second.matches
    catalog.matches("first", of_ann, 0, 1)
    catalog.matches("first", upsets, 0, 1)
    assert [upsets, of_ann] == looked
    os.utime(root / "first" / DATABASE)
    catalog.matches("first", upsets, 0, 1)
    assert [upsets, of_ann, upsets] == looked
    chosen = ChosenMatches(most=1)
    with Store.open(root / "first") as store:
        for of in (upsets, of_ann, of_ann, upsets):
            chosen.numbers(store, ("first", 1), of)
    assert [upsets, of_ann, upsets] == looked[3:]


def test_what_filters_left_is_not_kept_without_limit(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that leaves nothing counts too, and nothing is kept of a folder as it was before."""
    looked: list[MatchFilter] = []
    monkeypatch.setattr(Store, "numbers_of", lambda store, of: looked.append(of) or array("q"))
    empty = [MatchFilter(f"bot {number}") for number in range(3)]
    with Store.open(root / "first") as store:
        chosen = ChosenMatches(most=2 * FILTER_COST)
        for of in (*empty, *empty[1:], empty[0]):
            assert not chosen.numbers(store, ("first", 1), of)
        assert [*empty, empty[0]] == looked
        looked.clear()
        chosen = ChosenMatches()
        for folder in (("first", 1), ("other", 1), ("first", 2), ("other", 1), ("first", 1)):
            chosen.numbers(store, folder, empty[0])
        assert 4 == len(looked)


async def test_the_matches_of_all_versions_of_a_bot(root: Path) -> None:
    """Each version is a bot of its own; all of them can be asked for at once, also by what they lost."""
    with closing(sqlite3.connect(root / "first" / DATABASE)) as db, db:
        ((middle,),) = db.execute("SELECT AVG(match) FROM seats WHERE bot = 'ann'")
        db.execute("UPDATE seats SET bot = 'ann@2' WHERE bot = 'ann' AND match > ?", (middle,))
    async with results(root) as server:
        path = "/api/results/first/matches"
        _, everything = await server.get(path)
        assert {"ann": ["ann", "ann@2"]} == everything["versions"]

        def of_any(match: Any) -> bool:
            return bool({"ann", "ann@2"} & set(match["names"]))

        def lost(match: Any) -> bool:
            places = zip(match["names"], match["ranks"], strict=True)
            return any(name[:3] == "ann" and rank > 1 for name, rank in places)

        for query, meant in (
            ("?bot=ann@2", lambda match: "ann@2" in match["names"]),
            ("?bot=ann&versions=all", of_any),
            ("?bot=ann@2&versions=all", of_any),
            ("?bot=ann@2&versions=all&only=lost", lost),
        ):
            _, found = await server.get(path + query)
            expected = [each["match_id"] for each in everything["matches"] if meant(each)]
            assert expected == [each["match_id"] for each in found["matches"]], query
            assert expected
        assert (400, "versions") == ((told := await server.get(f"{path}?versions=2"))[0], told[1]["field"])


async def test_what_a_bot_printed_can_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its logs, the latest first, as plain text; of much no more than the end, which is said."""
    monkeypatch.setattr(bot_logs, "LOG_BYTES_MAX", 30)
    monkeypatch.setattr(bot_logs, "LOGS_BYTES_MAX", 38)
    logs = root / "first" / "logs"
    logs.mkdir(exist_ok=True)
    for name, said in (
        ("ann-2.log", "KeyError\n<b>Error</b>\n"),
        ("ann-10.log", "x" * 100 + "\n/home/me/bot.py failed\n"),
        ("ann-1.log", "the first of all\n"),
        ("ann-11.log", ""),
        ("bob-1.log", "a secret of bob's"),
    ):
        (logs / name).write_text(said)
    async with results(root) as server:
        answer = await server.http.get("/results/first/logs/ann")
        assert (200, "text/plain; charset=utf-8") == (answer.status_code, answer.headers["content-type"])
        assert (
            "== logs/ann-10.log, the last 23 bytes of 124 bytes ==\nbot.py failed\n\n"
            "== logs/ann-2.log, the last 13 bytes of 22 bytes ==\n<b>Error</b>\n\n"
            "== and 1 older log, in the folder logs ==\n"
        ) == answer.text
        for bot, status in (("cat", 404), ("eve", 404), ("..%2F..%2Fsecret", 404), ("ann-2", 404)):
            assert status == (await server.http.get(f"/results/first/logs/{bot}")).status_code, bot
        with closing(sqlite3.connect(root / "first" / DATABASE)) as db, db:
            db.execute("DELETE FROM matches WHERE number = 1")
        hidden = await server.http.get("/results/first/logs/ann")
    assert 403 == hidden.status_code
    assert "series is still played" in hidden.text
    assert "Error" not in hidden.text
    (root / "secret").write_text("nobody may read this")
    (logs / "ann-12.log").symlink_to(root / "secret")
    with pytest.raises(Refusal, match="has printed nothing"):
        logs_text(root / "first", "eve")
    assert "nobody may read this" not in logs_text(root / "first", "ann")


@pytest.mark.parametrize(
    ("end", "shown"),
    [
        ("me/games/bot.py\nKeyError\n", "KeyError"),
        ("me/games/bot.py 7\n", ""),
        ("me/games/bot.py and 7", "and 7"),
        ("me/games/bot.py", ""),
    ],
)
def test_half_a_path_is_not_shown(end: str, shown: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line whose beginning is cut off is left out; of a last one, the first word."""
    monkeypatch.setattr(bot_logs, "LOG_BYTES_MAX", len(end))
    logs = root / "first" / "logs"
    logs.mkdir(exist_ok=True)
    (logs / "ann-1.log").write_text("/home/" + end)
    assert shown == logs_text(root / "first", "ann").split("==\n")[1].strip()


async def test_what_a_match_prints_is_hidden_while_it_is_played(root: Path) -> None:
    """Also if it began just after somebody looked, or takes longer than a run is expected to be silent."""
    (root / "first" / "logs").mkdir(exist_ok=True)
    (root / "first" / "logs" / "ann-1.log").write_text("I have three 6s\n")
    async with results(root) as server:
        for age_s in (0, 5000):
            then = time.time() - age_s
            os.utime(root / "first" / DATABASE, (then, then))
            await report(server, "first")
            assert 200 == (await server.http.get("/results/first/logs/ann")).status_code
            with store_lock(root / "first"):
                assert 403 == (await server.http.get("/results/first/logs/ann")).status_code
        assert 200 == (await server.http.get("/results/first/logs/ann")).status_code


async def test_every_match_can_be_watched(root: Path) -> None:
    async with results(root) as server:
        _, listed = await server.get("/api/results/first/matches")
        for match in listed["matches"]:
            path = f"/api/results/first/matches/{match['match_id']}/film"
            page = strictly((await server.http.get(path)).content, FilmPage)
            assert (match["names"], match["ranks"], "all") == (page.names, page.ranks, page.sees)
            assert len(page.steps) == min(200, page.steps_in_all) == match["turns"] + 1
        seat = (await server.get(f"{path}?seen_by={match['names'][1]}"))[1]
        assert 1 == seat["sees"]
        assert not any(step.get("own") for step in seat["steps"])
        assert 1 == len((await server.get(f"{path}?first=3&count=1"))[1]["steps"])
        assert (400, "seen_by") == ((told := await server.get(f"{path}?seen_by=eve"))[0], told[1]["field"])
        for other in ("0123456789ab", match["match_id"][:6], "%25", "x' OR '1'='1"):
            assert 404 == (await server.get(f"/api/results/first/matches/{other}/film"))[0]


async def test_what_is_still_played_is_sealed(root: Path) -> None:
    """A match whose series is open may have the cards of another that is played now."""
    async with results(root) as server:
        _, before = await server.get("/api/results/first/matches")
        with closing(sqlite3.connect(root / "first" / "arena.db")) as db, db:
            series = db.execute("SELECT series_id FROM matches ORDER BY number LIMIT 1").fetchone()[0]
            db.execute("DELETE FROM matches WHERE number = (SELECT MIN(number) FROM matches)")
            others = {
                each for (each,) in db.execute("SELECT match_id FROM matches WHERE series_id = ?", (series,))
            }
        assert others
        _, now = await server.get("/api/results/first/matches")
        assert not any(each["sealed"] for each in before["matches"])
        assert others == {each["match_id"] for each in now["matches"] if each["sealed"]}
        for match in others:
            for query in ("", "?seen_by=spectator"):
                status, told = await server.get(f"/api/results/first/matches/{match}/film{query}")
                assert (403, True) == (status, "still played" in told["message"])
                assert "steps" not in told


# What cannot be read.


def damaged(folder: Path) -> None:
    octets = bytearray((folder / "arena.db").read_bytes())
    octets[4096 : len(octets)] = os.urandom(len(octets) - 4096)
    (folder / "arena.db").write_bytes(octets)


def newer(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "arena.db")) as db, db:
        db.execute("PRAGMA user_version = 99")


def no_database(folder: Path) -> None:
    (folder / "arena.db").write_text("this is not a database" * 100)


def empty_database(folder: Path) -> None:
    (folder / "arena.db").write_bytes(b"")


def a_fifo(folder: Path) -> None:
    (folder / "arena.db").unlink()
    os.mkfifo(folder / "arena.db")


def a_fifo_beside(folder: Path) -> None:
    (folder / "arena.db-wal").unlink(missing_ok=True)
    os.mkfifo(folder / "arena.db-wal")


def a_link(folder: Path) -> None:
    (folder / "arena.db").rename(folder.parent.parent / "elsewhere.db")
    (folder / "arena.db").symlink_to(folder.parent.parent / "elsewhere.db")


def tables_of_a_server(folder: Path) -> None:
    shutil.rmtree(folder)
    with open_archive(folder.parent.parent / "other"):
        pass
    shutil.copytree(folder.parent.parent / "other" / "tables", folder)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (damaged, "damaged"),
        (newer, "newer arena"),
        (no_database, "not a database"),
        (empty_database, "is empty"),
        (a_fifo, "is not a file"),
        (a_fifo_beside, "is not a file"),
        (a_link, "is not a file"),
        (tables_of_a_server, "server's tables"),
    ],
)
async def test_a_folder_that_cannot_be_read_says_why(root: Path, spoil: Any, said: str) -> None:
    """In the list, for its matches and on its page; in a sentence, without where it is; the others are shown."""
    shutil.copytree(root / "first", root / "sound")
    spoil(root / "first")
    script = 'import sys; sys.stderr.write("arena.db is damaged"); sys.exit(2)'
    with trio.fail_after(20):
        async with results(root, script) as server:
            _, listed = await server.get("/api/results")
            bad, good = sorted(listed, key=lambda each: each["name"])
            assert good["matches"] > 0
            assert said in bad["problem"]
            for path in ("", "/0123456789ab/film"):
                status, told = await server.get(f"/api/results/first/matches{path}")
                assert (409, True) == (status, said in told["message"]), told
                assert str(root) not in told["message"]
                assert "\n" not in told["message"]
            answer = await report(server, "first")
            assert answer.status_code == 409
            assert str(root) not in answer.text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("latest", "link"),
        ("gone", "no results folder"),
        ("notes.txt", "not a folder"),
        ("empty", "no results in it"),
        (".hidden", "no results folder"),
        ("..", ""),
        ("%2e%2e", ""),
        ("..%2fresults%2ffirst", ""),
        ("first%2f..%2ffirst", ""),
        ("first%00", "no results folder"),
        ("FIRST", "no results folder"),
        ("x" * 5000, "no results folder"),
    ],
)
async def test_a_name_is_no_path(root: Path, name: str, said: str) -> None:
    """Only a folder of that very name is opened; links are not followed."""
    (root / "latest").symlink_to(root / "first")
    (root / "empty").mkdir()
    (root / "notes.txt").write_text("mine")
    shutil.copytree(root / "first", root / ".hidden")
    async with results(root) as server:
        assert ["first"] == [each["name"] for each in (await server.get("/api/results"))[1]]
        response = await server.http.get(f"/api/results/{name}/matches")
        assert 404 == response.status_code
        assert said in response.json()["message"]
        page = await server.http.get(f"/results/{name}")
        assert 404 == page.status_code or name in ("..", "%2e%2e")


async def test_a_game_that_this_server_does_not_have(tmp_path: Path) -> None:
    """Its matches are listed, and none is shown: code that a folder names is not run."""
    (tmp_path / "results").mkdir()
    with Store.create(tmp_path / "results" / "dice", meta={"game_version": 1}) as store:
        store.set_meta("identity", {"game": "dice", "version": 1, "rules": {}})
        store.set_meta("game_origin", {"file": str(tmp_path / "dice.py"), "module": "dice", "digest": ""})
        made = entry(1, 0)
        store.set_schedule([made.pairing])
        store.add(made)
    (tmp_path / "dice.py").write_text("raise SystemExit('this was run')")
    async with results(tmp_path / "results") as server:
        (listed,) = (await server.get("/api/results"))[1]
        assert ("dice", None) == (listed["game"], listed["title"])
        (match,) = (await server.get("/api/results/dice/matches"))[1]["matches"]
        status, told = await server.get(f"/api/results/dice/matches/{match['match_id']}/film")
        assert (409, True) == (status, "does not have its game, dice" in told["message"])


async def test_a_server_without_results(tmp_path: Path) -> None:
    """None were asked for, or the folder is not there yet."""
    async with results(None) as server:
        assert (200, []) == await server.get("/api/results")
        assert 404 == (await server.get("/api/results/first/matches"))[0]
        assert 404 == (await server.http.get("/results/first")).status_code
    async with results(tmp_path / "later") as server:
        assert (200, []) == await server.get("/api/results")


async def test_folders_are_listed_without_scripts(root: Path) -> None:
    """On the page itself, with the reason for one that cannot be read; other pages have no list."""
    shutil.copytree(root / "first", root / "<i>bad & gone")
    empty_database(root / "<i>bad & gone")
    async with results(root) as server:
        page = (await server.http.get("/results")).text
        shown = page.partition("<noscript>")[2].partition("</noscript>")[0]
        assert '<a href="/results/first">first</a>: Liar&#x27;s Dice, ' in shown
        assert '<a href="/results/%3Ci%3Ebad%20%26%20gone">&lt;i&gt;bad &amp; gone</a>: ' in shown
        assert "is empty" in shown
        assert "/results/first" not in (await server.http.get("/")).text
    (root.parent / "file").write_text("no folder")
    async with results(root.parent / "file") as server:
        page = await server.http.get("/results")
        assert (200, True) == (page.status_code, "The folder of results cannot be read" in page.text)


async def test_names_with_markup_are_text(root: Path) -> None:
    (root / "first").rename(root / "<b>bold")
    async with results(root, "raise SystemExit(3)") as server:
        (folder,) = (await server.get("/api/results"))[1]
        assert "<b>bold" == folder["name"]
        for _ in range(2):
            page = await server.http.get("/results/%3Cb%3Ebold")
            assert "<b>" not in page.text


# Reports.


async def test_a_report_is_made_once_and_kept(root: Path) -> None:
    """While it is made the page says so and asks again; a restart makes it no second time."""
    async with results(root) as server:
        first = await server.http.get("/results/first")
        assert (202, True) == (first.status_code, 'http-equiv="refresh"' in first.text)
        made = await report(server, "first")
        assert 200 == made.status_code
        policy = made.headers["content-security-policy"]
        assert f"script-src 'sha256-{'A' * 43}='" in policy
        assert "connect-src 'self'" in policy
        assert "text/html; charset=utf-8" == made.headers["content-type"]
        assert made.text == (await report(server, "first")).text
    async with results(root) as server:
        assert 200 == (await server.http.get("/results/first")).status_code
    (log,) = (root.parent / "data" / "reports").glob("*.log")
    assert 1 == len(log.read_text().splitlines())
    assert "/results/first/matches" in log.read_text()


async def test_a_report_is_sent_compressed_and_once(root: Path) -> None:
    """Who has it already gets no body, and a report made anew is sent again."""
    long = REPORT.replace("<script></script>", "<script></script>" + "A row of a table. " * 1000)
    async with results(root, long) as server:
        made = await report(server, "first")
        assert ("gzip", "Accept-Encoding") == (made.headers["content-encoding"], made.headers["vary"])
        assert int(made.headers["content-length"]) < len(made.content) / 10
        plain = await server.http.get("/results/first", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == made.content
        for tag in (made.headers["etag"], plain.headers["etag"]):
            known = await server.http.get("/results/first", headers={"if-none-match": tag})
            assert (304, b"") == (known.status_code, known.content)
            assert known.headers["content-security-policy"] == made.headers["content-security-policy"]
        other = await server.http.get("/results/first", headers={"if-none-match": '"another"'})
        assert 200 == other.status_code


async def test_a_tournament_that_runs_is_marked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the list and beside its report, for as long as a run has its folder."""
    monkeypatch.setattr(arena.server.kept.results, "LOOK_EVERY_S", 0.0)
    async with results(root) as server:
        for is_running in (False, True, False):
            with store_lock(root / "first") if is_running else nullcontext():
                answer = await report(server, "first")
                assert ("yes" if is_running else "no") == answer.headers["x-running"]
                (folder,) = (await server.get("/api/results"))[1]
                assert is_running == folder["running"]


async def test_a_folder_that_changes_gets_a_new_report(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one is shown until then, and dropped after."""
    monkeypatch.setattr(arena.server.kept.reports, "ANEW_S", 0.0)
    monkeypatch.setattr(arena.server.kept.reports, "RESTS", 0)
    async with results(root) as server:
        assert 200 == (await report(server, "first")).status_code
        with Store.open(root / "first", write=True) as store:
            store.set_meta("more", 1)
        assert 200 == (await server.http.get("/results/first")).status_code
        home = root.parent / "data" / "reports"
        with trio.fail_after(20):
            while len(list(home.glob("*.log"))) < 2 or len(list(home.glob("*.html"))) > 1:  # noqa: ASYNC110
                await trio.sleep(0.01)


@pytest.mark.parametrize(
    ("script", "said", "status"),
    [
        ("import sys; sys.stderr.write('its plan\\nis damaged'); sys.exit(2)", "Is damaged.", 409),
        ("raise ValueError('a bug')", "making it went wrong", 409),
        ("import time; time.sleep(60)", "took longer", 409),
        ("import sys; open(sys.argv[2], 'w').write('x' * (5 << 20))", "larger than 4 MB", 409),
    ],
)
async def test_a_report_that_cannot_be_made(
    root: Path, script: str, said: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Says why, once, and the log of the server too; it is not tried again until the folder changes."""
    monkeypatch.setattr(arena.server.kept.reports, "REPORT_S", 0.2 if "sleep" in script else 20.0)
    async with results(root, script) as server:
        answer = await report(server, "first")
        assert (status, True) == (answer.status_code, said.lower() in answer.text.lower()), answer.text
        notes = len(server.notes)
        assert notes >= 1
        await report(server, "first")
        assert notes == len(server.notes)


@pytest.mark.slow
async def test_the_report_of_a_folder(tmp_path: Path) -> None:
    """By the process that a server starts: with its hash, the way to all matches, and names as text."""
    (tmp_path / "results").mkdir()
    await trio.to_thread.run_sync(
        partial(
            _in_a_thread,
            partial(tournament, tmp_path / "results" / "a b", "liars-dice", HOSTILE[:3], series=1),
        )
    )
    notes: list[str] = []
    async with trio.open_nursery() as nursery:
        reports = Reports(tmp_path / "data", notes.append)
        nursery.start_soon(reports.run)
        folder = ResultsCatalog(tmp_path / "results").folder("a b")
        with trio.fail_after(60):
            while (made := await reports.report(folder)) is None:  # noqa: ASYNC110
                await trio.sleep(0.05)
        nursery.cancel_scope.cancel()
    text = made.page.octets.decode()
    assert [] == notes
    assert made.script_hash.startswith("sha256-")
    assert '<a href="/results/a%20b/matches">' in text
    assert re.search(r'<a href="/results/a%20b/matches/[0-9a-f]{12}#step=\d+&amp;seat=\d">Step \d+</a>', text)
    assert re.search(r'<a href="/results/a%20b/matches\?bot=[^"<>]+&amp;only=lost">', text)
    assert HOSTILE[0] not in text
    assert [".html"] == [each.suffix for each in (tmp_path / "data" / "reports").iterdir()]


def _in_a_thread(call: Any) -> None:
    """A tournament has a loop of its own."""
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
