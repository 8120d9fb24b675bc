"""Recorded matches whose questions a checked bot is asked: they ship with a game or come from a stored run.

Only the moves of bots are kept: chance is drawn again from the match's seed, and questions follow from the
rules.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ConfigError
from arena.match.game import CHANCE, Game, Seat
from arena.match.record import Turn, pack, unpack
from arena.schedule import bot_seed, bot_seeds
from arena.store import Store, StoredMatch
from arena.tournament.folder.folder import check_ways
from arena.tournament.folder.stored import stored_game
from arena.tournament.plan.rules import make_game

FILE = "recorded-matches.jsonl"
"""A file in the folder of a game's module: matches whose questions are worth asking."""
STORED_MAX = 20
"""How many matches of a results folder are used at most."""


@attrs.frozen(kw_only=True)
class RecordedMatch:
    """A match as far as it is retraced, and which of its questions are asked."""

    match_id: str
    game: Game[Any, Any]
    names: tuple[str, ...]
    seed: int
    bot_seeds: tuple[int, ...]
    turns: tuple[Turn, ...]
    """The turns of bots; chance is drawn again."""
    wanted: tuple[tuple[Seat, int], ...]
    """The questions to ask: a seat, and the number of its question, from 0."""

    def moves_of(self, seat: Seat) -> tuple[Any, ...]:
        """This seat's recorded answers, question by question."""
        return tuple(moves[seat] for moves in self.turns if seat in moves)

    def wanted_of(self) -> Iterator[tuple[Seat, list[int]]]:
        """Each seat with the numbers of its questions to ask."""
        for wanted in dict.fromkeys(seat for seat, _ in self.wanted):
            yield wanted, sorted(number for seat, number in self.wanted if seat == wanted)


# Matches that ship with a game.


def shipped_matches(game: Game[Any, Any]) -> list[RecordedMatch]:
    """The recorded matches that ship with this game and have its house rules; none if there is no file.

    Raises ConfigError if the file cannot be read.
    """
    module = sys.modules.get(type(game).__module__)
    path = Path(getattr(module, "__file__", None) or "").parent / FILE
    try:
        lines = path.read_text().splitlines()
        found = [_read(type(game), json.loads(line)) for line in lines]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path} is not a file of recorded matches: {error}") from None
    return [match for match in found if match is not None and match.game == game]


def _read(cls: type[Game[Any, Any]], said: Mapping[str, Any]) -> RecordedMatch | None:
    if said["game"] != cls.name or said["version"] != cls.version:
        return None
    game, names = make_game(cls, said["rules"]), tuple(said["names"])
    return RecordedMatch(
        match_id=said["match_id"],
        game=game,
        names=names,
        seed=said["seed"],
        bot_seeds=tuple(bot_seed(said["seed"], said["match_id"], seat) for seat in range(len(names))),
        turns=unpack(game, b64decode(said["moves"])),
        wanted=tuple((Seat(seat), number) for seat, number in said["wanted"]),
    )


def written(match: RecordedMatch) -> str:
    """A match as a line of such a file; house rules that have their default are left out."""
    usual = attrs.asdict(type(match.game)())
    return json.dumps(
        {
            "game": match.game.name,
            "version": match.game.version,
            "rules": {
                rule: value for rule, value in attrs.asdict(match.game).items() if value != usual[rule]
            },
            "match_id": match.match_id,
            "seed": match.seed,
            "names": match.names,
            "wanted": [[int(seat), number] for seat, number in match.wanted],
            "moves": b64encode(pack(match.game, match.turns)).decode(),
        }
    )


# Matches of a run.


@attrs.frozen(kw_only=True)
class StoredSource:
    """A results folder from which recorded matches are taken."""

    folder: Path
    prefix: str | None = None
    """The beginning of the id of one match; None: all that there is time for."""
    searched: str = ""
    """What an error names as searched if the match is not found."""


def stored_matches(
    source: StoredSource, bot: str, game_word: str | None
) -> tuple[Game[Any, Any], list[RecordedMatch]]:
    """The game of a results folder, and matches with the questions that this bot was asked in them.

    If the bot did not play in a match, the questions to all seats.  Raises ConfigError if there are none.
    """
    with Store.checked(source.folder) as store:
        game = stored_game(store, game_word)
        kept = store.meta()["identity"]
        check_ways(store.folder, kept)
        seed = int(kept["seed"])
        found = [_stored(match, game, seed, bot) for match in _chosen(store, source, bot)]
    whole = [match for match in found if match.wanted]
    if not whole:
        raise ConfigError(
            f"{source.folder} has no question to a bot: its matches are aborted, or without moves"
        )
    return game, whole


def _chosen(store: Store, source: StoredSource, bot: str) -> Sequence[StoredMatch]:
    """The one match that was named, or some: those with a fault of the bot, then its others, then any."""
    if source.prefix is not None:
        match = store.match(source.prefix, searched=source.searched)
        if match.status == "aborted":
            raise ConfigError(
                f"match {match.match_id} was aborted because the rules or the arena failed: "
                "`arena replay` shows where, and a bot cannot be asked its questions"
            )
        return [match]
    found = dict[str, StoredMatch]()
    own = chain(store.matches(bot=bot, fault="any"), store.matches(bot=bot))
    for matches in (own, store.matches()):
        for match in matches:
            if match.status == "done":
                found.setdefault(match.match_id, match)
            if len(found) == STORED_MAX:
                break
        if found:
            break
    return [*found.values()]


def _stored(match: StoredMatch, game: Game[Any, Any], seed: int, bot: str) -> RecordedMatch:
    turns = tuple(moves for moves in unpack(game, match.packed) if CHANCE not in moves)
    seats = [Seat(seat) for seat, name in enumerate(match.bots) if name == bot or bot not in match.bots]
    return RecordedMatch(
        match_id=match.match_id,
        game=game,
        names=match.bots,
        seed=match.seed,
        bot_seeds=bot_seeds(seed, match.match_id, match.series_id, len(match.bots), match.deals),
        turns=turns,
        wanted=tuple(
            (seat, number) for seat in seats for number in range(sum(seat in moves for moves in turns))
        ),
    )
