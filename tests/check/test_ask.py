"""`arena ask`: recorded questions read back, put to a bot, and its answer judged."""

from __future__ import annotations

import json
import sys
from random import Random

import pytest
from test_cli import call

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.game import CHANCE
from arena.players.codec import Codec
from arena.trials.check.recorded import RecordedQuestion, names_recorded, read_options, read_question

MATCH = {
    "type": "match",
    "match_id": "abc",
    "game_number": 1,
    "game": "liars-dice",
    "version": 1,
    "rules": {"dice": 2},
    "seat": 1,
    "names": ["ann", "bob"],
    "time_control": {},
    "bot_seed": "17",
}
STATE = {
    "round_number": 1,
    "move_number": 2,
    "your_hand": [3, 3],
    "other_hands": [["yourself", 2], ["ann", 2]],
    "last_move": "bid_made",
    "last_bid": [6, 3],
    "last_bidder": "ann",
    "last_loser": "not_available",
    "last_challenger": "not_available",
}
OPTIONS = [
    {
        "kind": "Bid",
        "form": ["<face>", "<count>"],
        "fields": {"face": {"min": 1, "max": 6}, "count": {"min": 4, "max": 4}},
    },
    {"kind": "Challenge", "form": "challenge", "fields": {}},
]
ASK = {
    "type": "ask",
    "message_id": "4",
    "game_number": 1,
    "match_id": "abc",
    "state": STATE,
    "options": OPTIONS,
}
PLAIN = {"message_id": "9", "game_number": 2, **STATE}
EVENT = {"type": "event", "match_id": "abc", "kind": "bid", "payload": {"bidder": "ann", "bid": [6, 3]}}

BOTS = '''
import sys
from arena.sdk import Bot

class Told(Bot):
    """Answers by what it was told before."""
    heard = ()
    def event(self, kind, payload):
        self.heard = (*self.heard, kind)
    def move(self, state, options):
        ok = self.match.names[self.match.seat] == "bob" and self.match.bot_seed == "17" and self.heard == ("bid",)
        return "challenge" if ok and self.match.rules["dice"] == 2 else "pass"

class Wrong(Bot):
    def move(self, state, options):
        return [1, 1]

class Odd(Bot):
    def move(self, state, options):
        return {"what": 1}

class Dies(Bot):
    def move(self, state, options):
        raise KeyError("hand")
'''


@pytest.fixture
def ask(capsys, monkeypatch, tmp_path):
    """`arena ask` about these messages, of a bot in this process."""
    (tmp_path / "asked_bots.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def run(bot, messages, *words):
        (tmp_path / "said.jsonl").write_text("".join(json.dumps(message) + "\n" for message in messages))
        return call(capsys, monkeypatch, "ask", f"asked_bots:{bot}", "--question", "said.jsonl", *words)

    return run


def test_a_bot_is_told_what_was_recorded_before(ask):
    """The match with its rules, names and seed, and the events; its answer is judged."""
    code, out, err = ask("Told", [MATCH, EVENT, ASK])
    assert (0, "") == (code, err)
    assert ['move  "challenge"', "      legal"] == out.splitlines()[:2]


@pytest.mark.parametrize(
    ("bot", "fault", "reason"),
    [
        ("Wrong", "illegal", "count 1 is not 4"),
        ("Odd", "malformed", "is not a move of liars-dice"),
        ("Dies", "gone", "KeyError: 'hand'"),
    ],
)
def test_what_is_wrong_with_an_answer(bot, fault, reason, ask):
    """Exit code 1 and the fault."""
    code, out, _ = ask(bot, [MATCH, ASK], "--json")
    told = json.loads(out)
    assert (1, fault) == (code, told["fault"])
    assert reason in told["reason"]


@pytest.mark.parametrize(
    ("messages", "words", "said"),
    [
        ([MATCH, EVENT], (), "contains no whole question"),
        ([MATCH, ASK], ("--at", "2"), "--at 2: said.jsonl has 1 questions"),
        ([MATCH, ASK], ("--at", "x"), "--at: found 'x'"),
        ([PLAIN], (), "speaks the full protocol"),
        (
            [MATCH, {**ASK, "options": [{"kind": "Fold"}]}],
            (),
            'an option "Fold", which liars-dice does not have',
        ),
        ([MATCH, {**ASK, "options": [{"kind": "Bid", "fields": {"x": {}}}]}], (), "the option Bid"),
        ([{**MATCH, "rules": {"dice": 99}}, ASK], (), "dice"),
        ([{**MATCH, "game": "chess"}, ASK], (), "chess"),
    ],
)
def test_mistakes_in_the_file(messages, words, said, ask):
    """Each is a sentence, and exit code 2."""
    code, out, err = ask("Told", messages, *words)
    assert (2, "") == (code, out)
    assert said in err


def test_files_that_are_not_there(ask, capsys, monkeypatch, tmp_path):
    """None named; none there; not text."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for words, said in (
        ((), "--question is missing"),
        (("--question", "nowhere.jsonl"), "there is no file nowhere.jsonl"),
        (("--question", "bytes"), "is not text in UTF-8"),
        (("--question", "."), "cannot be read"),
    ):
        code, _, err = call(capsys, monkeypatch, "ask", "random", *words)
        assert 2 == code
        assert said in err


def test_a_capsule_is_read(tmp_path):
    """Its lines say who said what; those of the bot and those cut in the middle are left out."""
    lines = [
        {"match_id": "abc", "reason": "illegal"},
        {"dir": "→", "text": json.dumps(MATCH)},
        {"dir": "→", "text": json.dumps(EVENT)},
        {"dir": "→", "text": json.dumps(ASK)},
        {"dir": "←", "text": json.dumps({"message_id": "4", "move": [1, 1]})},
        {"dir": "→", "text": json.dumps(ASK)[:40]},
        {"stderr": "thinking"},
    ]
    path = tmp_path / "capsule.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    question = read_question(path)
    assert (STATE, OPTIONS, MATCH) == (question.state, question.options, question.match)
    assert (("bid", EVENT["payload"]),) == question.events
    path.write_text(json.dumps(PLAIN, indent=1))
    assert (STATE, None) == (read_question(path).state, read_question(path).options)


def test_only_events_of_the_same_match_count(tmp_path):
    """What was told in the match before is forgotten."""
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(map(json.dumps, [MATCH, EVENT, ASK, MATCH, ASK])))
    assert [1, 0] == [len(read_question(path, number).events) for number in (1, 2)]


@pytest.mark.parametrize("name", GAMES)
def test_options_come_back_as_they_were_sent(name):
    """In matches of random players: read back and sent again they are the same bytes."""
    game, rng = GAMES[name](), Random(3)
    seats, turns = game.seats[1], 0
    names = tuple(f"bot-{seat}" for seat in range(seats))
    state = game.start(seats)
    while (asked := game.to_act(state)) and turns < 60:
        turns += 1
        if asked == (CHANCE,):
            moves = {CHANCE: game.draw(state, rng)}
        else:
            options = {seat: game.options(state, seat) for seat in asked}
            codec = Codec(game, names, asked[0])
            sent = codec.options(options[asked[0]])
            own = [
                game.own_name if seat == asked[0] and game.own_name else each
                for seat, each in enumerate(names)
            ]
            assert options[asked[0]] == read_options(type(game), json.loads(sent), own)
            moves = {seat: rng.choice(each).sample(rng) for seat, each in options.items()}
        state = game.apply(state, moves).state


def test_names_without_a_match():
    """The bot's own, those in the options, and as many as a table needs."""
    chamber = GAMES["chamber"]
    shoot = {"kind": "ShootPlayer", "form": {}, "fields": {"target": {"one_of": ["me", "ann", "bob"]}}}
    asked = RecordedQuestion(state={}, options=[shoot])
    assert (("me", "ann", "bob"), 0) == names_recorded(chamber, asked, "me")
    asked = RecordedQuestion(state={}, options=[])
    assert (("me", "other-1"), 0) == names_recorded(chamber, asked, "me")


@pytest.mark.slow
def test_a_real_bot_is_asked(capsys, monkeypatch, tmp_path):
    """A process in its box, under the name that it had when the question was recorded."""
    (tmp_path / "ask.json").write_text(json.dumps(ASK))
    code, out, _ = call(capsys, monkeypatch, "ask", "truthful", "--question", str(tmp_path / "ask.json"))
    assert 0 == code, out
    assert 'move  "challenge"' in out
    with pytest.raises(ConfigError):
        read_question(tmp_path / "none")
