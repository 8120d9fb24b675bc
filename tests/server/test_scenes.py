"""What a page is told of a table: whole when it comes, then step by step, and never too late or twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import trio
import trio.testing
from trio.testing import MockClock, wait_all_tasks_blocked

import arena.server.site.film_buffer
from arena.games import GAMES
from arena.server.site.film_buffer import SLICE, FilmBuffer
from arena.server.site.scenes import HELLO_MAX, HELLO_S
from arena.server.tables.live import LiveTable
from arena.telling.replay import Viewer
from tests.server.halls import a_house, any_move
from tests.server.scene_pages import Film, ScenePage, a_scene_room


def a_match(live: LiveTable, *names: str) -> dict[str, str]:
    """Begins a match of these; gives their keys."""
    keys = {name: live.join(name)[1] for name in names}
    live.begin(live.table.members[0])
    return keys


async def play(live: LiveTable, luck: Random, turns: int = 10**6) -> None:
    """People make any moves, for so many turns or to the end."""
    for _ in range(turns):
        await wait_all_tasks_blocked()
        match = live.match
        assert match is not None
        if match.is_over or not live.table.is_playing:
            return
        if match.is_paused:
            await trio.sleep(4.0)
            continue
        for player_id, seat in live.seats.items():
            if seat.open is not None:
                options = json.loads(match.showing.codec.options(seat.open.question.options))
                live.play(live.table.member(player_id), any_move(options, luck))


def true_steps(live: LiveTable, viewer: Viewer) -> list[Any]:
    """What the viewer could see at each step, rebuilt from the moves."""
    match = live.match
    assert match is not None
    game, codec = match.game, match.showing.codec
    state = game.start(len(match.terms.names))
    seen = [json.loads(codec.encode(game.observe(state, viewer.seat)))]
    for moment in match.moments[1:]:
        state = game.apply(state, moment.moves).state
        seen.append(json.loads(codec.encode(game.observe(state, viewer.seat))))
    return seen


@pytest.mark.parametrize("game", GAMES)
async def test_a_page_sees_every_step_as_its_seat_could(game: str, autojump_clock: MockClock) -> None:
    """From its seat, and as a spectator: what is put together from changes is the observation."""
    rules = {"hands": 3} if game == "holdem" else {}
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, game, **rules)
        spectator = await ScenePage(room, nursery).looks()
        assert spectator.news()[-1]["moves"] is None
        keys = a_match(room.live, "ann", "bob")
        ann = await ScenePage(room, nursery).looks(keys["ann"])
        await play(room.live, Random(game))
        await wait_all_tasks_blocked()
        match = room.live.match
        assert match is not None
        for page, name in ((ann, "ann"), (spectator, None)):
            page.news()
            viewer = match.viewer(
                next((m.player_id for m in room.live.table.members if m.nickname == name), None)
            )
            assert true_steps(room.live, viewer) == [step["state"] for step in page.film.steps]
            assert ("spectator" if name is None else viewer.seat) == page.film.head["sees"]
            assert page.film.head["match"] == match.terms.match_id
            assert "finished" == page.film.table["status"]
            assert list(match.record.ranks if match.record else ()) == page.film.result["ranks"]
            assert any(step.get("lines") for step in page.film.steps)
        nursery.cancel_scope.cancel()


async def test_who_comes_late_is_shown_what_was(autojump_clock: MockClock) -> None:
    """The same film as that of who was there from the start; and then each step once."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        keys = a_match(room.live, "ann", "bob")
        early = await ScenePage(room, nursery).looks()
        await play(room.live, Random(1), 12)
        late = await ScenePage(room, nursery).looks()
        again = await ScenePage(room, nursery).looks(keys["bob"])
        (film,) = late.news()
        assert "film" in film
        early.news()
        assert len(early.film.steps) > 8
        assert early.film.steps == late.film.steps
        await play(room.live, Random(2), 2)
        await wait_all_tasks_blocked()
        told = late.news()
        assert 1 <= sum("steps" in frame for frame in told) <= len(told) <= 5
        assert not any("film" in frame for frame in told)
        early.news(), again.news()
        assert early.film.steps == late.film.steps
        assert len(late.film.steps) == len(again.film.steps)
        nursery.cancel_scope.cancel()


async def test_a_slow_page_gets_one_frame_with_all_it_misses(autojump_clock: MockClock) -> None:
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        quick = await ScenePage(room, nursery).looks()
        slow = await ScenePage(room, nursery).looks()
        slow.news()
        slow.wire.is_slow = True
        slow.wire.frames.clear()
        slow.read = 0
        await play(room.live, Random(1), 10)
        await wait_all_tasks_blocked()
        assert [] == slow.wire.frames
        (frame,) = slow.catch_up()
        assert len(frame["steps"]) > 5
        quick.news()
        assert quick.film.steps == slow.film.steps
        nursery.cancel_scope.cancel()


async def test_a_frame_that_was_not_sent_is_made_again(autojump_clock: MockClock) -> None:
    """A socket may ask for a frame, find that the kernel takes nothing, and ask again later."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        page = await ScenePage(room, nursery).looks()
        page.news()
        page.wire.frames.clear()
        page.read = 0
        page.wire.is_slow = True
        for number in range(3):
            await play(room.live, Random(number), 2)
            page.wire.latest["scene"]()
        page.catch_up()
        fresh = await ScenePage(room, nursery).looks()
        fresh.news()
        assert fresh.film.steps == page.film.steps
        nursery.cancel_scope.cancel()


async def test_a_page_that_slept_gets_what_it_misses(autojump_clock: MockClock) -> None:
    """It comes back with what it had; with more than there is, or with another match, it gets a film."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, move_s=None)
        keys = a_match(room.live, "ann", "bob")
        page = await ScenePage(room, nursery).looks(keys["ann"])
        page.news()
        await page.close()
        await play(room.live, Random(1), 8)
        await trio.sleep(3600)
        film = page.film
        for match, has, is_whole in (
            (film.head["match"], film.has, False),
            (film.head["match"], film.has + 100, True),
            (film.head["match"], 0, True),
            ("0123456789ab", film.has, True),
            (None, film.has, True),
        ):
            back = ScenePage(room, nursery)
            back.say(key=keys["ann"], match=match, steps=has)
            await wait_all_tasks_blocked()
            (told,) = [json.loads(frame) for frame in back.wire.frames]
            assert is_whole == ("film" in told)
            assert (not is_whole) == ("steps" in told)
            if not is_whole:
                film.add(told)
            else:
                whole = Film()
                whole.add(told)
        assert whole.steps == film.steps
        nursery.cancel_scope.cancel()


async def test_the_film_of_a_long_match_has_its_latest_steps(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For who comes late, and for who was there; who asks for older ones gets the film again."""
    monkeypatch.setattr(arena.server.site.film_buffer, "HISTORY_MAX", 20)
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, "blef")
        a_match(room.live, "ann", "bob")
        early = await ScenePage(room, nursery).looks()
        await play(room.live, Random(3), 60)
        late = await ScenePage(room, nursery).looks()
        early.news(), late.news()
        assert 20 == len(late.film.steps)
        assert late.film.has == late.film.head["steps_in_all"] == early.film.has > 40
        assert early.film.steps[-20:] == [{**step} for step in early.film.steps[-20:]]
        assert [step["state"] for step in early.film.steps[-20:]] == [
            step["state"] for step in late.film.steps
        ]
        assert [step["round"] for step in early.film.steps[-20:]] == [
            step["round"] for step in late.film.steps
        ]
        assert f"step {late.film.head['first']}" in late.film.head["note"]
        back = ScenePage(room, nursery)
        back.say(match=late.film.head["match"], steps=5)
        await wait_all_tasks_blocked()
        assert "film" in back.news()[-1]
        nursery.cancel_scope.cancel()


async def test_the_oldest_step_of_a_film_is_whole(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is out, and all fields, of steps that changed neither."""
    monkeypatch.setattr(arena.server.site.film_buffer, "HISTORY_MAX", 3)
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, dice=2, faces=3)
        a_match(room.live, "ann", "bob", "cid", "dan")
        early = await ScenePage(room, nursery).looks()
        seen_out = False
        for turn in range(40):
            await play(room.live, Random(turn), 1)
            await wait_all_tasks_blocked()
            late = await ScenePage(room, nursery).looks()
            early.news(), late.news()
            for there, here in zip(early.film.steps[-len(late.film.steps) :], late.film.steps, strict=True):
                assert there["holdings"] == here["holdings"]
                assert (there["state"], there["out"]) == (here["state"], here["out"])
                seen_out |= bool(here["out"])
            await late.close()
        assert seen_out
        nursery.cancel_scope.cancel()


async def test_history_is_made_in_slices(autojump_clock: MockClock) -> None:
    """While somebody who comes late waits for it, others have their turn; and it is made once for all."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, "blef")
        a_match(room.live, "ann", "bob")
        await play(room.live, Random(3), 100)
        match = room.live.match
        assert match is not None
        made: list[int] = []
        reel = FilmBuffer(match, Viewer("spectator"))
        while not reel.advance(SLICE):
            made.append(reel.count)
        assert len(made) >= 3
        assert all(later - sooner == SLICE for sooner, later in pairwise(made))
        pages = [await ScenePage(room, nursery).looks() for _ in range(3)]
        assert 1 == len({id(page.wire.frames[0]) for page in pages}), "one text for all of them"
        nursery.cancel_scope.cancel()


async def test_many_spectators_share_a_frame(autojump_clock: MockClock) -> None:
    """It is encoded once for all who have the same."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        pages = [ScenePage(room, nursery) for _ in range(50)]
        for page in pages:
            await page.looks()
            page.read = len(page.wire.frames)
        await play(room.live, Random(1), 1)
        await wait_all_tasks_blocked()
        for place in range(1, 1 + len(pages[0].wire.frames) - pages[0].read):
            assert 1 == len({id(page.wire.frames[-place]) for page in pages})
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", GAMES)
async def test_who_is_asked_is_told_moves_in_words(game: str, autojump_clock: MockClock) -> None:
    """Nobody else is; and each of them is a move that can be made."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, game)
        keys = a_match(room.live, "ann", "bob")
        pages = {name: await ScenePage(room, nursery).looks(key) for name, key in keys.items()}
        watcher = await ScenePage(room, nursery).looks()
        for turn in range(6):
            await play(room.live, Random(turn), 1)
            await trio.sleep(4.0)
            await wait_all_tasks_blocked()
            match = room.live.match
            assert match is not None
            if match.is_over:
                break
            watcher.news()
            assert watcher.film.moves is None
            asked = [match.terms.names[seat] for seat in match.to_act]
            for name, page in pages.items():
                page.news()
                assert (page.film.moves is not None) == (name in asked)
                if name in asked:
                    assert page.film.table["you"]["options"]
                    assert all(each["words"] for each in page.film.moves)
        for name, page in pages.items():
            if page.film.moves:  # those of large families are not among them
                room.live.play(room.live.holder(keys[name]), page.film.moves[-1]["move"])
                break
        nursery.cancel_scope.cancel()


async def test_a_rematch_is_a_new_film(autojump_clock: MockClock) -> None:
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        page = await ScenePage(room, nursery).looks()
        await play(room.live, Random(1))
        await wait_all_tasks_blocked()
        page.news()
        first = page.film.head["match"]
        room.live.rematch(room.live.table.members[0])
        await wait_all_tasks_blocked()
        page.news()
        assert first != page.film.head["match"]
        assert page.film.result is None
        assert len(page.film.steps) < 5
        await play(room.live, Random(2), 3)
        assert all("film" not in frame for frame in page.news())
        nursery.cancel_scope.cancel()


async def test_who_leaves_goes_on_as_a_spectator(autojump_clock: MockClock) -> None:
    """What its seat knows from then on is no longer its business."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        keys = a_match(room.live, "ann", "bob", "cid")
        page = await ScenePage(room, nursery).looks(keys["ann"])
        page.news()
        assert isinstance(page.film.head["sees"], int)
        room.live.leave(room.live.holder(keys["ann"]))
        await wait_all_tasks_blocked()
        page.news()
        assert "spectator" == page.film.head["sees"]
        assert page.film.table["you"] is None
        nursery.cancel_scope.cancel()


async def test_who_is_eliminated_still_sees_from_its_seat(autojump_clock: MockClock) -> None:
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        keys = a_match(room.live, "ann", "bob", "cid")
        pages = {name: await ScenePage(room, nursery).looks(key) for name, key in keys.items()}
        await play(room.live, Random(1))
        await wait_all_tasks_blocked()
        for page in pages.values():
            page.news()
            assert isinstance(page.film.head["sees"], int)
            assert page.film.steps[-1]["out"] == pages["ann"].film.steps[-1]["out"]
        assert 2 == len(pages["ann"].film.steps[-1]["out"])
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"key": "nobody has this one"}', "nobody at this table has this key"),
        ('{"key": ""}', "nobody at this table has this key"),
        ("nonsense", "say who you are first"),
        ("[" * 10_000, "say who you are first"),
        ('{"key": 7}', "say who you are first"),
        ('{"steps": -1}', "say who you are first"),
        ('{"steps": "1"}', "say who you are first"),
        (json.dumps({"match": "x" * 100}), "say who you are first"),
        (json.dumps({"more": "x" * HELLO_MAX}), "say who you are first"),
        ('"\\ud800"', "say who you are first"),
    ],
)
async def test_who_is_nobody_is_told_why(text: str, said: str, autojump_clock: MockClock) -> None:
    """By a frame, as a page cannot read how a handshake ends; it is told nothing else."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        page = ScenePage(room, nursery)
        room.receive(page.client, text)
        await play(room.live, Random(1), 3)
        page.news()
        assert said in page.film.bye
        assert page.film.bye == page.wire.closed
        assert 1 == len(page.wire.frames)
        nursery.cancel_scope.cancel()


async def test_who_says_nothing_is_told_nothing(autojump_clock: MockClock) -> None:
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        page = ScenePage(room, nursery)
        a_match(room.live, "ann", "bob")
        await trio.sleep(HELLO_S - 1.0)
        assert [] == page.wire.frames
        await trio.sleep(2.0)
        page.news()
        assert "say who you are first" in page.film.bye
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("ends", "said"),
    [(LiveTable.stop, "the server stops"), (lambda live: live.close("it is late"), "closed: it is late")],
)
async def test_a_page_is_told_of_the_end(
    ends: Callable[[LiveTable], None], said: str, autojump_clock: MockClock
) -> None:
    """Also in the middle of a match; nothing comes after it."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        page = await ScenePage(room, nursery).looks()
        page.news()
        ends(room.live)
        await wait_all_tasks_blocked()
        assert ["bye"] == [name for frame in page.news() for name in frame]
        assert said in page.film.bye
        assert page.wire.closed == page.film.bye
        nursery.cancel_scope.cancel()


async def test_a_film_that_cannot_be_made_costs_no_match(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug in a sentence or a mark is noted, and those who look are told; who plays plays on."""
    bugs: list[str] = []
    async with a_house(note_bug=bugs.append) as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        page = await ScenePage(room, nursery).looks()
        page.news()

        def fail(*arguments: Any, **more: Any) -> None:
            raise ValueError("a sentence that nobody expected")

        monkeypatch.setattr(type(room.live.game), "tell_event", fail)
        await play(room.live, Random(1), 2)
        await wait_all_tasks_blocked()
        page.news()
        assert "the server made a mistake" in page.film.bye
        monkeypatch.undo()
        await play(room.live, Random(1))
        assert room.live.match is not None
        assert room.live.match.is_over
        nursery.cancel_scope.cancel()
    assert len(bugs) == 1
    assert "a sentence that nobody expected" in bugs[0]


async def test_a_key_wakes_its_seat(autojump_clock: MockClock) -> None:
    """Who was away, and opens the page again, is asked again."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, move_s=5.0)
        keys = a_match(room.live, "ann", "bob")
        await wait_all_tasks_blocked()
        seats = room.live.seats
        while not any(seat.is_away for seat in seats.values()):  # noqa: ASYNC110 - nobody is told of it
            await trio.sleep(1.0)
        away = next(name for name in keys if seats[room.live.holder(keys[name]).player_id].is_away)
        await ScenePage(room, nursery).looks(keys[away])
        assert not seats[room.live.holder(keys[away]).player_id].is_away
        nursery.cancel_scope.cancel()


async def test_nobody_costs_a_table_that_nobody_looks_at(autojump_clock: MockClock) -> None:
    """A film is made while somebody looks; what was played meanwhile is in it when somebody comes back."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "ann", "bob")
        page = await ScenePage(room, nursery).looks()
        await page.close()
        (reel,) = room._buffers.values()
        count = reel.count
        await play(room.live, Random(1), 30)
        assert count == reel.count
        again = await ScenePage(room, nursery).looks()
        again.news()
        assert room.live.match is not None
        assert len(room.live.match.moments) == len(again.film.steps)
        nursery.cancel_scope.cancel()


async def test_names_are_data(autojump_clock: MockClock) -> None:
    """A name with HTML goes out as it is, in JSON; no frame is HTML."""
    async with a_house() as house, trio.open_nursery() as nursery:
        room = a_scene_room(house)
        a_match(room.live, "<b>ann</b>", "bob")
        page = await ScenePage(room, nursery).looks()
        page.news()
        assert "<b>ann</b>" in page.film.head["names"]
        nursery.cancel_scope.cancel()
