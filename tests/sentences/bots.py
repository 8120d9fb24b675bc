"""What is no bot: recipes, what is said of one, names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from arena.games import GAMES
from arena.starter.folder import check_new_name
from arena.tournament.bots.entrants import builtin_bots, remote, resolve
from arena.wire.messages import check_name

from .case import Case, Files, key_of, refused

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
    ("odd", "odd |odds"),
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
NAMES = [
    ("empty", ""),
    ("sixty-five characters", "a" * 65),
    ("a newline", "a\nb"),
    ("an escape sequence", "\x1b[31mred"),
    ("a change of writing direction", "a\u202eb"),
    ("half a surrogate pair", "a\ud800"),
    ("nothing but a Hangul filler", "\u3164"),
    ("a blank of Braille", "a\u2800"),
    ("a variation selector", "a\ufe0f"),
    ("an accent on nothing", "\u0301"),
    ("an accent on a blank", "a \u0301"),
    ("a tower of accents", "a" + 5 * "\u0301"),
    ("a blank in front", " alice"),
    ("a blank behind", "alice "),
    ("blanks only", "  "),
    ("a word of the game", "pass"),
]
NEW = ["my bot", "./mybot", "../mybot", "-x", "", "mybot\n", "böt", "b" * 65, "odds", "pass"]


def _resolve(spec: str) -> object:
    return resolve(spec, base=Path.cwd())


def cases() -> Iterable[Case]:
    for text in RECIPES:
        names, files = key_of(text) if "run" in text else "run", {"mine/bot.toml": text}
        yield refused(f"bot.toml: {text!r}", names, partial(_resolve, "mine"), files)
    for spec, names in SPECS:
        yield refused(f"bot: {spec!r}", names, partial(_resolve, spec), SHOP)
    yield refused("bot: a remote one called ' x'", '" x"', partial(remote, " x"))
    for name, word in NAMES:
        yield refused(
            f"name: {name}", "name" if word != "pass" else "pass", partial(check_name, word, {"pass"})
        )
    for word in NEW:
        check = partial(check_new_name, word, GAMES["liars-dice"](), builtin_bots())
        yield refused(f"new name: {word!r}", "name" if word != "pass" else "pass", check)
