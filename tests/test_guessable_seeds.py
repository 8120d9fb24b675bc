"""Seeds that bots can guess: refused where strangers connect, said and marked elsewhere, and how the guessing goes."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
import seed_guesser
from calls import call
from daily import NIGHTLY
from seed_guesser import SEEDS, guess

from arena.cli import cli
from arena.cli.mistakes import told_mistake
from arena.errors import ConfigError
from arena.page.report import write_report
from arena.reading.units import Address
from arena.schedule import match_id
from arena.schedule.pairing import rotations
from arena.server.http.request_types import Body
from arena.store import Store
from arena.tournament.folder.folder import open_run
from arena.tournament.folder.intake import course_of
from arena.tournament.plan import DRAWING, BotSpec, Plan, is_guessable
from arena.tournament.prepare import prepare
from arena.tournament.tournament import Tournament

HERE = ("guessed_bots:Even", "guessed_bots:Odd", "--rule", "dice=2", "--series", "1", "--out", "out")
"""In this process, which starts nothing and takes no time."""
DRAWN = 212_317_483_561_924_830_371_940_822_751_163_947_211
"""128 bits, as `secrets.randbits` drew them."""
GUESSER = Path(seed_guesser.__file__)
ANYWHERE = Address("127.0.0.1", 0)


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A working directory with bots of one's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    shutil.copy(Path(__file__).with_name("stored_bots.py"), tmp_path / "guessed_bots.py")
    return tmp_path


@pytest.fixture
def arena(home, capsys, monkeypatch):
    """`arena WORDS` in this process: exit code, standard output, standard error."""

    return partial(call, capsys, monkeypatch)


def planned(*bots: str, **options) -> Tournament:
    """A tournament of these bots in the folder `out`."""
    specs = tuple(BotSpec(bot, Path.cwd()) for bot in bots)
    return prepare(Plan(bots=specs, out=Path("out"), series=2, rules={"dice": 2}, **options))


def begun(tournament: Tournament) -> None:
    """Leaves a folder with matches, as a run that was interrupted does."""
    from test_prepare import entry

    with open_run(tournament) as run:
        run.begin()
        names = ["odds", "random"]
        run.store.add_many(map(entry, course_of(run, names).order[:2]))


# Where bots connect.


@pytest.mark.slow
@pytest.mark.parametrize(
    "who", [("--expect", "1"), ("--remote", "ann")], ids=["whoever connects", "with a token"]
)
def test_a_guessable_seed_is_refused_where_bots_connect(arena, who):
    """One sentence that says what would be right, exit code 2, and no folder; so says a plan file, and --dry-run."""
    words = ("run", "odds", *who, "--listen", "127.0.0.1:0", "--wait", "1ms", "--out", "out")
    Path("plan.toml").write_text("seed = 7\n")
    said = (
        "arena: seed = 7 can be guessed by the bots that connect, and with it every deal: leave seed out, or give one "
        f"of at least 2^64, as this draws it: {DRAWING}\n"
    )
    assert (2, "", said) == arena(*words, "--seed", "7")
    assert (2, "", said) == arena(*words, "--seed", "7", "--dry-run")
    assert (2, "", said) == arena("run", "plan.toml", *words[1:])
    assert not Path("out").exists()
    assert 0 == arena(*words, "--dry-run")[0]
    assert 0 == arena(*words, "--dry-run", "--seed", str(2**64))[0]


@pytest.mark.slow
def test_the_command_of_the_refusal_draws_a_seed():
    """It prints a number that a plan takes and nobody guesses."""
    drawn = int(subprocess.run(shlex.split(DRAWING), capture_output=True, check=True).stdout)
    assert not is_guessable(drawn)
    assert drawn < 2**128


def test_bots_do_not_join_a_folder_with_a_guessable_seed(home):
    """Not even where the plan takes the folder's seed by not naming one."""
    begun(planned("odds", "random", seed=7, deals="fresh"))
    joined = planned("odds", "random", deals="fresh", expect=1, listen=ANYWHERE)
    with pytest.raises(ConfigError) as raised, open_run(joined):
        pass
    assert told_mistake(raised.value) == (
        "out: seed 7 can be guessed by the bots that connect, and with it every deal; "
        "--fresh starts over, --out DIR plays elsewhere"
    )


def test_nobody_can_name_a_seed_at_a_server():
    """Its tables draw 128 bits for every match: no option and no request has a word for a seed."""
    options = {option for param in cli.commands["serve"].params for option in param.opts}
    bodies = Body.__subclasses__()
    words = options.union(*(body.__struct_fields__ for body in bodies))
    assert {"--http", "game"} <= words
    assert [] == [word for word in words if "seed" in word]


# Where the arena starts all bots.


@pytest.mark.slow
def test_a_guessable_seed_is_said_once_and_marked(arena):
    """Started programs play with it: one line on standard error, a mark in run.json, a note in the report."""
    code, _, err = arena(
        "run", "odds", "random", "--rule", "dice=1", "--series", "1", "--seed", "7", "--out", "out"
    )
    assert (0, 1) == (code, err.count("seed 7 can be guessed by a bot: leave the seed out where it counts\n"))
    assert json.loads(Path("out/run.json").read_text())["guessable"] is True
    assert "could guess it" in _report_of("out")


@pytest.mark.slow
def test_a_drawn_seed_is_neither_said_nor_marked(arena):
    """Without --seed 128 bits are drawn."""
    code, _, err = arena("run", *HERE)
    assert (0, 0) == (code, err.count("guessed"))
    told = json.loads(Path("out/run.json").read_text())
    assert told["guessable"] is False
    assert not is_guessable(int(told["plan"]["seed"]))
    assert "could guess it" not in _report_of("out")


@pytest.mark.slow
def test_bots_in_this_process_are_not_warned_of(arena):
    """They can read the seed, however long it is; that they are there is said anyway.  It is marked all the same."""
    code, _, err = arena("run", *HERE, "--seed", "7")
    assert (0, 0) == (code, err.count("guessed"))
    assert "in this process" in err
    assert json.loads(Path("out/run.json").read_text())["guessable"] is True


def _report_of(folder: str) -> str:
    with Store.open(Path(folder)) as store:
        return write_report(store).read_text()


# The guessing.


@pytest.mark.parametrize("series", [0, 7, 19])
def test_a_short_seed_is_found_by_trying(series):
    """The id of one match and the names at the table are enough: they fit one seed and one place in the plan only."""
    pairing = [*rotations(("ann", "guesser"), series, cycle=0, game="liars-dice", seed=7, deals="same")][1]
    assert (7, pairing) == guess(match_id(7, pairing.id), pairing.bots, SEEDS)


def test_a_drawn_seed_is_not_found_by_trying():
    """None of the seeds that people write fits, nor a part of the drawn one; the seed itself would."""
    told = match_id(DRAWN, "ann+guesser#3/0")
    near = [DRAWN >> 64, DRAWN % 2**64, DRAWN + 1, DRAWN - 1]
    assert None is guess(told, ("ann", "guesser"), [*SEEDS, *near])
    assert DRAWN == guess(told, ("ann", "guesser"), [*SEEDS, *near, DRAWN])[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "wins"),
    [pytest.param(7, {40}, id="--seed 7"), pytest.param(DRAWN, range(21), id="drawn", marks=NIGHTLY)],
)
def test_who_guesses_the_seed_wins_every_match(arena, seed, wins):
    """A started bot that tries seeds wins 40 of 40 with --seed 7; with a drawn one it finds nothing, and loses."""
    words = (
        str(GUESSER),
        "odds",
        "--series",
        "20",
        "--seed",
        str(seed),
        "--out",
        "out",
        "--json",
        "-q",
        "--strict",
    )
    code, out, _ = arena("run", *words)
    rows = {row["bot"]: row for row in json.loads(out)}
    assert (0, 40) == (code, rows["seed_guesser"]["matches"])
    assert rows["seed_guesser"]["wins"] in wins
