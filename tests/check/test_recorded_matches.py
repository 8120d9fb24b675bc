"""Recorded questions in `arena check`: those that ship with a game, and those of a stored run."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import attrs
import pytest
import recorded_matches
import trio
from daily import daily
from test_check import FakeHost, to_mend
from test_cli import call

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.clock import Control
from arena.match.game import CHANCE, Seat
from arena.players.codec import Codec
from arena.schedule import derive_seed
from arena.testing import honest, silent
from arena.trials.check.advice import check_points
from arena.trials.check.examination import CheckTerms, Examination
from arena.trials.check.findings import CheckFindings
from arena.trials.check.matches import FILE, StoredSource, shipped_matches, stored_matches, written
from arena.trials.check.telling import check_json, check_text

LIARS = GAMES["liars-dice"]()


async def asked_of(behaviour, matches, game=LIARS, **host) -> tuple[CheckFindings, list]:
    """What a check sees of a bot that behaves so, and all that the bot was asked."""
    heard = []

    async def heeding(peer):
        question = peer.question

        async def heard_question():
            found = await question()
            heard.append(found)
            return found

        peer.question = heard_question
        await behaviour(peer)

    found = CheckFindings(bot="mine", game=game.name, title=game.title, seats=(2,), memory_mb=100)
    async with trio.open_nursery() as nursery:
        examination = Examination(
            game,
            FakeHost(nursery, heeding, **host),
            found,
            CheckTerms(control=Control(), time_s=15.0),
            recorded=matches,
        )
        await examination.examine()
        nursery.cancel_scope.cancel()
    return found, heard


def questions_of(match) -> dict[tuple[Seat, int], dict]:
    """Every question of the match, as the rules give it.  Raises IllegalMove if the moves do not fit them."""
    game, turns, found, numbers = match.game, iter(match.turns), {}, dict.fromkeys(range(99), 0)
    state = game.start(len(match.names))
    for moves in turns:
        while game.to_act(state) == (CHANCE,):
            rng = Random(derive_seed(match.seed, *game.chance_key(state)))
            state = game.apply(state, {CHANCE: game.draw(state, rng)}).state
        for seat in moves:
            names = tuple("mine" if place == seat else name for place, name in enumerate(match.names))
            found[seat, numbers[seat]] = json.loads(
                Codec(game, names, seat).encode(game.observe(state, seat))
            )
            numbers[seat] += 1
        state = game.apply(state, moves).state
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
async def test_the_shipped_questions_are_put(name, autojump_clock):
    """At a check of a built-in game by its default rules, exactly as they came up."""
    game = GAMES[name]()
    matches = shipped_matches(game)[:3]
    found, heard = await asked_of(honest, matches, game)
    assert {} == to_mend(found)
    wanted = [question for match in matches for question in match.wanted]
    assert found.recorded_wanted == len(wanted) > 0
    assert len(found.recorded()) >= len(wanted)
    expected = [questions_of(match)[question] for match in matches for question in match.wanted]
    put = [question["state"] for question in heard[: len(found.recorded())]]
    assert all(question in put for question in expected)


@pytest.mark.parametrize("name", GAMES)
def test_the_shipped_questions_have_every_kind_of_option(name):
    """At small and large tables; and are few: a file has a few kB."""
    game, kinds = GAMES[name](), set()
    matches = shipped_matches(game)
    assert {2} < {len(match.names) for match in matches}
    assert 20 == sum(len(match.wanted) for match in matches)
    for match in matches:
        for found in recorded_matches.questions_of(attrs.evolve(match, turns=with_chance(match))):
            if (found.seat, found.number) in match.wanted:
                kinds |= {trait[1] for trait in found.traits if trait[0] == "kind"}
    assert {move.__name__ for move in game.moves if getattr(move, "form", None) is not None} == kinds
    assert recorded_matches.path_of(name).stat().st_size < 10_000


def with_chance(match):
    """Its turns with those of chance, as records have them."""
    turns, state = [], match.game.start(len(match.names))
    for moves in match.turns:
        while match.game.to_act(state) == (CHANCE,):
            rng = Random(derive_seed(match.seed, *match.game.chance_key(state)))
            turns.append({CHANCE: match.game.draw(state, rng)})
            state = match.game.apply(state, turns[-1]).state
        turns.append(moves)
        state = match.game.apply(state, moves).state
    return tuple(turns)


@pytest.mark.slow
@pytest.mark.parametrize("name", daily({"liars-dice", "chamber"}.__contains__, GAMES))
def test_they_are_those_of_the_house_bots(name, monkeypatch):
    """Made again they are the same; otherwise `python -m tests.recorded_matches --write` renews them."""
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    recorded_matches.import_bots()
    assert recorded_matches.path_of(name).read_text().splitlines() == recorded_matches.lines_of(name)


def test_other_house_rules_have_other_matches():
    """None is put under rules by which it was not played."""
    assert [] == shipped_matches(GAMES["liars-dice"](dice=2))


def test_a_file_that_is_damaged_is_named(tmp_path, monkeypatch):
    """A sentence with its path; a match of another version is left out."""
    path = tmp_path / FILE
    monkeypatch.setattr("arena.games.liars_dice.rules.__file__", str(tmp_path / "rules.py"))
    assert [] == shipped_matches(LIARS)
    path.write_text("{}\n")
    with pytest.raises(ConfigError, match="is not a file of recorded matches"):
        shipped_matches(LIARS)
    monkeypatch.undo()
    line = json.loads(written(shipped_matches(LIARS)[0])) | {"version": 99}
    path.write_text(json.dumps(line) + "\n")
    monkeypatch.setattr("arena.games.liars_dice.rules.__file__", str(tmp_path / "rules.py"))
    assert [] == shipped_matches(LIARS)


# What is said of it.


async def test_a_bot_that_does_the_same_is_asked_on(autojump_clock):
    """From the first question to the last, in one match; another one leaves it, and is asked the next anew."""
    match = next(match for match in shipped_matches(LIARS) if len(match.names) == 2)
    seat = match.wanted[0][0]
    moves = match.moves_of(seat)
    codec = Codec(LIARS, match.names, seat)
    whole = attrs.evolve(match, wanted=tuple((seat, number) for number in range(len(moves))))

    left = [*moves]

    async def same(peer):
        while left:
            question, move = await peer.question(), left.pop(0)
            said = {"message_id": question["message_id"], "move": codec.move_json(move)}
            await peer.say(json.dumps(said).encode())
        await honest(peer)

    found, _ = await asked_of(same, [whole])
    assert 1 == len({asked.place for asked in found.recorded()[:1]})
    assert [f"question {number + 1} of match {match.match_id}" for number in range(len(moves))] == [
        asked.place for asked in found.recorded()
    ]
    others, _ = await asked_of(honest, [whole])
    assert len(moves) == len(others.recorded())
    assert others.matches > found.matches


async def test_the_verdict_says_how_many_were_recorded(autojump_clock):
    """In words and as data."""
    matches = shipped_matches(LIARS)
    found, _ = await asked_of(honest, matches)
    recorded, all_of_them = len(found.recorded()), len(found.asked)
    points = check_points(found)
    text = check_text(found, points)
    assert f"{all_of_them:,} questions ({recorded} recorded, {all_of_them - recorded:,} generated) in" in text
    assert f"{recorded} questions of {len(matches)} recorded matches, answered as any others" in text
    told = check_json(found, points)
    assert (all_of_them, recorded) == (told["questions"], told["recorded"])
    assert told["questions"] == told["recorded"] + told["generated"]


async def test_a_bot_that_fails_at_a_recorded_question(autojump_clock):
    """Told with the number of the question and its match; it is asked the next ones all the same."""
    match = shipped_matches(LIARS)[0]
    first = questions_of(match)[match.wanted[0]]

    async def naive(peer):
        while (question := await peer.question()) is not None:
            is_it = question["state"] == first
            wrong = json.dumps({"message_id": question["message_id"], "move": [9, 9]}).encode()
            await peer.say(wrong if is_it else peer.answer_to(question))

    found, _ = await asked_of(naive, [match])
    (name,) = to_mend(found)
    assert "recorded" == name
    number = match.wanted[0][1] + 1
    assert f"(question {number} of match {match.match_id})" in to_mend(found)[name]
    assert len(found.recorded()) >= len(match.wanted)


async def test_the_first_answer_has_the_longer_time(autojump_clock):
    """Though others have answered in its seat before."""
    match = shipped_matches(LIARS)[0]
    match = attrs.evolve(match, wanted=tuple(wanted for wanted in match.wanted if wanted[1]))

    async def slow_at_first(peer):
        question = await peer.question()
        await trio.sleep(5)
        await peer.say(peer.answer_to(question))
        await honest(peer)

    found, _ = await asked_of(slow_at_first, [match])
    assert {} == to_mend(found)
    assert [True, False] == [asked.is_first for asked in found.asked[:2]]
    assert 5.0 == pytest.approx(found.recorded()[0].elapsed_s)


async def test_a_silent_bot_leaves_time_for_the_rest(autojump_clock):
    """Recorded questions have their share of the time."""
    found, _ = await asked_of(silent, shipped_matches(LIARS))
    assert {"recorded", "play"} <= {asked.stage for asked in found.asked}
    assert len(found.recorded()) < found.recorded_wanted


# A stored run.

FRAGILE = '''
import sys
from arena.sdk import Bot, choose, run

class Mine(Bot):
    """Fails in the second round."""
    def move(self, state, options):
        if state["round_number"] == 2:
            raise KeyError("hand")
        return choose(options, self.rng)

if __name__ == "__main__":
    run(Mine)
'''


@pytest.mark.slow
def test_the_match_in_which_it_crashed(capsys, monkeypatch, tmp_path):
    """Retraced with the same luck it crashes again, at the same question."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(FRAGILE)
    words = ("run", "mine.py", "random", "--series", "1", "--rule", "dice=2", "--out", "there", "-q")
    code, _, err = call(capsys, monkeypatch, *words)
    assert 0 == code, err
    (capsule, *_) = sorted(Path("there/faults").glob("*.jsonl"))
    match_id = capsule.name.partition("-")[0]
    again = ("check", "mine.py", "-q", "--max-time", "1s", "--recorded")
    code, out, err = call(capsys, monkeypatch, *again, str(capsule))
    assert (1, "") == (code, err)
    assert "KeyError: 'hand' (question" in " ".join(out.split())
    assert f"of match {match_id})" in " ".join(out.split())
    assert f"`arena replay {match_id} " in " ".join(out.split())
    game, (match,) = stored_matches(StoredSource(folder=Path("there"), prefix=match_id), "mine", None)
    assert 2 == game.dice
    (seat,) = {seat for seat, _ in match.wanted}
    assert "mine" == match.names[seat]
    game, matches = stored_matches(StoredSource(folder=Path("there")), "other", None)
    assert {0, 1} == {int(seat) for match in matches for seat, _ in match.wanted}
    assert 2 == len(matches)
    for wrong, said in (
        ((*again, "there/zzz"), "no match in there begins with 'zzz'"),
        ((*again, "there", "--rule", "dice=2"), "--rule: the recorded match has its own house rules"),
        ((*again, "there", "--game", "blef"), "was played with liars-dice, and blef is blef"),
        ((*again, ""), "MATCH is empty"),
    ):
        code, out, err = call(capsys, monkeypatch, *wrong)
        assert (2, "") == (code, out), wrong
        assert said in err
