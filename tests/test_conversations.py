"""`arena run --debug`: the whole conversation of a bot, bounded, in a form that `arena ask` reads."""

from __future__ import annotations

import json
import os
import re

import pytest
import trio
import trio.testing
from test_cli import call

import arena.tournament.play.conversations as module
from arena.players.entrant import Entrant
from arena.players.log import BotLog
from arena.players.process import ProcessPlayer
from arena.players.stream import StreamPlayer
from arena.tournament.play.conversations import Conversations, conversation_in
from arena.tournament.play.logs import FOLDER as LOGS
from arena.trials.check.recorded import read_question

LONG = b'{"say":"' + b"x" * 5000 + b'"}\n'


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def noted(player, *messages):
    for at, message in enumerate(messages):
        player._transcript.note(float(at), "→", message)


def test_messages_are_kept_whole_and_without_secrets(tmp_path):
    """An instance has a file of its own, with its matches; others are left alone."""
    conversations = Conversations(["mine"], tmp_path / "logs")
    player, other = StreamPlayer("mine"), StreamPlayer("other")
    player.secrets = ("s3cret",)
    conversations.attend("other", other, "m0")
    conversations.attend("mine", player, "m1")
    noted(player, LONG, b'{"token":"s3cret"}\n')
    conversations.attend("mine", player, "m2")
    noted(other, b"{}")
    conversations.close()
    (path,) = (tmp_path / "logs").iterdir()
    assert "mine-1-conversation.jsonl" == path.name
    first, long, secret, second = lines_of(path)
    assert ({"match_id": "m1"}, {"match_id": "m2"}) == (first, second)
    assert {"t_s": 0.0, "dir": "→", "text": LONG.decode().strip()} == long
    assert '{"token":"***"}' == secret["text"]


async def test_what_a_bot_prints_stands_before_its_answer(tmp_path):
    """Line by line, without its secrets, and only what came since the last message."""
    log = BotLog(None)
    player = ProcessPlayer(Entrant(name="mine", kind="process"), log)
    player.secrets = ("s3cret",)
    log._write(b"at its start\n")
    conversations = Conversations(["mine"], tmp_path / LOGS)
    conversations.attend("mine", player, "m1")
    noted(player, b"{}")
    log._write(b"thinking of s3cret\nhard\n")
    noted(player, b"[]")
    conversations.close()
    (tmp_path / LOGS / "mine-2-1-conversation.jsonl").write_text(
        '{"match_id":"m1"}\n{"text":"of another"}\n{"cut'
    )
    said = conversation_in(tmp_path, "mine", "m1")
    assert [("→", "{}"), ("|", "thinking of ***"), ("|", "hard"), ("→", "[]")] == [
        (line["dir"], line["text"]) for line in said
    ]


async def test_what_was_printed_and_not_yet_read_is_taken_before_a_message(tmp_path):
    """So it stands before the answer that it came before; and the last words of a program are kept."""
    reads, writes = os.pipe()
    log = BotLog(None)
    player = ProcessPlayer(Entrant(name="mine", kind="process"), log)
    conversations = Conversations(["mine"], tmp_path / LOGS)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.drain, reads)
        await trio.testing.wait_all_tasks_blocked()
        conversations.attend("mine", player, "m1")
        noted(player, b"question")
        os.write(writes, b"thinking\n")
        noted(player, b"answer")
        os.write(writes, b"Traceback\n")
        conversations.attend("mine", player, "m2")
        os.write(writes, b"KeyError\n")
        conversations.close()
        os.close(writes)
    assert ["question", "thinking", "answer", "Traceback"] == [
        line["text"] for line in conversation_in(tmp_path, "mine", "m1")
    ]
    assert ["KeyError"] == [line["text"] for line in conversation_in(tmp_path, "mine", "m2")]
    assert [] == conversation_in(tmp_path, "mine", "m3")


def test_earlier_files_stay(tmp_path):
    """Those of a run before are not overwritten."""
    for _ in range(2):
        conversations = Conversations(["mine"], tmp_path)
        conversations.attend("mine", StreamPlayer("mine"), "m")
        conversations.close()
    assert ["mine-1-conversation.jsonl", "mine-2-conversation.jsonl"] == sorted(
        p.name for p in tmp_path.iterdir()
    )


def test_the_size_is_bounded(tmp_path, monkeypatch):
    """The file says where it ends."""
    monkeypatch.setattr(module, "CONVERSATIONS_BYTES_MAX", 20_000)
    conversations = Conversations(["mine"], tmp_path)
    player = StreamPlayer("mine")
    conversations.attend("mine", player, "m")
    noted(player, *[LONG] * 100)
    conversations.close()
    path = tmp_path / "mine-1-conversation.jsonl"
    assert path.stat().st_size < 30_000
    assert {"note": "there is no room for more"} == lines_of(path)[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--debug", "nobody"), "--debug nobody: there is no such bot, expected one of random, other"),
        (("two=test_cli:Bot", "--debug", "two"), "--debug two: it plays in this process"),
    ],
)
def test_mistakes(words, said, capsys, monkeypatch, tmp_path):
    """Who is debugged must be there, and have a connection; nothing is played."""
    (tmp_path / "test_cli.py").write_text("from arena.sdk import Bot\n")
    monkeypatch.chdir(tmp_path)
    for more in ((), ("--dry-run",)):
        bots = ("random", "other=random")
        code, out, err = call(capsys, monkeypatch, "run", *bots, *words, *more, "--out", "there")
        assert (2, "") == (code, out)
        assert said in err
    assert not (tmp_path / "there").exists()


@pytest.mark.slow
def test_a_run_keeps_a_conversation(capsys, monkeypatch, tmp_path):
    """Every match of the bot, questions and answers; any question can be put again."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "there"
    words = (
        "random",
        "other=random",
        "--debug",
        "other",
        "--series",
        "1",
        "--rule",
        "dice=1",
        "--out",
        out,
        "-q",
    )
    code, _, err = call(capsys, monkeypatch, "run", *map(str, words))
    assert 0 == code, err
    files = sorted((out / "logs").glob("*-conversation.jsonl"))
    assert {"other"} == {path.name.split("-")[0] for path in files}
    said = [line for path in files for line in lines_of(path)]
    assert 2 == len({line["match_id"] for line in said if "match_id" in line})
    kinds = {json.loads(line["text"]).get("type") for line in said if line.get("dir") == "→"}
    assert {"match", "ask", "event", "result"} <= kinds
    assert any(line.get("dir") == "←" for line in said)
    match = next(line["match_id"] for line in said if "match_id" in line)
    words = ("replay", match, str(out), "--logs")
    code, told, err = call(capsys, monkeypatch, *words, "--as", "other")
    assert 0 == code, err
    assert re.search(r"\n +\d+  (random|other) .*\n {10}asked {5}\{\"round_number\": 1", told)
    assert re.search(r"\n {10}answered  .* after [\d.]+ m?s of 1", told)
    code, told, err = call(capsys, monkeypatch, *words, "--as", "random")
    assert 0 == code, err
    assert "random's messages, times and output were not kept, as the run did not debug it" in told
    assert err.endswith("to keep what it says: arena run --debug random …\n")
    code, _, err = call(capsys, monkeypatch, *words)
    assert (2, True) == (code, "name it with --as BOT" in err)
    code, _, err = call(capsys, monkeypatch, *words, "--as", "other", "--csv")
    assert (2, True) == (code, "--logs has no --csv" in err)
    assert ["random", "other"] == sorted(read_question(files[0]).match["names"], reverse=True)
