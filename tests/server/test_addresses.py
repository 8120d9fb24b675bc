"""Which names a server answers to, and who asks."""

from __future__ import annotations

import pytest

from arena.server.http.addresses import (
    asker,
    is_host_allowed,
    is_loopback,
    is_same_origin,
    neighbourhood,
)
from arena.server.http.quotas import Quota

HOSTS = [
    ("localhost", True),
    ("LocalHost:8080", True),
    ("localhost.", True),
    ("127.0.0.1:1", True),
    ("[::1]:8080", True),
    ("192.168.7.9", True),
    ("arena.example:443", True),
    ("evil.example", False),
    ("localhost.evil.example", False),
    ("arena.example.evil.example", False),
    ("127.0.0.1.evil.example", False),
    ("localhost:80:80", False),
    ("localhost@evil.example", False),
    ("[::1", False),
    ("[::1]evil", False),
    ("localhost:８０", False),
    ("", False),
]


@pytest.mark.parametrize(("host", "is_ours"), HOSTS)
def test_a_host_is_ours_or_it_is_not(host: str, is_ours: bool) -> None:
    """A name that somebody else made point here is refused; an address cannot be made to."""
    assert is_ours == is_host_allowed(host, {"arena.example"})


ORIGINS = [
    ("http://localhost:8080", "http", "localhost:8080", True),
    ("http://a.example", "http", "a.example:80", True),
    ("https://a.example:443", "https", "A.example", True),
    ("http://a.example", "https", "a.example", False),
    ("http://a.example:81", "http", "a.example", False),
    ("http://b.example", "http", "a.example", False),
    ("null", "http", "a.example", False),
    ("", "http", "", False),
    ("a.example", "http", "a.example", False),
]


@pytest.mark.parametrize(("origin", "scheme", "host", "is_same"), ORIGINS)
def test_an_origin_is_ours_or_it_is_not(origin: str, scheme: str, host: str, is_same: bool) -> None:
    """Scheme, name and port; a missing port is the scheme's."""
    assert is_same == is_same_origin(origin, scheme, host)


@pytest.mark.parametrize(
    ("address", "where"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("::1", "::1"),
        ("nonsense", "nonsense"),
    ],
)
def test_one_household_is_one_neighbourhood(address: str, where: str) -> None:
    assert where == neighbourhood(address)


def test_this_machine_is_near() -> None:
    assert [True, True, True, False, False] == [
        is_loopback(address) for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "x")
    ]


def test_what_a_proxy_says_is_believed_if_it_can_be() -> None:
    """The last entry, which it wrote itself; nonsense is as if it had said nothing."""
    headers = {b"host": b"inner:1", b"x-forwarded-for": b"6.6.6.6, 9.9.9.9", b"x-forwarded-proto": b"https"}
    trusted = asker("10.0.0.1", "http", headers, {"10.0.0.1"})
    assert ("9.9.9.9", "https", "inner:1") == (trusted.address, trusted.scheme, trusted.host)
    strange = asker("10.0.0.2", "http", headers, {"10.0.0.1"})
    assert ("10.0.0.2", "http", "inner:1") == (strange.address, strange.scheme, strange.host)
    nonsense = {b"x-forwarded-for": b"<script>", b"x-forwarded-proto": b"gopher"}
    assert ("10.0.0.1", "http") == (
        (found := asker("10.0.0.1", "http", nonsense, {"10.0.0.1"})).address,
        found.scheme,
    )


def test_a_crowd_forgets_neighbourhoods_that_are_empty() -> None:
    """Memory follows who is here, not who ever was."""
    crowd = Quota(1)
    for number in range(1000):
        crowd.enter(f"10.0.0.{number}")
        crowd.leave(f"10.0.0.{number}")
    assert (0, 0) == (crowd.total, len(crowd._of))
