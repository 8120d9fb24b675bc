"""What the bench plays to measure: the lines of the games, and Hold'em beside a lean blocking loop."""

from __future__ import annotations

import pytest
import trio
from needs import need

from arena.games import GAMES

from .lines import DECISIONS, line_of, play_referee, play_rules, play_told
from .peer import NAMES, QUESTIONS_OF_A_HAND, play_loop, same_bytes
from .poker_clients import check_and_call, compiled_check_and_call


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_line_is_played_by_rules_and_referee_alike(game: str) -> None:
    """It is long enough, and both come to its end with the same moves (they assert it themselves)."""
    line = line_of(game)
    assert line.decisions >= DECISIONS
    assert line.what.startswith(f"{game}, ")
    play_rules(line)
    play_told(line)
    trio.run(play_referee, line)


@pytest.mark.slow
def test_a_hand_of_check_and_call_has_eight_decisions() -> None:
    """The line of the game that is played in hands is not the shortest match but every street of each hand."""
    line = line_of("holdem")
    assert "holdem, two check-and-call" == line.what
    assert QUESTIONS_OF_A_HAND * line.game.hands == line.decisions


@pytest.mark.slow
def test_arena_and_loop_send_the_same_bytes() -> None:
    """To both bots, in every match; the programs of all languages answer alike."""
    client = check_and_call("plain", hands=3)
    questions = same_bytes(client, 2)
    assert 2 * 3 * QUESTIONS_OF_A_HAND == len(questions)
    assert set(range(len(NAMES))) == {seat for seat, _ in questions}
    compiled = compiled_check_and_call(hands=3)
    if compiled is None:
        need("g++")
    assert questions == play_loop(compiled, 2)[1]
