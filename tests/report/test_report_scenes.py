"""Scenes of matches: small, whole, and nobody is shown what they did not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
from replays import BOTS, SMALL, random_replay

from arena.game import Seat
from arena.games import GAMES
from arena.record import Decision
from arena.replay import SPECTATOR, Replay
from arena.report import scenes
from arena.report.scenes import STEPS_MAX, scene_of
from arena.show.match import steps_json
from arena.tournament.game_source import find_game

KUHN = Path(__file__).parents[2] / "examples" / "kuhn.py"


def played(game: str, seats: int, seed: int) -> Replay:
    """A random match of a game, as if it had been stored."""
    return random_replay(SMALL.get(game) or GAMES[game](), seats, seed)


def faces(scene: dict[str, Any]) -> list[dict[tuple[int, str], Any]]:
    """What all slots show after each step, with the changes added up."""
    shown: dict[tuple[int, str], Any] = {}
    after = []
    for _, _, _, changes in scene["steps"]:
        for place in range(0, len(changes), 3):
            slot, label, value = changes[place : place + 3]
            shown.pop((slot, scene["labels"][label]), None)
            if value is not None:
                shown[slot, scene["labels"][label]] = value
        after.append(dict(shown))
    return after


CASES = [(game, seats) for game in GAMES for seats in (2, 3)]


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_what_is_open_is_what_a_spectator_saw(game: str, seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The open slots depend on the spectator's observations alone: seats that see nothing more change none."""
    replay = played(game, seats, seed=7)
    full = faces(scene_of(replay, ""))
    sight = scenes._sight

    def blind(*words: Any) -> Any:
        found = sight(*words)
        return attrs.evolve(found, seats=(found.spectator,) * seats)

    monkeypatch.setattr(scenes, "_sight", blind)
    spectated = faces(scene_of(replay, ""))
    for every, open_only in zip(full, spectated, strict=True):
        assert open_only == {key: value for key, value in every.items() if key[0] < seats}
    assert any(slot >= seats for every in full for slot, _ in every) or game == "chamber", (
        "somebody has secrets"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), CASES)
def test_a_spectator_is_told_every_public_event_once(game: str, seats: int) -> None:
    """Of each step a spectator reads as many lines as there are events that a spectator is told of."""
    replay = played(game, seats, seed=3)
    scene = scene_of(replay, "")
    steps = steps_json(replay, SPECTATOR)["steps"]
    for turn, _, lines, _ in scene["steps"]:
        assert len(steps[turn + 1]["events"]) == sum(mask >> seats & 1 for mask, *_ in lines)


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_secrets_are_told_to_their_owners(game: str, seats: int) -> None:
    """A payload for one seat is on a line of that seat alone, and chance's own moves on a line of nobody."""
    replay = played(game, seats, seed=5)
    scene = scene_of(replay, "")
    moments = list(replay.moments())
    for turn, _, lines, _ in scene["steps"]:
        moment = moments[turn + 1]
        assert moment.step is not None
        for seat in range(seats):
            secret = sum(event.private.get(Seat(seat)) is not None for event in moment.step.events)
            assert secret <= sum(mask == 1 << seat and who == seat for mask, who, *_ in lines)
        assert moment.is_of_chance == any(mask == 0 for mask, *_ in lines)


def test_a_move_that_is_told_in_a_word_is_no_secret() -> None:
    """Kuhn's passes and bets are told by an event that names them: everybody reads them, and reads them once."""
    scene = scene_of(random_replay(find_game(str(KUHN)).cls(), 2, seed=1), "")
    words = [line for _, _, lines, _ in scene["steps"][2:] for line in lines if line[1] >= 0]
    assert len(words) >= 2
    assert {0b111} == {mask for mask, *_ in words}
    assert {"said pass", "said bet"} >= {text for _, _, text, _ in words}


def test_a_deal_tells_a_spectator_only_that_it_happened() -> None:
    """The public part of an event that tells each seat something else is read by spectators, without `none`."""
    scene = scene_of(random_replay(find_game(str(KUHN)).cls(), 2, seed=1), "")
    (deal,) = (lines for turn, _, lines, _ in scene["steps"] if turn == 0)
    assert [(0b100, -1, "dealt")] == [tuple(line[:3]) for line in deal if line[0] & 0b100]


def test_a_long_match_is_cut_to_whole_rounds() -> None:
    """Of hundreds of steps at most STEPS_MAX are kept, in order, and the last ones are among them."""
    replay = played("holdem", 2, seed=1)
    scene = scene_of(replay, "why")
    turns = [step[0] for step in scene["steps"]]
    total = sum(1 for _ in replay.moments())
    assert len(turns) <= STEPS_MAX < total
    assert sorted(set(turns)) == turns
    assert total - 2 == turns[-1]
    assert str(total) in scene["note"]


def test_a_short_match_is_whole() -> None:
    """Every step of a short match is there, the start before the first move too, and nothing is noted."""
    replay = played("liars-dice", 2, seed=1)
    scene = scene_of(replay, "")
    assert list(range(-1, len(scene["steps"]) - 1)) == [step[0] for step in scene["steps"]]
    assert sum(1 for _ in replay.moments()) == len(scene["steps"])
    assert "" == scene["note"]


def test_a_fault_is_said_on_the_line_of_its_move() -> None:
    """The kind and the reason of a fault stand with the move that was played instead."""
    replay = played("liars-dice", 2, seed=1)
    moment = next(moment for moment in replay.moments() if moment.moves and not moment.is_of_chance)
    turn, who = moment.turn, next(iter(moment.moves))
    fault = Decision(turn, who, "", 1.0, "too_late", "no answer within 1 s")
    scene = scene_of(attrs.evolve(replay, decisions={(turn, who): fault}), "")
    (lines,) = (lines for each, _, lines, _ in scene["steps"] if each == turn)
    assert ["too late: no answer within 1 s"] == [line[3] for line in lines if line[1] == who and line[3]]


SEATED = [
    ("pairs of seat and value", [["ann", 1], ["bob", 2]], scenes.Listing("", True)),
    ("objects that name their seat", [{"x": 1, "who": "bob"}], scenes.Listing("who", False)),
    ("the same seat twice", [["ann", 1], ["ann", 2]], None),
    ("somebody who is not here", [["ann", 1], ["zoe", 2]], None),
    ("plain values", ["ann", "bob"], None),
    ("objects without a seat", [{"x": 1}], None),
    ("two kinds", [["ann", 1], {"who": "bob"}], None),
]


@pytest.mark.parametrize(("value", "listing"), [row[1:] for row in SEATED], ids=[row[0] for row in SEATED])
def test_lists_of_seats(value: Any, listing: Any) -> None:
    """Which lists in an observation tell something of each of several seats."""
    assert ({} if listing is None else {("f",): listing}) == scenes.listings([{"f": value}], BOTS[:2])


def test_a_list_that_is_seated_only_at_times_is_none() -> None:
    """A history whose first entries happen to be of different bots is no list of seats."""
    views = [{"f": [["ann", 1]]}, {"f": [["ann", 1], ["bob", 2], ["ann", 3]]}, {"f": [["ann", 1]]}]
    assert {} == scenes.listings(views, BOTS[:2])
