"""The house rules: imports point down, no game is named outside its file, every command is documented."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent
ARENA = HOUSE / "arena"

# The rank of each part, and the third-party names that it may use.  A part is the longest key that a module's name
# begins with.  Imports point to lower ranks, or to the same part.
RANKS: dict[str, tuple[int, set[str]]] = {
    "arena": (-2, set()),  # the package itself: its version
    "errors": (-2, set()),
    "units": (-1, {"attrs"}),
    "names": (-1, set()),
    "regular": (-1, set()),
    "strict": (-0.5, {"attrs"}),
    "game": (0, {"attrs"}),
    "clock": (0, {"attrs"}),
    "schedule": (0, {"attrs"}),
    "scoring": (0, {"attrs"}),
    "wire": (0, {"msgspec"}),
    "games": (1, {"attrs"}),
    "record": (1, {"attrs", "msgspec"}),
    "plan": (1, {"attrs"}),
    "conduct": (1, {"attrs"}),
    "pending": (1, {"attrs"}),
    "course": (1.2, {"attrs"}),
    "entrants": (1.5, {"attrs", "msgspec"}),
    "box": (1.8, {"attrs", "trio"}),
    "sdk": (1, {"msgspec"}),
    "players": (2, {"attrs", "trio", "cattrs", "msgspec"}),
    "referee": (3, {"attrs", "trio"}),
    "store": (3, {"attrs", "msgspec"}),
    "testing": (3.5, {"attrs", "trio", "msgspec"}),
    "tournament": (3.9, {"attrs", "trio"}),
    "gather": (3.95, {"attrs", "trio"}),
    "keeping": (3.95, {"trio"}),
    "match": (3.95, {"attrs", "msgspec"}),
    "runner": (4, {"attrs", "trio", "msgspec"}),
    "analysis": (4, {"attrs", "pandas", "numpy", "msgspec"}),
    "prepare": (5, {"attrs", "msgspec"}),
    "report": (6.2, {"attrs", "jinja2", "msgspec", "numpy"}),
    "show": (6, {"attrs", "msgspec"}),
    "session": (6.5, {"attrs", "trio", "msgspec"}),
    "torture": (6.8, {"attrs"}),
    "cli": (7, {"attrs", "click"}),
    "bench": (7, {"attrs", "trio", "msgspec", "pokerkit"}),  # to be compared with
}

# What a part must not know although the ranks would allow it.
FORBIDDEN = {
    "game": {"clock", "schedule", "scoring", "wire"},
    "clock": {"game", "schedule", "scoring", "wire"},
    "schedule": {"game", "clock", "scoring", "wire"},
    "scoring": {"game", "clock", "schedule", "wire"},
    "wire": {"game", "clock", "schedule", "scoring"},
    "games": {"clock", "schedule", "scoring", "wire", "units", "strict"},
    "sdk": {"game", "clock", "schedule", "scoring"},
    "players": {"scoring", "games"},
    "referee": {"scoring", "games", "wire", "plan", "entrants", "store"},
    "store": {"players", "referee", "games", "wire"},
    "analysis": {"games", "referee", "players", "wire", "game"},
}


def modules() -> list[Path]:
    return sorted(ARENA.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "arena"


def imported(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports are absolute"
            assert node.module is not None
            if node.module == "arena":
                found |= {f"arena.{alias.name}" for alias in node.names}
            else:
                found.add(node.module)
    return found


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_point_down(path: Path) -> None:
    """A module imports lower ranks, its own part, and the third-party packages of its part; nothing else."""
    part = part_of(name_of(path))
    rank, allowed = RANKS[part]
    for name in imported(path):
        top = name.split(".")[0]
        if top == "arena":
            other = part_of(name)
            assert (
                other == part
                or RANKS[other][0] < rank
                or (other in RANKS and RANKS[other][0] == rank and rank in (1, 3, 4))
            ), f"{name_of(path)} (rank {rank}) imports {name} (rank {RANKS[other][0]})"
            assert other not in FORBIDDEN.get(part, set()), (
                f"{part} must not know {other}, but {name_of(path)} imports {name}"
            )
        elif top not in sys.stdlib_module_names:
            assert top in allowed, f"{part} may not use {top}, but {name_of(path)} does"


def test_no_game_is_named_outside_its_file() -> None:
    """Nothing but the registry and the game itself knows a game by name: no `if game == …` in the house.

    Only the plan has one: which game is played when none is said.
    """
    names = {"liars-dice", "liars_dice", "LiarsDice", "blef", "bluff", "holdem", "chamber"}
    named = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            said = (
                {getattr(node, "value", None), getattr(node, "id", None), getattr(node, "attr", None)}
                if not isinstance(node, ast.Expr)
                else set()
            )
            if any(isinstance(word, str) and word in names for word in said):
                named.add(part_of(name_of(path)))
    reserved_word = {"wire"}  # `bluff` is a move there, and nobody can be called so
    assert {"games", "plan"} | reserved_word == named


def test_the_middle_is_pure() -> None:
    """Games, schedules, clocks, scores and the wire read no clock, draw no luck of their own and open nothing."""
    for path in modules():
        if part_of(name_of(path)) in {"game", "games", "schedule", "scoring", "clock", "wire"}:
            impure = imported(path) & {
                "time",
                "datetime",
                "socket",
                "os",
                "io",
                "pathlib",
                "secrets",
                "trio",
                "sqlite3",
            }
            assert not impure, f"{name_of(path)} imports {impure}"


def test_no_module_outgrows_its_subject() -> None:
    """A file past 400 lines has a second subject; the longest may be a little more."""
    long = {name_of(path): lines for path in modules() if (lines := len(path.read_text().splitlines())) > 520}
    assert not long, f"split these: {long}"
