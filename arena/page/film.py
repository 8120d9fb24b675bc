"""A film: a match as JSON for a page, step by step, for viewers who may choose how they see it.

A stored match is filmed for everybody: the spectator's observation, what each seat alone observed besides,
and for every sentence and event who was told it.  A live one is filmed for one viewer, from nothing but that
viewer's scenes.  What does not change from one step to the next is told once.

Who is told something is a mask: bit i stands for seat i, bit n (of n seats) for a spectator, bit n+1 for one
who sees everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import msgspec

from arena.match.game import Event, Seat
from arena.players.codec import rules_of
from arena.telling.deciding import Deciding
from arena.telling.replay import EVERYBODY, SPECTATOR, Moment, Replay, Scene, SeenEvent, Showing, Viewer
from arena.telling.story import Teller
from arena.words import clipped, number, printable

TEXT_MAX = 600
"""The most characters of a sentence: a showdown of ten hands has fewer."""
HEADING, ACT, NEWS = "h", "a", "n"
"""The kinds of lines: what is said as a round begins, what a seat did, what followed."""

Json = dict[str, Any]


@attrs.frozen
class FilmStep:
    """One step of a film in full."""

    turn: int
    """The turn's index; −1 at the start, before any move."""
    round_number: int
    """The number of the round, from 1; 0 before the first round."""
    asked: tuple[Seat, ...]
    state: Json | None
    """The observation of the one viewer, or a spectator's; None if the rules failed here."""
    own: Mapping[Seat, Json]
    """The observations of the seats, if the film is for everybody."""
    lines: tuple[tuple[int, str, int, str, str], ...]
    """The lines, each with who is told it, kind, seat (−1: nobody's), sentence, fault."""
    events: tuple[tuple[int, str, int, Mapping[str, Any]], ...]
    """The events, each with who is told it, kind, the only seat that is told it (−1: public), its fields."""
    marks: tuple[str, ...]
    lost: tuple[tuple[Seat, float], ...]
    """The seats that lost some of what the game is about with this step, and how much."""
    times: tuple[tuple[Seat, float, str], ...]
    """The milliseconds of each answer that was kept, by seat, with its fault, if any."""
    out: tuple[Seat, ...]
    holdings: tuple[float, ...] = ()
    """How much each seat has of what the game is played for, if that is declared."""


@attrs.frozen
class Watched:
    """A moment, with what is counted from the first moment of a match to it."""

    moment: Moment
    round_number: int
    begins_round: bool
    lost: tuple[tuple[Seat, float], ...]
    """The seats that lost something with it, and how much."""
    holdings: tuple[float, ...] = ()
    """How much each seat has after it of what the game is played for, if that is declared."""


class Filming:
    """Makes the steps of a film: each moment once and in order; moments may be left out."""

    def __init__(self, showing: Showing, viewer: Viewer = EVERYBODY) -> None:
        """`viewer`: the only one the film is for; by default everybody, who may then see it as anybody."""
        self._showing = showing
        self._viewer = viewer
        names = showing.names
        self._seats = tuple(Viewer(name, Seat(seat)) for seat, name in enumerate(names))
        viewers = (
            (EVERYBODY, SPECTATOR, *self._seats) if viewer.sees_all else (viewer,)
        )  # whoever sees everything comes first, and sets the order of the lines
        self._tellers = [(self._bit(each), each, Teller(showing, each)) for each in viewers]

    def _bit(self, viewer: Viewer) -> int:
        seats = len(self._showing.names)
        return 1 << (seats + viewer.sees_all if viewer.seat is None else viewer.seat)

    def step(self, watched: Watched) -> FilmStep:
        """The step that shows a moment."""
        showing, viewer, moment = self._showing, self._viewer, watched.moment
        state = None if moment.step is None else moment.step.state
        own = {}
        if viewer.sees_all and state is not None:
            own = {Seat(seat): showing.observation(moment, each) for seat, each in enumerate(self._seats)}
        return FilmStep(
            turn=moment.turn,
            round_number=watched.round_number,
            asked=showing.asked(moment),
            state=showing.observation(moment, SPECTATOR if viewer.sees_all else viewer),
            own=own,
            lines=tuple(self._lines(moment, watched.begins_round)),
            events=tuple(self._events(moment)),
            marks=tuple(_marks(showing, moment)),
            lost=watched.lost,
            times=tuple(self._times(moment)),
            out=() if state is None else tuple(showing.game.eliminated(state)),
            holdings=watched.holdings,
        )

    def _lines(self, moment: Moment, begins_round: bool) -> list[tuple[int, str, int, str, str]]:
        """The lines that are told, each once, in an order that is right for every viewer."""
        lines: list[list[Any]] = []
        for bit, viewer, teller in self._tellers:
            place = 0
            for line in self._told(moment, viewer, teller, begins_round):
                same = next((each for each in lines if each[1:] == line), None)
                if same is None:
                    lines.insert(place, [bit, *line])
                else:
                    same[0] |= bit
                    place = lines.index(same)
                place += 1
        return [tuple(line) for line in lines]

    def _told(
        self, moment: Moment, viewer: Viewer, teller: Teller, begins_round: bool
    ) -> Iterator[list[Any]]:
        showing = self._showing
        moves, events = showing.moves(moment, viewer), showing.events(moment, viewer)
        scene = Scene(moment.turn, moment.is_of_chance, moves, events, None, {})
        heading, acts, news = teller.told(scene, begins_round)
        if heading:
            yield [HEADING, -1, _text(heading), ""]
        for act in acts:
            seat = showing.names.index(act.who) if act.who in showing.names else -1
            yield [ACT, seat, _text(act.text), _text(act.fault)]
        for line in news:
            yield [NEWS, -1, _text(line), ""]

    def _events(self, moment: Moment) -> Iterator[tuple[int, str, int, Mapping[str, Any]]]:
        everyone = (4 << len(self._seats)) - 1
        for event in self._showing.events(moment, self._viewer):
            for who, fields in event.payloads:
                if not self._viewer.sees_all:
                    mask = self._bit(self._viewer)
                elif who is None:
                    mask = _public_mask(event, everyone)
                else:
                    mask = 1 << who | self._bit(EVERYBODY)
                yield mask, event.kind, -1 if who is None else int(who), fields

    def _times(self, moment: Moment) -> Iterator[tuple[Seat, float, str]]:
        for who in moment.moves:
            decision = self._showing.decisions.get((moment.turn, who))
            if decision is not None and decision.asked and self._viewer.sees_move_of(who):
                yield who, round(1000 * decision.elapsed_s, 1), decision.fault or ""


def _public_mask(event: SeenEvent, everyone: int) -> int:
    """The mask of who is told the public part: all who are told nothing else."""
    return everyone & ~sum(1 << who for who in event.private)


def _marks(showing: Showing, moment: Moment) -> Iterator[str]:
    events: tuple[Event, ...] = () if moment.step is None else moment.step.events
    told = (showing.game.tell_mark(event.kind, event.public) for event in events if event.public is not None)
    yield from dict.fromkeys(word for word in told if word)


def _text(text: str) -> str:
    return clipped(printable(text), TEXT_MAX)


class Watcher:
    """Counts rounds and losses from moment to moment; no moment may be left out."""

    def __init__(self, showing: Showing) -> None:
        self._game = showing.game
        self._deciding = Deciding(showing)
        self._holdings: tuple[float, ...] | None = None
        self._round_number = 0

    def note(self, moment: Moment) -> Watched:
        begins = self._begins_round(moment)
        self._round_number += begins
        before = self._holdings
        if moment.step is not None:
            self._holdings = self._game.holdings(moment.step.state)
        now = self._holdings or ()
        lost: tuple[tuple[Seat, float], ...] = ()
        if before is not None and now:
            drops = (one - other for one, other in zip(before, now, strict=True))
            lost = tuple([(Seat(seat), drop) for seat, drop in enumerate(drops) if drop > 0])
        self._deciding.note(moment, lost)
        return Watched(moment, self._round_number, begins, lost, now)

    def decided(self, ranks: Sequence[int] | None) -> Json | None:
        """What decided the match that ended so, after its last moment, for the head of its film."""
        found = self._deciding.decided(ranks)
        return None if found is None else {"turn": found.turn, "said": _text(found.said)}

    def _begins_round(self, moment: Moment) -> bool:
        if self._game.round_begins is None:
            return moment.is_of_chance
        events = () if moment.step is None else moment.step.events
        return any(event.kind == self._game.round_begins for event in events)


def filmed(
    showing: Showing,
    moments: Iterable[Moment],
    viewer: Viewer = EVERYBODY,
    *,
    first: int = 0,
    count: int | None = None,
    watcher: Watcher | None = None,
) -> tuple[list[FilmStep], int]:
    """The steps of a match, `count` of them from `first` on or all, and how many the match has.

    `watcher`: a new one, which then knows what decided the match.
    """
    filming, watcher = Filming(showing, viewer), watcher or Watcher(showing)
    steps, total = [], 0
    for moment in moments:
        watched = watcher.note(moment)
        if first <= total and (count is None or total < first + count):
            steps.append(filming.step(watched))
        total += 1
    return steps, total


# As JSON.


def changes_of(steps: Iterable[FilmStep], before: FilmStep | None = None) -> Iterator[Json]:
    """The steps, each as its differences from the one before; the first in full unless `before` is given."""
    for step in steps:
        yield _step_changes(step, before)
        before = step


def _step_changes(step: FilmStep, before: FilmStep | None) -> Json:
    made: Json = {"turn": step.turn, "round": step.round_number, "asked": list(map(int, step.asked))}
    if (state := _changes(step.state, None if before is None else before.state)) != {}:
        made["state"] = state
    own = {
        str(int(seat)): changed
        for seat, seen in step.own.items()
        if (changed := _changes(seen, None if before is None else before.own.get(seat))) != {}
    }
    out = list(map(int, step.out))
    if before is None or out != list(map(int, before.out)):
        made["out"] = out
    if step.holdings and (before is None or step.holdings != before.holdings):
        made["holdings"] = step.holdings
    told = {
        "own": own,
        "lines": step.lines,
        "events": step.events,
        "marks": step.marks,
        "lost": [(int(seat), amount) for seat, amount in step.lost],
        "times": [(int(seat), spent_ms, fault) for seat, spent_ms, fault in step.times],
    }
    return made | {name: value for name, value in told.items() if value}


def _changes(state: Json | None, before: Json | None) -> Json | None:
    """The top-level fields that have changed."""
    if state is None:
        return None
    return {
        name: value
        for name, value in state.items()
        if before is None or name not in before or before[name] != value
    }


def head_of(
    showing: Showing, match_id: str, viewer: Viewer = EVERYBODY, *, move_s: float | None = None
) -> Json:
    """What is the same for all steps of a film; `film_result` adds how the match ended."""
    game = showing.game
    seat = None if viewer.seat is None else int(viewer.seat)
    return {
        "match": match_id,
        "game": game.name,
        "title": game.title,
        "rules": rules_of(game),
        "names": list(showing.names),
        "sees": "all" if viewer.sees_all else SPECTATOR.name if seat is None else seat,
        "showdowns": sorted(game.showdowns),
        "holding": list(game.holding),
        "move_s": move_s,
        "status": "playing",
        "ranks": None,
        "returns": None,
        "decided": None,
    }


def film_result(ranks: Sequence[int], returns: Sequence[float]) -> Json:
    """How a match ended, for the head of its film."""
    said = [number(each, 0 if float(each).is_integer() else 2, "+") for each in returns]
    return {"status": "done", "ranks": list(ranks), "returns": said}


def stored_head(replay: Replay, viewer: Viewer = EVERYBODY, *, move_s: float | None = None) -> Json:
    """The head of a stored match, with its result."""
    match = replay.match
    head = head_of(replay, match.match_id, viewer, move_s=move_s) | {
        "series": match.series_id,
        "status": match.status,
    }
    if match.status == "done":
        head |= film_result([seat.rank for seat in match.seats], [seat.returns for seat in match.seats])
    return head


def film_json(film: Json) -> bytes:
    """A film as it is sent or embedded in a page: no text in it can end a script."""
    return msgspec.json.encode(film).replace(b"<", b"\\u003c")
