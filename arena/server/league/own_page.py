"""What the owner of a bot sees of it and nobody else does: where it lost, how it failed, what it printed."""

from __future__ import annotations

import csv
import io
from typing import Any

import attrs
import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ConfigError
from arena.refusal import Refusal
from arena.server.http.endpoints import Api, QueryField, endpoint
from arena.server.http.request_types import number_in_query
from arena.server.kept.bot_logs import logs_text
from arena.server.kept.reports import Reports
from arena.server.league.league_reading import LeagueReading, started_versions
from arena.server.league.rest.league_api import AT
from arena.store import Store
from arena.store.capsules import told_capsule
from arena.store.exports import seats_of

CSV_ROWS_MAX = 50_000
"""The most matches of a bot that are told as CSV: the latest ones, about 10 MB."""
NUMBER_MAX = 1_000_000
VERSION = QueryField(
    "version",
    {"type": "integer", "minimum": 1, "maximum": NUMBER_MAX},
    "The number of a version; without it the newest one that was started.",
)
OF_OWNERS: dict[str, Any] = {"proof": "token", "refusals": ("forbidden", "conflict")}


class PrintedText(msgspec.Struct):
    """What a bot has printed."""

    text: str
    """The ends of its logs, the latest first."""


class OwnReport(msgspec.Struct):
    """What the owner of a bot is shown of it."""

    html: str | None
    """Part of a page, with links to matches that lie beside the page of the bot; null: it is being made."""


class OwnApi(Api):
    """The handlers, which tell the owner of a bot and hosts alone."""

    def __init__(self, reading: LeagueReading, reports: Reports | None) -> None:
        self._reading = reading
        self._reports = reports

    @endpoint("GET", f"{AT}/bots/{{bot}}/report", {200: OwnReport}, **OF_OWNERS)
    async def get_report(self, request: Request) -> OwnReport:
        """How a bot does in all its versions, for its owner and hosts; it may be a minute old."""
        live, entry = await self._reading.own_bot(request)
        started_versions(entry)
        if self._reports is None:
            raise Refusal("unavailable", "no reports are made here")
        catalog, name = self._reading.catalog, live.league.name
        folder = await self._reading.read(request, lambda: catalog.folder(name))
        report = await self._reports.report(attrs.evolve(folder, bot=entry.id))
        return OwnReport(None if report is None else report.page.octets.decode())

    @endpoint("GET", f"{AT}/bots/{{bot}}/capsules/{{capsule}}", {200: None}, **OF_OWNERS)
    async def get_capsule(self, request: Request) -> Response:
        """The messages before a fault, for `arena ask`, once the series of the match is closed."""
        live, entry = await self._reading.own_bot(request)
        names, capsule = started_versions(entry), request.path_params["capsule"]

        def read(store: Store) -> bytes | None:
            try:
                return told_capsule(store.connection, capsule, names)
            except ConfigError:
                raise Refusal("conflict", "this capsule is damaged") from None

        octets = await self._reading.read(request, lambda: self._reading.catalog.read(live.league.name, read))
        if octets is None:
            why = f"no capsule of {entry.shown_name} is called that, or its series is still played"
            raise Refusal("not_found", why)
        return _file(octets, capsule, "application/jsonl")

    @endpoint("GET", f"{AT}/bots/{{bot}}/matches.csv", {200: None}, **OF_OWNERS)
    async def get_csv(self, request: Request) -> Response:
        """The matches of a bot as CSV, with the columns of seats.csv, in all its versions."""
        live, entry = await self._reading.own_bot(request)
        names = started_versions(entry)

        def read(store: Store) -> bytes:
            out = io.StringIO()
            header, rows = seats_of(store, names, CSV_ROWS_MAX)
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
            return out.getvalue().encode()

        octets = await self._reading.read(request, lambda: self._reading.catalog.read(live.league.name, read))
        return _file(octets, f"{entry.id}.csv", "text/csv; charset=utf-8")

    @endpoint("GET", f"{AT}/bots/{{bot}}/log", {200: PrintedText}, query=(VERSION,), **OF_OWNERS)
    async def get_log(self, request: Request) -> PrintedText:
        """What a version of a bot has printed; for its owner and hosts."""
        live, entry = await self._reading.own_bot(request)
        names = started_versions(entry)
        number = number_in_query(request, "version", 1, NUMBER_MAX)
        id = names[0] if number is None else entry.of(entry.version(number))
        folder = self._reading.folder / live.league.name
        return PrintedText(await self._reading.read(request, lambda: logs_text(folder, id)))


def _file(octets: bytes, name: str, media_type: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(octets, media_type=media_type, headers=headers)
