"""The house rules, as laws: who may import whom, no circles, a pure middle, no game's name outside its folder.

Who may import whom stands in one place, the table of rooms in arena/README.md; these tests read it there.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent
ARENA = HOUSE / "arena"

BESIDE_MAX = 25
LINES_MAX = 400
LONGER: dict[str, str] = {}
"""Modules that are longer than `LINES_MAX`, each with the reason."""

CLOCKS_AND_FILES = frozenset(
    (
        "time",
        "datetime",
        "socket",
        "os",
        "io",
        "pathlib",
        "secrets",
        "trio",
        "sqlite3",
        "subprocess",
        "threading",
        "uuid",
    )
)
"""What no pure room imports."""


@cache
def modules() -> list[Path]:
    return sorted(ARENA.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "arena"


class Room:
    """A row of the table."""

    def __init__(self, cells: list[str]) -> None:
        name, self.does, may, others = cells
        self.is_pure = "pure" in re.split(r"\W+", self.does.lower())
        self.name = name.strip("`/ ")
        self.may = frozenset(re.findall(r"`(\w+)", may))
        self.packages = frozenset(re.findall(r"`(\w+)`", others))


def rooms() -> dict[str, Room]:
    """The table of rooms in arena/README.md."""
    text = (ARENA / "README.md").read_text()
    rows = [
        line.strip("| ").split(" | ")
        for line in text.splitlines()
        if re.match(r"\| `\w+/?` \|.*\|.*\|", line)
    ]
    found = {room.name: room for room in (Room(cells) for cells in rows if len(cells) == 4)}
    assert len(found) > 15, "arena/README.md has no table of rooms"
    return found


ROOMS = rooms()


def imports_of(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(module, name or nothing) of every import, wherever in a file: in functions and for type checkers too.

    Also of `import_module("…")` and `__import__("…")`, of an f-string what it begins with.
    """
    callers = {"import_module", "__import__"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "importlib":
            callers |= {alias.asname for alias in node.names if alias.asname and alias.name in callers}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in callers:
            yield from called_imports(node)
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            yield from ((node.module, alias.name) for alias in node.names)


def called_imports(call: ast.Call) -> Iterator[tuple[str, str]]:
    """What `imports_of` gives for one call; nothing if the name comes from a variable, which nobody can read here."""
    said = {"name": call.args[0]} if call.args else {}
    said |= {"fromlist": call.args[3]} if len(call.args) > 3 else {}
    said |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    name = said.get("name")
    if isinstance(name, ast.JoinedStr):
        name = name.values[0]
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        assert not name.value.startswith("."), "imports are absolute"
        listed = [each.value for each in getattr(said.get("fromlist"), "elts", ()) if hasattr(each, "value")]
        yield from ((name.value.rstrip("."), of) for of in listed or [""])


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import importlib\ndef f():\n    importlib.import_module('arena.cli')", ("arena.cli", "")),
        (
            "from importlib import import_module\nimport_module(name='arena.cli.group')",
            ("arena.cli.group", ""),
        ),
        ("from importlib import import_module as load\nload('time')", ("time", "")),
        ("from importlib import import_module\nimport_module(f'arena.games.{name}')", ("arena.games", "")),
        ("__import__('arena.cli')", ("arena.cli", "")),
        ("__import__('arena', fromlist=['cli'])", ("arena", "cli")),
        ("__import__('arena', None, None, ('cli',))", ("arena", "cli")),
    ],
)
def test_an_import_by_a_call_is_read(code: str, found: tuple[str, str]) -> None:
    """The laws cannot be walked round with a name in quotes; a name in a variable cannot be read."""
    assert found in imports_of(ast.parse(code))
    assert [("importlib", "")] == list(
        imports_of(ast.parse("import importlib\nimportlib.import_module(name)"))
    )


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def trees() -> dict[str, ast.Module]:
    return {name_of(path): tree_of(path) for path in modules()}


def graph(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Each module and the modules of the house that it imports."""
    found: dict[str, set[str]] = {}
    for module, tree in trees.items():
        named = {f"{of}.{name}" if f"{of}.{name}" in trees else of for of, name in imports_of(tree)}
        found[module] = {other for other in named if other in trees} - {module}
    return found


def test_every_room_is_in_the_table() -> None:
    """The table names all rooms and no others."""
    there = {room_of(name_of(path)) for path in modules()} - {"arena"}
    assert there == ROOMS.keys()


def modules_of(room: str) -> list[Path]:
    return [path for path in modules() if room_of(name_of(path)) == room]


@pytest.mark.parametrize("name", ROOMS)
def test_modules_import_what_their_room_may(name: str) -> None:
    """Their own room, the rooms that the table names for it, and the third-party packages named there; nothing else."""
    not_allowed = [each for path in modules_of(name) for each in not_allowed_in(path, ROOMS[name])]
    assert [] == not_allowed


def not_allowed_in(path: Path, room: Room) -> Iterator[str]:
    """What a module imports though its room may not, each in a sentence."""
    for name, of in imports_of(tree_of(path)):
        top = name.split(".")[0]
        if top == "arena":
            is_inner = name == "arena" and of and ((ARENA / of).exists() or (ARENA / f"{of}.py").exists())
            other = room_of(f"arena.{of}" if is_inner else name)
            is_allowed = other in {room.name, "arena", *room.may}
        else:
            is_allowed = top in sys.stdlib_module_names or top in room.packages
        if not is_allowed:
            yield f"{name_of(path)} imports {name}, which {room.name} may not"


def test_the_table_points_one_way() -> None:
    """No room may import one that may import it, by however many steps: a table that allows circles is no order."""
    may = {name: set(room.may) for name, room in ROOMS.items()}
    assert [] == circles(may)


@pytest.mark.slow
def test_no_module_imports_itself_by_others() -> None:
    """No circle of modules, also by imports inside functions."""
    assert [] == circles(graph(trees()))


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of names that all reach each other."""
    reach: dict[str, set[str]] = {}
    for name in arrows:
        seen, open_ = set[str](), [name]
        while open_:
            for other in arrows.get(open_.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    open_.append(other)
        reach[name] = seen
    found = {
        tuple(sorted(other for other in reach[name] if name in reach.get(other, ())))
        for name in arrows
        if name in reach[name]
    }
    return [list(circle) for circle in sorted(found)]


def test_a_circle_is_found() -> None:
    """The search itself, where there is one."""
    assert [["a", "b"]] == circles({"a": {"b"}, "b": {"a", "c"}, "c": set()})


@pytest.mark.parametrize("name", [name for name, room in ROOMS.items() if room.is_pure])
def test_the_middle_is_pure(name: str) -> None:
    """Rooms that the table calls pure read no clock, open nothing and have no luck of their own."""
    found = {name_of(path): impurities(tree_of(path)) for path in modules_of(name)}
    assert {module: [] for module in found} == found


def impurities(tree: ast.Module) -> list[str]:
    """What makes a module impure; a `Random` that is given, or made of a seed, does not."""
    found = [name for name, _ in imports_of(tree) if name.split(".")[0] in CLOCKS_AND_FILES]
    found += [
        f"random.{of}" for name, of in imports_of(tree) if name == "random" and of not in ("", "Random")
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "random" and node.attr != "Random":
            found.append(f"random.{node.attr}")
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == "Random" and not node.args and not node.keywords:
                found.append("Random() without a seed")
            if called in ("SystemRandom", "open", "input", "print") and isinstance(node.func, ast.Name):
                found.append(called)
    return found


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import time", "time"),
        ("def f():\n    from os import environ", "os"),
        ("import random\nrandom.shuffle([])", "random.shuffle"),
        ("from random import choice", "random.choice"),
        ("from random import Random\nRandom()", "Random() without a seed"),
        ("import random\nrandom.SystemRandom()", "random.SystemRandom"),
        ("open('x')", "open"),
        ("__import__('time').time()", "time"),
    ],
)
def test_what_is_impure_is_found(code: str, what: str) -> None:
    """Each of these would make a room impure."""
    assert what in impurities(ast.parse(code))
    assert [] == impurities(
        ast.parse("from random import Random\nRandom(5).random()\ndef f(rng): return rng.choice([])")
    )


@pytest.mark.slow
def test_no_game_is_named_outside_its_folder() -> None:
    """Nothing but the registry and the game itself knows a game by name: no `if game == …` in the house.

    Only the plan has one: which game is played when none is said.
    """
    folders = [path for path in (ARENA / "games").iterdir() if (path / "__init__.py").exists()]
    classes = {
        node.name
        for path in folders
        for node in ast.walk(ast.parse((path / "rules.py").read_text()))
        if isinstance(node, ast.ClassDef) and any("Game" in ast.unparse(base) for base in node.bases)
    }
    assert len(classes) >= len(folders) > 0
    names = {path.name for path in folders} | {path.name.replace("_", "-") for path in folders} | classes
    named = set()
    for module, tree in trees().items():
        for node in ast.walk(tree):
            said = (
                {getattr(node, "value", None), getattr(node, "id", None), getattr(node, "attr", None)}
                if not isinstance(node, ast.Expr)
                else set()
            )
            if any(isinstance(word, str) and word in names for word in said):
                named.add(module if room_of(module) != "games" else "games")
    assert {"games", "arena.tournament.plan.model"} == named


HOLDS_WORDS_OF = {
    "arena.bench.machine": "git",
    "arena.bench.runner": "arena",  # its own, as a program: `python -m arena.bench.runner`
    "arena.box.bubblewrap": "bubblewrap",
    "arena.box.causes": "podman and docker",
    "arena.box.guard": "bubblewrap",
    "arena.ladder.machine": "interpreters and compilers",
    "arena.starter.folder": "arena",  # the commands that a new bot's README explains
    "arena.starter.languages": "node and cargo",
    "arena.tournament.bots.repository": "git",
    "arena.tournament.bots.revisions": "git",
    "arena.trials.torture.boxes": "arena",  # it starts itself again, as another user
    "arena.trials.torture.trial": "arena",  # it starts the runs that are tortured
    "arena.trials.torture.user": "setpriv, unshare and mount",
}
"""The modules outside of `cli` with options in them -> the programs that take these, as the module starts them
or says how people do."""

ALSO_OTHERS = {"--quiet", "--version"}
"""Options of ours that programs of others have too."""


def test_only_the_command_line_knows_how_a_setting_is_typed() -> None:
    """Docstrings, comments and messages name settings; `cli` says which option that is.

    An error has the setting that is wrong, and those that are ways out, as data: `ConfigError`.
    """
    found = {
        name_of(path): options
        for path in modules()
        if room_of(name_of(path)) != "cli" and (options := options_in(path.read_text()))
    }
    assert HOLDS_WORDS_OF.keys() == found.keys(), {
        module: found.get(module) for module in sorted(HOLDS_WORDS_OF.keys() ^ found.keys())
    }
    ours = our_options() - ALSO_OTHERS
    assert {} == {
        module: options & ours
        for module, options in found.items()
        if HOLDS_WORDS_OF[module] != "arena" and options & ours
    }


def options_in(source: str) -> set[str]:
    """What looks like an option in the source of a module; one that is made of a name counts as `--{`."""
    return set(re.findall(r"(?<![\w!-])--(?:[a-z][a-z0-9-]*|\{)", source))


def our_options() -> set[str]:
    """The options of all commands."""
    from command_tree import all_commands

    return {name for command in all_commands().values() for param in command.params for name in param.opts}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('def f():\n    """What `--x-y` says."""', {"--x-y"}),
        ("x = 1  # as --fresh does", {"--fresh"}),
        (
            'raise ConfigError("it is there: --fresh starts over, --out DIR plays elsewhere")',
            {"--fresh", "--out"},
        ),
        ('f"--{key}: found {value}"', {"--{"}),
        ('f"use {program} --seed"', {"--seed"}),
        ('["git", "log", "--", path]  # --- a line ---', set()),
        ('"a -- b, a--b, <!--x-->"', set()),
    ],
)
def test_an_option_in_a_text_is_found(code: str, found: set[str]) -> None:
    """Wherever it stands: in a docstring, a comment, a message, or made of a name."""
    assert found == options_in(code)


def test_no_module_outgrows_its_subject() -> None:
    """A module past 400 lines has a second subject; those that are longer are named above, with a reason."""
    long = {
        name_of(path): lines
        for path in modules()
        if (lines := len(path.read_text().splitlines())) > LINES_MAX
    }
    assert long.keys() == LONGER.keys(), f"longer than {LINES_MAX} lines: {long}"


def test_a_folder_can_be_looked_over() -> None:
    """At most so many modules lie side by side; more are rooms that have not been told apart."""
    beside = Counter(path.parent for path in modules() if not path.name.startswith("__"))
    crowded = {
        str(folder.relative_to(HOUSE)): count for folder, count in beside.items() if count > BESIDE_MAX
    }
    assert {} == crowded


def test_a_public_class_has_a_name_of_its_own() -> None:
    """One word, one thing: no two classes of the house are called the same, but for those of games among themselves.

    A game's `State` or `Player` is its own affair; nobody outside its folder imports it.
    """
    places: dict[str, list[str]] = {}
    for module, tree in trees().items():
        if room_of(module) != "games":
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places.setdefault(node.name, []).append(module)
    assert {} == {name: found for name, found in places.items() if len(found) > 1}


ALIKE = {
    "main": "where a process begins",
    "pairings": "a format's module ends with the functions of its FormatKind",
    "refusal": "as pairings",
    "size": "as pairings",
    "sample_state": "each game's states that fit what a seat knows",
    "tell_event": "each game's sentences",
    "tell_mark": "as tell_event",
    "tell_move": "as tell_event",
    "tell_seen": "as tell_event",
    "tell_why": "as tell_event",
}
"""The public functions that several modules define, each with the reason."""


def test_a_public_function_has_a_name_of_its_own() -> None:
    """No two modules define a public function of the same name, but for those of `ALIKE`.

    Commands do not count: they are called as they are typed, and nothing imports them.
    """
    alike = {name for name, places in functions(trees()).items() if len(places) > 1}
    assert ALIKE.keys() == alike, {name: functions(trees())[name] for name in sorted(ALIKE.keys() ^ alike)}


def functions(trees: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """The public functions at the top of modules, without commands, each with the modules that define it."""
    places: dict[str, list[str]] = {}
    for module, tree in trees.items():
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
                continue
            if not any(".command(" in ast.unparse(each) for each in node.decorator_list):
                places.setdefault(node.name, []).append(module)
    return places


def test_functions_of_one_name_are_found() -> None:
    """Public ones of the top level, whether they wait or not."""
    code = ast.parse(
        "def one(): ...\nasync def two(): ...\ndef _own(): ...\nclass C:\n    def inner(self): ..."
    )
    assert {"one": ["a", "b"], "two": ["a", "b"]} == functions({"a": code, "b": code})


def test_no_module_is_named_after_nothing() -> None:
    """A module's name says its subject."""
    vague = {"utils", "util", "common", "core", "manager", "misc", "helpers"}
    assert not [module for module in map(name_of, modules()) if module.rsplit(".", 1)[-1] in vague]


def test_a_name_of_three_files_or_more_is_explained() -> None:
    """The README says what each file of that name is; only the games have the same names for the same parts."""
    places = defaultdict(list)
    for path in modules():
        if path.stem not in ("__init__", "__main__") and path.relative_to(ARENA).parts[0] != "games":
            places[path.stem].append(path.parent.relative_to(ARENA).as_posix())
    shared = {name: folders for name, folders in places.items() if len(folders) > 2}
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", (ARENA / "README.md").read_text(), re.MULTILINE))
    assert shared
    missing = [
        f"{at}/{name}" for name, ats in shared.items() for at in ats if f"`{at}`" not in rows.get(name, "")
    ]
    assert not missing, f"no word in arena/README.md: {', '.join(missing)}"


def test_the_glossary_has_one_row_a_word() -> None:
    """Each word stands once in the table of words, with what it means."""
    text = (ARENA / "README.md").read_text()
    rows = re.findall(
        r"^\| ([a-z, ]+) \| ([^|]+) \| ([^|]*) \|$", text[text.index("## Words") :], re.MULTILINE
    )
    words = [word for said, _, _ in rows for word in said.split(", ")]
    assert len(words) > 25
    assert len(words) == len(set(words))
