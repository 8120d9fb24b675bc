"""The server that really answers, with the pure rules of tables as its model: statuses and tables are as they say.

Requests go through the guard, the routes and the handlers to tables at which matches are played; each example is
a server of its own, in virtual time, in a thread beside the machine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from random import Random
from typing import Any

import attrs
import httpx
import pytest
import trio
import trio.testing
from daily import nightly
from hypothesis import Phase, settings
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
from arena.server.limits import IDLE_S
from arena.server.open_tables import LOOK_EVERY_S
from arena.server.tables import absence
from arena.server.tables import rules as tables
from arena.server.tables.table import After, Member, Table
from tests.server.halls import any_move
from tests.server.rest_client import NO_TABLE, rest
from tests.server.test_api import quick

NAMES = ("ann", "bob", "cid", "dora", "pass", "\u202e")
PLACE = st.integers(0, 4)
TABLES_MAX = 3
RULES = {"dice": 1, "challenge": "next"}


class OwnServer:
    """A server in a thread, and requests to it one after the other."""

    def __init__(self) -> None:
        self._clock = trio.testing.MockClock()
        self._token: SimpleQueue[Any] = SimpleQueue()
        self._thread = threading.Thread(target=trio.run, args=(self._serve,), kwargs={"clock": self._clock})
        self._thread.start()
        self._trio = self._token.get(timeout=10)

    async def _serve(self) -> None:
        async with rest(pauses=quick) as self.rest:
            self._stop = trio.Event()
            self.rest.house.hall.nursery.start_soon(self.rest.house.watch)
            self._token.put(trio.lowlevel.current_trio_token())
            await self._stop.wait()

    def close(self) -> None:
        trio.from_thread.run_sync(self._stop.set, trio_token=self._trio)
        self._thread.join(10)

    def send(self, *request: Any) -> httpx.Response:
        """The answer, once nothing more follows from the request."""
        return trio.from_thread.run(self._sent, request, trio_token=self._trio)

    async def _sent(self, request: Any) -> httpx.Response:
        response = await self.rest.send(*request)
        await trio.testing.wait_all_tasks_blocked()
        return response

    def wait(self, seconds: float) -> float:
        return trio.from_thread.run(self._waited, seconds, trio_token=self._trio)

    async def _waited(self, seconds: float) -> float:
        self._clock.jump(seconds)
        await trio.testing.wait_all_tasks_blocked()
        return trio.current_time()


@attrs.define
class Known:
    """A table as the model has it."""

    table: Table
    keys: dict[str, str] = attrs.field(factory=dict)
    """By player_id, of those who have left too."""

    @property
    def at(self) -> str:
        return f"/api/tables/{self.table.id}"


class Tables(RuleBasedStateMachine):
    """Some tables on one server."""

    def __init__(self) -> None:
        super().__init__()
        self.server = OwnServer()
        self.now = self.server.wait(0.0)
        self.known: list[Known] = []

    def teardown(self) -> None:
        self.server.close()

    # Requests

    def expect(
        self, known: Known, request: tuple[Any, ...], act: Callable[[Table], After], done: int = 200
    ) -> Any:
        """Sends a request and does the same to the model; the answer, if the model does it too."""
        before = self.shown(known)
        response = self.server.send(*request)
        told = response.json()
        try:
            after, _ = act(known.table)
        except Refusal as refused:
            why = refused
        else:
            assert response.status_code == done, (request, told)
            known.table = after
            return told
        assert (response.status_code, told["error"]) == (why.status, why.kind), (request, told)
        assert (told["message"], told["field"] or "") == (str(why), why.field)
        assert self.shown(known) == before
        return None

    @property
    def playing(self) -> list[Known]:
        """The open tables at which a match is played."""
        return [known for known in self.known if known.table.is_playing and not known.table.is_closed]

    def see(self, known: Known, who: str) -> None:
        """A key was sent that counts: whoever plays alone against bots wakes its match by that."""
        known.table, _ = absence.note_seen(known.table, who, self.now)

    def shown(self, known: Known) -> bytes:
        return self.server.send("GET", known.at).content

    @contextmanager
    def holder(self, known: Known, place: int) -> Iterator[tuple[str, str | None, bool]]:
        """Somebody of this table: playerID, key, and whether the key counts; also nobody, or one who left."""
        here = {each.player_id for each in known.table.members if not each.has_left}
        ids = list(known.keys)
        if place >= len(ids):
            yield "nobody", "wrong" * place or None, False
        else:
            yield ids[place], known.keys[ids[place]], ids[place] in here

    def by_member(
        self,
        which: int,
        place: int,
        path: str,
        body: Any,
        act: Callable[[Table, str], After],
        done: int = 200,
    ) -> Any:
        """What somebody with a key asks for."""
        known = self.known[which % len(self.known)]
        with self.holder(known, place) as (who, key, counts):
            if known.table.is_closed or not counts:
                status = 404 if known.table.is_closed else 401
                response = self.server.send("POST", f"{known.at}/{path}", body, key)
                assert response.status_code == status, response.text
                return None
            request = ("POST", f"{known.at}/{path}", body, key)
            if known.table.is_asleep:  # so that what is refused below changes nothing
                self.server.send("GET", known.at, None, key)
            self.see(known, who)
            return self.expect(known, request, lambda table: act(table, who), done)

    # What people do

    @initialize()
    def begin_with_people(self) -> None:
        """Few examples would have a match otherwise."""
        for names in (NAMES[:2], NAMES[:3]):
            self.create()
            for name in names:
                self.join(len(self.known) - 1, name, False)
        self.start(1, 0)
        self.create()
        self.join(2, NAMES[0], False)
        self.give_seat(2, 0)
        self.start(2, 0)

    @precondition(lambda self: len(self.known) < TABLES_MAX)
    @rule()
    def create(self) -> None:
        response = self.server.send(
            "POST", "/api/tables", {"game": "liars-dice", "rules": RULES, "move_time": "none"}
        )
        assert response.status_code == 201
        told = response.json()
        reserved = next(live.table.reserved for live in self.server.rest.house if live.table.id == told["id"])
        table = Table(told["id"], "liars-dice", RULES, (2, 10), None, self.now, reserved)
        self.known.append(Known(table))

    @precondition(lambda self: self.known)
    @rule(which=PLACE, name=st.sampled_from(NAMES), spectate=st.booleans())
    def join(self, which: int, name: str, spectate: bool) -> None:
        known = self.known[which % len(self.known)]
        body = {"nickname": name, "spectate": spectate}
        if known.table.is_closed:
            assert self.server.send("POST", f"{known.at}/players", body).status_code == 404
            return
        newcomer = Member("new", name, "person", self.now, is_spectator=spectate)
        request = ("POST", f"{known.at}/players", body)
        told = self.expect(known, request, lambda table: tables.join(table, newcomer), 201)
        if told is not None:
            known.table = renamed(known.table, told["playerID"])
            known.keys[told["playerID"]] = told["key"]

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE, name=st.sampled_from(NAMES))
    def join_twice(self, which: int, place: int, name: str) -> None:
        known = self.known[which % len(self.known)]
        with self.holder(known, place) as (who, key, counts):
            status = 404 if known.table.is_closed else 409 if counts else 401 if key else None
            if status == 409:
                self.see(known, who)
            if status is not None:
                response = self.server.send("POST", f"{known.at}/players", {"nickname": name}, key)
                assert response.status_code == status

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE, other=PLACE)
    def leave(self, which: int, place: int, other: int) -> None:
        known = self.known[which % len(self.known)]
        with self.holder(known, place) as (who, key, counts), self.holder(known, other) as (whom, _, _):
            response_to = ("DELETE", f"{known.at}/players/{whom}", None, key)
            if known.table.is_closed or not counts:
                assert self.server.send(*response_to).status_code == (404 if known.table.is_closed else 401)
            elif who != whom:
                self.see(known, who)
                is_here = any(each.player_id == whom for each in known.table.members)
                response = self.server.send(*response_to)
                assert response.status_code == (403 if is_here else 404)
            else:
                self.expect_leave(known, response_to, who)

    def expect_leave(self, known: Known, request: tuple[Any, ...], who: str) -> None:
        response = self.server.send(*request)
        assert response.status_code == 200
        known.table, _ = tables.leave(known.table, who, self.now, Random(0))

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE)
    def start(self, which: int, place: int) -> None:
        self.by_member(
            which, place, "start", None, lambda table, who: tables.begin(table, who, Random(0), self.now)
        )

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE)
    def ready(self, which: int, place: int) -> None:
        self.by_member(
            which, place, "ready", {}, lambda table, who: tables.ready(table, who, Random(0), self.now)
        )

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE)
    def rematch(self, which: int, place: int) -> None:
        self.by_member(
            which, place, "rematch", None, lambda table, who: tables.rematch(table, who, Random(0), self.now)
        )

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE, is_public=st.booleans())
    def publish(self, which: int, place: int, is_public: bool) -> None:
        path = "public" if is_public else "private"
        self.by_member(
            which,
            place,
            path,
            None,
            lambda table, who: tables.make_public(table, who, is_public, self.now),
        )

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE, to=PLACE)
    def hand_over(self, which: int, place: int, to: int) -> None:
        with self.holder(self.known[which % len(self.known)], to) as (heir, _, _):
            self.by_member(
                which,
                place,
                "host",
                {"playerID": heir},
                lambda table, who: tables.hand_over(table, who, heir, self.now),
            )

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE)
    def give_seat(self, which: int, place: int) -> None:
        taken = len([1 for each in self.known[which % len(self.known)].table.members if each.bot])
        bot = Member("new", "odds" if not taken else f"odds-{taken + 1}", "house", self.now, bot="odds")
        told = self.by_member(
            which, place, "bots", {"bot": "odds"}, lambda table, who: tables.give_seat(table, who, bot), 201
        )
        if told is not None:
            known = self.known[which % len(self.known)]
            assert told["nickname"] == bot.nickname
            known.table = renamed(known.table, told["playerID"])

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE, text=st.sampled_from(["hi", "", "a\tb"]))
    def speak(self, which: int, place: int, text: str) -> None:
        if text:  # an empty one is refused before the table sees it
            self.by_member(
                which,
                place,
                "chat",
                {"message": text},
                lambda table, who: tables.speak(table, who, text, self.now),
                201,
            )

    @precondition(lambda self: self.playing)
    @rule(which=PLACE, place=PLACE, luck=st.integers(0, 50), is_wrong=st.sampled_from([False, False, True]))
    def move(self, which: int, place: int, luck: int, is_wrong: bool) -> None:
        """Whoever is asked may move, and nobody else."""
        known = self.playing[which % len(self.playing)]
        with self.holder(known, place) as (who, key, counts):
            if known.table.is_asleep:  # it wakes, and asks once its bots are there
                self.server.send("GET", known.at, None, key)
            told = self.server.send("GET", known.at, None, key).json() if counts else {}
            if counts:
                self.see(known, who)
            options = told["you"]["options"] if told else None
            body = {"move": "nonsense" if is_wrong or not options else any_move(options, Random(luck))}
            before = self.shown(known)
            status = self.server.send("POST", f"{known.at}/moves", body, key).status_code
            seated = told and told["you"]["playerID"] in known.table.seating
            expected = (
                401 if not counts else 403 if not seated else 409 if not options else 400 if is_wrong else 200
            )
            assert status == expected, (told, body)
            assert (self.shown(known) == before) == (status != 200)

    @precondition(lambda self: self.known)
    @rule(which=PLACE, place=PLACE)
    def look(self, which: int, place: int) -> None:
        """Somebody asks for the table with its key."""
        known = self.known[which % len(self.known)]
        with self.holder(known, place) as (who, key, counts):
            if counts and not known.table.is_closed:
                assert self.server.send("GET", known.at, None, key).status_code == 200
                self.see(known, who)

    @rule(method=st.sampled_from(["GET", "POST"]), path=st.sampled_from(["", "/moves", "/players", "/start"]))
    def ask_for_no_table(self, method: str, path: str) -> None:
        status = self.server.send(method, f"/api/tables/{NO_TABLE}{path}", None, "key").status_code
        assert status == (405 if method == ("POST" if not path else "GET") else 404)

    @rule(seconds=st.sampled_from([1.0, 30.0, 130.0]))
    def wait(self, seconds: float) -> None:
        """Matches that nobody plays any more fall asleep meanwhile."""
        looked_at = self.now + seconds - LOOK_EVERY_S
        due = [known for known in self.playing if absence.fall_asleep(known.table, looked_at)[0].is_asleep]
        self.now = self.server.wait(seconds)
        for known in due if seconds >= LOOK_EVERY_S else ():
            told = self.server.send("GET", known.at).json()
            assert told["is_asleep"] or told["status"] != "playing"

    @rule(is_meant=st.sampled_from([False] * 9 + [True]))
    def wait_for_long(self, is_meant: bool) -> None:
        """Tables at which nothing happens are closed, but for those that play."""
        if not is_meant:
            return
        self.now = self.server.wait(IDLE_S + 60.0)
        for known in self.known:
            if not known.table.is_playing and not known.table.is_closed:
                known.table, _ = tables.close(known.table, "idle")

    # What always holds

    @invariant()
    def tables_are_as_the_model_says(self) -> None:
        closed = [known for known in self.known if known.table.is_closed]
        for known in closed[1:]:  # one of them is enough
            self.known.remove(known)
        for known in self.known:
            response = self.server.send("GET", known.at)
            if response.status_code == 404 and self.is_idle(known):
                known.table, _ = tables.close(known.table, "idle")
            if response.status_code == 404:
                assert known.table.is_closed or self.ended_without_people(known)
                continue
            self.compare(known, response.json())
        listed = [each["id"] for each in self.server.send("GET", "/api/tables").json()]
        assert sorted(listed) == sorted(each.table.id for each in self.known if each.table.is_public)

    def is_idle(self, known: Known) -> bool:
        """Whether so little has happened there, by many short waits, that it may be closed by now."""
        return not known.table.is_playing and self.now - known.table.active_at >= IDLE_S

    def ended_without_people(self, known: Known) -> bool:
        """Whether its match has ended by default moves after all had left: nobody is there any more."""
        if known.table.is_playing:
            known.table, _ = tables.finish(known.table, self.now)
        return known.table.is_closed

    def compare(self, known: Known, told: Any) -> None:
        if known.table.is_playing and told["status"] == "finished":
            assert told["match"]["ranks"]
            known.table, _ = tables.finish(known.table, self.now)
        if told["is_asleep"] and not known.table.is_asleep:
            known.table, _ = absence.fall_asleep(known.table, self.now)
        assert told["is_asleep"] == known.table.is_asleep
        table = known.table
        assert not table.is_closed, told
        host = table.host_member
        assert (told["status"], told["public"], told["admin_nickname"]) == (
            table.status,
            table.is_public,
            None if host is None else host.nickname,
        )
        assert [(each["nickname"], each["is_ready"], each["has_left"]) for each in told["players"]] == [
            (each.nickname, each.is_ready, each.has_left) for each in table.players
        ]
        assert told["spectators"] == [each.nickname for each in table.spectators]
        assert [(line["number"], line["message"]) for line in told["chat"]] == [
            (line.number, line.message) for line in table.chat
        ]
        assert (told["match"] or {"number": 0})["number"] == table.matches
        if told["match"]:
            assert sorted(told["match"]["names"]) == sorted(table.names)


def renamed(table: Table, player_id: str) -> Table:
    """With the newcomer under the id that the server gave it."""
    members = tuple(
        attrs.evolve(each, player_id=player_id) if each.player_id == "new" else each for each in table.members
    )
    return attrs.evolve(table, members=members, host=player_id if table.host == "new" else table.host)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [7, *nightly(20)])
def test_the_server_does_what_the_model_says(examples: int) -> None:
    """Without making a failing example smaller, which would take minutes."""
    tried = settings(max_examples=examples, stateful_step_count=40, database=None, phases=(Phase.generate,))
    run_state_machine_as_test(Tables, settings=tried)
