"""What `arena new` writes: a folder that plays at once, in every language, and never over anything."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from calls import called
from daily import NIGHTLY
from needs import missing, needs

from arena.box.packages import PACKAGES
from arena.errors import ConfigError
from arena.games import GAMES
from arena.sdk import Bot, allows, choose, rehearse
from arena.starter import LANGUAGES, find_language
from arena.starter.folder import TEMPLATES, Starter, check_new_name, write_starter
from arena.starter.recording import QUESTIONS_MAX, recording
from arena.tournament.bots.entrants import builtin_bots, resolve

HOUSE = Path(__file__).parents[2]
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "CARGO_PROFILE_DEV_DEBUG": "0",  # without what only a debugger reads, Cargo takes a third less time
    "CARGO_INCREMENTAL": "0",
}
DICE = GAMES["liars-dice"]()
LINES_MAX = 60
"""The whole source of a template, its test apart, has fewer."""
CODE = {".py", ".js", ".cpp", ".hpp", ".go", ".java", ".rs"}


def starter(language="python", name="mybot", game=DICE, word=""):
    return Starter(name=name, language=LANGUAGES[language], game=game, game_word=word)


# Words.


@pytest.mark.parametrize("name", ["mybot", "3", "_", "My-Bot_2", "b" * 64])
def test_other_names_are_taken(name):
    """Letters, digits, - and _, in any mixture."""
    check_new_name(name, DICE, builtin_bots())


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
def test_a_language_has_its_usual_names(language):
    """Those that people type, in any case."""
    for word in (language.name, language.name.upper(), *language.also):
        assert language is find_language(word)


def test_another_language_is_refused_with_the_nearest():
    """The sentence says what was meant, and which there are."""
    with pytest.raises(
        ConfigError, match=r"'javascrpt' \(did you mean javascript\?\); languages are python, "
    ):
        find_language("javascrpt")


# The recorded matches.


class Legal(Bot):
    """Any legal move."""

    def move(self, state, options):
        return choose(options, self.rng)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_recorded_is_a_conversation(game):
    """At two tables, a match at a time: first what is played, then events and questions; the same every time."""
    lines = list(recording(GAMES[game](), "mybot"))
    assert lines == list(recording(GAMES[game](), "mybot"))
    messages = [json.loads(line) for line in lines]
    kinds = [message["type"] for message in messages]
    assert "match" == kinds[0]
    assert {"match", "event", "ask"} == set(kinds) - {"result"}  # thirty questions end no match of Hold'em
    tables = {len(message["names"]) for message in messages if message["type"] == "match"}
    assert 2 == len(tables)
    assert QUESTIONS_MAX * 2 == kinds.count("ask")
    for message in messages:
        if message["type"] == "match":
            assert "mybot" == message["names"][message["seat"]]
            assert len(set(message["names"])) == len(message["names"])
    for question, move in rehearse(Legal(), lines):
        assert allows(question.options, move)


def test_a_bot_may_be_called_like_one_of_the_others():
    """Names at a table are different, also where there are more seats than other names."""

    class Eight(type(DICE)):
        seats = range(8, 11)

    for game in (DICE, Eight()):
        for line in recording(game, "ann"):
            message = json.loads(line)
            if message["type"] == "match":
                assert len(set(message["names"])) == len(message["names"])
                assert len(message["names"]) in (2, 4, 8)


# What is written.


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_is_complete(language, tmp_path):
    """Recipe, source under 60 lines with TODO 1 to 3, test, recording, and a README of three commands."""
    folder = write_starter(starter(language), tmp_path)
    spoken = LANGUAGES[language]
    code = [path for path in folder.rglob("*") if path.suffix in CODE]
    assert [spoken.source] == [str(path.relative_to(folder)) for path in code if not is_test(path)]
    source = (folder / spoken.source).read_text()
    assert len(source.splitlines()) < LINES_MAX
    assert ["1", "2", "3"] == re.findall(r"TODO (\d):", source)
    readme = (folder / "README.md").read_text()
    commands = starter(language).commands
    assert list(commands.values()) == re.findall(r"^    (\S.*)$", readme.split("```")[0], re.MULTILINE)
    entrant = resolve(str(folder), base=tmp_path)
    assert ("mybot", ("liars-dice",)) == (entrant.name, entrant.games)
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix != ".jsonl":
            text = path.read_text()
            assert not re.search(r"@[A-Z_]+@", text)
            assert max(map(len, text.splitlines())) <= 140
            assert text.endswith("\n")
    assert all(json.loads(line) for line in (folder / "recorded.jsonl").read_bytes().splitlines())


def is_test(path):
    """By name, as the tools of each language know them."""
    return "test" in path.stem.lower() or path.parent.name == "tests"


def test_every_template_is_a_languages():
    """No folder is left without its language, nor a language without its folder."""
    assert set(LANGUAGES) == {path.name for path in TEMPLATES.iterdir() if path.is_dir()}


def test_a_missing_program_comes_with_a_package_of_its_language():
    """What a run says is what `arena new` says."""
    needs = {program: each for each in LANGUAGES.values() if each.packages for program in each.needs}
    assert needs.keys() == PACKAGES.keys()
    assert all(package in needs[program].packages for program, package in PACKAGES.items())


def test_templates_know_no_game():
    """They are driven by the options alone: no game's name or word stands in them."""
    words = {*GAMES, "last_bid", "your_hand", "challenge", "fold"}
    for path in TEMPLATES.rglob("*.template"):
        assert not [word for word in words if re.search(rf"\b{word}\b", path.read_text())], path


def test_what_is_there_is_never_overwritten(tmp_path):
    """A folder with anything in it, a file or a link: one sentence, and everything stays as it was."""
    write_starter(starter(), tmp_path)
    bot = tmp_path / "mybot" / "bot.py"
    bot.write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("mybot", "file", "link"):
        with pytest.raises(ConfigError, match=f"{name} is already there"):
            write_starter(starter(name=name), tmp_path)
    assert ["mine", "mine"] == [bot.read_text(), (tmp_path / "file").read_text()]
    assert {"mybot", "file", "link"} == {path.name for path in tmp_path.iterdir()}


def test_an_empty_folder_is_filled(tmp_path):
    """Whoever made the folder first gets the bot in it."""
    (tmp_path / "mybot").mkdir()
    write_starter(starter(), tmp_path)
    assert (tmp_path / "mybot" / "bot.toml").is_file()


def test_others_may_read_what_they_may_read_elsewhere(tmp_path):
    """The folder has the mode of any new folder, though it was made under another name."""
    (tmp_path / "usual").mkdir()
    folder = write_starter(starter(), tmp_path)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder, tmp_path / "usual")}
    assert 1 == len(modes)


def test_nothing_is_left_of_a_folder_that_could_not_be_written(tmp_path, monkeypatch):
    """All of it or nothing."""

    def fail(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(ConfigError, match="the disk is full"):
        write_starter(starter(), tmp_path)
    assert [] == list(tmp_path.iterdir())


def test_the_commands_fit_the_game(tmp_path):
    """A game that is not played anyway is named, and a table of three has two others."""

    class Three(type(DICE)):
        seats = range(3, 5)

    commands = starter(game=Three(), word="./my game.py").commands
    assert "arena run --game './my game.py' --seats 3 mybot random random" == commands["play"]
    assert "arena run mybot random" == starter().commands["play"]


# Real processes.

TWICE = {"subset_of": ["a", "a"], "least": 2, "most": 2}
"""A field that no arena sends: whoever draws from it names a member twice, which is not legal."""
BUILT_TESTS = {
    "cpp": "cd mybot && build/test",
    "java": "cd mybot && java -cp /usr/share/java/gson.jar:build BotTest",
}
"""The command that only runs the test, where building it takes seconds."""


DEBUG = {"-O2": "-O0", "build --release": "build", "build/release": "build/debug"}
"""What is built faster: what a bot plays does not depend on its speed, and the test has built this already."""


def test_what_a_language_lacks_is_named(monkeypatch):
    """Programs that are not on the path, and libraries of which no version is there."""
    rust = LANGUAGES["rust"]
    monkeypatch.setattr("shutil.which", lambda program: None)
    monkeypatch.setattr("arena.starter.languages.glob", lambda pattern: [])
    assert ["cargo", "serde_json"] == rust.missing
    monkeypatch.setattr("shutil.which", str)
    assert ["serde_json"] == rust.missing
    monkeypatch.setattr(
        "arena.starter.languages.glob", lambda pattern: ["/usr/share/cargo/registry/serde_json-1.0.87"]
    )
    assert [] == rust.missing


def where_it_is_installed(language):
    """Skipped by name where a tool is missing: for users.  In CI, which installs all, a skip is a failure."""
    takes_long = NIGHTLY if language.name == "rust" else ()  # 20 s
    return pytest.param(language.name, marks=(needs(language.title), *takes_long))


@pytest.mark.slow
@pytest.mark.parametrize("language", [where_it_is_installed(each) for each in LANGUAGES.values()])
def test_a_new_bot_plays_and_is_tested(language, tmp_path):
    """Its test passes, in the questions of all games, and finds what is not legal.

    As a class hands it in, it is built and plays without a fault: in a strict box, with its compiler, which locks
    files, and its runtime.
    """
    (subs := tmp_path / "subs").mkdir()
    folder = write_starter(starter(language), subs)
    recorded = b"".join(line for game in GAMES.values() for line in recording(game(), "mybot"))
    (folder / "recorded.jsonl").write_bytes(recorded)
    test = starter(language).commands["test"]
    tested = shell(test, subs)
    assert 0 == tested.returncode, tested.stdout + tested.stderr
    assert f"{len(GAMES) * 2 * QUESTIONS_MAX} questions asked" in tested.stdout
    recipe = folder / "bot.toml"
    text = recipe.read_text()
    for slow, fast in DEBUG.items():
        text = text.replace(slow, fast)
    recipe.write_text(text)
    words = ["subs", "random", "--series", "1", "--move-time", "20s", "--first-move-time", "60s"]
    if missing("bubblewrap"):
        words += ["--sandbox", "shield"]
    with chdir(tmp_path):
        code, _, errors = called("run", "--strict", "-q", *words, "--out", "out")
    assert 0 == code, errors
    assert missing("bubblewrap") or "strict (bubblewrap)" in (tmp_path / "out" / "bots.csv").read_text()
    question = {
        "type": "ask",
        "message_id": "x",
        "game_number": 1,
        "match_id": "m",
        "time_s": 1,
        "bank_s": None,
    }
    option = {"kind": "Any", "form": {"play": "<cards>"}, "fields": {"cards": TWICE}}
    wrong = json.dumps({**question, "state": {}, "options": [option]})
    (folder / "recorded.jsonl").write_bytes(recorded + wrong.encode() + b"\n")
    failed = shell(BUILT_TESTS.get(language, test), subs)
    assert 0 != failed.returncode
    assert "is none of" in failed.stdout + failed.stderr


def shell(command, folder):
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
