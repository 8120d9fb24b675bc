"""Whether the bots can guess the seed of a plan, and with it every deal; what follows from that."""

from __future__ import annotations

from arena.tournament.plan.model import Plan

GUESSABLE_BELOW = 1 << 64
"""Smaller seeds can be found by trying, as the id of its match tells a bot whether a seed is the right one.
Python tries 250,000 a second on one core; ten thousand cores a hundred times as fast need two years for 2^64.
"""

DRAWING = "python3 -c 'import secrets; print(secrets.randbits(128))'"
"""A command that prints a seed nobody can guess."""


def is_guessable(seed: int | None) -> bool:
    """Whether a bot can find this seed by trying; it cannot find one that is still to be drawn."""
    return seed is not None and seed < GUESSABLE_BELOW


def seed_refusal(plan: Plan) -> str | None:
    """Why a tournament cannot begin with this seed, in one sentence; None if it can."""
    if not (plan.connecting and is_guessable(plan.seed)):
        return None
    return (
        f"seed = {plan.seed} can be guessed by the bots that connect, and with it every deal: leave seed "
        f"out, or give one of at least 2^64, as this draws it: {DRAWING}"
    )


def join_refusal(plan: Plan, seed: int) -> str | None:
    """Why bots that connect cannot join a folder with this seed; None if they can."""
    if not (plan.connecting and is_guessable(seed)):
        return None
    return f"seed {seed} can be guessed by the bots that connect, and with it every deal"
