"""`python -m tests.fuzz TARGET --runs N`: looks for bytes that break a promise; see the package."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import time
import traceback
from importlib.util import find_spec
from pathlib import Path
from random import Random

from .tape import memory

INPUT_S_MAX = 60
"""Of one input: instrumented code on a busy machine is ten times slower, and balanced samples take seconds."""


def main() -> int:
    """Fuzzes one target; gives 1 if something was found."""
    asked = _asked()
    if asked.list:
        from .targets import TARGETS

        print("\n".join(TARGETS))
        return 0
    if not asked.plain and not _has_atheris():
        raise SystemExit(
            'atheris is not installed: `pip install -e ".[dev]"` installs it where it has wheels; '
            f"without it: python -m tests.fuzz {asked.target} --plain"
        )
    return _mutate(asked) if asked.plain else _guide(asked)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("target", nargs="?", help="one of --list")
    parser.add_argument("--list", action="store_true", help="print all targets")
    parser.add_argument("--runs", type=int, default=100_000, help="how many inputs [100000]")
    parser.add_argument("--seconds", type=float, default=600.0, help="not longer than that [600]")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations [1]")
    parser.add_argument(
        "--plain", action="store_true", help="seeded mutations of the corpus, without atheris"
    )
    asked = parser.parse_args()
    if asked.target is None and not asked.list:
        parser.error("name a target, or --list")
    # Of the corpus: `targets` imports the arena, which atheris must do itself.
    targets = sorted(place.name for place in (Path(__file__).parent / "corpus").iterdir())
    if asked.target is not None and asked.target not in targets:
        parser.error(f"no such target: {asked.target}; there are {', '.join(targets)}")
    return asked


def _has_atheris() -> bool:
    """Without importing it, which costs this process what only its child needs."""
    try:
        return find_spec("atheris") is not None
    except ValueError:  # somebody hides it
        return False


def _mutate(asked: argparse.Namespace) -> int:
    from .mutate import mutations
    from .targets import TARGETS

    target, began_s, runs = TARGETS[asked.target], time.monotonic(), 0
    corpus = target.corpus
    for data in mutations(corpus, target.words, Random(asked.seed), target.bytes_max):
        if runs == asked.runs or time.monotonic() - began_s > asked.seconds:
            break
        runs += 1
        try:
            target.run(data)
        except Exception:
            traceback.print_exc()
            _keep(target.name, data)
            return 1
    took_s = time.monotonic() - began_s
    print(f"{target.name}: {runs:,} inputs in {took_s:.0f} s, {runs / took_s:,.0f} a second, nothing found")
    return 0


def _guide(asked: argparse.Namespace) -> int:
    """In a process of its own, because atheris ends it without a word to what would clean up."""
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-", dir=memory()) as place:
        child = os.fork()
        if child == 0:
            _fuzz(asked, Path(place))
        _, status = os.waitpid(child, 0)
        for found in Path(place).glob("timeout-*"):  # nothing raises where an input takes too long
            _keep(asked.target, found.read_bytes())
    return 1 if status else 0


def _fuzz(asked: argparse.Namespace, place: Path) -> None:
    """atheris, which knows what code an input reaches; ends this process."""
    import atheris

    with atheris.instrument_imports(include=["arena"]):
        from arena.schedule import design

        from .targets import CORPUS, TARGETS
    design.STEPS_MAX = 600  # a search of two seconds, which is bounded, would be all that is done
    tempfile.tempdir = str(place)
    target = TARGETS[asked.target]

    def run(data: bytes) -> None:
        try:
            target.run(data)
        except Exception:
            _keep(target.name, data)
            raise

    words = place / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words if 0 < len(word) < 64))
    (reached := place / "reached").mkdir()
    options = [f"-runs={asked.runs}", f"-max_total_time={asked.seconds:.0f}", f"-seed={asked.seed}"]
    options += [f"-max_len={target.bytes_max}", f"-artifact_prefix={place}/", f"-timeout={INPUT_S_MAX}"]
    options += ["-print_final_stats=1", "-verbosity=0", str(reached), str(CORPUS / target.name)]
    if target.words:  # libFuzzer refuses an empty dictionary
        options.insert(0, f"-dict={words}")
    atheris.Setup([sys.argv[0], *options], run)
    atheris.Fuzz()
    os._exit(0)


def _keep(name: str, data: bytes) -> None:
    """Writes what was found to the corpus, where it stays a test."""
    from .targets import CORPUS

    path = CORPUS / name / f"found-{hashlib.sha256(data).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    print(f"found: {path.relative_to(Path.cwd())} ({len(data)} bytes)", file=sys.stderr)


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    sys.exit(main())
