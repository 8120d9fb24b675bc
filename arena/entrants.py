"""Who takes part: from what the user said of a bot to all that is needed to start it.

Reads files and starts nothing.  A spec is `[NAME=]SPEC`, and SPEC the first of these that it can be: a
folder with `bot.toml`, a `.py` or `.js` file, the name of a built-in bot, `module:Class` for a bot in this
process, a command line.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeAlias

import attrs

from arena.errors import ConfigError
from arena.names import alike, told_apart
from arena.regular import read_regular
from arena.strict import (
    Reader,
    did_you_mean,
    duration,
    flag,
    listed,
    many,
    one_of,
    place,
    read_table,
    read_toml,
    text,
    whole,
)
from arena.units import shown, unexpected

Kind: TypeAlias = Literal["process", "local", "remote", "anonymous"]
Transport: TypeAlias = Literal["tcp", "stdio"]
Restart: TypeAlias = Literal["never", "series", "match"]

FILES_MAX, FILES_BYTES_MAX = 10_000, 100_000_000
"""All of a bot's files are read for its fingerprint before every run, which must not take minutes."""
CONNECT_S_MAX = 300.0
"""Loading a large model takes a minute or two; what takes longer holds up everybody else's tournament."""
_RECORD_BYTES_MAX = 10_000_000
"""What a build made, by name: some 100 bytes a file."""
UNVERSIONED = "0"
"""The version of a bot that names none."""

Argv = tuple[str, ...]


@attrs.frozen(kw_only=True)
class Entrant:
    """A bot that takes part."""

    name: str
    kind: Kind
    """The arena starts it; an object in this process; it connects, with a token or without."""
    version: str = UNVERSIONED
    language: str = ""
    folder: Path | None = None
    """Its working directory; for `module:Class` what `sys.path` must have, None if it has it already."""
    files: tuple[Path, ...] | None = None
    """What its fingerprint covers; None: all of the folder."""
    run: Argv = ()
    """The command that starts it, in its folder."""
    build: Argv = ()
    """The command that builds it, in its folder, if it must be built."""
    transport: Transport = "tcp"
    restart: Restart = "never"
    """When a fresh instance must play: only if the old one is gone, in every series, in every match."""
    instances_max: int | None = None
    """How many of it can live at once; None: as many as there are tables."""
    connect_s: float = 30.0
    """How long it may take to connect once it is started."""
    read: tuple[Path, ...] = ()
    """What it reads beside its folder, in a box where not everything can be read."""
    build_network: bool = False
    """Whether its build has the network in a strict box as well."""
    memory_mb: int = 2048
    """What all its processes together may hold in memory."""
    path: str = ""
    """What the user said."""
    command: str = ""
    """`run`, as one would type it."""
    games: tuple[str, ...] = ()
    """What it can play; empty: any game."""
    target: str = ""
    """`module:Class` of a bot in this process."""
    fingerprint: str = ""
    """Changes whenever its files do; empty for bots that connect."""


# From a spec to an entrant.


def resolve(spec: str, *, base: Path, name: str | None = None) -> Entrant:
    """The bot that a spec names; relative paths start at `base`.

    With `name` the spec has no `NAME=`.  Raises ConfigError when there is none, or its files are wrong.
    """
    said = spec
    if name is None and not os.path.exists(_place(spec, base)):
        name, spec = _split_name(spec)
    if not spec.strip():
        raise ConfigError(f"found {shown(said)}, expected a bot: {_A_BOT}")
    entrant = attrs.evolve(_find(spec, base.absolute()), path=spec)
    if name is not None:
        entrant = attrs.evolve(entrant, name=name)
    return attrs.evolve(_checked(entrant, said), fingerprint=fingerprint(entrant))


def remote(name: str) -> Entrant:
    """A bot that connects by itself, and is known by its token."""
    return _checked(Entrant(name=name, kind="remote"), name)


def anonymous(number: int) -> Entrant:
    """The `number`th (from 1) of the bots that connect, whoever it is; it may bring a name later."""
    return Entrant(name=f"bot-{number}", kind="anonymous")


def builtin_bots() -> dict[str, Path]:
    """The folders of the bots that come with the arena, by name."""
    home = Path(__file__).parent
    bots = next((folder for folder in (home / "_bots", home.parent / "bots") if folder.is_dir()), None)
    if bots is None:
        return {}
    found = (path.parent for path in sorted(bots.glob("*/bot.toml")))
    return {folder.name: folder for folder in found if folder.name != "misbehaving"}


def unique_names(entrants: Iterable[Entrant]) -> tuple[Entrant, ...]:
    """The entrants in their order; of those with one name the second becomes `odds-2`, and so on."""
    entrants = tuple(entrants)
    taken = {entrant.name for entrant in entrants}
    seen: set[str] = set()
    unique = []
    for entrant in entrants:
        name = entrant.name
        if name in seen:
            name = _free_name(name, taken)
            taken.add(name)
        seen.add(name)
        unique.append(attrs.evolve(entrant, name=name))
    return tuple(unique)


def check_apart(entrants: Iterable[Entrant]) -> None:
    """Raises ConfigError if people could take one of the bots for another."""
    for name, other in alike(entrant.name for entrant in entrants):
        raise ConfigError(f"{told_apart(name)} and {told_apart(other)} look alike: say NAME=SPEC")


def check_games(entrants: Iterable[Entrant], game: str) -> None:
    """Raises ConfigError if some of the bots do not play this game, naming all of them."""
    wrong = [entrant for entrant in entrants if entrant.games and game not in entrant.games]
    if wrong:
        others = "; ".join(f"{entrant.name} plays {listed(entrant.games)}" for entrant in wrong)
        raise ConfigError(f"{listed([entrant.name for entrant in wrong])} cannot play {game}: {others}")


def check_unchanged(entrants: Iterable[Entrant], known: Mapping[str, str]) -> None:
    """Raises ConfigError if the files of bots have changed since their fingerprints (by name) were taken."""
    changed = [bot.name for bot in entrants if bot.fingerprint != known.get(bot.name, bot.fingerprint)]
    if changed:
        raise ConfigError(f"{listed(changed)} changed since this run: --fresh or another --out")


# Fingerprints and builds.


def fingerprint(entrant: Entrant) -> str:
    """32 hexadecimal digits that change whenever the bot's files or its command do.

    Of a folder everything counts but hidden files, `__pycache__`, `build/`, and what its last build made.
    """
    digest = blake2b(digest_size=16)
    if entrant.files is not None:
        _feed(digest, os.fsencode(entrant.target or entrant.command))
        files = {str(place): path for place, path in enumerate(entrant.files)}
    elif entrant.folder is not None:
        made = _built(entrant.folder).get("outputs", ())
        files = {name: entrant.folder / name for name in sources(entrant.folder) if name not in made}
    else:
        return ""
    try:
        _check_bounds(entrant, files.values())
        for name, path in sorted(files.items()):
            _feed(digest, os.fsencode(name))
            _feed(digest, read_regular(path, FILES_BYTES_MAX))
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be read: {error.strerror or error}") from None
    return digest.hexdigest()


def needs_build(entrant: Entrant) -> bool:
    """Whether the bot must be built before it runs: never was, its files changed, or the result is gone."""
    if not entrant.build or entrant.folder is None:
        return False
    built = _built(entrant.folder)
    is_there = all((entrant.folder / output).exists() for output in built.get("outputs", ()))
    return not is_there or built.get("fingerprint") != entrant.fingerprint


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Time and size of each file that a build may make or change, `build/` included; for `made_since`."""
    states = ((name, (folder / name).stat()) for name in _walk(folder, skipped=()))
    return {name: (state.st_mtime_ns, state.st_size) for name, state in states}


def made_since(folder: Path, before: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    """The files that are new or changed since the snapshot: what a build has made."""
    return tuple(name for name, state in snapshot(folder).items() if before.get(name) != state)


def mark_built(entrant: Entrant, outputs: Iterable[str]) -> Entrant:
    """Records that the bot is built, and what that made; gives the entrant with the fingerprint it has now.

    The fingerprint is another one if the build replaced a file that had counted until then.
    """
    assert entrant.folder is not None, "what is built has a folder"
    folder = entrant.folder
    # A build that finds most of its work done rewrites little: what earlier ones made stays an output.
    kept = {output for output in _built(folder).get("outputs", ()) if (folder / output).exists()}
    record = {"outputs": sorted(kept | set(outputs))}
    _write_built(folder, record)  # first without: what counts depends on the outputs
    entrant = attrs.evolve(entrant, fingerprint=fingerprint(entrant))
    _write_built(folder, {"fingerprint": entrant.fingerprint, **record})
    return entrant


def sources(folder: Path) -> list[str]:
    """The files of a bot's folder that its fingerprint may cover, by relative path, sorted."""
    return _walk(folder, skipped=("build",))


# Helpers: names.

_NAMED = re.compile(r"""([^\s=/\\:'"]*)=(.*)""", re.DOTALL)
"""`NAME=SPEC`: no blank before the `=`, or `python3 bot.py depth=3` would be one, and no slash, for paths."""


def _split_name(spec: str) -> tuple[str | None, str]:
    match = _NAMED.fullmatch(spec)
    return (match[1], match[2]) if match else (None, spec)


def _checked(entrant: Entrant, said: str) -> Entrant:
    """The entrant, if it can be called as it is."""
    from arena.wire.messages import check_name

    reason = check_name(entrant.name)
    if reason:
        raise ConfigError(f"{shown(said)} cannot be called {shown(entrant.name)}: {reason}; say NAME=SPEC")
    return entrant


def _free_name(name: str, taken: Iterable[str]) -> str:
    """`name-2` or the next that nobody has, not longer than a name may be."""
    from arena.wire.messages import NAME_LENGTH_MAX

    for number in count(2):
        suffix = f"-{number}"
        free = name[: NAME_LENGTH_MAX - len(suffix)] + suffix
        if free not in taken:
            return free
    raise AssertionError("numbers do not end")


# Helpers: what a spec can be.

_A_BOT = "a folder with bot.toml, a .py or .js file, a built-in bot, module:Class or a command"
_RUNNERS = {".py": ("python3", "Python"), ".js": ("node", "JavaScript")}
_LANGUAGES = {"python": "Python", "python3": "Python", "node": "JavaScript"}
_PATH = re.compile(r"\S*/\S*|\S+\.(?:py|js|toml)")
"""What can only be meant as a place: one word with a slash, or with the ending of a bot's file."""
_TARGET = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def _place(spec: str, base: Path) -> Path:
    return base / os.path.expanduser(spec)


def _find(spec: str, base: Path) -> Entrant:
    """The bot, named as its files name it."""
    place = _place(spec, base)
    if os.path.isfile(place / "bot.toml"):
        return _from_folder(place)
    if os.path.isfile(place) and place.suffix in _RUNNERS:
        return _from_file(place)
    if spec in (builtin := builtin_bots()):
        return _from_folder(builtin[spec])
    if _TARGET.fullmatch(spec):
        return _from_module(spec, base)
    if os.path.isdir(place):
        raise ConfigError(f"{spec} is a folder without bot.toml, which would say how to run the bot")
    if _PATH.fullmatch(spec) and not os.path.exists(place):
        raise ConfigError(f"there is no file or folder {shown(spec)}")
    return _from_command(spec, base)


def _from_folder(folder: Path) -> Entrant:
    """The bot of a folder with bot.toml."""
    path = folder / "bot.toml"
    recipe = read_table(read_toml(path, where=str(path)), _RECIPE, where=str(path))
    if "run" not in recipe:
        raise ConfigError(f"{path}: run: found nothing, expected {_A_COMMAND}")
    own = {"name": folder.resolve().name, "language": _language(recipe["run"])} | recipe
    own |= {"read": tuple(folder / path for path in recipe.get("read", ()))}
    return Entrant(kind="process", folder=folder, command=shlex.join(recipe["run"]), **own)


def _from_file(file: Path) -> Entrant:
    """The bot of one source file."""
    runner, language = _RUNNERS[file.suffix]
    return _process(file.stem, (runner, file.name), folder=file.parent, files=(file,), language=language)


def _from_module(target: str, base: Path) -> Entrant:
    """The bot of a class; the module is looked for, not imported."""
    module, _, name = target.partition(":")
    path = base.joinpath(*module.split("."))
    own = next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
    file = own or _installed(module)
    if file is None:
        raise ConfigError(f"{target}: no module {module} in {base} or among the installed ones")
    folder = base if own else None
    return Entrant(name=name, kind="local", language="Python", folder=folder, files=(file,), target=target)


def _installed(module: str) -> Path | None:
    """The source file of a module on `sys.path`."""
    from importlib.util import find_spec

    package, *inner = module.split(".")  # a module in it would be found only after the package is imported
    try:
        found = find_spec(package)
    except (ImportError, ValueError):
        return None
    if found is None:
        return None
    if not inner:
        return Path(found.origin) if found.origin and os.path.isfile(found.origin) else None
    places = [Path(folder, *inner) for folder in found.submodule_search_locations or ()]
    files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return next((file for file in files if file.is_file()), None)


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
    elif os.path.isfile(own) and os.access(own, os.X_OK):
        run = (program if "/" in program else f"./{program}", *words)
    elif os.path.isfile(own):
        raise ConfigError(f"{program} is neither a .py or .js file nor can it be run (chmod +x)")
    else:
        raise _no_such_bot(line)
    files = tuple(base / word for word in run if os.path.isfile(base / word))
    # `java -jar mine.jar` is called mine, `./mine table.txt` as well.
    called = own if own in files or not files else files[0]
    return _process(called.stem, run, folder=base, files=files, language=_language(run))


def _process(name: str, run: Argv, *, folder: Path, files: tuple[Path, ...], language: str) -> Entrant:
    return Entrant(
        name=name,
        kind="process",
        language=language,
        folder=folder,
        files=files,
        run=run,
        command=shlex.join(run),
    )


def _no_such_bot(said: str) -> ConfigError:
    bots = tuple(builtin_bots())
    near = did_you_mean(said, bots)
    builtin = listed(bots) if bots else "missing"
    return ConfigError(
        f"no such bot: {said}{near}; built-in bots are {builtin}, "
        "or give a folder with bot.toml, a .py or .js file, module:Class or a command"
    )


def _language(run: Argv) -> str:
    """The language that a command betrays, or nothing."""
    program = os.path.basename(run[0])
    return _LANGUAGES.get(program) or _RUNNERS.get(os.path.splitext(program)[1], ("", ""))[1]


# Helpers: bot.toml.

_A_COMMAND = 'a command such as "python3 bot.py" or ["python3", "bot.py"]'
_SHELL_WORDS = frozenset(("&&", "||", "|", ";", "&", ">", ">>", "<"))


def _read_argv(value: object) -> Argv:
    """A command as words: a list, or a text that needs no shell."""
    if isinstance(value, str):
        try:
            words = tuple(shlex.split(value))
        except ValueError:
            raise unexpected(value, _A_COMMAND) from None
        if _SHELL_WORDS & set(words):
            raise unexpected(value, 'one command; for a shell, say ["sh", "-c", "…"]')
    else:
        words = many(text, _A_COMMAND)(value)
    if not words:
        raise unexpected(value, _A_COMMAND)
    return words


def _read_build(value: object) -> Argv:
    """A build command; a text may be several, for the shell, as it is run once and by hand as well."""
    return ("sh", "-c", text(value)) if isinstance(value, str) else _read_argv(value)


_RECIPE: Mapping[str, Reader[Any]] = {
    "name": text,
    "version": text,
    "games": many(text, 'a list of games such as ["liars-dice"]'),
    "language": text,
    "build": _read_build,
    "run": _read_argv,
    "transport": one_of("tcp", "stdio"),
    "restart": one_of("never", "series", "match"),
    "instances_max": whole(1, 1000),
    "connect_s": duration(beyond=True, most_s=CONNECT_S_MAX),
    "read": many(place, 'a list of paths such as ["~/tables"]'),
    "build_network": flag,
    "memory_mb": whole(16, 1_000_000),
}


# Helpers: files.


def _walk(folder: Path, *, skipped: Sequence[str]) -> list[str]:
    """The regular files below a folder, by relative path, sorted; without hidden and `skipped` ones."""
    found, looked, tops = [], 0, [os.fspath(folder)]
    while tops:
        top = tops.pop()
        # One level at a time: `os.walk` may call itself for each, and a bot can make them a thousand deep.
        _, folders, names = next(os.walk(top), (top, [], []))
        unwanted = skipped if top == os.fspath(folder) else ()
        inner = [os.path.join(top, name) for name in folders if _counts(name) and name not in unwanted]
        tops += [path for path in inner if not os.path.islink(path)]
        paths = (os.path.join(top, name) for name in names if _counts(name))
        # Only regular files: reading a pipe would never end.
        found += [os.path.relpath(path, folder) for path in paths if os.path.isfile(path)]
        looked += 1 + len(names)
        if max(len(found), looked / 10) > FILES_MAX:  # folders and hidden files take their time too
            raise ConfigError(f"{folder}: more than {FILES_MAX:,} files, which is no bot's folder")
    return sorted(found)


def _counts(name: str) -> bool:
    return not name.startswith(".") and name != "__pycache__"


def _check_bounds(entrant: Entrant, files: Iterable[Path]) -> None:
    if sum(file.stat().st_size for file in files) > FILES_BYTES_MAX:
        raise ConfigError(
            f"{entrant.path}: more than {FILES_BYTES_MAX // 1_000_000} MB of files, which are all read "
            "before every run; keep large ones in a hidden folder or in build/"
        )


def _feed(digest: blake2b, part: bytes) -> None:
    """Adds a part so that no two lists of parts are fed the same bytes."""
    digest.update(len(part).to_bytes(8, "big"))
    digest.update(part)


def _built(folder: Path) -> dict[str, Any]:
    """What `mark_built` recorded, or nothing: a record that cannot be read only costs another build."""
    try:
        built = json.loads(read_regular(folder / ".arena" / "built", _RECORD_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    outputs = built.get("outputs", []) if isinstance(built, dict) else None
    is_right = isinstance(outputs, list) and all(isinstance(output, str) for output in outputs)
    return built if is_right else {}


def _write_built(folder: Path, record: Mapping[str, object]) -> None:
    """Writes the record whole or not at all, and follows no link: who built may have put some in its way."""
    place, new = folder / ".arena", f"built.{os.getpid()}"
    try:
        place.mkdir(exist_ok=True)
        inside = os.open(place, os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            with suppress(FileNotFoundError):
                os.unlink(new, dir_fd=inside)
            written = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=inside)
            with open(written, "w", encoding="ascii") as file:
                file.write(json.dumps(record, indent=1) + "\n")
            os.replace(new, "built", src_dir_fd=inside, dst_dir_fd=inside)
        finally:
            os.close(inside)
    except OSError as error:
        raise ConfigError(f"{place}: cannot be written: {error.strerror or error}") from None
