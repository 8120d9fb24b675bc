"""Builds the wheel and the sdist and tries both as a user would: `python -m tests.release`.

Each is installed by pip into an environment of its own that holds nothing else.  Then, from an empty folder, it
plays what the README's first command plays, verifies it, and runs its own smoke test, `python -m arena.testing`.
The sdist is installed with all its extras, and the example that needs them is run out of it.  Last, the steps of
examples/compare.yml are carried out where the wheel is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.released import unpack
from tests.workflow import carry_out

HOUSE = Path(__file__).parent.parent
VERSION = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]["version"]
NAME = f"bot_arena-{VERSION}"
STEP_S_MAX = 300
"""A step that takes longer hangs: the whole takes about half a minute."""
IN_WHEEL = {"arena/": "arena/", "bots/": "arena/_bots/"}
"""Folders of the project -> where a wheel has them; it has nothing else."""


class Wrong(Exception):
    """What is wrong with a release, as a sentence."""


def main() -> None:
    """Builds and tries; the last line says what was tried, or what is wrong, with exit code 1."""
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="release-") as folder:
            _try_all(Path(folder).resolve())
    except Wrong as wrong:
        sys.exit(f"release: {wrong}")
    print(f"release: the wheel and the sdist work in empty environments ({time.monotonic() - began:.0f} s)")


def _try_all(top: Path) -> None:
    tracked = _run(["git", "ls-files", "-z"], HOUSE).rstrip("\0").split("\0")
    _run([sys.executable, "-m", "hatchling", "build", "-d", str(top / "dist")], HOUSE)
    wheel, sdist = top / "dist" / f"{NAME}-py3-none-any.whl", top / "dist" / f"{NAME}.tar.gz"
    unpack(sdist, top)
    unpacked = top / NAME
    _must_be_empty(wrong_in_sdist(_files(unpacked), tracked))
    built = _files_of_wheel(wheel)
    _must_be_empty(wrong_in_wheel(built, tracked))
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(top / "again")], unpacked)
    if built != _files_of_wheel(top / "again" / wheel.name):
        raise Wrong("the wheel that is built from the sdist is another one than that of the project")
    example = [["python", str(unpacked / "examples" / "parquet.py"), "results/quickstart"]]

    def try_wheel() -> None:
        _try_installed(top / "of wheel", str(wheel), [])
        _try_workflow(top / "of wheel", top / "workflow", tracked)

    with ThreadPoolExecutor() as pool:  # half of the time is pip's, on one core
        of_wheel = pool.submit(try_wheel)
        of_sdist = pool.submit(_try_installed, top / "of sdist", f"{sdist}[all]", example)
        of_wheel.result()
        of_sdist.result()


def wrong_in_wheel(names: Collection[str], tracked: Iterable[str]) -> list[str]:
    """What should not be in a wheel, or is missing from it."""
    metadata = f"{NAME}.dist-info/"
    wanted = {
        place + path.removeprefix(folder)
        for path in tracked
        for folder, place in IN_WHEEL.items()
        if path.startswith(folder)
    }
    own = {name for name in names if not name.startswith(metadata)}
    return _differences("the wheel", own, wanted)


def wrong_in_sdist(names: Collection[str], tracked: Iterable[str]) -> list[str]:
    """What should not be in a sdist, or is missing from it: it is what git knows, so that its tests run too."""
    return _differences("the sdist", {*names} - {"PKG-INFO"}, {*tracked})


def _differences(what: str, there: set[str], wanted: set[str]) -> list[str]:
    return [
        *(f"{what} holds {name}, which does not belong there" for name in sorted(there - wanted)),
        *(f"{what} lacks {name}" for name in sorted(wanted - there)),
    ]


def _must_be_empty(complaints: list[str]) -> None:
    if complaints:
        more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
        raise Wrong(complaints[0] + more)


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def _files_of_wheel(wheel: Path) -> Mapping[str, int]:
    """The names of its files, and what each holds as a checksum."""
    with zipfile.ZipFile(wheel) as packed:
        return {each.filename: each.CRC for each in packed.infolist()}


def _try_installed(place: Path, what: str, more: list[list[str]]) -> None:
    """Installs it into an environment that is named after its place, and plays in an empty folder beside it."""
    _run([sys.executable, "-m", "venv", "--without-pip", str(place)], place.parent)
    python = place / "bin" / "python"
    # Not compiled: most modules of the packages are never imported here.
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-compile"]
    _run([*pip, what], place.parent)
    empty = place.with_name(f"{place.name}, empty folder")
    empty.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    clean["PATH"] = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    first = re.search(r"^python3 -m venv .*&& (arena run)$", (HOUSE / "README.md").read_text(), re.MULTILINE)
    assert first is not None, "the README begins with another command"
    for command in (
        ["python", "-m", "arena.testing"],
        first[1].split(),
        ["arena", "verify", "results/quickstart"],
        ["arena", "report", "results/quickstart"],
        *more,
    ):
        print(f"+ {place.name}: {' '.join(command).replace(f'{place.parent}/', '')}", flush=True)
        _run([str(place / "bin" / command[0]), *command[1:]], empty, clean)


def _try_workflow(place: Path, folder: Path, tracked: list[str]) -> None:
    """Carries out the example's workflow with the Python of an environment that has what the arena needs."""
    print(f"+ {place.name}: the steps of examples/compare.yml", flush=True)
    _run([str(place / "bin" / "python"), "-m", "ensurepip"], place)
    (place / "bin" / "pip").symlink_to("pip3")
    folder.mkdir()
    try:
        said = carry_out(folder, tracked, str(place / "bin"))
    except AssertionError as error:
        raise Wrong(f"examples/compare.yml: {error}") from None
    if "\nbetter\n" not in said:
        raise Wrong(f"examples/compare.yml does not find that the better bot is better:\n{said}")


def _run(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """What the command prints.  Raises Wrong if it fails."""
    ended = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=STEP_S_MAX,
        check=False,
    )
    if ended.returncode:
        said = (ended.stderr or ended.stdout).strip()
        raise Wrong(f"`{' '.join(command)}` failed with exit code {ended.returncode}:\n{said}")
    return ended.stdout


if __name__ == "__main__":
    main()
