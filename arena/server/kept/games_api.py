"""The games of the house and finished matches over HTTP, below `/api`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import attrs
import msgspec
from msgspec.structs import asdict
from starlette.requests import Request

from arena.games import GAMES
from arena.players.codec import rules_json
from arena.players.schema import game_schema
from arena.refusal import Refusal
from arena.server.http.answer_types import FilmPage, GameListed, GameShown, MatchPage, SeatsOfGame
from arena.server.http.endpoints import Api, QueryField, endpoint
from arena.server.http.question_types import NewQuestion, QuestionAnswered
from arena.server.http.request_types import body_of, number_in_query
from arena.server.kept.film_pages import MatchPart
from arena.server.kept.finished import FinishedMatches
from arena.server.kept.past import PastMatches
from arena.server.kept.past_turn import TurnWanted
from arena.server.limits import STEPS_MAX
from arena.server.open_tables import OpenTables
from arena.server.tables.api import address_of
from arena.server.tables.questions import BotQuestions
from arena.telling.guide import described, guide_of, line_of
from arena.telling.replay import Replay

FIRST_MAX = 10**9
SEEN_BY = QueryField(
    "seen_by",
    {"type": "string"},
    "Who played, or `spectator`: what they knew then. Without it everything is shown.",
)
FIRST = QueryField(
    "first", {"type": "integer", "minimum": 0, "maximum": FIRST_MAX, "default": 0}, "The first step, from 0."
)
COUNT = QueryField(
    "count", {"type": "integer", "minimum": 1, "maximum": STEPS_MAX, "default": STEPS_MAX}, "How many steps."
)
PART = (SEEN_BY, FIRST, COUNT)


class GamesApi(Api):
    """The handlers of games and of finished matches."""

    def __init__(
        self,
        house: OpenTables,
        find: Callable[[str], Replay | None] = lambda match_id: None,
        plays_on: Callable[[str], bool] = lambda table_id: False,
        bots: Callable[[str], Sequence[str]] = lambda game: (),
        boards: Mapping[str, str | None] = MappingProxyType({}),
        emblems: Mapping[str, str | None] = MappingProxyType({}),
        questions: BotQuestions | None = None,
        levels: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """`find` returns a match of the archive.  `plays_on`: as in `PastMatches`.

        `bots` returns the house bots that play a game; `boards` and `emblems` are the paths of the scripts
        that draw the games and of the pictures that stand for them.  `questions`: where house bots are asked;
        `levels`: how strong they are.
        """
        self._questions = questions
        self.past = PastMatches(house, find, plays_on)
        self._bots = bots
        self._boards = boards
        self._emblems = emblems
        self._levels = levels
        self._shown: dict[str, bytes] = {}
        """Games as JSON, by name."""

    @endpoint("GET", "/api/games", {200: list[GameListed]})
    async def list_games(self, request: Request) -> list[GameListed]:
        """The games of the house."""
        return [self._listed(name) for name in GAMES]

    @endpoint("GET", "/api/games/{name}", {200: GameShown})
    async def get_game(self, request: Request) -> bytes:
        """A game: its rules, and JSON Schema of what is asked and answered."""
        name = request.path_params["name"]
        if name not in GAMES:
            raise Refusal("not_found", f"no game is called that: {', '.join(GAMES)} are")
        if name not in self._shown:
            self._shown[name] = msgspec.json.encode(_shown(self._listed(name)))
        return self._shown[name]

    @endpoint("GET", "/api/matches/{match}", {200: MatchPage}, query=PART, refusals=("conflict",))
    async def get_match(self, request: Request) -> bytes:
        """A finished match, step by step."""
        return await self.past.page(request.path_params["match"], part_asked(request), address_of(request))

    @endpoint("GET", "/api/matches/{match}/film", {200: FilmPage}, query=PART, refusals=("conflict",))
    async def get_film(self, request: Request) -> bytes:
        """A finished match as the site's player shows it."""
        return await self.past.film(request.path_params["match"], part_asked(request), address_of(request))

    @endpoint(
        "POST",
        "/api/matches/{match}/ask",
        {200: QuestionAnswered},
        body=NewQuestion,
        refusals=("forbidden", "conflict"),
    )
    async def ask_bot(self, request: Request) -> QuestionAnswered:
        """What a house bot would do at a step of a finished match."""
        return await answered(request, self._questions, request.path_params["match"], self.past)

    def _listed(self, name: str) -> GameListed:
        cls = GAMES[name]
        return GameListed(
            name=name,
            title=cls.title,
            seats=SeatsOfGame(cls.seats[0], cls.seats[-1]),
            move_time_s=cls.people_move_s,
            line=line_of(cls),
            bots=list(bots := self._bots(name)),
            levels={bot: level for bot in bots if (level := self._levels.get(bot)) is not None},
            lengths={rule: list(offered) for rule, offered in [cls.lengths] if rule},
            board=self._boards.get(name),
            emblem=self._emblems.get(name),
        )


async def answered(
    request: Request,
    questions: BotQuestions | None,
    match: str,
    matches: FinishedMatches,
) -> QuestionAnswered:
    """The answer to a question of one of these matches that a request puts to a house bot."""
    asked = await body_of(request, NewQuestion)
    if questions is None:
        raise Refusal("conflict", "this server has no house bots that could be asked")
    with questions.counted(address_of(request)):
        wanted = TurnWanted(asked.step, asked.name)
        return await questions.ask(asked.bot, await matches.turn(match, wanted, address_of(request)))


def part_asked(request: Request) -> MatchPart:
    """The steps that a request asks for, and as whom."""
    first = number_in_query(request, "first", 0, FIRST_MAX) or 0
    count = number_in_query(request, "count", 1, STEPS_MAX) or STEPS_MAX
    return MatchPart(request.query_params.get("seen_by"), first, count)


def _shown(listed: GameListed) -> GameShown:
    cls = GAMES[listed.name]
    return GameShown(
        **asdict(listed),
        version=cls.version,
        guide=guide_of(cls),
        description=described(cls),
        rules=msgspec.Raw(rules_json(cls(), cls.seats[0])),
        accepts={rule.name: str(rule.validator) for rule in attrs.fields(cls)},
        schema=game_schema(cls),
    )
