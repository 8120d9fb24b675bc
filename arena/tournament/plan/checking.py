"""Whether the parts of a plan fit together, and whether one plan continues another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.errors import ConfigError, Hint
from arena.match.game import Game
from arena.reading.units import format_duration, shown
from arena.schedule import ORDER, SEEDING
from arena.tournament.plan.model import Plan, control_of, deals_of, refusal_of
from arena.tournament.plan.seeds import is_guessable
from arena.words import counted, listed


def check(plan: Plan, *, where: str = "") -> None:
    """Raises ConfigError, with a sentence for every mistake, if the plan's parts do not fit together."""
    prefix = f"{where}: " if where else ""
    mistakes = [ConfigError(f"{prefix}{mistake}", hints=mistake.hints) for mistake in _mistakes(plan)]
    if mistakes:
        raise ConfigError("\n".join(map(str, mistakes)), parts=mistakes)


def check_size(plan: Plan, entrants: int) -> None:
    """Raises ConfigError if this plan allows no tournament between this many bots, all that can play."""
    if reason := refusal_of(plan, entrants):
        raise ConfigError(reason)


def warnings_of(plan: Plan, *, has_programs: bool = True) -> tuple[str, ...]:
    """A sentence for everything that is allowed but may be regretted.

    `has_programs`: whether the arena starts programs.  Bots in its own process need not guess a seed: nothing
    keeps them from reading it.
    """
    found = []
    if is_guessable(plan.seed) and (has_programs or plan.connecting):
        others = "those who connect" if plan.connecting else "a bot"
        found.append(f"seed {plan.seed} can be guessed by {others}: leave the seed out where it counts")
    if plan.connecting and plan.deals == "same":
        found.append('deals = "same" deals the same hands again to bots that connect and may remember them')
    if plan.sandbox == "shield" and has_programs and any(bot.is_submission for bot in plan.bots):
        found.append(
            "in a shield the bots of a folder can read and send what you can read, but for results and other "
            "bots: for other people's bots leave it strict, as it is unless you choose"
        )
    return tuple(found)


def identity(plan: Plan, game: Game[Any, Any]) -> dict[str, Any]:
    """What must stay the same whenever a results folder is continued, in JSON's types.

    More bots and more series only add matches; a change of anything here would change existing ones.
    """
    from arena.players.codec import rules_of

    started, connecting = control_of(plan, connecting=False), control_of(plan, connecting=True)
    return {
        "tournament": plan.tournament,
        "game": game.name,
        "version": game.version,
        "rules": rules_of(game),
        "seats": plan.seats,
        "seed": plan.seed,
        "seeding": SEEDING,
        "order": ORDER,
        "deals": deals_of(plan),
        "allocate": plan.allocate,
        "move_time": started.move_s,  # none with no_clock
        "bank": plan.bank,
        "increment": plan.increment,
        "margin of started bots": started.margin_s,
        "margin of connecting bots": connecting.margin_s,
        "first_move_time": plan.first_move_time,
        "faults_max": plan.faults_max,
        "withdrawn_after": plan.withdrawn_after,
        "restarts_max": plan.restarts_max,
    }


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two identities, in words: `move_time: was 1s, now 2s`.

    A plan that leaves the seed or `allocate` open takes the folder's, which does not count as a difference.
    """
    if old.get("game") != new.get("game"):  # then so do its rules, and nobody asks for those
        old, new = {"game": old.get("game")}, {"game": new.get("game")}
    found = []
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before == after or (key in ("seed", "allocate") and after is None):
            continue
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            found += [f"{key}: {difference}" for difference in differences(before, after)]
        else:
            found.append(f"{key}: was {_in_words(key, before)}, now {_in_words(key, after)}")
    return found


_LISTEN = Hint("listen", "sets one", "127.0.0.1:8888")
_EXPECT = (Hint("expect", "waits for so many", "N"), Hint("remote", "waits for one that has a token", "NAME"))


def _mistakes(plan: Plan) -> Iterator[ConfigError]:
    """The parts of the plan that do not fit together, whatever the game."""
    yield from map(ConfigError, _contradictions(plan))
    if plan.connecting and plan.listen is None:
        who = ", ".join(plan.remote) or counted(plan.expect, "bot")
        yield ConfigError(f"there is no address for {who} to connect to: listen is not set", hints=[_LISTEN])
    for key, value in _said_of_connecting(plan):
        why = "no bot is expected to connect: neither expect nor remote is set"
        yield ConfigError(f"{key} = {value}, but {why}", hints=_EXPECT)


def _said_of_connecting(plan: Plan) -> Iterator[tuple[str, object]]:
    """The settings that are about bots that connect, where none does."""
    wait = None if plan.wait is None else format_duration(plan.wait)
    said = {"listen": plan.listen, "per_address": plan.per_address, "wait": wait}
    yield from ((key, value) for key, value in said.items() if value is not None and not plan.connecting)


def _contradictions(plan: Plan) -> Iterator[str]:
    """The settings that make no sense together."""
    if reason := refusal_of(plan, plan.entrants):
        yield reason
    yield from (f"{key} = {value} is for a {format} only" for key, value, format in _misplaced(plan))
    if plan.allocate == "open" and plan.tournament == "round-robin" and plan.until is None:
        yield (
            "allocate = open is for the sets of bots whose order until leaves open, but there is no goal: "
            'set until, such as to "top 3 at 95%", or allocate = even'
        )
    if plan.move_time is None and plan.bank is None and not plan.no_clock:
        yield (
            "move_time = none without a bank: a bot that never answers would hold its match for ever; "
            "set a bank too, such as 60s, or a long move_time, or no_clock for a bot under a debugger"
        )
    if plan.no_clock and plan.bank is not None:
        yield f"bank = {format_duration(plan.bank)}, but with no_clock nothing is limited: leave one out"
    if plan.increment > 0 and plan.bank is None:
        yield f"increment = {format_duration(plan.increment)}, but there is no bank to add it to: set a bank"
    if repeated := _repeated(plan.remote):
        yield f"remote: {listed(repeated)} is named more than once, expected different names"
    yield from filter(None, map(_name_mistake, plan.remote))


def _misplaced(plan: Plan) -> Iterator[tuple[str, object, str]]:
    """Settings that mean nothing in this format: key, value, the format in which they do."""
    said = {
        "sets": (plan.sets, "round-robin"),
        "cycles": (plan.cycles, "swiss"),
        "challengers": (None if plan.challengers == 1 else plan.challengers, "gauntlet"),
        "until": (plan.until, "round-robin"),
        "allocate": (plan.allocate, "round-robin"),
    }
    for key, (value, format) in said.items():
        if value is not None and plan.tournament != format:
            yield key, value, format


def _name_mistake(name: str) -> str | None:
    from arena.wire.messages import check_name

    reason = check_name(name)
    return f"remote: {shown(name)} cannot be a name: {reason}" if reason else None


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _in_words(key: str, value: object) -> str:
    """A value of an identity, as a user would write it."""
    is_time = key.startswith(("move_time", "bank", "increment", "margin", "first_move_time"))
    if is_time and isinstance(value, int | float):
        return format_duration(value)
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
