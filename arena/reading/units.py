"""Reads and writes durations and addresses as users write them."""

from __future__ import annotations

import re
from ipaddress import ip_address
from math import isfinite

import attrs

from arena.errors import ConfigError

DURATION = "a duration such as 500ms, 2s, 20m or 1h (a bare number is seconds)"
ADDRESS = "HOST:PORT such as 127.0.0.1:8888 (IPv6 in brackets: [::1]:8888), port 0 for any free one"

_UNITS = {"s": 1, "m": 60, "h": 3600, "": 1}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s?(ms|s|m|h|)", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+(?:%\w+)?\]", re.ASCII)


def parse_duration(value: object) -> float:
    """The seconds in `500ms`, `2s`, `20m`, `1h`, or a number of seconds; never negative or infinite.

    Raises ConfigError with what was found and what is expected; the caller adds where it was found.
    """
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match:
        number, unit = float(match[1]), match[2]
        seconds = number / 1000 if unit == "ms" else number * _UNITS[unit]
    elif isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        try:
            seconds = float(value)
        except OverflowError:  # an int of 310 digits
            raise unexpected(value, DURATION) from None
    else:
        raise unexpected(value, DURATION)
    if not isfinite(seconds):
        raise unexpected(value, DURATION)
    return seconds


def format_duration(seconds: float) -> str:
    """A duration as people write it; `parse_duration` reads the same number back."""
    for unit, length in (("h", 3600), ("m", 60)):
        if seconds and seconds % length == 0:
            return f"{seconds / length:.0f}{unit}"
    thousandths = f"{seconds * 1000:.15g}"
    if seconds < 1 and "e" not in thousandths and float(thousandths) / 1000 == seconds:
        return f"{thousandths}ms" if seconds else "0s"
    return f"{_decimal(seconds)}s"


def _decimal(number: float) -> str:
    """A number with all its digits and without an exponent."""
    from decimal import Decimal

    text = f"{Decimal(repr(number)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@attrs.frozen
class Address:
    """Where to listen; `str` returns it as users write it."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ip_address(self.host.partition("%")[0]).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_address(value: object) -> Address:
    """An address from `HOST:PORT`.  Raises ConfigError with what was found and what is expected."""
    if isinstance(value, str):
        host, _, port = value.rpartition(":")
        if _HOST.fullmatch(host) and re.fullmatch("[0-9]{1,5}", port) and int(port) < 1 << 16:
            return Address(host.strip("[]"), int(port))
    raise unexpected(value, ADDRESS)


def unexpected(value: object, expected: str) -> ConfigError:
    """The error that reports a wrong value: `found "ten", expected a whole number`."""
    return ConfigError(f"found {shown(value)}, expected {expected}")


def shown(value: object) -> str:
    """A value as its author wrote it, in TOML's syntax, shortened if necessary."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = '"' + "".join(map(_visible, value[:80])) + '"'
    elif isinstance(value, dict):
        return "a table"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(map(shown, value[:20])) + (", …" if len(value) > 20 else "") + "]"
    elif value is None:
        return "nothing"
    elif isinstance(value, int) and value.bit_length() > 1000:
        return "a huge number"  # `str` refuses numbers of more than 4300 digits
    else:
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "…" + text[-1:]


def _visible(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, `+12.00` or `−2.94`; zero is never negative."""
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")
