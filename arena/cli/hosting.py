"""Runs a server as a command: shows its host what is going on, and ends it at a signal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import datetime
from functools import partial
from ipaddress import ip_address
from pathlib import Path

import trio

from arena.cli.browser import show_page_beside
from arena.cli.group import BUG
from arena.cli.mistakes import ungrouped
from arena.cli.stop import Stop
from arena.ladder.listening import listen_for_leagues
from arena.server.serve import OpenServer, ServerPlan, serve, set_aside
from arena.terminal.hosting import HostScreen
from arena.terminal.live import Terminal
from arena.terminal.text import say
from arena.tournament.folder.writer import BUGS
from arena.tournament.play.summary import Summary

LOG = "server.log"
"""The file in the server's folder to which it writes once its terminal is closed."""
APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT
LOOKED_EVERY_S = 1.0
PATIENCE_S = 2.0
"""How long an orderly end may take."""
NO_TLS = "{} can be reached from other machines, and nothing that is sent there is encrypted (no TLS)"
HOST_TOKEN = "the host's token for leagues, told this once (`arena league token` makes another): {}"
PROXY = """\
for HTTPS: --tls-cert FILE --tls-key FILE; or a proxy in front, such as Caddy with these three lines:
  arena.example.org {{
      reverse_proxy {http}
  }}
  arena serve --http {http} --allow-host arena.example.org --trusted-proxy 127.0.0.1"""


def host_server(plan: ServerPlan, *, is_opened: bool = False) -> int:
    """Serves until Ctrl-C or SIGTERM; returns the exit code.  Raises ConfigError if it cannot begin.

    `is_opened`: whether its page is opened in the browser of this machine.
    """
    return _Hosting(plan, is_opened).run()


def play_leagues(path: Path) -> int:
    """Plays leagues for whoever connects to a socket; as `host_server`."""
    stop = Stop(what="play", patience_s=PATIENCE_S)
    stop.ending = "ending the matches"

    async def listen() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(listen_for_leagues, path)
            say(f"leagues are played for servers that connect to {path}; Ctrl-C ends it")
            await stop.cancellable(trio.sleep_forever)
            nursery.cancel_scope.cancel()

    with stop.listening(), ungrouped():
        trio.run(listen)
    assert stop.exit_code is not None, "nothing but a signal ends it"
    return stop.exit_code


class _Hosting:
    """A server, its signals and its terminal."""

    def __init__(self, plan: ServerPlan, is_opened: bool) -> None:
        self._plan = plan
        self._is_opened = is_opened
        self._bugs = Summary()
        self._stop = Stop(log=plan.data / LOG, what="server", patience_s=PATIENCE_S)
        self._stop.ending = "stopping the server"

    def run(self) -> int:
        with self._stop.listening():
            self._screen = HostScreen(Terminal.of(sys.stderr), has_status=sys.stderr.isatty())
            self._stop.note, self._stop.hung_up = self._screen.note, self._screen.hang_up
            try:
                with ungrouped():
                    trio.run(self._serve)
            finally:
                self._screen.ends()
        if self._bugs.bugs_seen:
            return BUG
        code = self._stop.exit_code
        assert code is not None, "nothing but a signal ends it"
        return code

    async def _serve(self) -> None:
        note = self._screen.note
        async with trio.open_nursery() as nursery:
            opened: OpenServer = await nursery.start(
                partial(serve, self._plan, note=note, note_bug=self._note_bug)
            )
            set_aside()
            for line in told_at_start(self._plan, opened):
                note(line)
            if self._is_opened:
                show_page_beside(page_of(opened), note)
            nursery.start_soon(self._show_status, opened)
            await self._stop.cancellable(trio.sleep_forever)
            await opened.say_goodbye()
            nursery.cancel_scope.cancel()
        note("stopped")

    async def _show_status(self, opened: OpenServer) -> None:
        while True:
            self._screen.show(opened.going_on())
            await trio.sleep(LOOKED_EVERY_S)

    def _note_bug(self, traceback_text: str) -> None:
        """Keeps a bug of ours: at once, as the server may yet be killed."""
        if traceback_text[-1000:] in (bug[-1000:] for bug in self._bugs.bugs):
            return
        kept = self._bugs.note_bug(traceback_text)
        if kept is None:
            return
        path = self._plan.data / BUGS
        said = f"{datetime.now():%Y-%m-%d %H:%M:%S}\n{kept.rstrip()}\n\n"
        with suppress(OSError), open(os.open(path, APPENDING, 0o600), "ab") as log:  # it may show a seed
            log.write(said.encode("utf-8", "backslashreplace"))
        self._screen.note(f"a bug of the arena, which cost one table or connection: see {path}")


def told_at_start(plan: ServerPlan, opened: OpenServer) -> list[str]:
    """What the host is told at the start: the server's address, its folder, what others could read."""
    bots = "" if opened.tcp is None else f", bots on {opened.tcp}"
    if bots and plan.tls is not None:
        bots += " (TLS)"
    lines = [f"serving on {opened.http}{bots}", f"tables are kept in {plan.data}; Ctrl-C ends it"]
    if opened.host_token is not None:
        lines.append(HOST_TOKEN.format(opened.host_token))
    if plan.tls is not None:
        return lines
    addresses = {opened.http: plan.http, f"the bots' {opened.tcp}": plan.listen}
    exposed = [shown for shown, address in addresses.items() if address and not address.is_loopback]
    if exposed:
        lines.append(NO_TLS.format(" and ".join(exposed)))
    if any(shown.startswith("http") for shown in exposed):
        port = opened.http.rpartition(":")[2].partition("/")[0]
        lines += PROXY.format(http=f"127.0.0.1:{port}").splitlines()
    return lines


def page_of(opened: OpenServer) -> str:
    """The address at which a browser of this machine finds the server, which may listen at all of them."""
    scheme, _, address = opened.http.partition("://")
    host, _, port = address.rpartition(":")
    try:
        is_any = ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        is_any = False
    return f"{scheme}://{'127.0.0.1' if is_any else host}:{port}/"
