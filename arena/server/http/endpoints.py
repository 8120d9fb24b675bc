"""An endpoint: a path and a method with their handler, and what `openapi` says of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal, TypeAlias

import attrs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.server.refusal import Kind

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
Proof: TypeAlias = Literal["none", "key", "key or none", "password", "password or none"]
"""How a request says who it is from: the key of a seat, or a name and a password by HTTP Basic."""


@attrs.frozen
class QueryField:
    """A field of a query; all may be left out."""

    name: str
    schema: dict[str, Any]
    description: str


@attrs.frozen(kw_only=True)
class Endpoint:
    """What is done at a path with a method."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    """Without final slash, and works with one; `{name}` stands for one segment."""
    handle: Handler
    summary: str
    answers: dict[int, Any]
    """The type of what is answered, by status."""
    body: Any = None
    """The type that reads the body; None: there is none."""
    needs_body: bool = True
    proof: Proof = "none"
    query: tuple[QueryField, ...] = ()
    refusals: tuple[Kind, ...] = ()
    """Beside those of all endpoints, and those that follow from the fields above."""


def routes_to(endpoints: Iterable[Endpoint]) -> list[Route]:
    """The routes of endpoints."""
    return [Route(each.path, each.handle, methods=[each.method]) for each in endpoints]
