"""Certificates for tests, of an authority that exists for one run."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import trustme

from arena.server.http.certificate import Certificate, TlsFiles
from arena.server.http.tls import TlsSession


@cache
def authority() -> trustme.CA:
    return trustme.CA()


def files_in(folder: Path, *, not_after: datetime | None = None, **also: Any) -> TlsFiles:
    """A new certificate for localhost and 127.0.0.1, and its key; files that are there are replaced."""
    leaf = authority().issue_cert("localhost", "127.0.0.1", not_after=not_after, **also)
    files = TlsFiles(folder / "cert.pem", folder / "key.pem")
    leaf.cert_chain_pems[0].write_to_path(files.certificate)
    leaf.private_key_pem.write_to_path(files.key)
    return files


def certificate_in(folder: Path, note: Callable[[str], None] = lambda text: None) -> Certificate:
    return Certificate(files_in(folder), note)


def trusting() -> ssl.SSLContext:
    """What a client has that trusts the authority."""
    context = ssl.create_default_context()
    authority().configure_trust(context)
    return context


def shaken(session: TlsSession, context: ssl.SSLContext | None = None) -> ssl.SSLObject:
    """A client that has shaken hands with a session, in memory."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = (context or trusting()).wrap_bio(to_client, to_server, server_hostname="localhost")
    while True:
        try:
            client.do_handshake()
            session.feed(to_server.read())
            return client
        except ssl.SSLWantReadError:
            session.feed(to_server.read())
            to_client.write(session.sealed())
