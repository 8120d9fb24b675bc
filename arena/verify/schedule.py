"""Computes the schedule again, as a run that continues does, and compares it with what is stored.

Who plays whom, under which ids, with which seeds, in which seats; who is withdrawn; where a rule stopped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import attrs

from arena.match.game import Game
from arena.schedule import Pairing, PairingId, deals_in, match_id
from arena.schedule.admission import Capacity
from arena.schedule.course import Course
from arena.schedule.pairing import rotations
from arena.schedule.roster import Roster
from arena.store import Row, Store, StoredBot
from arena.tournament.folder.folder import check_ways, plan_as_begun, scale_of
from arena.tournament.folder.intake import course_of, take_in
from arena.tournament.folder.ladder_course import LadderCourse
from arena.tournament.folder.membership import roster_of
from arena.tournament.folder.run import Run
from arena.tournament.plan import deals_of, differences, identity, plan_from
from arena.tournament.play.stopping import StopRule
from arena.verify.stored_record import KEYS
from arena.verify.untruth import Untruth, Untruths, differs, is_not
from arena.words import counted

CONNECTS = "connects"
"""The path of a bot that connected by itself, whose version is what it said each time."""
_PLACE = ("match_id", "pairing_id", "series_id", "cycle", "rotation", "game", "deals", "seed")
STORED_PLACES = (
    f"SELECT {', '.join(f'm.{name}' for name in _PLACE)}, s.bot, s.version FROM matches m"
    " LEFT JOIN seats s ON s.match = m.number"
)
"""The SQL of the places in the schedule that are stored of matches, a row for each seat."""
BY_SEAT = "ORDER BY m.number, s.seat"


@attrs.frozen
class Planned:
    """The tournament as it follows from the plan, the roster and the results."""

    run: Run
    course: Course | LadderCourse
    missing: tuple[Pairing, ...]
    """Pairings that have no match, or have one that must be played again."""

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to play."""
        return not self.missing and self.course.is_over


def stored_run(store: Store, meta: Mapping[str, Any], game: Game[Any, Any], rule: StopRule | None) -> Run:
    """The folder as a run that continues would find it, but without bots, so that nothing can be played.

    Raises ConfigError if its schedule was made in another way than this arena's.
    """
    check_ways(store.folder, meta["identity"])
    plan = plan_from(meta["plan"], where=str(store.folder), base=store.folder.resolve())
    return Run(
        plan=plan_as_begun(attrs.evolve(plan, game=game.name), meta["identity"]),
        game=game,
        entrants=(),
        tokens={},
        capacity=Capacity.fixed(1),
        folder=store.folder,
        store=store,
        roster=roster_of(meta),
        stop_rule=rule,
    )


def planned_again(run: Run) -> Planned:
    """The tournament as it follows from all stored matches.  Raises ConfigError if it cannot be planned."""
    course = course_of(run, list(run.roster.present))
    finished = run.store.finished()
    stale = {pairing for advance in take_in(course, finished) for pairing in advance.stale}
    beyond = {pairing.id for pairing in course.beyond}
    done = (finished.keys() - stale) | beyond
    missing = (pairing for pairing in course.order if pairing.id not in done)
    return Planned(run, course, tuple(missing))


def plan_untruths(run: Run, meta: Mapping[str, Any]) -> Untruths:
    """Checks that the record of the plan agrees with itself and with the game."""
    kept, known = meta["identity"], identity(run.plan, run.game)
    newer = "perhaps a newer arena kept it: verify it with that one"
    for key in meta.keys() - KEYS:
        yield Untruth("arena.db", f"meta, {key}", "a value", "nothing, as no run keeps it", hint=newer)
    for key in kept.keys() - known.keys():
        yield Untruth(
            "arena.db", f"identity.{key}", str(kept[key]), "nothing, as no run keeps it", hint=newer
        )
    if changed := differences(kept, known):
        yield Untruth("arena.db", "plan", "; ".join(changed), "what it was at the start")
    yield from _allocation(kept, meta["plan"])
    if (seed := meta["plan"].get("seed")) not in (None, meta["identity"]["seed"]):
        yield differs("arena.db", "plan.seed", seed, meta["identity"]["seed"])
    for name, value in {"game_version": run.game.version, **scale_of(run.game, run.plan)}.items():
        if meta.get(name) != value:
            yield differs("arena.db", name, meta.get(name), value)


def _allocation(kept: Mapping[str, Any], plan: Mapping[str, Any]) -> Untruths:
    """Checks that matches were allocated as the plan says, which without a goal is evenly."""
    stored, planned = kept.get("allocate"), plan.get("allocate")
    if kept["tournament"] != "round-robin":
        right: object = None
    elif plan.get("until") is None:
        right = "even"
    else:
        right = stored if planned is None and stored in ("open", "even") else planned
    if stored != right:
        yield differs("arena.db", "identity.allocate", stored, right)


def schedule_untruths(planned: Planned, meta: Mapping[str, Any]) -> Untruths:
    """Checks that the stored schedule, the matches' places in it, and who has left are as they should be."""
    course = planned.course
    if isinstance(course, Course):
        beyond = {pairing.id for pairing in course.beyond}
        run, bots = planned.run, stored_bots(planned.run.store)
        rows = run.store.rows(f"{STORED_PLACES} {BY_SEAT}")
        yield from places_of_matches(run, rows, course.by_id, bots, beyond)
        yield from _order(planned, course.order)
    yield from _bots(planned)
    places = dict(planned.course.places)
    if planned.is_complete and "places" in meta and meta["places"] != places:
        yield differs("arena.db", "places", meta["places"], places)


def told_of(planned: Planned) -> list[str]:
    """A sentence about the matches that are missing; none if none are."""
    course = planned.course
    if isinstance(course, LadderCourse):
        open_now = counted(len(planned.missing), "match")
        return [f"the ladder goes on: {open_now} open"] if planned.missing else []
    if not planned.missing and course.is_over:
        return []
    missing, there = counted(len(planned.missing), "match"), f"{len(course.order):,} planned so far"
    return [f"the run is unfinished: {missing} of {there} missing"]


def _order(planned: Planned, order: Sequence[Pairing]) -> Untruths:
    """Checks the stored schedule, which orders the tables and says which series are closed."""
    rows = planned.run.store.rows("SELECT position, pairing_id, series_id FROM schedule ORDER BY position")
    count = 0
    for place, (position, pairing, series) in enumerate(rows):
        where = f"schedule, position {position}"
        if type(position) is int and place < position and place < len(order):
            yield Untruth(f"schedule, position {place}", "pairing_id", "nothing", repr(order[place].id))
        if position != place:
            yield differs(where, "position", position, place)
        if place >= len(order):
            yield is_not(where, "pairing_id", pairing, "nothing: the schedule ends before")
            return
        if pairing != order[place].id:
            yield differs(where, "pairing_id", pairing, order[place].id)
        if series != order[place].series:
            yield differs(where, "series_id", series, order[place].series)
        count += 1
    # A run that is killed may have kept a match, and not yet what an adaptive format plans upon it.
    if count < len(order) and not (planned.course.kind.is_adaptive and planned.missing):
        yield differs("schedule", "rows", count, len(order))


def places_of_matches(
    run: Run,
    rows: Iterable[Row],
    planned: Mapping[PairingId, Pairing],
    bots: Mapping[str, StoredBot],
    beyond: Collection[PairingId] = (),
) -> Untruths:
    """Checks the places of matches in the schedule; `rows`: those of `STORED_PLACES`, match by match.

    `planned`: their pairings, by id; `beyond`: those that are past the end.
    """
    for place, seated in groupby(rows, itemgetter(slice(len(_PLACE)))):
        seats = [(bot, version) for *_, bot, version in seated]
        match, names = dict(zip(_PLACE, place, strict=True)), [bot for bot, _ in seats]
        where, id = f"match {match['match_id']}", match["pairing_id"]
        pairing = planned.get(id) or _of_those_who_left(run, match, names)
        if pairing is None:
            yield is_not(where, "pairing_id", id, "one of the schedule")
            continue
        if id in beyond:
            yield is_not(
                where,
                "pairing_id",
                id,
                "none past the end: enough was played before, and a run that goes on removes it",
            )
        if match != (expected := _place_of(run, pairing)):
            for name in _PLACE:
                if match[name] != expected[name]:
                    yield differs(where, name, match[name], expected[name])
        for seat, (bot, due) in enumerate(zip(names, pairing.bots, strict=False)):
            if bot != due:
                yield differs(where, "bot", bot, due, seat)
        if len(seats) != len(pairing.bots):
            yield differs(where, "seats", len(seats), len(pairing.bots))
        for seat, (name, version) in enumerate(seats):
            known = bots.get(name)
            if known is None:
                yield is_not(where, "bot", name, "one of bots.csv", seat)
            elif known.path != CONNECTS and version != known.version:
                yield differs(where, "version", version, known.version, seat)


def stored_bots(store: Store) -> dict[str, StoredBot]:
    """The bots of a folder, by name."""
    return {bot.bot: bot for bot in store.bots()}


def _place_of(run: Run, pairing: Pairing) -> dict[str, Any]:
    """What is stored about the place of a match in the schedule, in the order of `_PLACE`."""
    return {
        "match_id": match_id(run.seed, pairing.id),
        "pairing_id": pairing.id,
        "series_id": pairing.series,
        "cycle": pairing.cycle,
        "rotation": pairing.rotation,
        "game": pairing.game,
        "deals": deals_in(pairing, run.seed),
        "seed": f"{pairing.seed:x}",
    }


def _of_those_who_left(run: Run, match: Mapping[str, Any], bots: Sequence[str]) -> Pairing | None:
    """The pairing of a match that is not planned any more, because one of its bots has left.

    It follows from the set of bots and the repetition alone in all formats whose bots may change.
    """
    series, _, repetition = str(match["series_id"]).rpartition("#")
    if not (run.roster.left.keys() & set(bots) and series and repetition.isdecimal()):
        return None
    cycle = int(repetition)
    planned = rotations(bots, cycle, cycle=cycle, game=run.game.name, seed=run.seed, deals=deals_of(run.plan))
    return next((pairing for pairing in planned if pairing.id == match["pairing_id"]), None)


def _bots(planned: Planned) -> Untruths:
    """Checks that each bot's status, and the files that it had, are what the roster and the results say."""
    roster, course = planned.run.roster, planned.course
    fingerprints = {slot.bot: slot.fingerprint for slot in roster.slots.values()}
    for bot in planned.run.store.bots():
        where = f"bots.csv, {bot.bot}"
        if planned.is_complete and bot.status != (status := _status(bot, roster, course)):
            yield differs(where, "status", bot.status, status)
        if fingerprints.get(bot.bot) not in (None, "", bot.fingerprint):
            yield differs(where, "fingerprint", bot.fingerprint, fingerprints[bot.bot])


def _status(bot: StoredBot, roster: Roster, course: Course | LadderCourse) -> str:
    if bot.bot in roster.left:
        return roster.left[bot.bot]
    if bot.bot not in roster.present:
        return "without" if bot.status == "without" else "left out"
    return "withdrawn" if bot.bot in course.withdrawn else "ok"
