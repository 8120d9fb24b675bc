"""A class and its server: lives of the server, requests, owners and a host who do what the world says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import attrs
import trio
import trio.testing

from arena.league.league import QUEUED, League
from arena.server.http.endpoints import routes_to
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.routing import Routing
from arena.server.kept.keeping import RETRY_S, open_keeper
from arena.server.league.hosts import Hosts
from arena.server.league.ladder_child import FOLDER, LadderChildren
from arena.server.league.league_records import KeptLeagues
from arena.server.league.leagues import Leagues
from arena.server.league.rest.apis import league_apis

from ..houses.life import EPOCH_S, Disk
from ..houses.town import Answer, request
from ..network import Trace
from .bots import HABITS, archive_of
from .process import Books, Supervised
from .world import ClassOwner, ClassWorld, PlannedHandIn

NAME = "class"
AT = f"/api/leagues/{NAME}"
CODE = "the code of the class"
START_S = 0.3
SETTLED_S = 4 * 3600.0
"""How long it may take, after all that befell the class, until every version is tried."""
LOOK_S = 30.0


@attrs.define
class Acknowledged:
    """What people were told that is so."""

    owners: dict[str, str] = attrs.field(factory=dict)
    """Token -> owner."""
    versions: dict[tuple[str, int], tuple[str, str]] = attrs.field(factory=dict)
    """Bot and number -> its owner's token, and its habit."""
    refused: int = 0
    """How many hand-ins were refused as they came, which was right."""


class ServerLife:
    """The server's half from one start to its end."""

    def __init__(self, school: School, number: int) -> None:
        self.is_up = self.is_over = False
        self.requests: set[trio.CancelScope] = set()
        self.disk = Disk(
            school.world,
            school.trace,
            Random(f"disk/{school.world.seed}/{number}"),
            lambda: None,  # type: ignore[arg-type]
        )
        self._school = school
        self._scope = trio.CancelScope()

    def kill(self) -> None:
        """Ends it; its processes end with it, and nothing is written from here on."""
        if not self.is_over:
            self._school.trace.note("server killed")
            self.is_over, self.disk.is_dead = True, True
            if (life := self._school.supervised.life) is not None:
                life.kill()
            self._scope.cancel()
            for request in self.requests:
                request.cancel()

    async def run(self) -> None:
        school = self._school
        with (
            self._scope,
            open_keeper(school.folder, tell=lambda said: None, in_thread=self.disk.commit) as keeper,
        ):
            records = KeptLeagues(keeper)
            async with trio.open_nursery() as nursery:
                children = LadderChildren(nursery, school.folder, school.hear)
                self.leagues = Leagues(records, school.folder, now=school.now, opened=children.open)
                self.leagues.restore(list(records.leagues(school.note_wrong)))
                await nursery.start(keeper.run)
                apis = league_apis(self.leagues, Hosts(school.folder))
                routes = [route for api in apis for route in routes_to(api.endpoints())]
                self.app = Guard(
                    Routing(routes), GuardOptions(), lambda bug: school.note_wrong(f"a bug of ours: {bug}")
                )
                self.is_up = True
                await trio.sleep_forever()


class School:
    """A class, its host and its server."""

    def __init__(self, world: ClassWorld, folder: Path, trace: Trace) -> None:
        self.world = world
        self.folder = folder
        self.trace = trace
        self.books = Books()
        self.told = Acknowledged()
        self.wrong: list[str] = []
        self.supervised = Supervised(self.results, self.books, trace, self.note_wrong)
        self._lives: list[ServerLife] = []
        self._rng = Random(f"school/{world.seed}")
        folder.mkdir(parents=True)
        self._host = Hosts(folder).first_token() or ""

    @property
    def results(self) -> Path:
        return self.folder / FOLDER / NAME

    @property
    def league(self) -> League:
        return self.life.leagues.find(NAME).league

    @property
    def life(self) -> ServerLife:
        return self._lives[-1]

    def now(self) -> float:
        return EPOCH_S + trio.current_time()

    def note_wrong(self, said: str) -> None:
        self.wrong.append(said)

    def hear(self, sentence: str) -> None:
        self.trace.note("said", sentence.replace(str(self.folder), ""))
        if not any(each in sentence for each in ("killed", "exit code 0", "the disk is full")):
            self.note_wrong(f"the server said {sentence!r}")

    # The halves.

    async def serve(self) -> None:
        """Lives of the server, one after the other, until cancelled."""
        while True:
            life = ServerLife(self, len(self._lives))
            self._lives.append(life)
            await life.run()
            await trio.sleep(START_S)

    async def befall(self) -> None:
        """Kills one half or the other."""
        for kill in self.world.kills:
            await trio.sleep_until(kill.at_s)
            if kill.half == "server":
                self.life.kill()
            elif (process := self.supervised.life) is not None:
                process.fill() if kill.half == "disk" else process.kill(kill.statement)

    async def restart(self) -> None:
        await self._up()
        self.life.kill()
        await self._up()

    async def _up(self) -> None:
        while not self._lives or self.life.is_over or not self.life.is_up:  # noqa: ASYNC110
            await trio.sleep(0.1)

    # Requests.

    async def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Answer | None:
        """An answer; None if the server ended before it came."""
        await self._up()
        life, answer = self.life, None
        with trio.CancelScope() as scope:
            life.requests.add(scope)
            try:
                answer = await request(life.app, method, path, body, token)
            finally:
                life.requests.discard(scope)
        if life.is_over or answer is None:
            return None
        self.trace.note(f"{method} {answer.status}", path.partition("?")[0])
        if answer.status == 429 or (answer.status >= 500 and answer.status != 503):
            self.note_wrong(f"{method} {path}: {answer}")
        return answer

    async def surely(self, method: str, path: str, body: Any = None, token: str | None = None) -> Answer:
        """An answer other than that the disk fails, however often it must be asked for."""
        while True:
            answer = await self.ask(method, path, body, token)
            if answer is not None and answer.status != 503:
                return answer
            await trio.sleep(RETRY_S)

    # People.

    async def live(self) -> None:
        """All that the class and its host do."""
        made = {"name": NAME, "game": "liars-dice", "rules": {"dice": 1}, "code": CODE}
        status = (await self.surely("POST", "/api/leagues", made, self._host)).status
        assert status in (201, 409), "409: it was made, and the server ended before it could say so"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.befall)
            nursery.start_soon(self._host_acts)
            for owner in self.world.owners:
                nursery.start_soon(self._attend, owner)
        await trio.sleep_until(self.world.ends_s)

    async def _attend(self, owner: ClassOwner) -> None:
        await trio.sleep_until(owner.joins_at)
        token, bot = await self._join(owner.name), ""
        async with trio.open_nursery() as nursery:
            for number, planned in enumerate(owner.hand_ins):
                await trio.sleep_until(planned.at_s)
                bot = await self._hand_in(token, planned, f"{owner.name} {number}") or bot
            for at_s, act in ((owner.withdraws_at, "withdraw"), (owner.goes_back_at, "roll-back")):
                if at_s is not None and bot:
                    nursery.start_soon(self._act_at, at_s, f"{AT}/bots/{bot}/{act}", token)

    async def _join(self, name: str) -> str:
        """The token of a newcomer, under another name if one was taken by a request without an answer."""
        while True:
            answer = await self.surely("POST", f"{AT}/owners", {"name": name, "code": CODE})
            if answer.status == 201:
                token = str(answer.body["token"])
                self.told.owners[token] = answer.body["owner"]
                return token
            assert answer.status == 409, answer
            name = f"{name} again"

    async def _hand_in(self, token: str, planned: PlannedHandIn, nonce: str) -> str | None:
        """Hands in; returns the bot's id."""
        archive = archive_of(planned.habit, planned.pace_s, nonce)
        answer = await self.surely("POST", f"{AT}/versions", archive, token)
        if HABITS[planned.habit].fate == "not taken":
            self.told.refused += 1
            if answer.status != 400:
                self.note_wrong(f"a hand-in that {planned.habit} is answered {answer}")
            return None
        if answer.status == 403:  # it is excluded meanwhile
            return None
        assert answer.status in (200, 201), answer
        bot, number = answer.body["bot"]["id"], answer.body["version"]["number"]
        self.told.versions[bot, number] = token, planned.habit
        return str(bot)

    async def _act_at(self, at_s: float, path: str, token: str) -> None:
        await trio.sleep_until(at_s)
        body = {"version": 1} if path.endswith("roll-back") else {}
        answer = await self.surely("POST", path, body, token)
        assert answer.status in (200, 403, 409, 429), answer

    async def _host_acts(self) -> None:
        async with trio.open_nursery() as nursery:
            if self.world.pauses_at is not None:
                nursery.start_soon(self._pause, self.world.pauses_at)
            if self.world.excludes_at is not None:
                nursery.start_soon(self._exclude, self.world.excludes_at)

    async def _pause(self, at_s: float) -> None:
        await trio.sleep_until(at_s)
        await self.surely("POST", f"{AT}/pause", {}, self._host)
        await trio.sleep(60.0)
        await self.surely("POST", f"{AT}/resume", {}, self._host)

    async def _exclude(self, at_s: float) -> None:
        await trio.sleep_until(at_s)
        bots = (await self.surely("GET", f"{AT}/bots", token=self._host)).body
        if bots:
            bot = self._rng.choice([each["id"] for each in bots])
            await self.surely("POST", f"{AT}/bots/{bot}/exclude", {"reason": "for a while"}, self._host)
            await trio.sleep(90.0)
            await self.surely("POST", f"{AT}/bots/{bot}/readmit", {}, self._host)

    async def settle(self) -> None:
        """Nothing befalls it any more; returns once all is tried and some batches have gone by."""
        await self._up()
        self.life.disk.is_sound = True
        with trio.move_on_after(SETTLED_S):
            while any(each.state in QUEUED for _, each in versions_of(self.league)):  # noqa: ASYNC110
                await trio.sleep(LOOK_S)
        await trio.sleep(2 * self.world.batch_s + LOOK_S)


def versions_of(league: League) -> Iterator[tuple[Any, Any]]:
    """All versions of a league, with their bots."""
    for entry in league.entries.values():
        for version in entry.versions:
            yield entry, version


__all__ = ["AT", "School", "versions_of"]
