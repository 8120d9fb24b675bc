"""The server's certificate: what is refused before anything listens, and files that change while it runs."""

from __future__ import annotations

import errno
import os
import re
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from arena.cli import cli
from arena.errors import ConfigError
from arena.server.http.certificate import Certificate, TlsFiles, context_of
from tests.server.certificates import certificate_in, files_in, shaken, trusting

PAST, FUTURE = datetime(2020, 1, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)


def encrypted(files: TlsFiles, format: PrivateFormat) -> None:
    key = load_pem_private_key(files.key.read_bytes(), None)
    files.key.write_bytes(key.private_bytes(Encoding.PEM, format, BestAvailableEncryption(b"secret")))


def of_another(files: TlsFiles, kind: trustme.KeyType) -> None:
    certificate = files.certificate.read_bytes()
    files_in(files.key.parent, key_type=kind)
    files.certificate.write_bytes(certificate)


def in_place_of(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


BROKEN = "-----BEGIN {0}-----\nAAAA\n-----END {0}-----\n"
WRONG: list[tuple[str, Callable[[TlsFiles], object], str]] = [
    ("expired", lambda files: files_in(files.key.parent, not_after=PAST), "cert.pem has expired: "),
    ("early", lambda files: files_in(files.key.parent, not_before=FUTURE), "cert.pem is not valid yet: "),
    (
        "another key",
        lambda files: of_another(files, trustme.KeyType.ECDSA),
        "key.pem is not the key of .*cert.pem: ",
    ),
    (
        "another kind",
        lambda files: of_another(files, trustme.KeyType.RSA),
        "key.pem is not the key of .*cert.pem: ",
    ),
    ("missing", lambda files: files.certificate.unlink(), "cert.pem cannot be read: No such file"),
    ("missing key", lambda files: files.key.unlink(), "key.pem cannot be read: No such file"),
    (
        "folder",
        lambda files: in_place_of(files.key, Path.mkdir),
        "key.pem is a folder, expected a file in PEM$",
    ),
    ("pipe", lambda files: in_place_of(files.key, os.mkfifo), "key.pem cannot be read: not a regular file"),
    (
        "empty",
        lambda files: files.certificate.write_text(""),
        "cert.pem holds no certificate: expected one in PEM",
    ),
    (
        "binary",
        lambda files: files.key.write_bytes(bytes(999)),
        "key.pem holds no private key: expected one in PEM",
    ),
    ("huge", lambda files: files.key.write_bytes(bytes(2 << 20)), "key.pem cannot be read: larger than"),
    (
        "broken",
        lambda files: files.certificate.write_text(BROKEN.format("CERTIFICATE")),
        r"cert.pem and .*key.pem cannot be used \(",
    ),
    (
        "broken key",
        lambda files: files.key.write_text(BROKEN.format("PRIVATE KEY")),
        r"cert.pem and .*key.pem cannot be used \(",
    ),
    ("exchanged", lambda files: files.key.replace(files.certificate), "cert.pem holds no certificate"),
    ("PKCS 8", lambda files: encrypted(files, PrivateFormat.PKCS8), "key.pem is encrypted, .*without one"),
    (
        "traditional",
        lambda files: encrypted(files, PrivateFormat.TraditionalOpenSSL),
        "key.pem is encrypted, .*without one",
    ),
]


def refused(folder: Path, *words: str | Path) -> str:
    """The sentence with which the command ends, before it has opened anything."""
    data = folder / "data"
    with pytest.raises(ConfigError) as told:
        cli.main(
            ["serve", "--http", "127.0.0.1:0", "--data", str(data), *map(str, words)], standalone_mode=False
        )
    assert "\n" not in str(told.value)
    assert not data.exists()
    return str(told.value)


@pytest.mark.parametrize(("spoil", "sentence"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_files_that_cannot_be_used(
    spoil: Callable[[TlsFiles], object], sentence: str, tmp_path: Path
) -> None:
    """One sentence says which file, what is wrong with it, and what would be right; nothing is opened."""
    files = files_in(tmp_path)
    spoil(files)
    said = refused(tmp_path, "--tls-cert", files.certificate, "--tls-key", files.key)
    assert re.search(rf"^{re.escape(str(tmp_path))}/{sentence}", said), said
    assert "expected" in said


def test_a_key_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_in(tmp_path)
    files.key.chmod(0)
    if os.geteuid() == 0:  # who may read every file: what the system says to others is said by a stand-in

        def read(path: Path, bytes_max: int) -> bytes:
            if path.stat().st_mode & 0o777 == 0:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return path.read_bytes()

        monkeypatch.setattr("arena.server.http.certificate.read_regular", read)
    said = refused(tmp_path, "--tls-cert", files.certificate, "--tls-key", files.key)
    assert said.startswith(f"{files.key} cannot be read: Permission denied")


def test_one_without_the_other(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    assert refused(tmp_path, "--tls-cert", files.certificate).startswith("--tls-cert needs --tls-key")
    assert refused(tmp_path, "--tls-key", files.key).startswith("--tls-key needs --tls-cert")


def test_what_is_spoken(tmp_path: Path) -> None:
    """HTTP/1.1 alone, and nothing older than TLS 1.2."""
    certificate, client = certificate_in(tmp_path), trusting()
    client.set_alpn_protocols(["h2", "http/1.1"])
    assert "http/1.1" == shaken(certificate.session(), client).selected_alpn_protocol()
    context = context_of(files_in(tmp_path))
    assert ssl.TLSVersion.TLSv1_2 == context.minimum_version
    assert context.options & ssl.OP_NO_RENEGOTIATION


def number(certificate: Certificate) -> object:
    """The serial number of what a new connection gets."""
    shown = shaken(certificate.session()).getpeercert()
    assert shown is not None
    return shown["serialNumber"]


def test_a_renewed_certificate_is_read_without_a_restart(tmp_path: Path) -> None:
    """Also in two steps, between which certificate and key do not fit; each is said in one sentence, once."""
    notes: list[str] = []
    certificate = certificate_in(tmp_path, notes.append)
    first = number(certificate)
    assert first == number(certificate)
    files_in(tmp_path)
    second = number(certificate)
    assert first != second
    (note,) = notes
    assert note.startswith(f"{tmp_path}/cert.pem has changed")
    (tmp_path / "next").mkdir()
    files = files_in(tmp_path / "next")
    files.certificate.replace(tmp_path / "cert.pem")
    assert [second] * 3 == [number(certificate) for _ in range(3)]
    _, note = notes
    assert note.startswith("the certificate from before stays in use: ")
    assert "is not the key of" in note
    files.key.replace(tmp_path / "key.pem")
    assert number(certificate) not in (first, second)
    assert 3 == len(notes)


@pytest.mark.parametrize("spoil", [case[1] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_bad_new_file_keeps_the_old_one(spoil: Callable[[TlsFiles], object], tmp_path: Path) -> None:
    """And says so in the log, once, in a sentence."""
    notes: list[str] = []
    files = files_in(tmp_path)
    certificate = Certificate(files, notes.append)
    before = number(certificate)
    spoil(files)
    assert [before, before] == [number(certificate), number(certificate)]
    (note,) = notes
    assert note.startswith(f"the certificate from before stays in use: {tmp_path}/")
    assert "\n" not in note
