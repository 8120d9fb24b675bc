"""A place to unpack in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from archive_maker import Ground


@pytest.fixture(autouse=True)
def _disk_that_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the disk is asked to keep files is one test's affair; elsewhere it would be most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A folder with a store, a file of somebody else's beside it, and one above."""
    here = tmp_path / "outer" / "inner"
    here.mkdir(parents=True)
    for path in (here / "secret.txt", tmp_path / "outer" / "secret.txt"):
        path.write_text("of somebody else")
    return Ground(here)
