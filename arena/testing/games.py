"""check_game: the contract test that every built-in game passes and that authors of games can run.

It plays random matches (an option uniformly, then each field uniformly; defaults now and then) and looks at
everything that a game returns on the way; then it walks the histories of a tiny configuration and compares
what seats with equal information are shown, and what seats that were shown the same are told (leaks.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from random import Random
from typing import Any

import attrs

from arena.match.game import (
    CHANCE,
    Between,
    Domain,
    Event,
    Game,
    IllegalMove,
    OneOf,
    Option,
    Seat,
    Step,
    is_legal,
)
from arena.match.record import Turn, pack, unpack
from arena.testing.forms import check_form, check_form_of, check_literals, check_silent_move, form_of
from arena.testing.hidden import DEFAULTS_SHARE, check_optional
from arena.testing.leaks import Tiny, check_leaks
from arena.testing.results import check_bounds, check_result
from arena.testing.sentences import Sentences
from arena.testing.values import check_frozen
from arena.testing.viewers import Shown, check_reserved_names

__all__ = ["Tiny", "check_game", "random_match", "random_move"]


def check_game(
    game: Game[Any, Any],
    *,
    seats: int | None = None,
    matches: int = 10,
    seed: int = 0,
    tiny: Tiny | None = None,
    turns_max: int = 10_000,
) -> None:
    """Checks a game: raises AssertionError with a sentence that says what the game does wrong, and where.

    Without `seats`, the smallest table, one seat more, and the largest are played, `matches` times each.
    `turns_max` is the game's bound on turns, chance not counted.  Without `tiny` the game itself is walked
    with as few seats as it takes, which is enough only for games with little hidden luck.
    """
    _check_class(game)
    shown, sentences = Shown(game), Sentences(game)
    numbers = [seats] if seats is not None else sorted({*game.seats[:2], game.seats[-1]})
    for number in numbers:
        check_bounds(game.returns_bounds(number))
        for match in range(matches):
            rng = Random(f"{seed}/{number}/{match}")
            _check_match(game, number, rng, turns_max, shown, sentences)
    tiny = tiny if tiny is not None else Tiny(game, game.seats[0])
    check_leaks(tiny, Random(f"{seed}/leaks"))
    check_optional(game, numbers if matches else (), tiny, Random(f"{seed}/optional"))
    # Last, because a mistake in an event or a move is better reported there than for its sentence.
    assert sentences.complaint is None, sentences.complaint


def random_move(game: Game[Any, Any], state: Any, seat: Seat, rng: Random) -> Any:
    """A legal move: an option uniformly, then each of its fields uniformly."""
    return rng.choice(game.options(state, seat)).sample(rng)


def random_match(game: Game[Any, Any], seats: int, rng: Random) -> Iterator[tuple[Turn, Step[Any]]]:
    """A match of random legal moves, turn by turn, each with what followed."""
    state = game.start(seats)
    while asked := game.to_act(state):
        moves: Turn
        if asked == (CHANCE,):
            moves = {CHANCE: game.draw(state, rng)}
        else:
            moves = {seat: random_move(game, state, seat, rng) for seat in asked}
        step = game.apply(state, moves)
        yield moves, step
        state = step.state


# What a game declares about itself.


def _check_class(game: Game[Any, Any]) -> None:
    """Checks a game's names, kinds of moves, and their forms."""
    check_frozen(game, "the game")
    for name in ("name", "title"):
        assert isinstance(getattr(game, name, None), str), f"{name} of {type(game).__name__} is not a text"
    assert type(game.version) is int, f"version is {game.version!r}, which is not a whole number"
    assert game.version >= 1, "version counts from 1"
    assert len(game.seats) >= 1, "seats is an empty range"
    assert game.seats[0] >= 2, "a match has at least two seats"
    assert game.rated_by in ("ranks", "returns"), (
        f"rated_by is {game.rated_by!r}, neither 'ranks' nor 'returns'"
    )
    unit, returns = game.returns_unit
    assert returns > 0, f"returns_unit is of {returns} returns, which is not more than 0"
    assert (unit in ("", "points")) == (game.rated_by == "ranks"), (
        f"{unit!r} is not a unit for a game rated by {game.rated_by}"
    )
    for name in ("reveals", "reserved_names", "showdowns"):
        words = getattr(game, name)
        ok = isinstance(words, frozenset) and all(isinstance(word, str) for word in words)
        assert ok, f"{name} is {words!r}, not a frozenset of texts"
    holding: Any = game.holding
    are_texts = isinstance(holding, tuple) and all(isinstance(word, str) for word in holding)
    ok = are_texts and [*map(bool, holding)] in ([True, True], [False, False])
    assert ok, f"holding is {holding!r}, neither two words nor two empty texts"
    check_reserved_names(game)
    assert len(set(game.moves)) == len(game.moves), "moves names a class twice"
    check_literals(game)
    check_silent_move(game)
    for move in game.moves:
        check_form(move)


# One random match, looked at from all sides.


def _check_match(
    game: Game[Any, Any], seats: int, rng: Random, turns_max: int, shown: Shown, sentences: Sentences
) -> None:
    """Plays one match and checks every state, move and event on the way."""
    state = game.start(seats)
    turns: list[Turn] = []
    steps: list[Step[Any]] = []
    keys: set[tuple[str | int, ...]] = set()
    seen: dict[Any, None] = {}
    played = 0
    while asked := _checked_to_act(game, state, seats):
        seen_now = _checked_state(game, state, seats)
        shown.check_observations(seen_now)
        sentences.look_at_seen({who: seen_now[who] for who in (*asked, None) if who in seen_now})
        _check_not_over(game, state)
        if asked == (CHANCE,):
            moves = _checked_luck(game, state, rng, keys)
        else:
            played += 1
            assert played <= turns_max, f"a match of {seats} seats is not over after {turns_max} turns"
            moves = _checked_moves(game, state, asked, rng, seen)
        step = game.apply(state, moves)
        assert step == game.apply(state, moves), f"apply returns two different steps for {moves}"
        _check_events(step.events, seats)
        _check_told(game, asked, moves, step)
        shown.check_turn(moves, step.events)
        sentences.look_at_turn(moves, step.events)
        turns.append(moves)
        steps.append(step)
        _check_eliminated(game, state, step.state)
        state = step.state
    shown.check_observations(_checked_state(game, state, seats))
    shown.check_rounds(turns)
    sentences.look_at_match(steps)
    check_result(game, state, seats)
    _check_replay(game, seats, turns, steps)


def _checked_to_act(game: Game[Any, Any], state: Any, seats: int) -> tuple[Seat, ...]:
    """The seats asked, checked to be seats."""
    asked = game.to_act(state)
    assert isinstance(asked, tuple), f"to_act returns {asked!r}, which is not a tuple"
    assert all(type(seat) is Seat for seat in asked), f"to_act returns {asked!r}, of which some are not Seats"
    assert len(set(asked)) == len(asked), f"to_act names a seat twice: {asked}"
    ok = asked == (CHANCE,) or all(0 <= seat < seats for seat in asked)
    assert ok, f"to_act returns {asked} at a table of {seats}"
    return asked


def _check_eliminated(game: Game[Any, Any], before: Any, after: Any) -> None:
    """Checks that eliminated seats stay so, and are asked nothing more."""
    out = game.eliminated(after)
    assert all(type(seat) is Seat for seat in out), f"eliminated returns {out!r}, of which some are not Seats"
    back = set(game.eliminated(before)) - set(out)
    assert not back, f"eliminated forgets {sorted(back)}, who were out before"
    asked = set(game.to_act(after)) & set(out)
    assert not asked, f"to_act asks {sorted(asked)}, who are eliminated"


def _checked_state(game: Game[Any, Any], state: Any, seats: int) -> dict[Seat | None, Any]:
    """What everyone sees of the state, checked like the state: frozen, and as annotated."""
    check_frozen(state, "the state")
    seen = {}
    for seat in (*map(Seat, range(seats)), None):
        observation = game.observe(state, seat)
        check_frozen(observation, "the observation", mappings=True)
        assert observation == game.observe(state, seat), (
            f"observe gives seat {seat} two answers to one question"
        )
        seen[seat] = observation
    _check_holdings(game, state, seats)
    return seen


def _check_holdings(game: Game[Any, Any], state: Any, seats: int) -> None:
    """Checks that `holdings` has a number for every seat if `holding` names something, else nothing."""
    held: Any = game.holdings(state)
    if not game.holding[0]:
        assert held is None, f"holdings returns {held!r}, but holding does not name of what"
        return
    ok = isinstance(held, tuple) and all(type(each) in (int, float) and isfinite(each) for each in held)
    assert ok, f"holdings returns {held!r}, not a tuple with a number of {game.holding[1]} for each seat"
    assert len(held) == seats, f"holdings returns {held} at a table of {seats}"


def _check_not_over(game: Game[Any, Any], state: Any) -> None:
    """Checks that a match in progress has no result."""
    for result in (game.returns, game.ranks):
        try:
            result(state)
        except ValueError:
            continue
        raise AssertionError(f"{result.__name__} does not raise ValueError before the match is over")


def _checked_luck(game: Game[Any, Any], state: Any, rng: Random, keys: set[Any]) -> Turn:
    """A chance move, checked to come from its rng alone and to have a key of its own."""
    key = game.chance_key(state)
    assert isinstance(key, tuple), f"chance_key returns {key!r}, which is not a tuple"
    assert all(type(part) in (str, int) for part in key), f"chance_key returns {key!r}, not only str and int"
    assert key not in keys, f"two chance moves of a match have the key {key}, and so the same luck"
    keys.add(key)
    seed = rng.random()
    move = game.draw(state, Random(seed))
    assert move == game.draw(state, Random(seed)), "draw returns two moves for one rng"
    _check_move(game, move)
    assert form_of(type(move)) is None, f"bots could send {type(move).__name__}, a move of chance"
    return {CHANCE: move}


def _checked_moves(
    game: Game[Any, Any], state: Any, asked: Sequence[Seat], rng: Random, seen: dict[Any, None]
) -> Turn:
    """A move for each seat asked, after trying every option, the default and wrong moves."""
    options = {seat: _checked_options(game, state, seat) for seat in asked}
    moves: dict[Seat, Any] = {}
    for seat in asked:
        moves[seat] = rng.choice(options[seat]).sample(rng)
    defaults = {seat: game.default(state, seat) for seat in asked}
    for seat in asked:
        for option in options[seat]:
            move = option.sample(rng)
            _check_move(game, move)
            assert is_legal(options[seat], move), f"{option} does not contain its own {move}"
            check_form_of(game, move)
            _check_applies(game, state, {**moves, seat: move}, f"{move}, which {option} offers,")
            seen[move] = None
        _check_move(game, defaults[seat])
        assert is_legal(options[seat], defaults[seat]) or not game.default_is_legal, (
            f"the default {defaults[seat]} is in no option, against default_is_legal"
        )
        _check_applies(game, state, {**moves, seat: defaults[seat]}, "the default")
        for move in _wrong_moves(seen, options[seat], defaults[seat], rng):
            _check_refused(game, state, {**moves, seat: move}, move)
    _check_applies(game, state, defaults, "everybody's default")
    for seat in asked:
        if rng.random() < DEFAULTS_SHARE:
            moves[seat] = defaults[seat]
    return moves


def _checked_options(game: Game[Any, Any], state: Any, seat: Seat) -> tuple[Option, ...]:
    """The options of a seat that is asked, checked to be sound."""
    options = game.options(state, seat)
    assert isinstance(options, tuple), f"options returns {options!r}, which is not a tuple"
    assert options, f"seat {int(seat)} is asked, but has no options"
    for option in options:
        name = option.move.__name__
        assert option.move in game.moves, f"{name} is offered, but is not in moves"
        assert form_of(option.move) is not None, (
            f"{name} is offered, but has no form in which bots could send it"
        )
        unnamed = set(attrs.fields_dict(option.move)) ^ set(option.fields)
        assert not unnamed, f"an option of {name} and its class differ by the fields {sorted(unnamed)}"
        for field, domain in option.fields.items():
            assert _is_possible(domain), f"no value is possible for {field} of {option}"
    assert options == game.options(state, seat), "options returns two answers to one question"
    return options


def _is_possible(domain: Domain) -> bool:
    if isinstance(domain, Between):
        return domain.low <= domain.high
    if isinstance(domain, OneOf):
        return len(domain.values) > 0
    return 0 <= domain.least <= domain.most <= len(domain.of)


def _wrong_moves(
    seen: Mapping[Any, None], options: Sequence[Option], default: Any, rng: Random
) -> Iterator[Any]:
    """A few moves that were legal elsewhere and are not here, and something that is not a move at all."""
    wrong = [move for move in islice(reversed(seen), 40) if move != default and not is_legal(options, move)]
    yield from rng.sample(wrong, min(3, len(wrong)))
    yield "no move"


def _check_applies(game: Game[Any, Any], state: Any, moves: Turn, what: str) -> None:
    try:
        game.apply(state, moves)
    except IllegalMove as error:
        raise AssertionError(f"apply refuses {what} in {state}: {error}") from error


def _check_refused(game: Game[Any, Any], state: Any, moves: Turn, wrong: Any) -> None:
    try:
        game.apply(state, moves)
    except IllegalMove:
        return
    raise AssertionError(f"apply takes {wrong!r}, which no option contains, in {state}")


def _check_move(game: Game[Any, Any], move: Any) -> None:
    assert type(move) in game.moves, f"{move!r} is of a class that is not in moves"
    check_frozen(move, "a move")


def _check_events(events: object, seats: int) -> None:
    """Checks that events go to seats of this table, in frozen payloads that fit their annotations."""
    assert isinstance(events, tuple), f"a step's events are {events!r}, which are not a tuple"
    for event in events:
        assert isinstance(event, Event), f"{event!r} is not an Event"
        assert isinstance(event.kind, str), f"an event is of kind {event.kind!r}, which is not a text"
        assert event.kind, "an event has an empty kind"
        for seat in event.private:
            ok = type(seat) is Seat and 0 <= seat < seats
            assert ok, f"the event {event.kind} tells {seat!r}, which is not a seat at a table of {seats}"
        for payload in (event.public, *event.private.values()):
            if payload is not None:
                check_frozen(payload, f"a payload of the event {event.kind}", mappings=True)


def _check_told(game: Game[Any, Any], asked: tuple[Seat, ...], moves: Turn, step: Step[Any]) -> None:
    """Checks that a change of who is asked follows from what everybody was told."""
    after = game.to_act(step.state)
    what = "a deal" if asked == (CHANCE,) else "a turn"
    assert after == asked or any(event.public is not None for event in step.events), (
        f"{what} needs a public event: after {moves} not {asked} but {after or 'nobody'} is asked, "
        f"and spectators are told nothing"
    )


def _check_replay(
    game: Game[Any, Any], seats: int, turns: Sequence[Turn], steps: Sequence[Step[Any]]
) -> None:
    """Checks that the moves alone, packed and unpacked, rebuild every step."""
    unpacked = unpack(game, pack(game, turns))
    assert tuple(turns) == unpacked, "the moves do not survive record.pack and unpack"
    state = game.start(seats)
    for moves, step in zip(unpacked, steps, strict=True):
        again = game.apply(state, moves)
        assert step == again, f"replaying {moves} leads to another step"
        state = again.state
