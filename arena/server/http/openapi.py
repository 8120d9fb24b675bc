"""`/openapi.json`: OpenAPI 3.1 of all that is served over HTTP.

It is made of the endpoints, and of the types that read bodies and write answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import chain
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import arena
from arena.refusal import STATUS, Kind
from arena.server.http.answer_types import RefusalShown
from arena.server.http.endpoints import Endpoint, Proof

Schema = dict[str, Any]

TEMPLATE = "#/components/schemas/{name}"
ALWAYS: tuple[Kind, ...] = ("forbidden", "too_large", "too_many")
"""Any request can come from a page of another site, be too large, or be one too many."""
UNSAFE: tuple[Kind, ...] = ("bad_request", "unsupported_media_type", "unavailable")
"""What can be wrong with a body; or the disk fails."""
TIMEOUT, INTERNAL = 408, 500
PROOFS: Mapping[Proof, list[dict[str, list[str]]]] = {
    "none": [],
    "key": [{"key": []}],
    "key or none": [{"key": []}, {}],
    "password": [{"password": []}],
    "password or none": [{"password": []}, {}],
    "token": [{"token": []}],
    "token or none": [{"token": []}, {}],
}
SCHEMES = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "The key of a seat, which is told once to whoever joins a table.",
    },
    "password": {"type": "http", "scheme": "basic", "description": "A user of the poker tables."},
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of an owner in a league, told once to whoever joins, or that of a host.",
    },
}
ABOUT = """\
Tables of all games for people and programs, leagues of bots, and the poker tables of the poker document.

Paths work with and without a final slash. What is not done is answered by a status, a sentence that says what
would be right, and the field that is wrong; nothing has changed then. A method that a path does not have is
answered by 405 and `Allow`. Over WebSocket, `/ws/tables/{id}` tells what happens at a table as it happens.

While its disk fails, the server does nothing that it would have to keep: 503, `disk`. If the disk fails just
then, the answer is 503, `not_kept`: what you asked for is in effect, and is lost if the server ends before
its disk works again; do not send it again.
"""


def openapi_route(endpoints: Sequence[Endpoint], base: str = "") -> Route:
    """The route of the document.  `base`: the path below which all paths lie."""
    octets = msgspec.json.encode(openapi_document(endpoints) | {"servers": [{"url": base or "/"}]})

    async def handle(request: Request) -> Response:
        return Response(octets, media_type="application/json")

    return Route("/openapi.json", handle, methods=["GET"])


def openapi_document(endpoints: Sequence[Endpoint]) -> Schema:
    """The document."""
    types = _types(endpoints)
    (_, *references), components = msgspec.json.schema_components(
        [RefusalShown, *types], ref_template=TEMPLATE
    )
    schemas = dict(zip(map(str, types), references, strict=True))
    paths: dict[str, Schema] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "arena serve", "version": arena.__version__, "description": ABOUT},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": SCHEMES},
    }


def _types(endpoints: Sequence[Endpoint]) -> list[Any]:
    """All types of bodies and answers."""
    found = chain.from_iterable((each.body, *each.answers.values()) for each in endpoints)
    return list({str(each): each for each in found if each is not None}.values())


def _operation(endpoint: Endpoint, schemas: Mapping[str, Schema]) -> Schema:
    told: Schema = {
        "operationId": "_".join([endpoint.method.lower(), *re.findall(r"\w+", endpoint.path)]),
        "summary": endpoint.summary,
        "tags": [_tag(endpoint)],
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint)],
        "responses": {**_refusals(endpoint), **_answers(endpoint, schemas)},
        "security": PROOFS[endpoint.proof],
    }
    if endpoint.is_upload:
        octets = {"type": "string", "format": "binary"}
        told["requestBody"] = {
            "required": True,
            "content": {"application/octet-stream": {"schema": octets}},
        }
    if endpoint.body is not None:
        told["requestBody"] = {
            "required": endpoint.needs_body,
            "content": {"application/json": {"schema": schemas[str(endpoint.body)]}},
        }
    return told


def _tag(endpoint: Endpoint) -> str:
    """The subject under which the document lists it."""
    if endpoint.path.startswith("/api/leagues"):
        return "leagues"
    return "poker" if endpoint.proof.startswith("password") else "tables"


def _path_parameters(path: str) -> Iterator[Schema]:
    for name in re.findall(r"\{(\w+)\}", path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


def _query_parameters(endpoint: Endpoint) -> Iterator[Schema]:
    for field in endpoint.query:
        yield {
            "name": field.name,
            "in": "query",
            "required": False,
            "schema": field.schema,
            "description": field.description,
        }


def _answers(endpoint: Endpoint, schemas: Mapping[str, Schema]) -> dict[str, Schema]:
    return {
        str(status): _response(status, None if kind is None else schemas[str(kind)])
        for status, kind in endpoint.answers.items()
    }


def _refusals(endpoint: Endpoint) -> dict[str, Schema]:
    """What may be answered instead."""
    kinds = {*ALWAYS, *endpoint.refusals}
    if endpoint.method != "GET":
        kinds.update(UNSAFE)
    if endpoint.query:
        kinds.add("bad_request")
    if endpoint.proof != "none":
        kinds.add("unauthorized")
    if "{" in endpoint.path:
        kinds.add("not_found")
    statuses = sorted({TIMEOUT, INTERNAL, *(STATUS[kind] for kind in kinds)})
    return {
        str(status): _response(status, {"$ref": TEMPLATE.format(name="RefusalShown")}) for status in statuses
    }


def _response(status: int, schema: Schema | None) -> Schema:
    told: Schema = {"description": HTTPStatus(status).phrase}
    return told if schema is None else {**told, "content": {"application/json": {"schema": schema}}}
