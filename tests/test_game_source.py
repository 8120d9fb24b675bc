"""Games that are not built in: how they are named, what is wrong with them, and what a folder may import."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from calls import call

from arena.errors import ConfigError
from arena.games import GAMES
from arena.store import Store
from arena.tournament.bots.game_source import as_kept, find_game, load_game, locate, placed
from arena.tournament.folder.stored import ORIGIN, stored_game, stored_plan
from arena.tournament.plan import Plan, load_plan
from arena.tournament.prepare import prepare

KUHN = (Path(__file__).parent.parent / "examples" / "kuhn.py").read_text()
LOUD = "\nfrom pathlib import Path\nPath('ran').touch()\n"
"""At the end of a game's file: whoever imports it leaves a trace in the working directory."""
BOTS = """
from arena.sdk import Bot

class Passes(Bot):
    def move(self, state, options):
        return "pass"

class Bets(Bot):
    def move(self, state, options):
        return "bet"
"""
WORDS = ("kuhn_bots:Passes", "kuhn_bots:Bets", "--series", "2", "--seed", "1", "-q")


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A working directory with two bots; modules are forgotten after the test."""
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "kuhn_bots.py").write_text(BOTS)
    yield tmp_path
    forget(before)


def forget(before: set[str]) -> None:
    """As in a new process: modules of this test's folder are not there any more."""
    for name in set(sys.modules) - before:
        if name.startswith(("arena_game_", "kuhn", "cards")):
            del sys.modules[name]


@pytest.fixture
def arena(capsys, monkeypatch):
    def anew(*words: object) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of `arena WORDS`, which imports games anew."""
        forget(set())
        return call(capsys, monkeypatch, *words)

    return anew


@pytest.fixture
def played(home, arena) -> Path:
    """`out`, played with `games/kuhn.py`; whoever imports that from now on leaves a trace."""
    write("games/kuhn.py", KUHN + LOUD)
    code, _, err = arena("run", "--game", "games/kuhn.py", *WORDS, "--out", "out")
    assert 0 == code, err
    Path("ran").unlink()
    return home


def write(path: str, text: str) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def package(name: str = "kuhngame") -> None:
    """Kuhn poker in two files of a package."""
    write(f"{name}/__init__.py", "")
    rules = KUHN.replace('CARDS = ("J", "Q", "K")', f"from {name}.cards import CARDS")
    write(f"{name}/rules.py", rules)
    write(f"{name}/cards.py", 'CARDS = ("J", "Q", "K")\n')


def a_match() -> str:
    with Store.open("out") as store:
        return next(store.matches()).match_id


def has_run() -> bool:
    return Path("ran").exists()


# How a game is named.

NAMES = [
    "./kuhn.py",
    "kuhn.py:Kuhn",
    "{home}/kuhn.py",
    "kuhn:Kuhn",
    "kuhngame.rules:Kuhn",
    "folder/kuhn.py",
    "folder/kuhn:Kuhn",
]


@pytest.mark.parametrize("word", NAMES)
def test_a_game_is_found(word, home):
    """A file, its one class or a named one; a module, alone or in a package; here or in another folder."""
    write("kuhn.py", KUHN)
    write("folder/kuhn.py", KUHN)
    package()
    source = find_game(word.format(home=home))
    assert ("kuhn", "Kuhn") == (source.cls.name, source.origin.cls)
    assert source.origin.file.is_absolute()
    assert source.cls is load_game(source.origin).cls, "imported once"


def test_an_installed_module_is_found(home, monkeypatch):
    """As a bot's is: on Python's path, if it is not here."""
    package("kuhninstalled")
    shutil.move("kuhninstalled", "elsewhere/kuhninstalled")
    monkeypatch.syspath_prepend(home / "elsewhere")
    assert home / "elsewhere/kuhninstalled/rules.py" == find_game("kuhninstalled.rules:Kuhn").origin.file


def test_a_file_beside_is_not_imported_by_its_folder(home):
    """A game of several files is a package, so that its fingerprint covers them; nothing gets on Python's path."""
    path = list(sys.path)
    write("kuhn.py", "import kuhn_beside\n" + KUHN)
    write("kuhn_beside.py", "")
    assert "No module named 'kuhn_beside'" in mistake("kuhn.py")
    package()
    find_game("kuhngame.rules:Kuhn")
    assert path == sys.path


def test_a_plan_names_its_game_from_where_it_is(home, arena):
    """`game = "kuhn.py"` is beside the plan file, wherever the command is given."""
    write("plans/kuhn.py", KUHN)
    write("plans/p.toml", 'game = "kuhn.py:Kuhn"\nbots = ["odds", "random"]\nout = "../out"\n')
    assert str(Path("plans/kuhn.py:Kuhn")) == load_plan(Path("plans/p.toml")).game
    write("plans/q.toml", f'game = "kuhn:Kuhn"\nbots = {[*WORDS[:2]]}\nout = "../out"\n')
    shutil.copy("kuhn_bots.py", "plans")
    code, _, err = arena("run", "plans/q.toml", "-q", "--series", 1)
    assert (0, "kuhn") == (code, json.loads(Path("out/run.json").read_text())["plan"]["game"]), err


def test_a_name_is_no_place(home):
    """A built-in name stays as it is, in whatever folder; everything else that may be a place starts there."""
    assert "holdem" == placed("holdem", home)
    assert str(home / "a/kuhn.py") == placed("a/kuhn.py", home)
    assert str(home / "kuhn.rules:Kuhn") == placed("kuhn.rules:Kuhn", home)
    assert "/x/kuhn.py" == placed("/x/kuhn.py", home)


# Mistakes.


def mistake(word: str) -> str:
    with pytest.raises(ConfigError) as error:
        find_game(word)
    return str(error.value)


def test_a_module_of_another_place_is_not_taken_for_it(home):
    """Where a module of that name is loaded already, the files that were looked at are not those that would play."""
    package("json")
    assert (
        mistake("json.rules:Kuhn")
        == f"{home}/json/rules.py cannot be imported: another module is called json"
    )


# Every command.


def test_every_command_plays_it(played, arena):
    """All that takes a game takes this one, and all that reads its folder finds it by itself."""
    for words in (
        ("run", "--game", "games/kuhn.py", *WORDS, "--out", "out", "--dry-run"),
        ("run", "--resume", "out", "--dry-run"),
        ("compare", *WORDS[:2], "--game", "games/kuhn.py", "--dry-run"),
        ("games", "games/kuhn.py"),
        ("replay", a_match(), "out"),
        ("replay", a_match(), "out", "--as", "Bets", "--json"),
        ("report", "out"),
    ):
        Path("ran").unlink(missing_ok=True)
        code, out, err = arena(*words)
        assert 0 == code, err
        assert out or "is Passes better than Bets at Kuhn Poker?" in err
        assert "shows no matches" not in err
        assert has_run(), words
    assert "Kuhn Poker" in Path("out/report.html").read_text()


def test_a_house_rule_of_it_is_read(home, arena):
    """Its fields are house rules, as those of any game."""
    rule = "    dice: int = attrs.field(default=5, validator=Accepts(Between(1, 9)))\n\n    def start("
    text = "from arena.match.game import Between\nfrom arena.games.house_rules import Accepts\n" + KUHN
    write("kuhn.py", text.replace("    def start(", rule, 1))
    words = ("run", "--game", "kuhn.py", *WORDS, "--dry-run", "--rule")
    assert 0 == arena(*words, "dice=9")[0]
    assert "dice of kuhn is 10, but must be a whole number, 1 to 9" in arena(*words, "dice=10")[2]


@pytest.mark.parametrize(
    ("kind", "said"), [("float", "only bool, int, str and tuple"), ("Gone", "'Gone' is not defined")]
)
def test_a_house_rule_that_nobody_can_say_is_a_sentence(kind, said, home, arena):
    """A type that neither a plan nor an option can give."""
    rule = f"    stake: '{kind}' = 1\n\n    def start("
    write("kuhn.py", KUHN.replace("    def start(", rule, 1))
    code, out, err = arena("run", "--game", "kuhn.py", *WORDS)
    assert (2, "", True) == (code, out, said in err), err


def test_tables_need_no_game(played, arena):
    """Leaderboard, a bot's page, matches and all CSVs are the same without the file."""
    commands = [("leaderboard", "out"), ("leaderboard", "out", "--bot", "Bets"), ("matches", "out", "--csv")]
    before = [arena(*words)[:2] for words in commands]
    shutil.rmtree("games")
    assert before == [arena(*words)[:2] for words in commands]
    assert {0} == {code for code, _ in before}
    assert not has_run()


# What a folder may import.


def test_a_folder_keeps_where_its_game_came_from(played):
    """The absolute path, and the fingerprint; no path of it in what is handed on."""
    with Store.open("out") as store:
        kept = store.meta()[ORIGIN]
    origin = locate(str(played / "games/kuhn.py:Kuhn"))
    assert as_kept(origin) == kept
    assert "games" not in Path("out/run.json").read_text()


def changed(file: str = "games/kuhn.py") -> None:
    """Other rules under the same name and version."""
    path = Path(file)
    path.write_text(path.read_text() + "# house rule\n")


TROUBLES = [
    ("other content", changed, "games/kuhn.py has changed since"),
    ("no file", lambda: Path("games/kuhn.py").unlink(), "there is no file"),
]


@pytest.mark.parametrize(("trouble", "said"), [row[1:] for row in TROUBLES], ids=[row[0] for row in TROUBLES])
def test_reading_asks_for_a_game_that_is_not_what_it_was(trouble, said, played, arena):
    """Nothing of it is imported; the report is written without its viewer, and names no path of this machine."""
    trouble()
    code, out, err = arena("replay", a_match(), "out")
    assert (2, "", True) == (code, out, said in err)
    assert err.startswith("arena: out was played with kuhn, but ")
    assert err.endswith("; --game FILE names the file that it was played with\n")
    code, out, err = arena("report", "out")
    assert (0, "out/report.html\n", True) == (code, out, said in err)
    page = Path("out/report.html").read_text()
    assert (
        "matches cannot be shown: the rules of its game were not available" in page,
        str(played) in page,
    ) == (True, False)
    assert not has_run()


def test_what_lies_in_the_folder_itself_is_not_run(played, arena):
    """Who hands on a folder with a game in it could name that, and its fingerprint."""
    file = shutil.copy("games/kuhn.py", "out/kuhn.py")
    with Store.open("out", write=True) as store:
        store.set_meta(ORIGIN, store.meta()[ORIGIN] | {"file": str(Path(file).absolute())})
    for words in (("replay", a_match(), "out"), ("run", "--resume", "out")):
        code, _, err = arena(*words)
        assert (2, True) == (code, "code from there is not run unasked" in err), err
    assert not has_run()


HERE = {"file": "games/kuhn.py", "module": "", "cls": "Kuhn", "fingerprint": "x"}
ODD = [None, 5, {}, {"file": 1}, HERE, HERE | {"file": "/games/kuhn.py", "module": "other.kuhn"}]


@pytest.mark.parametrize("kept", ODD, ids=range(len(ODD)))
def test_what_a_folder_says_of_a_game_may_be_anything(kept, played, arena):
    """Somebody else's folder: it is a sentence, and nothing is imported."""
    with Store.open("out", write=True) as store:
        store.set_meta(ORIGIN, kept)
    code, _, err = arena("replay", a_match(), "out")
    assert (2, True) == (code, "it does not say where that game comes from" in err), err
    assert not has_run()


@pytest.mark.parametrize("key", ["plan", "identity"])
def test_a_stored_plan_names_no_file(key, played, arena):
    """A folder cannot make `--resume` import what has no fingerprint."""
    with Store.open("out", write=True) as store:
        store.set_meta(key, store.meta()[key] | {"game": str(Path("games/kuhn.py").absolute())})
    changed()
    for words in (
        ("run", "--resume", "out"),
        ("run", "--resume", "out", "--rule", "a=1"),
        ("replay", a_match(), "out"),
    ):
        code, _, err = arena(*words)
        assert (2, False) == (code, has_run()), err


def test_a_game_that_is_said_is_used(played, arena):
    """`--game` of replay and report: moved, or with another fingerprint, if name and version fit."""
    shutil.move("games/kuhn.py", "mine.py")
    changed("mine.py")
    code, out, err = arena("replay", a_match(), "out", "--game", "mine.py")
    assert (0, True) == (code, "of Kuhn Poker" in out), err
    assert (0, "") == arena("report", "out", "--game", "mine.py")[::2]
    assert "cannot be shown" not in Path("out/report.html").read_text()


OTHERS = [
    ("another game", ('"kuhn"', '"leduc"'), "out was played with kuhn, and mine.py is leduc"),
    (
        "another version",
        ("[int] = 1", "[int] = 2"),
        "out was played with version 1 of kuhn, and mine.py is version 2: use the file",
    ),
]


@pytest.mark.parametrize(("change", "said"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_a_game_that_does_not_fit_is_refused(change, said, played, arena):
    """It would tell another match; no page is written."""
    write("mine.py", KUHN.replace(*change))
    for words in (("replay", a_match(), "out"), ("report", "out")):
        code, out, err = arena(*words, "--game", "mine.py")
        assert (2, "", True) == (code, out, said in err), err
    assert not Path("out/report.html").exists()
    assert (
        "out was played with kuhn, and holdem is holdem"
        in arena("replay", a_match(), "out", "--game", "holdem")[2]
    )


# Going on.


def test_going_on_with_a_changed_game_is_refused(played, arena):
    """Matches of two sets of rules are no tournament: not by --resume, and not by the same command."""
    changed()
    code, _, err = arena("run", "--resume", "out")
    assert (2, False) == (code, has_run())
    assert (
        "games/kuhn.py has changed since; --game FILE names the file that it was played with, --fresh starts over"
        in err
    )
    said = "kuhn.py has changed since its matches were played; --fresh starts over, --out DIR plays elsewhere"
    for words in (("--resume", "out"), (*WORDS, "--out", "out"), (*WORDS, "--out", "out", "--dry-run")):
        code, _, err = arena("run", "--game", "games/kuhn.py", *words)
        assert (2, True) == (code, said in err), err


def test_fresh_plays_the_changed_game(played, arena):
    """With `--game`, which is the user's own word; then the folder knows the new file."""
    changed()
    assert 0 == arena("run", "--game", "games/kuhn.py", "--resume", "out", "--fresh", "-q")[0]
    Path("ran").unlink()
    assert 0 == arena("replay", a_match(), "out")[0]
    assert has_run()


def test_a_game_that_was_moved_goes_on(played, arena):
    """The same content from elsewhere is the same game, and the folder knows the new place."""
    shutil.move("games", "moved")
    code, _, err = arena("run", "--resume", "out", "--game", "moved/kuhn.py", "--series", "3", "-q")
    assert 0 == code, err
    assert 6 == len(arena("matches", "out", "--csv")[1].splitlines()) - 1
    assert 0 == arena("replay", a_match(), "out")[0]


@pytest.mark.slow
def test_every_file_of_a_package_counts(home, arena):
    """Also those beside the module: a game of several files has one fingerprint."""
    package()
    assert 0 == arena("run", "--game", "kuhngame.rules:Kuhn", *WORDS, "--out", "out")[0]
    assert 0 == arena("replay", a_match(), "out")[0]
    changed("kuhngame/cards.py")
    assert "kuhngame/rules.py has changed since" in arena("replay", a_match(), "out")[2]
    assert (
        "kuhngame.rules has changed since"
        in arena("run", "--game", "kuhngame.rules:Kuhn", *WORDS, "--out", "out")[2]
    )


def test_from_elsewhere_it_is_found(played, arena, monkeypatch):
    """By its absolute path: a folder can be replayed and gone on with from any working directory."""
    (played / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    with Store.open("../out") as store:
        assert "kuhn" == stored_game(store).name
    assert "kuhn" == prepare(stored_plan(Path("../out")), resume=Path("../out")).game.name


def test_the_plan_of_a_tournament_has_the_name(home):
    """Seeds, tables and `run.json` know a game by its name, wherever it came from."""
    write("kuhn.py", KUHN)
    plan = load_plan(write("p.toml", 'game = "kuhn.py"\nbots = ["random", "x=random"]\n'))
    tournament = prepare(plan)
    assert ("kuhn", "kuhn") == (tournament.plan.game, tournament.game.name)
    assert Plan().game in GAMES
    assert prepare(Plan(bots=plan.bots)).origin is None
