"""`arena verify` of a sealed run: seed, terms and files are those of the seal, and what changed since is told."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.store import Store
from arena.store.files import stamped_mark
from arena.tournament.folder.seal import SEAL
from tests.verify.folders import played, untruth, verified

pytestmark = pytest.mark.slow

OTHER = sha256(b"another").hexdigest()


@pytest.fixture(scope="module")
def sealed(tmp_path_factory) -> Path:
    """A tournament that was played under a seal."""
    return played("liars-dice-2", tmp_path_factory.mktemp("seal") / "sealed", "--commit")


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """The same without one."""
    return played("liars-dice-2", tmp_path_factory.mktemp("seal") / "plain")


@pytest.fixture
def copy(sealed, tmp_path) -> Path:
    """A copy to be changed."""
    return Path(shutil.copytree(sealed, tmp_path / "copy"))


def seal_in(folder: Path) -> dict:
    with Store.open(folder) as store:
        return store.meta()[SEAL]


def rewritten(folder: Path, key: str, change: dict) -> None:
    """Changes a value in the folder's record as an arena would, with checksums that fit."""
    with Store.open(folder, write=True) as store:
        store.set_meta(key, store.meta()[key] | change)


def test_a_sealed_run_is_what_was_sealed(sealed):
    """Compared with the seal in the folder, and with the one that was published."""
    code, told = verified(sealed, "--json")
    (note,) = json.loads(told)["notes"]
    seal = seal_in(sealed)["sha256"]
    assert (0, True) == (
        code,
        note.startswith(f"plan and seed are those of the seal {seal}; compare that with"),
    )
    code, told = verified(sealed, "--json", "--seal", seal.upper())
    assert (0, [f"plan and seed are those of the seal {seal}"]) == (code, json.loads(told)["notes"])


def test_the_tables_of_a_sealed_run_are_those_of_its_last_state(sealed):
    """The seal is opened before they are written, so that nobody takes them for older ones."""
    with Store.open(sealed) as store:
        assert store.mark() == stamped_mark(sealed)


def test_a_folder_without_a_seal_needs_none(plain):
    """Nothing is said of seals."""
    code, told = verified(plain, "--json")
    assert (0, []) == (code, json.loads(told)["notes"])


@pytest.mark.parametrize("key", ["seed", "move_time", "rules"])
def test_a_term_that_was_edited_is_found(copy, key):
    """Whoever runs the arena can write what the database says, but not what was sealed."""
    rewritten(copy, "identity", {key: {"dice": 9} if key == "rules" else 77})
    assert ("plan", key) == (untruth(copy)["where"], untruth(copy)["column"])


def test_an_opening_that_was_edited_is_found(copy):
    """The seal is not its hash any more; with a seal made to fit, it is not the one that was published."""
    first = seal_in(copy)
    text = first["opening"].replace('"series": ', '"series": 1')
    rewritten(copy, SEAL, {"opening": text})
    fitting = sha256(text.encode()).hexdigest()
    found = untruth(copy)
    assert ("seal", "sha256", repr(first["sha256"])) == (found["where"], found["column"], found["stored"])
    rewritten(copy, SEAL, {"sha256": fitting})
    (copy / "seal.sha256").write_text(f"{fitting}  opening.json\n")
    (copy / "opening.json").write_text(text)
    assert "run.json" == untruth(copy)["where"]
    (copy / "run.json").unlink()
    assert {} == untruth(copy), "nobody can know, unless the seal was published"
    code, told = verified(copy, "--seal", first["sha256"])
    assert (1, True) == (code, told.startswith(f"not verified: seal, sha256: '{fitting}' is stored"))


@pytest.mark.parametrize("opening", [7, "", "{}", "[" * 10_000, "nönce", None])
def test_an_opening_that_is_none_is_found(copy, opening):
    """Whatever stands in its place."""
    rewritten(copy, SEAL, {"opening": opening})
    assert ("seal", "opening") == (untruth(copy)["where"], untruth(copy)["column"])


def test_a_file_of_the_seal_that_was_edited_is_found(copy):
    """What the folder shows is what it keeps; files that were not handed on are not missed."""
    (copy / "seal.sha256").write_text(f"{OTHER}  opening.json\n")
    assert ("seal.sha256", repr(OTHER)) == (untruth(copy)["where"], untruth(copy)["stored"])
    (copy / "seal.sha256").unlink()
    (copy / "opening.json").write_bytes(b"\xff")
    assert "opening.json" == untruth(copy)["where"]
    (copy / "opening.json").unlink()
    assert {} == untruth(copy)


def test_a_seal_that_is_gone_is_missed(plain, tmp_path):
    """Where a file shows one, or one was published."""
    copy = Path(shutil.copytree(plain, tmp_path / "copy"))
    code, told = verified(copy, "--seal", OTHER)
    assert (1, f"not verified: copy, seal: none is stored, and it should be {OTHER}") == (code, told)
    (copy / "seal.sha256").write_text(f"{OTHER}  opening.json\n")
    assert ("none", OTHER) == (untruth(copy)["stored"], untruth(copy)["expected"])


def test_what_changed_since_is_told(copy):
    """The roster and the plan may change, and matches may be added after the opening."""
    rewritten(copy, SEAL, {"opened_after": 2})
    with Store.open(copy, write=True) as store:
        matches = len(store.finished())
        store.set_meta("roster", [*store.meta()["roster"], {"act": "join", "slot": "late", "matches": 3}])
    rewritten(copy, "plan", {"max_time": 9.0})
    notes = json.loads(verified(copy, "--json")[1])["notes"]
    assert [
        f"{matches - 2} matches may have been played after the seal had been opened",
        "since it was sealed: max_time was null, and is 9.0",
        "since it was sealed: late joined after 3 matches",
    ] == notes[1:]


@pytest.mark.parametrize("word", ["x", "0" * 63, "g" * 64])
def test_a_word_that_is_no_seal_is_a_mistake(plain, word):
    """Exit code 2, and a sentence."""
    with pytest.raises(ConfigError, match="expected the 64 hexadecimal digits that --commit printed"):
        verified(plain, "--seal", word)
