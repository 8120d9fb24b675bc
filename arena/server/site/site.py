"""The site as files: its pages, scripts and pictures, found once at the start and kept ready in memory.

What a request names is looked up among them, and never on the disk.
"""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from posixpath import normpath
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import arena.games
import arena.page
from arena.games import GAMES
from arena.page.boards import board_of, emblem_of
from arena.refusal import Refusal
from arena.server.http.packed import Packed, packed_answer, packed_page
from arena.server.http.results_types import ResultsListed
from arena.server.kept.finished import FinishedMatches, LinkCard, MatchesOf
from arena.server.site.notices import as_sentence
from arena.server.tables.api import address_of
from arena.words import counted

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""The media types of the files that are served; no other files are."""
FILE_BYTES_MAX = 1 << 20
"""The most that a file may have: whatever is larger got there by mistake."""
SHELL = "page/site.html"
PAGES = {
    "/": "home",
    "/tables/{id}": "table",
    "/matches": "mine",
    "/matches/{id}": "match",
    "/leagues": "leagues",
    "/leagues/{name}": "league",
    "/leagues/{name}/bots/{bot}": "league_bot",
    "/leagues/{name}/matches": "matches",
    "/leagues/{name}/matches/{match}": "match",
    "/results": "results",
    "/results/{name}/matches": "matches",
    "/results/{name}/matches/{id}": "match",
}
"""The script in page/site that shows what an address asks for, by the paths of the one page."""
ROOTS = {"page": Path(arena.page.__file__).parent, "games": Path(arena.games.__file__).parent}
"""The folders of the files, by what their paths begin with."""
RESULTS = "<!-- results -->"
"""Where the shell lists the results folders at `/results`, for browsers without scripts."""
CARD = "<!-- card -->"
"""Where the shell has what a link is shown with by those to whom somebody sends it."""
MODULES = "<!-- modules -->"
"""Where the shell names the scripts of the page, so that a browser asks for all of them at once."""
IMPORTED = re.compile(rb'^import [^;]*"(\.{1,2}/[^"]+)";', re.M)
PICTURES = "page/pictures/{}.png"


def _no_matches(folder: str | None) -> FinishedMatches:
    raise Refusal("not_found", "nothing is told of matches here")


class Site:
    """The files by their paths below `/static/`."""

    def __init__(
        self,
        roots: Mapping[str, Path] = ROOTS,
        game_of: Callable[[str], str | None] = lambda id: None,
        list_results: Callable[[Request], Awaitable[Sequence[ResultsListed]]] | None = None,
        matches_of: MatchesOf = _no_matches,
        bots_port: int | None = None,
        base: str = "",
    ) -> None:
        """`game_of` knows the game that is played at an open table, by its id or that of its match.

        `list_results` returns the results folders; `matches_of` the finished matches whose links say who won.
        `bots_port`: where bots connect, which the page says to their authors.  `base`: the path below which
        all paths of the site lie.
        """
        self._game_of = game_of
        self._list_results = list_results
        self._matches_of = matches_of
        self._bots_port = bots_port
        self._base = base
        self._files = {path: _read(file) for name, root in roots.items() for path, file in _found(root, name)}

    def routes(self) -> list[Route]:
        pages = [
            Route(path, partial(self.get_page, self._modules_of(script)), methods=["GET"])
            for path, script in PAGES.items()
        ]
        return [*pages, Route("/static/{path:path}", self.get_file, methods=["GET"])]

    def _modules_of(self, script: str) -> list[str]:
        """The addresses of a page's script and of all that it imports."""
        paths = ["page/site/main.js", f"page/site/{script}.js"]
        for path in paths:  # which grows meanwhile
            file = self._files.get(path)
            for found in IMPORTED.findall(b"" if file is None else file.octets):
                imported = normpath(f"{path}/../{found.decode()}")
                if imported not in paths:
                    paths.append(imported)
        return [f"{self._base}/static/{path}" for path in paths if path in self._files]

    async def get_page(self, modules: Sequence[str], request: Request) -> Response:
        shell = self._files[SHELL].octets.decode().replace('="/', f'="{self._base}/')
        path = request.scope["path"].removeprefix(self._base)
        id = request.path_params.get("id", "")
        card = self._card_of_table(id)
        if id and "/matches/" in path:
            with suppress(Refusal):
                matches = self._matches_of(request.path_params.get("name"))
                card = await matches.card(id, address_of(request))
        head = self._head(card, str(request.base_url))
        listed = await self._listed(request) if path == "/results" else ""
        board = self.boards().get(card.game) if id else None
        links = [f'<link rel="modulepreload" href="{each}">' for each in (*modules, board) if each]
        told = {CARD: head, MODULES: "\n".join(links), RESULTS: listed}
        for mark, markup in told.items():
            shell = shell.replace(mark, markup)
        return packed_answer(request, packed_page(shell.encode(), TYPES[".html"]))

    async def _listed(self, request: Request) -> str:
        """The results folders as markup, or why they cannot be listed."""
        if self._list_results is None:
            return ""
        try:
            return _as_list(await self._list_results(request), self._base)
        except Refusal as refusal:
            return f'<p class="alone">{html.escape(as_sentence(str(refusal)))}</p>'

    def _card_of_table(self, id: str) -> LinkCard:
        """What is said of a table that is open, or else of the site."""
        game = self._game_of(id)
        if game is None or game not in GAMES:
            said = "Games of hidden information, against bots or with friends."
            return LinkCard("Arena", said, next(iter(GAMES)))
        title = GAMES[game].title
        return LinkCard(title, f"A table of {title}: whoever has this link can join or watch.", game)

    def _head(self, card: LinkCard, home: str) -> str:
        """What a link is shown with, as markup; pictures need whole addresses."""
        parts = {"title": card.title, "description": card.description, "type": "website"}
        if (picture := PICTURES.format(card.game)) in self._files:
            parts["image"] = f"{home}static/{picture}"
        told = [f'<meta property="og:{name}" content="{html.escape(said)}">' for name, said in parts.items()]
        if self._bots_port is not None:
            told.append(f'<meta name="bots-port" content="{self._bots_port}">')
        return "\n".join(told)

    async def get_file(self, request: Request) -> Response:
        file = self._files.get(request.path_params["path"])
        if file is None:
            raise Refusal("not_found", "the site has no such file")
        return packed_answer(request, file)

    def boards(self) -> dict[str, str | None]:
        """The boards of the games of the house, by the games' names."""
        return self._addresses({name: board_of(game) for name, game in GAMES.items()})

    def emblems(self) -> dict[str, str | None]:
        """The small pictures that stand for the games, by the games' names."""
        return self._addresses({name: emblem_of(game) for name, game in GAMES.items()})

    def _addresses(self, files: Mapping[str, Path | None]) -> dict[str, str | None]:
        return {name: None if file is None else self._address(file) for name, file in files.items()}

    def _address(self, file: Path) -> str | None:
        """The address of a file of the games; None if it is not served."""
        if not file.is_relative_to(ROOTS["games"]):
            return None
        path = f"games/{file.relative_to(ROOTS['games']).as_posix()}"
        return f"{self._base}/static/{path}" if path in self._files else None


def _as_list(folders: Sequence[ResultsListed], base: str) -> str:
    """Results folders with links to their reports, as markup."""
    if not folders:
        return '<p class="alone">There are none yet.</p>'
    rows = [
        f'<li><a href="{base}/results/{quote(each.name, safe="")}">{html.escape(each.name)}</a>: '
        + html.escape(each.problem or f"{each.title or each.game}, {counted(each.matches, 'match')}")
        for each in folders
    ]
    return f'<ul class="alone">{"".join(rows)}</ul>'


def _found(root: Path, name: str) -> Iterator[tuple[str, Path]]:
    """The files below a folder that may be served, by their paths; links are followed nowhere."""
    for file in sorted(root.rglob("*")):
        inside = file.relative_to(root)
        if file.suffix in TYPES and file.is_file() and not any(map(Path.is_symlink, _within(root, inside))):
            yield f"{name}/{inside.as_posix()}", file


def _within(root: Path, inside: Path) -> Iterator[Path]:
    """The file, and the folders between it and the root."""
    return (root / part for part in (inside, *inside.parents[:-1]))


def _read(file: Path) -> Packed:
    octets = file.read_bytes()
    assert len(octets) <= FILE_BYTES_MAX, file
    return packed_page(octets, TYPES[file.suffix])
