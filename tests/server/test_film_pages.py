"""Films of finished matches over HTTP: whole in pages, as anybody, or from nothing but what one viewer knew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio.testing

from arena.games import GAMES
from arena.games.blef import Blef
from arena.match.game import Game, Seat
from arena.page.film import head_of
from arena.refusal import Refusal
from arena.server.http.answer_types import FilmPage
from arena.server.kept.archive import open_archive
from arena.server.kept.film_pages import MatchPart, film_page
from arena.server.kept.past import PastMatches
from arena.server.tables.played_match import LiveShowing
from arena.telling.replay import SPECTATOR, Moment, Viewer, replay
from arena.tournament.plan import make_game
from arena.words import listed
from tests.server.rest_client import Rest, rest
from tests.server.scene_pages import Film
from tests.server.test_api import played, quick, strictly
from tests.server.test_archive import finished
from tests.server.twins import NAMES, RULES, Turns, two_matches


async def whole(server: Rest, match_id: str, query: str = "", count: int = 200) -> tuple[Film, int]:
    """The film, page after page, and how many pages there were."""
    film, first, pages = Film(), 0, 0
    while first is not None:
        path = f"/api/matches/{match_id}/film?first={first}&count={count}{query}"
        response = await server.send("GET", path)
        page = strictly(response.content, FilmPage)
        told = response.json()
        assert (page.first, "state" in told["steps"][0]) == (first, True)
        if pages == 0:
            film.add({"table": None, "moves": None, "result": None, "film": told})
        else:
            whole_step = told["steps"][0]
            assert set(whole_step["state"]) == set(film.steps[-1]["state"])
            film._apply(told["steps"])
        first, pages = page.next, pages + 1
    return film, pages


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
async def test_a_finished_match_is_a_film(game: str, autojump_clock: trio.testing.MockClock) -> None:
    """The same in one page and in many; with seen_by it holds what that one knew, and no more."""
    async with rest(pauses=quick) as server:
        begun = await server.begun(game, rules={"hands": 6} if game == "holdem" else {})
        running = (await server.get(begun.at))[1]["match"]["match_id"]
        assert 404 == (await server.get(f"/api/matches/{running}/film"))[0], "not before it is over"
        await played(server, begun, Random(game))
        told = (await server.get(begun.at))[1]["match"]
        film, pages = await whole(server, running)
        small, many = await whole(server, running, count=5)
        assert pages < many
        assert film.steps == small.steps
        assert ("all", "done") == (film.head["sees"], film.head["status"])
        assert [told["ranks"][name] for name in film.head["names"]] == film.head["ranks"]
        assert told["turn"] + 1 == film.head["steps_in_all"] == len(film.steps)
        own, _ = await whole(server, running, "&seen_by=ann")
        assert told["names"].index("ann") == own.head["sees"]
        assert not any(step["own"] for step in own.steps)
        seen = (await server.get(f"/api/matches/{running}?seen_by=ann"))[1]
        assert [step["state"] for step in seen["steps"]] == [step["state"] for step in own.steps[:200]]
        status, refused = await server.get(f"/api/matches/{running}/film?seen_by=eve")
        assert (400, "seen_by") == (status, refused["field"])


async def test_an_archived_match_is_a_film(tmp_path: Path) -> None:
    """Without its seed and its table; faults and times of those that were kept are in it."""
    with open_archive(tmp_path) as archive:
        kept = finished(Blef(), 5)
        archive.add(kept)
        async with rest(find=archive.find) as server:
            response = await server.send("GET", f"/api/matches/{kept.match_id}/film")
            page = strictly(response.content, FilmPage)
            assert (list(kept.names), list(kept.record.ranks)) == (page.names, page.ranks)
            assert ["too_late"] == [fault for step in page.steps for *_, fault in step.times if fault]
            for secret in (kept.table_id, str(kept.seed), f"{kept.seed:x}"):
                assert secret not in response.text
            assert 404 == (await server.get("/api/matches/00000000ffff/film"))[0]
            assert 404 == (await server.get(f"/api/matches/{kept.match_id[:6]}/film"))[0]


async def test_an_archived_match_is_told_in_a_line(tmp_path: Path) -> None:
    """For those to whom somebody sends its link; also while its table is open, as it shows no hand."""
    with open_archive(tmp_path) as archive:
        kept = finished(Blef(), 5)
        archive.add(kept)
        house: Any = ()
        past = PastMatches(house, archive.find, plays_on=lambda table_id: True)
        card = await past.card(kept.match_id, "127.0.0.1")
        with pytest.raises(Refusal):
            await past.card("00000000ffff", "127.0.0.1")
    first = [name for name, rank in zip(kept.names, kept.record.ranks, strict=True) if rank == 1]
    assert (Blef.name, f"{Blef.title}: {listed(kept.names)}") == (card.game, card.title)
    assert card.description.startswith(f"{listed(first)} won.")


async def test_what_a_ring_table_hides_stays_hidden(tmp_path: Path) -> None:
    """While its table is open, a hand can be seen as a spectator alone."""
    with open_archive(tmp_path) as archive:
        kept = finished(Blef(), 5)
        archive.add(kept)
        async with rest(find=archive.find, plays_on=lambda table_id: table_id == kept.table_id) as server:
            path = f"/api/matches/{kept.match_id}/film"
            assert 403 == (await server.get(path))[0]
            assert 403 == (await server.get(f"{path}?seen_by={kept.names[0]}"))[0]
            status, film = await server.get(f"{path}?seen_by=spectator")
            assert (200, "spectator") == (status, film["sees"])
            assert not any(step.get("own") for step in film["steps"])


async def test_markup_in_a_film_ends_no_script(tmp_path: Path) -> None:
    with open_archive(tmp_path) as archive:
        archive.add(finished(Blef(), 5, names=("</script>", "b", "c")))
        async with rest(find=archive.find) as server:
            response = await server.send("GET", "/api/matches/000000000005/film")
            assert "</script>" in response.json()["names"]
            assert "<" not in response.text
            assert "application/json" == response.headers["content-type"]


def filmed(game: Game[Any, Any], turns: Turns, viewer: Viewer) -> bytes:
    def moments() -> Iterator[Moment]:
        steps = replay(game, len(NAMES), turns)
        yield Moment(-1, {}, next(steps))
        for turn, (moves, step) in enumerate(zip(turns, steps, strict=True)):
            yield Moment(turn, moves, step)

    showing = LiveShowing(game, NAMES)
    return film_page(
        showing, moments(), viewer, head_of(showing, "0123456789ab", viewer), MatchPart(None, 0, 200)
    )


@pytest.mark.parametrize("viewer", [Seat(0), Seat(1), None], ids=["first", "second", "spectator"])
@pytest.mark.parametrize("name", GAMES)
def test_equal_information_gives_equal_films(name: str, viewer: Seat | None) -> None:
    """Of two matches that differ in what a viewer cannot know."""
    game = make_game(GAMES[name], RULES.get(name, {}))
    compared = 0
    for number in range(12):
        one, other, differ = two_matches(game, viewer, Random(f"{name} {viewer} {number}"))
        if differ:
            compared += 1
            who = SPECTATOR if viewer is None else Viewer(NAMES[viewer], viewer)
            assert filmed(game, one, who) == filmed(game, other, who)
    assert compared >= 3
