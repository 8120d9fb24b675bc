"""From a path and a method to the function that answers.

    app = Routing([
        Route("/api/tables", list_tables, methods=["GET"]),
        Route("/api/tables", create_table, methods=["POST"]),
        Route("/api/tables/{id}", show_table),
        WebSocketRoute("/ws/tables/{id}", play),
    ])
    await serve_http(app, listeners, HttpOptions(), note=…, note_bug=…)

Paths are written without final slash: the guard takes it away from what is asked, so that both forms work
everywhere and neither is a redirect.  GET answers HEAD as well.  Handlers raise `Refusal` for whatever is
not done.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response
from starlette.routing import Match, Route, WebSocketRoute

from arena.refusal import Refusal
from arena.server.http.answers import MethodRefusal
from arena.server.http.connection import Receive, Scope, Send


class Routing:
    """Routes as an ASGI application; unknown paths and wrong methods raise `Refusal`, OPTIONS is answered."""

    def __init__(self, routes: Sequence[Route | WebSocketRoute]) -> None:
        for route in routes:
            assert route.path == "/" or not route.path.endswith("/"), route.path
        self._routes = tuple(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for route in self._routes:
            match, child = route.matches(scope)
            if match is Match.FULL:
                scope.update(child)
                await route.handle(scope, receive, send)
                return
        allowed = self._allowed(scope)
        if not allowed:
            raise Refusal("not_found", "there is nothing at this path")
        if scope["method"] != "OPTIONS":
            raise MethodRefusal(allowed)
        await Response(status_code=204, headers={"allow": ", ".join(allowed)})(scope, receive, send)

    def _allowed(self, scope: Scope) -> list[str]:
        """The methods that the path has; none if it is unknown."""
        methods: set[str] = set()
        for route in self._routes:
            if isinstance(route, Route) and route.matches(scope)[0] is Match.PARTIAL:
                methods |= route.methods or set()
        return sorted(methods | {"OPTIONS"}) if methods else []
