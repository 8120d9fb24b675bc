"""`arena replay --as BOT --logs`: each question at the move that answered it, with times and output."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import attrs
import pytest
from test_show import told
from test_story import FOLDS, HOLDEM, replayed

from arena.telling.replay import Viewer, viewer_of
from arena.telling.story import StoryPart
from arena.terminal.exchange_lines import exchange_lines, preface
from arena.terminal.exchanges import Aside, Exchange, Exchanges, exchanges_of
from arena.terminal.match import retold, steps_json
from arena.words import width

NOWHERE = Path("/nowhere")


def asked_of_ann(said=(), *, replay=None, folder=NOWHERE) -> Exchanges:
    played = told("ann")[0] if replay is None else replay
    return exchanges_of(played, told("ann")[1].seat, said, 1.0, folder)


def conversation(*, plain: bool = False) -> list[dict]:
    """What Ann was asked and said: she printed while she thought, and after each answer."""
    lines = [{"t_s": 10.0, "dir": "→", "text": '{"type":"match"}'}, {"dir": "|", "text": "hello"}]
    for number, exchange in enumerate(asked_of_ann().by_turn.values()):
        at_s = 20.0 + number
        question = {"message_id": str(number), **({} if plain else {"type": "ask", "time_s": 2.0})}
        question |= exchange.question if plain else {"state": exchange.question, "options": []}
        lines += [
            {"t_s": at_s, "dir": "→", "text": json.dumps(question)},
            {"t_s": at_s + 0.1, "dir": "|", "text": f"thinking about {number}"},
        ]
        if not exchange.fault:
            answer = json.dumps({"message_id": str(number), "move": exchange.answer})
            lines += [
                {"t_s": at_s + 0.2, "dir": "←", "text": answer[:5]},
                {"t_s": at_s + 0.25, "dir": "←", "text": answer[5:]},
                {"t_s": at_s + 0.3, "dir": "|", "text": f"relieved of {number}"},
            ]
    return [*lines, {"t_s": 99.0, "dir": "—", "text": "the end"}]


@pytest.mark.parametrize("plain", [False, True])
def test_a_question_stands_at_its_move(plain):
    """With its answer in one piece, its time, its limit, and what was printed until the next question."""
    found = asked_of_ann(conversation(plain=plain))
    assert (Aside(how="printed", text="hello"),) == found.first
    assert [1, 2, 3, 5, 6] == [*found.by_turn]
    first, _, late, *_, last = found.by_turn.values()
    assert {"your_hand": [6, 6], "last_move": "first_move"}.items() <= first.question.items()
    assert ["Bid"] == [option["kind"] for option in first.options]
    assert ([6, 2], True) == (first.answer, first.is_answered)
    assert pytest.approx(0.25) == first.elapsed_s
    assert (None if plain else 2.0) == first.limit_s
    assert ["thinking about 0", "relieved of 0"] == [each.text for each in first.more]
    assert ("too_late", False) == (late.fault, late.is_answered)
    assert ["thinking about 4", "relieved of 4", "the end"] == [each.text for each in last.more]


def test_what_else_a_bot_says_is_shown():
    """Answers to other questions, and what is not JSON, beside the answer."""
    lines = conversation()
    place = next(place for place, line in enumerate(lines) if line.get("dir") == "←")
    lines[place]["text"] = '{"message_id":"77","move":1} ' + lines[place]["text"]
    lines[place + 1]["text"] += "\nHello?"
    first = asked_of_ann(lines).by_turn[1]
    assert [6, 2] == first.answer
    assert ['{"message_id":"77","move":1}', "Hello?"] == [
        each.text for each in first.more if each.how == "said"
    ]


def test_a_question_that_was_not_put_is_left_out():
    """The others still stand at their moves."""
    lines = conversation()
    cut = [place for place, line in enumerate(lines) if '"ask"' in line["text"]]
    found = asked_of_ann([*lines[: cut[1]], *lines[cut[2] :]])
    assert [1, 3, 5, 6] == [*found.by_turn]
    assert ["thinking about 3", "relieved of 3"] == [each.text for each in found.by_turn[5].more]


def test_without_a_conversation_it_is_rebuilt():
    """Question and answer from the moves, times and faults as far as they were kept."""
    found = asked_of_ann()
    assert not found.is_recorded
    assert [1, 2, 3, 5, 6] == [*found.by_turn]
    assert (None, 1.0) == (found.by_turn[1].elapsed_s, found.by_turn[3].elapsed_s)
    assert ("too_late", "no answer within 1 s", 1.0) == (
        found.by_turn[3].fault,
        found.by_turn[3].reason,
        found.by_turn[3].limit_s,
    )
    (line,) = preface(found, "ann b")
    assert (
        "ann b's messages, times and output were not kept, as the run did not debug it; "
        "its questions are rebuilt from the moves" == line
    )


def test_the_evidence_of_a_fault_is_named(tmp_path):
    """Its file, if there is one."""
    name = "faults/0123456789ab-0-0.jsonl"
    (tmp_path / "faults").mkdir()
    (tmp_path / name).write_text("{}")
    assert ["", "", name, "", ""] == [
        each.evidence for each in asked_of_ann(folder=tmp_path).by_turn.values()
    ]


@pytest.mark.parametrize(("flag", "turns"), [("abandoned", [1, 2, 3]), ("withdrawn", [])])
def test_a_bot_that_is_not_asked_any_more(flag, turns):
    """What was played for it then is not told as its answers."""
    replay = told("ann")[0]
    seats = (attrs.evolve(replay.match.seats[0], **{flag: True}), *replay.match.seats[1:])
    replay = attrs.evolve(replay, match=attrs.evolve(replay.match, seats=seats))
    assert turns == [*asked_of_ann(replay=replay).by_turn]


def test_it_reads_well_on_a_narrow_terminal():
    """Below each move, indented, cut to a few lines."""
    replay, viewer = told("ann")
    show = partial(retold, replay, viewer, StoryPart(first=1, last=1), exchanges=asked_of_ann(conversation()))
    text = "\n".join(show(60))
    assert 60 >= max(map(width, text.splitlines()))
    assert (
        """\
     1  ann bids two 6s
          asked     {"round_number": 1, "move_number": 1,
                    "your_hand": [6, 6], "other_hands":
                    [["yourself", 2], ["bob", 2]],
                    "last_move": "first_move", "last_bid":
                    [0, 0], "last_bidder": "not_available",
                    "last_loser": "not_available", …
          options   [{"kind": "Bid", "form": ["<face>",
                    "<count>"], "fields": {"face": {"min": …
          answered  [6, 2] after 250 ms of 2 s (12%)
          printed   | thinking about 0
                    | relieved of 0"""
        in text
    )
    assert "before its first question:\n          printed   | hello" in text


def test_elsewhere_nothing_is_cut():
    """A question is one line of JSON, for those who search in it."""
    replay, viewer = told("ann")
    lines = list(retold(replay, viewer, exchanges=asked_of_ann(conversation())))
    questions = [
        json.loads(line.split("asked     ", 1)[1]) for line in lines if line.startswith(" " * 10 + "asked")
    ]
    assert [each.question for each in asked_of_ann().by_turn.values()] == questions


def test_as_data():
    """Each step in which the bot was asked has the exchange; what came before the first is at the start."""
    told_of = steps_json(*told("ann"), asked_of_ann(conversation()))
    start, *steps = json.loads(json.dumps(told_of))["steps"]
    assert [{"how": "printed", "text": "hello"}] == start["before"]
    assert [1, 2, 3, 5, 6] == [step["exchange"]["turn"] for step in steps if step["exchange"]]
    assert all("exchange" not in step for step in steps_json(*told("ann"))["steps"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fault": "gone", "elapsed_s": 0.02}, "nothing"),
        ({"fault": "too_late", "elapsed_s": 1.0}, "nothing after 1.0 s of 1 s (100%)"),
        ({"fault": "illegal", "elapsed_s": 0.5}, "something illegal after 500 ms of 1 s (50%)"),
        ({"is_answered": True, "answer": "pass"}, '"pass"'),
    ],
)
def test_answers_in_words(changes, said):
    """As far as they are known."""
    exchange = Exchange(
        **{"turn": 1, "question": {}, "options": [], "is_answered": False, "limit_s": 1.0} | changes
    )
    assert f"          answered  {said}" == list(exchange_lines(exchange))[2]


def test_no_terminal_obeys_a_bot():
    """Neither what it printed nor what it said; blanks at the start of its lines stay."""
    more = (Aside(how="printed", text="    raise\x1b[2J " + "x" * 90), Aside(how="said", text="\x07"))
    exchange = Exchange(
        turn=1, question={"a": "\x1b"}, options=[], is_answered=True, answer="\x9b", more=more
    )
    lines = list(exchange_lines(exchange, 60))
    assert not any(re.search("[\x00-\x1f\x80-\x9f]", line) for line in lines)
    assert "          printed   |     raise\\x1b[2J xxxxxxxxxxxxxxxxxxxxx" in lines
    assert 60 == max(map(width, lines))


def test_one_s_own_view_only():
    """Another seat's exchanges are rebuilt from its own observations."""
    replay, viewer = told("bob")
    assert Viewer("bob", viewer.seat) == viewer
    found = exchanges_of(replay, viewer.seat, (), 1.0, NOWHERE)
    assert {(2, 3), (4, 5)} == {tuple(each.question["your_hand"]) for each in found.by_turn.values()}


def test_a_move_with_its_question_is_not_gathered_with_others():
    """Two folds in a row are one line; with the question of one of them they are two."""
    replay = replayed(HOLDEM, FOLDS, 4)
    viewer = viewer_of(replay.match, "dan")
    exchanges = exchanges_of(replay, viewer.seat, (), 1.0, NOWHERE)
    assert any(line.endswith("1–2  cat and dan fold") for line in retold(replay, viewer))
    lines = list(retold(replay, viewer, exchanges=exchanges))
    place = next(place for place, line in enumerate(lines) if line.endswith("     2  dan folds"))
    assert lines[place + 1].startswith('          asked     {"hand_number"')
    assert '          answered  {"action": 0}' == lines[place + 3]
