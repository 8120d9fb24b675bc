"""One self-contained web page about a tournament: `report.html`.

`facts` gathers numbers, `charts` draws them, `films` films the matches that `chosen` picks, `page` puts it
all into `page.html.j2` with its style and scripts inlined: the player of the room `page`, and `tables.js`,
which sorts and filters.  The page loads nothing from the network.
"""

from __future__ import annotations

from pathlib import Path

from arena.errors import ConfigError
from arena.store import Store

NAME = "report.html"

__all__ = ["NAME", "write_report"]


def write_report(
    store: Store, path: Path | None = None, *, game: str | None = None, matches: str = ""
) -> Path:
    """Writes the whole page or nothing, beside the store unless told otherwise; returns its path.

    `game` says where the game is, instead of the folder; without a game the page shows no matches.
    `matches`: the address of a page with all matches, if there is one.
    Raises ConfigError if the page cannot be written there.
    """
    from arena.page.report.page import page
    from arena.store import write_text

    path = path or store.folder / NAME
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, expected a file such as {path / NAME}")
    with store.frozen():
        text = page(store, game, matches)
    write_text(path, text)
    return path
