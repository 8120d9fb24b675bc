"""A server below a path of its own behind the proxies that PROXIES.md configures: pages, uploads, WebSockets."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import attrs
import httpx
import pytest
import trio
from documents import HOUSE, blocks_of
from needs import needs

from arena.server.league.hosts import add_host
from tests.server.raw_http import TEXT, UPGRADE, Raw
from tests.server.served import Served, a_server

pytestmark = pytest.mark.slow
PAGE = "arena/server/PROXIES.md"
BASE = "/arena"
MORE_THAN_NGINX_TAKES = b"#" * (3 << 20)
"""By itself it refuses bodies of more than a megabyte."""


@attrs.frozen
class ProxyProgram:
    """How a proxy is started with a configuration of the page, as whoever runs the tests."""

    frame: str
    """What is around the configuration: `{config}`, `{folder}`, `{port}`."""
    command: Sequence[str]
    """`{folder}` is where its file `config` lies."""
    replaced: Mapping[str, str]
    """What differs from the page, as there are no certificates here: patterns, and what comes in their place."""
    is_up: str
    """What its log says when it can be asked."""


MODULES = ("mpm_event", "authz_core", "proxy", "proxy_http", "headers")
PROXIES = {
    "nginx": ProxyProgram(
        "daemon off; pid {folder}/pid; error_log stderr notice; worker_processes 1; user root;\nevents {{}}\n"
        "http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;\n"
        "fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n{config} }}",
        ("nginx", "-e", "stderr", "-c", "{folder}/config"),
        {r"listen .*;": "listen 127.0.0.1:{port};", r"server_name .*;": "", r"ssl_\w+ .*;": ""},
        "start worker process ",
    ),
    "caddy": ProxyProgram(
        "{{\nadmin off\nauto_https off\n}}\n{config}",
        ("caddy", "run", "--adapter", "caddyfile", "--config", "{folder}/config"),
        {r"arena.example.org": "http://127.0.0.1:{port}"},
        "serving initial configuration",
    ),
    "apache": ProxyProgram(
        "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES)
        + "\nServerRoot {folder}\nPidFile {folder}/pid\nServerName 127.0.0.1\nListen 127.0.0.1:{port}\n"
        "ErrorLog /dev/stderr\nLogLevel notice\n{config}",
        ("apache2", "-f", "{folder}/config", "-DFOREGROUND"),
        {r":443>": ":{port}>", r"SSL\w+ .*": ""},
        "resuming normal operations",
    ),
}


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str, str]]:
    """A server with a league that rests, the token of its host, and the code."""
    data = tmp_path_factory.mktemp("proxied") / "data"
    options = ("--results", "none", "--base-path", BASE, "--trusted-proxy", "127.0.0.1")
    with a_server(data, "127.0.0.1:0", "127.0.0.1:0", *options, is_quick=True) as server:
        token = add_host(data, "Eva", "host")
        own = {"Authorization": f"Bearer {token}", "X-Forwarded-For": "192.0.2.1"}
        new = {"name": "class", "game": "liars-dice", "look": "public"}
        made = httpx.post(f"{server.http}/api/leagues", json=new, headers=own)
        httpx.post(f"{server.http}/api/leagues/class/pause", json={}, headers=own)
        yield server, token, made.json()["code"]


@contextmanager
def proxied(name: str, server: Served, folder: Path) -> Iterator[str]:
    """The URL at which a proxy has the server, configured as the page says."""
    how = PROXIES[name]
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    (block,) = (each for each in blocks_of(PAGE, (HOUSE / PAGE).read_text()) if each.language == name)
    config = block.text.replace("127.0.0.1:8080", server.http.split("/")[2])
    for pattern, instead in how.replaced.items():
        config = re.sub(pattern, instead.format(port=port), config)
    (folder / "config").write_text(how.frame.format(config=config, folder=folder, port=port))
    command = [word.format(folder=folder) for word in how.command]
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder)}
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as process,
        ExitStack() as stack,
    ):
        stack.callback(process.terminate)
        assert process.stderr is not None
        said = ""
        while how.is_up not in said:
            line = process.stderr.readline()
            said += line
            assert line, said
        yield f"http://127.0.0.1:{port}{BASE}"


def linked(page: str) -> list[str]:
    return re.findall(r'(?:href|src|content)="(/[^"]*|http[^"]*)"', page)


async def first_frame(url: str) -> tuple[int, bytes]:
    """What a table tells a page of the same site first."""
    host, _, path = url.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    stream = await trio.open_tcp_stream(name, int(port))
    origin = f"Host: {host}\r\nOrigin: http://{host}".encode()
    await stream.send_all((UPGRADE % f"/{path}".encode()).replace(b"Host: localhost", origin))
    raw = Raw(stream)
    while b"\r\n\r\n" not in raw._buffer:
        raw._buffer += await stream.receive_some()
    head, _, raw._buffer = raw._buffer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101"), head
    async with stream:
        await raw.text('{"key": null, "match": null, "steps": 0}')
        return await raw.hear()


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in PROXIES])
def test_what_the_page_configures_works(name: str, hosted: tuple[Served, str, str], tmp_path: Path) -> None:
    """Pages with all that they name, a large hand-in, who asks, foreign sites, a WebSocket."""
    server, _, code = hosted
    with proxied(name, server, tmp_path) as url, httpx.Client(base_url=url) as http:
        here = url.removesuffix(BASE)
        page = http.get("").text
        named = linked(page)
        assert f'og:image" content="{url}/static/page/pictures/' in page
        assert named
        assert all(each.startswith((f"{BASE}/", f"{url}/")) for each in named)
        games = http.get("api/games").json()
        for path in [*named, *(game["board"] for game in games if game["board"])]:
            assert 200 == http.get(here + path.removeprefix(here)).status_code, path
        assert [{"url": BASE}] == http.get("openapi.json").json()["servers"]
        joined = http.post("api/leagues/class/owners", json={"name": name, "code": code}).json()
        by_owner = {"Authorization": f"Bearer {joined['token']}"}
        for origin, status in (("https://evil.example", 403), (here, 201)):
            headers = {**by_owner, "Origin": origin}
            upload = f"{url}/api/leagues/class/versions?file=bot.py"
            # Of connections of their own: a proxy may close that of an upload which is refused.
            sent = httpx.post(upload, content=MORE_THAN_NGINX_TAKES, headers=headers)
            assert status == sent.status_code, sent.text
        assert 401 == http.post("api/leagues/class/versions?file=bot.py", content=b"#").status_code
        table = http.post("api/tables", json={"game": "liars-dice"}).json()["id"]
        kind, told = trio.run(first_frame, f"{url}/ws/scenes/{table}")
        assert TEXT == kind
        assert table.encode() in told


@needs("nginx", "Chromium")
def test_the_site_behind_a_proxy(hosted: tuple[Served, str, str], chromium: Any, tmp_path: Path) -> None:
    """A person goes from page to page, plays and hands in, and nothing is asked beside the path."""
    server, _, code = hosted
    context = chromium.new_context()
    page, wrong = context.new_page(), list[str]()
    page.on("websocket", lambda socket: BASE in socket.url or wrong.append(socket.url))
    with proxied("nginx", server, tmp_path) as url:
        page.on("request", lambda request: request.url.startswith(url) or wrong.append(request.url))
        page.on(
            "response", lambda answer: answer.status < 400 or wrong.append(f"{answer.status} {answer.url}")
        )
        page.goto(url)
        page.locator(".face").first.wait_for()
        assert url.removesuffix(BASE) + f"{BASE}/leagues" == page.get_by_role(
            "link", name="Leagues"
        ).evaluate("a => a.href")
        page.get_by_role("link", name="Leagues").click()
        page.get_by_role("link", name="class").click()
        page.get_by_label("Your public name, or your team's").fill("Ann")
        page.get_by_label("The code that you were given").fill(code)
        page.get_by_role("button", name="Join", exact=True).click()
        page.get_by_role("button", name="Hand in a bot").click()
        file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": b"# a bot"}
        page.get_by_label("A file").set_input_files(file)
        page.get_by_text("Version 1 waits to be tried").wait_for()
        assert f"{url}/leagues/class" == page.url
        page.reload()
        page.get_by_text("Version 1 waits to be tried").wait_for()
        page.get_by_role("link", name="Arena", exact=True).click()
        page.locator(".game button.primary").first.click()
        page.locator(".turn").first.wait_for()
        assert page.url.startswith(f"{url}/tables/")
    context.close()
    assert [] == wrong
