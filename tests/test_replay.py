"""A stored match step by step: whole to who may see everything, and to a seat nothing that it did not know."""

from __future__ import annotations

import attrs
import msgspec
import pytest
from replays import BOTS, SMALL, random_replay

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.game import CHANCE, Event, Seat, Step
from arena.match.record import Decision
from arena.telling.replay import EVERYBODY, SPECTATOR, Moment, Replay, SeenEvent, SeenMove, Viewer, viewer_of

CASES = [(game, seats) for game in GAMES for seats in (2, 3)]


def played(game: str, seats: int, seed: int = 7) -> Replay:
    return random_replay(SMALL.get(game) or GAMES[game](), seats, seed)


def viewers(seats: int) -> list[Viewer]:
    """A spectator and every seat."""
    return [SPECTATOR, *(Viewer(bot, Seat(seat)) for seat, bot in enumerate(BOTS[:seats]))]


def censored(moment: Moment, viewer: Viewer) -> Moment:
    """The moment with everything gone that this viewer was not told: moves of others, and their secrets."""
    assert moment.step is not None
    events = []
    for event in moment.step.events:
        if viewer.seat in event.private:
            events.append(Event(event.kind, None, {viewer.seat: event.private[viewer.seat]}))
        else:
            events.append(Event(event.kind, event.public))
    moves = {who: move if who == viewer.seat else "hidden" for who, move in moment.moves.items()}
    return Moment(moment.turn, moves, Step(moment.step.state, tuple(events)))


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_equal_information_makes_equal_scenes(game, seats):
    """Whatever others did, and whatever only they were told, a viewer's scene is the same."""
    replay = played(game, seats)
    for viewer in viewers(seats):
        for moment, scene in zip(replay.moments(), replay.scenes(viewer), strict=True):
            assert scene == replay.scene(censored(moment, viewer), viewer)


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_what_is_hidden_is_in_no_other_scene(game, seats):
    """Moves and options are the viewer's own, and a secret is told to its owner alone."""
    replay, secrets = played(game, seats), 0
    for moment in replay.moments():
        everything = replay.events(moment, EVERYBODY)
        for viewer in viewers(seats):
            scene = replay.scene(moment, viewer)
            assert {viewer.name} >= {move.bot for move in scene.moves} | scene.options.keys()
            for event in scene.events:
                assert {viewer.seat} >= event.private.keys()
            told = [event for event in everything if event.private.get(viewer.seat)]
            secrets += len(told)
            assert len(told) == sum(bool(event.private) for event in scene.events)
    assert secrets or game == "chamber"


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_a_scene_shows_what_the_game_lets_its_viewer_observe(game, seats):
    """The observation of a seat or a spectator as the game gives it; of who sees everything the whole state."""
    replay = played(game, seats)
    for moment in replay.moments():
        state = moment.step.state
        for viewer in viewers(seats):
            seen = replay.codec.encode(replay.game.observe(state, viewer.seat))
            assert msgspec.json.decode(seen) == replay.observation(moment, viewer)
        assert msgspec.json.decode(replay.codec.encode(state)) == replay.observation(moment, EVERYBODY)


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_who_sees_everything_misses_nothing(game, seats):
    """Every move, chance's too, and every payload of every event."""
    replay = played(game, seats)
    for moment, scene in zip(replay.moments(), replay.scenes(EVERYBODY), strict=True):
        assert [(who, type(move).__name__) for who, move in moment.moves.items()] == [
            (move.seat, move.kind) for move in scene.moves
        ]
        assert (CHANCE in moment.moves) == scene.is_of_chance
        payloads = [each for event in moment.step.events for each in (event.public, *event.private.values())]
        assert sum(each is not None for each in payloads) == sum(
            len(list(event.payloads)) for event in scene.events
        )


def test_a_fault_is_known_to_who_made_it():
    """And to who sees everything; the others see what was played for it."""
    replay = played("liars-dice", 2)
    turn = next(moment.turn for moment in replay.moments() if moment.moves and not moment.is_of_chance)
    fault = Decision(turn, Seat(0), "", 1.0, "too_late", "no answer within 1 s")
    replay = attrs.evolve(
        replay, decisions={(turn, Seat(0)): fault, (turn, Seat(1)): Decision(turn, Seat(1), "", 0.1)}
    )

    def faults(viewer: Viewer) -> list[tuple[int, str | None, str, str]]:
        scenes = replay.scenes(viewer)
        return [(s.turn, move.bot, move.fault, move.reason) for s in scenes for move in s.moves if move.fault]

    known = [(turn, "ann", "too_late", "no answer within 1 s")]
    assert [known, known, [], []] == [faults(viewer) for viewer in (EVERYBODY, *viewers(2)[1:], SPECTATOR)]


def move(kind: str, **fields: object) -> SeenMove:
    return SeenMove(Seat(0), "ann", kind, fields, None)


ECHOES = [
    ("the same again", SeenEvent("raise_to", {"player": "ann", "amount": 5}, {}), True, True),
    ("and what came of it", SeenEvent("raise_to", {"player": "ann", "amount": 5, "pot": 9}, {}), False, True),
    ("by another name", SeenEvent("raised", {"player": "ann", "amount": 5}, {}), False, True),
    ("not all of it", SeenEvent("raise_to", {"player": "ann"}, {}), True, False),
    ("of somebody else", SeenEvent("raise_to", {"player": "bob", "amount": 5}, {}), False, False),
    ("in secret", SeenEvent("raise_to", None, {Seat(0): {"player": "ann", "amount": 5}}), False, False),
]


@pytest.mark.parametrize(
    ("event", "echoes", "reveals"), [row[1:] for row in ECHOES], ids=[row[0] for row in ECHOES]
)
def test_events_that_tell_a_move(event, echoes, reveals):
    """One that says nothing but the move, and one that says all of it."""
    raised = move("RaiseTo", amount=5)
    assert (echoes, reveals) == (event.echoes(raised), event.reveals(raised))


def test_a_pass_is_not_revealed_by_an_elimination():
    """A move without fields is told by an event of its name alone."""
    assert not SeenEvent("eliminated", {"player": "ann"}, {}).reveals(move("Pass"))
    assert SeenEvent("pass", {"player": "ann"}, {}).reveals(move("Pass"))


def test_viewers_by_name():
    """A bot sits in its seat, a spectator in none, and a stranger sees nothing."""
    match = played("liars-dice", 2).match
    assert [Viewer("bob", Seat(1)), SPECTATOR, EVERYBODY] == [
        viewer_of(match, name) for name in ("bob", "spectator", None)
    ]
    with pytest.raises(
        ConfigError, match="'eve' did not play in 0123456789ab; ann, bob did, or use spectator"
    ):
        viewer_of(match, "eve")
