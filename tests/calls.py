"""`arena WORDS` in the process of the tests, as a shell would call it."""

from __future__ import annotations

import signal
import sys

import pytest

from arena.cli import main


def call(capsys, monkeypatch, *words: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # else `python -m pytest` names itself
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        signal.signal(signal.SIGTERM, before)
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err
