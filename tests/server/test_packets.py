"""The chamber document's packets, in virtual time: the lobby, a match word for word, chat, and coming back."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
import trio

from arena.games.chamber import Chamber
from arena.games.chamber.moves import Load, Rebalance
from arena.server.limits import ABSENT_S
from arena.server.packets.packet_room import PacketRoom
from arena.server.tables.closed_pages import AWAY_S
from tests.server.halls import a_house, any_move
from tests.server.pages import Page, a_room, kinds, only, room_of

Clock = trio.testing.MockClock
HOST_GONE_S = AWAY_S + 0.1

RULES = {"items_per_round": 7}
ITEMS = (
    ("Skip", "DoubleDamage", "ChamberCheck", "Rebalancer", "Quickshot", "Steal", "AddLife"),
    ("AddLife",) * 3 + ("Skip",) * 3 + ("Quickshot",),
    ("DoubleDamage",) * 3 + ("ChamberCheck",) * 3 + ("Steal",),
)
CHAMBER = ("blank", "live", "blank", "live", "blank", "live")


def scripted(monkeypatch: pytest.MonkeyPatch, *draws: Any) -> None:
    """Chance makes these moves."""
    script: Iterator[Any] = iter(draws)
    monkeypatch.setattr(Chamber, "draw", lambda self, state, rng: next(script))


def loaded(*chamber: str, seats: int = 2) -> Load:
    """A round without items."""
    return Load(((),) * seats, chamber)


async def started(room: PacketRoom, *names: str) -> list[Page]:
    """People at the table, in playing order, once the first question is asked."""
    pages = {name: Page(room).join(name) for name in names}
    pages[names[0]].say("StartGame")
    await trio.testing.wait_all_tasks_blocked()
    for page in pages.values():
        page.news()
    return [pages[name] for name in room.live.table.names]


# The lobby


async def test_everybody_is_told_who_joins_and_who_is_host() -> None:
    """The receiver's own PlayerJoined alone carries the key; the first one is host."""
    async with a_house() as house:
        room = a_room(house)
        stranger, ann, bob = Page(room), Page(room), Page(room)
        own = ann.say("JoinGame", username="ann")
        assert ["PlayerJoined", "HostSet"] == kinds(own)
        player = own[0]["player"]
        assert own[0]["key"]
        assert {"packet": "HostSet", "username": "ann"} == own[1]
        assert {
            "username": "ann",
            "lives": 0,
            "items": [],
            "inGame": True,
            "isSkipped": False,
            "isSpectator": False,
        }.items() <= player.items()
        assert isinstance(player["joinTime"], float)
        told = [{"packet": "PlayerJoined", "player": player}, own[1]]
        assert told == stranger.news() == bob.news()
        bob.say("JoinGame", username="bob", joinTime=5)
        assert ["PlayerJoined"] == kinds(ann.news())
        assert not any("key" in frame for frame in stranger.heard)
        assert ["ann", "bob"] == [each["username"] for each in stranger.sync()["players"]]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"username": "ann"}, "ann is taken at this table: choose another"),
        ({"username": "аnn"}, "looks like"),
        ({"username": "a" * 25}, "1 to 24 printable characters"),
        ({"username": ""}, "1 to 24 printable characters"),
        ({"username": " bob"}, "without spaces at its ends"),
        ({"username": "b\u202eob"}, "printable"),
        ({"username": "b\x00b"}, "printable"),
        ({"username": "b\ufeffob"}, "printable"),
        ({"username": 5}, "needs a username that is a text"),
        ({"username": None}, "needs a username"),
        ({}, 'needs a username that is a text: {"packet": "JoinGame", "username": "ann"}'),
        ({"key": "no such key"}, "nobody at this table has this key"),
        ({"key": "", "username": "bob"}, "nobody at this table has this key"),
        ({"key": "\ud7ff", "username": "bob"}, "nobody at this table has this key"),
    ],
)
async def test_a_join_that_fails_is_rejected_with_the_reason(fields: dict[str, Any], reason: str) -> None:
    async with a_house() as house:
        room = a_room(house)
        ann, bob = Page(room).join("ann"), Page(room)
        ann.news()
        (told,) = bob.say("JoinGame", **fields)
        assert "PlayerJoinRejected" == told["packet"]
        assert reason in told["reason"]
        assert [] == ann.news(), "a refused request changes nothing"
        assert 1 == len(room.live.table.members)


async def test_who_has_joined_does_not_join_again() -> None:
    async with a_house() as house:
        ann = Page(a_room(house)).join("ann")
        (told,) = ann.say("JoinGame", username="bea")
        assert "you have joined already, as ann" == told["reason"]


async def test_a_name_with_html_is_a_name() -> None:
    """Pages escape what they show; it is told as it was said."""
    async with a_house() as house:
        room = a_room(house)
        watcher = Page(room)
        Page(room).join("<b>ann</b>")
        assert "<b>ann</b>" == watcher.news()[0]["player"]["username"]


async def test_a_full_table_says_how_to_watch() -> None:
    async with a_house() as house:
        room = a_room(house)
        for number in range(7):
            Page(room).join(f"player-{number}")
        late = Page(room)
        (told,) = late.say("JoinGame", username="late")
        assert "all 7 seats are taken: join as a spectator" == told["reason"]
        assert late.say("JoinGame", username="late", spectate=True)[0]["player"]["isSpectator"]


async def test_the_host_hands_over_and_others_cannot() -> None:
    async with a_house() as house:
        room = a_room(house)
        ann, bob, cid = (Page(room).join(name) for name in ("ann", "bob", "cid"))
        ann.news()
        assert [] == bob.say("SetHost", username="bob"), "ignored"
        assert [] == bob.say("StartGame"), "ignored"
        (told,) = ann.say("SetHost", username="dan")
        assert {"packet": "ActionFailed", "reason": "nobody at this table has this username"} == told
        for wrong in (None, 5, ["bob"], {}):
            assert ["ActionFailed"] == kinds(ann.say("SetHost", username=wrong))
        assert [{"packet": "HostSet", "username": "bob"}] == ann.say("SetHost", username="bob")
        assert [{"packet": "HostSet", "username": "bob"}] == cid.news()
        assert [] == ann.say("StartGame")
        assert "bob" == cid.sync()["gameHost"]
        bob.say("LeaveGame")
        assert {"packet": "HostSet", "username": "ann"} in cid.news(), "who joined next"
        assert ["ann", "cid"] == [each["username"] for each in cid.sync()["players"]]
        assert [] == bob.say("StartGame")


async def test_a_start_alone_fails_with_the_reason() -> None:
    async with a_house() as house:
        ann = Page(a_room(house)).join("ann")
        (told,) = ann.say("StartGame")
        assert "chamber needs 2 players, and 1 is seated" == told["reason"]


async def test_it_starts_without_the_host_once_all_are_ready() -> None:
    async with a_house() as house:
        room = a_room(house)
        ann, bob = Page(room).join("ann"), Page(room).join("bob")
        ann.news()
        bob.say("Ready")
        assert [False, True] == [each["isReady"] for each in only(ann.news(), "GameDataSync")[-1]["players"]]
        ann.say("Ready")
        assert "GameStarted" in kinds(bob.news())


# A match


async def test_a_match_word_for_word(monkeypatch: pytest.MonkeyPatch, autojump_clock: Clock) -> None:
    """After an action: the action with its player, the state, then whose turn has ended and begins."""
    scripted(
        monkeypatch, Load(ITEMS, ("live", "blank", "blank", "live", "blank")), Rebalance((1, 1, 1), CHAMBER)
    )
    async with a_house() as house:
        room = a_room(house, **RULES)
        watcher = Page(room)
        ann, bob, cid = await started(room, "x", "y", "z")
        names = [ann.name, bob.name, cid.name]
        a, b, c = names
        opening = watcher.news()
        assert "GameStarted" in kinds(opening)
        assert opening[-1]["gameStarted"]
        assert ["RoundStarted", "GameDataSync"] == kinds(opening[-2:]), "nobody's turn has begun"

        def failing(page: Page, packet: str, reason: str, **fields: Any) -> None:
            (told,) = page.say(packet, **fields)
            assert "ActionFailed" == told["packet"]
            assert reason in told["reason"]
            assert [] == watcher.news()

        def acting(page: Page, packet: str, **fields: Any) -> list[dict[str, Any]]:
            """What all are told; each is told the same, but for their own state and what is theirs alone."""
            own = page.say(packet, **fields)
            told = watcher.news()
            public = [
                frame for frame in own if frame["packet"] not in ("GameDataSync", "UseChamberCheckResult")
            ]
            assert public == [frame for frame in told if frame["packet"] != "GameDataSync"]
            for other in (ann, bob, cid):
                assert other is page or kinds(told) == kinds(other.news())
            for frame in only(told, "GameDataSync"):
                assert (
                    frame["current_player"]
                    == frame["turnOrder"][frame["turnCount"] % len(frame["turnOrder"])]
                )
            return told

        # Before the first turn, its owners alone may use a Rebalancer.
        failing(ann, "UseRebalancerItem", "ammo is missing")
        failing(ann, "UseRebalancerItem", "ammo", ammo="lead")
        failing(
            ann,
            "ShootPlayer",
            "ShootPlayer is not possible here; possible: UseRebalancerItem, Pass",
            username=b,
        )
        failing(bob, "UseRebalancerItem", "it is not your turn", ammo="live")
        told = acting(ann, "UseRebalancerItem", ammo="live")
        assert ["UseRebalancerItem", "GameDataSync", "Rebalanced", "GameDataSync", "TurnStart"] == kinds(told)
        assert (told[0]["ammo"], told[0]["player"]) == ("live", a)
        assert {"packet": "TurnStart", "username": a} == told[-1]
        assert (3, 3) == (told[-2]["live_left"], told[-2]["blank_left"])

        failing(ann, "UseRebalancerItem", "UseRebalancerItem is not possible here", ammo="live")
        failing(bob, "ShootPlayer", "it is not your turn", username=a)
        failing(ann, "ShootPlayer", "username is missing")
        failing(ann, "ShootPlayer", f"the players are {a}, {b}, {c}", username="nobody")
        failing(ann, "ShotPlayer", "no packet is called that; moves are Move, ShootPlayer, UseSkipItem")

        told = acting(ann, "UseSkipItem", target=b)
        assert ["UseSkipItem", "GameDataSync"] == kinds(told)
        assert (told[0]["target"], told[0]["player"]) == (b, a)
        assert {a: False, b: True, c: False} == {
            each["username"]: each["isSkipped"] for each in told[1]["players"]
        }
        failing(ann, "UseSkipItem", "UseSkipItem is not possible here", target=c)
        failing(ann, "UseStealItem", "skip_target", target=b, item="Skip", skip_target=b)
        failing(ann, "UseStealItem", "item", target=c, item="AddLife")
        failing(ann, "UseStealItem", "item is missing", target=c)
        told = acting(ann, "UseStealItem", target=b, item="AddLife")
        assert (told[0]["target"], told[0]["item"], told[0]["player"]) == (b, "AddLife", a)
        told = acting(ann, "UseAddLifeItem")
        assert (a, 7) == (
            told[0]["player"],
            next(p["lives"] for p in told[1]["players"] if p["username"] == a),
        )
        assert ["UseDoubleDamageItem", "GameDataSync"] == kinds(acting(ann, "UseDoubleDamageItem"))

        own = ann.say("UseChamberCheckItem")
        assert ["UseChamberCheckItem", "UseChamberCheckResult", "GameDataSync"] == kinds(own)
        assert ("blank", "blank") == (own[1]["next"], own[2]["known_next"])
        for other in (watcher, bob, cid):
            told = other.news()
            assert ["UseChamberCheckItem", "GameDataSync"] == kinds(told)
            assert told[1]["known_next"] is None
            assert "next" not in told[0]

        assert ["UseQuickshotItem", "GameDataSync"] == kinds(acting(ann, "UseQuickshotItem"))
        told = acting(ann, "ShootPlayer", username=c)
        assert ["ShootPlayer", "GameDataSync"] == kinds(told), "the turn goes on by the Quickshot"
        assert {
            "packet": "ShootPlayer",
            "username": c,
            "fired": "blank",
            "lives": 5,
            "player": a,
            "sentence": f"{a} shoots {c}: blank",
        } == told[0]
        told = acting(ann, "ShootPlayer", username=c)
        assert ["ShootPlayer", "Skipped", "GameDataSync", "TurnEnd", "TurnStart"] == kinds(told)
        assert ("live", 4, b) == (told[0]["fired"], told[0]["lives"], told[1]["player"])
        assert [{"packet": "TurnEnd", "username": a}, {"packet": "TurnStart", "username": c}] == told[-2:]
        assert ["ShootPlayer", "GameDataSync"] == kinds(acting(cid, "ShootPlayer", username=c)), (
            "blank at oneself"
        )
        assert [] == watcher.say("ShootPlayer", username=a), "ignored"
        told = acting(cid, "ShootPlayer", username=c)
        assert ["ShootPlayer", "GameDataSync", "TurnEnd", "TurnStart"] == kinds(told)
        for page in (watcher, ann, bob, cid):
            text = "".join(page.wire.frames).lower()
            for hidden in (
                "ammodeck",
                "itemdeck",
                '"chamber":',
                "seed",
                *(p.key.lower() for p in (ann, bob, cid)),
            ):
                assert hidden not in text or (hidden == page.key.lower() and text.count(hidden) == 1)


async def test_an_empty_chamber_begins_a_round_and_the_turn_goes_on(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: Clock
) -> None:
    scripted(monkeypatch, loaded("live", "blank"), loaded("live", "blank", "live"))
    async with a_house() as house:
        room = a_room(house, items_per_round=0)
        ann, bob = await started(room, "x", "y")
        assert ["ShootPlayer", "GameDataSync", "TurnEnd", "TurnStart"] == kinds(
            ann.say("ShootPlayer", username=bob.name)
        )
        told = bob.say("ShootPlayer", username=bob.name)
        round_begins = ["RoundStarted", "GameDataSync", "TurnStart"]
        assert ["ShootPlayer", "GameDataSync", *round_begins] == kinds(told), "its turn has not ended"
        assert bob.name == told[-1]["username"]


async def test_who_is_eliminated_looks_on(monkeypatch: pytest.MonkeyPatch, autojump_clock: Clock) -> None:
    """It shows isSpectator, its shots are ignored; the end names the winner; the host starts the next match."""
    scripted(monkeypatch, loaded("live", "live", "blank", seats=3), loaded("blank", "live", seats=4))
    async with a_house() as house:
        room = a_room(house, items_per_round=0, lives=1)
        ann, bob, cid = await started(room, "x", "y", "z")
        late = Page(room).join("late")
        assert late.heard[0]["player"]["isSpectator"], "play has begun"
        ann.news(), late.news()
        ann.say("ShootPlayer", username=bob.name)
        told = late.news()
        assert ["ShootPlayer", "Eliminated", "GameDataSync", "TurnEnd", "TurnStart"] == kinds(told)
        shown = {each["username"]: each["isSpectator"] for each in told[2]["players"]}
        assert {ann.name: False, bob.name: True, cid.name: False, "late": True} == shown
        bob.news()
        assert [] == bob.say("ShootPlayer", username=ann.name)
        assert [] == late.say("ShootPlayer", username=ann.name)
        assert ["NewChatMessageSent"] == kinds(bob.say("SendNewChatMessage", message="well shot"))
        late.news()
        cid.say("ShootPlayer", username=ann.name)
        await trio.testing.wait_all_tasks_blocked()
        told = late.news()
        assert ["ShootPlayer", "Eliminated", "MatchOver", "GameDataSync", "TurnEnd"] == kinds(told[:5])
        assert ["GameDataSync", "ShowAlert"] == kinds(told[5:])
        assert (False, f"{cid.name} wins") == (told[5]["gameStarted"], told[6]["message"])
        newcomer = Page(room).join("new")
        assert not newcomer.heard[0]["player"]["isSpectator"], "between two matches there are seats"
        host = next(page for page in (ann, bob, cid) if page.name == "x")
        host.news(), late.news()
        host.say("StartGame")
        await trio.testing.wait_all_tasks_blocked()
        told = late.news()
        assert {"GameStarted", "RoundStarted", "TurnStart"} <= set(kinds(told))
        assert {"new", "x", "y", "z"} == set(room.live.table.names)


async def test_a_start_of_a_match_that_is_played_fails() -> None:
    async with a_house() as house:
        room = a_room(house)
        pages = await started(room, "x", "y")
        host = next(page for page in pages if page.name == "x")
        assert "a match is being played: wait for its end" == host.say("StartGame")[0]["reason"]


async def test_a_shot_before_the_start_fails() -> None:
    async with a_house() as house:
        room = a_room(house)
        ann = Page(room).join("ann")
        assert "no match is being played here" == ann.say("ShootPlayer", username="ann")[0]["reason"]
        Page(room).join("bob")
        ann.say("StartGame")
        assert "the match has not begun" in ann.say("ShootPlayer", username="ann")[-1]["reason"]


async def test_a_clock_is_told_as_it_is_now(autojump_clock: Clock) -> None:
    """Also who asks in the middle of a turn, and the newest state is of the questions that are open."""
    async with a_house() as house:
        room = a_room(house, "blef")
        watcher = Page(room)
        first, _ = await started(room, "x", "y")
        sync = only(watcher.news(), "GameDataSync")[-1]
        assert {first.name: 30_000} == sync["match"]["clocks"]
        assert only(first.heard, "GameDataSync")[-1]["you"]["options"]
        await trio.sleep(10.0)
        assert {first.name: 20_000} == watcher.sync()["match"]["clocks"]


# Chat


async def test_chat(autojump_clock: Clock) -> None:
    """Author and time are the server's; it is bounded in length and rate; who has not joined cannot speak."""
    async with a_house() as house:
        room = a_room(house)
        ann, bob, stranger = Page(room).join("ann"), Page(room).join("bob"), Page(room)
        bob.news()
        await trio.sleep(3.0)
        ann.say("SendNewChatMessage", message="<i>hello</i>", author="bob", timestamp=9)
        (told,) = bob.news()
        assert ("NewChatMessageSent", "<i>hello</i>", "ann") == (
            told["packet"],
            told["message"],
            told["player"]["username"],
        )
        assert trio.current_time() == told["timestamp"]
        assert {"lives", "items", "isSpectator"} <= told["player"].keys()
        assert [] == stranger.say("SendNewChatMessage", message="hello")
        for wrong in (None, 5, "", " ", "x" * 501, "a\nb", "a\u202eb", ["a"]):
            (failed,) = ann.say("SendNewChatMessage", message=wrong)
            assert "ActionFailed" == failed["packet"]
        assert [] == bob.news()
        for _ in range(10):
            ann.say("SendNewChatMessage", message="again")
        assert "too many messages: say the next one in" in ann.heard[-1]["reason"]
        assert 4 == len(bob.news())
        assert ["<i>hello</i>", "again"] == [line["message"] for line in stranger.sync()["chat"][:2]]


async def test_a_long_chat_does_not_make_every_state_long(autojump_clock: Clock) -> None:
    async with a_house() as house:
        room = a_room(house)
        pages = [Page(room).join(f"player-{number}") for number in range(5)]
        for number in range(100):
            pages[number % 5].say("SendNewChatMessage", message="x" * 500)
            await trio.sleep(2.0)
        pages[0].sync()
        assert 20 == len(pages[0].heard[-1]["chat"])
        assert len(pages[0].wire.frames[-1]) < 20_000


# Coming back


async def test_who_comes_back_to_a_match_that_is_asleep_may_move_at_once(autojump_clock: Clock) -> None:
    """The move waits for the bots, of which nothing is said; a second one is refused."""
    async with a_house(starts_s=5.0) as house:
        house.hall.nursery.start_soon(house.watch)
        room = a_room(house, "liars-dice", None)
        ann = Page(room).join("ann")
        (member,) = room.live.table.members
        room.live.give_seat(member, "odds")
        ann.say("StartGame")
        await trio.sleep(20.0)
        options = msgspec.json.decode(house.views(room.live).table_fields(member)["you"]["options"])
        ann.close()
        await trio.sleep(ABSENT_S + 15.0)
        assert room.live.table.is_asleep
        key, ann = ann.key, Page(room)
        ann.say("JoinGame", key=key)
        move = any_move(options, Random(1))
        assert ["GameDataSync"] == kinds(ann.say("Move", move=move))
        assert ["ActionFailed"] == kinds(ann.say("Move", move=move))
        await trio.sleep(4.9)
        assert ann.news() == []
        await trio.sleep(1.0)
        assert len(only(ann.news(), "GameDataSync")) > 1


async def test_who_comes_back_with_its_key_goes_on(autojump_clock: Clock) -> None:
    async with a_house() as house:
        room = a_room(house, "blef")
        first, second = await started(room, "x", "y")
        first.close()
        again = Page(room)
        told = again.say("JoinGame", key=first.key)
        assert ["PlayerJoined", "GameDataSync"] == kinds(told)
        assert (first.name, first.key) == (told[0]["player"]["username"], told[0]["key"])
        assert told[1]["you"]["options"]
        second.news()
        assert "Bet" in kinds(again.say("Bet", action_id=5))
        assert ["Bet", "GameDataSync", "TurnEnd", "TurnStart"] == kinds(second.news())


async def test_a_closed_page_frees_the_seat_after_a_while(autojump_clock: Clock) -> None:
    """But not if it is open again by then; being away twice for a moment is not being away for long."""
    async with a_house() as house:
        room = a_room(house)
        ann, bob = Page(room).join("ann"), Page(room).join("bob")
        key = ann.key
        for _ in range(3):
            ann.close()
            await trio.sleep(AWAY_S - 1.0)
            ann = Page(room)
            assert ["PlayerJoined", "GameDataSync"] == kinds(ann.say("JoinGame", key=key))
            await trio.sleep(2.0)
        assert ["ann", "bob"] == [each["username"] for each in bob.sync()["players"]]
        ann.close()
        await trio.sleep(HOST_GONE_S)
        told = bob.news()
        assert {"packet": "HostSet", "username": "bob"} in told
        sync = only(told, "GameDataSync")[-1]
        assert (["bob"], "bob") == ([each["username"] for each in sync["players"]], sync["gameHost"])
        again = Page(room)
        assert "nobody at this table has this key" in again.say("JoinGame", key=key)[0]["reason"]


async def test_the_table_is_closed_when_the_last_page_is(autojump_clock: Clock) -> None:
    async with a_house() as house:
        room = a_room(house)
        watcher, ann = Page(room), Page(room).join("ann")
        ann.close()
        await trio.sleep(HOST_GONE_S)
        assert room.live.table.is_closed
        assert "this table is closed: everybody has left" == watcher.wire.closed
        assert "this table is closed: everybody has left" == watcher.news()[-1]["message"]


async def test_who_does_not_come_back_to_the_lobby_after_a_restart_leaves(autojump_clock: Clock) -> None:
    async with a_house() as house:
        live = house.create("chamber", {}, 30.0, is_lobby=True)
        (_, key), _ = live.join("ann"), live.join("bob")
        room = room_of(house, live)  # as when the first page connects to a server that was started again
        page = Page(room)
        page.say("JoinGame", key=key)
        await trio.sleep(HOST_GONE_S)
        assert ["ann"] == [each["username"] for each in page.sync()["players"]]


async def test_in_a_match_a_closed_page_is_away_until_it_is_back(autojump_clock: Clock) -> None:
    async with a_house() as house:
        room = a_room(house, "blef", move_s=300.0)
        first, second = await started(room, "x", "y")
        first.close()
        await trio.sleep(HOST_GONE_S)
        assert room.live.table.is_playing
        shown = {each["username"]: each["isAway"] for each in second.sync()["players"]}
        assert {first.name: True, second.name: False} == shown
        assert room.live.match is not None
        assert [] == room.live.match.decisions, "it has all its time"
        await trio.sleep(300.0)
        assert ["too_late"] == [each.fault for each in room.live.match.decisions]
        back = Page(room)
        back.say("JoinGame", key=first.key)
        assert not any(each["isAway"] for each in back.sync()["players"])


async def test_friends_without_a_clock_wait_for_each_other(autojump_clock: Clock) -> None:
    async with a_house() as house:
        room = a_room(house, "blef", move_s=None)
        first, _ = await started(room, "x", "y")
        first.close()
        await trio.sleep(1000.0)
        assert not any(seat.is_away for seat in room.live.seats.values())


async def test_who_leaves_a_match_is_not_there_any_more(autojump_clock: Clock) -> None:
    async with a_house() as house:
        room = a_room(house, "blef")
        first, second = await started(room, "x", "y")
        first.say("LeaveGame")
        assert [] == first.say("SendNewChatMessage", message="hello")
        assert {first.name: False, second.name: True} == {
            each["username"]: each["inGame"] for each in second.sync()["players"]
        }
        again = Page(room)
        assert "nobody at this table has this key" in again.say("JoinGame", key=first.key)[0]["reason"]
