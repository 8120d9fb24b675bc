"""Makes options and a plan of the words of `arena run`, and prints what is said before play."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from arena.cli.runs.until import until_rule
from arena.errors import ConfigError
from arena.schedule.admission import Capacity
from arena.store import Store
from arena.terminal.text import say
from arena.tournament.bots.grants import grants_said
from arena.tournament.bots.submissions import expanded, not_named_yet
from arena.tournament.folder.contents import recover
from arena.tournament.folder.intake import Extent
from arena.tournament.folder.membership import NewVersion, RosterWishes
from arena.tournament.folder.seal import (
    OPENING_FILE,
    SEAL_FILE,
    Seal,
    changes_under_seal,
    opening_of,
    seal_of,
)
from arena.tournament.folder.stored import source_of, stored_plan
from arena.tournament.plan import (
    BotSpec,
    Plan,
    format_of,
    load_plan,
    parse_rules,
    size_words,
    warnings_of,
    with_options,
)
from arena.tournament.prepare import QUICKSTART, prepare, refuse_broken
from arena.tournament.tournament import Tournament
from arena.words import counted, listed, printable


@attrs.frozen(kw_only=True)
class RunOptions:
    """What the command line says: the options of this call alone, and in `wishes` those of its plan."""

    resume: Path | None = attrs.field(default=None, converter=attrs.converters.optional(Path))
    fresh: bool = False
    cluster: str | None = None
    """The address of the Dask scheduler whose workers play."""
    trusted_network: bool = False
    """Whether that may be reached without TLS on another machine."""
    calibrate: bool = False
    """Whether workers are refused whose machines are not about as fast as this one."""
    only: str | None = None
    dry_run: bool = False
    exit_first: bool = False
    debug: Sequence[str] = ()
    """The bots whose whole conversations are kept."""
    quiet: bool = False
    as_json: bool = False
    replace: Sequence[str] = ()
    """Each of the form `NAME=BOT`."""
    without: Sequence[str] = ()
    readmit: Sequence[str] = ()
    commit: bool = False
    """Whether what begins is sealed."""
    yes: bool = False
    """Whether new versions of bots play without a question."""
    color: str | None = None
    """When the result is coloured; looked at only when it is printed, as a run may lose its terminal."""
    wishes: Mapping[str, Any] = attrs.field(factory=dict)
    """The options that a plan can have, as `with_options` takes them."""


def options_of(said: Mapping[str, Any]) -> RunOptions:
    """Sorts the options as click passes them, those of a plan under its keys."""
    own = {field.name for field in attrs.fields(RunOptions)}
    call = {key: value for key, value in said.items() if key in own}
    return RunOptions(**call, wishes={key: value for key, value in said.items() if key not in own})


def plan_of(words: Sequence[str], resume: Path | None, wishes: Mapping[str, Any]) -> Plan:
    """The plan that words and options come to: a file, a folder to continue, bots, or the quick start."""
    options = dict(wishes)
    rules = options.pop("rules", ())
    here = Path.cwd()
    plans = [word for word in words if word.endswith(".toml")]
    if resume is not None:
        plan = _resumed(resume, plans, options)
    elif plans:
        if words[0] != plans[0] or len(plans) > 1:
            raise ConfigError(
                f"expected one plan file, before all bots; found {' '.join(map(shlex.quote, words))}"
            )
        plan = load_plan(Path(plans[0]))
    elif words or options.get("expect") or options.get("remote"):
        plan = Plan()
    else:
        plan = QUICKSTART
    named = list(expanded(BotSpec(word, here) for word in words if word not in plans))
    planned = tuple(expanded(plan.bots))
    if resume is not None:
        named = not_named_yet(named, planned)
    plan = with_options(attrs.evolve(plan, bots=(*planned, *named)), options, base=here)
    return with_rules(plan, rules, resume)


def with_rules(plan: Plan, words: Sequence[str], resume: Path | None = None) -> Plan:
    """The plan with the house rules in these words, `NAME=VALUE`, which its game must have."""
    if not words:
        return plan
    return attrs.evolve(plan, rules={**plan.rules, **parse_rules(source_of(plan, resume).cls, words)})


def _resumed(folder: Path, plans: Sequence[str], options: Mapping[str, Any]) -> Plan:
    if plans:
        raise ConfigError(f"--resume {folder} takes its plan from the folder: leave out {plans[0]}")
    if options.get("out"):
        raise ConfigError(f"--resume {folder} continues in that folder: leave out --out {options['out']}")
    recover(folder)
    return stored_plan(folder)


def asked_tournament(words: Sequence[str], options: RunOptions) -> Tournament:
    """The tournament that the words of `arena run` ask for.  Raises ConfigError if it cannot be played."""
    plan = plan_of(words, options.resume, options.wishes)
    if not format_of(plan).is_offered:
        where = options.resume or " ".join(words)
        goes_on = (
            "`arena serve` plays it"
            if format_of(plan).is_endless
            else "`arena compare --resume DIR` continues one"
        )
        raise ConfigError(f"{where} is a {plan.tournament}: {goes_on}")
    where = "" if plan.entrants else " ".join(words)
    tournament = tournament_of(plan, options, where=where, is_trying=not options.dry_run)
    return attrs.evolve(tournament, stop_rule=until_rule(tournament))


def tournament_of(plan: Plan, options: RunOptions, *, where: str = "", is_trying: bool = False) -> Tournament:
    """The tournament that plan and options ask for.  Raises ConfigError if it cannot be played.

    `where` names the plan in messages; `is_trying`: whether bots are tried first if only some are broken.
    """
    tournament = prepare(plan, resume=options.resume, where=where, wishes=roster_wishes(options))
    refuse_broken(tournament, is_trying=is_trying)
    _refuse_idle_options(tournament, options)
    _warn_of_seconds(options.wishes)
    return attrs.evolve(
        tournament,
        fresh=options.fresh,
        only=options.only,
        stop_at_fault=options.exit_first,
        commit=options.commit,
        debugged=_debugged(tournament, options.debug),
    )


def _debugged(tournament: Tournament, names: Sequence[str]) -> frozenset[str]:
    """The bots whose conversations are kept.  Raises ConfigError for bots without one."""
    kinds = {entrant.name: entrant.kind for entrant in tournament.entrants}
    for name in names:
        if kinds.get(name) == "local":
            raise ConfigError(f"--debug {name}: it plays in this process, without a connection")
        if name not in kinds and not tournament.plan.expect:
            raise ConfigError(f"--debug {name}: there is no such bot, expected one of {', '.join(kinds)}")
    return frozenset(names)


def _replacements(options: RunOptions) -> dict[str, BotSpec]:
    """Name of the bot that is replaced -> its replacement, of all `--replace`.  Raises ConfigError."""
    found: dict[str, BotSpec] = {}
    for said in options.replace:
        name, mark, spec = said.partition("=")
        if not (name and mark and spec.strip()):
            raise ConfigError(f"--replace {said}: expected NAME=BOT, such as student26=submissions/student26")
        found[name] = BotSpec(spec, Path.cwd())
    return found


def roster_wishes(options: RunOptions) -> RosterWishes:
    """What the options say about who takes part."""
    return RosterWishes(
        replace=_replacements(options),
        without=tuple(options.without),
        readmit=tuple(options.readmit),
        agrees=partial(_agrees, options.yes),
    )


def _agrees(yes: bool, versions: Sequence[NewVersion]) -> bool:
    """Whether new versions of bots may play: `--yes`, or the answer to a question at a terminal.

    Where other files are named than before, as after `--replace`, the answer is no unless somebody says yes.
    """
    if yes or not is_asked():
        return yes
    import click

    old = listed([printable(one.old) for one in versions])
    new = listed([printable(one.new) for one in versions])
    moved = "".join(f"; {printable(one.moved)}" for one in versions if one.moved)
    try:
        return click.confirm(
            f"{old} changed since this run{moved}; play {new} from now on?", default=not moved, err=True
        )
    except click.Abort:
        say("\ninterrupted before the first match; nothing was changed")
        raise


def is_asked() -> bool:
    """Whether somebody sits at a terminal who can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _refuse_idle_options(tournament: Tournament, options: RunOptions) -> None:
    """Raises ConfigError for options about workers, or about a cluster, where there are none."""
    if options.trusted_network and options.cluster is None:
        raise ConfigError("--trusted-network is about the scheduler of --cluster: add that, or leave it out")
    if options.calibrate and options.cluster is None and tournament.workers == 1:
        raise ConfigError("--calibrate compares workers with this machine: add --workers or --cluster")


def announced(tournament: Tournament, extent: Extent) -> str:
    """How much is to be played, and at how many tables; nobody knows before play how long it takes."""
    return f"{done_words(tournament.plan, extent)}; {tables_in_words(tournament.capacity)}"


def tables_in_words(capacity: Capacity) -> str:
    """A number of tables in words: `1 table`, `1 table at first, up to 16`."""
    first = counted(capacity.first, "table")
    return first if capacity.is_fixed else f"{first} at first, up to {capacity.most}"


def done_words(plan: Plan, extent: Extent) -> str:
    """The size of the tournament, and how much of it was played before."""
    words = size_words(plan, extent.bots)
    return f"{words}, {extent.there:,} of them played already" if extent.there else words


MOVE_TIME_USUAL_S = 60
"""Whoever allows more than this for a move, as a bare number, may have meant milliseconds."""


def _warn_of_seconds(wishes: Mapping[str, Any]) -> None:
    """Says what a bare number after `--move-time` means, if it is large."""
    said = str(wishes.get("move_time") or "").strip()
    if said.replace(".", "", 1).isdecimal() and float(said) > MOVE_TIME_USUAL_S:
        say(f"warning: {said} s for every move; for milliseconds say --move-time {said}ms")


def warn(tournament: Tournament, plan: Plan) -> None:
    has_programs = any(entrant.kind == "process" for entrant in tournament.entrants)
    for warning in warnings_of(plan, has_programs=has_programs):
        say(f"warning: {warning}")
    if format_of(plan).ranked_by == "rating" and tournament.game.rated_by == "returns":
        say(
            f"warning: in a {plan.tournament} bots have different opponents, and the mean returns by which "
            f"{tournament.game.title} is ranked do not make up for that"
        )
    if said := grants_said(tournament.entrants):
        say(said)
    for entrant in tournament.entrants:
        if entrant.own_name:
            own, name = printable(entrant.own_name), printable(entrant.name)
            say(f"another {own} plays as {name}; NAME=BOT gives it a name of your choice")
    local = [entrant.name for entrant in tournament.entrants if entrant.kind == "local"]
    if local:
        say(f"warning: {', '.join(local)}, in this process: time is measured there, limits are not enforced")


def seal_announced(seal: Seal | None) -> Iterator[str]:
    """Lines about a seal before play."""
    if seal is None:
        return
    yield f"sealed {seal.sha256}"
    if seal.opened_after is not None:
        matches = counted(seal.opened_after, "match")
        yield f"warning: the seal was opened after {matches}: whoever has read it knows the deals to come"


def seal_closing(store: Store) -> Iterator[str]:
    """Lines about a seal after play: what was sealed, once all is played, and what has changed since."""
    if (seal := seal_of(store)) is None:
        return
    if seal.opened_after is None:
        yield f"sealed {seal.sha256}; the seal is opened when all is played"
    else:
        opening, folder = opening_of(seal), shlex.quote(str(store.folder))
        yield f"seal {seal.sha256} is open: nonce {opening.nonce}, seed {opening.seed}"
        yield f"  cd {folder} && sha256sum -c {SEAL_FILE}    checks it; the plan is in {OPENING_FILE}"
    for change in changes_under_seal(store, seal):
        yield f"since it was sealed: {change}"


def how_to_connect(plan: Plan, tokens: Mapping[str, str], address: str) -> Iterator[str]:
    """Lines to copy for those who start the bots that connect; tokens: token -> name."""
    host, _, port = address.rpartition(":")
    if host in ("0.0.0.0", "::", "[::]"):
        host = "ADDRESS-OF-THIS-MACHINE"
    place = f"ARENA_HOST={host.strip('[]')} ARENA_PORT={port}"
    for token, name in tokens.items():
        yield f"{name} connects with its token, e.g.:"
        yield f"  {place} ARENA_NAME={shlex.quote(name)} ARENA_TOKEN={token} python3 mybot.py"
    if plan.expect:
        yield f"{counted(plan.expect, 'bot')} may connect, e.g.:"
        yield f"  {place} python3 mybot.py"
        yield (
            "a plain bot among them is known by its name and address alone: while its connection is lost, "
            "others there can take its place and see its hand; --remote NAME gives a bot a token"
        )
