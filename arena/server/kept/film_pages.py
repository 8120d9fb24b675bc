"""Films of finished matches, a page of steps at a time; the first step of each page is whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from arena.match.game import Seat
from arena.page.film import Watcher, changes_of, film_json, filmed
from arena.refusal import Refusal
from arena.server.http.answer_types import FilmPage
from arena.telling.replay import EVERYBODY, SPECTATOR, Moment, Showing, Viewer


@attrs.frozen
class MatchPart:
    """Some steps of a finished match, as somebody knew them."""

    seen_by: str | None
    """The name of a player, or `spectator`; None: everything is shown."""
    first: int
    """The first step, from 0."""
    count: int

    def viewer(self, names: Sequence[str]) -> Viewer:
        """Whoever `seen_by` is in a match of these names.  Raises Refusal if it is nobody."""
        if self.seen_by is None:
            return EVERYBODY
        if self.seen_by in names:
            return Viewer(self.seen_by, Seat(names.index(self.seen_by)))
        if self.seen_by == SPECTATOR.name:
            return SPECTATOR
        why = f"seen_by is {SPECTATOR.name}, or one of {', '.join(names)}"
        raise Refusal("bad_request", why, field="seen_by")

    def next_of(self, total: int) -> int | None:
        """The first step of the next part; None: this is the last part of `total` steps."""
        after = self.first + self.count
        return after if total > after else None


def film_page(
    showing: Showing, moments: Iterable[Moment], viewer: Viewer, head: dict[str, Any], part: MatchPart
) -> bytes:
    """The steps of a part as a `FilmPage`; `head` is what `head_of` and `film_result` return.

    It goes through the whole match, so that it is called in a thread.
    """
    watcher = Watcher(showing)
    steps, total = filmed(showing, moments, viewer, first=part.first, count=part.count, watcher=watcher)
    page = {
        "decided": watcher.decided(head["ranks"]),
        "first": part.first,
        "steps_in_all": total,
        "next": part.next_of(total),
        "note": "",
        "steps": list(changes_of(steps)),
    }
    unknown = (head | page).keys() - set(FilmPage.__struct_fields__)
    assert not unknown, f"{unknown} of a film is not described"
    return film_json(head | page)
