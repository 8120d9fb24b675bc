"""A league that one user serves and another one plays: `other_user.py TOP`, run as root in a mount namespace of its own.

Prints in JSON what the owner of a bot was answered, and what the user who plays could read of the server's folder.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HOUSE = Path(__file__).parents[2]
sys.path[:0] = [str(HOUSE), str(HOUSE / "tests" / "worlds")]

import httpx  # noqa: E402
from enter import open_interpreter  # noqa: E402

SERVES, PLAYS = 61001, 61002
WAIT_S_MAX = 60
ARENA = [sys.executable, "-m", "arena"]
BOT = """
import sys
from arena.sdk import Bot, choose, run
class Chancy(Bot):
    def move(self, state, options):
        print("I am here", file=sys.stderr)
        return choose(options, self.rng)
run(Chancy)
"""
DRILL = """
import json, os, sys
from pathlib import Path
data, found = Path(sys.argv[1]), []
for place in map(Path, sys.argv[2:]):
    try:
        place.is_dir() and os.listdir(place) or place.read_bytes()
        found.append(str(place.relative_to(data)))
    except OSError:
        pass
print(json.dumps(found))
"""


def of_user(user: int, groups: Sequence[int], *words: str | Path) -> list[str]:
    """The words that run a command as a user with these groups beside its own."""
    more = f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups"
    return ["setpriv", f"--reuid={user}", f"--regid={user}", more, "--inh-caps=-all", *map(str, words)]


def main(top: Path) -> dict[str, Any]:
    """All that happened."""
    open_interpreter(top)
    for name, user in ("serves", SERVES), ("plays", PLAYS):
        (top / name).mkdir(mode=0o750)
        os.chown(top / name, user, user)
    (top / "serves").chmod(0o711)
    data, socket = top / "serves" / "data", top / "plays" / "socket"
    env = {**os.environ, "PYTHONPATH": str(HOUSE), "HOME": str(top)}
    play = [*ARENA, "league", "play", socket]
    serve = [
        *ARENA,
        "serve",
        "--http",
        "127.0.0.1:0",
        "--listen",
        "none",
        "--data",
        data,
        "--players",
        socket,
    ]
    with subprocess.Popen(of_user(PLAYS, (), *play), cwd=top / "plays", env=env) as player:
        try:
            waits(socket.is_socket)
            words = of_user(SERVES, (PLAYS,), *serve)
            with subprocess.Popen(
                words, cwd=top / "serves", env=env, stderr=subprocess.PIPE, text=True
            ) as server:
                try:
                    return watched(server, data)
                finally:
                    server.kill()
        finally:
            player.terminate()


def watched(server: subprocess.Popen[str], data: Path) -> dict[str, Any]:
    """Has a bot handed in, and looks at it once it has played."""
    said = ""
    assert server.stderr is not None
    while (found := re.search(r"serving on (\S+)[\s\S]*another\): (\S+)", said)) is None:
        line = server.stderr.readline()
        assert line, said
        said += line
    with httpx.Client(base_url=f"{found[1]}/api/leagues", timeout=30) as http:
        host = {"Authorization": f"Bearer {found[2]}"}
        league = {"name": "class", "game": "liars-dice", "rules": {"dice": 1}, "join": "open"}
        assert http.post("", json=league, headers=host).status_code == 201
        owner = {
            "Authorization": f"Bearer {http.post('/class/owners', json={'name': 'Ann'}).json()['token']}"
        }
        sent = http.post("/class/versions", params={"file": "bot.py"}, content=BOT.encode(), headers=owner)
        assert sent.status_code in (200, 201, 202), sent.text

        def has_played() -> bool:
            nonlocal played
            played = http.get("/class/bots/b1/matches", headers=owner)
            return played.status_code == 200 and bool(played.json()["matches"])

        played: httpx.Response
        waits(has_played)
        log = http.get("/class/bots/b1/log", headers=owner)
        places = [data, *sorted(data.rglob("*"))]
        drill = of_user(PLAYS, (), sys.executable, "-c", DRILL, data, *places)
        read = subprocess.run(drill, capture_output=True, text=True, check=True).stdout
        return {
            "matches": len(played.json()["matches"]),
            "log": log.json(),
            "places": [str(place.relative_to(data)) for place in places],
            "read": json.loads(read),
        }


def waits(is_so: Any) -> None:
    """Returns once it is so."""
    ends_at = time.monotonic() + WAIT_S_MAX
    while not is_so():
        assert time.monotonic() < ends_at, f"not within {WAIT_S_MAX} s"
        time.sleep(0.05)


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
