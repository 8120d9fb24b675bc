"""Makes a question of the options of `arena compare`, and keeps it in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from arena.analysis.comparison import Question, ReturnsRules, ranges
from arena.analysis.stopping.gains import Gains, usual_gain
from arena.analysis.stopping.gsprt import Hypotheses
from arena.errors import ConfigError
from arena.match.game import Game
from arena.reading.units import unexpected

OF_WINS, OF_RETURNS = ("elo0", "elo1"), ("gain0", "gain1", "tails")
"""The options that only one of the two questions has."""
NUMBERS = ("elo0", "elo1", "gain0", "gain1", "alpha", "beta", "series_max")


@attrs.frozen
class QuestionWords:
    """The options that were given, each checked to be of its kind."""

    given: Mapping[str, Any]
    """Name of a field of `Hypotheses` or `Gains` -> its value."""
    by: str | None = None
    """What is compared, `wins` or `returns`; None: what the game is rated by."""

    @property
    def is_something(self) -> bool:
        return bool(self.given or self.by)

    @property
    def series_max(self) -> int:
        """The number of series after which the test ends undecided."""
        return int(self.given.get("series_max", Hypotheses().series_max))

    def question(self, game: Game[Any, Any], seats: int, *, is_field: bool) -> Question:
        """The question for this game.  Raises ConfigError if it cannot be asked."""
        rules = returns_rules(game, seats)
        if self._by_wins(game, rules):
            self._refuse(OF_RETURNS, "matches won are compared: --elo0 and --elo1 say what is asked")
            return Hypotheses(**self.given)
        unit = rules.unit[0] or "returns"
        self._refuse(
            OF_WINS,
            f"mean returns are compared: --gain0 and --gain1 say what is asked, in {unit}, or --by wins "
            "compares matches won",
        )
        bounds, reach = ranges(rules, is_field=is_field)
        gains = Gains(**{"gain1": usual_gain(reach), **self.given})
        gains.check_within(bounds, unit)
        return gains

    def _by_wins(self, game: Game[Any, Any], rules: ReturnsRules) -> bool:
        if self.by != "returns":
            return self.by == "wins" or game.rated_by == "ranks" or rules.bounds is None
        if game.rated_by == "ranks":
            raise ConfigError(f"--by returns: {game.title} is rated by ranks, expected --by wins")
        if rules.bounds is None:
            raise ConfigError(
                f"--by returns: {game.title} does not declare the bounds of its returns (returns_bounds), "
                "without which no test of their mean keeps its error rate, expected --by wins"
            )
        return False

    def _refuse(self, options: tuple[str, ...], why: str) -> None:
        for key in options:
            if key in self.given:
                raise ConfigError(f"--{key}: {why}")


def asked_from(said: dict[str, Any]) -> QuestionWords:
    """Takes the options of the question out of `said`.  Raises ConfigError for words that are not numbers."""
    by, tails = said.pop("by"), said.pop("tails")
    words = {key: said.pop(key) for key in NUMBERS}
    given: dict[str, Any] = {} if tails is None else {"tails": tails}
    for key, word in words.items():
        if word is None:
            continue
        option, kind = ("--max-series", int) if key == "series_max" else (f"--{key}", float)
        try:
            given[key] = kind(word)
        except ValueError:
            what = "a whole number such as 5000" if kind is int else "a number such as 0.05 or 20"
            raise ConfigError(f"{option}: {unexpected(word, what)}") from None
    for option, word, words_known in (
        ("--by", by, ("wins", "returns")),
        ("--tails", tails, ("any", "normal")),
    ):
        if word is not None and word not in words_known:
            raise ConfigError(f"{option}: {unexpected(word, ' or '.join(words_known))}")
    return QuestionWords(given, by)


def returns_rules(game: Game[Any, Any], seats: int) -> ReturnsRules:
    """What the game declares about its returns at this many seats."""
    bounds, reach = game.returns_bounds(seats), game.returns_reach(seats)
    return ReturnsRules(game.rated_by, game.returns_unit, bounds, reach, game.adjusts_luck)


def kept_of(question: Question) -> dict[str, Any]:
    """The question as JSON, for a folder and for programs."""
    by = "wins" if isinstance(question, Hypotheses) else "returns"
    return {"by": by, **attrs.asdict(question)}


def question_kept(kept: Mapping[str, Any]) -> Question:
    """The question that a folder keeps; one from before there were two kinds is about wins."""
    fields = {key: value for key, value in kept.items() if key != "by"}
    return Gains(**fields) if kept.get("by") == "returns" else Hypotheses(**fields)
