"""People at a server's tables, each a task: they play, chat, watch, go away, come back and leave."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Any

import trio

from arena.server.kept.keeping import RETRY_S
from tests.server.halls import any_move
from tests.server.killed_clients import is_early

from .ledger import Person
from .town import Answer, Town

AWAY_S = 45.0
"""Up to so long somebody stays away, which is more than some limits and less than what makes a match sleep."""
ABSENT_S = 200.0
"""Or so long, now and then, which is more."""
COMES_AGAIN_MAX = 3


def people_of(town: Town) -> Iterator[Callable[[], Awaitable[None]]]:
    """All who come to the tables of a world."""
    world = town.world
    for table in range(world.tables):
        for number in range(world.people):
            yield Mind(town, table, f"player-{number}", is_spectator=False, is_first=not number).live
        for number in range(world.spectators):
            yield Mind(town, table, f"guest-{number}", is_spectator=True).live
        for number in range(2):
            yield Mind(town, table, f"watcher-{number}", is_spectator=True).watch


class Mind:
    """Somebody at one table."""

    def __init__(
        self, town: Town, table: int, name: str, *, is_spectator: bool, is_first: bool = False
    ) -> None:
        """`is_first`: makes the table."""
        self.town = town
        self.world = town.world
        self.ledger = town.ledger
        self.table = table
        self.name = name
        self.is_spectator = is_spectator
        self.is_first = is_first
        self.rng = Random(f"{town.world.seed}/{table}/{name}")
        self.said = 0
        self.came = 0
        self.at = ""

    async def live(self) -> None:
        """All that it does."""
        await self._find_table()
        while self.came <= COMES_AGAIN_MAX:
            person = await self._join()
            if person is None:
                return
            if await self._stay(person) or self.rng.random() < 0.5:
                return

    async def watch(self) -> None:
        """Looks at the table without a key, at moments at which others do so too."""
        await self._find_table()
        for _ in range(self.world.acts // 2):
            await self.town.look(self.at, None)
            if self.rng.random() < 0.1:
                await self.town.ask("GET", "/api/tables")
            if self.rng.random() < 0.1:
                await self.town.ask("GET", f"{self.at}/rounds/{self.rng.randint(0, 3)}")
            await trio.sleep(1.0)

    async def _find_table(self) -> None:
        while len(self.town.at) <= self.table:
            if self.is_first and len(self.town.at) == self.table:
                await self._create()
            else:
                await trio.sleep(0.2)
        self.at = self.town.at[self.table]

    async def _create(self) -> None:
        new = {"game": self.world.game, "rules": self.world.rules, "move_time": self.world.move_time}
        answer = await self.town.surely("POST", "/api/tables", new)
        assert answer.status == 201, answer
        at = f"/api/tables/{answer.body['id']}"
        self.ledger.tables[at] = True
        self.town.at.append(at)

    # At the table

    async def _join(self) -> Person | None:
        """Comes, under another name each time, as an earlier one may be taken without an answer."""
        for _ in range(5):
            await self._wait()
            self.came += 1
            name = f"{self.name}-{self.came}"
            body = {"nickname": name, "spectate": self.is_spectator}
            answer = await self.town.ask("POST", f"{self.at}/players", body)
            if answer is None or answer.status == 503:
                await trio.sleep(RETRY_S)
                continue
            if answer.status != 201:
                self._expect(answer, (404, 409), "joins")
                return None
            told = answer.body
            person = Person(self.at, name, told["playerID"], told["key"], self.is_spectator)
            self.ledger.persons.append(person)
            return person
        return None

    async def _stay(self, person: Person) -> bool:
        """Acts as often as the world says; whether it is still there."""
        version = 0
        for _ in range(self.world.acts):
            await self._wait()
            if self.rng.random() < self.world.leaving:
                await self._leave(person)
                return False
            if self.rng.random() < self.world.absence:
                self.town.trace.note("away")
                await trio.sleep(self.rng.random() * (ABSENT_S if self.rng.random() < 0.1 else AWAY_S))
            query = f"?after={version}&wait={self.rng.choice([1, 5, 20])}" if version else ""
            answer = await self.town.look(self.at, person, query)
            if answer is None:
                version = 0
                continue
            if answer.status != 200:
                allowed = (401, 404) if person.may_have_left else (404,) if self._all_may_have_left() else ()
                self._expect(answer, allowed, "looks")
                return False
            version = answer.body["version"]
            if await self._act(person, answer.body):
                version = 0
        return True

    def _all_may_have_left(self) -> bool:
        here = [each for each in self.ledger.persons if each.at == self.at]
        return all(each.has_left or each.may_have_left for each in here)

    async def _act(self, person: Person, told: dict[str, Any]) -> bool:
        """Something that fits what it was told; whether it did anything."""
        if self.rng.random() < 0.06:
            await self._say(person)
            return True
        you = told["you"]
        if you["options"]:
            await self._move(person, told)
        elif you["is_host"] and told["status"] != "playing":
            await self._begin(person, told)
        elif self.rng.random() < 0.03:
            await self._post(
                person, self.rng.choice(["public", "private", "back", "ready", "start", "rematch"])
            )
        else:
            return False
        return True

    async def _begin(self, person: Person, told: dict[str, Any]) -> None:
        taken = len(told["players"])
        if told["status"] == "waiting" and taken < self.world.people + self.world.bots:
            if self.world.bots and self.rng.random() < 0.6:
                await self._post(person, "bots", {"bot": "odds"})
            elif taken < self.world.people:
                await trio.sleep(0.5)
        number = 0 if told["match"] is None else told["match"]["number"]
        answer = await self._post(person, "rematch" if told["status"] == "finished" else "start")
        if answer is not None and answer.status == 200 and not self.world.are_bots_broken:
            self.ledger.matches[self.at] = max(self.ledger.matches.get(self.at, 0), number + 1)

    async def _post(self, person: Person, what: str, body: Any = None) -> Answer | None:
        answer = await self.town.ask("POST", f"{self.at}/{what}", body, person.key)
        if answer is not None:
            self._expect(answer, (200, 201, 400, 403, 404, 409, 429), what)
        return answer

    async def _say(self, person: Person) -> None:
        self.said += 1
        message = f"{person.name} says {self.said}"
        self.ledger.messages[self.at, message] = False
        answer = await self.town.ask("POST", f"{self.at}/chat", {"message": message}, person.key)
        if answer is not None and answer.status == 201:
            self.ledger.messages[self.at, message] = True
        elif answer is not None:
            self._expect(answer, (404, 429), "speaks")

    async def _leave(self, person: Person) -> None:
        person.may_have_left = True
        answer = await self.town.ask("DELETE", f"{self.at}/players/{person.id}", key=person.key)
        if answer is not None and answer.status == 200:
            person.has_left = True
        elif answer is not None:
            self._expect(answer, (401, 404), "leaves")

    # Moves

    async def _move(self, person: Person, told: dict[str, Any]) -> None:
        """A move that is legal; or a rude one, before or after it."""
        match_id, turn = told["match"]["match_id"], told["match"]["turn"]
        move = any_move(told["you"]["options"], self.rng)
        if self.rng.random() < self.world.rudeness:
            await self._be_rude(person, move, turn)
        made_at = turn + is_early(told, move)
        sent = self.ledger.sent_move(match_id, made_at, person.name, move)
        answer = await self._send(person, move, turn)
        if answer is None:
            return
        if answer.status == 200:
            self.ledger.acknowledge_move(match_id, made_at, person.name, sent)
            self.town.trace.note("moved")
            if self.rng.random() < self.world.rudeness:
                again = await self._send(person, move, turn)
                self.town.trace.note("sent again")
                if again is not None and again.status == 200:
                    self.ledger.wrong.append(f"{person.name} could answer turn {turn} of {match_id} twice")
        else:
            self._expect(answer, (404, 409), f"moves {move}")

    async def _be_rude(self, person: Person, move: Any, turn: int) -> None:
        is_stale = turn > 0 and self.rng.random() < 0.5
        self.town.trace.note("stale" if is_stale else "illegal")
        answer = (
            await self._send(person, move, turn - 1)
            if is_stale
            else await self._send(person, "nonsense", turn)
        )
        if answer is not None:
            self._expect(answer, (404, 409) if is_stale else (400, 404, 409), "is rude")

    async def _send(self, person: Person, move: Any, turn: int) -> Answer | None:
        return await self.town.ask("POST", f"{self.at}/moves", {"move": move, "turn": turn}, person.key)

    # Besides

    async def _wait(self) -> None:
        await trio.sleep(self.rng.random() * self.world.haste_s)

    def _expect(self, answer: Answer, statuses: tuple[int, ...], what: str) -> None:
        """The server must not say anything else here; that its disk fails it may say to everybody."""
        if answer.status not in (*statuses, 503):
            self.ledger.wrong.append(f"{self.name} {what} and is answered {answer}")


__all__ = ["people_of"]
