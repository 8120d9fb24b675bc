"""`arena serve`: opens the server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.group import cli, options

if TYPE_CHECKING:
    from arena.reading.units import Address
    from arena.server.http.certificate import TlsFiles

HTTP, LISTEN, DATA = "127.0.0.1:8080", "127.0.0.1:8888", "arena-data"


@cli.command()
@options(
    "Where",
    ("--http", "HOST:PORT", f"HTTP and WebSocket; port 0: any free one.  [{HTTP}]"),
    ("--listen", "HOST:PORT|none", f"Bots over TCP.  [{LISTEN}]"),
    ("--data", "DIR", f"What the server keeps.  [{DATA}]"),
    ("--results", "DIR|none", "Results folders that it shows, within this folder.  [results]"),
    ("--open", "is_opened", None, "Open its page in the browser, if there is one."),
)
@options(
    "Others",
    (
        "--allow-read",
        "*DIR",
        "A folder that hosts of leagues may let bots read: `arena league set`.",
    ),
    ("--players", "SOCKET", "Leagues are played there, by another user's `arena league play`."),
    ("--allow-host", "*NAME", "A name by which browsers may ask for this server, beside its addresses."),
    ("--trusted-proxy", "*ADDRESS", "A proxy, which is believed when it says for whom it asks."),
    ("--base-path", "PATH", "The path below which a proxy has it: /arena."),
    ("--cors", "*ORIGIN", "Another site whose pages may use the server: https://example.org."),
    ("--embed", "*ORIGIN", "Another site whose pages may show matches and reports within them."),
    (
        "--tls-cert",
        "FILE",
        "HTTPS, and TLS for bots, with this certificate (PEM); read again when it changes.",
    ),
    ("--tls-key", "FILE", "Its private key."),
)
def serve(
    http: str | None,
    listen: str | None,
    data: str | None,
    results: str | None,
    is_opened: bool,
    allow_read: tuple[str, ...],
    players: str | None,
    allow_host: tuple[str, ...],
    trusted_proxy: tuple[str, ...],
    base_path: str | None,
    cors: tuple[str, ...],
    embed: tuple[str, ...],
    tls_cert: str | None,
    tls_key: str | None,
) -> int:
    """Run a server at which bots and people meet.

    It has tables of all games, over HTTP, WebSocket and TCP, and leagues.

    It stays up until Ctrl-C; what is at its tables is there again when it starts in the same folder.

    \b
    Examples:
      arena serve --open
      arena serve --http 127.0.0.1:9000 --data /srv/arena
      arena serve --allow-host arena.example.org --trusted-proxy 127.0.0.1 --base-path /arena
      arena serve --http 0.0.0.0:443 --allow-host arena.example.org --tls-cert cert.pem --tls-key key.pem
    """
    from arena.cli.hosting import host_server
    from arena.server.http.guard_words import guard_options
    from arena.server.serve import ServerPlan

    plan = ServerPlan(
        http=_address("--http", http or HTTP),
        listen=None if listen == "none" else _address("--listen", listen or LISTEN, ", or none"),
        data=Path(data or DATA),
        results=_results(results),
        guard=guard_options(allow_host, trusted_proxy, cors, embed, base_path or ""),
        tls=_tls(tls_cert, tls_key),
        readable=[_readable(folder, Path(data or DATA)) for folder in allow_read],
        players=None if players is None else Path(players),
    )
    return host_server(plan, is_opened=is_opened)


def _tls(certificate: str | None, key: str | None) -> TlsFiles | None:
    """The files with certificate and key.  Raises ConfigError if only one of them is given."""
    from arena.errors import ConfigError
    from arena.server.http.certificate import TlsFiles

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing = "--tls-key, with its private key" if key is None else "--tls-cert, with its certificate"
        raise ConfigError(f"{'--tls-cert' if key is None else '--tls-key'} needs {missing}")
    return TlsFiles(Path(certificate), Path(key))


def _readable(given: str, data: Path) -> Path:
    """A folder that bots may read.  Raises ConfigError if there is none, or the server's own lies in it."""
    from arena.errors import ConfigError

    folder, own = Path(given).resolve(), data.resolve()
    if not folder.is_dir():
        raise ConfigError(f"--allow-read: there is no folder {given}: name one that bots may read")
    if folder.is_relative_to(own) or own.is_relative_to(folder):
        raise ConfigError(
            f"--allow-read: {given} must not hold the server's folder, or lie there: name another"
        )
    return folder


def _results(given: str | None) -> Path | None:
    """The folder of results folders.  Raises ConfigError if the one that was asked for is not there."""
    from arena.errors import ConfigError
    from arena.store import RESULTS

    if given == "none":
        return None
    folder = Path(given) if given is not None else RESULTS
    if given is not None and not folder.is_dir():
        raise ConfigError(f"--results: there is no folder {given}: name the one that holds results folders")
    return folder


def _address(option: str, value: str, or_else: str = "") -> Address:
    """The address in an option's value.  Raises ConfigError, which names the option."""
    from arena.errors import ConfigError
    from arena.reading.units import parse_address

    try:
        return parse_address(value)
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}{or_else}") from None
