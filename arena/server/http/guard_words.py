"""Pure: whom a host lets ask beside the server's own pages, from the words of a command."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address

from arena.errors import ConfigError
from arena.reading.units import unexpected
from arena.server.http.addresses import DEFAULT_PORTS
from arena.server.http.guard import GuardOptions

NAME = "a name such as arena.example.org, without port and path"
PROXY = "the IP address of a proxy, such as 127.0.0.1"
ORIGIN = "a site as browsers name it, such as https://example.org or http://localhost:5173, without path"
PATH = "a path such as /arena, of letters, digits and - . _ ~"

_PATH = re.compile(r"(/(?!\.{1,2}(/|\Z))[A-Za-z0-9._~-]{1,64}){1,8}", re.ASCII)
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*\.?", re.ASCII)
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^\[\]:/?#@]+)(?::([0-9]{1,5}))?", re.ASCII)


def guard_options(
    hosts: Iterable[str],
    proxies: Iterable[str],
    origins: Iterable[str],
    embedders: Iterable[str] = (),
    base_path: str = "",
) -> GuardOptions:
    """What a host asks for in words.  Raises ConfigError, which names the setting: `allow_host`,
    `trusted_proxy`, `cors`, `embed` or `base_path`."""
    return GuardOptions(
        hosts=frozenset(map(_host, hosts)),
        trusted_proxies=frozenset(map(_proxy, proxies)),
        origins=frozenset(_origin("cors", word) for word in origins),
        embedders=frozenset(_origin("embed", word) for word in embedders),
        base_path=_base_path(base_path),
    )


def _host(word: str) -> str:
    if not _NAME.fullmatch(word.lower()):
        raise _wrong("allow_host", word, NAME)
    return word.lower().removesuffix(".")


def _proxy(word: str) -> str:
    try:
        found = ip_address(word)
    except ValueError:
        raise _wrong("trusted_proxy", word, PROXY) from None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return f"::ffff:{mapped}" if mapped else str(found)  # as the kernel names the other end


def _origin(setting: str, word: str) -> str:
    found = _ORIGIN.fullmatch(word.lower())
    if found is None or not (found[2].startswith("[") or _NAME.fullmatch(found[2])):
        raise _wrong(setting, word, ORIGIN)
    scheme, name, port = found.groups()
    return f"{scheme}://{name}" + ("" if port in (None, DEFAULT_PORTS[scheme]) else f":{port}")


def _base_path(word: str) -> str:
    path = word.removesuffix("/")
    if path and not _PATH.fullmatch(path):
        raise _wrong("base_path", word, PATH)
    return path


def _wrong(setting: str, word: str, expected: str) -> ConfigError:
    return ConfigError(str(unexpected(word, expected)), setting=setting)
