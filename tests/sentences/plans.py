"""What is wrong with a plan, its house rules, or what it asks of a format or of a comparison."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import partial
from math import inf, nan
from pathlib import Path
from typing import Any

from toys import Ruled

from arena.analysis.stopping.betting import Gains
from arena.analysis.stopping.gsprt import Hypotheses
from arena.reading.strict import read_toml
from arena.reading.units import Address
from arena.schedule import FORMATS, Terms
from arena.tournament.plan import (
    BotSpec,
    Plan,
    check,
    check_plan_seats,
    load_plan,
    make_game,
    parse_rules,
    plan_from,
)

from .case import Case, key_of, refused

PLANS = [
    "series = 'ten'",
    "series = 0",
    "series = '3'",
    "series = 3.0",
    "series = true",
    "seats = 1",
    "expect = 10001",
    "seed = -1",
    f"seed = {2**128}",
    "strict = 1",
    "strict = 'yes'",
    "game = ''",
    "decisions = 'al'",
    "tournament = 'cup'",
    "sets = 'some'",
    "deals = 'Same'",
    "bots = 'odds'",
    "bots = ['odds', 3]",
    "bots = [{name = 'a'}]",
    "bots = [{spec = 1, nme = 'a'}]",
    "remote = 'alice'",
    "listen = '8888'",
    "move_time = 0",
    "first_move_time = 'none'",
    "increment = -1",
    "bank = inf",
    "margin = nan",
    "rules = 3",
    "rules = {dice = [1, 2.5]}",
    "rules = {dice = [true]}",
    "rules = {dice = [[1]]}",
    "rule = 'dice=3'",
    "resume = 'x'",
    "name = 'latest'",
    "name = '../x'",
    "out = 3",
    "serie = 3",
    "sets_of = 3",
    "time_limit = 3",
    "zzz = 3",
]
TOGETHER: list[tuple[str, dict[str, Any], str]] = [
    ("nobody", {}, "2 seats"),
    ("too few", {"bots": 2, "seats": 3}, "3 seats"),
    ("too many matches", {"bots": 3, "series": 10**6}, "matches_max"),
    ("more sets than are wanted", {"bots": 20, "seats": 6, "sets": "all"}, "sets"),
    ("cycles, but of what", {"bots": 3, "cycles": 3}, "cycles"),
    ("three at a table of a knockout", {"bots": 4, "seats": 3, "tournament": "knockout"}, "seats"),
    ("remote, but where to", {"bots": 1, "remote": ("alice", "bob")}, "alice, bob"),
    ("expected, but where to", {"bots": 1, "expect": 1}, "listen"),
    ("listening for nobody", {"bots": 2, "listen": Address("localhost", 80)}, "listen"),
    ("a quota for nobody", {"bots": 2, "per_address": 9}, "per_address"),
    ("no limit at all", {"bots": 2, "move_time": None}, "move_time"),
    ("a bank without a clock", {"bots": 2, "no_clock": True, "bank": 60.0}, "bank"),
    ("an increment without bank", {"bots": 2, "increment": 0.5}, "increment"),
    ("a name twice", {"remote": ("bob", "bob"), "listen": Address("::1", 1)}, "bob"),
    ("a name of nobody", {"bots": 2, "remote": (" ann",), "listen": Address("::1", 1)}, '" ann"'),
]
NO_TOML = [
    'name = "a\nb = 1',
    "name = 'a\nb = 1",
    "a = 1\ngame = blef",
    "move_time = 500ms",
    "seats = 2\nseats = 3",
    "= 3",
    "[rules]\n[rules]",
    "[rules",
    'a = ["b" "c"]',
    "a = {b = 1\n}",
    r'a = "C:\Users"',
    r'a = "C:\q"',
    "a = {b = 1,}",
]
RULES: list[dict[str, Any]] = [
    {"dise": 3},
    {"series": 3},
    {"dice": "3"},
    {"dice": True},
    {"wild_ones": 1},
    {"challenge": "all"},
    {"motto": 5},
    {"bound": "x"},
    {"chips": 5},
    {"chips": [5, "6"]},
    {"dice": (1, 2)},
    {"dice": 10},
]
FORMAT_TERMS: list[tuple[str, int, dict[str, int], str]] = [
    ("round-robin", 1, {"seats": 3}, "3 seats"),
    ("swiss", 2, {"seats": 3}, "3 seats"),
    ("gauntlet", 4, {"challengers": 0}, "0 challengers"),
    ("gauntlet", 4, {"challengers": 4}, "4 of them challengers"),
    ("knockout", 8, {"seats": 3}, "seats = 2"),
    ("knockout", 1, {}, "1 bot"),
    ("comparison", 1, {}, "1 bot"),
    ("comparison", 3, {"seats": 3}, "field"),
]
GAINS: list[dict[str, float]] = [
    {"gain0": 50},
    {"gain0": nan},
    {"gain1": inf},
    {"alpha": 0.0},
    {"beta": 0.5},
    {"series_max": 4},
]
HYPOTHESES: list[dict[str, float]] = [
    {"elo0": 20, "elo1": 20},
    {"elo0": 30},
    {"elo0": nan},
    {"elo1": inf},
    {"elo0": 1e-14, "elo1": 1.1e-14},
    {"alpha": 0.0},
    {"alpha": nan},
    {"beta": 0.5},
    {"beta": 5},
    {"series_max": 9},
]


def _read(text: str) -> Plan:
    return plan_from(tomllib.loads(text), where="t.toml", base=Path("/plans"))


def _check(keys: dict[str, Any]) -> None:
    bots = (BotSpec("odds", Path("/plans")),) * keys.get("bots", 0)
    check(Plan(**keys | {"bots": bots}), where="t.toml")


def _refusal(form: str, count: int, other: dict[str, Any]) -> str | None:
    usual = {"game": "liars-dice", "seats": 2, "series": 1, "seed": 5, "deals": "same"}
    return FORMATS[form].refusal(count, Terms(**usual | other))


def cases() -> Iterable[Case]:
    for text in PLANS:
        yield refused(f"plan: {text}", key_of(text), partial(_read, text))
    for name, keys, names in TOGETHER:
        yield refused(f"plan: {name}", names, partial(_check, keys))
    yield refused("plan: no such file", "no.toml", partial(load_plan, Path("no.toml")))
    yield refused("plan: a folder", "p", partial(load_plan, Path("p")), {"p": None})
    yield refused("plan: seats for another game", "5", partial(check_plan_seats, Ruled, 5))
    for text in NO_TOML:
        read = partial(read_toml, Path("t.toml"), where="t.toml")
        yield refused(f"TOML: {text!r}", "line", read, {"t.toml": text})
    for keys in RULES:
        yield refused(f"rules: {keys}", next(iter(keys)), partial(make_game, Ruled, keys, where="t.toml"))
    for word in ("dice", "dise=3"):
        yield refused(f"rules: {word}", word.partition("=")[0], partial(parse_rules, Ruled, [word]))
    for form, count, other, names in FORMAT_TERMS:
        yield refused(f"{form}: {count} bots, {other}", names, partial(_refusal, form, count, other))
    for cls, wrong in ((Gains, GAINS), (Hypotheses, HYPOTHESES)):
        for keys in wrong:
            names = next(iter(keys)).replace("series_max", "max_series")
            yield refused(f"{cls.__name__}: {keys}", names, partial(cls, **keys))
