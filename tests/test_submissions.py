"""A folder of bots: which bots lie in it, what they are called, and what is wrong with each, all at once."""

from __future__ import annotations

import csv
import os
import shutil
from collections import Counter
from pathlib import Path

import attrs
import calls
import classroom
import pytest
from test_prepare import entry

from arena.cli.runs.run_options import plan_of
from arena.errors import ConfigError
from arena.store import StoredBot
from arena.tournament.bots import submissions
from arena.tournament.bots.field import field_of
from arena.tournament.bots.submissions import expanded, not_named_yet
from arena.tournament.folder.folder import open_run, seen_there
from arena.tournament.folder.intake import course_of, is_complete, keep_course, left_out_before
from arena.tournament.plan import BotSpec, as_mapping, plan_from, size_words
from arena.tournament.prepare import prepare

PYTHON = "print()\n"


@pytest.fixture
def base(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str = PYTHON, *, runs: bool = False) -> Path:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(0o755 if runs else 0o644)
    return place


def names_in(word: str, *more: str) -> list[str]:
    return [spec.name or spec.spec for spec in expanded(BotSpec(one, Path.cwd()) for one in (word, *more))]


def field(word: str = "subs", **more):
    return field_of(list(expanded([BotSpec(word, Path.cwd())])), game="liars-dice", **more)


def problems(word: str = "subs", **more) -> dict[str, str]:
    return {entrant.path: entrant.problem for entrant in field(word, **more)}


# What is a bot.


def test_what_lies_in_a_folder_of_bots(base):
    """Folders with a recipe or a program called bot, scripts, programs: called as they lie there."""
    write("subs/ann/bot.toml", 'name = "else"\nrun = "python3 main.py"')
    write("subs/bob/bot.py")
    write("subs/cat/bot.js", "0")
    write("subs/dan/bot", "#!/bin/sh\n", runs=True)
    write("subs/eve.py")
    write("subs/fay.js", "0")
    write("subs/gus.sh", "#!/bin/sh\n", runs=True)
    Path("subs/hal").symlink_to(base / "subs/bob")
    assert [
        ("ann", "python3 main.py", "subs/ann"),
        ("bob", "python3 bot.py", "subs/bob"),
        ("cat", "node bot.js", "subs/cat"),
        ("dan", "./bot", "subs/dan"),
        ("eve", "python3 eve.py", "subs"),
        ("fay", "node fay.js", "subs"),
        ("gus", "./gus.sh", "subs"),
        ("hal", "python3 bot.py", "subs/hal"),
    ] == [(bot.name, bot.command, str(bot.folder.relative_to(base))) for bot in field()]
    assert all(bot.kind == "process" and len(bot.fingerprint) == 32 for bot in field())


@pytest.mark.parametrize(
    "name",
    [
        *(".git/HEAD", ".hidden.py", "__pycache__/ann.pyc", "__init__.py", "node_modules/x/bot.py"),
        *(
            "README",
            "readme.first",
            "README.md",
            "LICENSE",
            "grades.csv",
            "notes.txt",
            "Makefile",
            "plan.toml",
        ),
        *("results/latest/arena.db", "old-run/arena.db", "photo.JPG", "course.ipynb"),
    ],
)
def test_what_nobody_means_as_a_bot_is_passed_over(base, name):
    """In silence, even where the file system lets everything be run."""
    write("subs/ann.py")
    write(f"subs/{name}", runs=True)
    assert ["ann"] == names_in("subs")


@pytest.mark.parametrize("name", ["readme.py", "env.py", "logs.js", "license_to_bluff.py"])
def test_a_script_is_meant_whatever_its_name(base, name):
    """Only what cannot be run by its suffix is passed over for its name."""
    write(f"subs/{name}")
    assert [name.partition(".")[0]] == names_in("subs")


@pytest.mark.parametrize("word", ["subs", "subs/", "./subs", "../{base.name}/subs", "{base}/subs"])
def test_a_folder_may_be_written_in_many_ways(base, word):
    """The names are the same, and so is what they lead to."""
    write("subs/ann/bot.py")
    write("subs/bob.py")
    found = field(word.format(base=base))
    assert [("ann", "subs/ann"), ("bob", "subs")] == [
        (bot.name, os.path.relpath(bot.folder, base)) for bot in found
    ]


def test_here_is_a_folder_too(base):
    """And the paths that are told are as short as can be."""
    write("ann/bot.py")
    assert [("ann", "ann", "process")] == [(bot.name, bot.path, bot.kind) for bot in field(".")]


def test_one_bot_is_not_a_folder_of_bots(base):
    """What has a recipe, right or wrong, or a program called bot; and a built-in bot of the same name is meant."""
    write("mine/bot.py")
    write("mine/strategy.py")
    write("yours/bot.toml", "runs = 1")
    write("both/bot.py")
    write("both/bot.js")
    write("odds/strategy.py")
    assert ["mine", "yours", "both", "odds"] == names_in("mine", "yours", "both", "odds")
    assert ["strategy"] == names_in("odds/")


def test_others_may_be_named_beside_it(base):
    """In their places."""
    write("subs/ann.py")
    assert ["odds", "ann", "bluffer"] == names_in("odds", "subs/", "bluffer")


def test_a_plan_may_name_a_folder(base):
    """Relative to the plan, as any bot."""
    write("course/subs/ann.py")
    write("course/subs/bob.py")
    write("course/week1.toml", 'bots = ["subs/", "odds"]')
    plan = plan_of(["course/week1.toml"], None, {})
    assert [("ann", True), ("bob", True), (None, False)] == [
        (bot.name, bot.is_submission) for bot in plan.bots
    ]
    assert ["ann", "bob", "odds"] == [entrant.name for entrant in prepare(plan).entrants]
    again = plan_from(as_mapping(plan), where="", base=base)
    assert [attrs.evolve(bot, base=base / bot.base) for bot in plan.bots] == list(again.bots)


def test_a_folder_named_again_adds_what_is_new(base, monkeypatch):
    """On resume, from elsewhere and written otherwise; whoever is there already is not named twice."""
    write("subs/ann.py")
    there = tuple(expanded([BotSpec("subs", base)]))
    write("subs/bob.py")
    write("subs/cat/bot.py")
    monkeypatch.chdir(base / "subs/cat")
    named = list(expanded([BotSpec("../../subs/", Path.cwd())]))
    assert ["ann", "bob", "cat"] == [spec.name for spec in named]
    assert ["bob", "cat"] == [spec.name for spec in not_named_yet(named, there)]
    odds = BotSpec("odds", base)
    assert [odds] == not_named_yet([odds, odds], [odds])


# What is wrong.


def test_each_mistake_has_a_sentence(base, monkeypatch):
    """With its path; the good ones are as good as if they were alone."""
    write("subs/ann/bot.py")
    write("subs/ann.py")
    write("subs/Ann2.py")
    write("subs/ann2/bot.py")
    write("subs/arch.zip", "PK")
    write("subs/a=b.py")
    write("subs/bad\x1bname.py")
    write(os.fsdecode(b"subs/bad\xffname.py"))
    write("subs/both/bot.py")
    write("subs/both/bot.js")
    write("subs/chips/bot.toml", 'run = "python3 bot.py"\ngames = ["holdem"]')
    Path("subs/empty").mkdir()
    write("subs/main/main.py")
    write("subs/pass.py")
    os.mkfifo("subs/pipe")
    write("subs/recipe/bot.toml", 'rum = "python3 bot.py"\nconnect_s = 0')
    write("subs/source.cpp")
    write("subs/plain.sh")
    write("subs/gem.rb", "puts 1", runs=True)
    write("subs/shut/bot.sh")
    write("subs/two words/bot.py")
    write("subs/--help.py")
    Path("subs/gone").symlink_to("../away")
    write(f"subs/{'x' * 70}.py")
    found = problems(reserved={"pass"})
    expected = {
        "subs/ann": "",
        "subs/ann2": "ann2 and Ann2 (subs/Ann2.py) look alike: rename it",
        "subs/ann.py": "subs/ann is called ann too: rename one of them",
        "subs/Ann2.py": "",
        "subs/arch.zip": "an archive: unpack it into a folder",
        "subs/a=b.py": 'its name has "=" in it: rename it, such as a-b',
        "subs/bad\\x1bname.py": "its name has a backslash in it, or what cannot be printed: rename it",
        "subs/bad\\udcffname.py": "its name has a backslash in it, or what cannot be printed: rename it",
        "subs/both": "found bot.js and bot.py, expected one of them, or bot.toml to say which runs",
        "subs/chips": "it cannot play liars-dice: its bot.toml says that it plays holdem",
        "subs/empty": "an empty folder, expected bot.toml",
        "subs/main": "a folder with nothing that can be run: found main.py, expected bot.toml, bot.py",
        "subs/pass.py": 'nobody can be called "pass": ',
        "subs/pipe": "neither a file nor a folder",
        "subs/recipe": "bot.toml: rum: no such key (did you mean run?); bot.toml: connect_s: found 0, expected",
        "subs/source.cpp": "it must be compiled first: put it into a folder with bot.toml, whose build",
        "subs/plain.sh": "it cannot be run: chmod +x, or put it into a folder with a bot.toml that says how",
        "subs/gem.rb": 'it does not say what runs it: begin it with "#!/usr/bin/env ruby"',
        "subs/shut": "a folder whose bot.sh cannot be run: chmod +x, or say in bot.toml how to run it",
        "subs/two words": "its name has a space in it: rename it, such as two-words",
        "subs/--help.py": "its name begins with -, like an option: rename it",
        "subs/gone": "a link that leads nowhere: ../away",
        f"subs/{'x' * 70}.py": f'it cannot be called "{"x" * 56}…": ',
    }
    assert sorted(expected) == sorted(found)
    for path, problem in expected.items():
        assert (path, bool(problem)) == (path, bool(found[path]))
        assert found[path].startswith(problem), path
    assert [] == [problem for problem in found.values() if "\n" in problem or str(base) in problem]


def test_a_bot_that_is_named_alone_has_all_its_mistakes_on_one_line(base):
    """With what is accepted, as there is room for it; its own path is told once."""
    write("mine/bot.toml", 'rum = "python3 bot.py"\nconnect_s = 0')
    for word in ("mine", "./mine/", str(base / "mine"), "me=mine"):
        (bot,) = field_of([BotSpec(word, base)], game="liars-dice")
        assert bot.problem.startswith("bot.toml: rum: no such key (did you mean run?); accepted: name,"), word
        assert "; bot.toml: connect_s: found 0, expected" in bot.problem
        assert bot.name == ("me" if "=" in word else "mine")


def test_a_broken_one_has_a_name_of_its_own(base):
    """Under which the tables tell of it; whoever comes later is not taken for it."""
    write("subs/ann/bot.py")
    write("subs/ann.py")
    write("subs/two words/bot.py")
    assert ["ann", "ann-2", "two words"] == [entrant.name for entrant in field()]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ((), "an empty folder, expected bot.toml"),
        (("README.md",), "a folder with nothing that can be run: found README.md"),
        (("a.py", "b.py", "c.py", "d.py"), "a folder with nothing that can be run: found a.py, b.py, c.py"),
    ],
)
def test_a_folder_with_no_bot_or_with_too_many(base, files, said, monkeypatch):
    """Is one mistake, told as any other."""
    monkeypatch.setattr(submissions, "BOTS_MAX", 3)
    Path("subs").mkdir()
    for name in files:
        write(f"subs/{name}")
    assert ["subs"] == names_in("subs")
    assert said in problems()["subs"]


def test_what_is_left_out_is_not_counted(base):
    """Before play, and in its plan it stays: its author may mend it."""
    classroom.hand_in(base / "subs")
    tournament = prepare(plan_of(["subs"], None, {"leave_out_broken": True, "series": 1}))
    assert (40, 36, "36 bots, 630 pairs") == (
        tournament.plan.entrants,
        tournament.bots,
        size_words(tournament.plan, tournament.bots)[:18],
    )
    assert ["student05", "student17", "student21", "two words"] == [bot.name for bot in tournament.broken]


# Going on.


def played(
    words: tuple[str, ...] = ("subs",),
    *,
    left_out: tuple[str, ...] = (),
    resume: Path | None = None,
    tournament: str = "round-robin",
) -> dict[str, int]:
    """Plays, as the store sees it, what is missing without those; gives the number of each bot's new matches."""
    wishes = {"series": 1, "leave_out_broken": True, "out": "out", "tournament": tournament}
    plan = plan_of(words, resume, {} if resume else wishes)
    with open_run(prepare(plan, resume=resume)) as run:
        names = [one.name for one in run.entrants if one.kind != "broken" and one.name not in left_out]
        run.begin()
        run.store.put_bots(
            StoredBot(
                one.name,
                path=one.path,
                fingerprint=one.fingerprint,
                status="ok" if one.name in names else "left out",
            )
            for one in run.entrants
        )
        course, there = course_of(run, names), run.store.finished()
        keep_course(run, course)
        pairings = [one for one in course.order if one.id not in there]
        run.store.add_many([entry(pairing) for pairing in pairings])
        return Counter(bot for pairing in pairings for bot in pairing.bots)


def is_over() -> bool:
    """Whether the same command would find nothing left to play, and nobody to try again."""
    wishes = {"series": 1, "leave_out_broken": True, "out": "out"}
    with seen_there(prepare(plan_of(("subs",), None, wishes))) as run:
        return is_complete(run) and not left_out_before(run)


def test_the_same_command_plays_what_is_new_alone(base):
    """Whoever was there keeps his matches."""
    write("subs/ann.py")
    write("subs/bob/bot.py")
    assert {"ann": 2, "bob": 2} == played()
    write("subs/cat.py")
    assert {"ann": 2, "bob": 2, "cat": 4} == played()
    write("subs/dan.py")
    assert {} == played((), resume=Path("out"))  # the folder was not named
    assert {"ann": 2, "bob": 2, "cat": 2, "dan": 6} == played(resume=Path("out"))
    assert ["ann", "bob", "cat", "dan"] == [bot.name for bot in plan_of((), Path("out"), {}).bots]


def test_a_bot_that_was_left_out_plays_when_it_is_mended(base):
    """Not before: the same command would start everybody for nothing."""
    for name in ("ann", "bob"):
        write(f"subs/{name}.py")
    write("subs/dan/main.py")
    write("subs/Ann.py")
    assert {"Ann": 2, "bob": 2} == played()
    assert is_over()
    Path("subs/dan/main.py").rename("subs/dan/bot.py")
    assert not is_over()
    assert {"dan": 4, "Ann": 2, "bob": 2} == played()
    assert is_over()
    Path("subs/ann.py").rename("subs/anne.py")
    assert not is_over()


def test_a_broken_bot_is_no_reason_to_refuse_a_folder(base):
    """Of a format whose pairings depend on how many there are: it is told of with all the others."""
    write("subs/ann.py")
    write("subs/bob.py")
    played(tournament="swiss")
    write("subs/two words.py")
    wishes = {"series": 1, "out": "out", "tournament": "swiss"}
    with open_run(prepare(plan_of(("subs",), None, wishes))) as run:
        assert ["broken"] == [one.kind for one in run.entrants if one.name == "two words"]
    write("subs/cat.py")
    with pytest.raises(ConfigError, match="began without cat and would pair"):
        played(tournament="swiss")


def test_a_submission_that_is_gone_is_missed(base):
    """Its matches are not thrown away in silence."""
    write("subs/ann.py")
    write("subs/bob.py")
    played()
    Path("subs/bob.py").unlink()
    write("subs/cat.py")
    with pytest.raises(ConfigError, match="out has matches of bob: name them too"):
        played()
    assert {"subs/bob.py": "it is not there any more"} == {
        bot.path: bot.problem for bot in prepare(plan_of((), Path("out"), {}), resume=Path("out")).broken
    }


# Runs.


@pytest.fixture
def call(base, capsys, monkeypatch):
    """`arena WORDS` in this process: exit code, standard output, standard error."""
    return lambda *words: calls.call(capsys, monkeypatch, *words)


def test_a_dry_run_says_how_many_bots(base, call):
    """With what is wrong as the files lie there; nothing is started, nothing made."""
    classroom.hand_in(base / "subs", students=12)
    code, out, err = call("run", "--dry-run", "subs/")
    assert (2, "", True) == (code, out, err.startswith("arena: 4 of 12 bots cannot play; fix them:"))
    code, out, _ = call("run", "--dry-run", "subs/", "--leave-out-broken")
    assert (0, "8 bots, 28 pairs", 4) == (code, out[:16], out.count("left out: subs/"))
    assert ["subs"] == os.listdir(base)


def test_nobody_is_left_to_play(base, call):
    """All mistakes are told, and nothing is made."""
    write("subs/two words/bot.py")
    write("subs/source.cpp")
    for words in ((), ("--leave-out-broken",)):
        code, out, err = call("run", "subs", *words)
        assert (2, "", 3) == (code, out, len(err.splitlines()))
        assert "subs/two words: " in err
        assert "subs/source.cpp: " in err
    assert ["subs"] == os.listdir(base)


def test_bots_that_are_compared_are_named_one_by_one(base, call):
    """A folder of bots is not one of them."""
    write("subs/ann.py")
    code, _, err = call("compare", "subs", "odds")
    assert (2, True) == (code, "subs: a folder with nothing that can be run: found ann.py" in err)


@pytest.mark.slow
def test_a_class_hands_in(base, call):
    """Everything that is wrong is told in one list, a line each; all of it can be left out."""
    classroom.hand_in(base / "subs", students=10, connect_s=2.6)
    words = ("run", "subs", "--series", "1", "--seed", "1", "--rule", "dice=2", "--out", "out")
    words += ("--sandbox", "shield")  # on any machine; tests/box/test_classes.py plays a folder in strict
    code, out, err = call(*words)
    lines = err.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("arena: "))
    assert (2, "", "8 of 10 bots cannot play") == (code, out, lines[first][7:31])
    told = dict(line.strip().split(": ", 1) for line in lines[first + 1 :] if line.startswith("  "))
    assert [f"subs/{name}" for name in classroom.BROKEN] == list(told)
    for name, reason in classroom.BROKEN.items():
        assert reason.format(connect_s=2.6) in told[f"subs/{name}"]
    assert "waiting for student08, which does nothing; does the file call run()?" in lines
    assert ["what they printed is in out/logs", "--leave-out-broken plays without them"] == lines[-2:]

    for name in ("student07", "student08"):
        shutil.rmtree(base / "subs" / name)
    code, out, err = call(*words, "--leave-out-broken")
    assert (0, 6) == (code, err.count("left out: subs/"))
    with (base / "out/bots.csv").open() as file:
        status = {row["bot"]: row["status"] for row in csv.DictReader(file)}
    assert {"student01": "ok", "student02": "ok"} == {
        name: status[name] for name in status if status[name] == "ok"
    }
    assert {"left out"} == {status[name] for name in status.keys() - {"student01", "student02"}}
    assert 8 == len(status)
