"""Pure: which names this server answers to, who asks, and which addresses are neighbours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

import attrs

LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))
DEFAULT_PORTS = {"http": "80", "https": "443"}


@attrs.frozen
class Asker:
    """Who sent a request, and where they think they sent it."""

    address: str
    scheme: str
    host: str
    """The name in the header `Host`, with the port if it has one."""


def asker(peer: str, scheme: str, headers: Mapping[bytes, bytes], trusted_proxies: Collection[str]) -> Asker:
    """Who asks: the other end of the connection, or whom a trusted proxy names.

    Of each forwarding header the last entry counts, which the proxy itself wrote; those before it are
    what the client claims.
    """
    host = headers.get(b"host", b"").decode("latin1")
    if peer not in trusted_proxies:
        return Asker(peer, scheme, host)
    address = _last(headers, b"x-forwarded-for")
    proto = _last(headers, b"x-forwarded-proto").lower()
    return Asker(
        address=address if _address(address) is not None else peer,
        scheme=proto if proto in DEFAULT_PORTS else scheme,
        host=_last(headers, b"x-forwarded-host") or host,
    )


def _last(headers: Mapping[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin1").rpartition(",")[2].strip()


def is_host_allowed(host: str, names: Collection[str]) -> bool:
    """Whether a `Host` is a name of this server: a loopback name, one of `names`, or any address.

    A page of somebody else's can make its own name point to this machine and so read what we answer (DNS
    rebinding). Its requests then carry its name; an address cannot be made to point elsewhere.
    """
    name, _port = split_host(host)
    return name in LOOPBACK_NAMES or name in names or _address(name) is not None


def is_same_origin(origin: str, scheme: str, host: str) -> bool:
    """Whether a page from `origin` is one of ours: same scheme, name and port."""
    their_scheme, separator, their_host = origin.lower().partition("://")
    if not separator or their_scheme != scheme:
        return False
    return _with_port(their_host, scheme) == _with_port(host, scheme)


def _with_port(host: str, scheme: str) -> tuple[str, str]:
    name, port = split_host(host)
    return name, port or DEFAULT_PORTS.get(scheme, "")


def split_host(host: str) -> tuple[str, str]:
    """The name, in lower case and without brackets or a final dot, and the port of a `Host`; ("", "") if
    unreadable."""
    host = host.strip().lower()
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            return "", ""
        port = port[1:]
    else:
        name, _, port = host.partition(":")
        name = name.removesuffix(".")
    if port and not (port.isascii() and port.isdigit()):
        return "", ""
    return name, port


@lru_cache(maxsize=10_000)  # whoever makes a table has the addresses of all tables counted
def neighbourhood(address: str) -> str:
    """Whom caps count together: one IPv4 address, or the /64 of an IPv6 address, which one household has."""
    parsed = _address(address)
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(IPv6Address(int(parsed) >> 64 << 64)) if not parsed.is_loopback else "::1"
    return address


def is_loopback(address: str) -> bool:
    parsed = _address(neighbourhood(address))
    return parsed is not None and parsed.is_loopback


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None
