"""Plays stored matches again, each from its seed and its moves, and compares them with what is stored.

The rules, the referee's rulings, the points and the rows are those with which matches are played and kept;
here they are only compared with what is stored.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from math import fsum, inf
from operator import itemgetter
from typing import Any

import attrs

from arena.errors import FAULT_KINDS, IllegalMove
from arena.match.game import CHANCE, Game, Seat, explain, is_legal
from arena.match.record import TIME_BYTES, PackedMoves
from arena.match.rulings import draw_of, is_given_up, less_luck, lucks_of
from arena.match.scoring import points
from arena.store.checksums import MatchRows
from arena.store.rows import names_of_others, result_cells
from arena.store.schema import STORED
from arena.verify.decisions import CHOICES, DecisionRows
from arena.verify.untruth import Untruth, Untruths, differs, is_not

_NUMBERS = ("seat", *FAULT_KINDS, "not_asked", "abandoned", "withdrawn", "decisions")
_NOTHING = (
    *("rank", "returns", "luck_adjusted_returns", "points", "win", "tie"),
    *(*FAULT_KINDS, "not_asked", "decisions", "abandoned"),
)
_CHANCE_ALONE = (CHANCE,)
SLACK = 1e-9
"""How far returns may be beyond their bounds, as a share of the range: sums of fractions are rounded."""
TIME_SLACK, TIME_STEP_S = 2.0**-23, 2e-6
"""How much a time may differ from what single times come to: each of these is kept as a float of 24 bits, and
the sum to the microsecond."""


@attrs.define
class Tally:
    """How much was found true."""

    matches: int = 0
    moves: int = 0
    """Moves of bots, including defaults."""
    draws: int = 0
    """Moves of chance."""
    faults: int = 0
    aborted: int = 0
    unexplained: int = 0
    """Aborted matches in which the rules do not fail again, so that perhaps the arena did."""


class MatchVerifier:
    """Verifies the matches of one folder, one after the other."""

    def __init__(
        self, game: Game[Any, Any], faults_max: int, tally: Tally, choices: Sequence[str] = CHOICES
    ) -> None:
        """`choices`: which decisions a match may have kept rows of."""
        self.choices = choices
        self.game = game
        self.faults_max = faults_max
        self.packed = PackedMoves(game)
        self.tally = tally

    def untruths(self, rows: MatchRows) -> Untruths:
        """What is not true of a match, first things first; later untruths may only follow from these."""
        match = dict(zip(STORED["matches"], rows.match, strict=True))
        seats = [dict(zip(STORED["seats"], row, strict=True)) for row in rows.seats]
        where = f"match {match['match_id']}"
        yield from _shape(where, match, seats)
        yield from _rulings(where, seats, self.faults_max)
        kept = DecisionRows(where, rows.decisions, self.choices)
        yield from kept.shape(match, seats)
        try:
            turns = self.packed.turns(match["packed"])
        except ValueError as error:
            yield Untruth(where, "packed", str(error), "the moves of the match")
            return
        play = Play(self.game, self.packed, where, int(match["seed"], 16), turns, seats, kept)
        if match["status"] == "aborted":
            yield from self._aborted(play, match)
            return
        try:
            yield from play.whole()
        except Exception as error:  # rules that fail are no result, whatever they raise
            yield play.failed(error)
            return
        yield from self._counted(play, match)
        yield from _times(where, seats)
        yield from kept.untruths(turns, self.packed, self.game, seats)
        yield from _results(play, seats)
        tally = self.tally
        tally.matches += 1
        tally.moves += match["decisions"]
        tally.draws += play.draws
        tally.faults += sum(map(_faults, seats))

    def _counted(self, play: Play, match: dict[str, Any]) -> Untruths:
        """Checks that the counts follow from the moves."""
        where = play.where
        if match["turns"] != len(play.turns):
            yield differs(where, "turns", match["turns"], len(play.turns))
        for row, done in zip(play.seats, play.done, strict=True):
            if row["decisions"] != done:
                yield differs(where, "decisions", row["decisions"], done, seat=row["seat"])
        if match["decisions"] != sum(play.done):
            yield differs(where, "decisions", match["decisions"], sum(play.done))
        for row, defaults in zip(play.seats, play.defaults, strict=True):
            if defaults < (faults := _faults(row)):
                most = f"{defaults} at most, as so many moves are the default"
                yield differs(where, "faults", faults, most, row["seat"])
            if len(row["times"]) != TIME_BYTES * (asked := row["decisions"] - row["not_asked"]):
                yield differs(where, "times", len(row["times"]) // TIME_BYTES, f"{asked} times", row["seat"])

    def _aborted(self, play: Play, match: dict[str, Any]) -> Untruths:
        """Checks that an aborted match has no result stored, and that its moves do not lead to an end."""
        where, turns = play.where, play.turns
        for row in play.seats:
            for name in _NOTHING:
                if row[name] != 0:
                    yield differs(where, name, row[name], "0, as the match is aborted", seat=row["seat"])
        if match["decisions"] != 0:
            yield differs(where, "decisions", match["decisions"], "0, as the match is aborted")
        if match["turns"] < len(turns):
            yield differs(where, "turns", match["turns"], len(turns))
        yield from _times(where, play.seats)
        self.tally.matches += 1
        self.tally.aborted += 1
        try:
            yield from play.beginning()
            if match["turns"] == len(turns) and not self.game.to_act(play.state):
                self.game.ranks(play.state), play.results()
                yield Untruth(where, "status", "aborted", "done: its moves lead to an end of the match")
        except Exception as error:  # as when it was played
            if play.turn < len(turns) - 1:
                yield play.failed(error)
            return
        self.tally.unexplained += 1


@attrs.define(eq=False)
class Play:
    """A match played again."""

    game: Game[Any, Any]
    packed: PackedMoves
    where: str
    seed: int
    turns: list[list[bytes]]
    seats: Sequence[dict[str, Any]]
    kept: DecisionRows
    state: Any = None
    turn: int = -1
    draws: int = 0
    done: list[int] = attrs.field(init=False)
    """How many decisions each seat has made."""
    defaults: list[int] = attrs.field(init=False)
    """How often each seat was asked and played the default, where that was counted."""
    _asked: list[int] = attrs.field(init=False)
    _is_plain: list[bool] = attrs.field(init=False)
    """Whether each seat decided everything itself."""

    def __attrs_post_init__(self) -> None:
        self.done, self.defaults = [0] * len(self.seats), [0] * len(self.seats)
        self._asked = [row["decisions"] - row["not_asked"] for row in self.seats]
        self._is_plain = [not row["not_asked"] and not _faults(row) for row in self.seats]

    def whole(self) -> Untruths:
        """Plays all turns again, and checks that the match is over then."""
        yield from self.beginning()
        if self.game.to_act(self.state):
            yield Untruth(
                self.where, "packed", f"{len(self.turns)} turns", "more: the match is not over then"
            )

    def beginning(self) -> Untruths:
        """Plays again all turns that are stored."""
        # One function with few calls of our own: all of this is to take no longer than the rules themselves.
        # `apply` refuses what is neither an option nor the default, so that only a default that may be no
        # option has to be looked at.
        game, packed, plain, done = self.game, self.packed, self._is_plain, self.done
        known, read = packed.known, packed.move
        to_act, apply, default, is_legal_always = game.to_act, game.apply, game.default, game.default_is_legal
        state = self.state = game.start(len(self.seats))
        for turn, rows in enumerate(self.turns):
            self.turn, asked, moves = turn, to_act(state), {}
            if asked == _CHANCE_ALONE:
                moves[CHANCE] = draw_of(game, state, self.seed)
                if rows != [drawn := packed.row(CHANCE, moves[CHANCE])]:
                    yield self._at("move of chance", _told(rows), _told([drawn]))
                self.draws += 1
            elif len(asked) != len(rows):
                yield self._at("seats that moved", str(len(rows)), str(len(asked)))
            else:
                for seat, row in zip(asked, rows, strict=True):
                    who, move = known.get(row) or read(row)
                    if who != seat:
                        yield self._at("seat that moved", str(int(who)), str(int(seat)), seat)
                    if not plain[seat]:
                        yield from self._forced(state, seat, move)
                    elif (
                        not is_legal_always
                        and type(move) is type(usual := default(state, seat))
                        and move == usual
                    ):
                        yield from self._unless_legal(state, seat, move)
                    done[seat] += 1
                    moves[seat] = move
            try:
                state = self.state = apply(state, moves).state
            except IllegalMove:
                for seat, move in moves.items():
                    yield from self._unless_legal(state, seat, move)
                raise

    def _forced(self, state: Any, seat: Seat, move: Any) -> Untruths:
        """Checks a move of a seat that failed, or was not asked, at some turn."""
        game, kept, row = self.game, self.kept, self.packed.row
        default = game.default(state, seat)
        must = self.done[seat] >= self._asked[seat] or (self.turn, seat) in kept.faults
        if move == default:
            self.defaults[seat] += self.done[seat] < self._asked[seat]
            if must or not kept.are_known:
                return
        if must:
            yield self._at(
                "move", _told([row(seat, move)]), f"{_told([row(seat, default)])}, the default", seat
            )
        else:
            yield from self._unless_legal(state, seat, move)

    def results(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The returns of the match that is over, and those without luck."""
        returns = self.game.returns(self.state)
        return returns, less_luck(returns, lucks_of(self.game, self.state, self.seed))

    def failed(self, error: Exception) -> Untruth:
        """The untruth that the rules fail at moves where they did not fail before."""
        said = f"{type(error).__name__}: {error}"
        return self._at("moves", "moves at which the rules fail", f"moves that they allow ({said})")

    def _unless_legal(self, state: Any, seat: Seat, move: Any) -> Untruths:
        """The untruth that a move is illegal, unless an option contains it."""
        if seat != CHANCE and not is_legal(allowed := self.game.options(state, seat), move):
            row = self.packed.row(seat, move)
            yield self._at("move", _told([row]), f"a legal one ({explain(allowed, move)})", seat)

    def _at(self, column: str, stored: str, expected: str, seat: Seat | None = None) -> Untruth:
        return Untruth(self.where, column, stored, expected, self.turn, None if seat is None else int(seat))


def _shape(where: str, match: dict[str, Any], seats: list[dict[str, Any]]) -> Untruths:
    """Checks what must hold before a match can be played again; if it does not, nothing else is checked."""
    for name, kinds in (("packed", bytes), ("seed", str), ("turns", int), ("decisions", int)):
        if type(match[name]) is not kinds:
            yield is_not(where, name, match[name], f"of type {kinds.__name__}")
    if not _is_hex(match["seed"]):
        yield is_not(where, "seed", match["seed"], "a hexadecimal number")
    if match["status"] not in ("done", "aborted"):
        yield is_not(where, "status", match["status"], "done or aborted")
    if (match["status"] == "done") != (match["error"] is None):
        yield is_not(where, "error", match["error"], "that of an aborted match, and of no other")
    if match["seats"] != len(seats):
        yield differs(where, "seats", match["seats"], f"{len(seats)}, as so many have rows")
    bots = tuple(str(row["bot"]) for row in seats)
    for seat, row in enumerate(seats):
        for name in _NUMBERS:
            if type(row[name]) is not int or row[name] < 0:
                yield differs(where, name, row[name], "a whole number from 0", seat=seat)
        if row["seat"] != seat:
            yield differs(where, "seat", row["seat"], seat, seat=seat)
        if row["opponents"] != (others := names_of_others(bots, seat)):
            yield differs(where, "opponents", row["opponents"], others, seat=seat)
        if row["not_asked"] > row["decisions"]:
            yield differs(where, "not_asked", row["not_asked"], f"{row['decisions']} at most", seat=seat)
        for name in ("abandoned", "withdrawn"):
            if row[name] > 1:
                yield differs(where, name, row[name], "0 or 1", seat=seat)


def _times(where: str, seats: Sequence[dict[str, Any]]) -> Untruths:
    """Checks that each seat's times are what its single times come to."""
    for seat, row in enumerate(seats):
        octets, told, longest = row["times"], row["think_s"], row["think_max_s"]
        if type(octets) is not bytes or len(octets) % TIME_BYTES:
            yield is_not(where, "times", octets, f"of {TIME_BYTES} bytes each", seat)
        times = array("f", octets)
        sum_s, max_s = fsum(times), max(times, default=0.0)
        if not abs(told - sum_s) <= TIME_SLACK * sum_s + TIME_STEP_S:
            yield differs(where, "think_s", told, f"{sum_s:.6f}, the sum of its times", seat)
        if not abs(longest - max_s) <= TIME_SLACK * max_s + TIME_STEP_S:
            yield differs(where, "think_max_s", longest, f"{max_s:.6f}, the longest of its times", seat)


def _rulings(where: str, seats: list[dict[str, Any]], faults_max: int) -> Untruths:
    """Checks that each seat was asked to the end, or was not, as its faults require."""
    for seat, row in enumerate(seats):
        faults, asked = _faults(row), row["decisions"] - row["not_asked"]
        is_over = is_given_up(faults, faults_max)
        if row["withdrawn"] and asked:
            yield differs(where, "withdrawn", row["withdrawn"], f"0, as it was asked {asked} times", seat)
        if faults > min(faults_max, asked):
            yield differs(where, "faults", faults, f"{min(faults_max, asked)} at most", seat)
        if bool(row["abandoned"]) != is_over:
            yield differs(where, "abandoned", row["abandoned"], int(is_over), seat)
        if row["not_asked"] and not (is_over or row["withdrawn"]):
            yield differs(where, "not_asked", row["not_asked"], 0, seat)


_fault_counts = itemgetter(*FAULT_KINDS)


def _faults(row: dict[str, Any]) -> int:
    return sum(_fault_counts(row))


def _results(play: Play, seats: list[dict[str, Any]]) -> Iterator[Untruth]:
    """Checks ranks, returns and points, and that returns are within the bounds on which verdicts rest."""
    where, game = play.where, play.game
    try:
        ranks, (returns, adjusted) = game.ranks(play.state), play.results()
        low, high = map(float, game.returns_bounds(len(seats)) or (-inf, inf))
    except Exception as error:  # rules that fail are no result, whatever they raise
        yield Untruth(where, "rank", "a result", f"none, as the rules fail ({error})")
        return
    for row, cells in zip(seats, result_cells(ranks, returns, adjusted, points(ranks)), strict=True):
        for name, expected in cells.items():
            if row[name] != expected:
                yield differs(where, name, row[name], expected, seat=row["seat"])
        for name in ("returns", "luck_adjusted_returns"):
            if not low - SLACK * (high - low) <= row[name] <= high + SLACK * (high - low):
                bounds = f"from {low:.15g} to {high:.15g}, the bounds that {game.name} declares"
                yield differs(where, name, row[name], bounds, seat=row["seat"])


def _is_hex(text: object) -> bool:
    try:
        return f"{int(str(text), 16):x}" == text
    except ValueError:
        return False


def _told(rows: Sequence[bytes]) -> str:
    """Packed moves as text, separated by commas."""
    return ", ".join(row.decode(errors="replace") for row in rows) or "none"
