"""A server that ends and starts again, how people reach it, and what it is asked in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio
import trio.testing

from arena.server.kept.keeping import RETRY_S

from ..network import Trace
from .ledger import Ledger, Person, Played
from .life import Life
from .world import World

START_S = 0.3
"""How long the server takes to start: versions count milliseconds, and one that starts in no time might repeat them."""
STEPS_MAX = 300_000
"""One that takes more steps of tasks goes round in a circle."""


@attrs.frozen
class Answer:
    """What the server answered."""

    status: int
    octets: bytes

    @property
    def body(self) -> Any:
        return msgspec.json.decode(self.octets)


class Town(trio.abc.Instrument):
    """A server that ends and starts again, and how people reach it."""

    def __init__(self, world: World, folder: Path, trace: Trace) -> None:
        self.world = world
        self.ledger = Ledger()
        self.trace = trace
        self.at: list[str] = []
        """The paths of the tables that there are."""
        self._folder = folder
        self._lives: list[Life] = []
        self._next_up = trio.Event()
        self._steps = 0
        self._stays = False
        """Whether nothing befalls it any more."""

    @property
    def life(self) -> Life:
        return self._lives[-1]

    def before_task_step(self, task: object) -> None:
        self._steps += 1
        assert self._steps < STEPS_MAX, "it goes round in a circle"
        if self._lives:
            self.life.note("step")

    # The server

    async def serve(self) -> None:
        """Lives of the server, one after the other, until cancelled."""
        while True:
            number = len(self._lives)
            end = self.world.ends[number] if number < len(self.world.ends) and not self._stays else None
            life = Life(self.world, self._folder, number, end, self.trace, self.ledger.wrong.append)
            life.disk.is_sound = self._stays
            self._lives.append(life)
            await life.run(self._note_up)
            self.ledger.end_life(number)
            await trio.sleep(START_S)

    def _note_up(self, life: Life) -> None:
        life.is_up = True
        self._next_up.set()
        self._next_up = trio.Event()

    async def up(self) -> None:
        """Returns once the server can be asked."""
        while not self._lives or self.life.is_over or not self.life.is_up:
            await self._next_up.wait()

    async def settle(self) -> None:
        """From here on nothing befalls it; it has written what waited, and then it starts again."""
        self._stays = True
        await self.up()
        self.life.end, self.life.disk.is_sound = None, True
        await trio.sleep(3 * RETRY_S)
        await self.restart()

    async def restart(self) -> None:
        await self.up()
        self.life.finish(is_killed=True)
        await self.up()
        await trio.sleep(1.0)

    # Requests

    async def ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answer | None:
        """An answer; None if the server ended before it came, after which it runs again."""
        await self.up()
        life = self.life
        self.ledger.requests += 1
        sent = self.ledger.requests
        answer = None
        if not life.is_over:
            with trio.CancelScope() as scope:
                life.requests.add(scope)
                try:
                    answer = await request(life.app, method, path, body, key)
                finally:
                    life.requests.discard(scope)
        if life.is_over or answer is None:
            await trio.sleep(0.01)
            await self.up()
            return None
        self.trace.note(f"{method} {answer.status}", path, body)
        if answer.status >= 500 and answer.status != 503:
            self.ledger.wrong.append(f"{method} {path} {body}: {answer}")
        if method != "GET" and answer.status in (200, 201):
            self.ledger.note_kept(sent)
            life.note("acknowledged")
            if method == "DELETE":
                life.note("left")
        return answer

    async def surely(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answer:
        """An answer other than that the disk fails, however often it must be asked for."""
        while True:
            answer = await self.ask(method, path, body, key)
            if answer is not None and answer.status != 503:
                return answer
            await trio.sleep(RETRY_S)

    async def look(self, at: str, person: Person | None, query: str = "") -> Answer | None:
        """A table as somebody sees it now."""
        answer = await self.ask("GET", at + query, key=None if person is None else person.key)
        if answer is not None and answer.status == 200:
            self.ledger.note_told(answer.body, self.life.number, person, at)
        return answer

    # In the end

    async def check(self) -> None:
        """Asks for all that was acknowledged, twice, with a kill between."""
        wrong = self.ledger.wrong
        found = []
        for _ in range(2):
            for at in self.ledger.tables:
                await self._check_table(at)
            played = dict(self._played())
            wrong += self.ledger.wrong_matches(played)
            wrong += self._lost(played)
            found.append(
                {match_id: (match.turns, match.ranks) for match_id, match in played.items() if match.ranks}
            )
            if wrong:
                return
            await self.restart()
        self.trace.counts["matches"] += len(found[0])
        self.trace.counts["turns"] += sum(len(turns) for turns, _ in found[0].values())
        self.trace.counts["views checked"] += len(self.ledger.told)
        self.trace.counts["steps"] += self._steps
        for match_id, match in found[0].items():
            if dict(self._played())[match_id].turns != match[0]:
                wrong.append(f"{match_id} is another after a restart")

    async def _check_table(self, at: str) -> None:
        wrong = self.ledger.wrong
        persons = [person for person in self.ledger.persons if person.at == at]
        shown = await self.look(at, None)
        assert shown is not None
        if shown.status == 404:
            stayed = [person.name for person in persons if not person.has_left and not person.may_have_left]
            if stayed or not persons:
                wrong.append(f"{at} is gone, and {stayed} were there: {shown.body}")
            return
        for person in persons:
            answer = await self.look(at, person)
            assert answer is not None
            if person.has_left and answer.status != 401:
                wrong.append(f"{person.name} has left {at}, and is answered {answer}")
            if not person.has_left and not person.may_have_left:
                name = answer.body["you"]["nickname"] if answer.status == 200 else None
                if name != person.name:
                    wrong.append(f"{person.name} joined {at}, and is answered {answer}")
        said = [line["message"] for line in shown.body["chat"]]
        for (where, message), is_acknowledged in self.ledger.messages.items():
            if where == at and not (is_acknowledged <= said.count(message) <= 1):
                wrong.append(f"{message!r} is {said.count(message)} times in the chat of {at}")
        begun = 0 if shown.body["match"] is None else shown.body["match"]["number"]
        if begun < self.ledger.matches.get(at, 0):
            wrong.append(f"{self.ledger.matches[at]} matches have begun at {at}, and it knows of {begun}")

    def _played(self) -> Iterator[tuple[str, Played]]:
        """The matches that there are: those of open tables, and those of the archive, which count more."""
        for live in self.life.house:
            if (match := live.match) is not None:
                moments = match.so_far.turns
                yield match.terms.match_id, Played(match.game, match.terms.names, tuple(moments), ())
        rows = self.life.archive._store.rows("SELECT match_id FROM matches")
        for (match_id,) in rows:
            kept = self.life.archive.find(match_id)
            assert kept is not None
            ranks = tuple(seat.rank for seat in kept.match.seats)
            yield match_id, Played(kept.game, kept.match.bots, kept._turns(), ranks)

    def _lost(self, played: dict[str, Played]) -> Iterator[str]:
        """A match whose end somebody was told is in the archive."""
        for told in self.ledger.told:
            if told.ranks is not None and not (told.match_id in played and played[told.match_id].ranks):
                yield f"{told.match_id} is over, and not in the archive"
        for live in self.life.house:
            match = live.match
            if match is not None and match.is_over and not played[match.terms.match_id].ranks:
                yield f"{match.terms.match_id} is over at its table, and not in the archive"


async def request(app: Any, method: str, path: str, body: Any, key: str | None) -> Answer:
    """One request to an ASGI application, without a server between; a body in bytes is a file."""
    where, _, query = path.partition("?")
    headers = [(b"host", b"localhost")]
    is_file = isinstance(body, bytes)
    octets = body if is_file else b"" if body is None else msgspec.json.encode(body)
    if body is not None:
        kind = b"application/zip" if is_file else b"application/json"
        headers += [(b"content-type", kind), (b"content-length", b"%d" % len(octets))]
    if key is not None:
        headers.append((b"authorization", b"Bearer " + key.encode()))
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": where,
        "raw_path": where.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 5000),
        "server": ("localhost", 80),
    }
    status, pieces, has_sent = 0, [], False

    async def receive() -> dict[str, Any]:
        nonlocal has_sent
        if has_sent:
            await trio.sleep_forever()
        has_sent = True
        return {"type": "http.request", "body": octets, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            pieces.append(message.get("body", b""))

    await app(scope, receive, send)
    return Answer(status, b"".join(pieces))


__all__ = ["Answer", "Town"]
