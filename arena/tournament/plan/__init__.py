"""What a tournament is to be: a plan, from a TOML file and the command line, checked."""

from arena.tournament.plan.checking import (
    allocation_kept,
    check,
    check_size,
    differences,
    identity,
    warnings_of,
)
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
    size_of,
    size_words,
    terms_of,
)
from arena.tournament.plan.reading import as_mapping, bot_as_mapping, load_plan, plan_from, with_options
from arena.tournament.plan.rules import check_plan_seats, make_game, parse_rules
from arena.tournament.plan.seeds import DRAWING, is_guessable, join_refusal, seed_refusal

__all__ = [
    "DRAWING",
    "MARGIN_CONNECTING_S",
    "MARGIN_STARTED_S",
    "BotSpec",
    "Plan",
    "Rule",
    "allocation_kept",
    "allocation_of",
    "as_mapping",
    "bot_as_mapping",
    "capacity_of",
    "check",
    "check_plan_seats",
    "check_size",
    "control_of",
    "deals_of",
    "differences",
    "format_of",
    "identity",
    "is_guessable",
    "join_refusal",
    "load_plan",
    "make_game",
    "parse_rules",
    "plan_from",
    "refusal_of",
    "seed_refusal",
    "size_of",
    "size_words",
    "terms_of",
    "warnings_of",
    "with_options",
]
