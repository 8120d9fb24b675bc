"""What happened at a table, in sentences, from the table and its rounds as a server sends them.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from arena.words import listed, number, printable, spaced

Fields: TypeAlias = Mapping[str, Any]
"""A JSON object from the server."""
ROUNDS_TOLD_MAX = 20
"""How many missed rounds are told; earlier ones are left out."""


class News:
    """Compares a table with what was told of it before."""

    def __init__(self) -> None:
        self.table: Fields | None = None
        """The table as it was told last."""
        self.dealt = ""
        """The last thing that was told to this player alone, such as its cards or dice."""
        self._match_id = ""
        self._round = 0
        self._steps = 0
        """How many of the round's steps have been told."""
        self._chat = 0
        self._is_result_told = False

    # The table

    def lobby(self, table: Fields) -> Iterator[str]:
        """What changed at the table outside of a match: who is there, and a match that begins."""
        before, self.table = self.table, table
        if before is None:
            yield self._greeting(table)
        else:
            yield from _comings(before, table)
        for line in table["chat"]:
            if line["number"] > self._chat:
                self._chat = line["number"]
                yield f"{line['nickname']} says: {line['message']}" if line["nickname"] else line["message"]
        match = table["match"]
        if match is not None and match["match_id"] != self._match_id:
            is_first = before is None
            self._match_id, self._steps, self._is_result_told = match["match_id"], 0, False
            self._round = match["round"] if is_first else 1
            self.dealt = ""
            yield f"match {match['number']}: {listed(match['names'])}"

    def _greeting(self, table: Fields) -> str:
        seats = table["seats"]
        names = [each["nickname"] for each in table["players"]]
        who = f"{listed(names)} {'is' if len(names) == 1 else 'are'} there" if names else "nobody is there"
        return f"a table of {table['game']} for {seats['least']} to {seats['most']}: {who}, {_status(table)}"

    # The match

    @property
    def _name(self) -> str:
        """The name of who looks at the table; empty for a spectator."""
        you = None if self.table is None else self.table["you"]
        return "" if you is None else str(you["nickname"])

    def rounds(self) -> range:
        """The numbers of the rounds in which something may be new."""
        match = None if self.table is None else self.table["match"]
        if match is None or self._is_result_told:
            return range(0)
        if match["round"] - self._round > ROUNDS_TOLD_MAX:
            self._round, self._steps = match["round"] - ROUNDS_TOLD_MAX, 0
        return range(max(1, self._round), match["round"] + 1)

    def steps(self, told: Fields) -> Iterator[str]:
        """The sentences about what is new in a round."""
        if told["match_id"] != self._match_id:
            return
        if told["round"] != self._round:
            self._round, self._steps = told["round"], 0
        steps = told["steps"][self._steps :]
        self._steps += len(steps)
        for step in steps:
            yield from self._step(step)

    def _step(self, step: Fields) -> Iterator[str]:
        """What everybody was told of a step, and then what this player alone was told."""
        own = [each["sentence"] for each in step["events"] if each["to"] == self._name and each["sentence"]]
        told = [each["sentence"] for each in step["events"] if each["to"] is None and each["sentence"]]
        if not told:
            told = [move["sentence"] for move in step["moves"] if move["player"] and move["sentence"]]
        faults = [f"{move['player']}: {spaced(move['fault'])}" for move in step["moves"] if move["fault"]]
        yield from told
        if faults:
            yield f"[{'; '.join(faults)}]"
        for sentence in own:
            self.dealt = sentence
            yield sentence

    def result(self) -> Iterator[str]:
        """How the match ended, once it is over and all of it has been told."""
        match = None if self.table is None else self.table["match"]
        if match is None or match["ranks"] is None or self._is_result_told:
            return
        self._is_result_told = True
        order = sorted(match["ranks"], key=lambda name: match["ranks"][name])
        places = [
            f"{match['ranks'][name]}. {name} ({number(match['returns'][name], 1, '+').removesuffix('.0')})"
            for name in order
        ]
        yield f"the match is over: {', '.join(places)}"


def _comings(before: Fields, table: Fields) -> Iterator[str]:
    were = {each["playerID"]: each for each in before["players"]}
    are = {each["playerID"]: each for each in table["players"]}
    for player_id, each in are.items():
        if player_id not in were:
            yield f"{each['nickname']} has come"
            were[player_id] = {**each, "is_ready": False, "is_away": False, "has_left": False}
    for player_id, each in were.items():
        now = are.get(player_id)
        if (now is None or now["has_left"]) and not each["has_left"]:
            yield f"{each['nickname']} has left"
        elif now is not None:
            if now["is_ready"] and not each["is_ready"]:
                yield f"{each['nickname']} is ready"
            if now["is_away"] != each["is_away"]:
                yield f"{each['nickname']} is {'away' if now['is_away'] else 'back'}"
    if table["is_asleep"] and not before["is_asleep"]:
        yield "the match is asleep: it goes on when its player is back"
    if table["admin_nickname"] != before["admin_nickname"] and table["admin_nickname"] is not None:
        yield f"{table['admin_nickname']} is host"
    if table["public"] != before["public"]:
        yield f"the table is {'public' if table['public'] else 'private'} now"


def _status(table: Fields) -> str:
    host = table["admin_nickname"]
    if table["status"] == "playing":
        return "a match is being played"
    if host is None:
        return "waiting"
    return f"{host} is host"


def clean(text: str) -> str:
    """What others wrote, on one line, without what a terminal would obey."""
    return printable(" ".join(text.split("\n")))
