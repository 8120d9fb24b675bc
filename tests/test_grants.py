"""What bot.toml asks for is a request: what is granted of it, what never is, and the line that grants it."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from calls import call

from arena.box import places
from arena.cli.mistakes import told_mistake, with_hints
from arena.errors import ConfigError
from arena.players.access import place_of
from arena.server.kept.database import DATABASE
from arena.tournament.bots import grants
from arena.tournament.bots.field import field_of
from arena.tournament.bots.grants import granted, grants_said
from arena.tournament.bots.submissions import expanded
from arena.tournament.folder.stored import stored_form
from arena.tournament.plan import BotSpec, Plan, as_mapping, load_plan, plan_from, with_options
from arena.tournament.prepare import prepare


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A class with its data, a home with a key, results, a server; in /tmp, so that this counts as any other."""
    monkeypatch.setattr(grants, "_OF_THE_BOX", tuple(map(Path, ("/dev", "/proc", "/run"))))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for name in ("home/.ssh/id", "data/cards.csv", "results/now/arena.db", f"hall/{DATABASE}", ".arena/x"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
    submitted(tmp_path, "other")
    return tmp_path


def submitted(course: Path, name: str, *lines: str) -> None:
    folder = course / "class" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text("")
    (folder / "bot.toml").write_text("\n".join(['run = "python3 bot.py"', *lines]))


def found(course: Path, *words: str, **options):
    """The bots that these words name, by name, with what they are granted."""
    specs = list(expanded(BotSpec(word, course) for word in words))
    plan = with_options(Plan(), options, base=course)
    field = granted(field_of(specs, game="liars-dice"), plan.allow, hidden=[course / "results"])
    return {entrant.name: entrant for entrant in field}


@pytest.mark.parametrize(
    ("asks", "line"),
    [
        ('read = ["~/.ssh"]', "--allow-read ann={}/home/.ssh"),
        ('read = ["../../data"]', "--allow-read ann={}/data"),
        ("memory_mb = 1000000", "--memory-max 1000000"),
        ("build_network = true", "--allow ann=build_network"),
        ("network = true", "--allow ann=network"),
        ("gpu = true", "--allow ann=gpu"),
        ("writable = true", "--allow ann=writable"),
    ],
)
def test_a_submission_has_what_the_host_grants_and_is_left_out_otherwise(course, asks, line):
    submitted(course, "ann", asks)
    line = line.format(course)
    bots = found(course, "class")
    assert "broken" == bots["ann"].kind
    assert "which [allow] of the plan does not grant" in bots["ann"].problem
    assert f"; {line} grants it" == with_hints("", bots["ann"].hints)
    assert "process" == bots["other"].kind
    option, value = line.split()
    key = option[2:].replace("-", "_")
    bots = found(course, "class", **{key: value if key == "memory_max" else (value,)})
    assert "process" == bots["ann"].kind, bots["ann"].problem
    assert grants_said(bots.values()).endswith("(ann)")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "../../results/now/arena.db",
        "../../results",
        "../other",
        "../../hall/x",
        "../../.arena/x",
        "/proc",
    ],
)
@pytest.mark.parametrize("words", [("class",), ("class/ann", "class/other")], ids=["folder", "named"])
def test_nobody_reads_what_is_hidden_from_all(course, words, path):
    """Neither a submission nor a bot that its user names, whatever is granted."""
    (course / "hall" / "x").write_text("")
    submitted(course, "ann", f'read = ["{path}"]')
    assert "hidden from all bots" in found(course, *words, allow_read=("*=data",))["ann"].problem


@pytest.mark.parametrize("path", ["/", "results/now", "class/other", "hall/x", "data/../results", "linked"])
def test_to_grant_what_is_hidden_from_all_is_a_mistake(course, path):
    (course / "linked").symlink_to(course / "results")
    with pytest.raises(ConfigError, match="hidden from all bots"):
        found(course, "class", allow_read=(f"*={path}",))


@pytest.mark.parametrize("of", ["allow", "allow.ann"], ids=["everyone", "one"])
@pytest.mark.parametrize(
    "path", ["/", "results", "class/other", "hall", "class/other/.arena", "linked/now", "later"]
)
def test_a_plan_cannot_grant_what_is_hidden_from_all(course, path, of):
    """Nor what becomes hidden because this run writes its results there."""
    submitted(course, "ann")
    (course / "linked").symlink_to(course / "results")
    (course / "class/other/.arena").mkdir()
    (course / "cup.toml").write_text(
        f'bots = ["class/ann", "class/other"]\nout = "later"\n[{of}]\nread = ["{path}"]\n'
    )
    with pytest.raises(ConfigError, match="hidden from all bots"):
        prepare(load_plan(course / "cup.toml"))


@pytest.mark.parametrize("words", [("class",), ("class/ann",)], ids=["folder", "named"])
def test_what_the_arena_keeps_below_what_is_granted_stays_hidden(course, words):
    """A server's data and other results, wherever they lie in it; what is granted directly is refused."""
    kept = course / "data" / "deep" / "kept"
    for folder in (kept, course / "data" / "now"):
        folder.mkdir(parents=True)
    (kept / DATABASE).write_text("seeds")
    (course / "data" / "now" / "arena.db").write_text("seeds")
    submitted(course, "ann", 'read = ["../../data"]')
    bots = found(course, *words, allow_read=("*=data",))
    assert (course / "data",) == bots["ann"].read
    view = place_of(bots["ann"], tuple(bots.values()), (course / "results",))
    assert {kept, course / "data" / "now"} <= set(view.hidden)


def test_what_the_arena_keeps_in_the_current_folder_is_hidden(course):
    """The data of a server that was started there, and results that do not lie in `results`."""
    submitted(course, "ann")
    bots = found(course, "class/ann", "class/other")
    assert course / "hall" in place_of(bots["other"], tuple(bots.values()), ()).hidden


def test_what_cannot_be_looked_through_is_not_read(course, monkeypatch):
    """Results might lie in it, unseen."""
    monkeypatch.setattr(places, "LOOKED_AT_MAX", 2)
    for name in ("a", "b", "c"):
        (course / "data" / name).write_text("")
    submitted(course, "ann", 'read = ["../../data"]')
    assert "results may be among them" in found(course, "class/ann")["ann"].problem


def test_a_bot_that_its_user_names_has_what_it_asks_for_up_to_the_limit_of_memory(course):
    submitted(course, "ann", 'read = ["~/.ssh"]', "network = true", "memory_mb = 1024")
    ann = found(course, "class/ann")["ann"]
    assert ("process", (course / "home/.ssh",), True, 1024) == (
        ann.kind,
        ann.read,
        ann.network,
        ann.memory_mb,
    )
    submitted(course, "ann", "memory_mb = 4096")
    assert "broken" == found(course, "class/ann")["ann"].kind
    assert 4096 == found(course, "class/ann", memory_max="4096")["ann"].memory_mb
    assert 512 == found(course, "class/other", memory_max="512")["other"].memory_mb


def test_own_files_need_no_grant_and_links_out_of_them_do(course):
    submitted(course, "ann", 'read = ["tables", "out"]')
    (course / "class/ann/tables").mkdir()
    assert () == found(course, "class")["ann"].read
    (course / "class/ann/out").symlink_to(course / "home")
    assert f"ann={course}/home" in with_hints("", found(course, "class")["ann"].hints)


def test_what_several_bots_ask_for_is_granted_in_one_line(course):
    for name in ("ann", "ben"):
        submitted(course, name, 'read = ["../../data"]')
    assert f"; --allow-read '*={course}/data' grants it" == with_hints(
        "", found(course, "class")["ann"].hints
    )
    bots = found(course, "class", allow_read=("*=data",))
    assert f"granted: reads {course}/data (2 bots)" == grants_said(bots.values())


def test_grants_stand_in_a_plan_and_in_what_is_stored(course):
    (course / "cup.toml").write_text(
        'bots = ["odds", "random"]\n[allow]\nread = ["data"]\nmemory_mb = 4096\n[allow.odds]\ngpu = true\n'
    )
    plan = load_plan(course / "cup.toml")
    folder = course / "results" / "cup"
    stored = stored_form(plan, folder)["allow"]
    assert {"read": ["../../data"], "memory_mb": 4096, "odds": {"gpu": True}} == stored
    assert plan == plan_from(as_mapping(plan), where="here", base=course)
    assert ["odds", "random"] == [bot.name for bot in prepare(plan).entrants]
    with pytest.raises(ConfigError, match="there is no bot called"):
        prepare(attrs.evolve(plan, bots=plan.bots[1:] * 2))


@pytest.mark.parametrize(
    "said", [{"allow": ("ann",)}, {"allow": ("ann=all",)}, {"allow_read": ("=x",)}, {"memory_max": "much"}]
)
def test_what_cannot_be_granted_is_told_in_a_sentence(said):
    (setting,) = said
    with pytest.raises(ConfigError, match=f"^{setting}: found ") as refused:
        with_options(Plan(), said, base=Path.cwd())
    assert told_mistake(refused.value).startswith(f"--{setting.replace('_', '-')}: found ")


def test_a_bot_has_nothing_before_it_is_granted(course):
    """What starts an entrant that nobody has judged opens nothing for it."""
    submitted(course, "ann", 'read = ["~/.ssh"]', "network = true", "memory_mb = 9000")
    (ann,) = field_of([BotSpec("class/ann", course)], game="liars-dice")
    assert ((), False, 2048) == (ann.read, ann.network, ann.memory_mb)


def test_a_run_of_a_folder_ends_with_the_line_that_grants(course, capsys, monkeypatch):
    submitted(course, "ann", 'read = ["~/.ssh"]')
    code, _, err = call(capsys, monkeypatch, "run", "class", "--dry-run")
    assert (2, True) == (code, f"--allow-read ann={course}/home/.ssh grants it" in err)
    code, _, err = call(capsys, monkeypatch, "run", "class", "--dry-run", "--allow-read", "*=home")
    assert (0, True) == (code, f"granted: reads {course}/home/.ssh (ann)" in err)
