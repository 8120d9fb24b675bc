"""What happened at a table, from two of its versions and its rounds: each thing once, in order."""

from __future__ import annotations

from typing import Any

from arena.terminal.news import ROUNDS_TOLD_MAX, News


def player(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "playerID": name,
        "nickname": name,
        "is_ready": False,
        "is_away": False,
        "has_left": False,
        **changes,
    }


def table(*players: dict[str, Any], **changes: Any) -> dict[str, Any]:
    told = {
        "game": "blef",
        "seats": {"least": 2, "most": 8},
        "status": "waiting",
        "public": False,
        "is_asleep": False,
        "admin_nickname": None,
        "players": list(players),
        "chat": [],
        "match": None,
        "you": None,
    }
    return {**told, **changes}


def match(match_id: str, round: int, **changes: Any) -> dict[str, Any]:
    told = {"match_id": match_id, "number": 1, "round": round, "names": ["ann", "bob"], "ranks": None}
    return {**told, **changes}


def events(*told: tuple[str | None, str], fault: str | None = None) -> dict[str, Any]:
    moves = [{"player": "bob", "sentence": "bob waits", "fault": fault}] if fault else []
    return {"moves": moves, "events": [{"to": to, "sentence": sentence} for to, sentence in told]}


def test_who_comes_and_goes_is_told_once() -> None:
    news = News()
    assert ["a table of blef for 2 to 8: ann is there, waiting"] == list(news.lobby(table(player("ann"))))
    ready = table(player("ann", is_ready=True), player("bob"), admin_nickname="ann", public=True)
    assert ["bob has come", "ann is ready", "ann is host", "the table is public now"] == list(
        news.lobby(ready)
    )
    assert [] == list(news.lobby(ready))
    left = table(
        player("ann", is_ready=True, is_away=True), player("bob", has_left=True), admin_nickname="ann"
    )
    told = list(news.lobby({**left, "public": True}))
    assert ["ann is away", "bob has left"] == told
    assert [] == list(
        news.lobby(table(player("ann", is_away=True, is_ready=True), admin_nickname="ann", public=True))
    )


def test_each_step_is_told_once_and_ones_own_secrets_to_oneself() -> None:
    news, you = News(), {"nickname": "ann"}
    assert "match 1: ann and bob" in list(news.lobby(table(match=match("m", 1), you=you)))
    assert range(1, 2) == news.rounds()
    first = events((None, "round 1"), ("ann", "ann is dealt JH"), ("bob", "bob is dealt KH"))
    told = {"match_id": "m", "round": 1, "steps": [first]}
    assert ["round 1", "ann is dealt JH"] == list(news.steps(told))
    assert "ann is dealt JH" == news.dealt
    assert [] == list(news.steps(told))
    more = {**told, "steps": [first, events((None, "bob bets"), fault="too_late")]}
    assert ["bob bets", "[bob: too late]"] == list(news.steps(more))
    assert [] == list(news.steps({**more, "match_id": "another"}))


def test_the_result_is_told_once() -> None:
    news = News()
    over = match("m", 1, ranks={"ann": 2, "bob": 1}, returns={"ann": -1.0, "bob": 1.5})
    list(news.lobby(table(match=over)))
    assert ["the match is over: 1. bob (+1.5), 2. ann (−1)"] == list(news.result())
    assert [] == list(news.result())
    assert not news.rounds()


def test_of_a_long_match_the_latest_rounds_are_told() -> None:
    news = News()
    list(news.lobby(table()))
    list(news.lobby(table(match=match("m", 1000))))
    assert range(1000 - ROUNDS_TOLD_MAX, 1001) == news.rounds()
