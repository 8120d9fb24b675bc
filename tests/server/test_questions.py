"""House bots that are asked about finished matches: what they get to know, what they cost, and who may ask."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import attrs
import pytest
import trio

from arena.page.film import filmed
from arena.players.base import GonePlayer, MatchStart, Player
from arena.players.desk import Question, Slot
from arena.players.local import LocalPlayer
from arena.refusal import Refusal
from arena.sdk import Bot
from arena.server.http.question_types import QuestionAnswered
from arena.server.kept import past_turn
from arena.server.kept.finished import LinkCard
from arena.server.kept.past_turn import PastTurn, TurnWanted
from arena.server.tables import questions as module
from arena.server.tables.pauses import Pauses
from arena.server.tables.questions import BotQuestions
from arena.store import Store
from arena.telling.replay import Replay, replay_of
from arena.tournament.folder.stored import stored_game
from tests.report.reports import tournament
from tests.server.halls import AnyMove, any_move
from tests.server.rest_client import Begun, rest
from tests.server.test_api import strictly
from tests.server.test_results import Results, results


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tournament(tmp_path_factory.mktemp("asked") / "run", "liars-dice", ("ann", "bob"), series=1)


@pytest.fixture
def root(tmp_path: Path, played: Path) -> Path:
    (tmp_path / "results").mkdir()
    shutil.copytree(played, tmp_path / "results" / "first")
    return tmp_path / "results"


class Listener(Bot):
    """Notes what it is told, and moves by its seed."""

    def __init__(self, heard: list[Any]) -> None:
        self.heard = heard
        self.luck = Random(0)

    def begin(self, match: Any) -> None:
        self.luck = Random(match.bot_seed)
        self.heard.append([])

    def event(self, kind: str, payload: Any) -> None:
        self.heard[-1].append((kind, payload))

    def move(self, state: Any, options: Any) -> Any:
        self.heard[-1].append(state)
        return any_move(options, self.luck)


class Silent(Player):
    """Never answers, as a bot that hangs; sets the event when it is asked."""

    def __init__(self, name: str, asked: trio.Event | None = None) -> None:
        self.name = name
        self.asked = trio.Event() if asked is None else asked

    def begin(self, start: MatchStart) -> None:
        pass

    def ask(self, question: Question, slot: Slot) -> None:
        self.asked.set()


def asking(player: Callable[[str], Player]) -> BotQuestions:
    @asynccontextmanager
    async def open_bot(bot: str, name: str) -> AsyncIterator[Player]:
        yield player(name)

    return BotQuestions(open_bot, lambda bot, game: None)


async def ask(server: Results, body: Any) -> tuple[int, Any]:
    _, listed = await server.get("/api/results/first/matches")
    path = f"/api/results/first/matches/{listed['matches'][0]['match_id']}/ask"
    answer = await server.http.post(path, json=body)
    return answer.status_code, answer.json()


async def test_no_time_is_left_once_it_is_up() -> None:
    """A bot's step may take longer than there was: that is no time at all, which Trio takes, and not less."""
    left_s = [module._limit(until=1.0, now=now).time_s for now in (0.25, 1.0, 3.0)]
    assert [0.75, 0.0, 0.0] == left_s
    with trio.move_on_after(left_s[-1]) as scope:
        await trio.sleep_forever()
    assert scope.cancelled_caught


async def test_a_bot_is_asked_what_the_seat_was_asked(root: Path) -> None:
    """It sees what that seat saw and was told, at each step at which somebody was asked, and nothing else."""
    heard: list[Any] = []
    with Store.open(root / "first") as store:
        match = store.matches_from(0, 1)[0]
        replay = replay_of(store, match, stored_game(store, match=match))
        steps, _ = filmed(replay, replay.moments())
    async with results(root, questions=asking(lambda name: LocalPlayer(name, Listener(heard)))) as server:
        for number, step in [*enumerate(steps)][:12]:
            for seat in step.asked:
                heard.clear()
                status, told = await ask(server, {"bot": "odds", "step": number, "name": match.bots[seat]})
                assert 200 == status, told
                answered = strictly(module.msgspec.json.encode(told), QuestionAnswered)
                assert 20 == answered.draws == sum(each.count for each in answered.answers) == len(heard)
                assert ("odds", number, match.bots[seat]) == (answered.bot, answered.step, answered.name)
                assert all(draw == heard[0] for draw in heard)
                events = {kind for kind, _ in heard[0][:-1]}
                assert step.own[seat] == _named(heard[0][-1], match.bots[seat])
                assert bool(events) == (number > 0)
            if not step.asked:
                assert 409 == (await ask(server, {"bot": "odds", "step": number}))[0]
        assert 400 == (await ask(server, {"bot": "odds", "step": len(steps)}))[0]
        assert 400 == (await ask(server, {"bot": "odds", "step": 1, "name": "eve"}))[0]


def _named(state: Any, own: str) -> Any:
    """What a bot sees with its name in place of `yourself`."""
    if isinstance(state, dict):
        return {key: _named(value, own) for key, value in state.items()}
    if isinstance(state, list):
        return [_named(value, own) for value in state]
    return own if state == "yourself" else state


async def test_answers_are_counted_and_told_in_words(root: Path) -> None:
    """The same for all who ask: its draws are numbered."""
    async with results(root, questions=asking(lambda name: LocalPlayer(name, Listener([])))) as server:
        _, told = await ask(server, {"bot": "odds", "step": 1})
        counts = [each["count"] for each in told["answers"]]
        assert counts == sorted(counts, reverse=True)
        assert len(counts) > 3
        assert all(each["words"].startswith("bids ") for each in told["answers"])
        assert told["played"].startswith("bids ")
        assert told == (await ask(server, {"bot": "odds", "step": 1}))[1]


async def test_what_is_sealed_cannot_be_asked_about(root: Path) -> None:
    async with results(root, questions=asking(lambda name: LocalPlayer(name, AnyMove()))) as server:
        assert 200 == (await ask(server, {"bot": "odds", "step": 1}))[0]
        with closing(sqlite3.connect(root / "first" / "arena.db")) as db, db:
            db.execute("DELETE FROM matches WHERE number = (SELECT MAX(number) FROM matches)")
        status, told = await ask(server, {"bot": "odds", "step": 1})
        assert (403, True) == (status, "still played" in told["message"])


@pytest.mark.parametrize(
    ("player", "note"),
    [
        (Silent, "odds did not answer within 0.3 s"),
        (lambda name: GonePlayer(name, "its program is missing"), "odds could not be started: its program"),
    ],
)
async def test_a_bot_that_does_not_answer_is_a_sentence(
    player: Any, note: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUESTION_S", 0.3)
    async with results(root, questions=asking(player)) as server:
        with trio.fail_after(5):
            status, told = await ask(server, {"bot": "odds", "step": 1})
        assert (200, 0, []) == (status, told["draws"], told["answers"])
        assert note in told["note"]


async def test_an_address_asks_one_at_a_time_and_six_a_minute(root: Path) -> None:
    """A question that is refused costs nobody anything; other addresses have their own six."""
    is_asked = trio.Event()
    silent = asking(partial(Silent, asked=is_asked))
    silent._asking._most = 2
    async with results(root, questions=silent, client="192.0.2.1") as server, trio.open_nursery() as nursery:
        nursery.start_soon(ask, server, {"bot": "odds", "step": 1})
        await is_asked.wait()
        status, told = await ask(server, {"bot": "odds", "step": 1})
        assert (429, "bot_questions", module.QUESTION_S) == (status, told["key"], told["seconds"])
        nursery.cancel_scope.cancel()
    quick = asking(lambda name: LocalPlayer(name, AnyMove()))
    async with results(root, questions=quick, client="192.0.2.1") as server:
        assert 400 == (await ask(server, {"bot": "odds", "step": 1, "name": "eve"}))[0]
        asked = [await ask(server, {"bot": "odds", "step": 1}) for _ in range(7)]
        assert [200] * 6 + [429] == [status for status, _ in asked]
        assert 0 < asked[-1][1]["seconds"] <= 10
    async with results(root, questions=quick, client="198.51.100.1") as server:
        assert 200 == (await ask(server, {"bot": "odds", "step": 1}))[0]


async def test_a_match_of_a_table(root: Path) -> None:
    """One of the archive, but for a table that plays on hand after hand."""
    with Store.open(root / "first") as store:
        match = store.matches_from(0, 1)[0]
        replay = replay_of(store, match, stored_game(store, match=match))
    plays_on: list[str] = []
    async with rest(
        find=lambda match_id: replay if match_id == match.match_id else None,
        plays_on=plays_on.__contains__,
        questions=asking(lambda name: LocalPlayer(name, AnyMove())),
    ) as server:
        path = f"/api/matches/{match.match_id}/ask"
        status, told = await server.post(path, {"bot": "odds", "step": 1})
        assert (200, 20) == (status, told["draws"])
        assert 404 == (await server.post("/api/matches/0123456789ab/ask", {"bot": "odds", "step": 1}))[0]
        plays_on.append(match.series_id)
        assert 403 == (await server.post(path, {"bot": "odds", "step": 1}))[0]


@attrs.frozen
class Stored:
    """One finished match."""

    replay: Replay

    async def turn(self, match_id: str, wanted: TurnWanted, address: str) -> PastTurn:
        return wanted.found(match_id, self.replay, self.replay.moments())

    async def card(self, match_id: str, address: str) -> LinkCard:
        raise NotImplementedError


async def test_a_match_begins_where_another_one_was(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts it has the seat of who was asked, sees what that one saw, and can play it to its end."""
    with Store.open(root / "first") as store:
        match = store.matches_from(0, 1)[0]
        replay = replay_of(store, match, stored_game(store, match=match))
    steps, _ = filmed(replay, replay.moments())
    rules = {field: getattr(replay.game, field) for field in ("dice", "faces")}
    where = {"match": match.match_id, "step": 2}
    seat = steps[2].asked[0]

    monkeypatch.setattr(
        past_turn, "QUESTION_TOLD_MAX", 0
    )  # a bound of questions to bots, and of nothing else
    with pytest.raises(Refusal, match="too many to tell them to a bot"):
        TurnWanted(2, None).found(match.match_id, replay, replay.moments()).told_json()
    async with rest(
        matches_of=lambda folder: Stored(replay), pauses=partial(Pauses, bot_s=0.0, showdown_s=0.0)
    ) as server:
        at = await server.table(rules=rules)
        _, key = await server.join(at, "eve")
        assert 409 == (await server.post(f"{at}/start-from", where, key))[0]  # nobody has the other seat
        assert 201 == (await server.post(f"{at}/bots", {"bot": "odds"}, key))[0]
        _, watcher = await server.join(at, "fay", spectate=True)
        assert 409 == (await server.post(f"{at}/start-from", where, watcher))[0]
        assert 200 == (await server.post(f"{at}/start-from", where, key))[0]
        begun = Begun(at, {"eve": key})
        _, options = await server.asked(begun)
        _, told = await server.get(at, key)
        assert "eve" == told["match"]["names"][seat]
        seen = json.dumps(steps[2].own[seat])
        for name, other in ((match.bots[seat], "eve"), (match.bots[1 - seat], "odds")):
            seen = seen.replace(f'"{name}"', f'"{other}"')
        assert json.loads(seen) == _named(told["match"]["state"], "eve")
        luck = Random(1)
        while options:
            assert 200 == (await server.post(f"{at}/moves", {"move": any_move(options, luck)}, key))[0]
            _, options = await server.asked(begun)
        status, film = await server.get(f"/api/matches/{told['match']['match_id']}/film")
        assert (200, "done") == (status, film["status"])
        assert len(film["steps"]) > 4
        other = await server.table(rules={"dice": 1, "faces": 3})
        _, key = await server.join(other, "eve")
        await server.post(f"{other}/bots", {"bot": "odds"}, key)
        assert 409 == (await server.post(f"{other}/start-from", where, key))[0]
