"""`arena league` and `arena submit` on a server that runs: a host's first league, and a student's first bot."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import httpx
import pytest
from calls import called

from arena.server.league.hosts import add_host
from tests.server.served import a_server


@pytest.mark.slow
def test_a_class_by_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command on the league's page does what it says; who has no token is told how to get one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    with a_server(data) as server:
        code, host, _ = called("league", "token", "--data", data, "--name", "Eva")
        assert 0 == code

        def arena(*words: object, token: str = "", fails: bool = False) -> str:
            """What a command prints, here on both streams."""
            with pytest.MonkeyPatch.context() as patch:
                if token:
                    patch.setenv("ARENA_TOKEN", token.strip())
                code, out, err = called(*words, "--to", server.http)
            assert (2 if fails else 0) == code, err
            return out + err

        assert "needs a token" in arena("league", "new", "class-7b", fails=True)
        made = arena(
            "league", "new", "class-7b", "--rule", "dice=3", "--set", "entries_per_owner=2", token=host
        )
        (join_code,) = re.findall(r"its code: (\S+)", made)
        assert "arena league join class-7b" in arena("league", "show", "class-7b", fails=True)
        assert "such code" in arena(
            "league", "join", "class-7b", "--code", "guess-1", "--name", "Ann", fails=True
        )
        arena("league", "join", "class-7b", "--code", join_code.lower(), "--name", "Ann")
        (tmp_path / "mybot.py").write_text("# a bot\n")
        code, _, said = called(
            "submit", "mybot.py", "--to", f"{server.http}/leagues/class-7b", "--name", "dicer"
        )
        assert (3, True) == (code, "(b1@1)" in said)
        said = arena("league", "download", "class-7b", "b1", "1", "--out", "back.zip")
        assert "back.zip has version 1 of b1" in said
        assert ["bot.py"] == zipfile.ZipFile(tmp_path / "back.zip").namelist()
        assert "is there already" in arena(
            "league", "download", "class-7b", "b1", "1", "--out", "back.zip", fails=True
        )
        assert "no version 2" in arena("league", "download", "class-7b", "b1", "2", fails=True)
        assert re.search("b1 +dicer +Ann", arena("league", "show", "class-7b"))
        shown = json.loads(arena("league", "show", "class-7b", "--json"))
        assert ({"dice": 3}, "b1") == (shown["league"]["rules"], shown["bots"][0]["id"])
        assert "class-7b" in arena("league", "list")

        (tmp_path / "people.csv").write_bytes("\ufeffName;Team;ID\r\nAda L;red;1\r\n".encode())
        printed = arena("league", "roster", "class-7b", "people.csv", token=host)
        assert re.fullmatch(r"name,team,id,code\nAda L,red,1,\w{5}-\w{5}\n", printed)
        assert "Ada L,red,1,,,0,0" in arena("league", "roster", "class-7b", token=host)
        assert re.fullmatch(r"\w{5}-\w{5}\n", arena("league", "code", "class-7b", token=host))
        arena("league", "code", "class-7b", "--code", "my own code", token=host)
        arena("league", "code", "class-7b", "--revoke", token=host)
        assert re.fullmatch(r"\w{5}-\w{5}\n", arena("league", "code", "class-7b", "--owner", "o1"))
        arena("league", "set", "class-7b", "look=public", "hand_ins_per_day=5", token=host)
        assert "nosuch" in arena("league", "set", "class-7b", "nosuch=1", token=host, fails=True)
        arena("league", "pause", "class-7b", token=host)
        assert "paused" in arena("league", "show", "class-7b")
        arena("league", "pause", "class-7b", "--resume", token=host)
        arena("league", "exclude", "class-7b", "b1", "--why", "asks others", token=host)
        assert re.search("excluded +asks others", arena("league", "show", "class-7b"))
        arena("league", "exclude", "class-7b", "b1", "--undo", token=host)
        arena("league", "rename", "class-7b", "b1", "roller")
        assert "only a host" in arena("league", "rename", "class-7b", "b1", "--hide", fails=True)
        arena("league", "back", "class-7b", "b1")
        assert "has never played" in arena(
            "league", "back", "class-7b", "b1", "--to-version", "1", fails=True
        )
        assert "number of a version" in arena(
            "league", "retry", "class-7b", "b1", "x", token=host, fails=True
        )
        arena("league", "log", "class-7b", "--say", "it ends on Friday", token=host)
        log = arena("league", "log", "class-7b")
        assert re.search(r"Eva +says: it ends on Friday", log)
        arena("league", "ban", "class-7b", "o1", token=host)
        arena("league", "ban", "class-7b", "o1", "--undo", token=host)
        assert "o1 is forgotten" in arena("league", "forget", "class-7b", "o1", token=host)
        assert "not valid here" in arena("league", "show", "class-7b", fails=True)


def test_nobody_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    code, out, err = called("league", "list", "--to", "http://127.0.0.1:1")
    assert (2, "", True) == (code, out, "is `arena serve` running there?" in err)
    code, _, err = called("league", "nosuch")
    assert (2, True) == (code, "nosuch" in err)
    code, _, err = called("league", "new", "class", "--set", "look", "--to", "http://127.0.0.1:1")
    assert (2, True) == (code, "KEY=VALUE" in err)


@pytest.mark.nightly
@pytest.mark.slow
def test_what_was_answered_is_there_after_a_kill(tmp_path: Path) -> None:
    """The league, the token, the version and its files; a second start prints no token for hosts."""
    host = {"Authorization": f"Bearer {add_host(tmp_path, 'Eva', 'host')}"}
    with a_server(tmp_path) as server:
        made = httpx.post(
            f"{server.http}/api/leagues", json={"name": "class", "game": "liars-dice"}, headers=host
        )
        body = {"name": "Ann", "code": made.json()["code"]}
        at = f"{server.http}/api/leagues/class"
        ann = {"Authorization": f"Bearer {httpx.post(f'{at}/owners', json=body).json()['token']}"}
        taken = httpx.post(f"{at}/versions?file=bot.py", content=b"# a bot\n", headers=ann)
        assert 201 == taken.status_code
        server.process.kill()
    with a_server(tmp_path) as server:
        at = f"{server.http}/api/leagues/class"
        me = httpx.get(f"{at}/me", headers=ann).json()
        (version,) = me["bots"][0]["versions"]
        assert ("Ann", "b1@1", taken.json()["version"]["hash"]) == (
            me["owner"]["name"],
            version["id"],
            version["hash"],
        )
        assert 200 == httpx.get(f"{at}/bots/b1/versions/1", headers=ann).status_code
        again = httpx.post(f"{at}/versions?file=bot.py", content=b"# a bot\n", headers=ann)
        assert (200, False) == (again.status_code, again.json()["is_new"])
