"""The site's files: what is served, how browsers keep it, and that no request reaches anything else."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import httpx
import pytest
from raw_http import headers_of, request, said_by, served, status_of

from arena.games import GAMES
from arena.refusal import Refusal
from arena.server.http.guard import Guard, GuardOptions
from arena.server.http.routing import Routing
from arena.server.kept.finished import LinkCard
from arena.server.kept.past_turn import PastTurn, TurnWanted
from arena.server.site.site import ROOTS, Site

SECRET = "nobody may read this"
SCRIPT = "export const line = 'the same again and again';\n" * 20


def a_folder(folder: Path) -> dict[str, Path]:
    """A page and a game, beside files that are not served."""
    page, games = folder / "page", folder / "games"
    (page / "vendor").mkdir(parents=True)
    (games / "dice").mkdir(parents=True)
    (page / "site.html").write_text("<!doctype html><title>arena</title>")
    (page / "vendor" / "tiny.js").write_text(SCRIPT)
    (page / "film.py").write_text(SECRET)
    (page / "vendor" / "LICENSE").write_text(SECRET)
    (games / "dice" / "board.js").write_text("export function board() {}")
    (folder / "secret.js").write_text(SECRET)
    (page / "linked.js").symlink_to(folder / "secret.js")
    (page / "elsewhere").symlink_to(folder)
    return {"page": page, "games": games}


@asynccontextmanager
async def asked(
    site: Site, allowed: str = "", embedder: str = "", base: str = ""
) -> AsyncIterator[httpx.AsyncClient]:
    options = GuardOptions(
        origins=frozenset(filter(None, [allowed])),
        embedders=frozenset(filter(None, [embedder])),
        base_path=base,
    )
    app = Guard(Routing(site.routes()), options, note_bug=lambda text: pytest.fail(text))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        yield http


@pytest.mark.parametrize(
    "path", ["/", "/tables/7", "/tables/<b>", "/matches/0123456789ab", "/results", "/results/a%20b/matches/7"]
)
async def test_every_page_is_the_same_file(path: str, tmp_path: Path) -> None:
    """An address of something that is not there too: the page says so."""
    async with asked(Site(a_folder(tmp_path))) as http:
        answer = await http.get(path)
    assert 200 == answer.status_code
    assert "<!doctype html><title>arena</title>" == answer.text
    assert "text/html; charset=utf-8" == answer.headers["content-type"]
    assert "no-cache" == answer.headers["cache-control"]
    assert "unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.slow
async def test_a_site_below_a_path() -> None:
    """Nothing is elsewhere; whoever comes there is told, and all links lead below the path."""
    here, elsewhere = (
        ("/arena", "/arena/", "/arena/tables/7/"),
        ("/", "/arenas", "/tables/7", "/static/page/site.js"),
    )
    async with asked(Site(base="/arena"), base="/arena") as http:
        for path in (*here, "/arena/arena", *elsewhere):
            answer = await http.get(path, headers={"Accept": "text/html"})
            assert (200 if path in here else 404) == answer.status_code
            links = re.findall(r'(?:href|src)="([^"]+)"', answer.text)
            assert links
            assert all(link.startswith("/arena/") for link in links)
            assert (path in elsewhere) == ("all that is here is below /arena/" in answer.text)


async def test_a_link_is_shown_with_its_game() -> None:
    """To whom somebody sends it: the game's title, what can be done there, and its picture by a whole address."""
    async with asked(Site(game_of={"7": "liars-dice", "8": "<b>"}.get)) as http:
        table, other, first = [(await http.get(path)).text for path in ("/tables/7", "/tables/8", "/")]
        picture = await http.get("/static/page/pictures/liars-dice.png")
    assert '<meta property="og:title" content="Liar&#x27;s Dice">' in table
    assert "A table of Liar&#x27;s Dice: whoever has this link can join or watch." in table
    assert 'og:image" content="http://localhost/static/page/pictures/liars-dice.png"' in table
    assert 200 == picture.status_code
    assert all('<meta property="og:title" content="Arena">' in page for page in (other, first))


@pytest.mark.parametrize(
    ("path", "script"), [("/", "home"), ("/tables/7", "table"), ("/results/a/matches/7", "match")]
)
async def test_a_page_names_all_scripts_that_it_needs(path: str, script: str) -> None:
    """So that a browser asks for all at once, and not for one after another; of a table also the board of its game."""
    async with asked(Site(game_of={"7": "holdem"}.get)) as http:
        linked = re.findall(r'modulepreload" href="([^"]+)"', (await http.get(path)).text)
        needed = {f"/static/page/site/{script}.js"}
        for address in linked:
            imported = re.findall(r'^import [^"]*"(\.[^"]*)";', (await http.get(address)).text, re.M)
            needed |= {httpx.URL(f"http://x{address}").join(each).path for each in imported}
    assert needed <= {*linked}
    assert len({*linked}) == len(linked)
    assert path == "/" or any(address.endswith("/board.js") for address in linked)


FRAMED = {"sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site"}


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("/results/a%23b", "/results/a%23b"),
        ("//evil.example/results", "/evil.example/results"),
        ("/results/a/matches?bot=ann&only=lost", "/results/a/matches?bot=ann&amp;only=lost"),
    ],
)
async def test_a_page_that_is_not_shown_leads_to_itself_alone(path: str, link: str) -> None:
    """To this address and no other, whatever stands in it."""
    async with asked(Site()) as http:
        answer = await http.get(f"http://localhost{path}", headers=FRAMED)
    assert 403 == answer.status_code
    assert f'<a href="{link}" target' in answer.text


@pytest.mark.parametrize(("port", "told"), [(8888, ['<meta name="bots-port" content="8888">']), (None, [])])
async def test_the_page_says_where_bots_connect(port: int | None, told: list[str]) -> None:
    """To their authors; nothing if none can connect."""
    async with asked(Site(bots_port=port)) as http:
        page = (await http.get("/")).text
    assert told == re.findall(r'<meta name="bots-port"[^>]*>', page)


BLOG = "https://blog.example"


@pytest.mark.parametrize(
    ("path", "referer", "embedder", "is_shown"),
    [
        ("/matches/7", f"{BLOG}/", BLOG, True),
        ("/results/a/matches/7", f"{BLOG}/posts/1", BLOG, True),
        ("/matches/7", "", BLOG, True),  # the browser knows who shows it
        ("/matches/7", "https://other.example/", BLOG, False),
        ("/matches/7", f"{BLOG}.evil.example/", BLOG, False),
        ("/matches/7", f"{BLOG}/", "", False),
        ("/tables/7", f"{BLOG}/", BLOG, False),
        ("/", f"{BLOG}/", BLOG, False),
    ],
)
async def test_pages_within_those_of_other_sites(
    path: str, referer: str, embedder: str, is_shown: bool, tmp_path: Path
) -> None:
    """Matches and reports within those of the sites that the host named; elsewhere it is said why not."""
    async with asked(Site(a_folder(tmp_path)), embedder=embedder) as http:
        answer = await http.get(path, headers=FRAMED | ({"referer": referer} if referer else {}))
        alone = await http.get(path)
    policy = answer.headers["content-security-policy"]
    if is_shown:
        assert 200 == answer.status_code
        assert policy.endswith(f"frame-ancestors {BLOG}")
    else:
        assert (403, True) == (answer.status_code, policy.endswith("frame-ancestors *"))
        assert "within another site only if" in answer.text
        assert f'<a href="{path}" target="_blank" rel="noopener">' in answer.text
    assert 200 == alone.status_code
    allowed = BLOG if embedder and path not in ("/", "/tables/7") else "'none'"
    assert alone.headers["content-security-policy"].endswith(f"frame-ancestors {allowed}")


@attrs.frozen
class OneMatch:
    """One match of Blef, wherever it is looked for but in one folder."""

    folder: str | None

    async def turn(self, match_id: str, wanted: TurnWanted, address: str) -> PastTurn:
        raise NotImplementedError

    async def card(self, match_id: str, address: str) -> LinkCard:
        if match_id != "0123456789ab" or self.folder == "b":
            raise Refusal("not_found", "no finished match has this id")
        return LinkCard("Blef: ann and <bob>", "ann won.", "blef")


async def test_a_link_to_a_match_is_shown_with_who_won() -> None:
    """That of a match which is not over, or not there, with the rest of the page's."""

    async with asked(Site(matches_of=OneMatch)) as http:
        match, in_folder, other, not_there = [
            (await http.get(f"{path}/matches/{id}")).text
            for path, id in [
                ("", "0123456789ab"),
                ("/results/a", "0123456789ab"),
                ("", "7"),
                ("/results/b", "0123456789ab"),
            ]
        ]
    assert 'og:title" content="Blef: ann and &lt;bob&gt;"' in match
    assert 'og:description" content="ann won."' in match
    assert "/pictures/blef.png" in match
    assert in_folder == match
    assert not_there == other
    assert 'og:title" content="Arena"' in other


BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/nothing", "/tables", "/results/<b>/nonsense", "/static/page/film.py"])
async def test_a_wrong_address_is_told_to_people_on_a_page(path: str) -> None:
    """A browser gets the sentence in the look of the site, with a way back; a program gets JSON."""
    async with asked(Site()) as http:
        page = await http.get(path, headers=BROWSER)
        told = await http.get(path)
        post = await http.post(path, headers=BROWSER)
    assert (404, "text/html; charset=utf-8") == (page.status_code, page.headers["content-type"])
    assert "There is no such page" in page.text
    assert '<a href="/">' in page.text
    assert "/static/page/site.css" in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert (404, "not_found") == (told.status_code, told.json()["error"])
    assert "application/json" == post.headers["content-type"]


async def test_files_have_their_types() -> None:
    """Those of the package: modules are JavaScript, or no browser would run them."""
    async with asked(Site()) as http:
        script = await http.get("/static/page/vendor/preact.js")
        style = await http.get("/static/page/page.css")
    assert (200, "text/javascript; charset=utf-8") == (script.status_code, script.headers["content-type"])
    assert (ROOTS["page"] / "vendor" / "preact.js").read_text() == script.text
    assert "text/css; charset=utf-8" == style.headers["content-type"]
    assert "nosniff" == script.headers["x-content-type-options"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/page/film.py",
        "/static/page/vendor/LICENSE",
        "/static/page/vendor",
        "/static/page",
        "/static",
        "/static/secret.js",
        "/static/page/../secret.js",
        "/static/page/%2e%2e/secret.js",
        "/static/page/..%2fsecret.js",
        "/static/page/vendor/../../secret.js",
        "/static//page/site.html",
        "/static/page/./site.html",
        "/static/page\\site.html",
        "/static/page/site.html%00.js",
        "/static/page/linked.js",
        "/static/page/elsewhere/secret.js",
        "/static/page/elsewhere/page/site.html",
        "/static/%2fetc/passwd",
        "/static/PAGE/site.html",
    ],
)
async def test_nothing_else_is_served(path: str, tmp_path: Path) -> None:
    """No source, no folder, nothing by a detour or a link."""
    app = Guard(Routing(Site(a_folder(tmp_path)).routes()), GuardOptions(), note_bug=pytest.fail)
    async with served(app) as port:
        answer = await said_by(port, request("GET", path))
    assert 404 == status_of(answer)
    assert SECRET.encode() not in answer


async def test_files_are_found_at_the_start_alone(tmp_path: Path) -> None:
    """A file that is put there later, or changed, is not read."""
    roots = a_folder(tmp_path)
    site = Site(roots)
    (roots["page"] / "later.js").write_text(SECRET)
    (roots["page"] / "site.html").write_text(SECRET)
    async with asked(site) as http:
        assert 404 == (await http.get("/static/page/later.js")).status_code
        assert SECRET not in (await http.get("/static/page/site.html")).text


@pytest.mark.parametrize(
    ("accepted", "is_gzipped"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.00", False),
        ("xgzip", False),
    ],
)
async def test_long_files_go_out_gzipped_to_who_takes_it(
    accepted: str, is_gzipped: bool, tmp_path: Path
) -> None:
    app = Guard(Routing(Site(a_folder(tmp_path)).routes()), GuardOptions(), note_bug=pytest.fail)
    async with served(app) as port:
        answer = await said_by(
            port, request("GET", "/static/page/vendor/tiny.js", f"Accept-Encoding: {accepted}")
        )
    headers, body = headers_of(answer), answer.partition(b"\r\n\r\n")[2]
    assert is_gzipped == (headers.get("content-encoding") == "gzip")
    assert SCRIPT.encode() == (gzip.decompress(body) if is_gzipped else body)
    assert str(len(body)) == headers["content-length"]
    assert "Accept-Encoding" == headers["vary"]


async def test_short_files_stay_as_they_are(tmp_path: Path) -> None:
    async with asked(Site(a_folder(tmp_path))) as http:
        answer = await http.get("/static/games/dice/board.js")
    assert "content-encoding" not in answer.headers


async def test_a_browser_that_has_a_file_is_not_sent_it_again(tmp_path: Path) -> None:
    """By either of its tags, and in a list; another tag, or none, gets the file."""
    path = "/static/page/vendor/tiny.js"
    async with asked(Site(a_folder(tmp_path))) as http:
        packed = await http.get(path)
        plain = await http.get(path, headers={"Accept-Encoding": "identity"})
        assert packed.headers["etag"] != plain.headers["etag"]
        for known in (
            packed.headers["etag"],
            f"W/{plain.headers['etag']}",
            f'"x", {packed.headers["etag"]}',
            "*",
        ):
            again = await http.get(path, headers={"If-None-Match": known})
            assert (304, b"") == (again.status_code, again.content)
            assert packed.headers["etag"] == again.headers["etag"]
        other = await http.get(path, headers={"If-None-Match": '"another"'})
        assert 200 == other.status_code


async def test_a_head_has_the_headers_alone(tmp_path: Path) -> None:
    app = Guard(Routing(Site(a_folder(tmp_path)).routes()), GuardOptions(), note_bug=pytest.fail)
    async with served(app) as port:
        whole = await said_by(port, request("GET", "/static/page/vendor/tiny.js"))
        head = await said_by(port, request("HEAD", "/static/page/vendor/tiny.js"))
        post = await said_by(port, request("POST", "/static/page/vendor/tiny.js"))
    same = ("content-length", "content-type", "etag")
    assert [headers_of(whole)[name] for name in same] == [headers_of(head)[name] for name in same]
    assert b"" == head.partition(b"\r\n\r\n")[2]
    assert 405 == status_of(post)


async def test_what_another_site_reads_varies_by_both(tmp_path: Path) -> None:
    """A cache must not give the answer for one site to another, nor a packed one to who cannot read it."""
    async with asked(Site(a_folder(tmp_path)), allowed="https://example.org") as http:
        answer = await http.get("/static/page/vendor/tiny.js", headers={"Origin": "https://example.org"})
    assert ["Accept-Encoding", "Origin"] == sorted(answer.headers.get_list("vary"))


def test_boards_are_addresses_of_files_that_are_served(tmp_path: Path) -> None:
    boards = Site().boards()
    assert list(GAMES) == list(boards)
    for name, address in boards.items():
        folder = ROOTS["games"] / GAMES[name].__module__.split(".")[2]
        is_there = (folder / "board.js").is_file()
        assert (f"/static/games/{folder.name}/board.js" if is_there else None) == address
    assert {None} == set(Site(a_folder(tmp_path)).boards().values())


def test_every_game_of_the_house_has_a_small_emblem() -> None:
    """A picture of its own, drawn without texts and of less than a kilobyte packed: the first page has them all."""
    site = Site()
    for name, address in site.emblems().items():
        assert address is not None, name
        assert address.endswith("/emblem.svg")
        picture = ROOTS["games"] / address.removeprefix("/static/games/")
        assert len(gzip.compress(picture.read_bytes())) < 1024
        assert b"<text" not in picture.read_bytes()


def test_scripts_ask_below_the_path_of_the_site() -> None:
    """Whatever they send to the server: links are written without the path, and get it in one place."""
    asks = [
        f"{script.name}: {line.strip()}"
        for script in sorted((ROOTS["page"] / "site").glob("*.js"))
        for line in script.read_text(encoding="utf-8").splitlines()
        if re.search(r"\b(fetch|request\.open|history\.pushState)\(", line) and "BASE" not in line
    ]
    assert [] == asks
