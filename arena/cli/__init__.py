"""The command line: words -> one function call -> print.  Results go to stdout, all else to stderr."""

from __future__ import annotations

import errno
import os
import signal
import sys

import click

from arena.cli import (  # noqa: F401  (their commands)
    ask,
    bench,
    check,
    doctor,
    exploit,
    help,
    new,
    read,
    replay,
    schema,
    serve,
    table,
    torture,
    verify,
)
from arena.cli.group import BUG, DONE, INTERRUPTED, MISTAKE, TERMINATED, cli
from arena.cli.leagues import join, league, league_backup, league_hosting, submit  # noqa: F401
from arena.cli.runs import play  # noqa: F401
from arena.errors import ArenaError, ConfigError

__all__ = ["cli", "main"]

END_AGAIN_S = 5
"""How long an orderly end may take after SIGTERM until it is asked for once more (s)."""


def main() -> None:
    """Runs the program `arena`: a mistake is one sentence on stderr, and every ending has its exit code."""
    _make_streams_safe()
    signal.signal(signal.SIGTERM, _end)  # unless `run` hears it
    try:
        _check_system()
        code = cli.main(standalone_mode=False) or DONE
    except click.ClickException as error:
        from arena.cli.mistakes import worded

        code = _mistaken(worded(error))
    except ArenaError as error:
        from arena.cli.mistakes import told_mistake

        code = _mistaken(told_mistake(error))
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except Exception as error:
        code = _unforeseen(error)
    finally:
        signal.alarm(0)
    sys.exit(TERMINATED if _asked_to_end else code)


_asked_to_end: list[object] = []
"""The signals that have asked the program to end."""


def _end(*signals: object) -> None:
    """Ends the program, in order.

    An exception that a signal raises can be lost in code that clears all of them, as when pandas is imported.
    So it is raised again if the program still runs after a while, and the exit code says that it was asked to
    end even if it was done before that.
    """
    _asked_to_end.append(signals)
    signal.signal(signal.SIGALRM, _end)
    signal.alarm(END_AGAIN_S)
    sys.exit(TERMINATED)


def _mistaken(sentence: str) -> int:
    """Prints the user's mistake, wrapped to the width of the terminal; returns the exit code."""
    from arena.terminal.text import columns_of, wrapped

    columns = columns_of(sys.stderr)
    for line in f"arena: {_told(sentence)}".split("\n"):
        print("\n".join(wrapped(line, columns)), file=sys.stderr)
    return MISTAKE


def _unforeseen(error: Exception) -> int:
    """Prints an error that is no mistake of the user's as far as we know; returns the exit code."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # wherever a path was said
        from arena.reading.units import shown

        print(f"arena: {shown(error.filename)} is too long for the name of a file", file=sys.stderr)
        return MISTAKE
    import traceback

    traceback.print_exc()
    print("arena: this is a bug of the arena, not of a bot; the traceback above says where", file=sys.stderr)
    return BUG


def _told(message: str) -> str:
    """The message in lines that no terminal obeys, though it repeats what files and users say."""
    from arena.words import printable

    return "\n".join(map(printable, message.split("\n")))


def _make_streams_safe() -> None:
    """Makes the standard streams exist and take any text.

    A closed one (`>&-`) would be the next file that is opened; one that is not UTF-8 would raise at `–`.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _check_system() -> None:
    """Raises ConfigError where there are no process groups or POSIX signals, and in a folder that is gone."""
    if sys.platform == "win32":
        raise ConfigError(
            "the arena needs Linux or macOS; on Windows, run it in WSL (Windows Subsystem for Linux)"
        )
    try:
        os.getcwd()
    except OSError:
        raise ConfigError("the folder you are in is not there any more: change to another one") from None
