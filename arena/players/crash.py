"""Why a program ended, judged from the last lines it printed: pure, and bounded whatever was printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

PRINTED_MAX = 1 << 16
"""How many of the last characters are looked at: Java prints a thousand calls below the exception."""
LINES_MAX = 2000
LINE_MAX = 400
"""How many characters of a line are looked at."""
SAID_MAX = 200
"""How many characters of a line are shown to people."""
LAST_PRINTED = "; it last printed: "
"""The words between how a program ended and its last line, which may or may not say why."""
NO_NETWORK = (
    "; a strict box has no network but the connection to the arena: network = true in bot.toml asks for more"
)

_UNREACHABLE = re.compile(
    # Python, C, Go, Rust, Java; Node and C# name the error, Java and Go also the host they asked for
    r"network is unreachable|temporary failure in name resolution|name or service not known|"
    r"connection refused|no such host|failed to lookup address|UnknownHost|"
    r"\b(?-i:ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b",  # not a FileNotFoundError
    re.IGNORECASE,
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_GUTTER = re.compile(r"[ +|-]*\| ?")
"""What precedes the lines of exceptions in a Python ExceptionGroup."""
_TRACEBACK = re.compile(r"(?:  \+ Exception Group )?Traceback \(most recent call last\):")
_RUST = re.compile(r"thread '[^']*'(?: \(\d+\))? panicked at .*:\d+:\d+:$")
_TERMINATED = re.compile(r"terminate called after throwing an instance of '(.+)'$")
_WHAT = re.compile(r" {2}what\(\): {2}(.*)")
_EXCEPTIONS = tuple(
    re.compile(pattern)
    for pattern in (
        # Python, JavaScript, Java, C#: `KeyError: 'hand'`, `java.lang.NullPointerException`
        r'(?:Exception in thread "[^"]*" |Caused by: |Uncaught |Unhandled exception[.:] )?'
        r"([\w.$]*(?:Error|Exception|Interrupt)(?: \[\w+\])?(?::(?: .*)?)?)$",
        r'Exception in thread "[^"]*" ([\w.$]+(?:: .*)?)$',
        r"(Fatal Python error: .*)$",
        r"(panic: .*|fatal error: .*)$",  # Go
        r"(thread '[^']*'(?: \(\d+\))? panicked at .*)$",  # Rust
        r"([\w./+-]+: [^:]+:\d+: .*: Assertion [`'].*' failed\.)$",  # C
        r"(?:=+\d+=+)?(ERROR: \w+Sanitizer: .*)$",
        r"[^\s:]+:\d+:in (.*\([\w:]+\))$",  # Ruby
    )
)
_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
_SYNTAX = re.compile(r"(?:Syntax|Indentation|Tab)Error: ")
"""Errors whose place is in Python's own lines above and not in the exception's line."""
_FILE = re.compile(r' *File "([^"]+)", line (\d+)')
_SAYS_NOTHING = re.compile(r"\s*(?:$|Node\.js v\d)")


def why_ended(ending: str, printed: str, *, is_offline: bool = False) -> str:
    """How a program ended, with the exception or else the last line that it printed, if any.

    `its process ended with exit code 1: KeyError: 'hand'`.  `is_offline`: whether its box has no network,
    which is mentioned if what it printed is about that.
    """
    exception, line = exception_in(printed), last_line(printed)
    said = f": {exception}" if exception else f"{LAST_PRINTED}{line}" if line else ""
    closed = NO_NETWORK if is_offline and _UNREACHABLE.search(said) else ""
    return f"{ending}{said}{closed}"


def error_in_build(printed: str) -> str:
    """The first line about an error that a build printed, as compilers do; empty if there is none."""
    return _clipped(next((line for line in _lines(printed) if _ERROR.search(line)), ""))


def exception_in(printed: str) -> str:
    """The last uncaught exception or panic in what a program printed, as one line; empty if there is none."""
    found, is_in_traceback = "", False
    lines = _lines(printed)
    for number, line in enumerate(lines):
        if _TRACEBACK.match(line):
            is_in_traceback = True
        elif is_in_traceback:
            if line and not line.startswith(" "):  # the exception is below the indented calls
                found, is_in_traceback = line, False
        elif said := _exception(line, lines[number + 1] if number + 1 < len(lines) else ""):
            found = said
    return _clipped(f"{found}{_place(lines)}" if _SYNTAX.match(found) else found)


def _place(lines: Sequence[str]) -> str:
    """The file and line that were named last: ` (bot.py, line 3)`."""
    places = [place for line in lines if (place := _FILE.match(line))]
    return f" ({places[-1][1].rpartition('/')[2]}, line {places[-1][2]})" if places else ""


def _exception(line: str, next_line: str) -> str:
    """The exception that a line names, judged by its form alone; some take two lines."""
    if _RUST.match(line):
        return f"{line} {next_line}"
    if terminated := _TERMINATED.match(line):
        what = _WHAT.match(next_line)
        return f"{terminated[1]}: {what[1]}" if what else terminated[1]
    return next((match[1] for pattern in _EXCEPTIONS if (match := pattern.match(line))), "")


def last_line(printed: str) -> str:
    """The last line that says something; empty if there is none."""
    said = (line for line in reversed(_lines(printed)) if not _SAYS_NOTHING.match(line))
    return _clipped(next(said, ""))


def _lines(printed: str) -> list[str]:
    """The last lines, each cut to LINE_MAX, without colours and gutters."""
    return list(map(_plain, printed[-PRINTED_MAX:].split("\n")[-LINES_MAX:]))


def _plain(line: str) -> str:
    line = _COLOUR.sub("", line[:LINE_MAX]).rstrip()
    gutter = _GUTTER.match(line)
    return line[gutter.end() :] if gutter else line


def _clipped(line: str) -> str:
    line = line.strip()
    return line if len(line) <= SAID_MAX else f"{line[: SAID_MAX - 1]}…"
