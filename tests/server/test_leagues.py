"""Leagues over HTTP: made by a host, joined with a code, handed in to, and what their process reports."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from arena.errors import ConfigError
from arena.games import GAMES
from arena.league.entering import REPORTED_MAX
from arena.league.league import LeagueSettings
from arena.league.moderation import set_paused
from arena.league.settings import new_league
from arena.refusal import Refusal
from arena.server.kept.keeping import not_kept, open_keeper
from arena.server.league import ladder_child
from arena.server.league.hosts import HOSTS, Hosts, add_host
from arena.server.league.ladder_child import LadderChild, LadderChildren
from arena.server.league.league_records import KeptLeagues, LeagueRecords
from arena.server.league.leagues import Leagues, OpenLeague
from arena.server.league.rest.apis import league_apis
from arena.server.league.small_files import Forgotten, note_forgotten
from arena.server.limits import LEAGUE_JOINS_AT_ONCE, LEAGUE_JOINS_PER_S
from arena.store.shown_names import names_beside, names_file
from tests.server.league_rest import AT, BOT, LeagueRest, league_rest, zipped
from tests.server.league_server import FakeProcess, a_league_server


async def test_from_a_new_league_to_a_version_that_plays(tmp_path: Path) -> None:
    """A host makes it, a student joins with the code and hands in; the process tries and plays it."""
    async with league_rest(folder=tmp_path) as rest:
        code = await rest.league()
        token = await rest.join("Ann", code)
        taken = await rest.post(f"{AT}/versions?bot=dicer", zipped(bot__py=BOT), token)
        assert ("b1@1", "waiting", True) == (
            taken["version"]["id"],
            taken["version"]["state"],
            taken["is_new"],
        )
        (asked,) = rest.process.field
        assert ("b1@1", "o1", "waiting") == (asked.id, asked.owner, asked.state)
        assert BOT == (asked.folder / "bot.py").read_bytes()
        rest.live.report("b1@1", "checking", waits_for="4 of 12 points")
        rest.live.report("b1@1", "playing", "all points passed")
        me = await rest.get(f"{AT}/me", token)
        (version,) = me["bots"][0]["versions"]
        assert ("playing", "all points passed") == (version["state"], version["reason"])
        assert 1 == (await rest.get(AT, token))["bots"]


# Who may what.

HOSTS_ONLY: list[tuple[str, str, Any]] = [
    ("POST", "/api/leagues", {"name": "other", "game": "liars-dice"}),
    ("POST", f"{AT}/settings", {"look": "public"}),
    ("POST", f"{AT}/pause", {}),
    ("POST", f"{AT}/resume", {}),
    ("POST", f"{AT}/messages", {"message": "hello"}),
    ("POST", f"{AT}/codes", {}),
    ("DELETE", f"{AT}/codes", None),
    ("POST", f"{AT}/roster", {"roster": "name\nAda"}),
    ("GET", f"{AT}/roster", None),
    ("GET", f"{AT}/owners/o1", None),
    ("DELETE", f"{AT}/owners/o1", None),
    ("POST", f"{AT}/owners/o1/ban", {}),
    ("DELETE", f"{AT}/owners/o1/ban", None),
    ("POST", f"{AT}/names/o1", {"shown": False}),
    ("POST", f"{AT}/bots/b1/exclude", {}),
    ("POST", f"{AT}/bots/b1/readmit", {}),
    ("POST", f"{AT}/bots/b1/retry", {"version": 1}),
]
OWNERS_OWN: list[tuple[str, str, Any]] = [
    ("POST", f"{AT}/owners/o1/name", {"name": "Cy"}),
    ("POST", f"{AT}/owners/o1/code", {}),
    ("DELETE", f"{AT}/owners/o1/tokens", None),
    ("POST", f"{AT}/bots/b1/roll-back", {"version": 1}),
    ("POST", f"{AT}/bots/b1/withdraw", {}),
    ("POST", f"{AT}/bots/b1/name", {"name": "Cy"}),
]


async def class_of_two(rest: LeagueRest, **settings: Any) -> tuple[str, str]:
    """The tokens of Ann (o1), who has handed in b1, and of Bob (o2)."""
    code = await rest.league(**settings)
    ann, bob = await rest.join("Ann", code), await rest.join("Bob", code)
    await rest.post(f"{AT}/versions", zipped(bot__py=BOT), ann)
    return ann, bob


async def test_nobody_does_what_is_not_theirs(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Without a token, with a wrong one, with another owner's, or an assistant's: refused, and nothing has changed."""
    async with league_rest(folder=tmp_path) as rest:
        ann, bob = await class_of_two(rest)
        assistant = add_host(tmp_path, "Kim", "assistant")
        before = rest.live.league
        for method, path, body in [*HOSTS_ONLY, *OWNERS_OWN]:
            for token, status in ((None, 401), ("nosuch", 401), (bob, 403)):
                found, told = await rest.ask(method, path, body, token)
                if path != "/api/leagues":  # which knows no owners
                    assert status == found, (method, path, token, told)
                assert found in (401, 403)
        for method, path, body in HOSTS_ONLY:
            assert 403 == (await rest.ask(method, path, body, ann))[0] or path == "/api/leagues", path
        for method, path, body in [*HOSTS_ONLY, *OWNERS_OWN]:
            found, told = await rest.ask(method, path, body, assistant)
            may = method == "GET" or path.endswith("/retry")
            assert (403 if not may else {200: 200, 409: 409}[found]) == found, (method, path, told)
        assert rest.live.league is before
        assert 1 == len(list(rest.server.leagues))


async def test_a_league_shows_itself_to_members_unless_it_is_public(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        paths = [AT, f"{AT}/owners", f"{AT}/bots", f"{AT}/bots/b1", f"{AT}/log"]
        assert [401] * 5 == [(await rest.ask("GET", path))[0] for path in paths]
        assert [] == await rest.get("/api/leagues")
        assert ["class"] == [each["name"] for each in await rest.get("/api/leagues", ann)]
        await rest.post(f"{AT}/settings", {"look": "public"}, rest.server.host)
        assert [200] * 5 == [(await rest.ask("GET", path))[0] for path in paths]
        assert ["class"] == [each["name"] for each in await rest.get("/api/leagues")]
        assert 401 == (await rest.ask("GET", f"{AT}/me"))[0]


async def test_nothing_of_an_owner_is_readable_for_another(tmp_path: Path) -> None:
    """Reasons, hashes, roster names, ids and teams: for hosts and the owner alone."""
    async with league_rest(folder=tmp_path) as rest:
        await rest.league(look="public")
        codes = await rest.post(
            f"{AT}/roster", {"roster": "name,team,id\nAda L,red,1815\nBo,blue,2"}, rest.server.host
        )
        tokens = [
            (await rest.post(f"{AT}/owners", {"code": each["code"], "name": name}))["token"]
            for each, name in zip(codes["codes"], ("Ann", "Bob"), strict=True)
        ]
        await rest.post(f"{AT}/versions", zipped(bot__py=BOT), tokens[0])
        rest.live.report("b1@1", "refused", "Secret reason in line 3", "a secret wait")
        hidden = ("Ada L", "red", "1815", "Secret", "secret", rest.live.league.entry("b1").versions[0].hash)
        for token in (None, tokens[1]):
            seen = ""
            for path in (AT, f"{AT}/owners", f"{AT}/bots", f"{AT}/bots/b1", f"{AT}/log", "/api/leagues"):
                seen += str(await rest.get(path, token))
            assert [] == [word for word in hidden if word in seen]
        mine = str(await rest.get(f"{AT}/me", tokens[0])) + str(await rest.get(f"{AT}/bots/b1", tokens[0]))
        assert [] == [word for word in hidden if word not in mine]
        assert "Ada L,red,1815,o1,Ann,1,0" in (await rest.get(f"{AT}/roster", rest.server.host))["csv"]


async def test_who_is_banned_looks_and_does_nothing(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        rest.live.report("b1@1", "playing")
        await rest.post(f"{AT}/owners/o1/ban", {"reason": "rude"}, rest.server.host)
        assert [] == rest.process.ids
        for path, body in (
            (f"{AT}/versions", b"x"),
            (f"{AT}/bots/b1/withdraw", {}),
            (f"{AT}/owners/o1/name", {"name": "C"}),
        ):
            status, told = await rest.ask("POST", path, body, ann)
            assert (403, True) == (status, "rude" in told["message"])
        assert "rude" == (await rest.get(f"{AT}/me", ann))["owner"]["ban"]


# Codes and tokens


async def test_forty_people_join_from_one_address(tmp_path: Path, autojump_clock: MockClock) -> None:
    """At the same moment, with the code: nobody is refused or waits."""
    async with league_rest(folder=tmp_path) as rest:
        code = await rest.league()
        async with trio.open_nursery() as nursery:
            for number in range(40):
                nursery.start_soon(rest.join, f"student {number}", code)
        assert (40, 0.0) == (len(rest.live.league.owners), trio.current_time())


async def test_one_address_does_not_fill_a_league(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Whoever is refused for another reason is not counted."""
    async with league_rest(folder=tmp_path) as rest:
        await rest.league(join="open", code="any code")
        statuses = [
            (await rest.ask("POST", f"{AT}/owners", {"name": f"n{number}"}))[0]
            for number in range(LEAGUE_JOINS_AT_ONCE)
        ]
        assert {201} == set(statuses)
        status, told = await rest.ask("POST", f"{AT}/owners", {"name": "one more"})
        assert (429, "league_joins", 1 / LEAGUE_JOINS_PER_S) == (status, told["key"], told["seconds"])
        await trio.sleep(1 / LEAGUE_JOINS_PER_S)
        assert 409 == (await rest.ask("POST", f"{AT}/owners", {"name": "n1"}))[0]
        assert 201 == (await rest.ask("POST", f"{AT}/owners", {"name": "one more"}))[0]


async def test_a_lost_token(tmp_path: Path) -> None:
    """The host revokes it and gives a code, which makes another one for the same owner, once."""
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        await rest.ask("DELETE", f"{AT}/owners/o1/tokens", token=rest.server.host)
        assert 401 == (await rest.ask("GET", f"{AT}/me", token=ann))[0]
        code = (await rest.post(f"{AT}/owners/o1/code", {}, rest.server.host))["code"]
        again = await rest.post(f"{AT}/owners", {"code": code.lower()})
        assert "o1" == again["owner"]
        assert "b1" == (await rest.get(f"{AT}/me", again["token"]))["bots"][0]["id"]
        assert 409 == (await rest.ask("POST", f"{AT}/owners", {"code": code}))[0]


def test_hosts_of_a_folder(tmp_path: Path) -> None:
    """The first start makes a token, later ones none; of tokens the file has the hashes, for its owner alone."""
    hosts = Hosts(tmp_path)
    token = hosts.first_token()
    assert token is not None
    assert None is Hosts(tmp_path).first_token()
    found = hosts.find(token)
    assert found is not None
    assert ("host", "host") == (found.name, found.role)
    other = add_host(tmp_path, "Kim", "assistant")
    again = add_host(tmp_path, "host", "host")
    assert ["assistant", "host"] == [hosts.find(each).role for each in (other, again)]  # type: ignore[union-attr]
    assert hosts.find(token) is None, "the new one is in its place"
    assert 0o600 == os.stat(tmp_path / HOSTS).st_mode & 0o777
    text = (tmp_path / HOSTS).read_text()
    assert not any(each in text for each in (token, other, again))
    with pytest.raises(ConfigError, match="name"):
        add_host(tmp_path, "a\nb", "host")
    (tmp_path / HOSTS).write_text("no JSON")
    assert hosts.find(again) is None


# The process that plays


async def test_a_process_is_told_what_changes_for_it_alone(tmp_path: Path) -> None:
    """What plays and what is to be tried; not each state that it has reported itself."""
    async with league_rest(folder=tmp_path) as rest:
        ann, bob = await class_of_two(rest)
        process = rest.process
        told = process.told
        rest.live.report("b1@1", "building")
        rest.live.report("b1@1", "checking", "", "4 of 12")
        await rest.post(f"{AT}/messages", {"message": "hello"}, rest.server.host)
        assert told == process.told
        rest.live.report("b1@1", "playing")
        await rest.post(f"{AT}/versions", zipped(bot__py=BOT + b"# 2\n"), ann)
        await rest.post(f"{AT}/versions", zipped(bot__py=BOT), bob)
        assert ["b1@1", "b1@2", "b2@1"] == process.ids
        rest.live.report("b1@2", "playing")
        assert ["b1@2", "b2@1"] == process.ids
        await rest.post(f"{AT}/bots/b1/roll-back", {"version": 1}, rest.server.host)
        assert ["b1@1", "b2@1"] == process.ids
        await rest.post(f"{AT}/pause", {}, rest.server.host)
        assert process.is_paused
        assert ["b1@1", "b2@1"] == process.ids
        other = FakeProcess()
        rest.live.detach()
        rest.live.attach(other)
        assert (["b1@1", "b2@1"], True) == (other.ids, other.is_paused)


async def test_a_league_without_a_process_says_so(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        rest.live.detach()
        league = await rest.get(AT, ann)
        assert (False, "It is not played at the moment: what is handed in waits.") == (
            league["is_played"],
            league["state"],
        )
        taken = await rest.post(f"{AT}/versions", zipped(bot__py=BOT + b"#"), ann)
        assert taken["said"].endswith("the league is not played at the moment")


async def test_news_of_a_version_come_when_there_are_some(tmp_path: Path, autojump_clock: MockClock) -> None:
    """A request waits until something has changed, and for as long as it says."""
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        version = (await rest.get(f"{AT}/bots/b1", ann))["version"]

        async def report() -> None:
            await trio.sleep(7)
            rest.live.report("b1@1", "refused", "x" * (REPORTED_MAX + 1))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(report)
            bot = await rest.get(f"{AT}/bots/b1?after={version}&wait=20", ann)
        assert ("refused", REPORTED_MAX) == (bot["versions"][0]["state"], len(bot["versions"][0]["reason"]))
        assert 7 == trio.current_time()
        await rest.get(f"{AT}/me?after={bot['version']}&wait=20", ann)
        assert 27 == trio.current_time()


# What is kept


def test_leagues_are_there_after_a_restart_and_of_secrets_only_hashes(tmp_path: Path) -> None:
    """All of each, in its order; also of a folder whose database has no leagues yet."""

    async def begin() -> list[str]:
        with open_keeper(tmp_path, tell=print) as keeper:
            records = KeptLeagues(keeper)
            async with trio.open_nursery() as nursery, league_rest(folder=tmp_path, records=records) as rest:
                await nursery.start(keeper.run)
                code = await rest.league(look="public", rules={"dice": 3})
                tokens = [await rest.join(f"student {number}", code) for number in range(12)]
                for number, token in enumerate(tokens):
                    await rest.post(f"{AT}/versions", zipped(bot__py=b"# %d\n" % number), token)
                rest.live.report("b3@1", "playing", "fine")
                await rest.post(f"{AT}/codes", {"code": "other code"}, rest.server.host)
                await rest.ask("DELETE", f"{AT}/owners/o2", token=rest.server.host)
                left.append(rest.live.league)
                nursery.cancel_scope.cancel()
        return [code, *tokens, rest.server.host, "other code"]

    left: list[Any] = []
    secrets = trio.run(begin)
    with open_keeper(tmp_path, tell=print) as keeper:
        notes: list[str] = []
        (league,) = KeptLeagues(keeper).leagues(notes.append)
    assert (left[0], []) == (league, notes)
    assert [f"o{number}" for number in range(1, 13)] == list(league.owners)
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("*") if path.is_file())
    assert [] == [secret for secret in secrets if secret.encode() in kept]


def test_a_league_that_cannot_be_read_is_told_and_left(tmp_path: Path) -> None:
    async def put() -> None:
        with open_keeper(tmp_path, tell=print) as keeper:
            keeper.put_league_row("broken", "head", "", b"{}")
            async with trio.open_nursery() as nursery:
                await nursery.start(keeper.run)
                await keeper.kept()
                nursery.cancel_scope.cancel()

    trio.run(put)
    with open_keeper(tmp_path, tell=print) as keeper:
        notes: list[str] = []
        assert [] == list(KeptLeagues(keeper).leagues(notes.append))
        assert 1 == len(notes)
        assert 1 == len(keeper.league_rows())
        KeptLeagues(keeper).drop("broken")
        keeper._commit(keeper._waiting)
        assert [] == keeper.league_rows()


async def test_while_the_disk_fails_nothing_is_done(tmp_path: Path) -> None:
    """Who asks is told 503, and when to try again; reports of the process count all the same."""

    class Failing(LeagueRecords):
        fails = False

        def check(self) -> None:
            if self.fails:
                raise Refusal("unavailable", "the disk fails", key="disk", seconds=1.0)

    records = Failing()
    async with league_rest(folder=tmp_path, records=records) as rest:
        ann, _ = await class_of_two(rest)
        records.fails = True
        before = rest.live.league
        for method, path, body in [*HOSTS_ONLY, *OWNERS_OWN, ("POST", f"{AT}/owners", {"name": "x"})]:
            for token in (rest.server.host, ann):
                status, told = await rest.ask(method, path, body, token)
                assert method == "GET" or (503, "disk") == (status, told.get("key")), (path, told)
        assert rest.live.league is before
        rest.live.report("b1@1", "playing")
        assert ["b1@1"] == rest.process.ids


async def test_who_could_not_be_kept_may_join_again(tmp_path: Path) -> None:
    """The disk fails just then: nobody has the token, so the name and the code are free."""

    class Failing(LeagueRecords):
        fails = False

        async def kept(self) -> None:
            if self.fails:
                raise not_kept()

    records = Failing()
    async with league_rest(folder=tmp_path, records=records) as rest:
        await rest.league()
        codes = await rest.post(f"{AT}/roster", {"roster": "name\nAda"}, rest.server.host)
        body = {"code": codes["codes"][0]["code"], "name": "Ann"}
        records.fails = True
        status, told = await rest.ask("POST", f"{AT}/owners", body)
        assert (503, "not_kept") == (status, told["key"])
        records.fails = False
        assert "Ann" == (await rest.post(f"{AT}/owners", body))["name"]


async def test_a_league_that_cannot_be_kept_leaves_nothing(tmp_path: Path) -> None:
    """No process is started for it, its rows are dropped, and its name is free once the disk works."""

    class Failing(LeagueRecords):
        fails = True
        dropped = ""

        async def kept(self) -> None:
            if self.fails:
                raise not_kept()

        def drop(self, name: str) -> None:
            self.dropped = name

    records = Failing()
    body = {"name": "class", "game": "liars-dice"}
    async with league_rest(folder=tmp_path, records=records) as rest:
        status, told = await rest.ask("POST", "/api/leagues", body, rest.server.host)
        assert (503, "disk", "class") == (status, told["key"], records.dropped)
        assert 0 == rest.process.told
        assert 404 == (await rest.ask("GET", AT, token=rest.server.host))[0]
        records.fails = False
        await rest.post("/api/leagues", body, rest.server.host)
        assert 1 == rest.process.told


async def test_leagues_divide_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each that does not rest has an equal part of what all may keep busy, also once another one is made."""
    monkeypatch.setattr(ladder_child, "spare_cores", lambda: 6)
    monkeypatch.setattr(LadderChild, "run", staticmethod(trio.sleep_forever))
    leagues = [
        OpenLeague(
            new_league(LeagueSettings(name, "liars-dice"), "eva", 1.0), LeagueRecords(), tmp_path, float
        )
        for name in "abc"
    ]
    async with trio.open_nursery() as nursery:
        children = LadderChildren(nursery, tmp_path, print)
        for live in leagues:
            children.open(live)
            live.attach(children._children[-1])
        assert [2, 2, 2] == [child.cores for child in children._children]
        leagues[0].change(set_paused(leagues[0].league, "eva", True, 2.0))
        assert [3, 3] == [child.cores for child in children._children[1:]]
        leagues[0].change(set_paused(leagues[0].league, "eva", False, 3.0))
        assert [2, 2, 2] == [child.cores for child in children._children]
        nursery.cancel_scope.cancel()


async def test_what_a_host_does_to_a_bot_of_others_is_in_the_log(tmp_path: Path) -> None:
    """And what its owner does is not."""
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        rest.live.report("b1@1", "playing")
        await rest.post(f"{AT}/bots/b1/withdraw", {}, ann)
        before = await rest.get(f"{AT}/log", ann)
        await rest.post(f"{AT}/bots/b1/roll-back", {"version": 1}, rest.server.host)
        await rest.post(f"{AT}/bots/b1/withdraw", {}, rest.server.host)
        after = await rest.get(f"{AT}/log?after={before[-1]['number']}", ann)
        assert ["has b1@1 play again", "withdraws b1"] == [line["text"] for line in after]


# What is asked wrongly


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"name": "Class", "game": "liars-dice"}, 400, "name"),
        ({"name": "class", "game": "liars-dice"}, 409, "name"),
        ({"name": "other", "game": "chess"}, 400, "game"),
        ({"name": "other", "game": "liars-dice", "rules": {"dice": "x"}}, 400, "rules"),
        ({"name": "other", "game": "liars-dice", "seats": 99}, 400, "seats"),
        ({"name": "other", "game": "liars-dice", "look": "nobody"}, 400, "look"),
        ({"name": "other", "game": "liars-dice", "code": "a-b c"}, 400, "code"),
        ({"name": "other"}, 400, "game"),
    ],
)
async def test_leagues_that_cannot_be(tmp_path: Path, body: Any, status: int, field: str) -> None:
    async with league_rest(folder=tmp_path) as rest:
        await rest.league()
        found, told = await rest.ask("POST", "/api/leagues", body, rest.server.host)
        assert (status, field, 1) == (found, told["field"], len(list(rest.server.leagues))), told


@pytest.mark.parametrize("game", [name for name, cls in GAMES.items() if cls.reserved_names])
async def test_a_league_knows_the_words_of_its_game(tmp_path: Path, game: str) -> None:
    async with league_rest(folder=tmp_path) as rest:
        code = await rest.league(game=game)
        word = min(GAMES[game].reserved_names)
        status, told = await rest.ask("POST", f"{AT}/owners", {"name": word, "code": code})
        assert (400, "name") == (status, told["field"])


async def test_a_code_for_a_closed_league(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        code = await rest.league()
        await rest.post(f"{AT}/settings", {"join": "closed"}, rest.server.host)
        status, told = await rest.ask("POST", f"{AT}/owners", {"name": "Ann", "code": code})
        assert (403, True) == (status, "takes nobody new" in told["message"])


async def test_a_league_that_is_not_there(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        for method, path, body in [*HOSTS_ONLY[1:], *OWNERS_OWN]:
            assert 404 == (await rest.ask(method, path, body, rest.server.host))[0], path


def put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


async def test_forgetting_deletes_what_one_alone_has_handed_in(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        ann, bob = await class_of_two(rest)
        await rest.post(f"{AT}/versions", zipped(bot__py=BOT), bob)
        await rest.post(f"{AT}/versions", zipped(bot__py=b"# mine\n"), ann)
        assert 2 == len(list(rest.server.leagues.bots.iterdir()))
        logs = tmp_path / "leagues" / "class" / "logs"
        for bot in ("b1%401", "b2%401"):
            put(logs / f"{bot}-1.log", "bid 3 fives")
        status, told = await rest.ask("DELETE", f"{AT}/owners/o1", token=rest.server.host)
        removed = [told[what] for what in ("bots", "people", "hand_ins", "logs")]
        assert (200, [["b1"], 1, 1, 1]) == (status, removed)
        assert ["b2%401-1.log"] == os.listdir(logs)
        (left,) = rest.server.leagues.bots.iterdir()
        assert BOT == (left / "bot.py").read_bytes()
        assert ["o2"] == [each["id"] for each in await rest.get(f"{AT}/owners", bob)]
        assert ["b2@1"] == rest.process.ids


async def test_names_lie_beside_the_folder_as_long_as_they_are_known(tmp_path: Path) -> None:
    """Renamed, hidden and forgotten there too; an older copy of the league brings nobody back."""
    folder = tmp_path / "leagues" / "class"
    async with league_rest(folder=tmp_path) as rest:
        ann, bob = await class_of_two(rest)
        await rest.post(f"{AT}/bots/b1/name", {"name": "Shark"}, ann)
        await rest.post(f"{AT}/versions", zipped(bot__py=BOT), bob)
        assert "Shark@1, Bob@1" == names_beside(folder).said("b1@1, b2@1")
        await rest.post(f"{AT}/bots/b2/name", {"name": "Wolf"}, bob)
        assert "Wolf@1" == names_beside(folder).said("b2@1")
        await rest.post(f"{AT}/names/b2", {"shown": False}, rest.server.host)
        assert "b2@1" == names_beside(folder).said("b2@1")
        before = rest.live.league
        await rest.ask("DELETE", f"{AT}/owners/o1", token=rest.server.host)
        assert b"Shark" not in names_file(folder).read_bytes()
    again = a_league_server(tmp_path)
    again.leagues.restore([before])
    live = again.leagues.find("class")
    assert live.league.owners["o1"].forgotten_at is not None
    assert "" == live.league.entries["b1"].name
    assert b"Shark" not in names_file(folder).read_bytes()


async def test_what_was_half_forgotten_is_forgotten_at_the_next_start(tmp_path: Path) -> None:
    """The server was killed once it had noted whom to forget."""
    async with league_rest(folder=tmp_path) as rest:
        ann, bob = await class_of_two(rest)
        await rest.post(f"{AT}/versions", zipped(bot__py=b"# mine\n"), ann)
        await rest.post(f"{AT}/versions", zipped(bot__py=BOT), bob)
        note_forgotten(tmp_path, Forgotten("class", rest.live.league.made_at, "o1"))
        before = rest.live.league
    leagues = Leagues(LeagueRecords(), tmp_path, now=lambda: 2000.0)
    leagues.restore([before])
    league_apis(leagues, Hosts(tmp_path))
    (left,) = leagues.bots.iterdir()
    assert BOT == (left / "bot.py").read_bytes()
    assert 2000.0 == leagues.find("class").league.owners["o1"].forgotten_at


async def test_a_disk_is_filled_by_nobody(tmp_path: Path) -> None:
    """Of hand-ins that are refused, or make room, nothing stays; a league rests while its matches take too much."""
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        await rest.post(f"{AT}/settings", {"owner_mb": 1}, rest.server.host)
        for letter in (b"a", b"b"):
            await rest.post(f"{AT}/versions?file=bot.py", b"#" + 600_000 * letter, ann)
        status, told = await rest.ask("POST", f"{AT}/versions?file=bot.py", b"#" * (2 << 20), ann)
        assert (429, "owner_mb") == (status, told["key"])
        (left,) = rest.server.leagues.bots.iterdir()
        assert b"#b" == (left / "bot.py").read_bytes()[:2]
        rest.live.note_full(True)
        assert rest.process.is_paused
        assert "matches_gb" in (await rest.get(AT, ann))["state"]
        rest.live.note_full(False)
        assert not rest.process.is_paused


async def test_an_owner_downloads_what_it_has_handed_in(tmp_path: Path) -> None:
    """As a zip, which is the same hand-in again; nobody else does."""
    async with league_rest(folder=tmp_path) as rest:
        ann, bob = await class_of_two(rest)
        path = f"{AT}/bots/b1/versions/1"
        response = await rest.http.get(path, headers={"Authorization": f"Bearer {ann}"})
        assert (200, "application/zip") == (response.status_code, response.headers["content-type"])
        again = await rest.post(f"{AT}/versions", response.content, ann)
        assert not again["is_new"]
        assert [401, 403] == [(await rest.ask("GET", path, token=token))[0] for token in (None, bob)]
        for wrong in ("2", "0", "x", "9" * 5000):
            assert 404 == (await rest.ask("GET", f"{AT}/bots/b1/versions/{wrong}", token=ann))[0]
        for folder in rest.server.leagues.bots.iterdir():
            folder.rename(tmp_path / "elsewhere")
        status, told = await rest.ask("GET", path, token=ann)
        assert (404, True) == (status, "not on the server any more" in told["message"])


async def test_lists_are_not_sent_again_to_whoever_has_them(tmp_path: Path) -> None:
    async with league_rest(folder=tmp_path) as rest:
        ann, _ = await class_of_two(rest)
        headers = {"Authorization": f"Bearer {ann}"}
        for path in (f"{AT}/bots", f"{AT}/owners"):
            first = await rest.http.get(path, headers=headers)
            tag = {"If-None-Match": first.headers["etag"]}
            assert 304 == (await rest.http.get(path, headers=headers | tag)).status_code
            await rest.post(f"{AT}/owners/o1/name", {"name": f"Ann{len(path)}"}, ann)
            assert 200 == (await rest.http.get(path, headers=headers | tag)).status_code
