"""What must hold of every world that was played: each check gives what is wrong, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum, isclose
from typing import Any

from arena.errors import FAULT_KINDS
from arena.match.record import unpack
from arena.match.scoring import points
from arena.schedule import match_id
from arena.schedule.admission import Capacity
from arena.schedule.course import Course
from arena.store import TABLES, Store, chunks, exports
from arena.store.capsules import FOLDER as CAPSULES
from arena.telling.replay import replay
from arena.tournament.folder.intake import course_of, take_in
from arena.tournament.folder.run import Run
from arena.tournament.plan import deals_of

from .run import Played, is_full_disk
from .world import World

Table = list[tuple[Any, ...]]


def wrong_in(played: Played, calm: Played | None) -> Iterator[str]:
    """All that is wrong with it."""
    if played.last.error is not None:
        yield f"the last session raised {described(played.last.error)}"
        return
    for session in played.sessions:
        if session.was_stopped and session.error is not None and not is_full_disk(session.error):
            yield f"a session that was stopped raised {described(session.error)}"
        yield from (f"a bug of ours ended a connection: {bug}" for bug in session.summary.bugs)
        if session.copy is not None:
            with Store.open(session.copy) as store:
                yield from wrong_capsules(store)
    world = played.world
    with Store.open(played.folder) as store:
        yield from wrong_matches(store, world)
        yield from wrong_blame(store, world)
        yield from wrong_plan(store, world)
        yield from wrong_capsules(store)
        yield from wrong_seating(played, store)
        if calm is not None:
            with Store.open(calm.folder) as other:
                yield from differences(exact(other), exact(store))


def described(error: BaseException) -> str:
    """An exception with all that are in it."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(described, error.exceptions))
    return f"{type(error).__name__}: {error}"


def wrong_matches(store: Store, world: World) -> Iterator[str]:
    """Every match is what its moves replay to; returns and points are conserved."""
    game = world.game
    for match in store.matches():
        seats, name = match.seats, f"match {match.match_id}"
        if match.error is not None:
            yield f"{name} was aborted: {match.error.strip().splitlines()[-1]}"
            continue
        turns = unpack(game, match.packed)
        *_, last = replay(game, len(seats), turns)
        if game.to_act(last.state):
            yield f"{name} is not over at its end"
            continue
        ranks, returns = game.ranks(last.state), game.returns(last.state)
        expected = [(ranks[i], returns[i], points(ranks)[i]) for i in range(len(seats))]
        if expected != (found := [(seat.rank, seat.returns, seat.points) for seat in seats]):
            yield f"{name}: the tables say {found}, its replay {expected}"
        if match.turns != len(turns):
            yield f"{name}: the tables say {match.turns} turns, its moves are {len(turns)}"
        if not isclose(0.0, fsum(returns), abs_tol=1e-9):
            yield f"{name}: returns sum to {fsum(returns)}"
        if not isclose(len(seats) / 2, fsum(seat.points for seat in seats)):
            yield f"{name}: points sum to {fsum(seat.points for seat in seats)}"
        if match.decisions != sum(seat.decisions for seat in seats):
            yield f"{name}: the seats have not all of its decisions"


def wrong_blame(store: Store, world: World) -> Iterator[str]:
    """Nobody is charged with what it cannot have done."""
    cast = {each.name: each for each in world.cast}
    for match in store.matches():
        for seat in match.seats:
            charged = {kind for kind in FAULT_KINDS if getattr(seat, kind)}
            if seat.bot not in cast:  # it came in under a name of the arena's, as its own was late
                continue
            earned = cast[seat.bot].earns
            if not charged <= earned:
                reasons = [decision for decision in store.decisions(match.match_id) if decision.fault]
                yield f"match {match.match_id}: {seat.bot} is charged with {charged - earned}: {reasons}"
            if not earned and (seat.abandoned or seat.withdrawn or seat.not_asked):
                yield f"match {match.match_id}: {seat.bot} is good and was not asked"
            if seat.faults > world.plan.faults_max:
                yield f"match {match.match_id}: {seat.bot} failed {seat.faults} times"


def wrong_plan(store: Store, world: World) -> Iterator[str]:
    """All that was planned is there once, and nothing else; where a rule stopped it, as far as that."""
    course = course_in(store, world)
    beyond = {pairing.id for pairing in course.beyond}
    due = set(course.by_id) - beyond
    found = [match.pairing_id for match in store.matches()]
    if len(found) != len(set(found)):
        yield "a match is there twice"
    if unplanned := set(found) - set(course.by_id):
        yield f"{len(unplanned)} matches are there that were never planned"
    if later := set(found) & beyond:
        yield f"{len(later)} matches are there that come after the end"
    if missing := due - set(found):
        yield f"{len(missing)} of {len(due)} matches are missing"
    if not course.is_over:
        yield "it is not over"
    for match in store.matches():
        pairing = course.by_id.get(match.pairing_id)
        if pairing is not None and (pairing.bots, pairing.seed) != (match.bots, match.seed):
            yield f"match {match.match_id} is not as it was planned"
        if match.match_id != match_id(world.seed, match.pairing_id):
            yield f"match {match.match_id} has the id of another"
    withdrawn = {bot.bot for bot in store.bots() if bot.status == "withdrawn"}
    if withdrawn != (computed := set(course.withdrawn)):
        yield f"withdrawn are {sorted(withdrawn)}, by the matches {sorted(computed)}"


def course_in(store: Store, world: World) -> Course:
    """The tournament as its folder has it."""
    ours = [each.name for each in world.cast if each.comes in ("started", "local")]
    connected = [each.name for each in world.cast if each.comes == "token"]
    guests = sorted({bot.bot for bot in store.bots()} - {*ours, *connected})
    setup = Run(
        plan=world.plan,
        game=world.game,
        entrants=world.entrants,
        tokens=world.tokens,
        capacity=Capacity.fixed(1),
        folder=store.folder,
        store=store,
        stop_rule=world.stop_rule(),
    )
    course = course_of(setup, [*ours, *connected, *guests])
    take_in(course, store.finished())
    return course


def wrong_capsules(store: Store) -> Iterator[str]:
    """Evidence is shown of series that are closed, and of no others."""
    open_series = {series for _, series in chunks.unplayed(store)}
    sealed = {match.match_id for match in store.matches() if match.series_id in open_series}
    for path in sorted((store.folder / CAPSULES).glob("*.jsonl")):
        if path.name.split("-")[0] in sealed:
            yield f"{path.name} is shown while its series is open"


def wrong_seating(played: Played, store: Store) -> Iterator[str]:
    """Nobody sits in another's place, and no instance plays what it must not remember."""
    world, matches = played.world, {match.match_id: match for match in store.matches()}
    cast = {each.name: each for each in world.cast}
    lines = [line for session in played.sessions if session.network for line in session.network.lines]
    for line in lines:
        character = cast.get(line.bot)
        if line.plays and (character is None or (character.comes == "token" and line.player != line.bot)):
            yield f"{line.bot} played in the place of {line.player}"
        if character is None or character.comes != "started":
            continue
        known = [matches[play.match_id] for play in line.plays if play.match_id in matches]
        if deals_of(world.plan) == "same" and len({match.rotation for match in known}) > 1:
            yield f"an instance of {line.bot} has played several rotations of shared deals"
        if character.restart == "match" and len(line.plays) > 1:
            yield f"an instance of {line.bot} has played {len(line.plays)} matches, not one"
        if character.restart == "series" and len({match.series_id for match in known}) > 1:
            yield f"an instance of {line.bot} has played several series"


def exact(store: Store) -> dict[str, Table]:
    """What must be the same however a run went: the exact columns of all tables."""
    found = {}
    for name, columns in TABLES.items():
        keep = [index for index, column in enumerate(columns) if column.exact]
        _, rows = exports.table(store, name)
        found[name] = [tuple(row[index] for index in keep) for row in rows]
    return found


def differences(calm: dict[str, Table], troubled: dict[str, Table]) -> Iterator[str]:
    """Where the tables of a run that was interrupted are others than those of the run that was not."""
    for name, rows in calm.items():
        others = troubled[name]
        if rows == others:
            continue
        lost, more = [row for row in rows if row not in others], [row for row in others if row not in rows]
        order = "" if lost or more else ", in another order"
        yield (
            f"{name}: {len(others)} rows after the trouble, {len(rows)} without{order}; "
            f"lost {lost[:2]}, more {more[:2]}"
        )
