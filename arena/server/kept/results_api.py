"""Results folders over HTTP: `/results/NAME` is a folder's report; its matches are below `/api/results`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, cast, get_args

import attrs
import trio
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from arena.refusal import Refusal
from arena.server.http.answer_types import FilmPage
from arena.server.http.endpoints import Api, QueryField, endpoint
from arena.server.http.guard import report_policy
from arena.server.http.packed import packed_answer
from arena.server.http.question_types import NewQuestion, QuestionAnswered
from arena.server.http.quotas import WaitingRequests
from arena.server.http.request_types import number_in_query
from arena.server.http.results_types import ResultsListed, ResultsMatches
from arena.server.kept.finished import LinkCard
from arena.server.kept.games_api import FIRST, FIRST_MAX, PART, answered, part_asked
from arena.server.kept.past_turn import PastTurn, TurnWanted
from arena.server.kept.reports import Reports
from arena.server.kept.results import ResultsCatalog, ResultsFolder
from arena.server.limits import MATCHES_MAX, READERS, READING_PER_ADDRESS
from arena.server.site.notices import notice
from arena.server.tables.api import address_of
from arena.server.tables.questions import BotQuestions
from arena.store import MatchFilter
from arena.store.choosing import Kind
from arena.words import listed

T = TypeVar("T")


class ThreadReading(Protocol):
    """Reads the disk in a thread, for somebody at an address."""

    async def __call__(self, address: str, read: Callable[[], T]) -> T: ...


BOT = QueryField("bot", {"type": "string"}, "The bot whose matches these are; without it all.")
VERSIONS = QueryField(
    "versions",
    {"type": "string", "enum": ["one", "all"], "default": "one"},
    "Whether the matches of other versions of the bot are meant too.",
)
AGAINST = QueryField("against", {"type": "string"}, "Another bot that played in them.")
ONLY = QueryField(
    "only",
    {"type": "string", "enum": list(get_args(Kind))},
    "Those that the bot lost, those with faults (of its own), or those that the weakest bot won.",
)
FILTERS = (BOT, VERSIONS, AGAINST, ONLY)
FIRST_MATCH = QueryField("first", FIRST.schema, "The first match, from 0.")
MATCHES = QueryField(
    "count",
    {"type": "integer", "minimum": 1, "maximum": MATCHES_MAX, "default": MATCHES_MAX},
    "How many matches.",
)
ASK_AGAIN_S = 2


class ResultsApi(Api):
    """The handlers, over a catalog of folders; without one there are no results."""

    def __init__(
        self,
        catalog: ResultsCatalog | None = None,
        reports: Reports | None = None,
        questions: BotQuestions | None = None,
    ) -> None:
        """`questions`: where house bots are asked about matches."""
        self._questions = questions
        self._catalog = catalog
        self._reports = reports
        self._readers = trio.CapacityLimiter(READERS)
        self._waits = WaitingRequests(READING_PER_ADDRESS)

    def routes(self) -> list[Route]:
        """The page of a folder, and the logs that it links, which are no part of the API."""
        return [
            Route("/results/{name}", self.get_report, methods=["GET"]),
            Route("/results/{name}/logs/{bot:path}", self.get_logs, methods=["GET"]),
        ]

    @endpoint("GET", "/api/results", {200: list[ResultsListed]}, refusals=("conflict",))
    async def list_folders(self, request: Request) -> list[ResultsListed]:
        """The results folders, those that were changed last first."""
        return [] if self._catalog is None else await self.read(address_of(request), self._catalog.listed)

    @endpoint(
        "GET",
        "/api/results/{name}/matches",
        {200: ResultsMatches},
        query=(*FILTERS, FIRST_MATCH, MATCHES),
        refusals=("conflict",),
    )
    async def list_matches(self, request: Request) -> ResultsMatches:
        """The matches of a results folder."""
        first = number_in_query(request, "first", 0, FIRST_MAX) or 0
        count = number_in_query(request, "count", 1, MATCHES_MAX) or MATCHES_MAX
        name, of = request.path_params["name"], filter_asked(request)
        is_of_all = is_of_all_versions(request)
        catalog = self._known_catalog()
        return await self.read(
            address_of(request), lambda: catalog.matches(name, of, first, count, all_versions=is_of_all)
        )

    @endpoint(
        "GET", "/api/results/{name}/matches/{match}/film", {200: FilmPage}, query=PART, refusals=("conflict",)
    )
    async def get_film(self, request: Request) -> bytes:
        """A match of a results folder as the site's player shows it."""
        part = part_asked(request)
        name, match = request.path_params["name"], request.path_params["match"]
        catalog = self._known_catalog()
        return await self.read(address_of(request), lambda: catalog.film(name, match, part))

    @endpoint(
        "POST",
        "/api/results/{name}/matches/{match}/ask",
        {200: QuestionAnswered},
        body=NewQuestion,
        refusals=("forbidden", "conflict"),
    )
    async def ask_about(self, request: Request) -> QuestionAnswered:
        """What a house bot would do at a step of a match of a results folder."""
        name, match = request.path_params["name"], request.path_params["match"]
        return await answered(request, self._questions, match, self.of(name))

    def of(self, name: str) -> FolderMatches:
        """The matches of a results folder.  Raises Refusal if this server shows none."""
        return FolderMatches(self._known_catalog(), name, self.read)

    async def get_report(self, request: Request) -> Response:
        """A page for people, whatever is wrong."""
        name = request.path_params["name"]
        try:
            catalog = self._known_catalog()
            folder = await self.read(address_of(request), lambda: catalog.folder(name))
            return await self._shown(request, folder)
        except Refusal as refusal:
            return _page(request, name, str(refusal), refusal.status)

    async def get_logs(self, request: Request) -> Response:
        """What a bot of a folder printed, as plain text, whoever asks."""
        name, bot = request.path_params["name"], request.path_params["bot"]
        try:
            catalog = self._known_catalog()
            text = await self.read(address_of(request), lambda: catalog.logs(name, bot))
        except Refusal as refusal:
            return _page(request, bot, str(refusal), refusal.status)
        return PlainTextResponse(text)

    async def _shown(self, request: Request, folder: ResultsFolder) -> Response:
        assert self._reports is not None, "who has results makes reports"
        report = await self._reports.report(folder)
        if report is None:
            return _page(request, folder.name, "The report is being prepared; this page will refresh.", 202)
        policy = report_policy(report.script_hash)
        catalog = self._known_catalog()
        is_running = await self.read(address_of(request), lambda: catalog.is_running(folder))
        headers = {"content-security-policy": policy, "x-running": "yes" if is_running else "no"}
        return packed_answer(request, report.page, headers)

    def _known_catalog(self) -> ResultsCatalog:
        if self._catalog is None:
            raise Refusal("not_found", "this server shows no results: its host can name a folder of them")
        return self._catalog

    async def read(self, address: str, read: Callable[[], T]) -> T:
        """What a thread reads, of which an address may have a few at a time."""
        with self._waits.counted(address):
            return await trio.to_thread.run_sync(read, limiter=self._readers)


@attrs.frozen
class FolderMatches:
    """The finished matches of one results folder."""

    _catalog: ResultsCatalog
    _name: str
    _read: ThreadReading

    async def turn(self, match_id: str, wanted: TurnWanted, address: str) -> PastTurn:
        """A question of the match.  Raises Refusal."""
        return await self._read(address, lambda: self._catalog.turn(self._name, match_id, wanted))

    async def card(self, match_id: str, address: str) -> LinkCard:
        """Who played the match, and who won.  Raises Refusal."""
        return await self._read(address, lambda: self._catalog.card(self._name, match_id))


def filter_asked(request: Request) -> MatchFilter:
    """Which matches a request means.  Raises Refusal."""
    asked = request.query_params
    bot, only = asked.get("bot"), asked.get("only")
    if only is not None and only not in get_args(Kind):
        raise Refusal("bad_request", f"only is {listed(get_args(Kind), 'or')}", field="only")
    if only == "lost" and bot is None:
        raise Refusal("bad_request", "say who lost them: add bot", field="bot")
    return MatchFilter(bot, asked.get("against"), cast("Kind | None", only))


def is_of_all_versions(request: Request) -> bool:
    """Whether all versions of a bot are meant.  Raises Refusal."""
    if (said := request.query_params.get("versions", "one")) not in ("one", "all"):
        raise Refusal("bad_request", "versions is one or all", field="versions")
    return said == "all"


def _page(request: Request, name: str, said: str, status: int) -> Response:
    """A page that says one thing; while a report is made, it asks again."""
    again_s, base = ASK_AGAIN_S if status == 202 else None, request.scope["root_path"]
    return HTMLResponse(notice(name, said, again_s=again_s, base=base), status)
