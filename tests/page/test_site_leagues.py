"""Leagues in a browser: who joins, hands in and looks, with what is on the page alone."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from browsers import DESK
from needs import needs
from site_people import asked
from test_site_pages import barriers

from arena.server.league.hosts import add_host
from arena.terminal.leagues.bot_socket import BotSocket
from arena.terminal.link import read_url
from tests.server.served import Served, a_server

pytestmark = pytest.mark.slow
CODE = "CLASS-2026"
GOOD = """
from arena.sdk import Bot, choose, run
class Chancy(Bot):
    def move(self, state, options):
        return choose(options, self.rng)
run(Chancy)
"""


@attrs.frozen
class Hosted:
    """A server for leagues."""

    server: Served
    token: str
    """That of its host."""
    data: Path


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server for the leagues of all tests here."""
    data = tmp_path_factory.mktemp("leagues") / "data"
    with a_server(data, "127.0.0.1:0", "127.0.0.1:0", "--results", "none", is_quick=True) as server:
        yield Hosted(server, add_host(data, "Eva", "host"), data)


def league(hosted: Hosted, name: str, *, is_paused: bool = True, **settings: Any) -> str:
    """Makes a league that rests, unless it is to be played; returns its address."""
    new = {"name": name, "game": "liars-dice", "rules": {"dice": 1}, "code": CODE} | settings
    asked(hosted.server, "POST", "/api/leagues", new, hosted.token)
    if is_paused:
        asked(hosted.server, "POST", f"/api/leagues/{name}/pause", {}, hosted.token)
    return f"{hosted.server.http}/leagues/{name}"


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page in front of somebody whom the browser does not know."""
    context = chromium.new_context(**DESK)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def joins(page: Any, address: str, name: str) -> str:
    """Joins with the code; returns the token that is shown."""
    page.goto(address)
    page.get_by_label("Your public name, or your team's").fill(name)
    page.get_by_label("The code that you were given").fill(CODE)
    page.get_by_role("button", name="Join", exact=True).click()
    token = page.locator("code.token").inner_text()
    page.get_by_role("button", name="Hand in a bot").click()
    page.get_by_role("heading", name="Your bots").wait_for()
    return str(token)


def hands_in(page: Any, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("A file").set_input_files(file)


@pytest.mark.nightly
@pytest.mark.slow
def test_who_has_the_code_joins_and_hands_in(hosted: Hosted, page: Any) -> None:
    """The browser keeps the token; elsewhere it lets the same person in; a wrong one is said."""
    address = league(hosted, "joining")
    page.goto(address)
    page.get_by_role("alert").get_by_text("Only members see this league").wait_for()
    assert not barriers(page)
    token = joins(page, address, "Ann")
    hands_in(page, "bot.py", GOOD.encode())
    page.get_by_text("Version 1 waits to be tried").wait_for()
    hands_in(page, "bot.py", GOOD.encode())
    page.get_by_text("these are the files of Ann version 1", exact=False).wait_for()
    assert not barriers(page)
    page.reload()
    page.get_by_text("Version 1 waits to be tried").wait_for()
    page.get_by_role("button", name="Forget me in this browser").click()
    page.get_by_label("Your token").fill(token[:-1] + ("A" if token[-1] != "A" else "B"))
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("alert").get_by_text("this token is not valid here", exact=False).wait_for()
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Enter").click()
    page.get_by_text("Version 1 waits to be tried").wait_for()


def test_mistakes_are_said_in_the_servers_words(hosted: Hosted, page: Any) -> None:
    """A code that nobody has, a folder without files, an archive that is none; nothing is changed by them."""
    address = league(hosted, "mistakes", archive_mb=1)
    page.goto(address)
    page.get_by_label("Your public name, or your team's").fill("Bob")
    page.get_by_label("The code that you were given").fill("WRONG-CODE")
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_text("no such code", exact=False).wait_for()
    joins(page, address, "Bob")
    hands_in(page, "bot.py", b"#" * (2 << 20))
    page.get_by_text("the league takes 1.0 MB at most", exact=False).wait_for()
    hands_in(page, "bot.zip", b"PK\x03\x04 and nothing else")
    page.locator(".drop .trouble").wait_for()
    assert not page.get_by_text("Version 1").count()


def test_a_folder_is_packed_in_the_browser(hosted: Hosted, page: Any, tmp_path: Path) -> None:
    """What lies on the server afterwards is the folder, without what no bot needs; names may be in any script."""
    joins(page, league(hosted, "folders"), "Cat")
    bot = tmp_path / "mybot"
    for name, content in {
        "bot.py": GOOD,
        "data/größe.txt": "1",
        ".git/config": "no",
        "empty.txt": "",
    }.items():
        (bot / name).parent.mkdir(parents=True, exist_ok=True)
        (bot / name).write_text(content)
    page.get_by_label("A folder").set_input_files(bot)
    page.get_by_text("Version 1 waits to be tried").wait_for()
    page.get_by_text("Left out: .git").wait_for()
    (there,) = [place for place in hosted.data.glob("bots/*/") if (place / "empty.txt").exists()]
    found = {str(file.relative_to(there)): file.read_text() for file in there.rglob("*") if file.is_file()}
    assert found == {"bot.py": GOOD, "data/größe.txt": "1", "empty.txt": ""}


def test_the_leagues_that_show_themselves_are_listed(hosted: Hosted, page: Any) -> None:
    league(hosted, "shown", look="public")
    league(hosted, "hidden")
    page.goto(f"{hosted.server.http}/leagues")
    page.get_by_role("link", name="shown").wait_for()
    assert not page.get_by_role("link", name="hidden").count()
    assert not barriers(page)
    page.get_by_role("link", name="shown").click()
    page.get_by_text("A league of Liar's Dice").wait_for()


@needs("bubblewrap")
def test_a_bot_that_is_handed_in_plays_and_stands_somewhere(hosted: Hosted, page: Any) -> None:
    """From the file to its place in the standings, with nothing but the page."""
    address = league(hosted, "played", is_paused=False)
    joins(page, address, "Dan")
    hands_in(page, "bot.py", GOOD.encode())
    page.get_by_text("Version 1 plays").wait_for()
    assert page.title() == "Playing: played · Arena"
    page.get_by_role("row").filter(has_text="yours").wait_for()
    assert not barriers(page)
    page.get_by_role("row").filter(has_text="yours").get_by_role("link").click()
    page.get_by_role("heading", name="Match-ups").wait_for()
    assert page.title() == "Playing: Dan · Arena"
    assert not barriers(page)
    page.get_by_role("link", name="All matches", exact=True).click()
    page.get_by_role("status").get_by_text(re.compile("[1-9][0-9]* match")).wait_for()
    page.get_by_role("link", name="The league").click()
    hands_in(page, "bot.py", b"raise KeyError('hand')")
    page.get_by_text("Dan version 2 was refused").wait_for()
    assert page.title() == "Refused: played · Arena"
    page.get_by_role("link", name="Why, and what to do").click()
    page.get_by_text("arena check ./mybot --game liars-dice --rule dice=1").wait_for()
    page.get_by_text("Earlier versions").click()
    page.get_by_role("button", name="What version 1 printed").wait_for()
    assert not barriers(page)
    asked(hosted.server, "POST", "/api/leagues/played/pause", {}, hosted.token)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_host_runs_a_league_by_keyboard(hosted: Hosted, page: Any) -> None:
    """Who handed in, an exclusion with its reason, settings, a pause and the log; on a phone's width in the dark, too."""
    address = league(hosted, "hosting", is_paused=False)
    api = "/api/leagues/hosting"
    for name in ("Ann", "Bob"):
        joined = asked(hosted.server, "POST", f"{api}/owners", {"name": name, "code": CODE})
    asked(hosted.server, "POST", f"{api}/versions?file=bot.py", {}, joined["token"])
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    page.get_by_label("Your token").fill(hosted.token)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="2 owners, 1 without a bot").wait_for()

    def presses(what: Any) -> None:
        what.focus()
        page.keyboard.press("Enter")

    presses(page.get_by_role("button", name="Pause the league"))
    page.get_by_role("button", name="Go on with the league").wait_for()
    page.get_by_label("A message to everybody").fill("It ends on Friday.")
    page.keyboard.press("Enter")
    page.get_by_text("Everybody in the league can read it.").wait_for()
    presses(page.locator("summary", has_text="Bob"))
    why = page.get_by_label("Why; everybody in the league can read it").last
    why.fill("asks others")
    page.keyboard.press("Enter")
    page.get_by_text("Excluded: asks others").wait_for()
    presses(page.get_by_role("button", name="Take it in again"))
    page.get_by_text("Excluded: asks others").wait_for(state="detached")
    for part in ("Codes and roster", "Settings", "Log"):
        presses(page.locator("summary", has_text=part))
    page.get_by_label("entries per owner").fill("3")
    page.keyboard.press("Enter")
    page.get_by_text("sets entries_per_owner to 3").wait_for()
    page.get_by_text("says: It ends on Friday.").wait_for()
    assert 360 == page.evaluate("document.documentElement.scrollWidth")
    assert not barriers(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    assert not barriers(page)
    assert not page.locator(":is([aria-live], [role=status], [role=alert], [role=log]) .standings").count()


class AnsweringBot(threading.Thread):
    """A program of somebody's, over a WebSocket: it bids once more, or challenges."""

    def __init__(self, hosted: Hosted, token: str) -> None:
        super().__init__()
        self.socket = BotSocket(read_url(hosted.server.http))
        hello = {"type": "hello", "protocol": 1, "name": "dicer", "token": token}
        assert self.socket.send(json.dumps(hello))
        self.start()

    def run(self) -> None:
        for message in map(json.loads, self.socket.messages()):
            if message["type"] == "ask":
                form = message["options"][0]["form"]
                move = [6, 1] if isinstance(form, list) else form
                self.socket.send(json.dumps({"message_id": message["message_id"], "move": move}))


def test_who_lets_a_bot_connect_sees_it_come_and_answer(hosted: Hosted, page: Any) -> None:
    """The page says how; a version is named there, as nothing shows that a program is another one."""
    address = league(hosted, "connecting", is_paused=False)
    token = joins(page, address, "Ann")
    page.get_by_text("Or let it run where you are").click()
    page.get_by_text(f"ARENA_TOKEN={token} arena join {address} --bot ./mybot").wait_for()
    assert not barriers(page)
    page.get_by_role("button", name="Name a new version that connects").click()
    page.get_by_text("Version 1 waits for its connection", exact=True).wait_for()
    bot = AnsweringBot(hosted, token)
    try:
        for seen in ("Version 1 plays", "ms there and back", "named Ann", "answered"):
            page.get_by_text(seen, exact=False).first.wait_for()
        page.locator(".arrival .done", has_text="answered").wait_for()
        assert not barriers(page)
    finally:
        bot.socket.close()
        bot.join(10)
    page.get_by_text("not connected").wait_for()
    asked(hosted.server, "POST", "/api/leagues/connecting/pause", {}, hosted.token)
