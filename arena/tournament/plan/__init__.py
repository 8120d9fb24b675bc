"""What a tournament is to be: a plan, from a TOML file and the command line, checked."""

from arena.tournament.plan.allow import EVERYONE, FLAGS, NOTHING, Allow, allow_as_mapping, rights_of
from arena.tournament.plan.checking import check, check_size, differences, identity, warnings_of
from arena.tournament.plan.model import (
    MARGIN_CONNECTING_S,
    MARGIN_STARTED_S,
    BotSpec,
    Plan,
    Rule,
    allocation_of,
    capacity_of,
    control_of,
    deals_of,
    format_of,
    refusal_of,
    sandbox_of,
    size_of,
    size_words,
    terms_of,
    workers_of,
)
from arena.tournament.plan.reading import as_mapping, bot_as_mapping, load_plan, plan_from, with_options
from arena.tournament.plan.rules import check_plan_seats, make_game, parse_rules
from arena.tournament.plan.seeds import DRAWING, is_guessable, join_refusal, seed_refusal
