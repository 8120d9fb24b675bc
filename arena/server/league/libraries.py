"""Folders that bots of leagues may read: those that hosts name, of those that the server allows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from arena.refusal import Refusal
from arena.words import printable


@attrs.frozen
class Libraries:
    """What whoever starts the server lets hosts of leagues grant: a host's token alone opens no folder."""

    _allowed: Sequence[Path] = ()

    def check(self, library: str) -> None:
        """Raises Refusal if hosts may not grant all folders of a setting."""
        for path in _folders(library):
            if not self._is_allowed(path):
                why = "whoever starts the server names the folders that may be granted"
                raise Refusal("forbidden", f"{printable(str(path))} cannot be: {why}", field="library")
            if not path.is_dir():
                raise Refusal(
                    "bad_request", f"the server has no folder {printable(str(path))}", field="library"
                )

    def readable(self, library: str) -> list[str]:
        """The folders of a setting that may be granted now."""
        return [str(path) for path in _folders(library) if self._is_allowed(path)]

    def _is_allowed(self, path: Path) -> bool:
        return any(path.is_relative_to(os.path.realpath(allowed)) for allowed in self._allowed)


def _folders(library: str) -> Iterator[Path]:
    """The folders that a setting names, without links."""
    return (Path(os.path.realpath(word)) for word in library.split(":") if word)
