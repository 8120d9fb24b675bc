"""A client of the chamber game, written from its document alone: nothing of this project is imported here.

What the document leaves open is one line: a packet is a text frame with a JSON object, its name under `packet`.
"""

from __future__ import annotations

import json
import socket
from collections import deque
from random import Random
from typing import Any, Self

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, Request, TextMessage

Packet = dict[str, Any]

ACTIONS = [
    "ShootPlayer",
    "UseSkipItem",
    "UseDoubleDamageItem",
    "UseChamberCheckItem",
    "UseRebalancerItem",
    "UseQuickshotItem",
    "UseStealItem",
    "UseAddLifeItem",
]


class ChamberClient:
    """A page: a connection, and what it shows of the game."""

    def __init__(self, host: str, port: int, path: str, seed: int = 1) -> None:
        self.log: list[Packet] = []
        self.players: list[str] = []
        """A card for each."""
        self.me: str | None = None
        self.host: str | None = None
        self.data: Packet = {}
        self.turn: str | None = None
        self.chat: list[tuple[str, str]] = []
        self._luck = Random(seed)
        self._failed: str | None = None
        self._is_waiting = False
        """For what comes of an action."""
        self._ready: deque[str] = deque()
        self._text = ""
        self._socket = socket.create_connection((host, port), timeout=30)
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._socket.sendall(self._protocol.send(Request(host=f"{host}:{port}", target=path)))
        while not self._read_events():
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    # The wire

    def send(self, packet: str, **fields: Any) -> None:
        text = json.dumps({"packet": packet, **fields})
        self._socket.sendall(self._protocol.send(TextMessage(data=text)))

    def receive(self) -> Packet:
        """The next packet, with what follows from it shown."""
        while not self._ready:
            self._read_events()
        packet: Packet = json.loads(self._ready.popleft())
        self.log.append(packet)
        self._show(packet)
        return packet

    def _read_events(self) -> bool:
        """Reads once; whether the connection was accepted."""
        octets = self._socket.recv(1 << 16)
        assert octets, "the server has closed"
        self._protocol.receive_data(octets)
        is_accepted = False
        for event in self._protocol.events():
            if isinstance(event, TextMessage):
                self._text += event.data
                if event.message_finished:
                    self._ready.append(self._text)
                    self._text = ""
            elif isinstance(event, Ping):
                self._socket.sendall(self._protocol.send(event.response()))
            else:
                assert not isinstance(event, CloseConnection), event
                is_accepted = is_accepted or isinstance(event, AcceptConnection)
        return is_accepted

    def until(self, packet: str, **fields: Any) -> Packet:
        """Waits for a packet with these fields."""
        while True:
            told = self.receive()
            if told["packet"] == packet and fields.items() <= told.items():
                return told

    # What is shown

    def _show(self, packet: Packet) -> None:
        match packet["packet"]:
            case "PlayerJoined":
                self.players.append(packet["player"]["username"])
            case "HostSet":
                self.host = packet["username"]
            case "GameDataSync":
                self.data = packet
                self.players = [player["username"] for player in packet["players"]]
                self.host = packet["gameHost"]
            case "TurnStart":
                self.turn = packet["username"]
                order, count = self.data["turnOrder"], self.data["turnCount"]
                assert order[count % len(order)] == self.turn, "who is next, as the document computes it"
            case "TurnEnd":
                assert packet["username"] == self.turn
                self.turn = None
            case "NewChatMessageSent":
                self.chat.append((packet["player"]["username"], packet["message"]))
            case "ActionFailed":
                self._failed = packet["reason"]

    def player(self, username: str | None) -> Packet:
        found: Packet = next(each for each in self.data["players"] if each["username"] == username)
        return found

    @property
    def living(self) -> list[str]:
        """The others who can be shot."""
        return [
            player["username"]
            for player in self.data["players"]
            if player["lives"] and not player["isSpectator"] and player["username"] != self.me
        ]

    # What its user does

    def join(self, username: str) -> Packet:
        """Joins the lobby and asks for what it shows; gives the own Player."""
        self.send("JoinGame", username=username)
        own: Packet = self.until("PlayerJoined")["player"]
        self.me = own["username"]
        self.send("GameDataRequest")
        self.until("GameDataSync")
        return own

    def play(self) -> None:
        """Plays until the game is over."""
        if not self.data.get("gameStarted"):
            self.until("GameStarted")
            self.until("GameDataSync")
        self._act()
        while self.data["gameStarted"]:
            packet = self.receive()
            if self._failed is not None:
                self._try_again()
            elif packet["packet"] in ("TurnStart", "GameDataSync"):
                if packet.get("username") == self.me or packet["packet"] == "GameDataSync":
                    self._is_waiting = False
                self._act()

    def _act(self) -> None:
        """Uses an item now and then, and shoots somebody otherwise; before the first turn of a round it
        uses its Rebalancer."""
        if self._is_waiting or self.player(self.me)["isSpectator"] or not self.living:
            return
        items = [item for item in self.player(self.me)["items"] if item != "Rebalancer"]
        if self.turn is None and "Rebalancer" in self.player(self.me)["items"]:
            self._send("UseRebalancerItem")
        elif self.turn != self.me:
            return
        elif items and self._luck.random() < 0.6:
            self._use(self._luck.choice(items))
        else:
            self._shoot()

    def _use(self, item: str) -> None:
        victim = self._luck.choice(self.living)
        loot = [each for each in self.player(victim)["items"] if each not in ("Steal", "Rebalancer", "Skip")]
        if item == "Skip":
            self._send("UseSkipItem", target=victim)
        elif item == "Steal" and loot:
            self._send("UseStealItem", target=victim, item=self._luck.choice(loot))
        elif item == "Steal":
            self._shoot()
        else:
            self._send(f"Use{item}Item")

    def _shoot(self) -> None:
        self._send("ShootPlayer", username=self._luck.choice(self.living))

    def _try_again(self) -> None:
        """Reads why an action failed, and does what is said to be possible."""
        reason, self._failed = str(self._failed), None
        if "ammo" in reason or "possible: UseRebalancerItem" in reason:
            self._send("UseRebalancerItem", ammo=self._luck.choice(["live", "blank"]))
        elif self.turn == self.me:
            self._shoot()
        else:
            self._is_waiting = False

    def _send(self, packet: str, **fields: Any) -> None:
        self._is_waiting = True
        self.send(packet, **fields)
