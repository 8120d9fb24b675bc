"""What is done in a cell: each errand is a short real use of the arena, and fails by an AssertionError."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from arena.starter import LANGUAGES

from .site import Site

QUICKER = {"-O2": "-O0", "build --release": "build", "build/release": "build/debug"}
"""In the recipes of `arena new`: what is compiled faster plays the same."""
UNDEBUGGED = "\n[profile.dev]\ndebug = false\nincremental = false\n"
"""For Cargo: without what only a debugger reads and the next build uses, a build takes half the time."""
OWN = {
    "bot.py": """from arena.sdk import Bot, run
import sibling
from parts import inner


class Own(Bot):
    def move(self, state, options):
        return inner.chosen(options, self.rng)


if __name__ == "__main__":
    run(Own)
""",
    "sibling.py": "from arena.sdk import choose\n",
    "parts/__init__.py": "",
    "parts/inner.py": "from sibling import choose as chosen\n",
}
"""A bot with a module beside it and a package of its own."""
POLLS_MAX = 40


def house_clone(site: Site) -> None:
    site.run("odds", "random", cwd=site.clone, out=f"results/{site.cell.name}")


def house_empty(site: Site) -> None:
    site.run("odds", "random")


def new(language: str, site: Site) -> None:
    site.call("arena", "new", "mybot", "--lang", language)
    recipe = site.folder / "mybot" / "bot.toml"
    text = recipe.read_text()
    for slow, fast in QUICKER.items():
        text = text.replace(slow, fast)
    recipe.write_text(text)
    if (manifest := recipe.with_name("Cargo.toml")).exists():
        manifest.write_text(manifest.read_text() + UNDEBUGGED)
    site.run("mybot", "random")


def own_inside(site: Site) -> None:
    """Twice: when the second run begins, results lie in the bot's own folder."""
    site.write(OWN, site.folder / "mybot")
    for out in ("results/first", "results/second"):
        site.run(".", "random", cwd=site.folder / "mybot", out=out)


def own_outside(site: Site) -> None:
    site.write(OWN, site.folder / "mybot")
    site.run("./mybot", "random")


def check(site: Site) -> None:
    site.write(OWN, site.folder / "mybot")
    site.call("arena", "check", "mybot", "--max-time", "2s")


def compare(site: Site) -> None:
    mine = site.folder / "mybot"
    site.write(OWN, mine)
    git = partial(site.call, "git", "-c", "user.name=a", "-c", "user.email=a@b", cwd=mine)
    git("init", "-q")
    for text in ("# first\n", "# second\n"):
        site.write({"notes.py": text}, mine)
        git("add", ".")
        git("commit", "-q", "-m", "one more")
    said = site.call(
        "arena",
        "compare",
        ".",
        "git:HEAD~1",
        "--max-series",
        "10",
        "--rule",
        "dice=1",
        cwd=mine,
        codes=(0, 1, 3),
    )
    assert "10 series" in said, said


def play(site: Site) -> None:
    """The first legal move, until it is over."""
    words = ("--against", "odds", "--against", "random", "--rule", "dice=1", "--seed", "1")
    said = site.call("arena", "play", "liars-dice", *words, input="1\n" * 200)
    assert "the match is over" in said, said
    assert "could not be started" not in said


def server(site: Site) -> None:
    """A person with one die against a house bot with one, at a table, until the match is over."""
    words = ("arena", "serve", "--http", "127.0.0.1:0", "--listen", "none", "--data", "kept")
    with subprocess.Popen(
        site.words(*words), cwd=site.folder, env=site.environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            said = ""
            while not (found := re.search(r"http://[\d.]+:\d+", said)):
                line = process.stderr.readline()
                assert line, said
                said += line
            _played_at(f"{found[0]}/api/tables")
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()


def _played_at(tables: str) -> None:
    key = ""

    def ask(path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(tables + path, data=data)
        request.add_header("Content-Type", "application/json")
        if key:
            request.add_header("Authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {body}: {error.read().decode()}") from None

    at = "/" + ask("", {"game": "liars-dice", "rules": {"dice": 1}})["id"]
    key = ask(f"{at}/players", {"nickname": "ann"})["key"]
    ask(f"{at}/bots", {"bot": "odds"})
    ask(f"{at}/start", {})
    version, table = 0, {}
    for _ in range(POLLS_MAX):
        table = ask(f"{at}?after={version}&wait=10")
        version = table["version"]
        if (table["match"] or {}).get("ranks") is not None:
            return
        kinds = {option["kind"] for option in table["you"]["options"] or ()}
        if kinds:  # the highest bid there is, which the bot can only challenge
            move = "challenge" if "Challenge" in kinds else [6, 2] if "Bid" in kinds else "pass"
            ask(f"{at}/moves", {"move": move})
    raise AssertionError(f"the match does not end: {table}")


def venv(site: Site) -> None:
    """A bot with a virtual environment in its folder, in which it has a library."""
    site.call("arena", "new", "mybot", "--lang", "python-plain")
    mine = site.folder / "mybot"
    site.call("python", "-m", "venv", "--without-pip", ".venv", cwd=mine)
    (library,) = (mine / ".venv").glob("lib/python*/site-packages")
    site.write({"only_here.py": ""}, library)
    text = "import only_here\n" + (mine / "bot.py").read_text()
    recipe = (mine / "bot.toml").read_text().replace("python3 bot.py", ".venv/bin/python bot.py")
    site.write({"bot.py": text, "bot.toml": recipe}, mine)
    site.run("./mybot", "random")


def link(site: Site) -> None:
    """A bot's folder that is reached by a link."""
    site.write(OWN, site.folder / "elsewhere" / "mybot")
    (site.folder / "mybot").symlink_to("elsewhere/mybot")
    site.run("./mybot", "random")


def names(site: Site) -> None:
    """Blanks and letters beyond ASCII on the way to the bot, and in the folder of the run."""
    top = site.folder / "mes bots — größte Mühe"
    site.write(OWN, top / "mon été")
    site.give(top)
    site.run("mine=./mon été", "random", cwd=top)


def tmp(site: Site) -> None:
    """A bot in /tmp, where a box has a folder of its own."""
    mine = Path(tempfile.mkdtemp(prefix="arena-worlds-", dir="/tmp"))
    try:
        site.write(OWN, mine)
        site.run(f"mine={mine}", "random")
    finally:
        shutil.rmtree(mine)


ERRANDS: Mapping[str, Callable[[Site], None]] = {
    "house-clone": house_clone,
    "house-empty": house_empty,
    **{f"new-{name}": partial(new, name) for name in LANGUAGES},
    "own-inside": own_inside,
    "own-outside": own_outside,
    "check": check,
    "compare": compare,
    "play": play,
    "server": server,
    "venv": venv,
    "link": link,
    "names": names,
    "tmp": tmp,
}
