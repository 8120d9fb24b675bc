"""A bot of this machine that is brought to a league: what it says, and how often it comes back."""

from __future__ import annotations

import queue
import sys
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.terminal.leagues import joining
from arena.terminal.leagues.bot_here import start_here
from arena.terminal.leagues.joining import Visit, bring_bot, own_bot
from arena.terminal.leagues.league_link import LeagueLink, read_league_url
from arena.terminal.link import NoAnswer

LINK = LeagueLink(*read_league_url("http://127.0.0.1:1/leagues/class"), "token")
BOT = Entrant(name="dicer", kind="process")
PLAYED, LOST = Visit(True), Visit(False)


@pytest.mark.parametrize(
    ("case", "visits", "code", "said"),
    [
        ("never let in", [Visit(False, "no league has this token")], 2, "dicer was not let in: no league"),
        ("a program that ends", [Visit(False, "", True)], 2, "its program ended"),
        (
            "it has failed",
            [PLAYED, Visit(True, "this version plays no more")],
            1,
            "it plays no more: this version",
        ),
        (
            "the server was away",
            [PLAYED, NoAnswer("gone"), LOST, Visit(True, "enough")],
            1,
            "gone: it comes back",
        ),
    ],
)
def test_it_comes_back_until_it_is_sent_away(monkeypatch, case, visits, code, said):
    """Once it was let in; who never was is told why at once."""
    left, heard, waited = list(visits), list[str](), list[float]()

    def visit(*words: object) -> Visit:
        if isinstance(found := left.pop(0), NoAnswer):
            raise found
        return found

    monkeypatch.setattr(joining, "_visit", visit)
    monkeypatch.setattr(LeagueLink, "of_league", lambda *words: None)
    assert code == bring_bot(LINK, BOT, "", heard.append, waited.append), case
    assert any(line.startswith(said) or said in line for line in heard)
    assert [1.0, 2.0, 4.0][: len(visits) - 1] == waited, "longer each time"


def test_nobody_answers_at_first(monkeypatch):
    monkeypatch.setattr(joining, "start_here", lambda bot: pytest.fail("nothing is started in vain"))
    with pytest.raises(ConfigError, match="is `arena serve` running there"):
        bring_bot(LINK, BOT, "", print)


@pytest.mark.slow
def test_what_a_program_says_comes_line_by_line(tmp_path: Path):
    """Also without a newline at its end, over either transport; silence is not the end."""
    (tmp_path / "bot.py").write_text(
        "import sys, time\nprint('one\\n\\ntw', end='', flush=True)\nsys.stdin.readline()\nprint('o', end='')\n"
    )
    bot = Entrant(
        name="b", kind="process", run=(sys.executable, "bot.py"), folder=tmp_path, transport="stdio"
    )
    here = start_here(bot)
    assert b"one" == here.line(20)
    with pytest.raises(queue.Empty):
        here.line(0.01)
    here.send(b"{}\n")
    assert [b"two", None, None] == [here.line(20) for _ in range(3)]
    here.end()


@pytest.mark.slow
def test_a_program_that_does_not_connect_is_said(tmp_path: Path):
    (tmp_path / "bot.py").write_text("raise SystemExit(7)")
    bot = Entrant(name="b", kind="process", run=(sys.executable, "bot.py"), folder=tmp_path)
    with pytest.raises(ConfigError, match="exit code 7 before it connected"):
        start_here(bot)


def test_only_programs_are_brought():
    with pytest.raises(ConfigError, match="is no program"):
        own_bot("arena.testing.bots:RandomBot")
