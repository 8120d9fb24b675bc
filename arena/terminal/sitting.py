"""Plays a person's match against bots in this terminal: tells what happens, plays what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from random import Random
from typing import Any

import attrs
import msgspec
import trio
import trio.lowlevel

from arena.box.box import Level
from arena.errors import ConfigError
from arena.match.clock import Control
from arena.match.game import Game, Seat, Step
from arena.match.record import Decision, MatchRecord, Turn
from arena.players.base import Player
from arena.players.codec import Codec
from arena.players.desk import Question
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.referee import Conduct, Seating, play_match
from arena.schedule import bot_seed, derive_seed
from arena.telling.choices import Choice, NotLegalNow, forms, read_choices, with_numbers
from arena.telling.guide import described, guide_for, paragraphs_of
from arena.telling.numbering import Numbering
from arena.telling.replay import LiveShowing, Moment, Viewer
from arena.telling.spoken import in_the_imperative, move_said, spoken_amounts, spoken_moves
from arena.telling.story import Teller, told_fields
from arena.terminal.person import STDIN, lines_of
from arena.terminal.phrases import (
    HELP,
    PLAIN_HELP,
    letters_for_suits,
    numbers_of_cards,
    places_told,
)
from arena.terminal.seat import TypedPlayer
from arena.terminal.voice import Voice, with_card_numbers
from arena.tournament.sparring import started
from arena.words import counted, listed, spaced

BOT_MOVE_S = 1.0
"""The limit of a bot's answer if none was asked for: that of a run."""
SHOWN_MAX = 9
"""How many legal moves are shown with numbers; of more moves, those of families no larger than the next."""
FAMILY_SHOWN_MAX = 3
REMINDER_S = 10.0
"""How much time is left when the person is reminded, if there was at least twice as much."""
MATCH_ID = "person"


@attrs.frozen
class Sitting:
    """The terms of a match that are settled before its first move."""

    game: Game[Any, Any]
    person: str
    bots: tuple[Entrant, ...]
    seed: int
    move_s: float | None
    """Everybody's limit for a move; None: bots have a second, and the person has no clock."""
    sandbox: Level = "shield"

    @property
    def seat(self) -> Seat:
        """The person's seat."""
        return Seat(Random(derive_seed(self.seed, "seat")).randrange(len(self.bots) + 1))

    @property
    def names(self) -> tuple[str, ...]:
        """The names at the table, one for each seat."""
        names = [bot.name for bot in self.bots]
        names.insert(self.seat, self.person)
        return tuple(names)


async def play_against(sitting: Sitting, voice: Voice, note: Callable[[str], None]) -> None:
    """Starts the bots and plays the match until it is over or the person leaves.

    Raises ConfigError if a bot cannot be started.
    """
    async with started(sitting.bots, sitting.sandbox, note) as (players, watch):
        await PersonMatch(sitting, voice).play(players, watch)


class PersonMatch:
    """One match of one person, who is told only what their seat may know."""

    def __init__(self, sitting: Sitting, voice: Voice) -> None:
        self.sitting = sitting
        self.voice = voice
        self.game = sitting.game
        self.seat = sitting.seat
        self.record: MatchRecord | None = None
        """The match's record, once it is over."""
        self._player = TypedPlayer(
            sitting.person, self._prompt, self._say_time_is_up, has_clock=sitting.move_s is not None
        )
        self._showing = LiveShowing(self.game, sitting.names)
        self._viewer = Viewer(sitting.person, self.seat)
        self._teller = Teller(self._showing, self._viewer)
        self._codec = Codec(self.game, sitting.names, self.seat)
        self._state: Any = self.game.start(len(sitting.names))
        self._turns: list[Turn] = []
        self._decisions: list[Decision] = []
        self._counted = 0
        self._numbering = Numbering(self.game, sitting.names, self.seat)
        self._round = 0
        self._options: list[dict[str, Any]] = []
        """The options of the open question, as bots are sent them."""
        self._asked = trio.Event()
        """Set when a question is asked."""
        self._nursery: trio.Nursery | None = None
        self._words: dict[str, Callable[[Sequence[str]], None]] = {
            "?": self._help,
            "help": self._help,
            "look": self._look,
            "moves": self._moves,
            "rules": self._rules,
        }

    async def play(self, bots: Sequence[Player], watch: LagWatch, descriptor: int = STDIN) -> None:
        """Plays the match to its end, or until the person, who types there, leaves."""
        players = [*bots]
        players.insert(self.seat, self._player)
        self._greet()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, descriptor, nursery.cancel_scope)
            self._nursery = nursery
            self.record = await play_match(
                self.game,
                players,
                seed=derive_seed(self.sitting.seed, "match"),
                control=Control(move_s=BOT_MOVE_S if self.sitting.move_s is None else self.sitting.move_s),
                conduct=Conduct(),
                seating=self._seating(),
                watch=self._tell_turn,
                lag=watch.since,
                turns=self._turns,
                decisions=self._decisions,
            )
            nursery.cancel_scope.cancel()
        if self.record is not None:
            self.voice.tell()
            self.voice.tell(places_told(self.sitting.names, self.record.ranks), ink="strong")

    def _name(self, seat: Seat) -> str:
        return self.sitting.names[seat]

    def _seating(self) -> Seating:
        seeds = [bot_seed(self.sitting.seed, MATCH_ID, seat) for seat in range(len(self.sitting.names))]
        return Seating(MATCH_ID, self.sitting.names, tuple(seeds))

    # What happens

    def _greet(self) -> None:
        others = listed([bot.name for bot in self.sitting.bots])
        self.voice.tell(f"{self.game.title}: {self.sitting.person} against {others}", ink="strong")
        self.voice.tell("? lists what you can type, q leaves", ink="faint")

    def _tell_turn(self, moves: Turn, step: Step[Any]) -> None:
        """Tells what followed from a turn, as far as this seat may know it."""
        self._state = step.state
        new, self._counted = self._decisions[self._counted :], len(self._decisions)
        for decision in new:
            self._showing.decisions[decision.turn, decision.seat] = decision
            if decision.fault is not None and decision.seat != self.seat:
                name = self.sitting.names[decision.seat]
                self.voice.tell(f"{name} gave no valid answer ({spaced(decision.fault)})", ink="warning")
        passage = self._teller.passage(
            self._showing.scene(Moment(len(self._turns) - 1, moves, step), self._viewer)
        )
        if passage is None:
            return
        self._round = passage.round_number
        if passage.begins_round:
            self.voice.tell()
            if passage.heading:
                self.voice.tell(passage.heading, ink="strong")
        for told in (passage.line, *passage.news):
            if told:
                self.voice.tell(told, indent="  ")

    async def _remind(self, question: Question) -> None:
        """Reminds the person when the time for an answer is nearly over."""
        await trio.sleep(max(0.0, (self._player.remaining_s or 0.0) - REMINDER_S))
        if self._player.question is question:
            self.voice.tell()
            self.voice.tell(f"{REMINDER_S:.0f} seconds left", ink="warning")

    # What the person is asked

    def _prompt(self) -> None:
        """Shows what the person sees and may do."""
        question = self._player.question
        assert question is not None
        self._options = msgspec.json.decode(self._codec.options(question.options))
        self._asked.set()
        if (self.sitting.move_s or 0.0) >= 2 * REMINDER_S and self._nursery is not None:
            self._nursery.start_soon(self._remind, question)
        if not self.voice.is_plain:
            self.voice.tell()
        self._look(())
        self.voice.rows(list(self._offered()))
        self._ask()

    def _say_time_is_up(self) -> None:
        self.voice.tell()
        self.voice.tell("time is up", ink="warning")

    def _ask(self) -> None:
        left_s = self._player.remaining_s
        if self._player.question is not None:
            unit = "seconds" if self.voice.is_plain else "s"
            clock = "" if left_s is None else f" ({round(left_s)} {unit})"
            question = f"{self.sitting.person}{clock}"
            self.voice.ask(question if self.voice.is_prompting else f"{question}, what do you do")

    def _look(self, words: Sequence[str]) -> None:
        for line in self.seen():
            self.voice.tell(line, indent="  ")

    def seen(self) -> Iterator[str]:
        """What the seat sees now, line by line."""
        numbers = numbers_of_cards(self._options if self._player.question is not None else [])
        observation = self._observation()
        told = self.game.tell_seen(observation, self.seat, self._name)
        if told is None:
            told = tuple(told_fields(msgspec.json.decode(self._codec.encode(observation))))
        are_shown = any(f"[{card}]" in line for card in numbers for line in told)
        for line in told:
            yield with_card_numbers(line, numbers)
        if numbers and not are_shown:
            yield "by number: " + " ".join(f"{number}:[{card}]" for card, number in numbers.items())

    def _offered(self) -> Iterator[str]:
        """The legal moves: each one of a small family, with its number, and the form of the others."""
        clauses, place, told = self._clauses(), 0, list[str]()
        for choice in read_choices(self._options):
            size = len(with_numbers([choice])[0])
            if size and (len(clauses) <= SHOWN_MAX or size <= FAMILY_SHOWN_MAX):
                told += clauses[place : place + size]
            elif size:
                told.append(self._span(clauses[place], clauses[place + size - 1]))
            else:
                told += [form for form in map(self._form, self._forms([choice])) if form not in told]
            place += size
        yield from told
        if len(clauses) > SHOWN_MAX and place > len(told):
            of_all = counted(len(clauses), "move")
            yield (
                f"type moves for all {of_all} by number" if self.voice.is_plain else f"(moves: all {of_all})"
            )

    def _span(self, first: str, last: str) -> str:
        """A family that is too large to be shown, by its ends: `3 bid one 1 … 92 bid 15 6s`."""
        return f"{first} … {last}" if not self.voice.is_plain else f"{first}, and so on to {last}"

    def _forms(self, choices: Sequence[Choice]) -> list[str]:
        """How to type these moves, with the numbers that the game shows if they differ from those sent."""
        amounts = spoken_amounts(self._options, self.game, self.sitting.names, self.seat, self._observation())
        told = [
            next((each.form for each in amounts if each.choice == choice), *forms([choice]))
            for choice in choices
        ]
        return list(dict.fromkeys(told))

    def _form(self, form: str) -> str:
        return f"type {form}" if self.voice.is_plain else form

    def _clauses(self) -> list[str]:
        """The moves with their numbers: `2 bid five 3s`."""
        spoken = spoken_moves(self._options, self.game, self.sitting.names, self.seat, self._observation())
        orders = [in_the_imperative(words) for _, words in spoken]
        numbered = zip(self._numbering.of(read_choices(self._options)), orders, strict=True)
        if not self.voice.is_plain:
            return [f"{number} {order}" for number, order in numbered]
        return [f"type {number} {'to' if ' ' in order else 'or'} {order}" for number, order in numbered]

    # What the person types

    async def _listen(self, descriptor: int, scope: trio.CancelScope) -> None:
        async with aclosing(lines_of(descriptor)) as lines:
            async for line in lines:
                if not await self._hear(line):
                    break
        self._say_how_it_stood()
        scope.cancel()

    async def _hear(self, line: str) -> bool:
        """Does what a typed line says; returns whether to go on."""
        words = [letters_for_suits(word) for word in line.split()]
        word = words[0].lower() if words else ""
        is_move = any(word in choice.names for choice in self._choices())
        if word in ("q", "quit", "leave", "exit") and not is_move:
            return False
        if not words and self._player.silent_move is None:
            self._ask()
            return True
        if word in self._words and not is_move:
            self._words[word](words[1:])
            self._ask()
            return True
        while self._player.question is None:
            self._asked = trio.Event()
            await self._asked.wait()
        try:
            self._play(words)
        except ConfigError as error:
            told = str(error)
            if self.voice.is_plain and isinstance(error, NotLegalNow):
                told = error.sentence  # without what would be right, which was read aloud with the question
            self.voice.tell(told, ink="warning")
            self._ask()
        return True

    def _choices(self) -> tuple[Choice, ...]:
        return read_choices(self._options) if self._player.question is not None else ()

    def _play(self, words: Sequence[str]) -> None:
        """Plays the move that was typed.  Raises ConfigError."""
        move = self._player.silent_move if not words else self._player.read(self._meant(words))
        self._player.play(move)

    def _meant(self, words: Sequence[str]) -> Any:
        """The typed move as JSON; its words are those of its form, or of its sentence."""
        if (move := self._numbering.move_said(self._choices(), words)) is not None:
            return move
        return move_said(self._options, self.game, self.sitting.names, self.seat, self._observation(), words)

    def _observation(self) -> Any:
        return self.game.observe(self._state, self.seat)

    def _help(self, words: Sequence[str]) -> None:
        for line in (PLAIN_HELP if self.voice.is_plain else HELP).splitlines():
            self.voice.tell(line)

    def _moves(self, words: Sequence[str]) -> None:
        if self._player.question is None:
            self.voice.tell("nothing is asked of you now")
            return
        wanted = [word.lower() for word in words]
        found = [clause for clause in self._clauses() if all(word in clause.lower() for word in wanted)]
        if words and not found:
            self.voice.tell(f"no numbered move has {' '.join(words)} in it", ink="warning")
        if not words:
            for form in self._forms(self._choices()):
                self.voice.tell(form, indent="  ")
        self.voice.table(found)

    def _rules(self, words: Sequence[str]) -> None:
        guide = None if list(words) == ["all"] else guide_for(self.game)
        for paragraph in paragraphs_of(described(type(self.game)) if guide is None else guide):
            is_heading = paragraph.startswith("## ")
            self.voice.tell(paragraph.removeprefix("## "), ink="strong" if is_heading else "", indent="  ")
        if guide is not None:
            self.voice.tell("rules all: the specification, for authors of bots", ink="faint")

    def _say_how_it_stood(self) -> None:
        where = f" in round {self._round}" if self._round else ""
        self.voice.tell()
        self.voice.tell(f"{self.sitting.person} leaves{where}; this is how it stood", ink="strong")
        self._look(())
