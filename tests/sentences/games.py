"""What is wrong with a file of a game, house rules, seats, or a move in words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from test_choices import ACCUSE, BIDS, SEQUENCE, SHOTS, SUITS

from arena.games import GAMES
from arena.telling.choices import move_of, read_choices

from .case import Case, refused, typed
from .typed import KUHN

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
        {"push_or_fold": 1},
        {"push_or_fold": True},
        {"push_or_fold": True, "stack": 39},
        {"push_or_fold": True, "stack": 301},
        {"push_or_fold": True, "stack": 200, "reset_stacks": False},
        {"push_or_fold": True, "stacks": (200, 200), "reset_stacks": False},
    ],
}
SEATS: list[tuple[str, dict[str, Any], int, str]] = [
    ("chamber", {"items_per_round": 5}, 7, "items_per_round"),
    ("holdem", {"stacks": (500, 1000, 1), "reset_stacks": False}, 2, "stacks"),
    ("holdem", {"push_or_fold": True, "stack": 200}, 3, "push_or_fold"),
]
TWO = KUHN + "\n\nclass Leduc(Kuhn):\n    name = 'leduc'\n"
GAME_FILES: list[tuple[str, str, str, str]] = [
    ("no such game", "chess", "", "chess"),
    ("nearly a game", "holden", "", "holden|holdem"),
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
MOVES = [
    ("accuse", ACCUSE, "challenge", '"challenge"'),
    ("accuse", ACCUSE, "play 1 2", '"play 1 2"'),
    ("accuse", ACCUSE, "3", "1 to 2"),
    ("accuse", ACCUSE, "pass 1", "pass"),
    ("sequence", SEQUENCE, "1", "numbers"),
    ("sequence", SEQUENCE, "play 6", "6"),
    ("sequence", SEQUENCE, "play 1 1", "twice"),
    ("sequence", SEQUENCE, "play", "cards"),
    ("suits", SUITS, "play 1 2", "claim"),
    ("bids", BIDS, "bid 5", '"bid 5"'),
    ("bids", BIDS, "bid 5 91", "91"),
    ("bids", BIDS, "bid 1 3", '"bid 1 3"'),
    ("bids", BIDS, "bid five 3", "five"),
    ("bids", BIDS, "bid 9 9", "9"),
    ("shots", SHOTS, "use ann", "use-skip-item"),
    ("shots", SHOTS, "shoot bob", "bob"),
    ("shots", SHOTS, "{", "JSON"),
]


def cases() -> Iterable[Case]:
    for name, word, text, names in GAME_FILES:
        words, files = f"run random odds --game {word}", {"kuhn.py": text} if text else {}
        yield typed(f"game: {name}", words, names, files)
    for game, wrong in HOUSE_RULES.items():
        for keys in wrong:
            yield refused(f"{game}: {keys}", next(iter(keys)), partial(GAMES[game], **keys))
    for game, cls in GAMES.items():
        seats = cls.seats[-1] + 1
        yield refused(f"{game}: too many seats", str(seats), partial(cls().start, seats))
    for game, keys, seats, names in SEATS:
        yield refused(f"{game}: {seats} seats, {keys}", names, partial(GAMES[game](**keys).start, seats))
    for name, options, words, names in MOVES:
        yield refused(f"{name}: {words}", names, partial(move_of, read_choices(options), words.split()))
