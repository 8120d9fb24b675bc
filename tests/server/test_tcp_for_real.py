"""Bots that import nothing of the arena, at a real server."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.server import tcp_guest
from tests.server.served import Served, a_server


@pytest.mark.slow
def test_the_ten_lines_of_the_document_play(tmp_path: Path) -> None:
    """Two processes of them meet at the open table, one without a name, and play a second match too."""
    with a_server(tmp_path / "data") as server:
        command = [sys.executable, "-I", tcp_guest.__file__, *map(str, server.tcp)]
        bots = [
            subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in ("Romeo", "")
        ]
        try:
            for bot in bots:
                assert bot.stdout is not None
                for line in bot.stdout:
                    question = json.loads(line)
                    if question["game_number"] == 2:
                        break
                others = {name for name, _ in question["other_hands"]}
                assert others in ({"yourself", "Romeo"}, {"yourself", "bot-1"})
            (table,) = httpx.get(f"{server.http}/api/tables").json()
            assert {"Romeo", "bot-1"} == set(table["nicknames"])
        finally:
            for bot in bots:
                bot.kill()
                bot.communicate()


@pytest.mark.slow
def test_a_bot_with_a_key_plays_with_a_person_after_a_kill_too(tmp_path: Path) -> None:
    """The server is killed in mid-match: the bot comes back with its key, and the match goes on."""
    with a_server(tmp_path / "data") as server:
        table = httpx.post(f"{server.http}/api/tables", json={"game": "liars-dice"}).json()
        at = f"/api/tables/{table['id']}"
        ann, bob = (
            httpx.post(f"{server.http}{at}/players", json={"nickname": name}).json()
            for name in ("ann", "bob")
        )
        heard = Bot(server, bob["key"])
        mine = {"Authorization": f"Bearer {ann['key']}"}
        started = httpx.post(f"{server.http}{at}/start", headers=mine).json()
        names = started["match"]["names"]
        assert heard.asked.wait(10)
        server.process.kill()
        heard.join(10)
    with a_server(tmp_path / "data") as server:
        told = httpx.get(f"{server.http}{at}", headers=mine).json()
        assert ("playing", names) == (told["status"], told["match"]["names"])
        again, wrong = Bot(server, bob["key"]), Bot(server, "not a key")
        assert again.asked.wait(10), "it is asked again"
        wrong.join(10)
        assert "no seat at an open table has this token" in wrong.heard[0]
        assert 1 == len(wrong.heard)
    again.join(10)


class Bot(threading.Thread):
    """Runs the ten lines with a key."""

    def __init__(self, server: Served, key: str) -> None:
        super().__init__()
        self.server, self.key = server, key
        self.heard: list[str] = []
        self.asked = threading.Event()
        self.start()

    def run(self) -> None:
        with suppress(OSError):
            for line in tcp_guest.play(self.server.tcp, token=self.key):
                self.heard.append(line)
                if "message_id" in json.loads(line):
                    self.asked.set()
