"""Plans: read strictly, each mistake a sentence, options over files."""

import json
import tomllib
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import Ruled

from arena.cli.mistakes import told_mistake
from arena.errors import ConfigError
from arena.match.clock import Control
from arena.players.codec import rules_json
from arena.reading.units import Address
from arena.schedule.admission import Capacity
from arena.tournament.plan import (
    BotSpec,
    Plan,
    as_mapping,
    capacity_of,
    check,
    check_plan_seats,
    control_of,
    deals_of,
    differences,
    identity,
    load_plan,
    make_game,
    parse_rules,
    plan_from,
    size_words,
    warnings_of,
    with_options,
)

EXAMPLES = Path(__file__).parent.parent / "examples"
HERE = Path("/plans")


def read(text: str) -> Plan:
    return plan_from(tomllib.loads(text), where="t.toml", base=HERE)


def mistakes(call: Any, *args: Any, **kwargs: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        call(*args, **kwargs)
    return str(caught.value).splitlines()


# Reading.


def test_every_key_of_a_plan():
    """Each key is read to its place; durations are in seconds, and paths start at the plan's folder."""
    plan = read("""
        name = "cup"
        game = "blef"
        tournament = "round-robin"
        sets = "balanced"
        challengers = 2
        cycles = 5
        until = "top 3 at 95%"
        allocate = "open"
        max_time = "20m"
        anchor = "odds"
        bots = ["odds", "me=../mine", { name = "third one", spec = "python3 x.py" }]
        remote = ["alice"]
        expect = 2
        listen = "[::1]:8888"
        per_address = 300
        wait = "2m"
        seats = 3
        series = 5
        seed = 340282366920938463463374607431768211455
        deals = "same"
        move_time = "500ms"
        bank = "1m"
        increment = 0.5
        margin = "0s"
        first_move_time = 3
        no_clock = true
        concurrency = 4
        workers = "auto"
        faults_max = 6
        withdrawn_after = 1
        restarts_max = 0
        reconnect_s = 20
        name_wait_s = 0.5
        matches_max = 1000
        decisions = "all"
        strict = true
        leave_out_broken = true
        sandbox = "strict"
        out = "results/cup"
        [rules]
        dice = 3
        wild_ones = true
    """)
    expected = Plan(
        name="cup",
        game="blef",
        rules={"dice": 3, "wild_ones": True},
        tournament="round-robin",
        sets="balanced",
        challengers=2,
        cycles=5,
        until="top 3 at 95%",
        allocate="open",
        max_time=1200.0,
        anchor="odds",
        bots=(
            BotSpec("odds", HERE),
            BotSpec("me=../mine", HERE),
            BotSpec("python3 x.py", HERE, "third one"),
        ),
        remote=("alice",),
        expect=2,
        listen=Address("::1", 8888),
        per_address=300,
        wait=120.0,
        seats=3,
        series=5,
        seed=2**128 - 1,
        deals="same",
        move_time=0.5,
        bank=60.0,
        increment=0.5,
        margin=0.0,
        first_move_time=3.0,
        no_clock=True,
        concurrency=4,
        workers="auto",
        faults_max=6,
        withdrawn_after=1,
        restarts_max=0,
        reconnect_s=20.0,
        name_wait_s=0.5,
        matches_max=1000,
        decisions="all",
        strict=True,
        leave_out_broken=True,
        sandbox="strict",
        out=HERE / "results/cup",
    )
    assert expected == plan
    untouched = [field.name for field in attrs.fields(Plan) if getattr(plan, field.name) == field.default]
    assert untouched == ["tournament"]  # there is but one; all others must be said above


def test_an_empty_plan_is_all_defaults():
    """Every key has a default."""
    assert Plan() == read("")


def test_all_mistakes_are_told_at_once():
    """A plan with three mistakes gets three sentences."""
    keys = [said.split(": ")[1] for said in mistakes(read, "series = 0\nfoo = 1\nseats = 'x'\nseed = 3")]
    assert keys == ["series", "foo", "seats"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    st.sampled_from([field.name for field in attrs.fields(Plan)]),
)
def test_any_value_is_read_or_refused(value, key):
    """Whatever stands at a key, it is read, or there is a sentence that names the key."""
    said = ""
    try:
        plan_from({key: value}, where="t.toml", base=HERE)
    except ConfigError as error:
        said = str(error)
    assert not said or said.startswith(f"t.toml: {key}: ")


# Files.

BROKEN = [
    ("not UTF-8", b"seats = 2\ngame = '\xff'", "line 2: not UTF-8 text"),
    ("nested too deeply", b"x = " + b"[" * 50_000, "nested too deeply"),
    ("too large", b"#" * (1 << 20) + b"\n", "larger than 1 MiB"),
]


@pytest.mark.parametrize(("raw", "start"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_file_is_one_sentence(tmp_path, raw, start):
    """What is no TOML is told with its file, and without a traceback."""
    path = tmp_path / "cup.toml"
    path.write_bytes(raw)
    (said,) = mistakes(load_plan, path)
    assert said.startswith(f"{path}: {start}")


def test_a_plan_is_called_like_its_file(tmp_path):
    """The file's name is the plan's, unless the plan has one."""
    (tmp_path / "cup.toml").write_text("bots = ['./mine']")
    assert Plan(name="cup", bots=(BotSpec("./mine", tmp_path),)) == load_plan(tmp_path / "cup.toml")
    (tmp_path / "cup.toml").write_text("name = 'bowl'")
    assert Plan(name="bowl") == load_plan(tmp_path / "cup.toml")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_examples_are_right(path):
    """Every plan in `examples/` can be loaded, fits together, and suits its game."""
    from arena.games import GAMES

    plan = load_plan(path)
    check(plan)
    game = make_game(GAMES[plan.game], plan.rules)
    check_plan_seats(type(game), plan.seats)
    assert plan.bots


def test_there_are_examples():
    """The test above has something to do."""
    assert {"two_seats", "short_dice", "open_house"} <= {path.stem for path in EXAMPLES.glob("*.toml")}


# Options.


def test_options_override_the_file():
    """What the command line says counts; what it does not say stays as in the file."""
    plan = read("series = 5\nseats = 3\nstrict = true\nbank = '1m'\nbots = ['odds']")
    options = {
        "series": "7",
        "seats": None,
        "strict": False,
        "move_time": "none",
        "bots": (),
        "remote": ("alice",),
        "listen": "localhost:1",
        "out": "there",
    }
    expected = attrs.evolve(
        plan,
        series=7,
        move_time=None,
        remote=("alice",),
        listen=Address("localhost", 1),
        out=Path("/cwd/there"),
    )
    assert expected == with_options(plan, options, base=Path("/cwd"))


def test_a_bank_can_be_taken_back():
    """`--bank none`, as the help shows the default, undoes a plan's."""
    assert with_options(read("bank = '1m'"), {"bank": "none"}, base=Path("/cwd")).bank is None


def test_bots_of_the_command_line_start_at_its_folder():
    """Paths said on the command line start where it stands, not at the plan's folder."""
    plan = with_options(read("bots = ['a']"), {"bots": ("./b",)}, base=Path("/cwd"))
    assert (BotSpec("./b", Path("/cwd")),) == plan.bots


def test_wrong_options_are_told_as_options():
    """Mistakes on the command line name the setting, not a file, and are told with the option."""
    options = {"series": "ten", "move_time": "fast", "seats": "-3", "matches_max": True}
    with pytest.raises(ConfigError, match=r'^series: found "ten"') as caught:
        with_options(Plan(), options, base=HERE)
    said = [line.partition(", expected")[0] for line in told_mistake(caught.value).splitlines()]
    expected = [
        '--series: found "ten"',
        '--move-time: found "fast"',
        '--seats: found "-3"',
        "--matches-max: found true",
    ]
    assert expected == said


@st.composite
def plans(draw):
    """Plans with any of their keys, within what is accepted."""
    times = st.floats(0.001, 1e6)
    texts = st.text("abc /.-=é", min_size=1, max_size=8).filter(str.strip)
    numbers = st.lists(st.integers(), max_size=3).map(tuple)
    bots = st.builds(BotSpec, texts, st.just(HERE), st.none() | texts)
    keys = {
        "name": st.sampled_from(["", "cup"]),
        "rules": st.dictionaries(texts, st.booleans() | st.integers() | texts | numbers, max_size=3),
        "bots": st.lists(bots, max_size=3).map(tuple),
        "remote": st.lists(texts, max_size=2).map(tuple),
        "listen": st.none() | st.just(Address("::1", 80)),
        "seed": st.none() | st.integers(0, 2**128 - 1),
        "deals": st.sampled_from([None, "same", "fresh"]),
        "move_time": st.none() | times,
        "bank": st.none() | times,
        "increment": times,
        "margin": st.none() | times,
        "concurrency": st.none() | st.integers(1, 64),
        "workers": st.just("auto") | st.integers(1, 256),
        "strict": st.booleans(),
        "out": st.none() | st.just(HERE / "out"),
    }
    return Plan(**{key: draw(values) for key, values in keys.items()})


@pytest.mark.slow
@given(plans())
def test_a_plan_comes_back_from_json(plan):
    """A plan that was stored with its run is read back as it was."""
    stored = json.loads(json.dumps(as_mapping(plan)))
    assert plan == plan_from(stored, where="run.json", base=Path("/elsewhere"))


# What goes together.


def made(bots: int = 0, **keys: Any) -> Plan:
    return Plan(bots=(BotSpec("odds", HERE),) * bots, **keys)


@pytest.mark.slow
def test_where_no_sample_is_known_none_is_offered():
    """It is looked for, for seconds: too many matches are told with the ways out that there are."""
    (said,) = mistakes(check, made(40, seats=8))
    assert ("matches_max" in said, "set sets" in said) == (True, False)


def test_without_a_clock_nothing_is_limited():
    """Neither a move nor a match, and the plan is sound."""
    plan = made(2, no_clock=True)
    check(plan)
    assert (None, None) == (
        control_of(plan, connecting=False).move_s,
        control_of(plan, connecting=True).bank_s,
    )


def test_parts_that_go_together():
    """Started, remote and expected bots fill the table together; a bank may stand alone."""
    check(made(2))
    check(made(1, expect=1, remote=("alice",), seats=3, listen=Address("::1", 0)))
    check(made(2, move_time=None, bank=10.0, increment=0.1))


def test_sizes_in_words():
    """The line before play counts bots, sets, series, seats and matches."""
    assert size_words(made(4), 4) == "4 bots, 6 pairs × 10 series × 2 seats = 120 matches"
    assert size_words(made(2), 2) == "2 bots, 1 pair × 10 series × 2 seats = 20 matches"
    assert size_words(made(5, seats=3), 5) == "5 bots, 10 sets of 3 × 10 series × 3 seats = 300 matches"


def test_deals_are_shared_only_where_nobody_can_remember():
    """By default a series shares its deals only if the arena starts every bot of the tournament."""
    kinds = [
        made(2),
        made(1, expect=1),
        made(1, remote=("a",)),
        made(1, expect=1, deals="same"),
        made(2, deals="fresh"),
    ]
    assert [deals_of(plan) for plan in kinds] == ["same", "fresh", "fresh", "same", "fresh"]


def test_a_guessable_seed_is_warned_of():
    """A short seed is no secret from programs; nothing is kept from bots in this process anyway."""
    assert warnings_of(made(2)) == warnings_of(made(2, seed=2**64)) == ()
    assert warnings_of(made(2, seed=7), has_programs=False) == ()
    assert warnings_of(made(2, seed=2**64 - 1)) == (
        "seed 18446744073709551615 can be guessed by a bot: leave the seed out where it counts",
    )
    assert warnings_of(made(1, expect=1)) == ()
    assert warnings_of(made(1, expect=1, seed=2**127)) == ()
    assert warnings_of(made(1, expect=1, seed=7), has_programs=False) == (
        "seed 7 can be guessed by those who connect: leave the seed out where it counts",
    )
    assert len(warnings_of(made(1, expect=1, deals="same"))) == 1


def test_time_controls_follow_the_plan():
    """The margin goes by kind of bot, unless the plan says one for all."""
    plan = made(move_time=None, bank=3.0, increment=0.5, first_move_time=4.0)
    assert Control(None, 3.0, 0.5, 0.0, 4.0) == control_of(plan, connecting=False)
    assert Control(None, 3.0, 0.5, 0.2, 4.0) == control_of(plan, connecting=True)
    plan = attrs.evolve(plan, margin=0.7)
    assert Control(None, 3.0, 0.5, 0.7, 4.0) == control_of(plan, connecting=False)


@pytest.mark.parametrize(
    ("seats", "said", "cores", "expected"), [(2, None, 8, 4), (3, None, 8, 2), (4, None, 2, 1), (2, 9, 1, 9)]
)
def test_tables_at_once(seats, said, cores, expected):
    """As many tables as have a core a seat, at least one, or what the plan says; more if bots leave room."""
    plan = made(seats=seats, concurrency=said)
    assert Capacity.fixed(expected) == capacity_of(plan, cores, is_measured=False)
    measured = capacity_of(plan, cores, is_measured=True)
    assert (expected, said is not None) == (measured.first, measured.is_fixed)
    assert said is not None or 8 * cores == measured.most


# House rules.


def test_rules_make_the_game():
    """Rules that are said replace the defaults."""
    rules = {"dice": 3, "challenge": "next", "wild_ones": True, "motto": "5", "bound": 7}
    assert Ruled(dice=3, challenge="next", wild_ones=True, motto="5", bound=7) == make_game(Ruled, rules)
    assert Ruled() == make_game(Ruled, {})


def test_a_rule_may_be_a_list_of_numbers():
    """In a plan, stored with a run, on the command line; a word without a comma is a list of one."""
    plan = read("rules = {chips = [500, -1, 0]}")
    assert Ruled(chips=(500, -1, 0)) == make_game(Ruled, plan.rules)
    stored = json.loads(json.dumps(as_mapping(plan)))
    assert [500, -1, 0] == stored["rules"]["chips"]
    assert plan == plan_from(stored, where="run.json", base=HERE)
    assert Ruled(chips=(500, -1, 0)) == make_game(
        Ruled, {"chips": json.loads(rules_json(Ruled(chips=(500, -1, 0)), 2))["chips"]}
    )
    assert "chips" not in json.loads(rules_json(Ruled(), 2)), (
        "bots are told what they were before it was a rule"
    )
    assert {"chips": (500, -1, 0)} == parse_rules(Ruled, ["chips=500,-1,0"])
    assert {"chips": (500,)} == parse_rules(Ruled, ["chips=500"])


def test_rules_of_the_command_line_go_by_the_games_kinds():
    """The same word is a number, a truth or a text, as the rule wants it; the last of a key counts."""
    words = ["dice=4", "dice=3", "wild_ones=true", "motto=5", "challenge=next", "bound=-1"]
    expected = {"dice": 3, "wild_ones": True, "motto": "5", "challenge": "next", "bound": -1}
    assert expected == parse_rules(Ruled, words)


@pytest.mark.parametrize(
    "word",
    [
        *("dice=three", "dice=3.0", "dice=", "wild_ones=1", "wild_ones=True", "dice=٣", "dice=3,4"),
        *("chips=", "chips=5,", "chips=5, 6", "chips=[5,6]", "chips=5,6.0", "chips=5;6"),
    ],
)
def test_values_that_do_not_fit_are_left_to_the_game(word):
    """What is no value of the rule's kind stays text, which `make_game` refuses with the kind it wants."""
    (said,) = mistakes(make_game, Ruled, parse_rules(Ruled, [word]))
    assert said.startswith(f"rules: {word.partition('=')[0]}: found ")


# Identity.


def test_what_makes_another_tournament():
    """Game, rules, seats, seed, deals and clocks are the run's identity; bots, series and tables at once are not."""
    plan = made(2, seed=1)
    known = identity(plan, Ruled())
    assert known == json.loads(json.dumps(known))
    free = attrs.evolve(
        plan, series=99, concurrency=7, out=Path("x"), bots=plan.bots * 2, strict=True, name="n"
    )
    assert differences(known, identity(free, Ruled())) == []
    assert differences(known, identity(attrs.evolve(plan, seed=None), Ruled())) == []
    open_ = identity(attrs.evolve(plan, allocate="open"), Ruled())
    assert differences(open_, known) == []


CHANGES = [
    ({"seed": 2}, {}, ["seed: was 1, now 2"]),
    ({"seats": 3}, {}, ["seats: was 2, now 3"]),
    ({"move_time": 0.5}, {}, ["move_time: was 1s, now 500ms"]),
    ({"no_clock": True}, {}, ["move_time: was 1s, now none"]),
    ({"move_time": None, "bank": 60.0}, {}, ["move_time: was 1s, now none", "bank: was none, now 1m"]),
    ({"deals": "fresh"}, {}, ["deals: was same, now fresh"]),
    ({"allocate": "open"}, {}, ["allocate: was none, now open"]),
    ({"margin": 0.2}, {}, ["margin of started bots: was 0s, now 200ms"]),
    ({"restarts_max": 3}, {}, ["restarts_max: was 10, now 3"]),
    (
        {},
        {"dice": 3, "wild_ones": True},
        ["rules: dice: was 5, now 3", "rules: wild_ones: was false, now true"],
    ),
    ({}, {"chips": (5, 6)}, ["rules: chips: was none, now [5, 6]"]),
]


@pytest.mark.parametrize(("keys", "rules", "expected"), CHANGES, ids=[case[2][0] for case in CHANGES])
def test_changes_are_named(keys, rules, expected):
    """What changed is told by name, with both values as one would write them."""
    plan = made(2, seed=1)
    assert expected == differences(
        identity(plan, Ruled()), identity(attrs.evolve(plan, **keys), Ruled(**rules))
    )


def test_every_key_is_identity_or_free():
    """A new key of a plan must be put on one side or the other, here and in `identity`."""
    free = {
        "name",
        "bots",
        "remote",
        "expect",
        "listen",
        "per_address",
        "wait",
        "series",
        "concurrency",
        "workers",
        "reconnect_s",
        "name_wait_s",
    }
    free |= {
        "sets",
        "challengers",
        "cycles",
        "until",
        "max_time",
        "anchor",
        "matches_max",
        "decisions",
        "strict",
        "no_clock",  # it shows in move_time
        "leave_out_broken",
        "sandbox",
        "allow",
        "out",
    }
    bound = {key.partition(" ")[0] for key in identity(Plan(), Ruled())} - {
        "version",
        "seeding",
        "order",
    }  # what a folder keeps besides
    assert free | bound == {field.name for field in attrs.fields(Plan)}
    assert not free & bound
