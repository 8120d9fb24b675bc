"""Damaged databases: one sentence, never a traceback, never another number without complaint.

`python tests/test_damaged_folders.py FLIPS [SEED]` tries as many flipped bits as one likes.
"""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from click import ClickException
from daily import nightly
from tournaments import exact

from arena.analysis import load
from arena.cli import cli
from arena.errors import ArenaError
from arena.store import DATABASE, Store, exports
from arena.store.kept import digest

HERE = Path(__file__).parent
BOTS = "stored_bots"
WORDS = ("--rule", "dice=2", "--seed", "1", "--series", "6", "--decisions", "all", "-q")
FLIPS = 30
FOLDER = "out"


def arena(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output and error of a command; what is no mistake of the user's travels on."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = cli.main(words, standalone_mode=False) or 0
        except (ArenaError, ClickException) as error:
            print(f"arena: {error}", file=sys.stderr)
            code = 2
    return code, out.getvalue(), err.getvalue()


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """In a working directory with the bots of these tests."""
    before, paths = Path.cwd(), list(sys.path)
    shutil.copy(HERE / f"{BOTS}.py", home)
    os.chdir(home)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = paths
        sys.modules.pop(BOTS, None)


class Played:
    """A small tournament, what all commands say of it, and copies of it with other bytes."""

    def __init__(self, home: Path) -> None:
        code, _, err = arena("run", f"{BOTS}:Even", f"{BOTS}:Odd", *WORDS, "--out", FOLDER)
        assert code == 0, err
        self.home = home
        self.folder = home / FOLDER
        self.bytes = (self.folder / DATABASE).read_bytes()
        self.exact = exact(self.folder)
        with Store.open(self.folder) as store:
            self.match_ids = [match.match_id for match in store.matches()]
        self.commands = (
            ("leaderboard", FOLDER),
            ("matches", FOLDER),
            *(("replay", match_id, FOLDER) for match_id in self.match_ids[::5]),
            ("leaderboard", FOLDER, "--bot", "Odd"),
        )
        self.said = {words: arena(*words) for words in self.commands}
        report = arena("report", FOLDER)
        assert {(0, "")} == {(code, err) for code, _, err in [*self.said.values(), report]}
        self.page = (self.folder / "report.html").read_bytes()
        self.kept = self.home / "kept"
        shutil.copytree(self.folder, self.kept)

    def reset(self, content: bytes) -> None:
        """The folder as it was, with this database."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder)
        (self.folder / DATABASE).write_bytes(content)

    def verdicts(self, content: bytes) -> Iterator[tuple[str, str]]:
        """(command, what it did) with such a database; asserts what must hold of each."""
        self.reset(content)
        for words in self.commands:
            yield words[0], self._judged(words[0], arena(*words), lambda out, w=words: out in self.usual(w))
        told = arena("report", FOLDER)
        page = self.folder / "report.html"
        yield "report", self._judged("report", told, lambda _: page.read_bytes() == self.page)
        self.reset(content)
        code, _, err = told = arena("run", "--resume", FOLDER, "-q")
        assert code in (0, 2), told
        if code == 0:
            assert self.exact == exact(self.folder), err
            assert (0, "") == arena("matches", FOLDER)[::2]
        else:
            assert content == (self.folder / DATABASE).read_bytes(), "what cannot be mended is not touched"
        yield "resume", "refused" if code else ("mended" if "damaged" in err else "as it was")

    def usual(self, words: tuple[str, ...]) -> tuple[str, str]:
        """What a command said, and the same without the reasons of faults.

        They may name what a match hides: where the schedule is lost nobody knows that its series is over.
        """
        said = self.said[words][1]
        return said, re.sub(r" \[[^]\n]*\]$", "", said, flags=re.MULTILINE)

    @staticmethod
    def _judged(command: str, told: tuple[int, str, str], is_as_ever: Callable[[str], bool]) -> str:
        code, out, err = told
        assert code in (0, 2), told
        if code == 0 and not err:
            assert is_as_ever(out), f"another {command} without complaint: {out}"
            return "as it was"
        assert err.startswith("arena: "), told
        assert err.count("\n") == 1, told
        if code == 0:
            assert is_as_ever(out), f"{command} is said to be sound: {out}"
            return "sound, with a warning"
        return "what is sound, with a complaint" if out else "refused"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    home = tmp_path_factory.mktemp("damaged")
    with at_home(home):
        yield Played(home)


def flipped(content: bytes, rng: random.Random) -> bytes:
    """One bit of it is another."""
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize("flips", [10, *nightly(FLIPS)])
def test_a_flipped_bit_is_noticed_or_changes_nothing(played, flips):
    """Whatever bit it is: each command says what it always said, or one sentence with exit code 2."""
    rng = random.Random(8)
    for _ in range(flips):
        list(played.verdicts(flipped(played.bytes, rng)))


@pytest.mark.slow
def test_a_database_that_ends_early_is_noticed(played):
    """Cut anywhere, as by a copy that was interrupted: what is sound is shown, or one sentence says that nothing is."""
    rng = random.Random(9)
    for size in [0, 1, 100, 4096, *(rng.randrange(len(played.bytes)) for _ in range(20))]:
        whats = dict(played.verdicts(played.bytes[:size]))
        assert "as it was" not in whats.values(), size


def changed(played: Played, *statements: str) -> None:
    """The folder as it was, but for what these statements do."""
    played.reset(played.bytes)
    db = sqlite3.connect(played.folder / DATABASE)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


NUMBERS = [
    pytest.param("UPDATE seats SET points = 0.5 WHERE match = 3", id="points of a match"),
    pytest.param("UPDATE matches SET turns = turns + 1 WHERE number = 3", id="its turns"),
    pytest.param("UPDATE decisions SET elapsed_s = 9 WHERE match = 3 AND number = 0", id="a decision"),
    pytest.param("DELETE FROM seats WHERE match = 3 AND seat = 1", id="a seat that is gone"),
    pytest.param("UPDATE matches SET seed = 'zz' WHERE number = 3", id="a seed that is no number"),
    pytest.param("UPDATE matches SET checksum = x'00' WHERE number = 3", id="the checksum itself"),
]


@pytest.mark.parametrize("statement", NUMBERS)
def test_a_match_that_is_not_as_it_was_written_is_left_out_and_played_again(played, statement):
    """The sentence names it; the others are shown; going on plays it again, and says so."""
    changed(played, statement)
    with Store.checked(FOLDER) as store:
        assert (11, 1, frozenset()) == (store.damage.sound, store.damage.lost, store.damage.parts)
        (lost,) = store.damage.match_ids
        assert 11 == len(list(store.matches()))
    sentence = f"arena: {FOLDER}/{DATABASE} is damaged: 1 of its matches ({lost}); 11 matches are sound"
    code, out, err = arena("matches", FOLDER)
    assert (2, 11) == (code, sum(line.startswith(tuple(played.match_ids)) for line in out.splitlines()))
    assert (
        err
        == f"{sentence}, and only those are shown; `arena run --resume {FOLDER}` plays again what is damaged\n"
    )
    assert (2, "") == arena("replay", lost, FOLDER)[:2]
    assert "damaged" in arena("replay", lost, FOLDER)[2]
    damaged = (played.folder / DATABASE).read_bytes()
    code, _, err = arena("run", "--resume", FOLDER, "-q")
    assert (
        0,
        f"{sentence}; the rest is played again, and the damaged file is kept as {DATABASE}.damaged",
    ) == (
        code,
        err.splitlines()[0],
    )
    assert played.exact == exact(played.folder)
    assert damaged == (played.folder / f"{DATABASE}.damaged").read_bytes()
    assert (0, "") == arena("matches", FOLDER)[::2]


def test_one_bad_capsule_stops_nothing(played):
    """Its match is left out, the leaderboard is printed, and the CSVs, which are whole, are not overwritten."""
    changed(played, "UPDATE capsules SET packed = x'00' WHERE rowid = 1")
    before = (played.folder / "matches.csv").read_bytes()
    code, out, err = arena("leaderboard", FOLDER)
    assert (2, True, 1) == (code, "Even" in out, err.count("\n"))
    assert before == (played.folder / "matches.csv").read_bytes()


def test_matches_that_are_gone_are_missed(played):
    """Their checksums are in one with those of all others."""
    hanging = [f"DELETE FROM {table} WHERE match IN (3, 5)" for table in ("seats", "decisions", "capsules")]
    changed(played, *hanging, "DELETE FROM matches WHERE number IN (3, 5)")
    assert "is damaged: 2 of its matches; 10 matches are sound" in arena("leaderboard", FOLDER)[2]


def test_a_damaged_plan_is_not_guessed(played):
    """What needs it is refused, going on too, and nothing is touched; what does not is shown."""
    changed(
        played, "UPDATE meta SET value = replace(value, '\"ranks\"', '\"returns\"') WHERE key = 'rated_by'"
    )
    before = (played.folder / DATABASE).read_bytes()
    for words in (("leaderboard", FOLDER), ("report", FOLDER), ("run", "--resume", FOLDER)):
        code, out, err = arena(*words)
        assert (2, "", True) == (code, out, "is damaged: its record of the plan" in err), words
    code, out, err = arena("matches", FOLDER)
    assert (2, 12) == (code, sum(line.startswith(tuple(played.match_ids)) for line in out.splitlines()))
    assert before == (played.folder / DATABASE).read_bytes()


def test_a_run_does_not_go_on_with_bots_that_it_cannot_know(played):
    """A fingerprint that is damaged would let another bot in; the leaderboard names them all the same."""
    changed(played, "UPDATE bots SET fingerprint = '' WHERE bot = 'Odd'")
    code, out, err = arena("leaderboard", FOLDER)
    assert (2, True, True) == (code, "Odd" in out, "its record of the bots" in err)
    code, _, err = arena("run", "--resume", FOLDER)
    assert (2, True) == (code, "no run can continue without it" in err)


def test_with_a_damaged_schedule_nothing_is_told_that_a_series_hides(played):
    """Nobody knows then which series are closed; going on mends it."""
    changed(played, "DELETE FROM schedule WHERE position = 2")
    assert "its schedule" in arena("leaderboard", FOLDER)[2]
    with Store.checked(FOLDER) as store:
        assert [] == list(exports.table(store, "decisions")[1])
        assert {""} == {fault.reason for fault in store.faults(published=True)}
    assert 0 == arena("run", "--resume", FOLDER, "-q")[0]
    assert played.exact == exact(played.folder)
    assert (0, "") == arena("leaderboard", FOLDER)[::2]


def test_a_table_that_means_something_else_is_no_table_of_ours(played):
    """A view that has changed would show other numbers: what is sound is read past it."""
    changed(
        played,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, '0.0', '7.0') WHERE name = 'shown_seats'",
    )
    code, out, err = arena("leaderboard", FOLDER)
    assert (2, played.said["leaderboard", FOLDER][1]) == (code, out)
    assert "something that nothing depends on; 12 matches are sound" in err


def test_a_notebook_is_warned(played):
    """`load` shows what is sound, and warns."""
    changed(played, "UPDATE seats SET points = 0.5 WHERE match = 3")
    with pytest.warns(UserWarning, match="is damaged: 1 of its matches"):
        assert 11 == len(load(FOLDER).matches)


def test_a_digest_spares_the_checking_of_a_large_database(played, monkeypatch):
    """It is written when a run ends, and vouches for no other bytes."""
    monkeypatch.setattr("arena.store.kept.digest.LARGE_BYTES", 1)
    played.reset(played.bytes)
    Store.open(FOLDER, write=True).close()
    assert not digest.written_digest(played.folder / DATABASE)
    with Store.open(FOLDER, write=True) as store:
        store.set_meta("noted", 1)
    assert digest.written_digest(played.folder / DATABASE)
    monkeypatch.setattr("arena.store.soundness._is_unchanged", lambda _: pytest.fail("it was compared"))
    Store.checked(FOLDER).close()
    monkeypatch.undo()
    content = bytearray((played.folder / DATABASE).read_bytes())
    content[-1] ^= 1
    (played.folder / DATABASE).write_bytes(content)
    assert not digest.written_digest(played.folder / DATABASE)


def sweep(home: Path, flips: int, seed: int) -> None:
    """Prints how often each command did what."""
    with at_home(home):
        played, rng, counts = Played(home), random.Random(seed), Counter()
        print(f"{len(played.bytes):,} bytes, {len(played.match_ids)} matches")
        for number in range(flips):
            content = flipped(played.bytes, rng)
            try:
                counts.update(played.verdicts(content))
            except Exception as error:
                place = next(i for i, (a, b) in enumerate(zip(content, played.bytes, strict=True)) if a != b)
                counts["FAILED", type(error).__name__] += 1
                print(f"flip {number} at byte {place}: {type(error).__name__}: {str(error)[:600]}")
                if os.environ.get("TRACE"):
                    import traceback

                    traceback.print_exc()
        for (command, what), count in sorted(counts.items()):
            print(f"{count:7,}  {command:12} {what}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        sweep(Path(name).resolve(), int(sys.argv[1]), int([*sys.argv, "1"][2]))
