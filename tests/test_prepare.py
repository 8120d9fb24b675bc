"""From a plan to an open folder: whose it is, what `--fresh` touches, what `results/latest` points to."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import attrs
import pytest

from arena.cli import cli
from arena.cli.mistakes import told_mistake
from arena.errors import ConfigError
from arena.match.record import Entry, MatchRecord
from arena.reading.units import Address
from arena.schedule import match_id
from arena.store import DATABASE, LATEST, Store, StoredBot, store_lock
from arena.store.files import made_new
from arena.tournament.bots import field
from arena.tournament.bots.broken import BrokenBots
from arena.tournament.bots.entrants import resolve
from arena.tournament.folder.contents import recover
from arena.tournament.folder.folder import open_run, seen_there
from arena.tournament.folder.intake import course_of, keep_course
from arena.tournament.folder.latest import is_latest, latest_kept
from arena.tournament.folder.membership import RosterWishes
from arena.tournament.folder.stored import stored_form, stored_game, stored_plan, write_run_file
from arena.tournament.plan import BotSpec, Plan
from arena.tournament.play.summary import Summary
from arena.tournament.prepare import prepare, refuse_broken

BOT = "from arena.sdk import Bot\nclass Mine(Bot): ...\n"


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A working directory with one bot of one's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(BOT)
    return tmp_path


def plan(*specs: str, **options) -> Plan:
    bots = tuple(BotSpec(spec, Path.cwd()) for spec in specs or ("mine:Mine", "odds"))
    return Plan(bots=bots, out=Path("out"), series=2, **options)


def open_up(wanted: Plan, *, matches: int = 0, begins: bool = True, fresh: bool = False, **more) -> str:
    """Opens the folder as a run does, and keeps so many matches; gives its seed."""
    with open_run(attrs.evolve(prepare(wanted, **more), fresh=fresh)) as run:
        setup = run
        course = course_of(setup, [entrant.name for entrant in setup.entrants])
        if begins:
            run.begin()
            setup.store.put_bots(
                StoredBot(e.name, path=e.path, fingerprint=e.fingerprint) for e in setup.entrants
            )
            keep_course(setup, course)
        there = setup.store.finished()
        new = [pairing for pairing in course.order if pairing.id not in there][:matches]
        setup.store.add_many(map(entry, new))
        return str(setup.seed)


def entry(pairing) -> Entry:
    seats = len(pairing.bots)
    flags, points, nobody = (False,) * seats, (1.0,) + (0.0,) * (seats - 1), ("0",) * seats
    record = MatchRecord((), (), tuple(range(1, seats + 1)), points, flags)
    return Entry(match_id(1, pairing.id), pairing, "same", nobody, flags, record, points, b"", (), 0.0)


def there() -> int:
    with Store.open("out") as store:
        return len(store.finished())


def test_every_bot_is_looked_for_once(home, monkeypatch):
    """Also where one of them takes the place of another."""
    looked_for = []
    monkeypatch.setattr(
        field, "resolve", lambda spec, **more: looked_for.append(spec) or resolve(spec, **more)
    )
    wishes = RosterWishes(replace={"odds": BotSpec("bluffer", home)})
    prepared = prepare(plan("random", "odds"), wishes=wishes)
    assert ["random", "odds"] == [entrant.name for entrant in prepared.entrants]
    assert ["random", "odds", "bluffer"] == looked_for


# Bots that cannot play.


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (
            ("truthfull", "random"),
            "1 of 2 bots cannot play; fix it:\n  truthfull: no such bot (did you mean truthful?)",
        ),
        (
            ("gone.py", "random", "odds"),
            "1 of 3 bots cannot play; fix it:\n"
            "  gone.py: there is no file or folder of this name\n"
            "--leave-out-broken plays without it",
        ),
        (("gone.py", "wrong", "odds"), None),
        (("wrong", "odds"), None),
    ],
)
def test_names_that_lead_nowhere_are_refused_before_the_others_are_tried(home, specs, said):
    """They are slips of whoever typed them; mistakes in files are told together with those of the others."""
    (home / "wrong").mkdir()
    (home / "wrong/bot.toml").write_text("run = 1")
    tournament = prepare(plan(*specs))
    if said is None:
        refuse_broken(tournament, is_trying=True)
        return
    with pytest.raises(BrokenBots) as caught:
        refuse_broken(tournament, is_trying=True)
    assert said == told_mistake(caught.value)


# Going on.


def test_a_folder_with_matches_is_gone_on_with(home):
    """The same plan finds its seed and its matches again, and a longer one too."""
    seed = open_up(plan(), matches=2)
    assert seed == open_up(plan(), matches=1)
    assert seed == open_up(attrs.evolve(plan("mine:Mine", "odds", "random"), series=3))
    assert 3 == there()


def test_a_run_that_ended_before_its_first_match_binds_nobody(home):
    """As long as a folder has no match, any plan may have it."""
    open_up(plan())
    open_up(attrs.evolve(plan(), series=1, move_time=5.0))
    assert 5.0 == stored_plan(Path("out")).move_time


def failing(wanted: Plan, act) -> None:
    """A start that ends with a mistake of the user, after this was done in its folder."""

    def start() -> None:
        with open_run(prepare(wanted)) as run:
            act(run)
            raise ConfigError("the port is in use")

    with pytest.raises(ConfigError, match="the port is in use"):
        start()


@pytest.mark.parametrize(
    ("made", "left"),
    [
        ("results/deep/out", set()),
        ("mine", {"mine/arena.db", "mine/arena.lock"}),
    ],
    ids=["nothing", "a folder that was there"],
)
def test_a_start_that_fails_leaves_no_new_folder(home, made, left):
    """A log in which no bot said anything is nothing; and what was there before stays."""
    (home / "mine").mkdir()
    before = set(home.rglob("*"))
    wanted = attrs.evolve(plan(), out=Path(made))

    def act(run):
        if not left:
            (home / made / "logs").mkdir()
            (home / made / "logs/odds-1.log").touch()

    failing(wanted, act)
    files = {str(path.relative_to(home)) for path in set(home.rglob("*")) - before if path.is_file()}
    assert left == files
    assert not (home / "results").exists()


def test_a_failure_during_play_or_after_a_token_was_sent_takes_nothing(home):
    """What was played stays, and who got a token may use it next time."""

    def act(run):
        pairings = course_of(run, [entrant.name for entrant in run.entrants]).order
        run.begin()
        run.store.add_many(map(entry, pairings[:1]))

    failing(plan(), act)
    assert 1 == there()
    wanted = attrs.evolve(plan(remote=("ann",), listen=Address("127.0.0.1", 0)), out=Path("sent"))
    failing(wanted, lambda run: None)
    assert Path("sent/arena.db").exists()


def test_tokens_outlive_a_run_that_never_began(home):
    """Who was sent a token can use it whenever the arena starts again, also with --fresh."""
    wanted = plan(remote=("ann",), listen=Address("127.0.0.1", 0))

    def tokens(fresh: bool) -> dict[str, str]:
        with open_run(attrs.evolve(prepare(wanted), fresh=fresh)) as run:
            return dict(run.tokens)

    first = tokens(False)
    assert ["ann"] == list(first.values())
    assert [first] * 2 == [tokens(False), tokens(True)]


def refused(wanted: Plan, **more) -> str:
    with pytest.raises(ConfigError) as error:
        open_up(wanted, begins=False, **more)
    return told_mistake(error.value)


CHANGES = [
    ("another limit", {"move_time": 3.0}, "move_time: was 1s, now 3s"),
    ("another rule", {"rules": {"dice": 3}}, "rules: dice: was 5, now 3"),
    ("another seed", {"seed": 9}, "seed: was"),
    ("fewer series", {"series": 1}, "has 2 series, which cannot become 1"),
    ("fewer bots", {"bots": (BotSpec("odds", Path()), BotSpec("random", Path()))}, "has matches of Mine"),
]


@pytest.mark.parametrize(("change", "said"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_another_plan_is_refused_by_name(change, said, home):
    """What differs is named; `--dry-run` says the same; nothing is lost."""
    open_up(plan(), matches=1)
    changed = attrs.evolve(plan(), **change)
    assert said in refused(changed)
    with pytest.raises(ConfigError, match=said), seen_there(prepare(changed)):
        pass
    assert 1 == there()


def test_a_bot_that_changed_is_refused_by_name(home):
    """Its matches are another bot's."""
    open_up(plan(), matches=1)
    Path("mine.py").write_text(BOT + "# better\n")
    assert (
        "Mine changed since this run; --yes plays Mine@2 from now on, --fresh starts over, --out DIR plays elsewhere"
        == refused(plan())
    )


@pytest.mark.parametrize(
    ("wishes", "before", "after"),
    [
        pytest.param({"tournament": "swiss"}, 3, 4, id="swiss"),
        pytest.param({"tournament": "knockout"}, 3, 4, id="knockout"),
        pytest.param({"seats": 3, "sets": "balanced"}, 7, 8, id="a sample"),
        pytest.param({"seats": 3, "game": "blef"}, 15, 16, id="so many that a sample begins"),
    ],
)
def test_a_plan_that_would_pair_others_takes_in_nobody(wishes, before, after, home):
    """Its matches would be none of the new plan's, and nobody would count them."""
    bots = tuple(f"b{number:02}=random" for number in range(after))
    open_up(plan(*bots[:before], **wishes), matches=1)
    said = refused(plan(*bots, **wishes))
    assert f"began without {bots[-1][:3]} and would pair bots differently with them" in said
    assert 1 == there()


@pytest.mark.parametrize("wishes", [{}, {"tournament": "gauntlet"}, {"seats": 3, "sets": "all"}])
def test_a_plan_that_only_grows_takes_in_more_bots(wishes, home):
    """What was planned for the bots there are stays planned."""
    bots = tuple(f"b{number:02}=random" for number in range(6))
    open_up(plan(*bots[:4], **wishes), matches=2)
    open_up(plan(*bots, **wishes), matches=1)
    assert 3 == there()


def test_a_plan_grows_only_once_play_begins(home):
    """A new bot that cannot be started does not get into the stored plan."""
    open_up(plan(), matches=1)
    open_up(plan("mine:Mine", "odds", "random"), begins=False)
    assert 2 == len(stored_plan(Path("out")).bots)
    open_up(plan("mine:Mine", "odds", "random"))
    assert 3 == len(stored_plan(Path("out")).bots)


def test_two_runs_cannot_have_one_folder(home):
    """The second one is refused with the number of the process, whatever it asks for."""
    with store_lock("out"):
        for fresh in (False, True):
            assert f"another run (process {os.getpid()})" in refused(plan(), fresh=fresh)


# Fresh.


def test_fresh_forgets_once_play_begins(home):
    """Matches, tables and logs of the old run are gone; what is not a run's stays."""
    open_up(plan(), matches=2)
    ours = ["matches.csv", "run.json", "logs/odds-12.log", "faults/0123456789ab-0-0.jsonl"]
    others = ["notes.txt", "logs/notes.log", "faults/notes.jsonl"]
    for name in (*ours, *others):
        path = Path("out", name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    open_up(plan(), fresh=True)
    assert 0 == there()
    assert others == [name for name in (*ours, *others) if Path("out", name).exists()]


def test_fresh_keeps_the_log_of_a_bot_that_was_just_started(home):
    """Bots are started before play begins: their new logs have the names of old ones."""
    open_up(plan(), matches=1)
    log = Path("out/logs/odds-1.log")
    log.parent.mkdir()
    log.write_text("old")
    os.utime(log, (1, 1))
    with open_run(attrs.evolve(prepare(plan()), fresh=True)) as run:
        log.write_text("new")
        run.begin()
    assert "new" == log.read_text()


@pytest.mark.parametrize("mistake", [None, ConfigError("no port")])
def test_fresh_touches_nothing_if_play_never_begins(mistake, home):
    """A bot that cannot be started, a port in use or Ctrl-C cost no old result."""
    open_up(plan(), matches=2)
    Path("out/matches.csv").write_text("old")
    try:
        with open_run(attrs.evolve(prepare(plan(move_time=9.0)), fresh=True)):
            if mistake:
                raise mistake
    except ConfigError:
        pass
    assert (2, "old", 1.0) == (
        there(),
        Path("out/matches.csv").read_text(),
        stored_plan(Path("out")).move_time,
    )


@pytest.mark.parametrize(("begins", "left"), [(False, 2), (True, 1)])
def test_a_fresh_run_that_was_killed_is_settled_by_the_next(begins, left, home):
    """Killed before play began the old matches are back; killed while the old ones went they are gone."""
    open_up(plan(), matches=2)
    for suffix in ("", "-wal", "-shm"):
        path = Path("out", f"{DATABASE}{suffix}")
        if path.exists():
            path.rename(f"out/{DATABASE}.before{suffix}")
    if begins:
        (Path("out", f"{DATABASE}.before")).rename("kept")
        open_up(plan(), matches=1)
        Path("kept").rename(f"out/{DATABASE}.before")
    Path("out/matches.csv").write_text("made of them")
    open_up(plan())
    assert left == there()
    assert [DATABASE] == sorted(path.name for path in Path("out").glob(f"{DATABASE}*"))


@pytest.mark.parametrize(
    "words", [["odds", "random", "--dry-run"], ["--resume", "out", "--dry-run"], ["--resume", "out"]]
)
def test_what_a_killed_fresh_run_put_aside_is_found(words, home, capsys):
    """By a dry run, which would say else that all is to be played, and by --resume, which would find nothing."""
    words = [*words, *(["--out", "out", "--series", "1", "--seed", "1"] if "odds" in words else [])]
    assert 0 == (
        cli.main(
            ("run", "odds", "random", "--out", "out", "--series", "1", "--seed", "1", "-q"),
            standalone_mode=False,
        )
        or 0
    )
    Path("out", DATABASE).rename(f"out/{DATABASE}.before")
    capsys.readouterr()
    assert 0 == (cli.main(("run", *words), standalone_mode=False) or 0)
    assert "nothing left to play" in "".join(capsys.readouterr())
    assert 2 == there()


def test_what_is_put_aside_stays_there_while_a_run_starts_over(home):
    """Until its play begins, it may put all back itself."""
    open_up(plan(), matches=2)
    started_over = attrs.evolve(prepare(plan()), fresh=True)
    with open_run(started_over), pytest.raises(ConfigError, match="another run"):
        recover(Path("out"))
    assert 2 == there()


@pytest.mark.parametrize("out", ["notes.txt", "notes.txt/out"])
def test_a_file_is_no_folder(out, home):
    """A run says so before it makes anything, and so does a dry run."""
    Path("notes.txt").write_text("mine")
    wanted = attrs.evolve(plan(), out=Path(out))
    assert "notes.txt cannot be written: it is a file" in refused(wanted)
    with pytest.raises(ConfigError, match="it is a file"), seen_there(prepare(wanted)):
        pass
    assert "mine" == Path("notes.txt").read_text()


def test_a_link_that_leads_to_itself_is_no_folder(home):
    """It is the user's mistake, not a bug."""
    Path("out").symlink_to("out")
    assert "leads back to itself" in refused(plan())


def foreign_tables(folder: Path) -> None:
    (folder / "matches.csv").write_text("mine")


def foreign_database(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.execute("CREATE TABLE mine (a)")
    database.close()


def test_what_was_being_written_at_a_kill_is_swept_away(home):
    """Half-written files of processes that are gone; not those of one that still writes, nor anybody else's."""
    open_up(plan(), matches=1)
    ended = _ended_process()
    Path("out/faults").mkdir()
    swept = [f"out/.seats.csv.{ended}.tmp", f"out/faults/.0123456789ab-0-0.jsonl.{ended}.tmp"]
    kept = [f"out/.seats.csv.{os.getpid()}.tmp", "out/.mine.tmp", f"out/.mine.txt.{ended}.tmp"]
    for name in (*swept, *kept):
        Path(name).touch()
    open_up(plan())
    assert ([], kept) == ([n for n in swept if Path(n).exists()], [n for n in kept if Path(n).exists()])


def _ended_process() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("make", [foreign_tables, foreign_database])
def test_what_is_not_ours_is_not_touched(make, fresh, home):
    """Somebody's tables or database are refused, with --fresh too, and stay byte for byte."""
    Path("out").mkdir()
    make(Path("out"))
    before = {path: path.read_bytes() for path in Path("out").iterdir()}
    assert "; --out DIR plays elsewhere" in refused(plan(), fresh=fresh)
    with pytest.raises(ConfigError), seen_there(attrs.evolve(prepare(plan()), fresh=fresh)):
        pass
    assert before == {path: path.read_bytes() for path in Path("out").iterdir()}


def test_a_folder_is_opened_without_reading_its_matches(home, monkeypatch):
    """There may be a million: only what the course needs of them is read, once, when play begins."""
    open_up(plan(), matches=2)
    tournament = prepare(plan())
    monkeypatch.setattr(Store, "finished", lambda store: pytest.fail("all matches were read"))
    with seen_there(tournament) as run:
        assert run is not None
    with open_run(tournament) as run:
        assert 2 == run.store.size()


def test_a_file_that_is_no_database_is_kept_under_another_name(home):
    """`--fresh` is what the message advises, and still nothing is deleted."""
    Path("out").mkdir()
    Path("out", DATABASE).write_text("no database at all, " * 20)
    assert "--fresh starts over" in refused(plan())
    open_up(plan(), matches=1, fresh=True)
    assert "no database" in Path("out", f"{DATABASE}.damaged").read_text()


def test_a_newer_schema_is_refused_unless_fresh(home):
    """Results of a newer arena are not overwritten by chance."""
    open_up(plan(), matches=1)
    with closing(sqlite3.connect(f"out/{DATABASE}")) as database, database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    assert "newer arena" in refused(plan())
    open_up(plan(), matches=1, fresh=True)
    assert 1 == there()


# results/latest


def test_latest_points_to_the_run_once_it_plays(home):
    """Not to one whose bots cannot be started; the folder may be anywhere."""
    open_up(plan(), begins=False)
    assert not LATEST.is_symlink()
    open_up(plan())
    assert (Path("out").resolve(), True) == (LATEST.resolve(), is_latest(Path("out")))


def test_somebodys_own_latest_is_left_alone(home):
    """A real folder of that name is no link of ours."""
    LATEST.mkdir(parents=True)
    open_up(plan())
    assert (False, False) == (LATEST.is_symlink(), is_latest(Path("out")))


def test_going_on_with_latest_does_not_make_it_point_to_itself(home):
    """`--resume results/latest` is a run of the folder that it points to."""
    open_up(plan(), matches=1)
    again = stored_plan(LATEST)
    assert Path("out") == prepare(again, resume=LATEST).folder
    open_up(again, resume=LATEST)
    assert Path("out").resolve() == LATEST.resolve()


@pytest.mark.parametrize("before", [None, "quickstart"])
def test_latest_is_what_it_was_when_a_run_is_gone(home, before):
    """`arena torture` leaves `results` as it was, and none where there was none."""
    if before is not None:
        LATEST.parent.joinpath(before).mkdir(parents=True)
        LATEST.symlink_to(before)
    with latest_kept():
        open_up(plan())
        assert is_latest(Path("out"))
        shutil.rmtree("out")
    assert (before is not None) == LATEST.parent.exists()
    assert before == (LATEST.readlink().name if LATEST.is_symlink() else None)


def test_a_later_latest_stays(home):
    """That of a run beside."""
    with latest_kept():
        open_up(plan())
    assert is_latest(Path("out"))


# What is stored.


def test_a_stored_plan_goes_on_from_anywhere(home, monkeypatch):
    """Its bots are found from another working directory, and after the whole folder was moved."""
    open_up(plan("mine:Mine", "odds"), matches=1)
    there, elsewhere = home.parent / f"{home.name}-moved", home.parent
    home.rename(there)
    monkeypatch.chdir(elsewhere)
    again = prepare(stored_plan(there / "out"), resume=there / "out")
    assert ["Mine", "odds"] == [entrant.name for entrant in again.entrants]
    with seen_there(again) as run:
        assert 1 == len(run.store.finished())


def test_no_path_of_this_machine_is_written(home):
    """Neither run.json nor the stored plan says where the home of this run is."""
    with open_run(prepare(plan())) as run:
        run.begin()
        write_run_file(run, Summary(), began_at=0.0, status="finished")
        stored = json.dumps(stored_form(run.plan, Path("out")))
    written = Path("out/run.json").read_text()
    assert (False, False) == (str(home) in written, str(home) in stored)
    assert ".." == json.loads(written)["plan"]["bots"][0]["base"]


@pytest.mark.parametrize(
    ("game", "rules", "rated_by", "unit"),
    [
        ("liars-dice", {}, "ranks", ["", 1.0]),
        ("holdem", {"hands": 50}, "returns", ["bb/100", 10.0]),
        ("holdem", {"reset_stacks": False, "stack": 500}, "returns", ["stacks", 500.0]),
    ],
)
def test_a_folder_says_on_what_its_game_is_rated(game, rules, rated_by, unit, home):
    """The leaderboard, which knows no game, finds it there."""
    wanted = plan("mine:Mine", "random", game=game, rules=rules)

    def scale() -> tuple[str, list]:
        with Store.open("out") as store:
            meta = store.meta()
        return meta.get("rated_by"), meta.get("returns_unit")

    open_up(wanted, matches=1)
    assert (rated_by, unit) == scale()


def test_a_folder_without_stacks_does_not_name_the_rule(home):
    """Unless there are any; with some it is another tournament."""
    wanted = plan("mine:Mine", "random", game="holdem", rules={"reset_stacks": False})
    open_up(wanted, matches=1)
    with Store.open("out") as store:
        assert "stacks" not in store.meta()["identity"]["rules"]
        assert () == stored_game(store).stacks
    open_up(wanted, matches=1)
    assert 2 == there()
    other = attrs.evolve(wanted, rules={"reset_stacks": False, "stacks": (500, 1000)})
    with pytest.raises(ConfigError, match=r"another plan: rules: stacks: was none, now \[500, 1000\]"):
        open_up(other)


def test_a_folder_knows_rules_that_are_lists(home):
    """They are stored and read again, and the same ones go on."""
    wanted = plan("mine:Mine", "random", game="holdem", rules={"reset_stacks": False, "stacks": (500, 1000)})
    open_up(wanted, matches=1)
    with Store.open("out") as store:
        assert (500, 1000) == stored_game(store).stacks
    assert wanted.rules == stored_plan(Path("out")).rules
    open_up(stored_plan(Path("out")), matches=1, resume=Path("out"))
    assert 2 == there()


def test_stacks_for_other_seats_are_refused_before_anything_is_written(home):
    """The game knows how many it is for, the plan how many play."""
    wanted = plan("mine:Mine", "random", game="holdem", rules={"reset_stacks": False, "stacks": (5, 6, 7)})
    with pytest.raises(ConfigError, match="stacks"):
        open_up(wanted)
    assert not Path("out").exists()


def test_a_game_of_another_version_is_not_replayed(home):
    """Rules that changed would tell another match."""
    open_up(plan(), matches=1)
    with Store.open("out", write=True) as store:
        store.set_meta("identity", store.meta()["identity"] | {"version": 99})
        with pytest.raises(ConfigError, match="version 99 of liars-dice, and this arena has version 1"):
            stored_game(store)


# A folder that nobody named.


def test_runs_of_the_same_second_have_folders_of_their_own(home, monkeypatch):
    """The second one takes the next free name; so does one that finds results of whoever was there."""
    monkeypatch.setattr("arena.tournament.prepare.time.strftime", lambda _: "20261121-120000")
    nameless = attrs.evolve(plan(), out=None)
    with open_run(prepare(nameless)) as one, open_run(prepare(nameless)) as other:
        begun = [one.folder, other.folder]
    with open_run(prepare(nameless)) as later:
        begun.append(later.folder)
    with pytest.raises(ConfigError, match="too bad"), open_run(prepare(nameless)):
        raise ConfigError("too bad")
    named = "results/liars-dice-20261121-120000"
    assert not Path(f"{named}-4").exists()
    assert list(map(Path, (named, f"{named}-2", f"{named}-3"))) == begun


def test_a_new_folder_is_made_by_one_only(tmp_path):
    """However many try at once, each gets another one, for its owner alone."""
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(made_new, [tmp_path / "new" / "run"] * 24))
    assert {"run", *(f"run-{number}" for number in range(2, 25))} == {path.name for path in made}
    assert {0o700} == {path.stat().st_mode & 0o777 for path in made}


def test_a_folder_that_was_named_is_gone_on_with(home):
    """By --out or a plan's name: the same command plays on there."""
    assert open_up(plan(), matches=1) == open_up(plan())
    assert open_up(attrs.evolve(plan(name="mine"), out=None), matches=1) == open_up(
        attrs.evolve(plan(name="mine"), out=None)
    )
    assert ["latest", "mine"] == sorted(path.name for path in Path("results").iterdir())
