"""What answers hold: the types that are encoded, and that `openapi` describes."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from arena.refusal import Kind
from arena.server.tables.table import Status, Way

# ruff: noqa: N815 - playerID is the name in the documents


class SeatsOfGame(msgspec.Struct):
    """How many can play."""

    least: int
    most: int


class SeatsOfTable(SeatsOfGame):
    """How many can play, and how many have a seat."""

    taken: int


class TableListed(msgspec.Struct):
    """A table as a list of tables shows it."""

    id: str
    game: str
    status: Status
    public: bool
    seats: SeatsOfTable
    nicknames: list[str]
    """The people and bots with a seat, in the order in which they joined."""


class PlayerShown(msgspec.Struct):
    """Somebody with a seat, as all may see them."""

    playerID: str
    nickname: str
    way: Way
    """A person (HTTP, WebSocket), a program that connects over TCP, or a house bot."""
    seat: int | None
    """Its place in the order of play of the latest match."""
    is_ready: bool
    is_away: bool
    """It missed two turns in a row and has done nothing since; it still gets its full time."""
    is_out: bool
    """It was eliminated from the latest match, in which it is a spectator now."""
    has_left: bool


class ChatShown(msgspec.Struct):
    """A message of the chat."""

    number: int
    nickname: str
    playerID: str
    message: str
    timestamp: float


class MatchShown(msgspec.Struct):
    """The latest match, as its viewer may see it."""

    match_id: str
    number: int
    """How many matches have begun at this table."""
    round: int
    turn: int
    """How many turns were played, those of chance too; a move can name it."""
    names: tuple[str, ...]
    """Who plays, in the order of play."""
    to_act: list[str]
    """Who is asked now; nobody is told who of them has answered."""
    to_move: list[str]
    """Who of them must say something; the others may be silent."""
    state: msgspec.Raw
    """The game's observation: that of a seat with its key, else a spectator's (its JSON Schema:
    /api/games/{name})."""
    ranks: dict[str, int] | None
    returns: dict[str, float] | None


class SelfShown(msgspec.Struct):
    """What only the holder of a key is told."""

    playerID: str
    nickname: str
    is_host: bool
    is_spectator: bool
    """It has no seat, or was eliminated."""
    options: msgspec.Raw | None
    """What it may do now; null: nothing is asked of it."""
    silence_s: float | None
    """The time after which its silence is a pass, once all who must have answered.  Null: silence is none."""


class TableCommon(TableListed):
    """What a table tells everybody who looks at it."""

    rules: msgspec.Raw
    """All house rules."""
    move_time_s: float | None
    """The limit of a move; null: there is none."""
    is_asleep: bool
    """Its match waits, without its bots, until the one person who plays it is back."""
    version: int
    """Counts what everybody can see change: the steps of the match and the lobby, never who has answered."""
    last_modified: float
    """Unix time of this version."""
    admin_nickname: str | None
    players: list[PlayerShown]
    spectators: list[str]
    """The first of them."""
    spectators_count: int
    chat: list[ChatShown]


class TableShown(TableCommon):
    """A table as somebody may see it."""

    match: MatchShown | None
    you: SelfShown | None
    """Null without a key."""
    clocks: dict[str, int | None]
    """The milliseconds that are left to each player who is asked; null: no clock."""
    resumes_in: float | None
    """Seconds until the next questions are asked, while people read a showdown; null: nothing waits.  A move
    that is sent meanwhile is taken."""


class Joined(msgspec.Struct):
    """A newcomer's public id, and the secret that proves who it is, told this once."""

    playerID: str
    key: str


class BotSeated(msgspec.Struct):
    """The bot that was given a seat."""

    playerID: str
    nickname: str


class Done(msgspec.Struct):
    """Done; there is nothing to tell."""


class MoveShown(msgspec.Struct):
    """A move that may be known."""

    player: str | None
    """Null: chance."""
    kind: str
    move: Any
    """As it is sent."""
    sentence: str | None
    fault: str | None


class EventShown(msgspec.Struct):
    """Something that happened."""

    kind: str
    to: str | None
    """Who alone was told this; null: everybody."""
    fields: dict[str, Any]
    sentence: str | None


class StepShown(msgspec.Struct):
    """A turn: moves, and what followed from them."""

    turn: int
    """From 0; −1: the start, before any move."""
    moves: list[MoveShown]
    events: list[EventShown]


class SceneShown(StepShown):
    """A step with the state after it."""

    state: Any


class RoundShown(msgspec.Struct):
    """A round of the latest match: what everybody saw, or the seat whose key is sent; all once it is over."""

    match_id: str
    round: int
    is_over: bool
    state: Any
    """The state at its end with what was shown then, in games whose document has past rounds (Blef); null
    until then, and in others."""
    steps: list[StepShown]


class MatchPage(msgspec.Struct):
    """A part of a finished match."""

    match_id: str
    game: str
    rules: dict[str, Any]
    names: tuple[str, ...]
    seen_by: str | None
    """Whose knowledge is shown; null: all of it."""
    ranks: dict[str, int]
    """Empty if the rules failed."""
    returns: dict[str, float]
    first: int
    """The place of the first step of this page among all steps, from 0."""
    next: int | None
    """The `first` of the next page; null: this is the last one."""
    steps: list[SceneShown]


class FilmStepShown(msgspec.Struct, omit_defaults=True):
    """A step of a film: what is different from the step before, and what happened; the first one is whole.

    A mask says who is told something: bit i is seat i, bit n (of n seats) a spectator, bit n+1 who sees
    everything.
    """

    turn: int
    """From 0; −1: the start, before any move."""
    round: int
    asked: list[int]
    """The seats that move next."""
    state: dict[str, Any] | UnsetType | None = UNSET
    """The fields of the observation that have changed; null if the rules failed here."""
    own: dict[str, dict[str, Any]] | UnsetType = UNSET
    """The same for what each seat observed, by its number, in a film for everybody."""
    out: list[int] | UnsetType = UNSET
    """The seats that are eliminated, if that has changed."""
    lines: list[tuple[int, str, int, str, str]] = []
    """Mask, kind (`h` a round begins, `a` an act, `n` what came of it), seat or −1, sentence, fault."""
    events: list[tuple[int, str, int, dict[str, Any]]] = []
    """Mask, kind, the seat that alone is told it or −1, fields."""
    marks: list[str] = []
    lost: list[tuple[int, float]] = []
    """Seats, and how much each lost of what the game is about."""
    holdings: list[float] | UnsetType = UNSET
    """How much each seat has of it, if that has changed and everybody may know."""
    times: list[tuple[int, float, str]] = []
    """Seats, and the milliseconds that each answer took, with its fault."""


class DecidedShown(msgspec.Struct):
    """The step that decided a match."""

    turn: int
    said: str
    """Why, in one clause."""


class FilmPage(msgspec.Struct):
    """A part of a finished match, as the site's player shows it."""

    match: str
    game: str
    title: str
    rules: dict[str, Any]
    names: list[str]
    sees: int | str
    """`all`: who looks may see it as anybody; else `spectator`, or a seat."""
    showdowns: list[str]
    """Kinds of events that show what was hidden."""
    holding: list[str]
    """What seats lose and win, such as `die`, `dice`."""
    move_s: float | None
    """The limit of a move, if it is known."""
    status: str
    """`done`, or `aborted` if the rules failed."""
    ranks: list[int] | None
    """The rank of each seat."""
    returns: list[str] | None
    decided: DecidedShown | None
    """Null if nobody lost it, or the game does not say what is lost in it."""
    first: int
    """The place of the first step of this page among all steps, from 0."""
    steps_in_all: int
    next: int | None
    """The `first` of the next page; null: this is the last one."""
    note: str
    steps: list[FilmStepShown]
    series: str | UnsetType = UNSET
    """The series of a tournament's match."""


class GameListed(msgspec.Struct):
    """A game of the house."""

    name: str
    title: str
    seats: SeatsOfGame
    move_time_s: float
    """The usual limit of a move."""
    line: str
    """What it is, in one line."""
    bots: list[str]
    """The house bots that play it."""
    levels: dict[str, int]
    """How strong those of them are whose strength was measured, from 1 to 5."""
    lengths: dict[str, list[int]]
    """The house rule for how long a match is, if there is one, with what people are offered."""
    board: str | None
    """The path of the script that draws it; null: there is none."""
    emblem: str | None
    """The path of a small picture that stands for it; null: there is none."""


class GameShown(GameListed):
    """A game: how many play, its house rules, what is asked and answered."""

    version: int
    guide: str | None
    """The rules as a person tells them, in Markdown; null: there is only the description."""
    description: str
    """The specification."""
    rules: msgspec.Raw
    """The house rules, with their defaults."""
    accepts: dict[str, str]
    """What each house rule may be."""
    schema: dict[str, Any]
    """JSON Schema of observations (`state`), options and moves."""


class RefusalShown(msgspec.Struct):
    """Why something is not done; nothing has changed, unless `key` is `not_kept`."""

    error: Kind | Literal["timeout", "internal"]
    message: str
    """A sentence that says what would be right."""
    field: str | None
    """What is wrong, if it is one field."""
    key: str | UnsetType = UNSET
    """Which limit it is (`too_many`), or what does not work (`unavailable`): `disk`, `not_kept`, …"""
    seconds: float | UnsetType = UNSET
    """When to try again (`too_many`, `unavailable`); 0 where nothing is to be sent again."""
