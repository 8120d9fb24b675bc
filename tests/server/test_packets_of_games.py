"""Packets of all five games: whole matches by them, and nobody is told what they may not know."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio

import arena.server
from arena.games import GAMES
from arena.games.bluff import Bluff
from arena.games.bluff.moves import Deal
from arena.server.packets.packets import move_packets
from tests.server.halls import a_house
from tests.server.pages import Page, a_room, kinds, only

Clock = trio.testing.MockClock

SHORT: dict[str, dict[str, Any]] = {
    "holdem": {"hands": 3},
    "bluff": {"plays_max": 60},
    "liars-dice": {"dice": 2},
    "chamber": {"lives": 2},
}
PRIVATE = {"Hand", "Hole", "UseChamberCheckResult"}
HIDDEN = ("ammoDeck", "ItemDeck", '"chamber":[', '"deck"', '"seed"', "key_hash")


def a_packet(options: list[dict[str, Any]], luck: Random) -> tuple[str, dict[str, Any]]:
    """A legal move as a packet, made of the options in the player's own state."""
    option = luck.choice(options)
    values = {}
    for name, domain in option["fields"].items():
        if "one_of" in domain:
            values[name] = luck.choice(domain["one_of"])
        elif "min" in domain:
            values[name] = luck.randint(domain["min"], domain["max"])
        else:
            values[name] = luck.sample(domain["subset_of"], luck.randint(domain["least"], domain["most"]))
    form = option["form"]
    if isinstance(form, dict):
        keys = {value[1:-1]: key for key, value in form.items() if str(value).startswith("<")}
        values = {keys[name]: value for name, value in values.items()}
    return (form["packet"] if isinstance(form, dict) and "packet" in form else option["kind"]), values


async def play(pages: list[Page], luck: Random) -> None:
    """Everybody makes any moves until the match is over."""
    live = pages[0].room.live
    with trio.fail_after(10_000):
        while live.table.status != "finished":
            for page in pages:
                options = page.sync()["you"]["options"]
                if options:
                    name, fields = a_packet(options, luck)
                    assert "ActionFailed" not in kinds(page.say(name, **fields))
            await trio.sleep(0.5)


@pytest.mark.parametrize("game", GAMES)
async def test_a_match_by_packets_of_its_moves(game: str, autojump_clock: Clock) -> None:
    async with a_house() as house:
        room = a_room(house, game, **SHORT.get(game, {}))
        watcher = Page(room)
        pages = [Page(room).join(name) for name in ("ann", "bob", "cid")]
        pages[0].say("StartGame")
        await play(pages, Random(1))
        frames = watcher.heard
        assert 1 == kinds(frames).count("GameStarted") == kinds(frames).count("MatchOver")
        assert not PRIVATE & set(kinds(frames))
        in_order(frames)
        for page in (watcher, *pages):
            text = "".join(page.wire.frames)
            assert not [word for word in HIDDEN if word in text]
            assert [key.key for key in pages if key.key in text] == ([page.key] if page.key else [])


def in_order(frames: list[dict[str, Any]]) -> None:
    """After what happens comes the state, and only then whose turn ends and begins; nobody's turn ends
    before it began, or begins before another one's ended."""
    happened, on_turn = False, None
    for frame in frames:
        match frame["packet"]:
            case "GameDataSync":
                happened = False
            case "TurnEnd":
                assert not happened
                assert on_turn == frame["username"]
                on_turn = None
            case "TurnStart":
                assert not happened
                assert on_turn in (None, frame["username"])
                on_turn = frame["username"]
            case "GameStarted" | "PlayerJoined" | "HostSet" | "ShowAlert":
                assert not happened
            case _:
                happened = True
                assert frame["sentence"]


async def test_a_move_in_any_form_is_a_packet(autojump_clock: Clock) -> None:
    """What is fixed in a move's form cannot be said otherwise; `Move` has a move as bots write it."""
    async with a_house() as house:
        room = a_room(house, "holdem")
        pages = {name: Page(room).join(name) for name in ("ann", "bob")}
        pages["ann"].say("StartGame")
        await trio.testing.wait_all_tasks_blocked()
        first, second = (pages[name] for name in room.live.table.names)
        for wrong, words in (
            (None, "move"),
            ([], "move"),
            ({"action": 2}, "move"),
            ("\x00", "move"),
            ({"action": 1, "betAmount": 10**18}, "is not"),
        ):
            (failed,) = first.say("Move", move=wrong)
            assert words in failed["reason"]
        assert "Move needs a move" in first.say("Move")[0]["reason"]
        assert "betAmount is missing" in first.say("Bet")[0]["reason"]
        assert "betAmount" in first.say("Bet", betAmount="10")[0]["reason"]
        told = first.say("Bet", betAmount=10, action=0)
        assert ("Bet", 10) == (told[0]["packet"], told[0]["betAmount"])
        second.say("Move", move={"action": 1, "betAmount": 20})
        second.news()
        told = second.say("Fold", action=1, betAmount=100)
        assert "ActionFailed" in kinds(told) or "Fold" in kinds(told)


async def test_a_name_that_is_a_card_tells_nothing_of_the_card(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: Clock
) -> None:
    cards = tuple(rank + suit for suit in "CDHS" for rank in "A23456789TJQK")
    monkeypatch.setattr(Bluff, "draw", lambda self, state, rng: Deal(cards))
    async with a_house() as house:
        room = a_room(house, "bluff")
        watcher = Page(room)
        pages = {name: Page(room).join(name) for name in ("AC", "3C")}
        pages["AC"].say("StartGame")
        await trio.testing.wait_all_tasks_blocked()
        first = pages[room.live.table.names[0]]
        watcher.news()
        first.say("Play", play=[first.name])  # seat 0 holds both
        (told,) = only(watcher.news(), "Play")
        assert {"packet", "player", "count", "claim", "cards_left", "sentence"} == told.keys()


async def test_nobody_is_told_who_has_answered(autojump_clock: Clock) -> None:
    """But of the seat on turn, by a clock; who has answered is told alone that nothing is asked any more."""
    async with a_house() as house:
        room = a_room(house, "liars-dice", dice=1)
        pages = {name: Page(room).join(name) for name in ("ann", "bob", "cid")}
        watcher = Page(room)
        pages["ann"].say("StartGame")
        await trio.testing.wait_all_tasks_blocked()
        first, second, third = (pages[name] for name in room.live.table.names)
        everybody = [watcher, first, second, third]
        for page in everybody:
            page.news()
        (own,) = first.say("Bid", face=1, count=1)
        assert own["you"]["options"] is None
        for page in (watcher, second, third):
            (told,) = page.news()  # their clock, which runs from now on
            assert told["match"]["clocks"] | {first.name: 0} == {
                first.name: 0,
                second.name: 3000,
                third.name: 3000,
            }
        before = [watcher.sync(), third.sync()]
        (own,) = second.say("Pass")
        assert own["you"]["options"] is None
        assert [[], []] == [watcher.news(), third.news()]
        assert before == [watcher.sync(), third.sync()]
        assert "it is not your turn: nothing is asked of you now" == second.say("Challenge")[0]["reason"]
        third.say("Pass")
        told = watcher.news()
        assert ["Bid", "GameDataSync"] == kinds(told)
        assert first.name == told[0]["player"]
        assert "pass" not in json.dumps(told).lower()


def test_the_readme_names_every_packet() -> None:
    """Those of the chamber document, and the moves of all games."""
    readme = Path(arena.server.__file__).with_name("README.md").read_text()
    moves = {name for game in GAMES.values() for name in move_packets(game())}
    lobby = (
        "JoinGame PlayerJoined PlayerJoinRejected HostSet SetHost GameDataRequest GameDataSync StartGame "
        "GameStarted TurnStart TurnEnd UseChamberCheckResult ActionFailed ShowAlert SendNewChatMessage "
        "NewChatMessageSent Ready LeaveGame Move"
    )
    assert [] == [name for name in sorted(moves | set(lobby.split())) if not re.search(rf"`{name}\b", readme)]
