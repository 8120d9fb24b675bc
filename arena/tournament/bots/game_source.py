"""Finds the game that a word names: a built-in one, the class in a .py file, or module:Class.

A game's code runs in the arena's own process.  So finding and importing are two steps: `locate` reads files
and takes their fingerprint, and `load_game` imports these very files or none.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, TypeGuard

import attrs

from arena.errors import ConfigError, Hint
from arena.games import GAMES
from arena.match.game import Game
from arena.reading.strict import did_you_mean, place, read_regular
from arena.reading.units import shown
from arena.tournament.bots.fingerprints import FILES_BYTES_MAX, fingerprint_of, sources
from arena.tournament.bots.modules import module_file
from arena.words import listed

GameClass: TypeAlias = type[Game[Any, Any]]

EXPECTED = "a .py file or module:Class"


@attrs.frozen
class Origin:
    """Where a game that is not built in comes from."""

    file: Path
    """The source with its class, absolute."""
    module: str
    """The dotted name it was found by; empty if it was named as a file."""
    cls: str
    """The name of its class; empty if that is the only one in the file."""
    fingerprint: str
    """Fingerprint of the file or, for a module in a package, of all files of the package."""


@attrs.frozen
class Source:
    """A game that can be played, and where it comes from."""

    cls: GameClass
    origin: Origin | None = None
    """Where it comes from; None: it is built in."""


def find_game(word: str) -> Source:
    """The game that a word names, imported.  Raises ConfigError if there is none or it cannot be played."""
    if word in GAMES:
        return Source(GAMES[word])
    return load_game(locate(word))


def placed(word: str, base: Path) -> str:
    """The word in a form that means the same anywhere: its paths are taken from `base`.  Pure."""
    return str(base / place(word)) if names_files(word) else word


def as_kept(origin: Origin) -> dict[str, str]:
    """The origin in JSON's types."""
    return {**attrs.asdict(origin), "file": str(origin.file)}


def recalled(name: str, kept: object, folder: Path, *, ask: Sequence[Hint]) -> Source:
    """The game that a results folder was played with, imported if its files are still the same.

    The folder may be somebody else's: what it names is imported only if that very content is at that very
    place, and not in the folder itself.  Otherwise raises ConfigError, with the ways out `ask`.
    """
    if name in GAMES:
        return Source(GAMES[name])
    try:
        origin = origin_from(kept)
        if origin.file.resolve().is_relative_to(folder.resolve()):
            raise ConfigError(
                f"{origin.file} is inside the results folder, and code from there is not run unasked"
            )
        return load_game(origin)
    except ConfigError as error:
        raise ConfigError(f"{folder} was played with {name}, but {error}", hints=ask) from None


def origin_from(kept: object) -> Origin:
    """The origin from what `as_kept` returned.  Raises ConfigError for anything else."""
    keys = [field.name for field in attrs.fields(Origin)]
    if not isinstance(kept, Mapping) or not all(isinstance(kept.get(key), str) for key in keys):
        raise ConfigError("it does not say where that game comes from")
    origin = Origin(**{key: kept[key] for key in keys} | {"file": Path(kept["file"])})
    if not origin.file.is_absolute() or not _is_module_of(origin.file, origin.module):
        raise ConfigError("it does not say where that game comes from")
    return origin


def _is_module_of(file: Path, module: str) -> bool:
    """Whether a module of this name can be this file, so that importing the module runs the file."""
    place = file.parent if file.name == "__init__.py" else file.with_suffix("")
    return file.suffix == ".py" and (
        not module or place.parts[1:][-module.count(".") - 1 :] == (*module.split("."),)
    )


def locate(word: str) -> Origin:
    """Where to find the game that a word names; imports nothing.  Raises ConfigError if there is none."""
    if not names_files(word):
        known = ", ".join(GAMES)
        raise ConfigError(
            f"there is no game {word!r}{did_you_mean(word, GAMES)}; known: {known}, or {EXPECTED}"
        )
    path, cls = _split(word)
    where = Path(os.path.abspath(place(path)))
    if where.suffix == ".py":
        return Origin(where, "", cls, _fingerprint(where, ""))
    if not cls or not all(part.isidentifier() for part in where.name.split(".")):
        raise ConfigError(f"{where}{':' if cls else ''}{cls} is not a game: expected {EXPECTED}")
    found = module_file(where.name, where.parent)
    if found is None:
        raise ConfigError(f"{word}: no module {where.name} in {where.parent} or among the installed ones")
    file = Path(os.path.abspath(found[0]))
    return Origin(file, where.name, cls, _fingerprint(file, where.name))


def names_files(word: str) -> bool:
    """Whether the word means a file or a module: no built-in game has such a name."""
    return word not in GAMES and bool(re.search(r"[:/]|\.py$", word))


def _split(word: str) -> tuple[str, str]:
    """The part before `:Class`, and the class if there is one."""
    path, colon, cls = word.rpartition(":")
    return (path, cls) if colon and cls.isidentifier() else (word, "")


def files_of(origin: Origin) -> dict[str, Path]:
    """The files that the origin's fingerprint covers, by path below the folder where its module starts."""
    root = _root_of(origin.file, origin.module)
    files = _sources_of(origin.file, origin.module).values()
    return {path.relative_to(root).as_posix(): path for path in files}


def moved_to(origin: Origin, root: Path) -> Origin:
    """The same game, with its files below this folder."""
    below = origin.file.relative_to(_root_of(origin.file, origin.module))
    return attrs.evolve(origin, file=root / below)


def _fingerprint(file: Path, module: str) -> str:
    """The fingerprint of the file alone, or of its whole package."""
    return fingerprint_of((name, _read(path)) for name, path in _sources_of(file, module).items())


def _sources_of(file: Path, module: str) -> dict[str, Path]:
    """The file alone, or all files of the package that its module is in, by their names there."""
    package = _package_of(file, module)
    return {"": file} if package is None else {name: package / name for name in sources(package, skipped=())}


def _read(file: Path) -> bytes:
    try:
        return read_regular(file, FILES_BYTES_MAX)
    except FileNotFoundError:
        raise ConfigError(f"there is no file {file}") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from None


def _package_of(file: Path, module: str) -> Path | None:
    """The folder of the outermost package that contains the module; None if it is a file by itself."""
    root = _root_of(file, module)
    for folder in reversed(file.parents):
        if module and folder != root and folder.is_relative_to(root) and (folder / "__init__.py").is_file():
            return folder
    return None


def _root_of(file: Path, module: str) -> Path:
    """The folder at which the module's name starts."""
    depth = module.count(".") + (file.name == "__init__.py")
    return file.parents[min(depth, len(file.parents) - 1)]


def load_game(origin: Origin) -> Source:
    """The game in these files.  Raises ConfigError if they have changed, or are not a game."""
    module = _module(origin) if origin.module else _module_of_file(origin)
    cls = _class_in(module, origin)
    _check(cls, origin.file)
    return Source(cls, attrs.evolve(origin, cls=cls.__name__))


def _module_of_file(origin: Origin) -> ModuleType:
    """Runs the file as a module.  A game of several files is a package, so that all of them count."""
    name = f"arena_game_{origin.fingerprint}"  # attrs and typing look classes up in `sys.modules`
    if name in sys.modules:
        return sys.modules[name]
    source = _read(origin.file)
    _check_same(origin, fingerprint_of([("", source)]))  # of the very bytes that are run
    with _told(origin):
        code = compile(source, str(origin.file), "exec", dont_inherit=True)
        module = sys.modules[name] = ModuleType(name)
        module.__file__ = str(origin.file)
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
    return module


def _module(origin: Origin) -> ModuleType:
    """Imports the module from where it was found, and makes nothing else in that place importable."""
    import importlib
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    _check_same(origin, _fingerprint(origin.file, origin.module))
    top, root = origin.module.partition(".")[0], _root_of(origin.file, origin.module)
    if not _is_loaded_from(root, top):
        raise ConfigError(f"{origin.file} cannot be imported: another module is called {top}")
    with _told(origin):
        importlib.invalidate_caches()
        if top not in sys.modules:
            spec = PathFinder.find_spec(top, [str(root)])
            assert spec is not None, f"{origin.file} was just there"
            package = sys.modules[top] = module_from_spec(spec)
            try:
                if spec.loader is not None:
                    spec.loader.exec_module(package)
            except BaseException:
                del sys.modules[top]
                raise
        return importlib.import_module(origin.module)


def _is_loaded_from(root: Path, top: str) -> bool:
    """Whether the module of this name, if one is loaded, comes from this folder."""
    loaded = sys.modules.get(top)
    places = [*getattr(loaded, "__path__", ()), getattr(loaded, "__file__", None)]
    return loaded is None or any(place and Path(place).resolve().parent == root.resolve() for place in places)


def _check_same(origin: Origin, fingerprint: str) -> None:
    if fingerprint != origin.fingerprint:
        raise ConfigError(f"{origin.file} has changed since")


@contextmanager
def _told(origin: Origin) -> Iterator[None]:
    """Turns what somebody's module raises on import into a sentence about that module."""
    try:
        yield
    except SyntaxError as error:
        raise ConfigError(f"{error.filename or origin.file}, line {error.lineno or 1}: {error.msg}") from None
    except (Exception, SystemExit) as error:  # someone else's code: whatever it raises, it is no game
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(origin.file)
        ]
        where = f", line {lines[-1]}" if lines else ""
        # by `traceback`, because str(error) is that module's code too
        said = " ".join(traceback.format_exception_only(error)[-1].split())
        raise ConfigError(f"{origin.file}{where}, cannot be imported: {said}") from None


def _class_in(module: ModuleType, origin: Origin) -> GameClass:
    """The class that was named, or the only one that the file defines."""
    games = {
        name: value
        for name, value in vars(module).items()
        if _is_game(value) and value.__module__ == module.__name__ and name == value.__name__
    }
    if origin.cls:
        found = getattr(module, origin.cls, None)
        if found is None:
            raise ConfigError(f"{origin.file} has no class {origin.cls}; its games: {listed(games)}")
        if not _is_game(found):
            raise ConfigError(
                f"{origin.cls} in {origin.file} is not a game: it does not derive from arena.game.Game"
            )
        return found
    complete = [name for name, cls in games.items() if not inspect.isabstract(cls)] or [*games]
    if not complete:
        raise ConfigError(f"{origin.file} contains no game: no class in it derives from arena.game.Game")
    if len(complete) > 1:
        which = f"{origin.file}:{complete[0]}"
        raise ConfigError(
            f"{origin.file} contains {len(complete)} games, {listed(complete)}: choose one, such as {which}"
        )
    return games[complete[0]]


def _is_game(value: object) -> TypeGuard[GameClass]:
    return isinstance(value, type) and issubclass(value, Game) and value is not Game


_SAID: Mapping[str, tuple[type, str]] = {
    "name": (str, "a text"),
    "title": (str, "a text"),
    "version": (int, "a whole number from 1"),
    "seats": (range, "a range such as range(2, 11)"),
    "rated_by": (str, '"ranks" or "returns"'),
    "moves": (tuple, "the classes of its moves"),
}
"""What a game declares about itself -> the type that it must have, and that type in words."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _check(cls: GameClass, file: Path) -> None:
    """Raises ConfigError if no match can begin.  Does not repeat the checks of `check_game`."""
    who = f"{cls.__name__} in {file}"
    if inspect.isabstract(cls):
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        raise ConfigError(f"{who} is incomplete: it does not define {listed(missing)}")
    for key, (kind, expected) in _SAID.items():
        value = getattr(cls, key, None)
        if (
            not isinstance(value, kind)
            or not value
            or (key == "rated_by" and value not in ("ranks", "returns"))
        ):
            raise ConfigError(f"{who}: {key}: found {shown(value)}, expected {expected}")
    if cls.name in GAMES:
        raise ConfigError(f"{who} has the name of a built-in game, {cls.name}: give it another one")
    if not _NAME.fullmatch(cls.name) or len(cls.name) > 40:
        raise ConfigError(
            f"{who}: name: found {shown(cls.name)}, expected up to 40 lower-case letters, digits and hyphens"
        )
