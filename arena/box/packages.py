"""The programs that run or build bots in common languages, and the Debian package that has each."""

from __future__ import annotations

from collections.abc import Mapping

PACKAGES: Mapping[str, str] = {
    "cargo": "cargo",
    "g++": "g++",
    "go": "golang-go",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "node": "nodejs",
}


def how_to_have(program: str) -> str:
    """What to do about a program that is called by its name but is not on this machine."""
    package = PACKAGES.get(program)
    if package is None:
        return f"install {program}, or mend the command"
    return f"install {program} (Debian: apt-get install {package})"
