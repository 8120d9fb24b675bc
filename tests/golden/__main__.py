"""`python -m tests.golden`: see the package."""

from __future__ import annotations

import argparse
import sys

from .keeping import FOLDER, changed_columns, first_difference, golden, kept, path_of, text_of
from .plans import ONE_GO, TOURNAMENTS, Tournament, ways_of
from .run import play


def main() -> int:
    """0: all is as the files say, or they were written; 1: something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description="Golden tournaments.")
    parser.add_argument("names", nargs="*", help="only these tournaments [all]")
    parser.add_argument("--write", action="store_true", help="write the files, and say what changed")
    asked = parser.parse_args()
    known = {tournament.name: tournament for tournament in TOURNAMENTS}
    if unknown := set(asked.names) - set(known):
        parser.error(f"no such tournament: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [known[name] for name in asked.names] or list(TOURNAMENTS)
    if not asked.write:
        return max([_check(tournament) for tournament in chosen])
    FOLDER.mkdir(exist_ok=True)
    for tournament in chosen:
        _write(tournament)
    if not asked.names:
        for path in sorted(set(FOLDER.glob("*.txt")) - set(map(path_of, TOURNAMENTS))):
            path.unlink()
            print(f"{path.stem}: removed")
    size = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"{len(chosen)} written; {size / 1000:.0f} kB in all")
    return 0


def _check(tournament: Tournament) -> int:
    """Plays it in all its ways."""
    is_other = False
    for way in ways_of(tournament):
        told = first_difference(golden(tournament), kept(play(tournament, way)))
        is_other |= told is not None
        print(f"{tournament.name}, {way}: {told or 'the same'}", flush=True)
    return int(is_other)


def _write(tournament: Tournament) -> None:
    """Writes its file, and says which columns changed."""
    path, before, after = path_of(tournament), golden(tournament), kept(play(tournament, ONE_GO))
    changes = ", ".join(changed_columns(before, after)) if path.exists() else "new"
    path.write_text(text_of(after), encoding="utf-8")
    print(f"{tournament.name}: {changes or 'the same'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
