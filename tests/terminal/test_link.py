"""Where a table is, and what answers there."""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Iterator

import pytest

from arena.errors import ConfigError
from arena.terminal.link import NoAnswer, ServerLink, check_table, read_url

ID = "0d3f6a1e-8c1b-4d6e-9a35-0123456789ab"


@pytest.mark.parametrize(
    ("said", "url"),
    [
        (f"http://127.0.0.1:8080/api/tables/{ID}", f"http://127.0.0.1:8080/api/tables/{ID}"),
        (f"127.0.0.1:8080/tables/{ID}/", f"http://127.0.0.1:8080/api/tables/{ID}"),
        (f"localhost/{ID}", f"http://localhost/api/tables/{ID}"),
        (
            f"https://play.example.org/arena/api/tables/{ID}",
            f"https://play.example.org/arena/api/tables/{ID}",
        ),
        (f"http://[::1]:8080/ws/tables/{ID}", f"http://[::1]:8080/api/tables/{ID}"),
    ],
)
def test_urls_of_tables(said: str, url: str) -> None:
    read = read_url(said)
    assert ID == read.id
    assert url == read.of(ID)


def test_what_stands_where_the_id_of_a_table_does_is_one() -> None:
    """Whoever mistyped it is told that there is no such table, and not that the server has no such path."""
    for said in ("http://127.0.0.1:8080/api/tables/nosuch", "http://127.0.0.1:8080/arena/ws/tables/1.2/"):
        read = read_url(said)
        assert said.removesuffix("/").rpartition("/")[2] == read.id
    assert read.server == "http://127.0.0.1:8080/arena"
    for said in ("http://127.0.0.1:8080/api/tables/é", "http://127.0.0.1:8080/api/tables/a%20b"):
        with pytest.raises(ConfigError, match="give the URL of a table"):
            read_url(said)


def test_the_url_of_a_server_has_no_table() -> None:
    for said in ("http://127.0.0.1:8080", "127.0.0.1:8080/", "http://127.0.0.1:8080/api/tables"):
        assert (None, "http://127.0.0.1:8080") == (read_url(said).id, read_url(said).server)


@pytest.mark.parametrize(
    "said", ["", "ftp://x/y", "http://", "http://a b/", "http://h:99999/", "http://h/a%0d%0ab"]
)
def test_what_is_no_url_is_told(said: str) -> None:
    with pytest.raises(ConfigError, match="give the URL of a table"):
        read_url(said)


def test_no_server_there() -> None:
    for path in ("", f"/api/tables/{ID}"):
        with pytest.raises(ConfigError, match=r"does not answer: .*: is `arena serve` running there\?"):
            check_table(ServerLink(read_url(f"http://127.0.0.1:1{path}")))


def test_what_speaks_no_http_is_not_repeated() -> None:
    """The bots' port, for one: it sends its first request at once."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b'{"hello": "\x1b[31mbots"}\n')
                connection.recv(65_536)

        thread = threading.Thread(target=answer)
        thread.start()
        port = listener.getsockname()[1]
        with pytest.raises(NoAnswer) as told:
            ServerLink(read_url(f"http://127.0.0.1:{port}")).ask("GET", "/tables")
        thread.join()
    assert str(told.value) == f"what answers at http://127.0.0.1:{port} is not a server of the arena"


@pytest.fixture
def stranger() -> Iterator[str]:
    """A server of something else."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = {"deep": "[" * 100_000, "list": "[]", "refused": '{"error": 1}'}.get(
                self.path.split("/")[1], "hi"
            )
            self.send_response(404 if "refused" in self.path else 200)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["", "/deep", "/refused"])
def test_what_is_no_server_of_the_arena_is_told(stranger: str, path: str) -> None:
    link = ServerLink(read_url(f"{stranger}{path}/tables/{ID}"))
    with pytest.raises(NoAnswer, match="is not a server of the arena"):
        link.ask("GET", f"/tables/{ID}")
    link.close()
