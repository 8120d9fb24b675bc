"""Decides who takes part in a continued folder, what a call changes about that, and the bots' names.

The folder keeps a roster (`arena.schedule.roster`).  Users name slots: the bot in a slot is a new version,
with a name of its own, whenever its files are not those that played.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import attrs

from arena.errors import ELSEWHERE, START_OVER, ConfigError, Hint
from arena.players.entrant import Entrant
from arena.reading.strict import did_you_mean
from arena.reading.units import shown
from arena.schedule.roster import LEFT, Act, Roster, RosterEntry, RosterSlot, slot_name
from arena.store import Store, StoredBot
from arena.tournament.plan import BotSpec, Plan, allocation_of, format_of, terms_of
from arena.words import listed

ROSTER = "roster"
"""The store's key for the roster."""
OTHERWISE = (START_OVER, ELSEWHERE)
"""The ways out where a folder cannot go on like that."""


@attrs.frozen
class NewVersion:
    """A bot whose files are not those that played."""

    old: str
    """The name of the bot that played."""
    new: str
    """The name of its next version."""
    moved: str = ""
    """Which other files are named than before, in words; empty if the same are."""


@attrs.frozen(kw_only=True)
class RosterWishes:
    """What a call says about who takes part, by the names of slots or of the bots in them."""

    replace: Mapping[str, BotSpec] = attrs.field(factory=dict)
    """Name of a bot -> the bot that takes its slot from now on."""
    without: tuple[str, ...] = ()
    readmit: tuple[str, ...] = ()
    agrees: Callable[[Sequence[NewVersion]], bool] = lambda versions: False
    """Answers whether the new versions of the bots that have changed are to play."""

    @property
    def replaced(self) -> frozenset[str]:
        """The slots for which another bot was named."""
        return frozenset(map(slot_name, self.replace))

    @property
    def said(self) -> str:
        """The name of the first wish; empty if there is none."""
        used = {"replace": self.replace, "without": self.without, "readmit": self.readmit}
        return next((wish for wish, names in used.items() if names), "")


NO_WISHES = RosterWishes()
"""The wishes of a call that says nothing about who takes part."""


@attrs.frozen
class Membership:
    """Who takes part from now on."""

    roster: Roster
    """The roster as the folder keeps it once play begins, without the bots that join then."""
    entrants: tuple[Entrant, ...]
    """The bots that play, under the names of their versions, and the broken ones."""
    renewed: frozenset[str] = frozenset()
    """The slots whose bots are new versions."""


def with_joiners(roster: Roster, entrants: Iterable[Entrant], names: Iterable[str], matches: int) -> Roster:
    """The roster with the new ones among these bots added; `matches`: how many the folder holds."""
    fingerprints = {entrant.name: entrant.fingerprint for entrant in entrants}
    new = [name for name in names if name not in roster.present]
    return roster.extended(RosterEntry("join", name, fingerprints.get(name, ""), matches) for name in new)


def keep_roster(store: Store, roster: Roster, entrants: Iterable[Entrant]) -> None:
    """Keeps the roster in the folder, and marks the bots that have left.

    These include bots that were left out before and are not among the `entrants` any more.
    """
    store.set_meta(ROSTER, [attrs.asdict(entry) for entry in roster.entries])
    left = dict(roster.left)
    here = {entrant.name for entrant in entrants}
    for bot in store.bots():
        if bot.status == "left out" and bot.bot not in here:
            left[bot.bot] = "without"
        status = left.get(bot.bot, "ok" if bot.status in LEFT else bot.status)
        if status != bot.status:
            store.set_status(bot.bot, status)


def unchanged(
    wishes: RosterWishes, roster: Roster, renewed: Collection[str], entrants: Iterable[Entrant]
) -> list[str]:
    """The slots that were to get a new version, but were given the files that play in them already."""
    fingerprints = {entrant.name: entrant.fingerprint for entrant in entrants}
    return [
        slot.name
        for slot in roster.slots.values()
        if slot.name in wishes.replaced and slot.name not in renewed and not slot.is_out
        if slot.fingerprint and slot.fingerprint == fingerprints.get(slot.name)
    ]


def slots_of(roster: Roster, names: Sequence[str]) -> dict[str, str | None]:
    """Slot -> the one of these bots that has it now, or None, as in `Terms.slots`."""
    present = roster.present
    slots: dict[str, str | None] = dict.fromkeys(roster.slots)
    return slots | {present.get(name, name): name for name in names}


def with_replacements(
    specs: Sequence[BotSpec], entrants: Sequence[Entrant], new: Mapping[str, BotSpec]
) -> tuple[BotSpec, ...]:
    """The bots of a plan, some of them replaced; `entrants`: those found by `specs`; `new`: by name.

    Raises ConfigError if there is no bot of such a name.
    """
    named = {entrant.name: place for place, entrant in enumerate(entrants[: len(specs)])}
    found = list(specs)
    for said, spec in new.items():
        name = slot_name(said)
        if name not in named:
            raise _unknown("replace", said, sorted(named))
        found[named[name]] = attrs.evolve(spec, name=name)
    return tuple(found)


def roster_of(meta: Mapping[str, Any]) -> Roster:
    """The roster that a folder keeps; empty until play begins."""
    return Roster(RosterEntry(**entry) for entry in meta.get(ROSTER, ()))


def membership(
    plan: Plan,
    entrants: Sequence[Entrant],
    wishes: RosterWishes,
    roster: Roster,
    bots: Sequence[StoredBot],
    *,
    matches: int,
    where: str,
) -> Membership:
    """Who takes part: the roster of the folder, changed as this call wishes, and the entrants as bots of it.

    `bots` and `matches`: what the folder holds.  Raises ConfigError if bots are missing, or have changed and
    nobody agrees to a new version, or the format allows none of this.
    """
    reason = _refusal(plan)
    if reason and wishes.said:
        raise ConfigError(reason, setting=wishes.said)
    named = {entrant.name: entrant for entrant in entrants}
    act = _Changes(roster, named, {bot.bot: bot for bot in bots}, matches)
    act.exclude(wishes.without, plan)
    act.readmit(wishes.readmit)
    _check_complete(act.roster, named, bots, where)
    late = _grown(plan, act.roster, entrants, {bot.bot for bot in bots if bot.status == "left out"}, where)
    act.renew(wishes, reason, plan)
    out = set(act.roster.vacant)
    slots = act.roster.slots
    for entrant in late:  # as a name, a version is refused anyway; as one that is there it would be doubled
        if entrant.kind == "broken" and entrant.name not in slots and entrant.name in act.roster.present:
            raise ConfigError(f"{entrant.name}: {entrant.problem}", hints=entrant.hints)
    return Membership(
        act.roster,
        tuple(
            attrs.evolve(entrant, name=slots[entrant.name].bot) if entrant.name in slots else entrant
            for entrant in late
            if entrant.name not in out
        ),
        frozenset(act.renewed),
    )


@attrs.define(eq=False)
class _Changes:
    """What one call changes, entry by entry."""

    roster: Roster
    _named: Mapping[str, Entrant]
    _bots: Mapping[str, StoredBot]
    _matches: int
    renewed: list[str] = attrs.field(init=False, factory=list)
    """The slots that have a new version."""

    def _add(self, act: Act, slot: str, fingerprint: str = "") -> None:
        self.roster = self.roster.extended([RosterEntry(act, slot, fingerprint, self._matches)])

    def exclude(self, names: Sequence[str], plan: Plan) -> None:
        """Excludes these bots until they are readmitted."""
        for name in names:
            slot = self.roster.slot_of(name)
            if slot is None:
                if name not in self._named and name not in self._bots:
                    raise _unknown("without", name, self._known)
                self._add("join", name, self._fingerprint(name))
                slot = self.roster.slots[name]
            if plan.tournament == "gauntlet" and slot.name in [*self.roster.slots][: plan.challengers]:
                why = "it is a challenger of this gauntlet, and the next bot would become one"
                raise ConfigError(why, setting="without", value=slot.name)
            _check_not_needed(plan, slot.name, self.roster, setting="without")
            if not slot.is_out:
                self._add("without", slot.name)

    def readmit(self, names: Sequence[str]) -> None:
        """Readmits excluded bots, and withdrawn ones, whose matches played without them are played again."""
        for name in names:
            slot = self.roster.slot_of(name)
            if slot is None and name in self._named:
                continue  # it plays for the first time
            if slot is None:
                raise _unknown("readmit", name, self._known)
            bot = self._bots.get(slot.bot)
            if slot.is_out or (bot is not None and bot.status == "withdrawn"):
                self._add("readmit", slot.name)

    def renew(self, wishes: RosterWishes, reason: str, plan: Plan) -> None:
        """Gives new versions to the slots of bots whose files have changed."""
        changed = [
            slot
            for slot in self.roster.slots.values()
            if not slot.is_out
            and slot.fingerprint
            and self._fingerprint(slot.name) not in ("", slot.fingerprint)
        ]
        new = [self._new_version(slot) for slot in changed]
        unasked = [one for slot, one in zip(changed, new, strict=True) if slot.name not in wishes.replaced]
        if unasked and (reason or not wishes.agrees(unasked)):
            old = listed([one.old for one in unasked])
            moved = "".join(f"; {one.moved}" for one in unasked if one.moved)
            agreed = Hint("yes", f"plays {listed([one.new for one in unasked])} from now on")
            raise ConfigError(
                f"{old} changed since this run{moved}{f': {reason}' if reason else ''}",
                hints=OTHERWISE if reason else (agreed, *OTHERWISE),
            )
        for slot in changed:
            _check_not_needed(plan, slot.name, self.roster, what="a new version: ")
            self._add("replace", slot.name, self._fingerprint(slot.name))
            self.renewed.append(slot.name)

    def _new_version(self, slot: RosterSlot) -> NewVersion:
        new = attrs.evolve(slot, version=slot.version + 1).bot
        path, before = self._named[slot.name].path, self._bots.get(slot.bot)
        if before is None or before.path == path:
            return NewVersion(slot.bot, new)
        return NewVersion(
            slot.bot, new, f"{slot.bot} was {shown(before.path)}, and {shown(path)} is named now"
        )

    def _fingerprint(self, name: str) -> str:
        if (entrant := self._named.get(name)) is not None:
            return entrant.fingerprint
        return self._bots[name].fingerprint if name in self._bots else ""

    @property
    def _known(self) -> list[str]:
        return sorted({*self._named, *self.roster.slots})


def _refusal(plan: Plan) -> str:
    """Why the bots of this tournament cannot change; empty if they can."""
    kind = format_of(plan)
    if kind.is_adaptive:
        return f"a {kind.name} pairs bots by results, so that its bots must stay the same to the end"
    if not kind.is_offered:
        return f"a {kind.name} is between the bots that it began with"
    if plan.until is not None:
        return "a goal spends its probability of error on the bots that it began with"
    return ""


def _check_not_needed(plan: Plan, slot: str, roster: Roster, *, setting: str = "", what: str = "") -> None:
    """Raises ConfigError if all ratings rest on the bot in this slot."""
    if plan.anchor is not None and plan.anchor in (slot, roster.slots[slot].bot):
        why = f"ratings are relative to {slot}, the anchor, which must stay as it is"
        raise ConfigError(f"{what}{why}", setting=setting)


def _check_complete(
    roster: Roster, named: Mapping[str, Entrant], bots: Sequence[StoredBot], where: str
) -> None:
    """Raises ConfigError if a bot of the folder is neither named nor excluded."""
    connecting = {bot.bot for bot in bots if bot.path == "connects"}
    missing = [
        slot.bot
        for slot in roster.slots.values()
        if not slot.is_out and slot.name not in named and slot.name not in connecting
    ]
    if missing:
        raise ConfigError(
            f"{where} has matches of {', '.join(missing)}: name them too",
            hints=(Hint("without", "leaves one out", "NAME"), *OTHERWISE),
        )


def _grown(
    plan: Plan, roster: Roster, entrants: Sequence[Entrant], left_out: Collection[str], where: str
) -> list[Entrant]:
    """The entrants, broken if they were left out and cannot join any more.

    Raises ConfigError if other new ones would change what has been planned for the bots of the folder.
    """
    more = [one.name for one in entrants if one.name not in roster.slots and one.kind != "broken"]
    before, is_open = len(roster.slots), allocation_of(plan) == "open"
    grows = not more if is_open else format_of(plan).only_grows(before, before + len(more), terms_of(plan, 0))
    if not before or grows:
        return list(entrants)
    new = sorted(name for name in more if name not in left_out)
    why = f"holds a {plan.tournament} that began without {{}} and would pair bots differently with them"
    is_sample = plan.tournament == "round-robin" and not is_open
    hints = (Hint("sets", "goes on if all sets met so far", "all"),) if is_sample else ()
    if new:
        raise ConfigError(f"{where} {why.format(', '.join(new))}", hints=(*OTHERWISE, *hints))
    return [
        attrs.evolve(one, kind="broken", problem=f"{where} {why.format('it')}") if one.name in more else one
        for one in entrants
    ]


def _unknown(setting: str, name: str, known: Sequence[str]) -> ConfigError:
    why = f"no such bot{did_you_mean(name, known)}; bots are {listed(known)}"
    return ConfigError(why, setting=setting, value=shown(name))
