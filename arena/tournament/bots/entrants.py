"""Finds a bot: from what the user said about it to everything needed to start it.

Reads files and starts nothing.  A spec is `[NAME=]SPEC`, and SPEC the first of these that it can be: a
folder with `bot.toml` or a program called `bot`, such as `bot.py`; a `.py` or `.js` file; the name of a
built-in bot; `module:Class` for a bot in this process; a command line.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Sequence
from itertools import count, islice
from pathlib import Path

import attrs

import arena
from arena.errors import ConfigError, Hint
from arena.players.entrant import Argv, Entrant
from arena.reading.strict import did_you_mean
from arena.reading.units import shown
from arena.store import DATABASE
from arena.tournament.bots.fingerprints import fingerprint
from arena.tournament.bots.modules import module_file
from arena.tournament.bots.recipe import recipe_in
from arena.words import listed

NAMES_MAX = 10_000
"""How many names in a folder are looked at to see what it is."""


class NoBot(ConfigError):
    """A spec that leads to no bot."""

    def __init__(
        self, message: str, about: str, *, is_missing: bool = False, hints: Iterable[Hint] = ()
    ) -> None:
        """`about`: the message without the spec, for lists that show it; `is_missing`: there is nothing."""
        super().__init__(message, hints=hints)
        self.about, self.is_missing = about, is_missing


def resolve(spec: str, *, base: Path, name: str | None = None) -> Entrant:
    """The bot that a spec names; relative paths start at `base`.

    If `name` is given, the spec has no `NAME=`.  Raises ConfigError if there is no such
    bot, or its files are wrong.
    """
    said = spec
    name, spec = name_and_spec(spec, base=base, name=name)
    if not spec.strip():
        raise ConfigError(f"found {shown(said)}, expected a bot: {_A_BOT}")
    entrant = attrs.evolve(_find(spec, base.absolute()), path=spec)
    if name is not None:
        entrant = attrs.evolve(entrant, name=name)
    return attrs.evolve(_checked(entrant, said), fingerprint=fingerprint(entrant))


def name_and_spec(spec: str, *, base: Path, name: str | None = None) -> tuple[str | None, str]:
    """The parts of `[NAME=]SPEC`; with a `name`, or if a file has that path, all of it is SPEC."""
    if name is not None or os.path.exists(_place(spec, base)):
        return name, spec
    return _split_name(spec)


def bot_at(place: Path, where: Path | None = None) -> Entrant | None:
    """The bot that a path alone leads to, under the name its files give it; None if there is none.

    `where` names it in messages.  Raises ConfigError if its bot.toml is wrong, or its folder has several
    programs called `bot`.
    """
    if os.path.isfile(place / "bot.toml"):
        return _from_folder(place, where)
    if os.path.isdir(place):
        try:
            programs = _programs_called_bot(place, names_in(place))
        except OSError:
            programs = []
        if len(programs) > 1:
            raise ConfigError(
                f"found {listed(programs)}, expected one of them, or bot.toml to say which runs"
            )
        return program_at(place / programs[0], folder=place) if programs else None
    if os.path.isfile(place) and place.suffix in _RUNNERS:
        return program_at(place)
    return None


def names_of_bots(place: Path) -> list[str]:
    """The names in a folder that is no bot itself, not even one with a mistake; nothing anywhere else."""
    if not os.path.isdir(place) or os.path.isfile(place / "bot.toml"):
        return []
    try:
        names = names_in(place)
    except OSError:
        return []
    return [] if _programs_called_bot(place, names) else names


def can_run(file: Path) -> bool:
    """Whether the arena knows how to run this file: by its suffix, or because it is a program."""
    if file.suffix in _RUNNERS:
        return os.path.isfile(file)
    return os.path.isfile(file) and os.access(file, os.X_OK) and not _lacks_interpreter(file)


def why_not_run(file: Path) -> str:
    """Why a file in a folder of bots cannot be run, and what to do, as a clause about it."""
    suffix = file.suffix.lower()
    if suffix in _COMPILED:
        return "it must be compiled first: put it into a folder with bot.toml, whose build compiles it"
    if suffix in _INTERPRETERS and os.access(file, os.X_OK):
        return f'it does not say what runs it: begin it with "#!/usr/bin/env {_INTERPRETERS[suffix]}"'
    return "it cannot be run: chmod +x, or put it into a folder with a bot.toml that says how to run it"


def program_at(file: Path, *, folder: Path | None = None) -> Entrant:
    """The bot in one file that can be run, named after it, or after its `folder` if it has one to itself."""
    runner, language = _RUNNERS.get(file.suffix, ("", ""))
    return _process(
        file.stem if folder is None else folder.resolve().name,
        (runner, file.name) if runner else (f"./{file.name}",),
        folder=file.parent,
        files=(file,) if folder is None else None,
        language=language,
    )


def names_in(folder: Path) -> list[str]:
    """The names in a folder, sorted; at most NAMES_MAX of them.  Raises OSError if it cannot be read."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, NAMES_MAX))


def remote(name: str) -> Entrant:
    """A bot that connects by itself and is recognised by its token."""
    return _checked(Entrant(name=name, kind="remote"), name)


def builtin_bots() -> dict[str, Path]:
    """The folders of the bots that come with the arena, by name."""
    found = (path.parent for path in sorted(_bots_folder().glob("*/bot.toml")))
    return {folder.name: folder for folder in found if folder.name != "misbehaving"}


def _bots_folder() -> Path:
    folder = Path(arena.__file__).parent / "_bots"
    return folder if folder.is_dir() else folder.parents[1] / "bots"


def unique_names(entrants: Iterable[Entrant]) -> tuple[Entrant, ...]:
    """The entrants in their order; the second one named `odds` becomes `odds-2`, and so on."""
    entrants = tuple(entrants)
    taken = {entrant.name for entrant in entrants}
    seen: set[str] = set()
    unique = []
    for entrant in entrants:
        if entrant.name in seen:
            name = _free_name(entrant.name, taken)
            taken.add(name)
            entrant = attrs.evolve(entrant, name=name, own_name=entrant.name)
        seen.add(entrant.name)
        unique.append(entrant)
    return tuple(unique)


_NAMED = re.compile(r"""([^\s=/\\:'"]*)=(.*)""", re.DOTALL)
"""`NAME=SPEC`: no blank before the `=`, or `python3 bot.py depth=3` would be one, and no slash, for paths."""


def _split_name(spec: str) -> tuple[str | None, str]:
    match = _NAMED.fullmatch(spec)
    return (match[1], match[2]) if match else (None, spec)


def _checked(entrant: Entrant, said: str) -> Entrant:
    """The entrant, if its name is allowed."""
    from arena.wire.messages import check_name

    if reason := check_name(entrant.name):
        raise ConfigError(f"{shown(said)} cannot be called {shown(entrant.name)}: {reason}; use NAME=SPEC")
    return entrant


def _free_name(name: str, taken: Iterable[str]) -> str:
    """`name-2`, or the next one that nobody has, no longer than a name may be."""
    from arena.wire.messages import NAME_LENGTH_MAX

    for number in count(2):
        suffix = f"-{number}"
        free = name[: NAME_LENGTH_MAX - len(suffix)] + suffix
        if free not in taken:
            return free
    raise AssertionError("numbers do not end")


_A_BOT = "a folder with bot.toml or bot.py, a .py or .js file, a built-in bot, module:Class or a command"
_IN_A_FOLDER = "expected bot.toml, bot.py, bot.js or a program called bot"
_RUNNERS = {".py": ("python3", "Python"), ".js": ("node", "JavaScript")}
_LANGUAGES = {"python": "Python", "python3": "Python", "node": "JavaScript"}
_PATH = re.compile(r"\S*/\S*|\S+\.(?:py|js|toml)")
"""A spec that can only be meant as a path: one word with a slash, or with the suffix of a bot's file."""
_CALLED_BOT = re.compile(r"bot(?:\.[A-Za-z0-9]+)?")
_NEVER_RUN = re.compile(
    r".*\.(?:c|cc|class|cpp|cs|csv|go|h|hpp|html|ini|java|json|kt|log|md|o|rs|rst|toml|tsv|txt|ya?ml)",
    re.DOTALL,
)
"""Names of files that are never programs, even on a file system that lets everything be run."""
_TARGET = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def _place(spec: str, base: Path) -> Path:
    return base / os.path.expanduser(spec)


def _programs_called_bot(folder: Path, names: Iterable[str]) -> list[str]:
    """The files with these names that can be run and are called `bot`, whatever their suffix."""
    return [name for name in names if _is_called_bot(name) and can_run(folder / name)]


def _is_called_bot(name: str) -> bool:
    return bool(_CALLED_BOT.fullmatch(name)) and not _NEVER_RUN.fullmatch(name)


def _find(spec: str, base: Path) -> Entrant:
    """The bot, under the name its files give it."""
    place = _place(spec, base)
    if (found := bot_at(place, where=_shown(place, spec, base))) is not None:
        return found
    if spec in (builtin := builtin_bots()):
        return _from_folder(builtin[spec])
    if _TARGET.fullmatch(spec):
        return _from_module(spec, base)
    if os.path.isdir(place):
        raise no_bot_in(place, spec, f"{_IN_A_FOLDER}, or bots in it")
    if _PATH.fullmatch(spec) and not os.path.exists(place):
        missing = "there is no file or folder"
        raise NoBot(f"{missing} {shown(spec)}", f"{missing} of this name", is_missing=True)
    return _from_command(spec, base)


def _shown(folder: Path, spec: str, base: Path) -> Path:
    """A folder as messages name it: as the user did, or from here if it lies below."""
    here = Path.cwd()
    if base == here:
        return Path(spec)
    real = Path(os.path.normpath(folder))
    return real.relative_to(here) if real.is_relative_to(here) else real


def _from_folder(folder: Path, where: Path | None = None) -> Entrant:
    """The bot of a folder with bot.toml; `where` names the folder in messages."""
    recipe = recipe_in(folder, str((where or folder) / "bot.toml"))
    own = {"name": folder.resolve().name, "language": _language(recipe["run"])} | recipe
    return Entrant(kind="process", folder=folder, command=shlex.join(recipe["run"]), **own)


def _from_module(target: str, base: Path) -> Entrant:
    """The bot of a class; the module is looked for, not imported."""
    module, _, name = target.partition(":")
    found = module_file(module, base)
    if found is None:
        about = f"no module {module} in {base} or among the installed ones"
        raise NoBot(f"{target}: {about}", about, is_missing=True)
    file, is_own = found
    folder = base if is_own else None
    return Entrant(name=name, kind="local", language="Python", folder=folder, files=(file,), target=target)


def _from_command(line: str, base: Path) -> Entrant:
    """The bot of a command line, run in `base`."""
    try:
        program, *words = shlex.split(line)
    except ValueError as error:
        raise ConfigError(f"found {shown(line)}, expected a command: {error}") from None
    program = os.path.expanduser(program)
    own = base / program
    if os.path.isfile(own) and own.suffix in _RUNNERS:
        run: Argv = (_RUNNERS[own.suffix][0], program, *words)
    elif "/" not in program and shutil.which(program):
        run = (program, *words)
    elif os.path.isfile(own) and os.access(own, os.X_OK) and not _lacks_interpreter(own):
        run = (program if "/" in program else f"./{program}", *words)
    elif os.path.isfile(own):
        raise NoBot(f"{program} {(about := _how_to_run(program, words))}", f"it {about}")
    else:
        raise _no_such_bot(line)
    files = tuple(base / word for word in run if os.path.isfile(base / word))
    # `java -jar mine.jar` is called mine, `./mine table.txt` as well.
    called = own if own in files or not files else files[0]
    return _process(called.stem, run, folder=base, files=files, language=_language(run))


_INTERPRETERS = {
    ".cjs": "node",
    ".exs": "elixir",
    ".hs": "runghc",
    ".jar": "java -jar",
    ".java": "java",
    ".jl": "julia",
    ".lua": "lua",
    ".mjs": "node",
    ".php": "php",
    ".pl": "perl",
    ".r": "Rscript",
    ".rb": "ruby",
    ".rkt": "racket",
    ".scm": "guile",
    ".sh": "sh",
    ".tcl": "tclsh",
    ".ts": "npx tsx",
}
"""Suffix of a source file -> what may run it: for messages only, as there may be several."""
_COMPILED = frozenset((".c", ".cc", ".cpp", ".cs", ".cxx", ".d", ".f90", ".go", ".kt", ".nim", ".rs", ".zig"))


def _lacks_interpreter(file: Path) -> bool:
    """Whether the file is a script that does not say what runs it, so that the system cannot run it."""
    if file.suffix.lower() not in _INTERPRETERS:
        return False
    try:
        with file.open("rb") as script:
            return script.read(2) != b"#!"
    except OSError:
        return False


def _how_to_run(program: str, words: Sequence[str]) -> str:
    """Why a file cannot be run by itself, and what to say instead, as a clause about it."""
    suffix = os.path.splitext(program)[1].lower()
    if suffix in _COMPILED:
        return (
            "must be compiled first: give a folder with bot.toml, whose build compiles it and "
            "whose run starts the program"
        )
    if suffix in _INTERPRETERS:
        line = f"{_INTERPRETERS[suffix]} {shlex.join([program, *words])}"
        return f'cannot be run by itself: give the command that runs it, in quotes: "{line}"'
    return (
        "is neither a .py or .js file nor can it be run (chmod +x); "
        f'if a program runs it, give the command in quotes: "PROGRAM {shlex.join([program, *words])}"'
    )


def _process(name: str, run: Argv, *, folder: Path, files: tuple[Path, ...] | None, language: str) -> Entrant:
    command = shlex.join(run)
    return Entrant(
        name=name, kind="process", language=language, folder=folder, files=files, run=run, command=command
    )


def no_bot_in(folder: Path, said: str, expected: str = _IN_A_FOLDER) -> NoBot:
    """The error for a folder without a bot: what it is instead, and what was expected.

    `said`: how the user named the folder.
    """
    about = _instead_of_bot(folder, expected)
    hints = [Hint("resume", "continues it", said, command="run")] if os.path.isfile(folder / DATABASE) else []
    return NoBot(f"{said} is {about}", about, hints=hints)


def _instead_of_bot(folder: Path, expected: str) -> str:
    try:
        names = [name for name in names_in(folder) if not name.startswith(".")]
    except OSError as error:
        return f"a folder that cannot be read: {error.strerror or error}"
    if not names:
        return f"an empty folder, {expected}"
    if DATABASE in names:
        return "a results folder"
    for name in filter(_is_called_bot, names):
        if os.path.isfile(folder / name):
            return f"a folder whose {name} cannot be run: chmod +x, or say in bot.toml how to run it"
    found = listed([shown(name)[1:-1] for name in names], most=3)
    return f"a folder with nothing that can be run: found {found}, {expected}"


def _no_such_bot(said: str) -> ConfigError:
    bots, folder = tuple(builtin_bots()), _bots_folder() / said
    if "/" not in said and os.path.isdir(folder) and not os.access(folder, os.X_OK):
        return NoBot(about := f"{folder} cannot be read: Permission denied", about)
    why = did_you_mean(said, bots) or (
        f"; built-in bots are {listed(bots) if bots else 'missing'}, "
        "or give a folder with bot.toml or bot.py, a .py or .js file, module:Class or a command"
    )
    if len(words := said.replace(",", " ").split()) > 1 and all(word in bots for word in words):
        why = f"; these are {len(words)} bots, expected a word for each: {' '.join(words)}"
    return NoBot(f"no such bot: {said}{why}", f"no such bot{why}", is_missing=True)


def _language(run: Argv) -> str:
    """The language that a command suggests, or an empty text."""
    program = os.path.basename(run[0])
    return _LANGUAGES.get(program) or _RUNNERS.get(os.path.splitext(program)[1], ("", ""))[1]
