"""What a seed stands for: a tournament, who plays it, over what, and what befalls it."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

import attrs

from arena.analysis.comparison import Comparison
from arena.analysis.stopping.goal import parse_goal
from arena.analysis.stopping.gsprt import Hypotheses
from arena.cli.runs.until import UntilRule
from arena.games import GAMES
from arena.match.game import Game
from arena.players.entrant import Entrant
from arena.tournament.plan import Plan, refusal_of
from arena.tournament.play.stopping import StopRule

from .bots import CLEAR, HARMLESS, MURKY, Character, Stranger, target
from .network import NARROW_BYTES, WINDOW_BYTES, Weather

NAMES = ("ann", "bob", "cat", "dan", "eve")
TOKENS = {f"the-token-of-{name}": name for name in NAMES}
MATCHES_MAX = 30
"""Of a world: more would find the same, later."""
MOVE_S, FIRST_S, MARGIN_S = 1.0, 2.0, 0.2
AMPLE_S, HURRIED_S = 1000.0, 2.0
"""Banks: nobody ever runs out of the first."""

KillKind = Literal["at an await", "within a write", "in order", "out of time"]


@attrs.frozen
class Kill:
    """How one session of a run ends early."""

    kind: KillKind
    share: float
    """When: of the steps (of the statements to the database) that it takes to play everything."""


@attrs.frozen(kw_only=True)
class World:
    """All that is drawn from a seed."""

    seed: int
    is_exact: bool
    game: Game[Any, Any]
    plan: Plan
    cast: tuple[Character, ...]
    rule: tuple[str, str] | None = None
    """`until` or `compare`, and its goal or its hypotheses."""
    concurrencies: tuple[int, int] = (1, 1)
    """Of the run that nothing befalls, and of the other one."""
    strangers: tuple[Stranger, ...] = ()
    kills: tuple[Kill, ...] = ()
    slow_disk_s: float = 0.0
    """A write takes up to so long."""
    full_after: int | None = None
    """The disk of the first session has room for so many pages more."""

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Those that the arena is told of; guests come unannounced."""
        return tuple(_entrant(character) for character in self.cast if character.comes != "guest")

    @property
    def tokens(self) -> dict[str, str]:
        comes = {character.name: character.comes for character in self.cast}
        return {token: name for token, name in TOKENS.items() if comes.get(name) == "token"}

    def stop_rule(self) -> StopRule | None:
        """A new one for each session."""
        if self.rule is None:
            return None
        if self.rule[0] == "compare":
            return Comparison(
                Hypotheses(elo1=float(self.rule[1]), alpha=0.3, beta=0.3, series_max=self.plan.series)
            )
        return UntilRule(parse_goal(self.rule[1]), rated_by=self.game.rated_by)

    def __str__(self) -> str:
        plan = self.plan
        rule = f" {' '.join(self.rule)}" if self.rule else ""
        lines = [
            f"{'exact' if self.is_exact else 'wild'}: {self.game}, {plan.tournament}{rule}, {plan.seats} seats × "
            f"{plan.series} series, deals {plan.deals}, bank {plan.bank}, tables {self.concurrencies}",
            f"strangers {self.strangers}, kills {self.kills}, slow disk {self.slow_disk_s} s, full after {self.full_after}",
            *(f"  {character}" for character in self.cast),
        ]
        return "\n".join(lines)


def _entrant(character: Character) -> Entrant:
    if character.comes == "local":
        return Entrant(name=character.name, kind="local", version="1", target=target(), fingerprint="local")
    if character.comes == "token":
        return Entrant(name=character.name, kind="remote")
    return Entrant(
        name=character.name,
        kind="process",
        run=("a", "program"),
        restart=character.restart,
        instances_max=character.instances_max,
    )


# Drawing.


def draw(seed: int) -> World:
    """The world of a seed."""
    rng = Random(f"world/{seed}")
    is_exact = rng.random() < 0.6
    while True:
        game, seats_max = _game(rng)
        plan, names, rule = _plan(rng, seats_max, game)
        if refusal_of(plan, len(names)) is None:
            break
    bank = rng.choice((None, None, AMPLE_S) if is_exact else (None, AMPLE_S, HURRIED_S))
    plan = attrs.evolve(plan, bank=bank, increment=rng.choice((0.0, 0.3)) if bank else 0.0)
    cast = _cast(rng, names, is_exact=is_exact, game=game, plan=plan)
    connecting = [character for character in cast if character.comes in ("token", "guest")]
    plan = attrs.evolve(
        plan,
        seed=seed,
        remote=tuple(each.name for each in connecting if each.comes == "token"),
        expect=sum(each.comes == "guest" for each in connecting),
    )
    slow, full, killed, pestered = (rng.random() < 0.5 for _ in range(4))
    pestered = pestered and bool(plan.remote) and not plan.expect  # a guest's place is anybody's
    return World(
        seed=seed,
        is_exact=is_exact,
        game=game,
        plan=plan,
        cast=cast,
        rule=rule,
        concurrencies=(rng.randint(1, 4), rng.randint(1, 4)),
        strangers=tuple(_stranger(rng, number) for number in range(rng.randint(1, 4))) if pestered else (),
        kills=tuple(_kill(rng) for _ in range(rng.randint(1, 3))) if killed else (),
        slow_disk_s=rng.choice((0.1, 1.0, 10.0)) if slow else 0.0,
        full_after=rng.randint(0, 12) if full else None,
    )


def _stranger(rng: Random, number: int) -> Stranger:
    return Stranger(f"stranger-{number}", rng.choice((1, 5)), rng.choice((0.1, 5.0)), rng.random() < 0.5)


def _kill(rng: Random) -> Kill:
    return Kill(
        rng.choice(("at an await", "at an await", "within a write", "in order", "out of time")), rng.random()
    )


def _game(rng: Random) -> tuple[Game[Any, Any], int]:
    """A game that is soon over, and at how many seats it is played here at most."""
    name = rng.choice(("liars-dice", "liars-dice", "holdem", "bluff", "blef", "chamber"))
    match name:
        case "liars-dice":
            rules: dict[str, Any] = {
                "dice": rng.choice((1, 1, 2)),
                "wild_ones": rng.random() < 0.3,
                "challenge": rng.choice(("anyone", "next")),
                "turns_max": rng.choice((6, 30)),
            }
        case "holdem":
            rules = {"hands": rng.randint(1, 2), "stack": 100, "small_blind": 5, "big_blind": 10}
            rules["reset_stacks"] = rng.random() < 0.5
        case "bluff":
            rules = {"plays_max": rng.randint(2, 6)}
        case "chamber":
            rules = {"lives": 1, "items_per_round": rng.randint(0, 2), "live_max": 2, "blank_max": 2}
        case _:
            rules = {}
    return GAMES[name](**rules), 2 if name == "blef" else 3


def _plan(
    rng: Random, seats_max: int, game: Game[Any, Any]
) -> tuple[Plan, tuple[str, ...], tuple[str, str] | None]:
    tournament = rng.choice(("round-robin", "gauntlet", "swiss", "knockout", "comparison", "until"))
    names, seats, series, cycles, rule = NAMES[: rng.randint(2, 4)], 2, rng.randint(1, 2), None, None
    if tournament == "round-robin" or tournament == "gauntlet":
        seats = rng.randint(2, seats_max)
    elif tournament == "swiss":
        names, series, cycles = NAMES[: rng.randint(4, 5)], 1, rng.randint(2, 3)
    elif tournament == "knockout":
        names = NAMES[: rng.randint(3, 5)]
    elif tournament == "comparison":
        names, series = NAMES[: rng.choice((2, 2, 3))], 10
        rule = ("compare", str(rng.choice((100, 200, 400))))
    else:
        tournament, names, series = "round-robin", NAMES[: rng.choice((2, 3))], rng.randint(5, 8)
        rule = ("until", rng.choice(("best at 50%", "best at 60%", "best at 80%")))
    plan = Plan(
        game=game.name,
        tournament=tournament,
        cycles=cycles,
        seats=seats,
        series=series,
        deals=rng.choice((None, None, "same", "fresh")),
        move_time=MOVE_S,
        first_move_time=FIRST_S,
        faults_max=rng.choice((1, 2, 5)),
        withdrawn_after=rng.randint(1, 3),
        restarts_max=rng.choice((0, 1, 10)),
        reconnect_s=rng.choice((0.5, 5.0)),
        decisions=rng.choice(("faults", "all", "none")),
        until=rule[1] if rule and rule[0] == "until" else None,
        allocate=("open" if series % 2 else "even") if rule and rule[0] == "until" else None,
    )
    return plan, names, rule


def _cast(
    rng: Random, names: tuple[str, ...], *, is_exact: bool, game: Game[Any, Any], plan: Plan
) -> tuple[Character, ...]:
    """The bots; each kind of trouble is on or off for all of them."""
    weathers = [_fair(rng) if rng.random() < 0.5 else Weather()]
    if not is_exact:
        weathers += [foul for foul in _foul(rng) if rng.random() < 0.4]
    wrong = [*CLEAR] if is_exact else [*CLEAR, *MURKY]
    habits = [habit for habit in (*HARMLESS_IN_ORDER, *wrong) if rng.random() < 0.4]
    comers = [each for each in ("token", "guest", "started", "local") if rng.random() < 0.6] or ["token"]
    cast: list[Character] = []
    for name in names:
        comes = rng.choice(comers)
        is_plain = comes in ("token", "guest") and rng.random() < 0.3
        own = {habit: rng.choice((0.03, 0.1, 0.3, 1.0)) for habit in habits if rng.random() < 0.3}
        weather = rng.choice(weathers)
        if comes == "local":
            own, weather = {habit: own[habit] for habit in own if habit == "wrong move"}, Weather()
            if rng.random() < 0.2:
                own["raises"] = 0.05
        if comes == "guest":  # whose name comes too late plays under another, and is missed under its own
            weather = attrs.evolve(weather, stalls=0.0, vanishes=0.0)
        if comes == "started":
            weather = Weather() if weather.is_clean else weather
            if rng.random() < 0.2:
                own["is away"] = 0.05  # it ends, and in the middle of a match nobody takes its place
        if is_plain and is_exact:
            own = {habit: chance for habit, chance in own.items() if habit not in ("silent", "late")}
        nameless = not is_exact and comes == "guest" and weather.is_clean and rng.random() < 0.2
        nameless = nameless and all(each.says_name for each in cast)
        cast.append(
            Character(
                name="bot-1" if nameless else name,
                comes=comes,
                is_plain=is_plain,
                says_name=not nameless,
                habits=own,
                weather=weather,
                is_hurried=plan.bank == HURRIED_S,
                time_s=MOVE_S,
                limit_s=max(MOVE_S, FIRST_S) + MARGIN_S,
                back_s=rng.choice((0.05, 1.0)),
                restart=rng.choice(("never", "series", "match")),
                instances_max=rng.choice((None, 1, 2)),
            )
        )
    return tuple(cast)


HARMLESS_IN_ORDER = tuple(sorted(HARMLESS))


def _fair(rng: Random) -> Weather:
    """Bad enough, and still in time."""
    weather = Weather(
        delay_s=rng.choice((0.0, 0.001, 0.1)),
        pieces=rng.choice((1, 3, 8)),
        beat_s=rng.choice((0.0, 0.02)),
        window_bytes=rng.choice((NARROW_BYTES, WINDOW_BYTES)),
    )
    if weather.delay_s == 0.1:  # a question of 5 kB in pieces of 700 bytes would take most of a second
        weather = attrs.evolve(weather, window_bytes=WINDOW_BYTES)
    return weather


def _foul(rng: Random) -> list[Weather]:
    """One trouble each."""
    fair = _fair(rng)
    return [
        attrs.evolve(fair, stalls=0.1, stall_s=rng.choice((0.9, 3.0))),
        attrs.evolve(fair, resets=0.03),
        attrs.evolve(fair, half_closes=0.03),
        attrs.evolve(fair, vanishes=0.02),
        attrs.evolve(fair, window_bytes=256),
    ]
