"""What is left out: `.arenaignore`, and our own list before it."""

from __future__ import annotations

import pytest
from archive_maker import Ground, Part, files_in, zip_of

from arena.handin.ignoring import IGNORE_FILE, PATTERNS_MAX

FILES = [
    "a.log",
    "data/a.log",
    "data/big.bin",
    "drafts",
    "x/drafts/y",
    "x/data/z",
    "node_modules/n.js",
    "[x]",
]


@pytest.mark.parametrize(
    ("lines", "left_out"),
    [
        ("", ["node_modules/"]),
        ("# *.log\n\n   \n", ["node_modules/"]),
        ("*.log", ["a.log", "data/a.log", "node_modules/"]),
        ("a.*", ["a.log", "data/a.log", "node_modules/"]),
        ("?.log", ["a.log", "data/a.log", "node_modules/"]),
        ("/a.log", ["a.log", "node_modules/"]),
        ("data", ["data/", "node_modules/", "x/data/"]),
        ("/data", ["data/", "node_modules/"]),
        ("x/data", ["node_modules/", "x/data/"]),
        ("data/*", ["data/a.log", "data/big.bin", "node_modules/"]),
        ("drafts", ["drafts", "node_modules/", "x/drafts/"]),
        ("drafts/", ["node_modules/", "x/drafts/"]),
        ("*.log\n!a.log", ["node_modules/"]),
        ("*.log\n!/a.log", ["data/a.log", "node_modules/"]),
        ("data\n!data/a.log", ["data/", "node_modules/", "x/data/"]),
        ("!node_modules", []),
        ("!node_modules/", []),
        ("[ab].log", ["a.log", "data/a.log", "node_modules/"]),
        ("*.log  \r\n/data\r\n", ["a.log", "data/", "node_modules/"]),
        ("\ufeffdrafts/", ["node_modules/", "x/drafts/"]),
        (".arenaignore\n*.log", ["a.log", "data/a.log", "node_modules/"]),
        ("A.LOG", ["node_modules/"]),
    ],
)
def test_patterns_leave_out(ground: Ground, lines: str, left_out: list[str]) -> None:
    """As in `.gitignore`, as far as its syntax is known here."""
    parts = [Part(name="bot.py"), *(Part(name=name) for name in FILES)]
    handed = ground.unpack(zip_of(*parts, Part(name=IGNORE_FILE, content=lines.encode())))
    assert left_out == list(handed.left_out)
    assert IGNORE_FILE in files_in(handed.folder)


@pytest.mark.parametrize(
    "content",
    [
        b"**/x",
        b"a\\b",
        b"a//b",
        b"/",
        b"!",
        b"x" * 201,
        b"\xff",
        b"\n".join(b"%d" % n for n in range(PATTERNS_MAX + 1)),
        b"#" * (1 << 14) + b"x",
    ],
)
def test_what_a_pattern_cannot_say_is_refused(ground: Ground, content: bytes) -> None:
    """With the file's name, and the line if it is one."""
    error = ground.refusal(zip_of(Part(name="a/bot.py"), Part(name=f"a/{IGNORE_FILE}", content=content)))
    assert IGNORE_FILE == error.path


def test_many_stars_take_no_time(ground: Ground) -> None:
    """A pattern of nothing but stars is matched in linear time."""
    lines = "\n".join("*a" * 60 + f"{number}" for number in range(PATTERNS_MAX))
    parts = [Part(name="a" * 200 + f"{number}b") for number in range(10)]
    assert 11 == ground.unpack(zip_of(*parts, Part(name=IGNORE_FILE, content=lines.encode()))).files
