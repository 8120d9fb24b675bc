"""The documents of the project as data: their blocks, their commands and what else they quote."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import attrs

HOUSE = Path(__file__).parent.parent

INDENTED = "indented"
"""The language of a block that is set apart by four spaces: a shell's commands, in this project."""

PROGRAMS = (
    "apt-get",
    "arena",
    "bash",
    "cd",
    "curl",
    "cargo",
    "git",
    "go",
    "mypy",
    "node",
    "pip",
    "pytest",
    "python",
    "python3",
    "rm",
    "ruff",
)
"""What a quotation begins with that is a command."""

_FENCED = re.compile(r"^( *)(`{3,}|~{3,})([^\n]*)\n(.*?)^\1\2 *$\n?", re.MULTILINE | re.DOTALL)
_SET_APART = re.compile(r"(?<=\n\n)(?:    [^\n]*\n(?:\n(?=    ))*)+")
_QUOTED = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
_VARIABLE = re.compile(r"[A-Z_]+=\S*")


@attrs.frozen
class Block:
    """A block of a page, `language` as the page says it."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Every Markdown file of the project; those of results, builds and tools do not belong to it."""
    found = []
    for folder, folders, files in os.walk(HOUSE):
        at = Path(folder).relative_to(HOUSE)
        unwanted = {"build", "dist"} if at != Path("results") else set(folders)
        folders[:] = [name for name in folders if not name.startswith(".") and name not in unwanted]
        found += [
            str(at / name) for name in files if name.endswith((".md", ".md.template")) and name[0] != "."
        ]
    return sorted(found)


def blocks_of(page: str, text: str) -> list[Block]:
    """The blocks of a page from top to bottom: fenced ones, and those set apart by four spaces."""
    found = [
        Block(page, _line(text, each.start()), each[3].strip(), dedent(each[4]))
        for each in _FENCED.finditer(text)
    ]
    prose = _without(_FENCED, text)
    for each in _SET_APART.finditer(prose):
        found.append(Block(page, _line(prose, each.start()), INDENTED, dedent(each[0])))
    return sorted(found, key=lambda block: block.line)


def block_named(page: str, language: str) -> str:
    """The one block of a page with this language, and this name after it."""
    (block,) = (each for each in blocks_of(page, (HOUSE / page).read_text()) if each.language == language)
    return block.text


def quotations_of(page: str, text: str) -> list[Block]:
    """What a page quotes within its sentences (`` `like this` ``)."""
    prose = _without(_SET_APART, _without(_FENCED, text))
    return [
        Block(page, _line(prose, each.start()), "quoted", each[1].replace("\n", " "))
        for each in _QUOTED.finditer(prose)
    ]


def is_command(quoted: str) -> bool:
    """Whether a quotation is something to type into a shell."""
    words = quoted.split()
    while words and _VARIABLE.fullmatch(words[0]):
        words.pop(0)
    return bool(words) and words[0] in PROGRAMS


def commands_in(script: str) -> Iterator[list[str]]:
    """Every command of a shell script as its words, without variables before it and redirections behind it."""
    placed = re.sub(r"<([\w ]+)>", lambda each: each[1].replace(" ", "-"), script)  # <this project>
    placed = re.sub(r"(?<=\w)\|(?=\w)", "/", placed)  # same|fresh is one word of a manual
    for line in placed.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words: list[str] = []
        for word in [*lexer, ";"]:
            if not set(word) <= set("();<>|&"):
                words.append(word)
            elif words and not set(word) & set("<>"):
                yield _without_variables(words)
                words = []
            elif words:
                words.append(">")
    return


def _without_variables(words: list[str]) -> list[str]:
    first = next((index for index, word in enumerate(words) if not _VARIABLE.fullmatch(word)), len(words))
    end = words.index(">") if ">" in words else len(words)
    return words[first:end]


def _line(text: str, start: int) -> int:
    return text.count("\n", 0, start) + 1


def _without(pattern: re.Pattern[str], text: str) -> str:
    """The text with as many lines, but nothing on those that the pattern found."""
    return pattern.sub(lambda each: "\n" * each[0].count("\n"), text)
