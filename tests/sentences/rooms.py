"""What rooms refuse: plans, house rules, bots, files of games; each a name, what it must name, and how it comes about."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from toys import Ruled

from arena.games import GAMES
from arena.reading.strict import read_toml
from arena.reading.units import Address
from arena.tournament.bots.entrants import remote, resolve
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

from .case import Case, Files, refused, typed
from .typed import KUHN

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
RECIPES = [
    'name = "x"',
    'run = ""',
    'run = "a && b"',
    'run = "a \'b"',
    "run = [1]",
    "run = []",
    'run = "x"\nversion = 1',
    'run = "x"\ntransport = "udp"',
    'run = "x"\nrestart = true',
    'run = "x"\ninstances_max = 0',
    'run = "x"\nconnect_s = 0',
    'run = "x"\nconnect_s = 301',
    'run = "x"\nconnect_s = "6m"',
    'run = "x"\ngame = ["a"]',
    'run = "x"\ncommand = "a"',
    'run = "x"\nCmd = "a"',
]
SHOP: Files = {
    "plain/readme.txt": "no bot",
    "notes.txt": "no bot",
    "rb.rb": "puts 1",
    "bare.pl": "print 1;",
    "fast.cpp": "int main() {}",
    "pkg/inner.py": "class Mine: ...",
}
SPECS = [
    ("stranger", "stranger"),
    ("./missing.py", "./missing.py"),
    ("no-such-program --x", "no-such-program"),
    ("odd", "odds"),
    ("plain", "bot.toml"),
    ("notes.txt", "notes.txt"),
    ("rb.rb", "ruby rb.rb"),
    ("me=rb.rb", "ruby rb.rb"),
    ("./rb.rb --depth 3", "ruby ./rb.rb --depth 3"),
    ("bare.pl", "perl bare.pl"),
    ("fast.cpp", "fast.cpp"),
    ("sh 'open", "sh"),
    ("pkg.outer:Mine", "pkg.outer"),
    ("json.nowhere.deep:Mine", "json.nowhere.deep"),
    ("", '""'),
    ("me=", "me="),
    ("=odds", "=odds"),
    ("x" * 65 + "=odds", "x" * 56 + "…"),
]
HOUSE_RULES: dict[str, list[dict[str, Any]]] = {
    "liars-dice": [
        {"dice": 0},
        {"dice": 21},
        {"dice": "5"},
        {"dice": True},
        {"faces": 1},
        {"faces": 6.0},
        {"wild_ones": 1},
        {"challenge": "all"},
        {"turns_max": 0},
    ],
    "bluff": [{"claims": "any"}, {"claims": 1}, {"plays_max": -1}, {"plays_max": True}],
    "chamber": [
        {"lives": 0},
        {"lives": True},
        {"items_per_round": 15},
        {"live_max": 0},
        {"blank_max": 0},
        {"chamber_max": 41},
        {"chamber_max": 11},
        {"sudden_death_after": "5"},
    ],
    "holdem": [
        {"stack": 0},
        {"hands": 0},
        {"hands": True},
        {"reset_stacks": 1},
        {"small_blind": 0},
        {"small_blind": 21},
        {"stack": 19},
        {"stack": 10_001, "small_blind": 1, "big_blind": 1},
        {"stacks": (500, 0), "reset_stacks": False},
        {"stacks": (True, 500), "reset_stacks": False},
        {"stacks": [500, 500], "reset_stacks": False},
        {"stacks": (500, 1000)},
        {"stacks": (1, 200_001), "reset_stacks": False},
    ],
}
SEATS: list[tuple[str, dict[str, Any], int, str]] = [
    ("chamber", {"items_per_round": 5}, 7, "items_per_round"),
    ("holdem", {"stacks": (500, 1000, 1), "reset_stacks": False}, 2, "stacks"),
]
TWO = KUHN + "\n\nclass Leduc(Kuhn):\n    name = 'leduc'\n"
GAME_FILES: list[tuple[str, str, str, str]] = [
    ("no such game", "chess", "", "chess"),
    ("nearly a game", "holden", "", "holdem"),
    ("no such file", "gone.py", "", "gone.py"),
    ("no such module", "kuhnless:Kuhn", "", "kuhnless"),
    ("no class named", "./kuhn", "", "kuhn"),
    ("no game in it", "kuhn.py", "x = 1\n", "kuhn.py"),
    ("several in it", "kuhn.py", TWO, "kuhn.py:Kuhn"),
    ("no such class", "kuhn.py:Kunh", KUHN, "Kunh"),
    ("a class that is no game", "kuhn.py:Cards", KUHN, "Cards"),
    ("no class at all", "kuhn.py:shuffled", KUHN, "shuffled"),
    ("a syntax error", "kuhn.py", "x = 1\ndef f(:\n", "line 2"),
    ("raises", "kuhn.py", "\n1 / 0\n", "ZeroDivisionError"),
    ("raises in words of many lines", "kuhn.py", "raise OSError('a\\nb')", "OSError"),
    ("ends", "kuhn.py", "raise SystemExit(0)", "SystemExit"),
    ("imports what is not there", "kuhn.py", "import kuhnless", "kuhnless"),
    ("a module that raises", "kuhn:Kuhn", "1 / 0", "ZeroDivisionError"),
    ("a built-in game's name", "kuhn.py", KUHN.replace('"kuhn"', '"holdem"'), "holdem"),
    ("a built-in game itself", "arena.games.holdem.rules:Holdem", "", "holdem"),
    ("a name that is no name", "kuhn.py", KUHN.replace('"kuhn"', '"../x"'), "../x"),
    ("not complete", "kuhn.py", KUHN.replace("def ranks", "def rank"), "ranks"),
    ("no version", "kuhn.py", KUHN.replace("version: ClassVar[int] = 1", ""), "version"),
    ("rated by what", "kuhn.py", KUHN.replace('"returns"', '"luck"'), "rated_by"),
]


def key_of(toml: str) -> str:
    """The key of its last line."""
    return toml.splitlines()[-1].partition(" ")[0]


def _read(text: str) -> Plan:
    return plan_from(tomllib.loads(text), where="t.toml", base=Path("/plans"))


def _check(keys: dict[str, Any]) -> None:
    bots = (BotSpec("odds", Path("/plans")),) * keys.get("bots", 0)
    check(Plan(**keys | {"bots": bots}), where="t.toml")


def _resolve(spec: str) -> object:
    return resolve(spec, base=Path.cwd())


def cases() -> Iterable[Case]:
    yield from plans()
    yield from rules()
    yield from bots()
    for name, word, text, names in GAME_FILES:
        yield typed(
            f"game: {name}", f"run random odds --game {word}", names, {"kuhn.py": text} if text else {}
        )


def plans() -> Iterable[Case]:
    for text in PLANS:
        yield refused(f"plan: {text}", key_of(text), partial(_read, text))
    for name, keys, names in TOGETHER:
        yield refused(f"plan: {name}", names, partial(_check, keys))
    yield refused("plan: no such file", "no.toml", partial(load_plan, Path("no.toml")))
    yield refused("plan: a folder", "p", partial(load_plan, Path("p")), {"p": None})
    for text in NO_TOML:
        read = partial(read_toml, Path("t.toml"), where="t.toml")
        yield refused(f"TOML: {text!r}", "line", read, {"t.toml": text})


def rules() -> Iterable[Case]:
    for keys in RULES:
        yield refused(f"rules: {keys}", next(iter(keys)), partial(make_game, Ruled, keys, where="t.toml"))
    for word in ("dice", "dise=3"):
        yield refused(f"rules: {word}", word.partition("=")[0], partial(parse_rules, Ruled, [word]))
    yield refused("seats: too many", "5", partial(check_plan_seats, Ruled, 5))
    for game, wrong in HOUSE_RULES.items():
        for keys in wrong:
            yield refused(f"{game}: {keys}", next(iter(keys)), partial(GAMES[game], **keys))
    for game, cls in GAMES.items():
        seats = cls.seats[-1] + 1
        yield refused(f"{game}: too many seats", str(seats), partial(cls().start, seats))
    for game, keys, seats, names in SEATS:
        start = GAMES[game](**keys).start
        yield refused(f"{game}: {seats} seats, {keys}", names, partial(start, seats))


def bots() -> Iterable[Case]:
    for text in RECIPES:
        names, files = key_of(text) if "run" in text else "run", {"mine/bot.toml": text}
        yield refused(f"bot.toml: {text!r}", names, partial(_resolve, "mine"), files)
    for spec, names in SPECS:
        yield refused(f"bot: {spec!r}", names, partial(_resolve, spec), SHOP)
    yield refused("bot: a remote one called ' x'", '" x"', partial(remote, " x"))
