"""The command line: its words, its help, its exit codes, what its commands print."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import attrs
import click
import pytest
from calls import call
from click.shell_completion import ShellComplete
from command_tree import all_commands

from arena.cli import cli, main
from arena.cli.group import DAY, summary
from arena.cli.runs.closing import Closing
from arena.cli.runs.run_options import RunOptions
from arena.store import LATEST, Store
from arena.tournament.plan import Plan
from arena.tournament.plan.allow import ALLOW_OPTIONS
from arena.tournament.play.summary import Summary

EVERY = all_commands()
COMMANDS = sorted(EVERY)
BOTS = (Path(__file__).parent / "stored_bots.py").read_text()


@pytest.fixture
def arena(capsys, monkeypatch):
    return partial(call, capsys, monkeypatch)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder in which six matches of two bots in one process were played, some with faults."""
    home = tmp_path_factory.mktemp("played")
    (home / "cli_bots.py").write_text(BOTS)
    words = ["run", "cli_bots:Even", "cli_bots:Odd", "--series", "3", "--seed", "1", "--rule", "dice=2"]
    arena_in(home, *words, "--out", "results/first", check=True)
    return home


@pytest.fixture
def here(played, monkeypatch):
    monkeypatch.chdir(played)
    return played


def arena_in(folder: Path, *words: str, check: bool = False, **more) -> subprocess.CompletedProcess[str]:
    """`arena WORDS` in a process of its own."""
    command = [sys.executable, "-m", "arena.cli", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=check, **more
    )


# Help.


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, arena):
    """`arena COMMAND --help` says what it does, and shows a call of it."""
    code, out, _ = arena(*command.split(), "--help")
    assert (0, True) == (code, f"arena {command}" in out.partition("Example")[2])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help(command):
    """No option is left to be guessed."""
    options = [each for each in EVERY[command].params if isinstance(each, click.Option)]
    assert [] == [option.name for option in options if not option.help]


def test_every_reading_command_prints_for_programs_too():
    """What takes a results folder prints JSON or writes a file; what prints CSV prints JSON too."""
    taken = {name: {opt for param in EVERY[name].params for opt in param.opts} for name in COMMANDS}
    assert [] == [
        name for name, words in taken.items() if "folder" in words and not {"--json", "--out"} & words
    ]
    assert [] == [name for name, words in taken.items() if "--csv" in words and "--json" not in words]
    assert any("--csv" in words for words in taken.values())


MANY = 25
"""More options than this are not all shown by `--help`."""


def options_shown(command: str, text: str) -> set[str]:
    """The options of a command that have a line of their own in its help."""
    names = {option.opts[0] for option in EVERY[command].params if isinstance(option, click.Option)}
    return {name for name in names if re.search(rf"^  (?:-\w, )?{name}(?:[ ,]|$)", text, re.MULTILINE)}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_what_fits_and_names_the_way_to_the_rest(command, arena):
    """Of many options `--help` shows those that people use, examples included; `--help-all` shows all."""
    options = [each for each in EVERY[command].params if isinstance(each, click.Option)]
    every = {option.opts[0] for option in options}
    text = arena(*command.split(), "--help")[1]
    if len(every) <= MANY:
        assert (every, False) == (options_shown(command, text), "--help-all" in every)
        return
    used = set(re.findall(r"(?<!\S)--[a-z][\w-]*", text.partition("Example")[2].partition("\n\n")[0]))
    assert used <= options_shown(command, text)
    assert len(options_shown(command, text)) <= MANY
    assert text.endswith(f"\nAll options: arena {command} --help-all\n")
    assert every == options_shown(command, arena(*command.split(), "--help-all")[1])


def test_an_option_of_run_is_a_field_of_the_call_or_a_key_of_a_plan():
    """None is read by nobody: each has its field under the same name."""
    named = {each.name for each in cli.commands["run"].params if each.expose_value} - {"words"}
    fields = {field.name for cls in (Plan, RunOptions) for field in attrs.fields(cls)}
    assert set() == named - fields - set(ALLOW_OPTIONS)


GROUPS = {"": cli} | {words: each for words, each in EVERY.items() if isinstance(each, click.Group)}


@pytest.mark.parametrize("group", GROUPS, ids=lambda words: words or "arena")
def test_help_has_a_whole_line_for_every_command(group, arena):
    """Nothing is cut off where it is too long for the line."""
    lines = arena(*group.split(), "--help")[1].splitlines()
    for name, command in GROUPS[group].commands.items():
        assert [f"{name} {summary(command)}"] == [
            " ".join(line.split()) for line in lines if line.startswith(f"  {name} ")
        ]


def test_the_day_names_commands_that_there_are():
    """One that is renamed does not move to the end unnoticed."""
    named = [name for names in DAY.values() for name in names]
    assert len(named) == len({*named} & {*cli.commands})


@pytest.mark.parametrize("words", [(), *map(tuple, map(str.split, COMMANDS))], ids=" ".join)
def test_help_is_a_command_too(words, arena):
    """`arena help` and `arena help COMMAND` show what the option shows, to the letter."""
    assert arena(*words, "--help") == arena("help", *words)


@pytest.mark.slow
def test_help_imports_nothing_heavy(tmp_path):
    """`arena --help` is quick, as it leaves alone what takes long to import."""
    code = (
        "import sys; sys.argv = ['arena', '--help']\n"
        "heavy = {'trio', 'pandas', 'msgspec', 'rich', 'attrs', 'cattrs', 'sqlite3',\n"
        "         'arena.server', 'starlette', 'anycorn', 'anyio'}\n"
        "from arena.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(heavy & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "set()" == done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_a_run_imports_nothing_of_the_server(tmp_path):
    """Nor does it need the packages that the server alone needs."""
    code = (
        "import sys; sys.argv = ['arena', 'run', 'random', 'random', '--series', '1', '--rule', 'dice=1']\n"
        "from arena.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code, {'arena.server', 'starlette', 'anycorn', 'anyio'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "0 set()" == done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_the_package_is_the_program_too():
    """`python -m arena` does what `arena` does."""
    done = subprocess.run([sys.executable, "-m", "arena", "games", "--csv"], capture_output=True, check=True)
    assert done.stdout.startswith(b"game,title,")


# The Tab key.


def offered(*words: str) -> list[str]:
    """What the Tab key offers for the last of the words."""
    *before, begun = words
    shell = ShellComplete(cli, {}, "arena", "_ARENA_COMPLETE")
    return [item.value for item in shell.get_completions(before, begun)]


@pytest.mark.slow
def test_tab_offers_bots_games_folders_and_matches(here, arena):
    """Built-in bots and files, also behind a name; games; results folders; matches by what they begin with."""
    assert ["odds"] == offered("run", "od")
    assert ["new=odds"] == offered("compare", "new=od")
    assert ["cli_bots.py"] == offered("run", "odds", "cli")
    assert ["replay", "report"] == sorted(offered("help", "rep"))
    assert ["javascript"] == offered("new", "mine", "--lang", "javas")
    assert ["liars-dice"] == offered("run", "--game", "li") == offered("games", "li")
    assert ["results/latest", "results/first", "results/"] == offered("leaderboard", "res")
    ids = match_ids(arena)
    assert sorted(ids) == sorted(offered("replay", "")) == sorted(offered("replay", ""))
    assert [ids[2]] == offered("replay", ids[2][:9])
    assert ["Even"] == offered("leaderboard", "--bot", "E") == offered("replay", ids[0], "--as", "E")


def test_tab_says_nothing_where_nothing_can_be_read(tmp_path, monkeypatch):
    """No results, a database that is none, a folder that is not there: no words, and no traceback."""
    monkeypatch.chdir(tmp_path)
    assert [] == offered("replay", "") == offered("leaderboard", "--bot", "") == offered("run", "nowhere/x")
    (tmp_path / "results" / "latest").mkdir(parents=True)
    (tmp_path / "results" / "latest" / "arena.db").write_text("not one")
    assert [] == offered("replay", "") == offered("leaderboard", "--bot", "")


@pytest.mark.slow
@pytest.mark.parametrize("words", ["run ", "run --game ", "new --lang ", "leaderboard ", "replay "])
def test_tab_imports_nothing_heavy(words, here):
    """It is as quick as help: what takes long to import is left alone."""
    code = (
        "import os, sys; sys.argv = ['arena']\n"
        f"os.environ.update(_ARENA_COMPLETE='bash_complete', COMP_WORDS='arena {words}', COMP_CWORD='9')\n"
        "from arena.cli import main\n"
        "try: main()\n"
        "except SystemExit: print({'trio', 'pandas', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True)
    assert ["set()"] == done.stdout.splitlines()[-1:]
    assert len(done.stdout.splitlines()) > 1


# A new bot.


def test_a_new_bot_is_written_and_its_commands_told(arena, tmp_path, monkeypatch):
    """A folder here; what to do next on standard output, as it can be typed."""
    monkeypatch.chdir(tmp_path)
    code, printed, told = arena("new", "mine", "--lang", "js", "--game", "blef")
    assert (
        0,
        ["arena run --game blef mine random", "node --test mine/bot.test.js", "arena check mine --game blef"],
    ) == (
        code,
        [line.strip() for line in printed.splitlines()],
    )
    assert "mine/ plays Blef in JavaScript" in told
    assert {"README.md", "bot.js", "bot.test.js", "bot.toml", "recorded.jsonl"} == set(os.listdir("mine"))


def test_the_languages_of_new_bots_are_listed(arena):
    """With what each needs, and without a name."""
    code, printed, _ = arena("new", "--list")
    assert 0 == code
    for line in ("JavaScript +node$", "apt-get install nodejs$", "node --test NAME/bot.test.js$"):
        assert re.search(f"^javascript +{line}", printed, re.MULTILINE)
    assert 80 >= max(map(len, printed.splitlines()))


def test_a_tool_that_is_missing_is_told(arena, tmp_path, monkeypatch):
    """The folder is written all the same, and it is said what to install."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda program: None)
    code, _, told = arena("new", "mine", "--lang", "javascript")
    assert 0 == code
    assert "not found here: node; on Debian: apt-get install nodejs" in told


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("500", "warning: 500 s for every move; for milliseconds say --move-time 500ms\n"),
        ("60", ""),
        ("500s", ""),
        ("10m", ""),
    ],
)
def test_a_bare_number_that_was_meant_in_milliseconds(arena, said, expected):
    """It is seconds, as always, which is said where hardly anybody can want so many."""
    code, _, told = arena("run", "odds", "random", "--move-time", said, "--dry-run")
    assert (0, expected) == (code, told)


@pytest.mark.parametrize(("said", "warnings"), [("61", 1), ("60", 0), ("61s", 0)])
def test_compare_warns_of_a_bare_number_too(arena, said, warnings):
    """Above the lines that say how long the comparison may take."""
    code, _, told = arena("compare", "odds", "random", "--move-time", said, "--dry-run")
    lines = told.splitlines()
    expected = [f"warning: {said} s for every move; for milliseconds say --move-time {said}ms"] * warnings
    assert 0 == code
    assert [*expected, "is odds better than random at Liar's Dice?"] == lines[: warnings + 1]


# Mistakes.


def test_a_path_longer_than_any_is_refused(arena, here):
    """From Python 3.14 on it is one that does not exist, instead of an error."""
    said = (
        "is too long for the name of a file" if sys.version_info < (3, 14) else "no match in results/ begins"
    )
    code, out, err = arena("replay", "a" * 300)
    assert (2, "", 1, True) == (code, out, err.count("\n"), said in err)


def test_a_folder_that_is_gone_is_told_of(arena, tmp_path, monkeypatch):
    """Whoever removed the folder they are in gets a sentence."""
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, out, err = arena("run", "odds", "random", "--dry-run")
    assert (2, "") == (code, out)
    assert "arena: the folder you are in is not there any more: change to another one\n" == err


# What is printed.


def match_ids(arena) -> list[str]:
    return [row["match_id"] for row in csv.DictReader(io.StringIO(arena("matches", "--csv")[1]))]


@pytest.mark.parametrize("command", ["leaderboard", "matches", "games", "bots"])
def test_csv_and_json_say_the_same(command, arena, here):
    """The columns and as many rows, whatever the form; for people there are two lines of head.

    Below the leaderboard two lines explain its columns, and the ranks in brackets.
    """
    rows = list(csv.DictReader(io.StringIO(arena(command, "--csv")[1])))
    objects = json.loads(arena(command, "--json")[1])
    assert (len(rows), list(rows[0])) == (len(objects), list(objects[0]))
    assert len(rows) + 2 + 2 * (command == "leaderboard") == len(arena(command)[1].splitlines())


def test_matches_are_chosen_by_bot_and_fault(arena, here):
    """`--bot` and `--fault` leave out the others."""
    everything = match_ids(arena)
    faulty = json.loads(arena("matches", "--fault", "illegal", "--bot", "Odd", "--json")[1])
    assert 6 == len(everything)
    assert 0 < len({row["match_id"] for row in faulty} & set(everything)) == len(faulty) < 6
    assert all(row["faults"] for row in faulty)
    assert "[]" == arena("matches", "--fault", "gone", "--json")[1].strip()


def test_matches_are_sorted_and_limited(arena, here):
    """By any column, from the largest with a minus; equals stay in schedule order; the first so many."""
    everything = json.loads(arena("matches", "--json")[1])
    for column in ("turns", "faults", "bots"):
        up = json.loads(arena("matches", "--sort", column, "--json")[1])
        down = json.loads(arena("matches", "--sort", f"-{column}", "--limit", "2", "--json")[1])
        assert sorted(everything, key=lambda row: row[column]) == up
        assert sorted(everything, key=lambda row: row[column], reverse=True)[:2] == down
    assert everything[:4] == json.loads(arena("matches", "--limit", "4", "--json")[1])


def test_matches_are_chosen_by_who_won(arena, here):
    """`--winner` keeps those that the bot won, and adds up with the other options."""
    everything = json.loads(arena("matches", "--json")[1])
    won = {bot: json.loads(arena("matches", "--winner", bot, "--json")[1]) for bot in ("Even", "Odd")}
    assert {bot: [row for row in everything if row["winners"] == bot] for bot in won} == won
    assert 6 == sum(map(len, won.values()))
    for others in ((), ("--bot", "Odd")):  # whoever failed, and Odd: it alone did
        faulty = arena("matches", "--winner", "Even", "--fault", "illegal", *others, "--json")[1]
        assert [row for row in won["Even"] if row["faults"]] == json.loads(faulty) != []


def test_the_leaderboard_writes_its_tables_anew(arena, here):
    """`arena leaderboard` makes the CSVs again."""
    table = here / "results/first/leaderboard.csv"
    before = table.read_bytes()
    table.unlink()
    assert 0 == arena("leaderboard")[0]
    assert before == table.read_bytes()


def test_a_replay_is_found_by_a_prefix_in_every_form(arena, here):
    """People, `--json` and `--csv` get the same match."""
    whole = match_ids(arena)[0]
    text = arena("replay", whole[:6])[1]
    steps = json.loads(arena("replay", whole[:6], "--json")[1])
    moves = list(csv.DictReader(io.StringIO(arena("replay", whole[:6], "--csv")[1])))
    assert (True, whole) == (whole in text, steps["match_id"])
    told = [(step["turn"], move["seat"]) for step in steps["steps"] for move in step["moves"]]
    assert told == [(int(row["turn"]), int(row["seat"])) for row in moves]


def test_an_ambiguous_prefix_is_refused(arena, here, monkeypatch):
    """Of two matches that begin alike neither is taken."""
    from collections import Counter

    first = Counter(match_id[0] for match_id in match_ids(arena)).most_common(1)[0]
    if first[1] == 1:
        pytest.fail("six matches of seed 1 have six different first digits: choose another seed")
    code, _, err = arena("replay", first[0])
    assert (2, True) == (code, "give more of it" in err)


def test_a_match_is_found_wherever_in_results_it_is(arena, here, tmp_path, monkeypatch):
    """The hint of a run still works when results/latest points elsewhere; of two folders neither is taken."""
    match = match_ids(arena)[0]
    monkeypatch.chdir(tmp_path)
    shutil.copytree(here / "results/first", "results/before")
    Store.create("results/other", meta={"game_version": 1}).close()
    LATEST.symlink_to("other")
    assert match in arena("replay", match[:8])[1]
    shutil.copytree("results/before", "results/old/before")
    said = f"matches that begin with '{match[:8]}' are in results/before, results/old/before: give more of it"
    assert (2, True) == ((told := arena("replay", match[:8]))[0], said in told[2])
    assert match in arena("replay", match[:8], "results/old/before")[1]
    LATEST.unlink()
    LATEST.symlink_to("before")
    assert match in arena("replay", match[:8])[1]


def test_a_part_of_a_replay(arena, here):
    """`--hand` is `--round`; `--from` and `--to` take the numbers that are shown."""
    match = match_ids(arena)[0]
    told = arena("replay", match, "--hand", "2")
    assert told == arena("replay", match, "--round", "2")
    assert ["round 2"] == [line[:7] for line in told[1].splitlines() if line.startswith("round")]
    steps = arena("replay", match, "--from", "2", "--to", "3")[1]
    assert ["2", "3"] == re.findall(r"(?m)^ {1,5}(\d+)  ", steps)


def test_a_capsule_shows_its_match_and_its_evidence(arena, here):
    """`arena replay faults/….jsonl` finds the folder by itself."""
    capsule = next((here / "results/first/faults").glob("*.jsonl"))
    code, out, _ = arena("replay", capsule, "nowhere")
    assert (0, True) == (code, "fault: illegal" in out.partition("result: ")[2])


def test_the_rules_of_a_game_are_explained(arena):
    """`arena games NAME` shows the rules, every house rule, its default and what it takes."""
    out = arena("games", "liars-dice")[1]
    assert "Every living seat rolls its dice in secret" in out
    assert ["wild_ones", "false", "false", "or", "true"] in [line.split() for line in out.splitlines()]
    lines = [line.split() for line in arena("games", "holdem")[1].splitlines()]
    assert ["stacks", "none", "whole", "numbers,", "1", "to", "1000000000,", "or", "none"] in lines


# Streams and endings.


@pytest.mark.slow
def test_whoever_has_seen_enough_makes_no_noise(here):
    """`arena matches | head -1` ends with 0 and without a word."""
    command = f"set -o pipefail; {sys.executable} -m arena.cli matches | head -c 1"
    done = subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True, check=False)
    assert (0, "m", "") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_output_that_cannot_be_written_is_the_users_mistake(here):
    """A full disk under standard output is one sentence and exit code 2."""
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "arena.cli", "matches"]
        done = subprocess.run(command, cwd=here, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert 2 == done.returncode
    assert "arena: standard output cannot be written: No space left on device\n" == done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_closed_streams_do_no_harm(closed, here):
    """With standard input, output or error closed the database is not what gets their number."""
    command = f"{sys.executable} -m arena.cli leaderboard {closed}>&-"
    done = subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.slow
def test_a_terminal_that_is_not_utf8_gets_question_marks(here):
    """What cannot be encoded is no crash."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = arena_in(here, "leaderboard", env=environment)
    assert (0, True) == (done.returncode, "????" in done.stdout)


def test_a_bug_of_ours_shows_its_traceback(arena, here, monkeypatch):
    """Exit code 70, and the traceback, for what is nobody's mistake but ours."""

    def broken(*_, **__):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("arena.store.Store.matches", broken)
    code, _, err = arena("matches")
    assert (70, True, True) == (code, "ZeroDivisionError: planted" in err, "bug of the arena" in err)


@pytest.mark.parametrize(("raised", "code"), [(KeyboardInterrupt, 130), (SystemExit(143), 143)])
def test_being_stopped_has_a_code_of_its_own(raised, code, arena, here, monkeypatch):
    """Ctrl-C in any command is 130, and needs no words; SIGTERM is 143."""

    def stopped(*_):
        raise raised

    monkeypatch.setattr("arena.store.Store.bots", stopped)
    assert code == arena("matches", "--bot", "Odd")[0]


def test_a_bots_page_hides_what_its_open_series_hide(here, arena):
    """The reason of a fault may tell of a hand: with a match of its series missing it is not shown."""
    shown = arena("leaderboard", "results/first", "--bot", "Odd")[1]
    (row,) = [line for line in shown.splitlines() if "illegal" in line][:1]
    shutil.copytree("results/first", "results/open")
    with closing(sqlite3.connect("results/open/arena.db")) as db, db:
        db.execute("DELETE FROM seats WHERE match IN (SELECT number FROM matches WHERE rotation = 1)")
        db.execute("DELETE FROM matches WHERE rotation = 1")
    db.close()
    hidden = arena("leaderboard", "results/open", "--bot", "Odd")[1]
    shutil.rmtree("results/open")
    assert "is not possible here" in row
    assert "is not possible here" not in hidden


@pytest.mark.slow
def test_a_signal_that_gets_lost_is_raised_again() -> None:
    """An exception that SIGTERM raises where all are cleared is not the last word."""
    script = (
        "import os, signal, sys, time, arena.cli as program\n"
        "program.END_AGAIN_S = 1\n"
        "def lost(*_, **__):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)\n"
        "    except SystemExit:\n"
        "        pass\n"
        "    time.sleep(30)\n"
        "program.cli.main = lost\n"
        "program.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], timeout=25, check=False, capture_output=True)
    assert (143, b"", b"") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(("tables", "fewer"), [(None, True), (4, True), (1, False)])
def test_lag_is_told_with_what_helps(tables, fewer):
    """Of one table there are no fewer."""
    run = SimpleNamespace(
        plan=Plan(concurrency=tables), roster=SimpleNamespace(vacant=()), folder=Path("new")
    )
    closing = Closing(run, Summary(lagged=121, lag_worst_s=0.3), "arena run --resume new", (), ())
    (line,) = closing._remarks()
    assert line.endswith(
        "by the arena's own lag, up to 300 ms: "
        + "fewer tables (--concurrency) or " * fewer
        + "longer limits help"
    )


def test_the_log_of_the_first_fault_is_named_from_here():
    """As everything else is that a run says last: the folder of its results comes first."""
    record = SimpleNamespace(
        capsules=(
            SimpleNamespace(lines=({"t_s": 1.0, "dir": "→", "text": "hi"}, {"log": "logs/odds-1.log"})),
        )
    )
    run = SimpleNamespace(folder=Path("results/x"))
    closing = Closing(
        run, Summary(first_fault=SimpleNamespace(record=record)), "arena run --resume x", (), ()
    )
    assert "log: results/x/logs/odds-1.log" in list(closing._first_fault())


def test_a_lost_end_is_told_by_the_exit_code(monkeypatch):
    """Whatever clears the exception that SIGTERM raises: whoever asked for the end is not told that all went well."""
    asked: list[object] = []
    monkeypatch.setattr("arena.cli._asked_to_end", asked)

    def lose_it(**_):
        with suppress(SystemExit):
            os.kill(os.getpid(), signal.SIGTERM)
        return 0

    monkeypatch.setattr(cli, "main", lose_it)
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM)
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGALRM, before[1])
    assert (143, 1) == (ended.value.code, len(asked))
