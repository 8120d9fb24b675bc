"""An endpoint: a path and a method with their handler, and what `openapi` says of them.

class GamesApi(Api):
    @endpoint("GET", "/api/games", {200: list[GameListed]})
    async def list_games(self, request: Request) -> list[GameListed]:
        '''The games of the house.'''
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal, TypeAlias, TypeVar

import attrs
import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.refusal import Kind

Method: TypeAlias = Literal["GET", "POST", "DELETE"]
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
Answerer = TypeVar("Answerer", bound=Callable[[Any, Request], Awaitable[Any]])
"""A method of an `Api` that returns the answer: a value, its JSON as bytes, or a whole response."""
Proof: TypeAlias = Literal[
    "none", "key", "key or none", "password", "password or none", "token", "token or none"
]
"""How a request proves who sent it: the key of a seat, a name and a password by HTTP Basic, or the token of
an owner or a host of a league."""


@attrs.frozen
class QueryField:
    """A field of a query; all may be left out."""

    name: str
    schema: dict[str, Any]
    description: str


@attrs.frozen(kw_only=True)
class Endpoint:
    """What is done at a path with a method."""

    method: Method
    path: str
    """Written without a final slash, and works with one; `{name}` stands for one segment."""
    handle: Handler
    summary: str
    answers: dict[int, Any]
    """The type of what is answered, by status."""
    body: Any = None
    """The type that reads the body; None: there is none."""
    needs_body: bool = True
    is_upload: bool = False
    """Whether the body is a file, of any type; `bodies` knows its path."""
    proof: Proof = "none"
    query: tuple[QueryField, ...] = ()
    refusals: tuple[Kind, ...] = ()
    """Kinds beside those of all endpoints, and those that follow from the fields above."""


def endpoint(
    method: Method, path: str, answers: dict[int, Any], *, summary: str = "", **more: Any
) -> Callable[[Answerer], Answerer]:
    """Marks the method of an `Api` that answers at a path; the fields are those of `Endpoint`.

    Its docstring is the summary; its answer has the first status of `answers`, unless it is a response.
    """

    def mark(answer: Answerer) -> Answerer:
        handle: Any = answer
        said = summary or inspect.getdoc(answer) or ""
        handle.endpoint = Endpoint(
            method=method, path=path, handle=handle, summary=said, answers=answers, **more
        )
        return answer

    return mark


class Api:
    """Some endpoints, which share what their handlers work on."""

    def endpoints(self) -> list[Endpoint]:
        """Every path with its methods."""
        marked = [each.endpoint for each in vars(type(self)).values() if hasattr(each, "endpoint")]
        return [attrs.evolve(each, handle=self._handler(each)) for each in marked]

    def _handler(self, endpoint: Endpoint) -> Handler:
        status = next(iter(endpoint.answers))
        answer: Any = endpoint.handle

        async def handle(request: Request) -> Response:
            found = await answer(self, request)
            return found if isinstance(found, Response) else json_answer(found, status)

        return handle


def json_answer(answer: Any, status: int = 200) -> Response:
    """An answer in JSON; bytes are JSON already."""
    octets = answer if isinstance(answer, bytes) else msgspec.json.encode(answer)
    return Response(octets, status, media_type="application/json")


def routes_to(endpoints: Iterable[Endpoint]) -> list[Route]:
    """The routes of endpoints."""
    return [Route(each.path, each.handle, methods=[each.method]) for each in endpoints]
