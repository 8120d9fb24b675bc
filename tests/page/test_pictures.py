"""The small pictures of boards that documents show."""

from __future__ import annotations

from pathlib import Path

import arena
from arena.games import GAMES

PICTURES = Path(arena.__file__).parent / "page" / "pictures"
TOO_LARGE = 60 * 1024
MOVING_TOO_LARGE = 1_000_000


def test_every_game_has_a_small_picture() -> None:
    """`python -m tests.page.pictures` makes them."""
    found = {path.stem: path.stat().st_size for path in PICTURES.glob("*.png")}
    assert found.pop("moving") < MOVING_TOO_LARGE
    assert GAMES.keys() <= found.keys()
    assert any(name.endswith("-dark") for name in found)
    assert [] == [name for name, size in found.items() if size >= TOO_LARGE]
