"""Lets a person in a terminal play at a table: turns their words into requests, and events into sentences.

The words are those of the Bluff document, where it has one.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Any

import trio

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.game import Game, Seat
from arena.telling.choices import Choice, forms, move_of, read_choices, with_numbers
from arena.telling.numbering import Numbering
from arena.telling.spoken import in_the_imperative, spoken_moves
from arena.terminal.flow import Say, ask_server, follow, show_line
from arena.terminal.link import NoAnswer, NotDone, ServerLink
from arena.terminal.news import News
from arena.tournament.plan import make_game
from arena.words import spaced

SHOWN_MAX = 9
"""How many legal moves are listed unasked, each with its number; `moves` lists all."""
LINE_MAX = 4096
STDIN = 0
"""The descriptor of standard input."""
GOODBYE_S = 2.0
HELP = """\
enter NAME     take a seat, called NAME      ready      begin when all are
start          begin now, as the host        rematch    play again, as the host
cards          what you hold, numbered       moves      all legal moves
play 1 2 5 A   put cards down, by number     bluff      accuse (or any move)
3              the move with this number     who        who is here, whose turn
bot NAME       give a seat to a bot          say TEXT   a message to all
back           you are not away any more
leave          go (end of input too)         ?          this help"""


class Person:
    """A person at a table, or about to sit down."""

    def __init__(self, link: ServerLink, polls: ServerLink, tell: Say = show_line) -> None:
        """`link` is for what the person does, `polls` for what happens: two connections to the same table."""
        self._link = link
        self._polls = polls
        self._tell = tell
        self._news = News()
        self._player_id: str | None = None
        self._table: dict[str, Any] = {}
        self._options: tuple[Choice, ...] = ()
        self._lost: ConfigError | None = None
        """Why the table cannot be followed any more; None while it can."""
        self._numbers: dict[str, Numbering] = {}
        """The numbers of the moves of the match that was played last, by its id."""
        self._dealt: object = None
        """The match whose first cards were shown last."""
        self._asked: object = None
        """The question whose options were shown last."""
        self._words: dict[str, Callable[[list[str]], Any]] = {
            "enter": self._enter,
            "ready": lambda words: self._do("POST", "/ready", {}),
            "start": lambda words: self._do("POST", "/start", {}),
            "back": lambda words: self._do("POST", "/back", {}),
            "rematch": lambda words: self._do("POST", "/rematch", {}),
            "cards": self._cards,
            "moves": self._moves,
            "who": self._who,
            "bot": lambda words: self._do("POST", "/bots", {"bot": " ".join(words)}),
            "say": lambda words: self._do("POST", "/chat", {"message": " ".join(words)}),
            "help": self._help,
            "?": self._help,
        }

    async def play(self, name: str | None, descriptor: int = STDIN) -> None:
        """Plays until the person leaves or the table closes.  Raises ConfigError if the name is refused."""
        try:
            await self._sit_down(name)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._listen, nursery.cancel_scope)
                async with aclosing(lines_of(descriptor)) as lines:
                    async for line in lines:
                        if not await self._hear(line):
                            break
                nursery.cancel_scope.cancel()
        finally:
            await self._leave()
        if self._lost is not None:
            raise self._lost

    async def _sit_down(self, name: str | None) -> None:
        if name is None:
            self._tell("enter NAME takes a seat; ? lists all words")
            return
        try:
            await self._enter([name])
        except (NotDone, NoAnswer) as error:
            raise ConfigError(str(error)) from None

    async def _listen(self, scope: trio.CancelScope) -> None:
        """Tells the person what happens, and when something is asked."""
        try:
            async for table in follow(self._polls, self._news, self._tell):
                self._table = table
                self._prompt(is_shown=self._show_deal())
        except ConfigError as error:
            self._lost = error
        self._player_id = None
        scope.cancel()

    # What the person says

    async def _hear(self, line: str) -> bool:
        """Does what a typed line says; returns whether to go on."""
        words = _words_of(line)
        if not words:
            return True
        word, rest = words[0].lower(), words[1:]
        if word in ("leave", "quit", "exit"):
            return False
        try:
            if word in self._words:
                await self._words[word](rest)
            else:
                await self._play(words)
        except ConfigError as error:
            self._tell(f"{error}")
        except NotDone as refused:
            self._tell(f"not done: {refused}")
        except NoAnswer as error:
            self._tell(f"not sent: {error}")
        return True

    async def _do(self, method: str, path: str, body: dict[str, Any]) -> Any:
        if self._player_id is None:
            raise ConfigError("enter NAME first: you have no seat")
        return await ask_server(self._link, method, f"/tables/{self._link.url.id}{path}", body)

    async def _enter(self, words: list[str]) -> None:
        name = " ".join(words)
        if self._player_id is not None:
            raise ConfigError("you have a seat already")
        if not name:
            raise ConfigError("say under which name: enter Romeo")
        told = await ask_server(
            self._link, "POST", f"/tables/{self._link.url.id}/players", {"nickname": name}
        )
        self._player_id = str(told["playerID"])
        self._link.key = self._polls.key = str(told["key"])
        self._tell(f"you sit at the table as {name}; say `ready`, or as the host `start`; ? lists all words")

    async def _leave(self) -> None:
        """Gives the seat up, if the server hears it soon."""
        if self._player_id is None:
            return
        path = f"/tables/{self._link.url.id}/players/{self._player_id}"
        with trio.move_on_after(GOODBYE_S, shield=True):
            try:
                await ask_server(self._link, "DELETE", path)
                self._tell("you have left")
            except (NotDone, NoAnswer):
                pass

    async def _play(self, words: list[str]) -> None:
        if self._player_id is None:
            raise ConfigError(f"{words[0]}: enter NAME first, as you have no seat; ? lists all words")
        if not self._options:
            raise ConfigError(f"{words[0]}: nothing is asked of you now; ? lists the other words")
        value = self._numbering().move_said(self._options, words)
        if value is None:
            value = move_of(self._options, words)
        self._options = ()
        try:
            await self._do("POST", "/moves", {"move": value, "turn": self._table["match"]["turn"]})
        except (NotDone, NoAnswer):
            self._asked = None
            self._options = _options_of(self._table)
            raise

    # What the person sees

    def _show_deal(self) -> bool:
        """Shows the cards with their numbers as soon as they are dealt; returns whether it did so now."""
        match, you = self._table["match"], self._table["you"]
        if match is None or you is None or match["match_id"] == self._dealt or not _cards_of((), match):
            return False
        self._dealt = match["match_id"]
        self._show_cards()
        return True

    def _prompt(self, *, is_shown: bool) -> None:
        """Says what is asked, once; before it, the cards, unless they were shown already."""
        options, match = _options_of(self._table), self._table["match"]
        asked = None if not options or match is None else (match["match_id"], self._table["version"])
        is_new = bool(options) and (options != self._options or self._asked is None)
        self._options = options
        if not options or match is None or not is_new or asked == self._asked:
            return
        self._asked = asked
        name = self._table["you"]["nickname"]
        left_ms = self._table["clocks"].get(name)
        clock = "" if left_ms is None else f" ({round(left_ms / 1000)} s)"
        if _has_cards(options) and not is_shown:
            self._show_cards()
        listed, others = with_numbers(options)
        if len(listed) > SHOWN_MAX:
            told = " | ".join(forms(options))
        else:
            clauses = [f"{number} {clause}" for number, clause in self._clauses()]
            told = " | ".join([*clauses, *others])
        self._tell(f"{name}, what do you do{clock}? {told}")

    async def _moves(self, words: list[str]) -> None:
        if not self._options:
            raise ConfigError("nothing is asked of you now")
        for form in forms(self._options):
            self._tell(form)
        for number, clause in self._clauses():
            self._tell(f"{number:3} {clause}")

    def _clauses(self) -> list[tuple[int, str]]:
        """The moves that have numbers, as orders, in the game's own words if the game is known here."""
        names, game = tuple(self._table["match"]["names"]), _game_of(self._table)
        options = self._table["you"]["options"]
        if game is not None:
            seat = Seat(names.index(self._table["you"]["nickname"]))
            spoken = spoken_moves(options, game, names, seat)
            orders = [in_the_imperative(words) for _, words in spoken]
        else:  # a server of another version: the moves are shown as they are sent
            orders = [str(move) for move in with_numbers(read_choices(options))[0]]
        return list(zip(self._numbering().of(read_choices(options)), orders, strict=True))

    def _numbering(self) -> Numbering:
        """The numbers of this match's moves."""
        match = self._table["match"]
        if match["match_id"] not in self._numbers:
            seat = Seat(match["names"].index(self._table["you"]["nickname"]))
            numbering = Numbering(_game_of(self._table), match["names"], seat)
            self._numbers = {match["match_id"]: numbering}
        return self._numbers[match["match_id"]]

    async def _cards(self, words: list[str]) -> None:
        self._show_cards()
        match = self._table.get("match")
        you = self._table.get("you")
        for told in _rows_of(you["nickname"], match) if match is not None and you is not None else ():
            self._tell(told)

    def _show_cards(self) -> None:
        """Shows what the person holds, with the numbers by which cards are played."""
        cards = _cards_of(self._options, self._table.get("match"))
        if cards:
            self._tell("your cards: " + "  ".join(f"{place}:{card}" for place, card in enumerate(cards, 1)))
        else:
            self._tell(self._news.dealt or "you hold no cards now")

    async def _who(self, words: list[str]) -> None:
        for each in self._table.get("players", ()):
            roles = [
                "host" if each["nickname"] == self._table["admin_nickname"] else "",
                "ready" if each["is_ready"] else "",
                "away" if each["is_away"] else "",
                "" if each["way"] == "person" else "a bot",
            ]
            self._tell(f"{each['nickname']} {', '.join(filter(None, roles))}")
        match = self._table.get("match")
        if match is not None and match["to_act"]:
            self._tell(f"asked now: {', '.join(match['to_act'])}")

    async def _help(self, words: list[str]) -> None:
        print(HELP, flush=True)


def _options_of(table: dict[str, Any]) -> tuple[Choice, ...]:
    """The moves that the one who looks at the table may make; empty if nothing is asked."""
    you = table.get("you")
    return () if you is None or not you["options"] else read_choices(you["options"])


def _game_of(table: dict[str, Any]) -> Game[Any, Any] | None:
    """The game by the table's house rules; None if they are not known here, as of a later version."""
    if table["game"] not in GAMES:
        return None
    try:
        return make_game(GAMES[table["game"]], table["rules"])
    except ConfigError:
        return None


def _has_cards(options: tuple[Choice, ...]) -> bool:
    return any("subset_of" in domain for option in options for domain in option.fields.values())


def _cards_of(options: tuple[Choice, ...], match: dict[str, Any] | None) -> list[Any]:
    """The cards that can be played by number, or that the state shows under `hand`."""
    for option in options:
        for domain in option.fields.values():
            if "subset_of" in domain:
                return list(domain["subset_of"])
    state = (match or {}).get("state") or {}
    hand = state.get("hand")
    return hand if isinstance(hand, list) and all(isinstance(card, str | int) for card in hand) else []


def _rows_of(name: str, match: dict[str, Any]) -> Iterator[str]:
    """What the state says about somebody, if it has a row for each player."""
    for rows in (match["state"] or {}).values():
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and name in row.values():
                told = [
                    f"{spaced(key)} {', '.join(map(str, value)) if isinstance(value, list) else value}"
                    for key, value in row.items()
                    if value != name and value is not False and not _is_nested(value)
                ]
                yield "; ".join(told)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(each, dict) for each in value)
    )


def _words_of(line: str) -> list[str]:
    """The words of a line; `game:play([1,2,5], "Diamonds").` is read as the document writes it."""
    line = line.strip()
    if line.startswith("game:"):
        line = re.sub(r'[()\[\]",]', " ", line.removeprefix("game:")).rstrip(". ")
    return line.split()


async def lines_of(descriptor: int) -> AsyncGenerator[str, None]:
    """The lines of standard input, as they are typed or piped, until its end."""
    mode = os.fstat(descriptor).st_mode
    is_stream = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
    octets, is_open = b"", True
    while is_open:
        if is_stream:  # epoll refuses a file or /dev/null, which never keeps a reader waiting
            await trio.lowlevel.wait_readable(descriptor)
        else:
            await trio.lowlevel.checkpoint()
        try:
            piece = os.read(descriptor, LINE_MAX)
        except OSError:  # the terminal was closed
            piece = b""
        is_open = bool(piece)
        *lines, octets = (octets + piece).split(b"\n") if is_open else ([octets, b""] if octets else [b""])
        octets = octets[-LINE_MAX:]
        for line in lines:
            await trio.lowlevel.checkpoint()
            yield line.decode("utf-8", "replace")
