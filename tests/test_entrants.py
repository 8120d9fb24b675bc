"""From what the user said of a bot to what is needed to start it."""

import os
import sys
from pathlib import Path

import pytest
from calls import call

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.players.folders import build_folder
from arena.tournament.bots import entrants, fingerprints
from arena.tournament.bots.entrants import builtin_bots, remote, resolve, unique_names
from arena.tournament.bots.field import field_of, judged
from arena.tournament.bots.fingerprints import BUILT, fingerprint, needs_build
from arena.tournament.plan import BotSpec

RECIPE = 'name = "liar"\nversion = "2"\nrun = "python3 bot.py --deep"\n'

RANDOM_BOT = """
from arena.sdk import Bot, choose, run

class Mine(Bot):
    def move(self, state, options):
        return choose(options, self.rng)

run(Mine)
"""


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A folder with bots of all kinds, and a built-in bot `odds` that is nothing but its recipe."""
    write(tmp_path / "liar/bot.toml", RECIPE)
    write(tmp_path / "liar/bot.py", "print()")
    write(tmp_path / "solo.py", "print()")
    write(tmp_path / "solo.js", "0")
    write(tmp_path / "a=b/c.py", "print()")
    write(tmp_path / "plain/readme.txt", "no bot")
    write(tmp_path / "notes.txt", "no bot")
    write(tmp_path / "rb.rb", "puts 1")
    write(tmp_path / "fast.cpp", "int main() {}")
    write(tmp_path / "bare.pl", "print 1;").chmod(0o755)
    write(tmp_path / "native", "#!/bin/sh\n").chmod(0o755)
    write(tmp_path / "pkg/inner.py", "class Mine: ...")
    write(tmp_path / "shop/odds/bot.toml", 'run = "node odds.js"')
    found = {"odds": tmp_path / "shop/odds"}
    monkeypatch.setattr(entrants, "builtin_bots", lambda: found)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refusal(call, *args, **kwargs) -> str:
    with pytest.raises(ConfigError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


# Spec, then name, kind, command, folder (below the base) and language.
SPECS = [
    ("liar", "liar", "process", "python3 bot.py --deep", "liar", "Python"),
    ("./liar", "liar", "process", "python3 bot.py --deep", "liar", "Python"),
    ("me=liar", "me", "process", "python3 bot.py --deep", "liar", "Python"),
    ("me=./liar/", "me", "process", "python3 bot.py --deep", "liar", "Python"),
    ("solo.py", "solo", "process", "python3 solo.py", ".", "Python"),
    ("./solo.js", "solo", "process", "node solo.js", ".", "JavaScript"),
    ("liar/bot.py", "bot", "process", "python3 bot.py", "liar", "Python"),
    ("a=b/c.py", "c", "process", "python3 c.py", "a=b", "Python"),
    ("odds", "odds", "process", "node odds.js", "shop/odds", "JavaScript"),
    ("x=odds", "x", "process", "node odds.js", "shop/odds", "JavaScript"),
    ("pkg.inner:Mine", "Mine", "local", "", ".", "Python"),
    ("me=pkg.inner:Mine", "me", "local", "", ".", "Python"),
    ("sh -c 'exit 1'", "sh", "process", "sh -c 'exit 1'", ".", ""),
    ("sh solo.py x=1", "solo", "process", "sh solo.py x=1", ".", ""),
    ("me=sh solo.py x=1", "me", "process", "sh solo.py x=1", ".", ""),
    ("solo.py --depth=3", "solo", "process", "python3 solo.py --depth=3", ".", "Python"),
    ("./native notes.txt", "native", "process", "./native notes.txt", ".", ""),
    ("native", "native", "process", "./native", ".", ""),
    ("native --depth=3", "native", "process", "./native --depth=3", ".", ""),
]


@pytest.mark.parametrize(
    ("spec", *["name", "kind", "command", "folder", "language"]), SPECS, ids=[s[0] for s in SPECS]
)
def test_what_a_spec_can_be(base, spec, name, kind, command, folder, language):
    """A folder, a file, a built-in, a class or a command, with a name or without."""
    bot = resolve(spec, base=base)
    assert (name, kind, command, language) == (bot.name, bot.kind, bot.command, bot.language)
    assert (base / folder).resolve() == bot.folder.resolve()
    assert len(bot.fingerprint) == 32


def test_a_recipe_is_read_to_its_place(base):
    """Each key of bot.toml has its place; a build in one text is left to the shell."""
    recipe = """
        name = "all of it"
        version = "1.2"
        games = ["blef", "bluff"]
        language = "C++"
        build = "mkdir -p build && make"
        run = ["build/bot", "two words"]
        transport = "stdio"
        restart = "match"
        instances_max = 3
        connect_s = "1m"
    """
    write(base / "liar/bot.toml", recipe)
    bot = resolve("liar", base=base)
    expected = Entrant(
        name="all of it",
        kind="process",
        version="1.2",
        language="C++",
        folder=base / "liar",
        run=("build/bot", "two words"),
        build=("sh", "-c", "mkdir -p build && make"),
        transport="stdio",
        restart="match",
        instances_max=3,
        connect_s=60.0,
        path="liar",
        command="build/bot 'two words'",
        games=("blef", "bluff"),
        fingerprint=bot.fingerprint,
    )
    assert expected == bot


def test_a_short_recipe_is_enough(base):
    """`run` alone makes a bot, called like its folder."""
    write(base / "liar/bot.toml", 'run = "node x.js"')
    bot = resolve("liar", base=base)
    known = (bot.name, bot.version, bot.language, bot.transport, bot.restart, bot.connect_s, bot.games)
    assert known == ("liar", "0", "JavaScript", "tcp", "never", 30.0, ())


@pytest.mark.parametrize(
    ("here", "plan", "spec", "shown"),
    [
        (".", ".", "liar", "liar/bot.toml"),
        (".", ".", "me=./liar", "liar/bot.toml"),
        ("plain", "plain", "../liar", "../liar/bot.toml"),
        (".", "plain", "../liar", "liar/bot.toml"),
        ("plain", ".", "liar", "{base}/liar/bot.toml"),
        (".", ".", "{base}/liar", "{base}/liar/bot.toml"),
    ],
)
def test_a_wrong_recipe_is_named_as_the_user_named_it(base, monkeypatch, here, plan, spec, shown):
    """From the command line as it was typed; from a plan elsewhere as it lies from here, if it is below."""
    write(base / "liar/bot.toml", "run = 1")
    monkeypatch.chdir(base / here)
    said = refusal(resolve, spec.format(base=base), base=base if plan == "." else base / plan)
    assert said.startswith(f"{shown.format(base=base)}: run: found 1")


@pytest.mark.parametrize(("said", "expected"), [("300", 300.0), ('"5m"', 300.0), ("0.5", 0.5)])
def test_the_longest_time_to_connect(base, said, expected):
    """Five minutes, which is `CONNECT_S_MAX`, are still accepted."""
    write(base / "liar/bot.toml", RECIPE + f"connect_s = {said}\n")
    assert expected == resolve("liar", base=base).connect_s


NOT_THERE = ("odd", "me=odd", "stranger", "missing.py", "pkg.outer:Mine")
NO_BOTS = ("plain", "notes.txt", "rb.rb", "fast.cpp", "sh 'open")


@pytest.mark.parametrize("spec", [*NOT_THERE, *NO_BOTS])
def test_what_is_no_bot_is_named_once(base, spec):
    """Lists begin with what the user said: what is wrong with it follows, and does not begin with its name."""
    (bot,) = field_of([BotSpec(spec, base)], game="blef")
    assert bot.problem
    assert not bot.problem.startswith((spec, spec.removeprefix("me=")))
    assert (spec in NOT_THERE) == bot.is_missing


def test_a_word_of_the_game_is_no_name(base):
    """Who could be taken for a move or for nobody in this game is refused, and may play another one."""
    bots = [resolve("odds", base=base), resolve("yourself=odds", base=base)]
    expected = "nobody can be called \"yourself\": 'yourself' is a reserved word; rename it, or use NAME=BOT"
    assert ["", expected] == [one.problem for one in judged(bots, game="blef", reserved={"pass", "yourself"})]
    assert ["", ""] == [one.problem for one in judged(bots, game="blef", reserved={"bluff"})]


def test_a_name_said_apart_may_hold_anything_that_names_can(base):
    """With a name of its own the spec is taken whole, so that blanks and `=` are no trouble."""
    bot = resolve("sh solo.py", base=base, name="the = one")
    assert (bot.name, bot.command) == ("the = one", "sh solo.py")
    assert refusal(resolve, "a=odds", base=base, name="b").startswith("no such bot: a=odds")


def test_a_folder_with_a_recipe_comes_before_a_builtin(base):
    """Somebody's own folder `odds` is meant by `odds`; without a recipe it is not in the way."""
    (base / "odds").mkdir()
    assert base / "shop/odds" == resolve("odds", base=base).folder
    write(base / "odds/bot.toml", RECIPE)
    assert base / "odds" == resolve("odds", base=base).folder


def test_no_package_is_imported_to_look_into_it(base, monkeypatch):
    """A package that raises as it is imported is harmless until its bot is loaded."""
    package = base / "elsewhere" / "trap"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "inner.py").write_text("class Bot: ...")
    monkeypatch.syspath_prepend(str(base / "elsewhere"))
    entrant = resolve("trap.inner:Bot", base=base)
    assert (package / "inner.py",) == entrant.files
    with pytest.raises(ConfigError, match=r"no module trap\.nothing"):
        resolve("trap.nothing:Bot", base=base)


def test_an_installed_module_is_found_without_importing_it(base):
    """A class of an installed module needs no place on the path, and its file is its fingerprint."""
    bot = resolve("json.decoder:JSONDecoder", base=base)
    assert (bot.kind, bot.folder, bot.target) == ("local", None, "json.decoder:JSONDecoder")
    assert [path.name for path in bot.files] == ["decoder.py"]


def test_builtin_bots_are_folders_with_a_recipe():
    """Every bot that comes with the arena can be resolved by its name from anywhere."""
    bots = builtin_bots()
    assert "odds" in bots
    assert "misbehaving" not in bots
    for name, folder in bots.items():
        bot = resolve(name, base=Path("/"))
        assert (name, folder, name) == (bot.name, bot.folder, bot.path)


def test_a_builtin_bot_that_cannot_be_read(tmp_path, monkeypatch):
    """It is there: whoever names it is told what keeps us from it."""
    write(tmp_path / "bots/odds/bot.toml", RECIPE)
    folder = tmp_path / "bots" / "odds"
    folder.chmod(0)
    if os.geteuid() == 0:  # who may read everything: a stand-in hides what is in there
        access = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: path != folder and access(path, mode))
        monkeypatch.setattr(entrants, "builtin_bots", dict)
    monkeypatch.setattr(entrants, "_bots_folder", lambda: tmp_path / "bots")
    assert f"{folder} cannot be read: Permission denied" == refusal(resolve, "odds", base=tmp_path)
    assert refusal(resolve, "evens", base=tmp_path).startswith("no such bot: evens")


def test_bots_that_connect():
    """They have a name and nothing to start; what nobody may be called, they may not be called either."""
    assert remote("alice") == Entrant(name="alice", kind="remote")
    assert fingerprint(remote("alice")) == ""
    with pytest.raises(ConfigError, match='" x"'):
        remote(" x")


# Several bots.


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["odds", "random"], ["odds", "random"]),
        (["odds", "odds", "odds"], ["odds", "odds-2", "odds-3"]),
        (["odds", "odds", "odds-2"], ["odds", "odds-3", "odds-2"]),
        (["odds-2", "odds", "odds"], ["odds-2", "odds", "odds-3"]),
        (["a-2", "a-2", "a"], ["a-2", "a-2-2", "a"]),
        (["x" * 64] * 2, ["x" * 64, "x" * 62 + "-2"]),
        ([], []),
    ],
)
def test_names_are_made_unique(names, expected):
    """The second bot of a name gets a number, but never the name that another one has."""
    bots = unique_names(Entrant(name=name, kind="remote") for name in names)
    assert expected == [bot.name for bot in bots]


def test_bots_play_the_games_that_they_name():
    """Each bot that does not play the run's game is told of; a bot that names no game plays any."""
    bots = [Entrant(name=name, kind="process", games=games) for name, games in GAMES_OF.items()]
    assert ["", "", ""] == [one.problem for one in judged(bots, game="blef")]
    cannot = "it cannot play holdem: its bot.toml says that it plays"
    expected = [
        "",
        f"{cannot} blef; game = blef plays that, or add holdem to its games",
        f"{cannot} blef and bluff; game = blef or bluff plays that, or add holdem to its games",
    ]
    assert expected == [one.problem for one in judged(bots, game="holdem")]


GAMES_OF = {"any": (), "odds": ("blef",), "bluffer": ("blef", "bluff")}


# Fingerprints and builds.

# Spec, the file that is written anew, and whether that makes it another bot.
CHANGES = [
    ("liar", "liar/bot.py", True),
    ("liar", "liar/bot.toml", True),
    ("liar", "liar/deep/down/table.txt", True),
    ("liar", "liar/deep/build/table.txt", True),
    ("liar", "liar/.hidden", False),
    ("liar", "liar/.cache/x", False),
    ("liar", "liar/__pycache__/bot.pyc", False),
    ("liar", "liar/deep/__pycache__/bot.pyc", False),
    ("liar", "liar/build/bot", False),
    ("liar", "liar/results/now/matches.csv", False),
    ("liar", "liar/arena-data/bugs.log", False),
    ("liar", "solo.py", False),
    ("solo.py", "solo.py", True),
    ("solo.py", "solo.js", False),
    ("sh solo.py", "solo.py", True),
    ("./native notes.txt", "notes.txt", True),
    ("./native notes.txt", "native", True),
    ("./native", "notes.txt", False),
    ("pkg.inner:Mine", "pkg/inner.py", True),
    ("pkg.inner:Mine", "solo.py", False),
]


@pytest.mark.parametrize(("spec", "changed", "counts"), CHANGES, ids=[f"{c[0]} {c[1]}" for c in CHANGES])
def test_what_a_fingerprint_covers(base, spec, changed, counts):
    """Source files make a bot what it is; hidden files and what is built do not."""
    for kept in ("results/now/arena.db", "arena-data/server.db"):
        write(base / "liar" / kept, "")
    before = resolve(spec, base=base).fingerprint
    assert before == resolve(spec, base=base).fingerprint
    mode = (base / changed).stat().st_mode if (base / changed).exists() else None
    write(base / changed, 'run = "node x.js"')
    if mode:
        (base / changed).chmod(mode)
    assert counts == (before != resolve(spec, base=base).fingerprint)


def test_moving_text_between_files_changes_the_fingerprint(base):
    """Names and contents are kept apart: `ab` + `c` is not `a` + `bc`, and a new name is a change."""
    seen = set()
    for files in [{"ab": "c"}, {"a": "bc"}, {"a": "", "b": "c"}, {"a": "b", "c": ""}]:
        for name in "ab", "a", "b", "c":
            (base / "liar" / name).unlink(missing_ok=True)
        for name, text in files.items():
            write(base / "liar" / name, text)
        seen.add(resolve("liar", base=base).fingerprint)
    assert len(seen) == 4


def test_a_fingerprint_does_not_depend_on_the_place(base):
    """The same files elsewhere are the same bot, and so is a bot under another name."""
    before = resolve("liar", base=base).fingerprint
    (base / "liar").rename(base / "elsewhere")
    assert before == resolve("me=elsewhere", base=base).fingerprint
    before = resolve("./native x", base=base).fingerprint
    (base / "native").rename(base / "plain/native")
    assert before == resolve("./native x", base=base / "plain").fingerprint


def test_other_words_make_another_command(base):
    """Of a command the words count."""
    assert resolve("sh -c 1", base=base).fingerprint != resolve("sh -c 2", base=base).fingerprint


def test_only_regular_files_are_read(base):
    """A pipe in a bot's folder, a broken link and a circle of links are no trouble."""
    before = resolve("liar", base=base).fingerprint
    os.mkfifo(base / "liar/pipe")
    (base / "liar/broken").symlink_to("nowhere")
    (base / "liar/circle").symlink_to(".")
    assert before == resolve("liar", base=base).fingerprint


def test_fingerprints_are_bounded(base, monkeypatch):
    """A folder with more than a bot needs is refused with a sentence, not read for minutes."""
    with (base / "liar/huge").open("wb") as file:
        file.truncate((100 << 20) + 1)  # a hole: it takes no room
    assert refusal(resolve, "liar", base=base).startswith("liar: more than 100 MB of files")
    (base / "liar/huge").rename(base / "liar/.huge")
    monkeypatch.setattr(fingerprints, "FILES_MAX", 1)
    assert refusal(resolve, "liar", base=base).startswith(f"{base / 'liar'}: more than 1 files")


BUILD = RECIPE + 'build = "cp bot.py bot"\n'


def test_a_bot_is_built_once_for_its_files(base, monkeypatch):
    """Only changed files need another build; what lies in the bot's own `.arena` says nothing."""
    monkeypatch.chdir(base)
    write(base / "liar/bot.toml", BUILD)
    write(base / "liar/.arena/built", '{"outputs": ["bot.py"]}')
    bot = resolve("liar", base=base)
    assert needs_build(bot)
    write(build_folder(bot) / "files/bot", "built")
    assert needs_build(bot)
    write(build_folder(bot) / BUILT, "")
    assert not needs_build(bot)
    assert not needs_build(resolve("liar", base=base))
    write(base / "liar/bot.py", "changed")
    assert needs_build(resolve("liar", base=base))


def test_nothing_to_build(base):
    """A bot without a build command is never built."""
    assert not needs_build(resolve("liar", base=base))
    assert not needs_build(remote("alice"))


@pytest.mark.slow
def test_runs_from_a_bots_own_folder_go_on(tmp_path, capsys, monkeypatch):
    """The results lie in its folder, and make no new version of it."""
    write(tmp_path / "mine" / "bot.py", RANDOM_BOT)
    write(tmp_path / "mine" / "bot.toml", f'run = ["{sys.executable}", "bot.py"]')
    monkeypatch.chdir(tmp_path / "mine")
    for series, said in (("1", "results in results/o"), ("2", "4 matches, 2 of them played already")):
        words = ("run", ".", "random", "--rule", "dice=1", "--series", series, "--out", "results/o")
        code, _, told = call(capsys, monkeypatch, *words)
        assert (0, True) == (code, said in told), told
