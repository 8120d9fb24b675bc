"""`arena WORDS` in the process of the tests, as a shell would call it."""

from __future__ import annotations

import io
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from arena.cli import main


def exit_code(*words: object) -> int:
    """What `arena WORDS` ends with; it prints to `sys.stdout` and `sys.stderr`."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["arena", *map(str, words)])
            patch.setattr(sys.modules["__main__"], "__package__", None)  # else it names `python -m pytest`
            main()
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        signal.signal(signal.SIGTERM, before)
    raise AssertionError("main() returned")


def called(*words: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error, where no test has them caught."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        code = exit_code(*words)
    out.seek(0), err.seek(0)
    return code, out.read(), err.read()


def call(capsys, monkeypatch, *words: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    code = exit_code(*words)
    said = capsys.readouterr()
    return code, said.out, said.err
