"""What the documents show is true: every block and every command of every page is checked, here or by a named test.

Commands are parsed by the program itself, so that a renamed option fails; `run` and `compare` also say what they
would play, and the commands that read read a tournament.  What a page shows besides commands, Python, TOML and
JSON is listed in `SHOWN`, with the test that compares it with what the arena does.
"""

from __future__ import annotations

import argparse
import csv
import inspect
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click
import pytest
import yaml
from calls import call
from command_tree import all_commands
from documents import HOUSE, INDENTED, Block, blocks_of, commands_in, is_command, pages, quotations_of

from arena.cli import cli
from arena.games import GAMES
from arena.starter import LANGUAGES
from arena.starter.folder import Starter, write_starter
from arena.testing import check_game
from arena.tournament.bots.entrants import resolve
from arena.tournament.plan import load_plan
from tests.server.league_server import a_league_server

TEXTS = {page: (HOUSE / page).read_text(encoding="utf-8") for page in pages()}
BLOCKS = [block for page, text in TEXTS.items() for block in blocks_of(page, text)]
QUOTED = [quoted for page, text in TEXTS.items() for quoted in quotations_of(page, text)]

SHELL = ("sh", "bash", "console", INDENTED)
TEMPLATE = "arena/starter/templates/README.md.template"

SHOWN: dict[tuple[str, str], Sequence[str] | str] = {
    ("README.md", "text first run"): (
        "tests/test_readme.py::test_the_first_output_is_what_the_first_command_prints",
    ),
    ("README.md", "text comparison"): ("tests/test_readme.py::test_the_commands_run_as_they_stand",),
    ("arena/games/README.md", "text replay"): ("tests/test_readme.py::test_the_commands_run_as_they_stand",),
    ("results/README.md", "text verified"): ("tests/test_readme.py::test_the_commands_run_as_they_stand",),
    ("results/BENCH.md", "text bench"): ("tests/test_readme.py::test_the_page_of_figures_is_one_run",),
    ("SECURITY.md", "text habits"): (
        "tests/test_torture.py::test_the_table_of_security_is_of_todays_habits",
    ),
    ("SECURITY.md", "text attacks"): (
        "tests/test_torture_boxes.py::test_the_table_of_security_is_of_todays_attacks_and_boxes",
    ),
    ("arena/README.md", ""): ("tests/test_documents.py::test_the_flow_goes_through_rooms",),
    ("arena/games/blef/wire.md", ""): (
        "tests/games/test_blef_exchange.py::test_the_recorded_exchange_is_what_the_arena_says",
    ),
    ("arena/games/bluff/wire.md", ""): (
        "tests/games/test_bluff_exchange.py::test_the_recorded_match_is_what_the_arena_says",
    ),
    ("arena/games/chamber/wire.md", ""): (
        "tests/games/test_chamber_exchange.py::test_the_recorded_exchange_is_what_the_arena_says",
    ),
    ("arena/games/holdem/wire.md", ""): (
        "tests/games/test_holdem_exchange.py::test_the_recorded_match_is_what_the_arena_says",
    ),
    ("arena/games/liars_dice/wire.md", ""): (
        "tests/games/test_liars_dice_exchange.py::test_the_recorded_exchange_is_what_the_engine_says",
    ),
    **{
        ("arena/server/PROXIES.md", name): (
            "tests/server/test_proxies.py::test_what_the_page_configures_works",
        )
        for name in ("nginx", "caddy", "apache")
    },
    ("arena/page/README.md", "js"): ("tests/page/test_page_guide.py::test_what_a_board_exports",),
    (TEMPLATE, "json"): ("tests/test_documents.py::test_a_page_that_is_written_is_true",),
    (TEMPLATE, INDENTED): ("tests/test_documents.py::test_a_page_that_is_written_is_true",),
    ("arena/wire/PROTOCOL.md", "transcript"): (
        "tests/wire/test_protocol.py::test_the_document_shows_what_the_arena_says"
    ),
    (
        "bots/README.md",
        "text",
    ): "tests/bots/test_pages_of_bots.py::test_a_tournament_comes_out_as_it_is_shown",
    ("bots/first-wins.md", "text"): (
        "tests/bots/test_pages_of_bots.py::test_the_first_bot_loses_and_the_second_wins"
    ),
}
"""Page and language, with the name behind it -> the test of that block; or, as a word, one that takes all of these.

Whoever adds such a block writes a test that compares it with what the arena does, and names it here.
"""


def kind(block: Block) -> str:
    """The first word of the language: a transcript also has a name."""
    return block.language.partition(" ")[0]


def shown_as(block: Block) -> tuple[str, str]:
    """Its key in `SHOWN`: a block of text may have a name after its language."""
    named = (block.page, block.language)
    return named if named in SHOWN else (block.page, kind(block))


def is_shown(block: Block) -> bool:
    return shown_as(block) in SHOWN


def of_kinds(*kinds: str) -> list[Block]:
    return [block for block in BLOCKS if kind(block) in kinds and not is_shown(block)]


# The law.


def test_every_block_is_checked() -> None:
    """By its language, or by a test of its own: of blocks with a test each, every one has a name in its fence."""
    checked = {*SHELL, "python", "toml", "json", "yaml"}
    assert [] == [str(block) for block in BLOCKS if kind(block) not in checked and not is_shown(block)]
    for (page, language), tests in SHOWN.items():
        shown = [block for block in BLOCKS if shown_as(block) == (page, language)]
        assert shown, f"{page} shows no {language or 'block without a language'} any more"
        assert isinstance(tests, str) or len(shown) == len(tests) == 1, (
            f"{page} shows {len(shown)} blocks of {language or 'no language'}: give each a name in its fence"
        )


@pytest.mark.parametrize(
    "test",
    sorted({test for tests in SHOWN.values() for test in ([tests] if isinstance(tests, str) else tests)}),
)
def test_a_test_that_is_named_is_there(test: str) -> None:
    """And is a function of that file."""
    path, name = test.split("::")
    assert re.search(rf"^(?:async )?def {name}\(", (HOUSE / path).read_text(), re.MULTILINE)


def test_blocks_and_quotations_are_found() -> None:
    """All of them, with their lines and languages: fenced in a list too, or set apart by spaces."""
    text = "# A\n\n```sh\nls `x`\n```\n\n1. `one\n   two` and\n\n   ```python\n   a\n\n   b\n   ```\n\n    cd a\n\n    ls\n\nend\n"
    found = [(block.line, block.language, block.text) for block in blocks_of("x.md", text)]
    assert [(3, "sh", "ls `x`\n"), (10, "python", "a\n\nb\n"), (16, INDENTED, "cd a\n\nls\n")] == found
    assert [(7, "one    two")] == [(quoted.line, quoted.text) for quoted in quotations_of("x.md", text)]


def test_a_script_is_taken_apart() -> None:
    """Commands, without what the shell keeps for itself."""
    script = '$ A=1 arena run "x y" > out.txt && git clone <this project> a | cat  # why\nls; arena new a|b'
    assert [
        ["arena", "run", "x y"],
        ["git", "clone", "this-project", "a"],
        ["cat"],
        ["ls"],
        ["arena", "new", "a/b"],
    ] == list(commands_in(script))


# Commands.


TYPED_IN = rf"(?<![\w/`-])(arena (?:{'|'.join(cli.commands)}) [^`\n]*?)(?:\"\"\"| \|\| .*)?$"


def helped() -> Iterator[Block]:
    """The examples that `--help` shows are documents too."""
    for name, command in {"": cli, **all_commands()}.items():
        text = inspect.cleandoc(command.help or "")
        for line in re.findall(r"^(?:Example: |  )?(arena .*?)(?:   .*)?$", text, re.MULTILINE):
            yield Block(f"arena {name} --help", 0, INDENTED, line)


def commented() -> Iterator[Block]:
    """Examples say in their first lines how they are played, and a workflow's steps are commands."""
    for path in sorted((HOUSE / "examples").iterdir()):
        if path.suffix in (".toml", ".py", ".yml"):
            for line in re.findall(TYPED_IN, path.read_text(), re.MULTILINE):
                yield Block(f"examples/{path.name}", 0, INDENTED, line)


def within_sentences() -> Iterator[Block]:
    """Of the pages and of the examples; the history tells of commands that were, and of mistakes."""
    yield from (quoted for quoted in QUOTED if quoted.page != "CHANGELOG.md")
    for path in sorted((HOUSE / "examples").glob("*.py")):
        yield from quotations_of(f"examples/{path.name}", path.read_text())


TYPED = [
    *(
        (str(script), words, False)
        for script in [*of_kinds(*SHELL), *helped(), *commented()]
        for words in commands_in(script.text)
    ),
    *(
        (str(quoted), words, True)
        for quoted in within_sentences()
        if is_command(quoted.text) and "@" not in quoted.text
        for words in commands_in(quoted.text)
    ),
]
"""Every command: where it stands, its words, and whether that is within a sentence, where it may lack arguments."""


def each(commands: list[tuple[str, list[str], bool]]) -> list[object]:
    """The same command on several pages once."""
    once = {" ".join(words): (where, words, in_prose) for where, words, in_prose in reversed(commands)}
    return [
        pytest.param(words, in_prose, id=f"{where} {line}".encode("ascii", "replace").decode())
        for line, (where, words, in_prose) in reversed(once.items())
    ]


class Parsed(Exception):
    """The arguments were understood; nothing else is wanted."""


def parse_arena(words: Sequence[str], in_prose: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raises click.UsageError for what the program does not take."""
    if not words:
        return
    command = cli.commands[words[0]]
    while isinstance(command, click.Group) and words[1:] and not words[1].startswith("-"):
        words = words[1:]  # a command of a command
        command = command.commands[words[0]]
    options = {name: each for each in command.params if isinstance(each, click.Option) for name in each.opts}
    last = options.get(words[-1])
    if in_prose and last is not None and not last.is_flag:
        words = [*words, "VALUE"]
    try:
        command.make_context(words[0], list(words[1:]))
    except click.exceptions.Exit:
        assert not {"--help", "--help-all"}.isdisjoint(words)
    except click.MissingParameter:
        if not in_prose:
            raise


def parse_python(words: Sequence[str], in_prose: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module's own parser reads the words; a script is there."""
    if words[:1] != ["-m"]:
        assert words[0] in SOMEBODYS or (HOUSE / words[0]).is_file()
        return None
    module, *rest = words[1:]
    if module == "venv":
        return None
    if module == "arena":
        return parse_arena(rest, in_prose, monkeypatch)
    if "argparse" not in source_of(module):  # it would do what it is told
        assert [] == [word for word in rest if word.startswith("-") and f'"{word}"' not in source_of(module)]
        return None

    def parse(parser: argparse.ArgumentParser, *_: object) -> None:
        if "TARGET" not in rest:
            understand(parser, rest)
        raise Parsed

    understand = argparse.ArgumentParser.parse_args
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse)
    monkeypatch.setattr(sys, "argv", [module, *rest])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it was imported already
            runpy.run_module(module, run_name="__main__")
    except Parsed:
        return None
    raise AssertionError(f"{module} read no arguments")


def source_of(module: str) -> str:
    """The text of what `python -m` runs."""
    place = HOUSE.joinpath(*module.split("."))
    return (place / "__main__.py" if place.is_dir() else place.with_suffix(".py")).read_text()


def parse_curl(words: Sequence[str], *_: object) -> None:
    """The server has a route of that path."""
    (address,) = (word for word in words if re.match(r"(localhost|http://HOST):8080/", word))
    path = address.partition(":8080")[2]
    if path.startswith("/api/leagues"):
        endpoints = [each.path for api in a_league_server().apis for each in api.endpoints()]
        assert any(re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", each), path) for each in endpoints)
        return
    assert any(f'"{path}"' in module.read_text() for module in (HOUSE / "arena" / "server").rglob("*.py"))


def parse_pytest(words: Sequence[str], in_prose: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folders are there, and so are the marker and, in one of the files, the words of a test's name."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("-n", choices=["auto"])
    parser.add_argument("-r", choices=["P"])
    parser.add_argument("-k", default="")
    parser.add_argument("-m", choices=["not slow", "nightly"])
    parser.add_argument("paths", nargs="*")
    asked = parser.parse_args(words)
    assert [] == [path for path in asked.paths if not (HOUSE / path).exists()]
    assert not asked.k or any(asked.k in (HOUSE / path).read_text() for path in asked.paths)


def is_in_the_check_of_main(program: str) -> None:
    """What contributors run is what main must pass."""
    assert program in (HOUSE / ".ci" / "run").read_text()


SOMEBODYS = ("mybot.py",)
"""Scripts that a reader writes."""

PARSERS = {
    "arena": parse_arena,
    "python": parse_python,
    "python3": parse_python,
    "pytest": parse_pytest,
    "curl": parse_curl,
    "ruff": lambda words, *_: is_in_the_check_of_main(f"ruff {words[0]}"),
    "mypy": lambda *_: is_in_the_check_of_main("\nmypy"),
    "apt-get": lambda words, *_: [is_in_the_check_of_main(each) for each in words[1:]],
    "bash": lambda words, *_: (HOUSE / words[0]).read_text(),
    "rm": lambda words, *_: os.stat(HOUSE / words[-1]),
    "pip": lambda words, *_: [is_an_extra(each) for each in words if each.endswith("]")],
    "git": lambda *_: None,
    "cd": lambda *_: None,
    ".": lambda *_: None,
    "source": lambda *_: None,
}
"""Program -> what tells whether it takes these words.  A program that a page names for the first time gets one."""


def is_an_extra(word: str) -> None:
    extras = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert word.removeprefix("bot-arena").removeprefix(".").strip("[]") in extras


@pytest.mark.parametrize(("words", "in_prose"), each(TYPED))
def test_a_command_is_understood(words: list[str], in_prose: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the program that it is for: commands, options, how many arguments."""
    program, *rest = words
    assert program in PARSERS, f"nothing here checks {program}: say in PARSERS how that is done"
    PARSERS[program](rest, in_prose, monkeypatch)


def test_a_renamed_option_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a block and in a sentence, of the arena and of a module."""
    for in_prose in (False, True):
        with pytest.raises(click.NoSuchOption):
            parse_arena(["run", "odds", "random", "--serieses", "3"], in_prose, monkeypatch)
        with pytest.raises(SystemExit):
            parse_python(["-m", "tests.golden", "--rewrite"], in_prose, monkeypatch)
        with pytest.raises(AssertionError):
            parse_python(["-m", "tests.recorded_matches", "--rewrite"], in_prose, monkeypatch)
    with pytest.raises(click.MissingParameter):
        parse_arena(["replay"], False, monkeypatch)
    with pytest.raises(KeyError):
        parse_arena(["rank"], True, monkeypatch)


def test_every_option_that_is_quoted_exists() -> None:
    """Of some command: `--series` within a sentence is no command, and goes stale as easily."""
    known = {name for command in all_commands().values() for each in command.params for name in each.opts}
    known |= {"--help", "--json", "--show", "--write", "--list", "--runs", "--seed", "--plain", "--only"}
    known |= {"--ntasks", "--cpus-per-task", "--nthreads"}  # of srun and dask worker
    known |= {"--rm", "--security-opt"}  # of docker
    quoted = {
        option: str(each)
        for each in within_sentences()
        if not is_command(each.text)
        for option in re.findall(r"(?<!\S)--[a-z][\w-]*", each.text)
    }
    assert len(quoted) > 30
    assert {} == {option: where for option, where in quoted.items() if option not in known}


# Commands, carried out.


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader stands who has done what the pages say: bots of one's own, and the results of a tournament."""
    home = tmp_path_factory.mktemp("home")
    (home / "examples").symlink_to(HOUSE / "examples")
    (home / "bots").symlink_to(HOUSE / "bots")
    (home / "kuhn.py").symlink_to(HOUSE / "examples" / "kuhn.py")
    first = next(block.text for block in of_kinds("python") if "class MyBot" in block.text)
    for name in ("mybot.py", "mybot-before.py", "mymodule.py"):
        (home / name).write_text(first)
    for folder in (
        "mybot",
        "mybot-before",
        "yourbot",
        "subs/ann",
        "subs/bob",
        "submissions/ann",
        "submissions/bob",
    ):
        (home / folder).mkdir(parents=True)
        (home / folder / "bot.py").write_text(first)
    (home / "plan.toml").write_text('bots = ["odds", "random"]\n')
    bots = [f"{name}=mymodule:MyBot" for name in ("odds", "bluffer", "truthful", "random", "mybot")]
    words = ["run", *bots, "--series", "1", "--seed", "1", "--out", "results/played"]
    subprocess.run(
        [sys.executable, "-m", "arena.cli", *words], cwd=home, capture_output=True, timeout=60, check=True
    )
    return home


PLACES = {
    "DIR": "results/played",
    "FOLDER/": "subs/",
    "NAME": "odds",
    "BOT": "odds",
    "GAME": "blef",
}
"""What stands for something of the reader's -> what that is in `home`."""
FOLDERS = ("results/", "arena-data/leagues/")
"""What the names of results folders begin with."""
READING = ("bots", "games", "leaderboard", "matches", "replay", "report", "schema")


def carried_out(words: Sequence[str], in_prose: bool) -> list[str] | None:
    """The words as they can be carried out in `home` in a moment, or None if they cannot."""
    name, *rest = [PLACES.get(word, word) for word in words]
    if in_prose and (not rest or rest[-1].startswith("--")):
        return None  # the sentence leaves open what else is to be said
    if name in ("run", "compare"):
        is_here = not any(word.startswith("git:") for word in rest) and (
            name == "run" or "--resume" not in rest
        )
        return [name, *rest, "--dry-run"] if is_here else None
    if name in READING and not {"--open", "--hand"} & {*rest}:  # there is no browser, and dice have no hands
        return [name, *("results/played" if word.startswith(FOLDERS) else word for word in rest)]
    return None


CARRIED_OUT = [
    (where, found, in_prose)
    for where, words, in_prose in TYPED
    if words[0] == "arena" and words[1:] and (found := carried_out(words[1:], in_prose)) is not None
]


def a_match(bot: str) -> str:
    """The id of the longest one that the bot played."""
    with Path("results/played/matches.csv").open() as file:
        matches = [match for match in csv.DictReader(file) if bot in match["bots"]]
    return max(matches, key=lambda match: int(match["turns"]))["match_id"]


@pytest.mark.slow
@pytest.mark.parametrize(("words", "in_prose"), each(CARRIED_OUT))
def test_a_command_can_be_carried_out(
    words: list[str],
    in_prose: bool,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`run` and `compare` say what they would play, and what reads reads: bots, games and values are right too."""
    monkeypatch.chdir(home)
    if words[0] == "replay":
        words = ["replay", a_match(words[words.index("--as") + 1] if "--as" in words else ""), *words[2:]]
    code, out, err = call(capsys, monkeypatch, *words)
    assert not code, err
    assert (out + err).strip()


# Python, TOML, JSON, and the rest.

PLAYED_ELSEWHERE = {
    "bots/README.md": "tests/bots/test_python_bots.py::test_the_ten_lines_of_the_readme_play",
}
"""Page -> the test of its Python that cannot run without an arena."""


@pytest.mark.slow
@pytest.mark.parametrize("block", of_kinds("python"), ids=str)
def test_python_runs(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands, in the project's folder; a bot's class is made, and played by tests of its own."""
    monkeypatch.chdir(HOUSE)
    monkeypatch.setattr(
        "arena.testing.check_game", partial(check_game, matches=5)
    )  # every game has its own test
    code = compile(block.text, str(block), "exec")
    if 'os.environ["ARENA_PORT"]' in block.text:
        assert block.page in PLAYED_ELSEWHERE
        return
    exec(code, {"__name__": "documented"})


@pytest.mark.parametrize("block", of_kinds("toml"), ids=str)
def test_toml_is_a_bot_or_a_plan(block: Block, tmp_path: Path) -> None:
    """And read as strictly as anybody's own."""
    (tmp_path / "bot.toml").write_text(block.text)
    if "run" in tomllib.loads(block.text):
        assert resolve(str(tmp_path), base=tmp_path).name
    else:
        load_plan(tmp_path / "bot.toml")


@pytest.mark.parametrize("block", of_kinds("yaml"), ids=str)
def test_yaml_is_a_workflow(block: Block) -> None:
    """Every step is an action, or a script that a shell can read."""
    workflow = yaml.safe_load(block.text)
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(job["runs-on"] for job in workflow["jobs"].values())
    assert all(("uses" in step) != ("run" in step) for step in steps)
    for script in (step["run"] for step in steps if "run" in step):
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0, script


@pytest.mark.parametrize("block", of_kinds("json"), ids=str)
def test_json_is_json(block: Block) -> None:
    """One value, or one a line."""
    try:
        json.loads(block.text)
    except json.JSONDecodeError:
        assert all(json.loads(line) is not None for line in block.text.splitlines())


def test_the_flow_goes_through_rooms() -> None:
    """Between its arrows stand rooms that the table below it has."""
    (flow,) = (block.text for block in BLOCKS if (block.page, block.language) == ("arena/README.md", ""))
    rooms = re.findall(r"─([\w+]+)─", flow)
    assert len(rooms) > 4
    table = TEXTS["arena/README.md"]
    for room in "+".join(rooms).split("+"):
        assert re.search(rf"^\| `{room}s?/?`", table, re.MULTILINE), room


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_that_is_written_is_true(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `arena new`: the arena understands its commands, and its question is JSON.

    The command of its test is carried out by `test_a_new_bot_plays_and_is_tested`.
    """
    starter = Starter(
        name="mybot", language=LANGUAGES[language], game=GAMES["liars-dice"](), game_word="liars-dice"
    )
    page = write_starter(starter, tmp_path) / "README.md"
    commands, question = blocks_of(page.name, page.read_text())
    assert (INDENTED, "json") == (commands.language, question.language)
    play, *test, check = commands_in(commands.text)
    assert ["arena", "arena"] == [play[0], check[0]]
    for words in (play, check):
        parse_arena(words[1:], False, monkeypatch)
    assert [*commands_in(starter.commands["test"])] == test
    assert json.loads(question.text)["options"]
