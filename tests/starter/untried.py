"""The languages whose bots are not built here."""

from arena.starter import LANGUAGES
from arena.words import listed


def untried_languages() -> str:
    """One line that names those whose tools this machine lacks; empty if there are none."""
    absent = [name for name, language in LANGUAGES.items() if language.missing]
    return f"tests/starter: not tried here, for want of their tools: {listed(absent)}" if absent else ""
