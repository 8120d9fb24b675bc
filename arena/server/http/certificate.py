"""The server's certificate: read from its files and tried at the start, and again whenever they change."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import attrs

from arena.errors import ConfigError
from arena.reading.strict import read_regular
from arena.server.http.tls import TlsSession

FILE_BYTES_MAX = 1 << 20
"""The most that is read: a certificate and those that vouch for it have some kilobytes."""
STEPS_MAX = 10
"""Flights of a handshake; there are four."""
OTHER_KEY = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")
"""What OpenSSL says of a key that is not the certificate's: another one, or one of another kind."""
UNTIMELY = {9: "is not valid yet", 10: "has expired"}
"""What OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED mean."""


@attrs.frozen
class TlsFiles:
    """Where the certificate and its key are, in PEM."""

    certificate: Path
    """The file with the certificate, followed by those that vouch for it."""
    key: Path

    def signature(self) -> tuple[object, ...]:
        """A value that differs once a file has changed."""
        return tuple(map(_signature, (self.certificate, self.key)))


class Certificate:
    """The server's certificate as its files have it now; connections that are open keep the one they had."""

    def __init__(self, files: TlsFiles, note: Callable[[str], None]) -> None:
        """Raises ConfigError if no browser would take it.  `note` is told when the files have changed."""
        self._files = files
        self._note = note
        self._seen = files.signature()
        self._context = context_of(files)

    def session(self) -> TlsSession:
        """The TLS of a new connection."""
        if (seen := self._files.signature()) != self._seen:
            self._seen = seen
            try:
                self._context = context_of(self._files)
            except ConfigError as error:
                self._note(f"the certificate from before stays in use: {error}")
            else:
                self._note(f"{self._files.certificate} has changed, and new connections get that certificate")
        return TlsSession(self._context)


def context_of(files: TlsFiles) -> ssl.SSLContext:
    """TLS 1.2 or newer with this certificate.  Raises ConfigError, in a sentence, if it cannot be used."""
    certificate, key = files.certificate, files.key
    if b"-----BEGIN CERTIFICATE-----" not in _read(certificate):
        raise ConfigError(
            f"{certificate} holds no certificate: expected one in PEM (-----BEGIN CERTIFICATE-----)"
        )
    content = _read(key)
    if b"PRIVATE KEY-----" not in content:
        raise ConfigError(f"{key} holds no private key: expected one in PEM (-----BEGIN PRIVATE KEY-----)")
    if b"ENCRYPTED" in content:
        raise ConfigError(
            f"{key} is encrypted, and nobody is there to enter its password: expected a key without one "
            f"(openssl pkey -in {key} -out FILE)"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        if error.reason in OTHER_KEY:
            raise ConfigError(
                f"{key} is not the key of {certificate}: expected the one it was made with"
            ) from None
        raise _unusable(files, (error.reason or "broken PEM").lower().replace("_", " ")) from None
    except OSError as error:  # it has vanished just now
        raise _unusable(files, error.strerror or str(error)) from None
    _try(context, files)
    return context


def _try(context: ssl.SSLContext, files: TlsFiles) -> None:
    """Has a client that trusts this certificate alone shake hands."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False  # by which name clients will ask is not known
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        client.load_verify_locations(files.certificate)
        to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        theirs, ours = client.wrap_bio(to_client, to_server), TlsSession(context)
        for _ in range(STEPS_MAX):
            try:
                return theirs.do_handshake()
            except ssl.SSLWantReadError:
                ours.feed(to_server.read())
                to_client.write(ours.sealed())
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in UNTIMELY:
            why = f"{files.certificate} {UNTIMELY[error.verify_code]}: expected one that is valid now"
            raise ConfigError(why) from None
        raise _unusable(files, error.verify_message) from None
    except ssl.SSLError as error:
        raise _unusable(files, (error.reason or str(error)).lower().replace("_", " ")) from None
    raise _unusable(files, "no handshake succeeds with them")


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, FILE_BYTES_MAX)
    except OSError as error:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder, expected a file in PEM") from None
        raise ConfigError(
            f"{path} cannot be read: {error.strerror or error}, expected a file in PEM"
        ) from None


def _unusable(files: TlsFiles, why: str) -> ConfigError:
    both = f"{files.certificate} and {files.key}"
    return ConfigError(f"{both} cannot be used ({why}): expected a server's certificate and its key")


def _signature(path: Path) -> object:
    try:
        found = path.stat()
    except OSError as error:
        return error.errno
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
