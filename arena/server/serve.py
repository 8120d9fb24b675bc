"""The server as a whole: what it opens, what runs in it, and how it ends."""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import chain
from pathlib import Path

import attrs
import trio
from starlette.routing import Route, WebSocketRoute

from arena.box.box import open_box
from arena.games import SERVICES
from arena.players.lag import open_watch
from arena.players.tcp import accept_all, listen
from arena.reading.units import Address
from arena.server.http.certificate import Certificate, TlsFiles
from arena.server.http.endpoints import Api, routes_to
from arena.server.http.goodbye import Goodbye
from arena.server.http.guard import GuardOptions
from arena.server.http.http import HttpOptions, serve_http
from arena.server.http.openapi import openapi_route
from arena.server.http.routing import Routing
from arena.server.kept.archive import Archive, open_archive
from arena.server.kept.finished import FinishedMatches
from arena.server.kept.games_api import GamesApi
from arena.server.kept.keeping import open_keeper
from arena.server.kept.records import ServerRecords
from arena.server.kept.reports import Reports
from arena.server.kept.results import ResultsCatalog
from arena.server.kept.results_api import ResultsApi
from arena.server.league.hosts import Hosts
from arena.server.league.ladder_child import LadderChildren, lacks_box
from arena.server.league.league_records import KeptLeagues
from arena.server.league.leagues import Leagues
from arena.server.league.libraries import Libraries
from arena.server.league.other_user import share_with_players
from arena.server.league.rest.apis import league_apis
from arena.server.league.visits import LeagueVisits
from arena.server.limits import TCP_CONNECTIONS_MAX
from arena.server.open_tables import OpenTables
from arena.server.packets.packet_api import PacketApi
from arena.server.ring.accounts import Accounts
from arena.server.ring.live_ring import LiveRing
from arena.server.ring.poker import PokerApi, open_rings
from arena.server.services import ServerServices
from arena.server.site.scene_api import SceneApi
from arena.server.site.site import Site
from arena.server.tables.api import TablesApi
from arena.server.tables.bot_sockets import bot_routes
from arena.server.tables.bots import HouseBots
from arena.server.tables.guests import OpenTable
from arena.server.tables.programs import Programs
from arena.server.tables.questions import BotQuestions
from arena.server.tables.tcp_door import TcpDoor
from arena.telling.replay import Replay
from arena.tournament.lobby.callers import lift_files_limit
from arena.tournament.sparring import levels_of_bots
from arena.words import counted


@attrs.frozen
class ServerPlan:
    """What was asked of the server."""

    http: Address
    listen: Address | None
    """Where bots connect over TCP; None: nowhere."""
    data: Path
    results: Path | None = None
    """The folder of results folders that it shows."""
    guard: GuardOptions = attrs.field(factory=GuardOptions)
    """The names, proxies and sites beside its own that it trusts."""
    tls: TlsFiles | None = None
    """The files for encryption; None: nothing is encrypted."""
    readable: Sequence[Path] = ()
    """The folders that hosts of leagues may let bots read."""
    players: Path | None = None
    """The socket at which another user plays leagues; None: this one does."""


@attrs.frozen
class OpenServer:
    """A server that runs."""

    house: OpenTables
    rings: Sequence[LiveRing]
    http: str
    """The URL at which it listens, without a final slash."""
    tcp: str | None
    say_goodbye: Callable[[], Awaitable[None]]
    """Tells everybody that the server ends, before it is cancelled; takes a second at most."""
    host_token: str | None = None
    """The token of the host of its leagues, if it was made just now."""

    def going_on(self) -> str:
        """What is going on at its tables now, in one line."""
        used = [live.table for live in self.house if live.table.members]
        played = [live.ring for live in self.rings if any(live.ring.places)]
        matches = sum(table.is_playing and not table.is_asleep for table in used) + sum(
            ring.hand is not None for ring in played
        )
        players = sum(len(table.players) for table in used)
        players += sum(sum(map(bool, ring.places)) for ring in played)
        tables = counted(len(used) + len(played), "table")
        return f"{tables}, {counted(matches, 'match')} being played, {counted(players, 'player')}"


async def serve(
    plan: ServerPlan,
    *,
    note: Callable[[str], None],
    note_bug: Callable[[str], None],
    task_status: trio.TaskStatus[OpenServer] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Runs the server until it is cancelled.  Raises ConfigError if it cannot begin.

    `note` is told sentences for the log, `note_bug` tracebacks of what must not happen.
    """
    lift_files_limit()
    if plan.players is not None:
        share_with_players(plan.data, plan.players)
    certificate = None if plan.tls is None else Certificate(plan.tls, note)
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(listen(plan.http.host, plan.http.port))
        bots_listener = None
        if plan.listen is not None:
            bots_listener = stack.enter_context(
                listen(plan.listen.host, plan.listen.port, TCP_CONNECTIONS_MAX)
            )
        opened = await stack.enter_async_context(_open_house(plan, certificate, note, note_bug))
        house, poker, door, bots = opened.house, opened.poker, opened.door, opened.bots
        nursery = await stack.enter_async_context(trio.open_nursery())
        goodbye = Goodbye(house.stop)
        questions = BotQuestions(partial(bots.seated, gives_way=True), bots.check)
        results = ResultsApi()
        reports = Reports(plan.data, note, base=plan.guard.base_path)
        nursery.start_soon(reports.run)
        if plan.results is not None:
            results = ResultsApi(ResultsCatalog(plan.results), reports, questions)
        port = None if bots_listener is None else bots_listener.getsockname()[1]
        hosts = Hosts(plan.data)
        host_token = hosts.first_token()
        leagues = league_apis(opened.leagues, hosts, reports)
        routes = routes_of(
            house,
            poker,
            opened.archive.find,
            bots.names,
            results,
            questions,
            port,
            leagues,
            plan.guard.base_path,
            door,
        )
        app = goodbye.counted(Routing(routes))
        options = HttpOptions(guard=plan.guard)
        await nursery.start(
            partial(
                serve_http, app, [listener], options, note=note, note_bug=note_bug, certificate=certificate
            )
        )
        nursery.start_soon(house.watch)
        tcp = None
        if bots_listener is not None and plan.listen is not None:
            tcp = _bound(plan.listen, bots_listener)
            nursery.start_soon(accept_all, bots_listener, door.serve, TCP_CONNECTIONS_MAX, note_bug)
        http = (
            f"http{'' if certificate is None else 's'}://{_bound(plan.http, listener)}{plan.guard.base_path}"
        )
        task_status.started(OpenServer(house, poker.rings, http, tcp, goodbye.say, host_token))
        await trio.sleep_forever()


def set_aside() -> None:
    """Lets the garbage collector skip the objects that exist now, most of which live as long as the server.

    Looking through all of it takes 80 ms beside a few hundred connections, and 25 ms without: a time in which
    nobody is answered.
    """
    gc.collect()
    gc.freeze()


def _bound(asked: Address, listener: socket.socket) -> str:
    """Where it listens, with the port that the system chose if any free one was asked for."""
    return str(attrs.evolve(asked, port=listener.getsockname()[1]))


def routes_of(
    house: OpenTables,
    poker: PokerApi,
    find: Callable[[str], Replay | None],
    bots: Callable[[str], Sequence[str]] = lambda game: (),
    results: ResultsApi | None = None,
    questions: BotQuestions | None = None,
    bots_port: int | None = None,
    leagues: Sequence[Api] = (),
    base: str = "",
    door: TcpDoor | None = None,
) -> list[Route | WebSocketRoute]:
    """Everything served over HTTP.  `find` returns a match of the archive, `bots` a game's house bots.

    `bots_port`: where bots connect; `leagues`: what is said to leagues; `base`: the path below which
    all paths lie; `door`: lets bots in.
    """
    results = results or ResultsApi()

    def matches_of(folder: str | None) -> FinishedMatches:
        return games.past if folder is None else results.of(folder)

    site = Site(
        game_of=house.game_of,
        list_results=results.list_folders,
        matches_of=matches_of,
        bots_port=bots_port,
        base=base,
    )
    games = GamesApi(
        house, find, poker.has_table, bots, site.boards(), site.emblems(), questions, levels_of_bots()
    )

    endpoints = [
        *TablesApi(house, matches_of).endpoints(),
        *games.endpoints(),
        *results.endpoints(),
        *poker.endpoints(),
        *chain.from_iterable(api.endpoints() for api in leagues),
    ]
    routes = [*routes_to(endpoints), openapi_route(endpoints, base)]
    bots_in = [] if door is None else bot_routes(door)
    return [
        *routes,
        *bots_in,
        *PacketApi(house).routes(),
        *SceneApi(house).routes(),
        *site.routes(),
        *results.routes(),
    ]


@attrs.frozen
class _OpenHouse:
    """What people and bots meet at, with what it needs."""

    house: OpenTables
    poker: PokerApi
    leagues: Leagues
    door: TcpDoor
    archive: Archive
    bots: HouseBots


@asynccontextmanager
async def _open_house(
    plan: ServerPlan,
    certificate: Certificate | None,
    note: Callable[[str], None],
    note_bug: Callable[[str], None],
) -> AsyncIterator[_OpenHouse]:
    """The tables and leagues as they were left, with house bots to sit at the tables.

    The open table, and the door that leads there, exist only if bots can connect.
    """
    with (
        open_keeper(plan.data, tell=note) as keeper,
        open_archive(plan.data) as archive,
        open_watch() as watch,
    ):
        records = ServerRecords(keeper, archive.add)
        users = Accounts(keeper)
        async with trio.open_nursery() as keeping:
            async with open_box("shield", say=note) as box, trio.open_nursery() as nursery:
                bots = HouseBots(nursery, box, plan.data, watch=watch, note=note, note_bug=note_bug)
                programs = Programs(nursery, lambda id: house.table(id), watch=watch, note_bug=note_bug)
                hall = ServerServices(
                    nursery=nursery,
                    records=records,
                    open_bot=bots.seated,
                    check_bot=bots.check,
                    open_program=programs.open,
                    find_guest=lambda name, game: None if open_table is None else open_table.find(name, game),
                    now=time.time,
                    note_bug=note_bug,
                    lag_watch=watch,
                )
                house = OpenTables(hall)
                left = house.restore(records, records.matches(note), note)
                kept, bot = list(records.rings(note)), bots.names(SERVICES["poker"])[0]
                rings, left = await open_rings(hall, kept, left, bot=bot)
                for unfinished in left:
                    nursery.start_soon(house.put_away, unfinished)
                kept_leagues = KeptLeagues(keeper)
                ladders = LadderChildren(nursery, plan.data, note, plan.players)
                leagues = Leagues(
                    kept_leagues,
                    plan.data,
                    now=time.time,
                    opened=ladders.open,
                    libraries=Libraries(plan.readable),
                    lacks_box=lacks_box,
                )
                leagues.restore(list(kept_leagues.leagues(note)))
                await keeping.start(keeper.run)  # all that was kept has been read
                open_table: OpenTable | None = None
                if plan.listen is not None:
                    open_table = OpenTable(house, programs, bot=bots.names(SERVICES["guests"])[0])
                    nursery.start_soon(open_table.run)
                door = TcpDoor(house, programs, open_table, LeagueVisits(leagues), certificate=certificate)
                yield _OpenHouse(house, PokerApi(rings, users), leagues, door, archive, bots)
                nursery.cancel_scope.cancel()
            keeping.cancel_scope.cancel()
