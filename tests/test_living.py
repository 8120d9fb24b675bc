"""A folder whose bots change while it goes on: new versions, excluded bots, bots that are readmitted."""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import click
import pytest
from tournaments import exact

from arena.cli import cli
from arena.cli.mistakes import told_mistake
from arena.cli.runs import run_options
from arena.errors import ConfigError
from arena.store import Store
from arena.tournament.folder.membership import NewVersion

STEADY = """
from arena.sdk import Bot

class {name}(Bot):
    def move(self, state, options):
        if state["other_hands"][0][0] != "yourself":
            return "pass"
        return "challenge" if state["last_bid"][1] and self.rng.random() < {daring} else {bid}
"""
BID = '[2, state["last_bid"][1] + 1]'
"""Ends by itself: a bid of more dice than there are is illegal, and costs one."""
NAMES = ("Ann", "Bob", "Cat", "Dan")
SMALL = ("--rule", "dice=1", "--series", "2", "--seed", "5", "--out", "out", "-q")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Four bots, each in a file of its own, deterministic by their seeds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for place, name in enumerate(NAMES):
        write(name, daring=0.5 + place / 10)
    yield tmp_path
    forget()


def write(name: str, daring: float, bid: str = BID) -> None:
    Path(f"living_{name.lower()}.py").write_text(STEADY.format(name=name, daring=daring, bid=bid))
    # Python would take what it compiled before for this, if both are as long and of the same second.
    shutil.rmtree("__pycache__", ignore_errors=True)


def forget() -> None:
    """What was imported is not what lies there any more."""
    for name in list(sys.modules):
        if name.startswith("living_"):
            del sys.modules[name]


def spec(name: str) -> str:
    return f"{name.lower()}=living_{name.lower()}:{name}"


def run(*words: str) -> int:
    forget()
    return cli.main(["run", *words], standalone_mode=False) or 0


def begin(*more: str, names=NAMES[:3]) -> None:
    assert 0 == run(*map(spec, names), *SMALL, *more)


def go_on(*more: str) -> int:
    return run("--resume", "out", "-q", *more)


def rows(table: str) -> list[dict[str, str]]:
    with Path("out", f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def pairs() -> Counter[frozenset[str]]:
    """How many matches each two bots have played, in the folder as a whole."""
    seats: dict[str, set[str]] = {}
    for row in rows("seats"):
        seats.setdefault(row["match_id"], set()).add(row["bot"])
    return Counter(map(frozenset, seats.values()))


def statuses() -> dict[str, str]:
    return {row["bot"]: row["status"] for row in rows("bots")}


def ranked() -> set[str]:
    return {row["bot"] for row in rows("leaderboard")}


def all_pairs(*names: str) -> set[frozenset[str]]:
    return set(map(frozenset, combinations(names, 2)))


# New versions.


@pytest.mark.slow
def test_a_changed_bot_plays_as_a_new_version(home):
    """The old one's matches stay, only the new one's are played, and the leaderboard is among those present."""
    begin()
    before = {row["match_id"]: row for row in rows("matches")}
    write("Bob", daring=0.9)
    assert 0 == go_on("--yes")
    assert all_pairs("ann", "bob", "cat") | all_pairs("ann", "bob@2", "cat") == set(pairs())
    assert {4} == set(pairs().values())
    after = {row["match_id"]: row for row in rows("matches")}
    assert before.items() <= after.items()
    assert {"ann", "bob@2", "cat"} == ranked()
    assert {"ann": "ok", "bob": "replaced", "bob@2": "ok", "cat": "ok"} == statuses()
    assert 0 == go_on()
    assert after == {row["match_id"]: row for row in rows("matches")}, "nothing is left to play"


def test_nobody_is_replaced_unasked(home, capsys):
    """Without a terminal and without --yes: one sentence, and the folder is what it was."""
    begin()
    before = {path: path.read_bytes() for path in Path("out").glob("*.csv")}
    write("Bob", daring=0.9)
    with pytest.raises(ConfigError, match=r"bob changed since this run$") as refused:
        go_on()
    assert told_mistake(refused.value).endswith(
        "; --yes plays bob@2 from now on, --fresh starts over, --out DIR plays elsewhere"
    )
    assert before == {path: path.read_bytes() for path in Path("out").glob("*.csv")}
    with Store.open(Path("out")) as store:
        assert {"ann", "bob", "cat"} == {bot.bot for bot in store.bots()}


@pytest.mark.parametrize("answer", [True, False])
def test_at_a_terminal_it_is_asked(home, monkeypatch, answer):
    """Once for all bots that have changed."""
    begin()
    write("Bob", daring=0.9)
    write("Cat", daring=0.9)
    asked = []
    monkeypatch.setattr(run_options, "is_asked", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda question, **_: asked.append(question) or answer)
    if answer:
        assert 0 == go_on()
        assert {"ann", "bob@2", "cat@2"} == ranked()
    else:
        with pytest.raises(ConfigError, match="bob and cat changed"):
            go_on()
    assert ["bob and cat changed since this run; play bob@2 and cat@2 from now on?"] == asked


def test_a_question_that_is_not_answered_ends_its_line(capsys, monkeypatch):
    """Ctrl-C at the question: what follows begins on a line of its own, and says what was done."""

    def interrupted(*_, **__):
        raise click.Abort

    monkeypatch.setattr(run_options, "is_asked", lambda: True)
    monkeypatch.setattr(click, "confirm", interrupted)
    with pytest.raises(click.Abort):
        run_options.roster_wishes(run_options.RunOptions()).agrees([NewVersion("bob", "bob@2")])
    assert "\ninterrupted before the first match; nothing was changed\n" == capsys.readouterr().err


@pytest.mark.slow
def test_a_bot_is_replaced_by_another(home, capsys):
    """By name; the same command again changes nothing, and says so; the third version is called so."""
    begin()
    said = "--replace bob: its files are those that played: nothing is played again\n"
    for nth in range(2):
        capsys.readouterr()
        assert 0 == go_on("--replace", "bob=living_dan:Dan")
        assert (nth == 1) == (said in capsys.readouterr().err)
        assert {"ann", "bob@2", "cat"} == ranked()
    assert 0 == go_on(), "the folder remembers who has the place"
    assert 0 == go_on("--replace", "bob@2=living_bob:Bob")
    assert {"ann", "bob@3", "cat"} == ranked()


def test_after_a_replacement_the_old_words_name_another_bot(home):
    """The sentence says which files are meant; nobody takes a replacement back by mistake."""
    begin()
    assert 0 == go_on("--replace", "bob=living_dan:Dan")
    sentence = 'bob@2 changed since this run; bob@2 was "living_dan:Dan", and "living_bob:Bob" is named now'
    with pytest.raises(ConfigError, match=sentence):
        run(*map(spec, NAMES[:3]), *SMALL)


@pytest.mark.slow
def test_a_bot_that_plays_may_be_readmitted(home):
    """It is there already; that is no mistake, and nothing is left to play."""
    begin()
    assert 0 == go_on("--readmit", "bob")
    assert 0 == go_on("--readmit", "dan", spec("Dan"))
    assert {"ann", "bob", "cat", "dan"} == ranked()


@pytest.mark.slow
def test_a_new_version_and_a_new_bot_at_once(home):
    """Who joins later gets a place too, and may be replaced in turn."""
    begin()
    write("Ann", daring=0.9)
    assert 0 == go_on("--yes", spec("Dan"))
    write("Dan", daring=0.1)
    assert 0 == go_on("--yes")
    assert {"ann@2", "bob", "cat", "dan@2"} == ranked()
    assert all_pairs("ann@2", "bob", "cat", "dan@2") <= set(pairs())


def break_(name: str) -> None:
    Path(f"living_{name.lower()}.py").write_text("this is not Python")


@pytest.mark.slow
def test_a_broken_version_does_not_displace_the_one_that_played(home):
    """The old one stays in the tables, as all its matches are played; what works again goes on as itself."""
    begin()
    before, good = rows("leaderboard"), Path("living_bob.py").read_text()
    break_("Bob")
    assert 0 == go_on("--yes", "--leave-out-broken")
    assert {"ann", "bob", "cat"} == {row["bot"] for row in rows("leaderboard") if row["matches"] != "0"}
    assert ("ok", "left out") == (statuses()["bob"], statuses()["bob@2"])
    Path("living_bob.py").write_text(good)
    assert 0 == go_on("--yes")
    assert before == rows("leaderboard"), "it is the one that played"
    write("Bob", daring=0.9)
    assert 0 == go_on("--yes")
    assert {"ann", "bob@2", "cat"} == ranked()


def test_a_bot_that_breaks_before_its_matches_are_played_is_left_out(home):
    """One more series, and it has not played all: its matches wait until a version of it starts."""
    begin()
    break_("Bob")
    assert 0 == go_on("--yes", "--leave-out-broken", "--series", "3")
    assert {"ann", "cat"} == {row["bot"] for row in rows("leaderboard") if row["matches"] != "0"}
    write("Bob", daring=0.9)
    assert 0 == go_on("--yes")
    assert {"ann", "bob@2", "cat"} == ranked()


@pytest.mark.slow
def test_a_bot_with_matches_to_play_does_not_displace_one_without(home):
    """Of two that cannot play any more, the one stays that has all its matches with those that can."""
    begin(names=NAMES)
    break_("Dan")
    assert 0 == go_on("--yes", "--leave-out-broken", "--series", "3")
    break_("Bob")
    assert 0 == go_on("--yes", "--leave-out-broken")
    assert {"ann", "bob", "cat"} == {row["bot"] for row in rows("leaderboard") if row["matches"] != "0"}


# What is said of old versions, and how much there is to play.


def heard(capsys) -> str:
    said = capsys.readouterr()
    return str(said.out + said.err)


@pytest.mark.slow
def test_the_faults_of_an_old_version_are_told_as_its_own(home, capsys):
    """At the end of a run, on the page of the bot in its place, by either name, and in the report."""
    begin()
    assert re.search(r"^ +\d+ × bob: illegal: ", heard(capsys), re.MULTILINE)
    write("Bob", daring=0.9)
    assert 0 == go_on("--yes")
    told = re.findall(r"^ +\d+ × (\S+(?: \(.*?\))?): illegal", heard(capsys), re.MULTILINE)
    assert "bob (replaced by bob@2)" == told[-1], "those of bots that play come first"
    assert {"bob"} == {who.partition(" ")[0] for who in told} - {"ann", "bob@2", "cat"}
    assert "bob" not in told
    pages = []
    for name in ("bob", "bob@2"):
        assert not cli.main(["leaderboard", "out", "--bot", name], standalone_mode=False)
        pages.append(heard(capsys))
    assert pages[0] == pages[1]
    assert pages[0].startswith("bob@2: rank ")
    own = sum(int(row["illegal"]) for row in rows("seats") if row["bot"] == "bob")
    assert re.search(rf"^replaced by bob@2 .*\n.*\nbob +8 +{own}  illegal: ", pages[0], re.MULTILINE)
    assert not cli.main(["leaderboard", "out", "--bot", "bob", "--csv"], standalone_mode=False)
    assert {"bob@2"} == {line.split(",")[0] for line in heard(capsys).splitlines()[1:]}
    assert not cli.main(["report", "out"], standalone_mode=False)
    page = Path("out/report.html").read_text()
    assert f'bob (replaced by bob@2)</th><td class="nil">0</td><td class="nil">0</td><td>{own}</td>' in page
    assert f'<th scope="row" class="text">bob</th><td>8</td><td>{own}</td>' in page


COUNTS = re.compile(r"(\d+) bots, .* = (\d+) matches(?:, (\d+) of them played already)?; ")


def counts(said: str) -> tuple[int, int, int]:
    """Bots, matches, and those of them that were there, as the header says; the progress agrees with it."""
    ((bots, matches, there),) = COUNTS.findall(said)
    lines = re.findall(r"^(\d+) of (\d+) matches(?! counted)", said, re.MULTILINE)
    told = {(str(done), matches) for done in range(int(there or 0), int(matches) + 1)}
    assert told == {*lines, (there or "0", matches)}  # that line only if a series was there already
    return int(bots), int(matches), int(there or 0)


@pytest.mark.slow
def test_header_and_progress_count_alike(home, capsys, monkeypatch):
    """Of a class with one bot left out and one resubmitted, at first and whenever the run goes on."""
    monkeypatch.setattr("arena.terminal.progress.LINE_EVERY_S", -1.0)
    loud = [word for word in SMALL if word != "-q"]
    more = ("--yes", "--leave-out-broken")
    Path("dan").mkdir()
    Path("dan/bot.py").write_text("this is not Python")  # which is found out when it is started
    Path("eve").mkdir()  # and this is known before
    bots = [*map(spec, NAMES[:3]), "./dan", "./eve"]
    assert 0 == run(*bots, *loud, *more)
    assert (3, 12, 0) == counts(heard(capsys))
    write("Bob", daring=0.9)
    assert 0 == run("--resume", "out", *more)
    assert (3, 12, 4) == counts(heard(capsys)), "without those of the old version"
    assert 0 == run("--resume", "out", *more, "--series", "3", "--dry-run")
    dry = heard(capsys)
    assert [("3", "18", "12")] == COUNTS.findall(dry)
    assert "left out before, and tried again: dan\n" in dry
    assert 0 == run("--resume", "out", *more, "--series", "3")
    assert (3, 18, 12) == counts(heard(capsys))
    assert 0 == run("--resume", "out", *more, "--without", "cat")
    assert "2 bots, 1 pair × 3 series × 2 seats = 6 matches, 6 of them played already" in heard(capsys)
    assert 0 == run("--resume", "out", *more, "--readmit", "cat")
    heard(capsys)
    Path("living_cat.py").unlink()
    for dry_run in (("--dry-run",), ()):
        assert 0 == run("--resume", "out", *more, "--series", "4", *dry_run)
        assert "2 bots, 1 pair × 4 series × 2 seats = 8 matches, 6 of them played already" in heard(capsys)


# Excluded.


def test_an_excluded_bot_comes_back(home):
    """Its matches wait for it meanwhile: when it is back nothing is left to play."""
    begin()
    before = rows("leaderboard")
    assert 0 == go_on("--without", "cat")
    assert {"ann", "bob"} == ranked()
    assert "without" == statuses()["cat"]
    assert 0 == go_on(), "it stays excluded"
    assert {"ann", "bob"} == ranked()
    assert 0 == go_on("--readmit", "cat")
    assert before == rows("leaderboard")
    assert {"ok"} == set(statuses().values())


def test_an_excluded_bot_need_not_be_there(home):
    """Its file may be gone; without the option the sentence says what helps."""
    begin()
    words = [*map(spec, NAMES[:2]), *SMALL]
    with pytest.raises(ConfigError, match=r"out has matches of cat: name them too$"):
        run(*words)
    assert 0 == run(*words, "--without", "cat")
    assert 0 == run(*words)
    assert {"ann", "bob"} == ranked()


def test_a_bot_is_excluded_from_the_start(home):
    """As one of a folder of many."""
    begin("--without", "dan", names=NAMES)
    assert all_pairs("ann", "bob", "cat") == set(pairs())
    assert 0 == go_on("--readmit", "dan")
    assert all_pairs("ann", "bob", "cat", "dan") == set(pairs())


# Withdrawn.


def test_a_withdrawn_bot_is_readmitted(home):
    """The matches played without it are played again; if it fails again it is withdrawn again, later."""
    write("Bob", daring=0.0, bid="[99, 99]")
    begin("--series", "6", "--rule", "dice=6")
    assert "withdrawn" == statuses()["bob"]

    def without() -> int:
        return sum(row["withdrawn"] == "1" for row in rows("seats"))

    before = without()
    assert 0 == go_on("--readmit", "bob")
    assert 0 < without() < before
    assert 36 == len(rows("matches"))
    assert "withdrawn" == statuses()["bob"]


# Exactness.


@pytest.mark.slow
def test_equal_rosters_give_equal_columns(home):
    """However many tables there are, and with an interruption: every exact column is the same."""
    tables = []
    for out, extra in (("one", ()), ("four", ("--concurrency", "4"))):
        words = [*SMALL[:-2], out, "-q", *extra]
        write("Bob", daring=0.6)
        assert 0 == run(*map(spec, NAMES[:3]), *words)
        write("Bob", daring=0.9)
        if extra:  # as if the first attempt ended right after the roster was written
            assert 0 == run("--resume", out, "-q", "--yes", "--max-time", "0.000001")
        assert 0 == run("--resume", out, "-q", "--yes", "--max-time", "10m", spec("Dan"))
        assert 0 == run("--resume", out, "-q", "--without", "ann")
        tables.append(exact(Path(out)))
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_a_sample_keeps_its_sets(home):
    """Twelve bots at four seats, balanced: the new version meets exactly the sets of the old one."""
    names = [f"b{number:02}" for number in range(12)]
    words = ["--seats", "4", "--sets", "balanced", *SMALL, "--series", "1"]
    bots = [f"{name}=living_ann:Ann" for name in names]
    assert 0 == run(*bots, *words)

    def sets() -> set[frozenset[str]]:
        return set(pairs())

    before = sets()
    assert 0 == go_on("--replace", "b03=living_bob:Bob")
    renamed = {frozenset("b03@2" if bot == "b03" else bot for bot in one) for one in before}
    assert before | renamed == sets()
    assert 0 == go_on("--without", "b05")
    assert before | renamed == sets(), "nothing new is planned for those that stay"
    with pytest.raises(ConfigError, match="began without extra and would pair bots differently"):
        go_on("extra=living_cat:Cat")


# Refused.


def test_what_a_new_version_would_be_called_is_no_name(home):
    """One sentence, and nothing changes."""
    begin()
    before = {path: path.read_bytes() for path in Path("out").glob("*.csv")}
    with pytest.raises(ConfigError, match="x@2"):
        go_on("x@2=living_dan:Dan")
    assert before == {path: path.read_bytes() for path in Path("out").glob("*.csv")}


@pytest.mark.parametrize(
    ("format", "reason"),
    [
        ("swiss", "a swiss pairs bots by results"),
        ("knockout", "a knockout pairs bots by results"),
    ],
)
def test_some_formats_need_the_same_bots_to_the_end(home, format, reason):
    """With the reason, whether the user asks for it or a bot has changed."""
    begin("--tournament", format, names=NAMES)
    with pytest.raises(ConfigError, match=f"without: {reason}"):
        go_on("--without", "cat")
    write("Bob", daring=0.9)
    with pytest.raises(ConfigError, match=f"bob changed since this run: {reason}"):
        go_on("--yes")


def test_a_challenger_of_a_gauntlet_may_be_replaced_and_not_excluded(home):
    """Another bot would become a challenger in its place."""
    begin("--tournament", "gauntlet")
    with pytest.raises(ConfigError, match="without ann: it is a challenger of this gauntlet"):
        go_on("--without", "ann")
    write("Ann", daring=0.9)
    assert 0 == go_on("--yes")
    assert {"ann@2", "bob", "cat"} == ranked()


# Left out.


@pytest.mark.slow
def test_who_was_left_out_is_tried_again(home):
    """By every run: once it is mended it plays, without any option."""
    Path("broken.py").write_text("raise SystemExit(3)\n")
    begin("--leave-out-broken", "broken.py")
    assert "left out" == statuses()["broken"]
    assert 0 == go_on()
    assert "left out" == statuses()["broken"]
    Path("broken.py").write_text(STEADY.format(name="Broken", daring=0.5, bid=BID) + MAIN)
    assert 0 == go_on()
    assert {"ann", "bob", "cat", "broken"} == ranked()


def test_who_was_left_out_and_is_not_named_any_more_has_left(home):
    """Its file was deleted: it is no row of the leaderboard any more."""
    begin("--leave-out-broken", "nowhere.py")
    assert "nowhere" in str(statuses())
    assert 0 == run(*map(spec, NAMES[:3]), *SMALL)
    assert {"ann", "bob", "cat"} == ranked()


MAIN = """
from arena.sdk import run
run(Broken)
"""
