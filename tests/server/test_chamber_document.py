"""The document of Chamber at a real server, by clients written from it alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.server.chamber_client import ACTIONS, ChamberClient, Packet
from tests.server.served import a_server

STRUCTURE = {"lives", "items", "inGame", "username", "joinTime", "isSkipped", "isSpectator"}
GAME_DATA = {"players", "turnCount", "gameStarted", "gameHost", "gameID", "turnOrder", "chat"}


def ann_plays(ann: ChamberClient) -> None:
    """She was first, and makes the second one host; she plays once she is looked on."""
    ann.until("PlayerJoined")
    assert ann.players == ["ann", "bob"]
    ann.send("SetHost", username="bob")
    ann.until("HostSet", username="bob")
    ann.send("StartGame")  # ignored: she is host no more
    ann.send("SendNewChatMessage", message="good luck")
    ann.until("NewChatMessageSent", message="exciting")
    ann.play()


def bob_plays(bob: ChamberClient) -> None:
    """He starts once he is host and was wished luck, and plays once he is looked on."""
    bob.until("HostSet", username="bob")
    bob.until("NewChatMessageSent", message="good luck")
    bob.send("StartGame")
    bob.until("NewChatMessageSent", message="exciting")
    bob.play()


def cid_looks_on(cid: ChamberClient) -> None:
    """He chooses a name when the game has begun, and cannot shoot."""
    cid.until("GameStarted")
    assert cid.join("cid")["isSpectator"]
    cid.send("ShootPlayer", username="ann")
    cid.send("SendNewChatMessage", message="exciting")
    while not cid.data.get("gameStarted"):
        cid.receive()
    while cid.data["gameStarted"]:
        cid.receive()


@pytest.mark.slow
def test_a_whole_game_from_the_document(tmp_path: Path) -> None:
    """Two play and one looks on, in threads of their own."""
    with a_server(tmp_path / "data") as server:
        url = urlsplit(server.http)
        assert url.hostname is not None
        assert url.port is not None
        where = (url.hostname, url.port, "/ws/chamber")
        with (
            ChamberClient(*where, 1) as ann,
            ChamberClient(*where, 2) as bob,
            ChamberClient(*where, 3) as cid,
        ):
            assert not ann.join("ann")["isSpectator"]
            assert ann.host == "ann"
            bob.send("JoinGame", username="ann")
            assert "ann is taken" in bob.until("PlayerJoinRejected")["reason"]
            bob.join("bob")
            with ThreadPoolExecutor(3) as pool:
                parts = [
                    pool.submit(ann_plays, ann),
                    pool.submit(bob_plays, bob),
                    pool.submit(cid_looks_on, cid),
                ]
                for part in parts:
                    part.result(timeout=120)
            check_logs(ann, bob, cid)
        server.process.terminate()
        assert server.process.wait(10) != 70, "no bug was noted"


def check_logs(*clients: ChamberClient) -> None:
    """All were told the same game, in the document's order, and its end."""
    told = [acts_of(client.log) for client in clients]
    assert told[0] == told[1]
    assert told[2] == told[0][-len(told[2]) :], "whoever came later was told the same from then on"
    assert {"ShootPlayer", "TurnStart", "TurnEnd"} <= {packet["packet"] for packet in told[0]}
    for client in clients:
        lives = {player["username"]: player["lives"] for player in client.data["players"]}
        assert sorted(lives[name] > 0 for name in ("ann", "bob")) == [False, True]
        assert ("ann", "good luck") in client.chat
        assert ("cid", "exciting") in client.chat
        for packet in client.log:
            check_structure(packet)
        check_order(client.log)
    _, _, cid = clients
    assert not [packet for packet in cid.log if packet["packet"] in ("ActionFailed", "UseChamberCheckResult")]


def acts_of(log: list[Packet]) -> list[Packet]:
    names = (*ACTIONS, "TurnStart", "TurnEnd")
    return [packet for packet in log if packet["packet"] in names]


def check_structure(packet: Packet) -> None:
    if packet["packet"] == "GameDataSync":
        assert packet.keys() >= GAME_DATA
        assert not packet.keys() & {"ammoDeck", "itemDeck", "ItemDeck"}
        for player in packet["players"]:
            assert player.keys() >= STRUCTURE
    if packet["packet"] in ("PlayerJoined", "NewChatMessageSent"):
        assert packet["player"].keys() >= STRUCTURE


def check_order(log: list[Packet]) -> None:
    """After an action comes GameDataSync, before whose turn ends and begins."""
    owed: Any = None
    for packet in log:
        name = packet["packet"]
        if name in ("TurnEnd", "TurnStart"):
            assert owed is None, owed
        owed = None if name == "GameDataSync" else name if name in ACTIONS else owed
