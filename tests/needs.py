"""What tests need that pip cannot install: where it is missing they are skipped by name, and told what to install."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
import pytest

from arena.box.kernel import landlock
from arena.starter import LANGUAGES


@attrs.frozen
class Need:
    """Something of the machine."""

    is_here: Callable[[], bool]
    packages: Sequence[str] = ()
    """Debian's that bring it; none if it is not a matter of packages."""


def _program(name: str, *packages: str) -> Need:
    return Need(lambda: shutil.which(name) is not None, packages)


CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The browser by its names; the first draws the same without windows, which cost half a second of work each."""
NEEDS: Mapping[str, Need] = {
    "bubblewrap": _program("bwrap", "bubblewrap"),
    "Chromium": Need(lambda: chromium_program() is not None, (CHROMIUM[0],)),
    "g++": _program("g++", "g++"),
    "apache": _program("apache2", "apache2-bin"),
    "caddy": _program("caddy", "caddy"),
    "git": _program("git", "git"),
    "nginx": _program("nginx", "nginx-light"),
    "node": _program("node", "nodejs"),
    "systemd": _program("systemd-analyze", "systemd"),
    "Landlock": Need(lambda: landlock.version() > 0),
    **{
        language.title: Need(lambda language=language: not language.missing, language.packages)
        for language in LANGUAGES.values()
    },
}
_TO_INSTALL = re.compile(r"\(apt-get install ([^()]+)\)")


def chromium_program() -> str | None:
    """Where the browser is."""
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


def missing(*names: str) -> str:
    """Why a test that needs these is skipped here; empty if they are all here."""
    gone = [name for name in names if not NEEDS[name].is_here()]
    packages = list(dict.fromkeys(package for name in gone for package in NEEDS[name].packages))
    said = f"not tried: no {' and no '.join(gone)} here" if gone else ""
    return said + (f" (apt-get install {' '.join(packages)})" if packages else "")


def needs(*names: str) -> pytest.MarkDecorator:
    """Marks a test that needs these."""
    reason = missing(*names)
    return pytest.mark.skipif(bool(reason), reason=reason)


def need(*names: str) -> None:
    """Skips the test that is running where one of these is missing."""
    if reason := missing(*names):
        pytest.skip(reason)


def to_install(reasons: Iterable[str]) -> str:
    """The command that installs what was missing where tests were skipped for these reasons; empty if nothing."""
    packages = {
        package for reason in reasons for found in _TO_INSTALL.findall(reason) for package in found.split()
    }
    return f"apt-get install {' '.join(sorted(packages))}" if packages else ""
