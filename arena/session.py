"""One call of `arena run` from its words to its exit code, and what the reading commands print.  Rank 6, beside `cli`."""

from __future__ import annotations

import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import attrs

from arena import show
from arena.analysis.leaderboard import Leaderboard
from arena.errors import ArenaError, ConfigError
from arena.plan import BotSpec, Plan, load_plan, parse_rules, warnings_of, with_options
from arena.prepare import (
    QUICKSTART,
    Prepared,
    game_class,
    opened,
    prepare,
    stored_game,
    stored_plan,
    write_run_file,
)
from arena.record import Capsule, unpack
from arena.runner import BrokenBots, Setup, Summary, run_tournament, schedule
from arena.store import Store

MATCH_S = 0.1
"""About how long a match of started bots takes, their starts included, on one table of a machine with two cores: for the estimate before play."""
LOG_LINES = 8
"""How much of a broken bot's log is shown."""
EXIT_OF = {signal.SIGINT: 130, signal.SIGTERM: 143}


def run_command(words: Sequence[str], options: dict[str, Any]) -> int:
    """Plays what the words ask for; gives the exit code."""
    resume = options.pop("resume")
    flags = {name: options.pop(name) for name in ("fresh", "only", "dry_run", "exit_first", "quiet", "as_json")}
    plan = plan_of(words, options, resume=None if resume is None else Path(resume))
    prepared = prepare(plan, resume=None if resume is None else Path(resume))
    for warning in warnings_of(prepared.plan):
        print(f"warning: {warning}", file=sys.stderr)
    if flags["dry_run"]:
        print(f"{_announced(prepared)}; results in {prepared.folder}")
        return 0
    if flags["fresh"]:
        _forget(prepared.folder)
    with opened(prepared, fresh=flags["fresh"], only=flags["only"], stop_at_fault=flags["exit_first"]) as setup:
        return _played(prepared, setup, quiet=flags["quiet"], as_json=flags["as_json"])


def plan_of(words: Sequence[str], options: dict[str, Any], *, resume: Path | None) -> Plan:
    """The plan that words and options come to: a file, a folder to go on with, bots, or the quick start."""
    rules = options.pop("rules")
    here = Path.cwd()
    bots = tuple(BotSpec(word, here) for word in words)
    if resume is not None:
        if words:
            raise ConfigError(f"--resume {resume} needs no other words: its bots and plan are known; found {words[0]}")
        plan = stored_plan(resume)
    elif words and words[0].endswith(".toml"):
        plan = load_plan(Path(words[0]))
        if len(words) > 1:
            plan = attrs.evolve(plan, bots=(*plan.bots, *bots[1:]))
    elif words or options["expect"] or options["remote"]:
        plan = Plan(bots=bots)
    else:
        plan = QUICKSTART
    plan = with_options(plan, options, base=here)
    if rules:
        plan = attrs.evolve(plan, rules={**plan.rules, **parse_rules(game_class(plan.game), rules)})
    return plan


def _announced(prepared: Prepared) -> str:
    matches = int(prepared.size.rsplit("= ", 1)[1].split()[0].replace(",", ""))
    return f"{prepared.size}, about {show.as_time(matches * MATCH_S / prepared.concurrency)}"


def _forget(folder: Path) -> None:
    """What a run leaves beside its tables; `erase` sees to those."""
    for name in ("logs", "faults"):
        if (folder / name).is_dir() and (folder / "arena.db").exists():
            shutil.rmtree(folder / name, ignore_errors=True)


def _played(prepared: Prepared, setup: Setup, *, quiet: bool, as_json: bool) -> int:
    began_at = time.time()
    summary = Summary()
    ended_by: list[int] = []
    nothing_left = setup.only is None and _is_finished(setup)
    if not nothing_left:
        if not quiet:
            print(_announced(prepared), file=sys.stderr)
            if prepared.plan.seed is None:
                print(f"seed {setup.seed}", file=sys.stderr)
        for token, name in setup.tokens.items():
            print(f"{name} connects with the token {token}", file=sys.stderr)
        reporter = show.progress(quiet=quiet)
        try:
            import trio

            trio.run(partial(_run, setup, reporter, summary, ended_by))
        except BaseExceptionGroup as group:
            raise _our_own(group) from None
        finally:
            reporter.ends()
            _export(setup, began_at, summary, "interrupted" if ended_by else "ended")
    return _conclude(setup, summary, ended_by, nothing_left=nothing_left, quiet=quiet, as_json=as_json)


def _is_finished(setup: Setup) -> bool:
    """Whether the folder holds every match of the plan already, as far as one can know before bots connect."""
    stored = setup.store.bots()
    left_out = {bot.bot for bot in stored if bot.status == "left out"} if setup.plan.leave_out_broken else set()
    names = [entrant.name for entrant in setup.entrants if entrant.name not in left_out]
    came = [bot.bot for bot in stored if bot.path == "connects"]
    if len(came) < setup.plan.expect or len(names) + len(came) < setup.plan.seats:
        return False
    finished = setup.store.finished()
    return all(pairing.id in finished for pairing in schedule(setup, names + came))


async def _run(setup: Setup, reporter: Any, summary: Summary, ended_by: list[int]) -> None:
    import trio

    with trio.CancelScope() as scope, _signals(trio.lowlevel.current_trio_token(), scope, ended_by):
        await run_tournament(setup, reporter, summary)


@contextmanager
def _signals(token: Any, scope: Any, ended_by: list[int]) -> Any:
    """The first Ctrl-C or SIGTERM ends the run in order, the second at once: also where a bot in this process hangs."""

    def handler(number: int, frame: FrameType | None) -> None:
        if ended_by:
            raise KeyboardInterrupt
        ended_by.append(number)
        token.run_sync_soon(scope.cancel)

    before = {number: signal.signal(number, handler) for number in EXIT_OF}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _our_own(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one mistake of the user that the group holds, or the group itself: a bug."""
    leaves = list(_leaves(group))
    ours = [leaf for leaf in leaves if isinstance(leaf, ArenaError)]
    if len(ours) == len(leaves):
        return _with_logs(ours[0]) if isinstance(ours[0], BrokenBots) else ours[0]
    return next((leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)), group)


def _leaves(group: BaseExceptionGroup[BaseException]) -> Any:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _with_logs(broken: BrokenBots) -> ConfigError:
    """All broken bots, each with the end of its log."""
    parts = [f"{show.counted(len(broken.broken), 'bot')} cannot play; mend them, or --leave-out-broken plays without:"]
    for bot in broken.broken:
        parts.append(f"  {bot.name}: {bot.reason}")
        parts += [f"    | {line}" for line in bot.log.strip().splitlines()[-LOG_LINES:]]
    return ConfigError("\n".join(parts))


def _export(setup: Setup, began_at: float, summary: Summary, status: str) -> None:
    from arena.analysis import export

    export(setup.store)
    write_run_file(setup, began_at=began_at, played=summary.played, status=status)


def _conclude(
    setup: Setup, summary: Summary, ended_by: Sequence[int], *, nothing_left: bool, quiet: bool, as_json: bool
) -> int:
    """Says what the run came to; gives the exit code."""
    from arena.analysis.leaderboard import leaderboard

    print_leaderboard(leaderboard(setup.store), setup.store, as_csv=False, as_json=as_json)
    say = partial(print, file=sys.stderr)
    if nothing_left:
        say(f"nothing left to play in {setup.folder}; --fresh plays again")
    for bot in summary.left_out:
        say(f"left out: {bot}")
    for line in show.tally(summary.faults):
        say(line)
    if summary.lagged:
        say(
            f"{show.counted(summary.lagged, 'decision')} may have been spoilt by the arena's own lag (at worst {summary.lag_worst_s * 1000:.0f} ms): "
            "fewer tables at once (--concurrency) or longer limits help"
        )
    if any(entrant.kind == "local" for entrant in setup.entrants):
        say("warning: bots in this process (module:Class) are timed, but their limits are not enforced")
    for id in summary.aborted:
        say(f"match {id} was aborted by an error in the arena or the rules: `arena replay {id} {setup.folder}` shows it")
    if summary.first_fault is not None:
        say(_capsule_text(setup, summary))
    if ended_by:
        say(f"interrupted after {show.counted(summary.played, 'match')}; `arena run --resume {setup.folder}` goes on")
        return EXIT_OF[signal.Signals(ended_by[0])]
    if not quiet:
        _say_next(setup, summary)
    if summary.aborted:
        return 70
    return 1 if setup.plan.strict and summary.faults else 0


def _say_next(setup: Setup, summary: Summary) -> None:
    print(f"\nresults in {setup.folder}; next:", file=sys.stderr)
    if summary.last is not None:
        print(f"  arena replay {summary.last.match_id[:6]}         a match, move by move", file=sys.stderr)
    print("  arena run odds ./mybot      your own bot; bots/README.md shows how to write one", file=sys.stderr)


def _capsule_text(setup: Setup, summary: Summary) -> str:
    entry = summary.first_fault
    assert entry is not None
    capsule: Capsule = entry.record.capsules[0]
    decision = capsule.decision
    bot = entry.pairing.bots[decision.seat]
    lines = [f"first fault: {bot} in match {entry.match_id}, turn {decision.turn}: {decision.fault} ({decision.reason})"]
    for line in capsule.lines:
        if "text" in line:
            lines.append(f"  {line.get('t_s', 0):9.3f} {line['dir']} {line['text']}")
        else:
            lines += [f"  {key}: {value}" for key, value in line.items()]
    return "\n".join(lines)


def print_leaderboard(board: Leaderboard, store: Store, *, as_csv: bool, as_json: bool) -> None:
    """The leaderboard: all columns for programs, those that matter for people."""
    header, rows = board.table
    if as_csv or as_json:
        print(show.as_table(header, rows, csv=as_csv, json=as_json))
        return
    shown = [_leaderboard_row(row) for row in board.rows]
    titles = ("rank", "bot", "matches", "points", "win rate", "95 % interval", "wins", "ties", "losses", "faults", "move median", "p99", "")
    print(show.aligned(titles, shown))
    if board.progress.note:
        print(board.progress.note)


def _leaderboard_row(row: Any) -> tuple[Any, ...]:
    faults = row.too_late + row.malformed + row.illegal + row.gone
    return (
        row.rank,
        row.bot,
        row.matches,
        row.points_mean,
        f"{row.win_rate:6.1%}",
        f"{row.win_rate_low:6.1%} –{row.win_rate_high:6.1%}",
        row.wins,
        row.ties,
        row.losses,
        faults,
        f"{row.move_time_median_s * 1000:.2f} ms",
        f"{row.move_time_p99_s * 1000:.2f} ms",
        "" if row.status == "ok" else row.status,
    )


def print_replay(store: Store, prefix: str, *, viewer: str | None, as_json: bool) -> None:
    """One match, move by move."""
    match = store.match(prefix)
    game = stored_game(store)
    bots = match.bots
    if viewer is not None and viewer != "spectator" and viewer not in bots:
        raise ConfigError(f"--as: {viewer!r} did not play in {match.match_id}; {', '.join(bots)} did, or say spectator")
    steps = list(_steps(game, len(bots), unpack(game, match.packed), broken=match.status == "aborted"))
    if as_json:
        print(show.as_json({"match_id": match.match_id, "game": game.name, "bots": bots, "steps": show.steps_json(game, bots, steps, viewer=viewer)}))
        return
    print(f"match {match.match_id} of {game.title}: {' against '.join(bots)} (series {match.series_id}, rotation {match.rotation})")
    for line in show.retold(game, bots, steps, viewer=viewer):
        print(line)
    if match.error is not None:
        print(f"aborted:\n{match.error}")
        return
    print("result: " + ", ".join(f"{seat.rank}. {seat.bot}" for seat in sorted(match.seats, key=lambda seat: seat.rank)))


def _steps(game: Any, seats: int, turns: Sequence[Mapping[Any, Any]], *, broken: bool) -> Any:
    """Each turn's moves with the step they led to, the start first; of an aborted match as far as the rules went."""
    from arena.referee import replay

    steps = replay(game, seats, turns[:-1] if broken else turns)
    yield {}, next(steps)
    yield from zip(turns, steps, strict=False)


__all__ = ["plan_of", "print_leaderboard", "print_replay", "run_command"]
