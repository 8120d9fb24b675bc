"""A person against bots: whole matches with typed words, what is shown of them, and how they end."""

from __future__ import annotations

import json
import os
import re
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from arena.errors import ConfigError
from arena.games import GAMES
from arena.games.holdem.moves import Bet as PokerBet
from arena.games.liars_dice.moves import Bid
from arena.match.game import CHANCE, Seat
from arena.players.codec import Codec
from arena.players.desk import Question, Slot
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.telling.choices import read_choices, with_numbers
from arena.telling.numbering import Numbering
from arena.telling.spoken import in_the_imperative, spoken_moves, ways_to_say
from arena.terminal.phrases import HELP, places_told
from arena.terminal.sitting import PersonMatch, Sitting
from arena.terminal.voice import Voice, sentence
from arena.testing.games import random_match
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.game_source import find_game
from arena.tournament.sparring import house_bots, opponents_of
from arena.trials.check.opponents import RandomPlayer, hasty

TALL = Voice(measure=lambda: None)


def sitting(game: Any, *bots: str, seed: int = 1, move_s: float | None = None) -> Sitting:
    entrants = tuple(Entrant(name=name, kind="process") for name in bots or ("bob",))
    return Sitting(game=game, person="ann", bots=entrants, seed=seed, move_s=move_s)


def played(where: Sitting, typed: str, *, voice: Voice = TALL, end: bool = True) -> PersonMatch:
    """A match against random bots in which these lines are typed at once; then the input ends, or goes on."""
    match = PersonMatch(where, voice)
    reading, writing = os.pipe()
    os.write(writing, typed.encode())
    if end:
        os.close(writing)
    bots = [RandomPlayer(bot.name, hasty, Random(place), fails_max=0) for place, bot in enumerate(where.bots)]
    try:
        trio.run(match.play, bots, LagWatch(), reading, clock=MockClock(autojump_threshold=0.0))
    finally:
        os.close(reading)
        if not end:
            os.close(writing)
    return match


SHORT = {
    "liars-dice": {"dice": 2},
    "holdem": {"hands": 3},
    "chamber": {"lives": 2},
    "bluff": {"plays_max": 30},
}


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_match_of_every_game_is_played_by_typing(name: str, capsys: Any) -> None:
    """Every question is answered in one of these words; those that do not fit lose nothing."""
    game = GAMES[name](**SHORT.get(name, {}))
    words = ["2", "play 1", "play 1 5", "pass", "1", "c", "b 6 1", "b 20", "shoot yourself"]
    typed = "".join(f"{word}\n" for word in islice(cycle(words), 2000))
    match = played(sitting(game, "bob", "eve", seed=4), typed, voice=Voice())
    told = capsys.readouterr().out
    assert match.record is not None
    assert not [decision for decision in match.record.decisions if decision.fault]
    assert "the match is over: " in told.splitlines()[-1]
    assert max(map(len, told.splitlines())) <= 80
    assert "1 pass" not in told.splitlines(), "nobody is asked who can only be silent"


@pytest.mark.parametrize("name", GAMES)
def test_a_plain_voice_says_whole_sentences(name: str, capsys: Any) -> None:
    """No brackets, no symbols, no colours, no columns, no empty lines; the end of input leaves."""
    match = played(
        sitting(GAMES[name](), seed=2),
        "?\nmoves\nlook\n1\n",
        voice=Voice(measure=lambda: None, is_plain=True),
    )
    assert match.record is None
    lines = capsys.readouterr().out.splitlines()
    assert all(re.search(r"[.?:!]$", line) for line in lines)
    assert not re.search(r"[♣♦♥♠\x1b]|\[[0-9A-Z]", "\n".join(lines))
    assert [line for line in lines if "ann leaves" in line and "this is how it stood" in line]


def test_a_move_keeps_its_number() -> None:
    """To challenge is 1 whether bids are listed before it or not; to call is one number whatever it costs."""

    def offered(name: str, *moves: Any) -> dict[str, int]:
        game = GAMES[name]()
        state, numberings = (
            game.start(2),
            [Numbering(game, ("ann", "bob"), Seat(seat)) for seat in (0, 1)],
        )
        found: dict[str, int] = {}
        for move in (None, *moves, None):
            (who, *_) = game.to_act(state)
            if who == CHANCE:
                state = game.apply(state, {CHANCE: game.draw(state, Random(1))}).state
                who, *_ = game.to_act(state)
            options = json.loads(Codec(game, ("ann", "bob"), who).options(game.options(state, who)))
            spoken = [
                words
                for _, words in spoken_moves(options, game, ("ann", "bob"), who, game.observe(state, who))
            ]
            for words, number in zip(spoken, numberings[who].of(read_choices(options)), strict=True):
                assert found.setdefault(words, number) == number
            if move is not None:
                silent = {seat: game.silent_move() for seat in game.to_act(state) if seat != who}
                state = game.apply(state, {**silent, who: move}).state
        return found

    dice = offered("liars-dice", Bid(3, 1), Bid(3, 2))
    assert (1, 3) == (
        dice["challenges"],
        min(number for words, number in dice.items() if words.startswith("bids")),
    )
    poker = offered("holdem", PokerBet(30), PokerBet(40))
    assert {"folds", "calls 10", "calls 20"} <= poker.keys()
    assert poker["calls 10"] == poker["calls 20"] != poker["folds"]


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game().numbered_moves(3)])
def test_numbers_do_not_depend_on_the_first_question(name: str) -> None:
    """Whatever is asked first, a move that the game numbers has the same number in every match."""
    game, names = GAMES[name](), ("ann", "bob", "cat")
    found: dict[tuple[int, str], int] = {}
    for seed in range(12):
        numberings = [Numbering(game, names, Seat(seat)) for seat in range(3)]
        for _, step in islice(random_match(game, 3, Random(seed)), 200):
            for seat in game.to_act(step.state):
                if seat == CHANCE:
                    continue
                codec = Codec(game, names, seat)
                choices = read_choices(json.loads(codec.options(game.options(step.state, seat))))
                moves = [json.dumps(move) for move in with_numbers(choices)[0]]
                for move, number in zip(moves, numberings[seat].of(choices), strict=True):
                    assert found.setdefault((seat, move), number) == number, move
    assert len(found) > 50


def test_who_leaves_is_told_how_it_stood(capsys: Any) -> None:
    """`q` asks nothing, and what was typed after it is not read."""
    match = played(sitting(GAMES["liars-dice"](), seed=2), "q\nb 1 1\n", end=False)
    told = capsys.readouterr().out
    assert match.record is None
    assert re.search(r"ann leaves.*; this is how it stood\nyour dice are (\[\d\] ?){5}\n", told)
    assert "ann bids" not in told


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("zz", '"zz" is not a legal move now: bid FACE COUNT'),
        ("b 7 1", "7 cannot be the face now: bid FACE COUNT"),
        ("999", "no legal move has the number 999 now: they have 3 to 62"),
        ('{"a": 1}', 'move {"a":1} is not a move of liars-dice'),
        ("moves zz", "no numbered move has zz in it"),
    ],
)
def test_other_words_are_one_sentence_and_lose_nothing(typed: str, sentence: str, capsys: Any) -> None:
    match = played(sitting(GAMES["liars-dice"](), seed=5), f"{typed}\nb 1 1\n")
    told = capsys.readouterr().out
    assert sentence in told
    assert "ann bids one 1" in told
    assert match.record is None


def test_a_move_may_be_said_as_it_is_told(capsys: Any) -> None:
    played(sitting(GAMES["liars-dice"](), seed=5), "bid three 4s\n")
    assert "ann bids three 4s" in capsys.readouterr().out


def test_part_of_a_bet_is_told_how_a_whole_one_is_said(capsys: Any) -> None:
    """And where the moves are read aloud they are not read again."""
    played(sitting(GAMES["blef"](), seed=5), "bet pair\n")
    assert (
        '"bet pair" is not a legal move now: say bet a pair of aces, or its number' in capsys.readouterr().out
    )
    played(sitting(GAMES["liars-dice"](), seed=5), "zz\n", voice=Voice(lambda: None, is_plain=True))
    assert '"zz" is not a legal move now.' in capsys.readouterr().out.splitlines()


def test_a_plain_voice_names_the_word_beside_the_number() -> None:
    where = sitting(GAMES["liars-dice"](), seed=5)
    match = PersonMatch(where, Voice(lambda: None, is_plain=True))
    match._options = [{"kind": "Challenge", "form": "challenge", "fields": {}}]
    assert ["type 1 or challenge"] == match._clauses()


def test_an_empty_line_passes_where_one_can(capsys: Any) -> None:
    """And only there: on turn it asks again."""
    played(sitting(GAMES["liars-dice"](), "bob", "eve", seed=5), "b 1 1\n" + "\n" * 40)
    told = capsys.readouterr().out
    assert 1 == told.count("ann bids")
    assert told.count("ann, what do you do?") > 30
    assert {"bob", "eve"} & set(re.findall(r"^(\w+) (?:bids|challenges)", told, re.MULTILINE))


def test_with_a_clock_silence_loses_the_move_and_is_said_in_time(capsys: Any) -> None:
    """A reminder, then the end of the time, then what the rules make of it; without a clock nobody hurries."""
    match = played(sitting(GAMES["liars-dice"](dice=1), seed=5, move_s=30.0), "", end=False)
    told = capsys.readouterr().out
    assert match.record is not None
    assert "ann (30 s), what do you do?" in told
    assert told.index("10 seconds left") < told.index("time is up") < told.index("[too late: ")


class Mute(RandomPlayer):
    """Ended before it was asked."""

    def ask(self, question: Question, slot: Slot) -> None:
        slot.fail("gone", "its process ended")


def test_a_bot_that_fails_is_told(capsys: Any) -> None:
    """Once for each failure, without what it printed."""
    where = sitting(GAMES["bluff"](plays_max=6), seed=5)
    reading, writing = os.pipe()
    os.write(writing, b"pass\nplay 1\n" * 40)
    os.close(writing)
    trio.run(PersonMatch(where, TALL).play, [Mute("bob", hasty, Random(1))], LagWatch(), reading)
    os.close(reading)
    told = capsys.readouterr().out
    assert "bob gave no valid answer (gone)" in told
    assert "its process ended" not in told


def test_the_rules_are_told_in_paragraphs(capsys: Any) -> None:
    """As a person tells them under these house rules; all of them as authors of bots need them."""
    free = GAMES["bluff"](claims="free_suit")
    played(sitting(free, seed=5), "rules\n", voice=Voice(lambda: None, is_plain=True))
    told = capsys.readouterr().out.splitlines()
    (claims,) = (line for line in told if "You choose the suit" in line)
    assert claims.startswith("- You"), "the rule is there, and not when it holds"
    assert not any("What you claim is given" in line or "Source" in line for line in told)
    played(sitting(free, seed=5), "rules all\n", voice=Voice(lambda: None, is_plain=True))
    (source,) = (line for line in capsys.readouterr().out.splitlines() if "Source" in line)
    assert len(source) > 100


class Slow(RandomPlayer):
    """Answers after ten seconds."""

    def ask(self, question: Question, slot: Slot) -> None:
        async def answer() -> None:
            await trio.sleep(10.0)
            RandomPlayer.ask(self, question, slot)

        slot.note_sent(trio.current_time())
        trio.lowlevel.spawn_system_task(answer)


def test_what_is_typed_while_others_think_is_the_answer_to_the_next_question(capsys: Any) -> None:
    where = sitting(GAMES["liars-dice"](challenge="next"), seed=5, move_s=60.0)
    reading, writing = os.pipe()

    async def play() -> None:
        async with trio.open_nursery() as nursery:
            bots = [Slow("bob", hasty, Random(1), fails_max=0)]
            nursery.start_soon(PersonMatch(where, TALL).play, bots, LagWatch(), reading)
            await trio.sleep(1.0)
            os.write(writing, b"b 1 1\n")
            await trio.sleep(1.0)
            os.write(writing, b"look\nc\n")
            await trio.sleep(15.0)
            os.write(writing, b"q\n")

    trio.run(play, clock=MockClock(autojump_threshold=0.0))
    os.close(reading)
    os.close(writing)
    told = capsys.readouterr().out
    assert "ann's bid of one 1 is on the table" in told
    assert re.search(r"bob bids (.|\n)*ann challenges|bob challenges", told)
    assert "this is how it stood" in told


def test_the_person_sees_only_their_own_hand(capsys: Any) -> None:
    """Until the showdown nothing depends on what the others hold: the same words, told to a twin."""
    tellings = []
    for swap in (False, True):
        game = GAMES["liars-dice"](dice=2)
        where = sitting(game, seed=5)
        match = PersonMatch(where, TALL)
        roll = game.draw(game.start(2), Random(3))
        hands = list(roll.hands)
        if swap:
            hands[1 - where.seat] = tuple(7 - die for die in hands[1 - where.seat])
        moves = {CHANCE: type(roll)(tuple(hands))}
        match._turns.append(moves)
        match._tell_turn(moves, game.apply(game.start(2), moves))
        tellings.append((capsys.readouterr().out, list(match.seen())))
    assert tellings[0] == tellings[1]
    assert "ann rolls" in tellings[0][0]


def test_a_game_without_words_is_played_by_the_names_of_its_fields(capsys: Any) -> None:
    match = played(sitting(find_game("examples/kuhn.py").cls()), "1\n" * 50)
    told = capsys.readouterr().out
    assert match.record is not None
    assert "your card " in told


def test_places_are_told_in_words() -> None:
    assert "the match is over: bob comes first, ann and eve share second place" == places_told(
        ("ann", "bob", "eve"), (2, 1, 2)
    )


@pytest.mark.parametrize(
    ("told", "order"),
    [
        ("bids five 3s", "bid five 3s"),
        ("passes", "pass"),
        ("bets two pair, jacks and nines", "bet two pair, jacks and nines"),
        ("steals Skip from bob and uses it on eve", "steal Skip from bob and use it on eve"),
        ("shoots themselves", "shoot yourself"),
        ("puts 20 in", "put 20 in"),
    ],
)
def test_a_move_is_offered_as_an_order(told: str, order: str) -> None:
    assert order == in_the_imperative(told)


def test_a_bet_may_be_said_without_its_verb_and_article() -> None:
    assert {"pair of nines", "a pair of nines", "bet a pair of nines"} <= ways_to_say("bets a pair of nines")
    assert "" not in ways_to_say("passes")


def test_the_help_of_a_match_fits_80_columns() -> None:
    assert max(map(len, HELP.splitlines())) < 80


def test_a_plain_sentence_separates_what_is_held() -> None:
    assert "you hold 1:AS, 2:KD and more." == sentence("you hold 1:[AS] 2:[KD] and more")
    assert "you have Add Life, Skip." == sentence("you have [Add Life] [Skip]")


# The bots.


def games_of(bot: str) -> int:
    return len(resolve(bot, base=Path.cwd()).games)


def test_the_first_house_bot_of_a_game_is_made_for_it() -> None:
    assert "odds" == house_bots("liars-dice")[0]
    for name in GAMES:
        first, *others, last = house_bots(name)
        assert "random" == last
        assert all(games_of(first) <= games_of(other) for other in others)
    assert ("random",) == house_bots("a game that no house bot knows")


def test_bots_sit_down_in_turn_until_the_table_is_full() -> None:
    bots, person = opponents_of("odds", ["odds", "bluffer"], seats=4, game="liars-dice", reserved=())
    assert ["odds", "bluffer", "odds-2"] == [bot.name for bot in bots]
    assert "odds-3" == person


@pytest.mark.parametrize(
    ("person", "against", "sentence"),
    [
        ("pass", ["odds"], "name \"pass\": 'pass' is a reserved word"),
        ("ann", ["nosuch"], "no such bot"),
        ("ann", ["equity"], "liars-dice"),
        ("ann", ["odds", "odds"], "against: found 2 bots, and with you at 2 seats there is room for 1"),
    ],
)
def test_mistakes_about_who_plays_are_sentences(person: str, against: list[str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        opponents_of(person, against, seats=2, game="liars-dice", reserved={"pass"})
