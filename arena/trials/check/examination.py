"""Checks a bot, from the first start to the last goodbye: which matches it plays, and what happens to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from random import Random
from typing import Any

import attrs
import trio

from arena.errors import FaultKind
from arena.match.clock import Control
from arena.match.game import Game, Seat
from arena.players.base import Player
from arena.players.start import BotBroken
from arena.players.stream import StreamPlayer
from arena.referee import Conduct, Seating, no_lag, play_match
from arena.schedule import derive_bot_seed, derive_seed
from arena.trials.check.findings import CheckFindings, CheckStage, Introduction, number_range
from arena.trials.check.host import BotHost
from arena.trials.check.matches import RecordedMatch
from arena.trials.check.opponents import (
    TEMPERS,
    RandomPlayer,
    curious,
    hasty,
    kinds_of,
    kinds_on_offer,
    patient,
)
from arena.trials.check.retracing import retraced
from arena.trials.check.tables import CheckTable, ends, outside_in
from arena.trials.check.tap import Tap, TapTask
from arena.words import counted

QUESTIONS_MAX, QUESTIONS_LONG_MAX = 80, 2000
"""How many questions the bot is asked in one match, and in a long one, at most."""
LAPS_LEAST, LAPS_MAX = 2, 6
"""How often the bot plays at every number of seats."""
FAULT_QUESTIONS = 15
FAULT_MATCHES_MAX = 6
PROVOKED_AT: dict[int, FaultKind] = {1: "too_late", 4: "malformed", 7: "illegal"}
"""Number of a question -> the fault, which it did not commit, that the bot is charged with."""
HANG_UP_AT, HANG_UP_MATCHES_MAX = 1, 10
RETURN_S = 2.0
"""How long a bot that lost its connection may take to come back or to end."""
LOOK_EVERY_S = 0.02
STARTS_MAX = 4
"""How often a bot that keeps ending is started for checks that one instance could have gone through."""
OFFER_TURNS_MAX = 400
LONG_SHARE, NAMES_SHARE, FAULT_SHARE, AGAIN_SHARE = 0.2, 0.1, 0.15, 0.1
"""Shares of the time that are reserved for the stages after the matches at every number of seats."""
PLAY_SHARE_LEAST = 0.1
"""The least share for matches at every number of seats, however many questions are recorded."""
EVIDENCE_BYTES_MAX = 400
RECORDED_SHARE, STORED_SHARE = 0.2, 0.4
"""Shares of the time for recorded questions that ship with the game, and for those of a run."""
NOTE_EVERY_S = 3.0
UNUSUAL_NAMES = ("zoë", 'the "k"', "o'hara", "a, b", "c:\\d", "{e}", "猫", "🎲", "-1", "x" * 64)
"""Names of opponents: valid ones that home-made readers of JSON stumble over."""


@attrs.frozen(kw_only=True)
class CheckTerms:
    """The terms of a check: its time, and what a bot may use."""

    control: Control
    time_s: float = 15.0
    """About how long the bot plays (s); starting and ending it comes on top."""
    faults_max: int = 5
    seed: int = 0
    recorded_share: float = RECORDED_SHARE


@attrs.define(eq=False)
class Examination:
    """The check of one bot in one game."""

    game: Game[Any, Any]
    host: BotHost
    findings: CheckFindings
    """What is filled in."""
    terms: CheckTerms
    _recorded: Sequence[RecordedMatch] = ()
    """The matches whose questions are asked."""
    _lag: Callable[[float], float] = no_lag
    _note: Callable[[str], None] = lambda line: None
    """Is told each step."""
    _ends_at: float = 0.0
    _told_at: float = 0.0
    _starts_left: int = STARTS_MAX
    _first: CheckTable | None = None

    async def examine(self) -> None:
        """Does everything that there is time for; if cancelled, `findings` holds what was seen so far."""
        found, began_at = self.findings, trio.current_time()
        self._look_at_game()
        try:
            player = await self._start()
        except BotBroken as error:
            found.note_broken(error)
            return
        self._told_at = trio.current_time()
        self._ends_at = self._told_at + self.terms.time_s
        player = await self._play_recorded(player)
        player = await self._play_all(player)
        player = await self._play_long(player)
        player = await self._play_with_names(player)
        player = await self._play_with_faults(player)
        player = await self._play_again(player, "again", self.terms.time_s * AGAIN_SHARE)
        await self._end(player)
        await self._try_fresh_one()
        found.duration_s = trio.current_time() - began_at

    def _look_at_game(self) -> None:
        """Notes what the bot can be asked at all."""
        found, rng = self.findings, Random(self.terms.seed)
        found.kinds = kinds_of(self.game)
        possible: set[str] = set()
        for seats in found.seats:
            possible |= kinds_on_offer(self.game, seats, rng, OFFER_TURNS_MAX)
        found.possible = frozenset(possible)

    # Stages.

    async def _play_recorded(self, player: Player) -> Player:
        """Asks the questions of recorded matches: the bot takes a seat at the first question wanted of it.

        As long as it gives the recorded answers, the match goes on; after another answer the match is left,
        and retraced up to the next question.
        """
        if self._recorded:
            self._note("asking it what was asked in recorded matches")
        until = trio.current_time() + self.terms.time_s * self.terms.recorded_share
        for match in self._recorded:
            for seat, numbers in match.wanted_of():
                self.findings.recorded_wanted += len(numbers)
                while numbers and trio.current_time() < until and not player.is_gone:
                    player, asked = await self._retrace(player, match, seat, numbers, until)
                    numbers = [number for number in numbers if number >= numbers[0] + max(1, asked)]
        return player

    async def _retrace(
        self, player: Player, match: RecordedMatch, seat: Seat, numbers: Sequence[int], until: float
    ) -> tuple[Player, int]:
        """Retraces the match up to the first of these questions, and plays on from there with the bot."""
        task = self._task(
            "recorded",
            until=until,
            begins_at=numbers[0],
            script=match.moves_of(seat),
            questions_max=numbers[-1] - numbers[0] + 1,
            match_id=match.match_id,
        )
        tap = await retraced(match, seat, self.findings.bot, player, task, self.terms.control, self._lag)
        return await self._taken(player, tap), len(tap.asked)

    async def _play_all(self, player: Player) -> Player:
        """Plays matches at every number of seats, with opponents of every temper."""
        self._note(f"playing at {number_range(self.findings.seats)} seats")
        kept_s = self.terms.time_s * (LONG_SHARE + NAMES_SHARE + FAULT_SHARE + 2 * AGAIN_SHARE)
        until = max(trio.current_time() + self.terms.time_s * PLAY_SHARE_LEAST, self._ends_at - kept_s)
        numbers = outside_in(self.findings.seats)
        for lap in range(LAPS_MAX):
            for place, seats in enumerate(numbers):
                left_s = until - trio.current_time()
                if player.is_gone and not self._starts_left:
                    return player
                if left_s <= 0:
                    self.findings.is_out_of_time = self.findings.is_out_of_time or lap < LAPS_LEAST
                    return player
                number = lap * len(numbers) + place
                table = CheckTable(
                    seats,
                    (lap + place) % seats,
                    derive_seed(self.terms.seed, "check", number),
                    TEMPERS[number % len(TEMPERS)] if number else hasty,
                )
                share = 1 / (len(numbers) - place) if lap < LAPS_LEAST else 1.0
                laps_s = left_s / max(1, LAPS_LEAST - lap)
                deadline = trio.current_time() + max(laps_s * share, 0.0)
                player, tap = await self._match(player, table, self._task("play", until=deadline))
                if self._first is None:
                    self._first = table
                    self._keep_moves("play", tap)
            if lap + 1 >= LAPS_LEAST and self._has_seen_all():
                break
        return player

    def _has_seen_all(self) -> bool:
        seen = {kind for asked in self.findings.asked for kind in asked.kinds}
        return self.findings.possible <= seen

    async def _play_long(self, player: Player) -> Player:
        """Plays long matches, at the smallest and the largest table."""
        self._note("playing long matches")
        for number, seats in enumerate(ends(self.findings.seats)):
            if player.is_gone:
                break
            until = trio.current_time() + self.terms.time_s * LONG_SHARE / 2
            table = CheckTable(seats, 0, derive_seed(self.terms.seed, "long", number), patient)
            task = self._task("long", until=until, questions_max=QUESTIONS_LONG_MAX)
            player, _ = await self._match(player, table, task)
        return player

    async def _play_with_names(self, player: Player) -> Player:
        """Plays matches against opponents with unusual names."""
        for number, seats in enumerate(ends(self.findings.seats)):
            if player.is_gone:
                break
            until = trio.current_time() + self.terms.time_s * NAMES_SHARE / 2
            seed = derive_seed(self.terms.seed, "names", number)
            table = CheckTable(seats, 0, seed, curious, UNUSUAL_NAMES)
            player, _ = await self._match(player, table, self._task("names", until=until))
        return player

    async def _play_with_faults(self, player: Player) -> Player:
        """Charges the bot with faults that it did not commit, and looks how it goes on."""
        self._note("charging it with faults, to see how it goes on")
        until = trio.current_time() + self.terms.time_s * FAULT_SHARE
        asked = 0
        for number in range(FAULT_MATCHES_MAX):
            if asked >= FAULT_QUESTIONS or trio.current_time() >= until or player.is_gone:
                break
            provoke = {at - asked: fault for at, fault in PROVOKED_AT.items() if at >= asked}
            table = CheckTable(
                self.findings.seats[0], number % 2, derive_seed(self.terms.seed, "fault", number), hasty
            )
            task = self._task("fault", until=until, provoke=provoke, questions_max=FAULT_QUESTIONS)
            player, tap = await self._match(player, table, task)
            asked += max(1, len(tap.asked))
        return player

    async def _play_again(self, player: Player, stage: CheckStage, time_s: float) -> Player:
        """Plays the first match again, with the same luck for everybody."""
        if self._first is None or player.is_gone:
            return player
        self._note(f"playing the first match again{', in a fresh process' if stage == 'fresh' else ''}")
        task = self._task(stage, until=trio.current_time() + time_s)
        player, tap = await self._match(player, self._first, task)
        self._keep_moves(stage, tap)
        return player

    async def _try_fresh_one(self) -> None:
        """Starts a fresh instance: does it answer as the first one did, and what if its connection breaks?"""
        if not self._starts_left or all(asked.elapsed_s is None for asked in self.findings.asked):
            return
        try:
            player = await self._start()
        except BotBroken as error:
            self.findings.crashes.append(f"a second instance cannot be started: {error.reason}")
            return
        time_s = self.terms.time_s * AGAIN_SHARE
        player = await self._play_again(player, "fresh", time_s)
        if isinstance(player, StreamPlayer) and not player.is_gone:
            await self._break_connection(player, time_s)
        await self._end(player)

    async def _break_connection(self, player: StreamPlayer, time_s: float) -> None:
        self._note("breaking its connection")
        found = self.findings
        if not await self._hung_up(player, time_s):
            return
        with trio.move_on_after(RETURN_S):
            while not player.is_connected and not player.is_gone:  # noqa: ASYNC110
                await trio.sleep(LOOK_EVERY_S)
        found.after_loss = "came back" if player.is_connected else "ended" if player.is_gone else "stayed"
        found.loss_reason = player.gone_reason
        if player.is_connected:
            table = CheckTable(found.seats[0], 0, derive_seed(self.terms.seed, "back"), hasty)
            task = self._task("back", until=trio.current_time() + time_s)
            self._take(await self._played(player, table, task))

    async def _hung_up(self, player: StreamPlayer, time_s: float) -> bool:
        """Breaks the bot's connection within a match; returns whether a match was long enough for that."""
        for number in range(HANG_UP_MATCHES_MAX):
            seed = derive_seed(self.terms.seed, "return", number)
            until = trio.current_time() + time_s + RETURN_S
            task = self._task("return", until=until, hang_up_at=HANG_UP_AT)
            tap = await self._played(player, CheckTable(self.findings.seats[0], 0, seed, hasty), task)
            if len(tap.asked) > HANG_UP_AT:
                return True
        return False

    # Instances.

    async def _start(self) -> Player:
        """Starts an instance.  Raises BotBroken."""
        self._note("starting it")
        self._starts_left -= 1
        began_at = trio.current_time()
        player = await self.host.start()
        self.findings.starts_s.append(trio.current_time() - began_at)
        if isinstance(player, StreamPlayer) and self.findings.introduction is None and player.connection:
            said = player.connection
            self.findings.introduction = Introduction(name=said.name, protocol=said.protocol)
        return player

    async def _end(self, player: Player) -> None:
        self.findings.printed.append(self.host.printed(player))
        was_gone = player.is_gone
        ending = await self.host.end(player)
        if ending is not None and not was_gone:
            self.findings.endings.append(ending)

    async def _replaced(self, player: Player) -> Player:
        """Starts a new instance for one that ended in the midst of play, unless that happens too often."""
        reason = player.gone_reason if isinstance(player, StreamPlayer) else self.findings.asked[-1].reason
        self.findings.crashes.append(reason)
        if not self._starts_left:
            return player
        await self._end(player)
        try:
            return await self._start()
        except BotBroken as error:
            self.findings.crashes.append(f"cannot be started any more: {error.reason}")
            self._starts_left = 0
            return player

    # Matches.

    def _task(self, stage: CheckStage, **more: Any) -> TapTask:
        return TapTask(**{"stage": stage, "questions_max": QUESTIONS_MAX, **more})

    async def _match(self, player: Player, table: CheckTable, task: TapTask) -> tuple[Player, Tap]:
        """Plays one match and notes what was seen; returns the instance to go on with."""
        tap = await self._played(player, table, task)
        return await self._taken(player, tap), tap

    async def _taken(self, player: Player, tap: Tap) -> Player:
        """Notes what was seen in a match; returns the instance to go on with."""
        self._take(tap)
        self._tell_progress()
        memory_bytes = None if player.is_gone else self.host.memory_bytes(player)
        if memory_bytes is not None and len(self.findings.starts_s) == 1:
            self.findings.memory_bytes.append(memory_bytes)
        return await self._replaced(player) if player.is_gone else player

    def _tell_progress(self) -> None:
        """Reports now and then how far the check is."""
        if trio.current_time() >= self._told_at + NOTE_EVERY_S:
            self._told_at = trio.current_time()
            asked, matches = len(self.findings.asked), self.findings.matches
            self._note(f"{counted(asked, 'question')} in {counted(matches, 'match')} so far")

    async def _played(self, player: Player, table: CheckTable, task: TapTask) -> Tap:
        names = table.names_with(self.findings.bot)
        rng = Random(table.seed)
        deputy = RandomPlayer("deputy", hasty, Random(rng.random()), fails_max=0)
        tap = Tap(player, deputy, task)
        players: list[Player] = [RandomPlayer(name, table.temper, Random(rng.random())) for name in names]
        players[table.seat] = tap
        await play_match(
            self.game,
            players,
            seed=table.seed,
            control=self.terms.control,
            conduct=Conduct(self.terms.faults_max),
            seating=Seating(
                f"{derive_seed(table.seed, 'id'):032x}"[:12],
                names,
                tuple(derive_bot_seed(table.seed, "bot", seat) for seat in range(table.seats)),
            ),
            lag=self._lag,
        )
        return tap

    def _take(self, tap: Tap) -> None:
        """Adds to the findings what was seen in one match."""
        found = self.findings
        found.matches += 1
        found.asked += tap.asked
        known = {example.fault for example in found.examples}
        found.examples += [example for example in tap.examples if example.fault not in known]
        for line in tap.evidence():
            if line.get("dir") == "·":
                reason = str(line.get("text", ""))[:EVIDENCE_BYTES_MAX]
                found.notes[reason] = found.notes.get(reason, 0) + 1

    def _keep_moves(self, stage: CheckStage, tap: Tap) -> None:
        """Keeps the bot's moves up to its first fault: what comes after that says nothing about its luck."""
        moves = [asked.move for asked in takewhile(lambda asked: asked.fault is None, tap.asked)]
        self.findings.first_moves = {**self.findings.first_moves, stage: moves}
