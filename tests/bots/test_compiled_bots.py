"""The built-in bots in other languages: real processes at a real socket, asked over the plain protocol."""

import json
import os
import shlex
import shutil
import subprocess
import tomllib
from itertools import pairwise

import pytest
from liars_dice_questions import BOTS, QUESTIONS, PlainSeat, may_answer, plain, play
from needs import need

from arena.games.liars_dice import LiarsDice

pytestmark = pytest.mark.slow

TOOLS = {"scout": "node", "anvil": "g++"}


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Copies of the bots' folders, each built as its bot.toml says, once."""
    built = {}

    def folder_of(name):
        need(TOOLS[name])
        if name not in built:
            folder = tmp_path_factory.mktemp("bots") / name
            shutil.copytree(BOTS / name, folder, ignore=shutil.ignore_patterns("build"))
            build = tomllib.loads((folder / "bot.toml").read_text()).get("build")
            if build:
                subprocess.run(build, shell=True, cwd=folder, check=True, timeout=120)
            built[name] = folder
        return built[name]

    return folder_of


@pytest.fixture(params=list(TOOLS))
def bot(request, remote, folders):
    """A running bot."""
    folder = folders(request.param)
    run = shlex.split(tomllib.loads((folder / "bot.toml").read_text())["run"])
    if "/" in run[0]:
        run[0] = str(folder / run[0])
    return remote(run, folder, ARENA_NAME='quoted "name"', ARENA_TOKEN="secret")


def test_it_says_its_name_and_token(bot):
    """The first thing on the connection is who it is."""
    assert bot.greeting == {"name": 'quoted "name"', "token": "secret"}


def test_every_answer_is_legal(bot):
    """Whatever the question, it makes a legal move, and the same one when asked again."""
    for number, state in enumerate(QUESTIONS.values()):
        move = bot.ask(number, state)
        assert may_answer(state, move), (state, move)
        assert bot.ask(number + 1000, state) == move


def test_bytes_may_be_split_anywhere(bot):
    """A question that comes in pieces is one question."""
    state = QUESTIONS["names that look like JSON"]
    move = bot.ask(1, state)
    for layout in ({"ensure_ascii": False}, {"indent": 3}, {"separators": (",", ":")}):
        data = plain(2, state, **layout)
        for size in (1, 7, 100):
            for low, high in pairwise([*range(0, len(data), size), len(data)]):
                bot.send(data[low:high])
            assert bot.read() == {"message_id": "2", "move": move}


def test_questions_may_come_together(bot):
    """All questions of one chunk are answered, in their order."""
    states = list(QUESTIONS.values())
    alone = [bot.ask(number, state) for number, state in enumerate(states)]
    bot.send(b"".join(plain(number, state) for number, state in enumerate(states)))
    assert [bot.read() for _ in states] == [
        {"message_id": str(number), "move": move} for number, move in enumerate(alone)
    ]


def test_what_is_no_question_is_ignored(bot):
    """Objects of other kinds, blank lines and an id that is a number do no harm."""
    state = QUESTIONS["an ordinary bid"]
    bot.send(b'\n\n {"type": "event", "payload": "}"}\n {} \r\n')
    bot.send(json.dumps({**state, "message_id": 7}).encode())
    answer = bot.read()
    assert answer["message_id"] == 7
    assert may_answer(state, answer["move"])


def test_it_tells_its_author_why_it_was_refused(bot):
    """The reason of a bye stands on standard error."""
    bot.send(b'{"type":"bye","reason":"the name is reserved"}\n')
    code, errors = bot.hang_up()
    assert (code, True) == (0, "the name is reserved" in errors)


def test_it_ends_with_the_connection(bot):
    """When the arena hangs up, the process ends by itself, without complaint."""
    bot.ask(1, QUESTIONS["an ordinary bid"])
    assert bot.hang_up() == (0, "")


def test_matches_are_played_to_the_end(bot):
    """It plays whole matches against itself at tables of all sizes, without an illegal move."""
    for game, seats in ((LiarsDice(), 2), (LiarsDice(challenge="next"), 4), (LiarsDice(dice=2), 10)):
        assert min(play(game, [PlainSeat(bot)] * seats, seats)) == 1


@pytest.mark.parametrize("name", list(TOOLS))
def test_without_a_port_it_says_what_to_do(name, folders):
    """One sentence and exit code 2."""
    run = tomllib.loads((BOTS / name / "bot.toml").read_text())["run"]
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        run, shell=True, cwd=folders(name), capture_output=True, text=True, timeout=20, env=env
    )
    assert done.returncode == 2
    assert "ARENA_PORT=8888" in done.stderr
