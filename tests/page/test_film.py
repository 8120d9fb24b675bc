"""Films: every viewer of a stored match sees what that viewer knew, a live film is one of them, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from replays import BOTS, SMALL, random_replay

from arena.games import GAMES
from arena.match.game import Seat
from arena.page.film import Watcher, film_json
from arena.telling.replay import EVERYBODY, SPECTATOR, Replay, Viewer
from arena.telling.story import story
from tests.replays import film_of

CASES = [(game, seats) for game in GAMES for seats in (2, 3)]


def played(game: str, seats: int, seed: int = 7) -> Replay:
    return random_replay(SMALL.get(game) or GAMES[game](), seats, seed)


def viewers(replay: Replay) -> list[Viewer]:
    return [*(Viewer(bot, Seat(seat)) for seat, bot in enumerate(replay.names)), SPECTATOR, EVERYBODY]


def whole(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps with their changes added up."""
    state: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {}
    found = []
    for step in steps:
        state = state | (step.get("state") or {})
        own = own | {seat: own.get(seat, {}) | changed for seat, changed in step.get("own", {}).items()}
        found.append({**step, "state": state, "own": own})
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), CASES)
def test_every_viewer_sees_what_it_observed(game: str, seats: int) -> None:
    """The spectator's observation is the state of each step, and each seat's own stands beside it."""
    replay = played(game, seats)
    steps = whole(msgspec.json.decode(film_json(film_of(replay)))["steps"])
    moments = list(replay.moments())
    assert len(moments) == len(steps)
    for moment, step in zip(moments, steps, strict=True):
        assert replay.observation(moment, SPECTATOR) == step["state"]
        for viewer in viewers(replay)[:seats]:
            assert replay.observation(moment, viewer) == step["own"][str(int(viewer.seat or 0))]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), CASES)
def test_lines_are_the_story_of_each_viewer(game: str, seats: int) -> None:
    """The sentences whose mask names a viewer are those of the story as that viewer is told it."""
    replay = played(game, seats)
    film = film_of(replay)
    for bit, viewer in enumerate(viewers(replay)):
        every = range(len(film["steps"]))  # told one by one, as turns that are not gathered
        expected = Counter(
            (passage.turn, text)
            for passage in story(replay, viewer, apart=every)
            for text in (passage.heading, *(act.text for act in passage.acts), *passage.news)
            if text
        )
        lines = [(step["turn"], line) for step in film["steps"] for line in step.get("lines", ())]
        told = [(turn, line) for turn, line in lines if line[0] >> bit & 1]
        assert expected == Counter((turn, text) for turn, (_, _, _, text, _) in told)
        for _, (_, kind, seat, text, _) in told:
            assert kind != "a" or seat < 0 or replay.names[seat] in text


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), CASES)
def test_a_film_for_one_viewer_is_its_part_of_the_whole(game: str, seats: int) -> None:
    """What a table sends a seat or a spectator is made without the others' secrets, and is the same as theirs in the film for all."""
    replay = played(game, seats)
    everybody = whole(film_of(replay)["steps"])
    for bit, viewer in enumerate(viewers(replay)[:-1]):
        alone = whole(film_of(replay, viewer)["steps"])
        for one, all_of_it in zip(alone, everybody, strict=True):
            assert not one["own"]
            state = all_of_it["state"] if viewer.seat is None else all_of_it["own"][str(int(viewer.seat))]
            assert state == one["state"]
            for name in ("lines", "events"):
                told = [line[1:] for line in all_of_it.get(name, ()) if line[0] >> bit & 1]
                assert sorted(map(repr, told)) == sorted(repr(line[1:]) for line in one.get(name, ()))
                assert {1 << bit} >= {line[0] for line in one.get(name, ())}
            assert [one.get(name) for name in ("marks", "lost", "out", "asked", "round", "turn")] == [
                all_of_it.get(name) for name in ("marks", "lost", "out", "asked", "round", "turn")
            ]


@pytest.mark.parametrize("game", list(GAMES))
def test_pages_of_a_film_are_whole_at_their_first_step(game: str) -> None:
    """Pages put together are the film; each says where it begins and how many steps there are."""
    replay = played(game, 2)
    film = film_of(replay)
    found: list[dict[str, Any]] = []
    while len(found) < film["steps_in_all"]:
        page = film_of(replay, first=len(found), count=7)
        assert (len(found), len(film["steps"])) == (page["first"], page["steps_in_all"])
        found += whole(page["steps"])
    expected = whole(film["steps"])
    assert [step["state"] for step in expected] == [step["state"] for step in found]
    assert [step["own"] for step in expected] == [step["own"] for step in found]
    assert [step.get("lines") for step in expected] == [step.get("lines") for step in found]


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_losses_are_drops_of_what_seats_hold(game: str, seats: int) -> None:
    """Each loss is the difference of two states, and the last state's holdings follow from gains and losses."""
    replay = played(game, seats)
    watcher, before, drops = Watcher(replay), None, 0
    for moment in replay.moments():
        lost = watcher.note(moment).lost
        now = replay.game.holdings(moment.step.state) if moment.step else None
        if before is not None and now is not None:
            assert dict(lost) == {
                Seat(seat): one - two
                for seat, (one, two) in enumerate(zip(before, now, strict=True))
                if one > two
            }
            drops += len(lost)
        before = now
    assert drops > 0


def test_no_text_ends_a_script() -> None:
    """A film can stand inside a page: no text of it begins a tag."""
    replay = played("liars-dice", 2)
    film = film_of(replay) | {"why": "</script><b>"}
    assert b"<" not in film_json(film)
    assert "</script><b>" == msgspec.json.decode(film_json(film))["why"]
    assert BOTS[:2] == tuple(film["names"])
