"""Films of finished matches, a page of steps at a time; the first step of each page is whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.page.film import Filming, FilmStep, Watcher, changes_of, film_json
from arena.server.http.answer_types import FilmPage
from arena.telling.replay import Moment, Showing, Viewer


def film_page(
    showing: Showing, moments: Iterable[Moment], viewer: Viewer, head: dict[str, Any], first: int, count: int
) -> bytes:
    """So many steps of a match from `first` on, as a `FilmPage`; `head` is of `head_of` and `film_result`.

    It goes through the whole match, so that it is called in a thread.
    """
    filming, watcher = Filming(showing, viewer), Watcher(showing)
    steps: list[FilmStep] = []
    total = 0
    for moment in moments:
        begins, lost = watcher.note(moment)
        if first <= total < first + count:
            steps.append(
                filming.step(moment, round_number=watcher.round_number, begins_round=begins, lost=lost)
            )
        total += 1
    page = {
        "first": first,
        "steps_in_all": total,
        "next": first + count if total > first + count else None,
        "note": "",
        "steps": list(changes_of(steps)),
    }
    unknown = (head | page).keys() - set(FilmPage.__struct_fields__)
    assert not unknown, f"{unknown} of a film is not described"
    return film_json(head | page)


__all__ = ["film_page"]
