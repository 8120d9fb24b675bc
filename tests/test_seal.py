"""`arena run --commit`: what is fixed before play, what is shown after it, and what a stranger can check."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import partial
from hashlib import sha256
from pathlib import Path

import attrs
import pytest
from calls import call

from arena.errors import ConfigError
from arena.schedule.roster import Roster, RosterEntry
from arena.store import Store
from arena.tournament.folder.seal import SEAL, Seal, changes_since, opening_of, seal_for, seal_of

TWO = ("sealed_bots:Even", "sealed_bots:Odd", "--rule", "dice=1", "--series", "2", "--out", "out")
SEED = 2**127 + 1
PLAN = {"series": 10, "seed": SEED, "max_time": None, "bots": []}
NONCE = "000102030405060708090a0b0c0d0e0f"


@pytest.fixture
def arena(tmp_path, capsys, monkeypatch):
    """`arena WORDS` in this process, in a folder with bots: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    shutil.copy(Path(__file__).with_name("stored_bots.py"), tmp_path / "sealed_bots.py")

    return partial(call, capsys, monkeypatch)


def run_file() -> dict:
    return json.loads(Path("out/run.json").read_text())


def kept_seal() -> Seal:
    with Store.open(Path("out")) as store:
        return seal_of(store)


def test_the_bytes_of_an_opening_are_these():
    """A stranger who writes the same JSON gets the same seal: ASCII, indent 1, sorted keys, one line break.

    The expected digest is that of `sha256sum` over the text below.
    """
    seal = seal_for(SEED, {"name": "ü", "seed": SEED}, {"seed": SEED, "seats": 2}, (), NONCE)
    text = f"""{{
 "bots": {{}},
 "form": "arena seal 1",
 "nonce": "000102030405060708090a0b0c0d0e0f",
 "plan": {{
  "name": "\\u00fc"
 }},
 "seed": "{SEED}",
 "terms": {{
  "seats": 2
 }}
}}
"""
    assert text == seal.opening
    assert seal.sha256 == "49ea6ee6e832e58058451a507f8c8dbaaa122f59386ea81e42b7bb3287a8f559"


def test_no_two_seals_are_the_same():
    """Of one plan and one seed: each has a nonce of its own, so that a short seed cannot be found by trying."""
    one, other = (seal_for(7, PLAN, {}, ()) for _ in range(2))
    assert one.sha256 != other.sha256
    assert {32} == {len(opening_of(seal).nonce) for seal in (one, other)}


WRONG = [
    ("a short nonce", {"nonce": NONCE[:30]}),
    ("a long nonce", {"nonce": NONCE + "00"}),
    ("a nonce that is no text", {"nonce": 7}),
    ("a seed that is a number", {"seed": SEED}),
    ("a seed of 129 bits", {"seed": str(2**128)}),
    ("a seed in words", {"seed": "seven"}),
    ("another form", {"form": "arena seal 2"}),
    ("a plan that is a list", {"plan": []}),
    ("more than there is", {"wish": 1}),
]


@pytest.mark.parametrize("change", [row[1] for row in WRONG], ids=[row[0] for row in WRONG])
def test_an_opening_of_another_form_is_refused(change):
    """In a sentence, also where the hash is right."""
    text = json.dumps(json.loads(seal_for(SEED, PLAN, {}, (), NONCE).opening) | change)
    with pytest.raises(ConfigError, match="not of a form that this arena knows"):
        opening_of(Seal(sha256(text.encode()).hexdigest(), text))


def test_what_changes_after_the_seal_is_listed():
    """Whatever happened to the roster and to the plan; who was there at the start is no change."""
    seal = seal_for(SEED, PLAN, {}, ())
    opening = json.loads(seal.opening) | {
        "bots": {"ann": "aa", "bob": "bb", "cat": "cc", "eve": "", "guy": ""}
    }
    seal = attrs.evolve(seal, opening=json.dumps(opening))
    start = [RosterEntry("join", *bot) for bot in (("ann", "aa"), ("bob", "b2"), ("cat", "cc"), ("eve", ""))]
    later = [
        RosterEntry("join", "dan", "dd"),
        RosterEntry("replace", "ann", "a2", 4),
        RosterEntry("without", "cat", "", 1),
        RosterEntry("readmit", "cat", "", 6),
        RosterEntry("join", "fay", "ff", 6),
    ]
    assert [
        "series was 10, and is 20",
        "guy has not joined",
        "bob: its files are not those that were sealed (building it may have changed them)",
        "dan joined before the first match",
        "ann was replaced after 4 matches",
        "cat was excluded after 1 match",
        "cat was readmitted after 6 matches",
        "fay joined after 6 matches",
    ] == changes_since(seal, PLAN | {"series": 20, "bots": ["more"]}, Roster([*start, *later]))
    assert [] == changes_since(seal_for(SEED, PLAN, {}, ()), PLAN, Roster())


@pytest.mark.slow
def test_a_sealed_run_shows_its_seal_first_and_its_seed_last(arena):
    """The hash before play, without the seed; the opening after it, which anybody can check, in two ways."""
    code, _, err = arena("run", *TWO, "--commit")
    seal = kept_seal()
    opening = opening_of(seal)
    before, _, after = err.partition("is open: ")
    assert (0, 1) == (code, before.count(f"sealed {seal.sha256}\n"))
    assert str(opening.seed) not in before
    assert after.startswith(f"nonce {opening.nonce}, seed {opening.seed}\n")
    assert "since it was sealed" not in err
    check = ["sha256sum", "-c", "seal.sha256"]
    done = subprocess.run(check, cwd="out", capture_output=True, text=True, check=True)
    assert "opening.json: OK\n" == done.stdout
    told = run_file()["seal"]
    assert seal.sha256 == told["sha256"] == sha256(told["opening"].encode("ascii")).hexdigest()
    assert (4, []) == (told["opened_after"], told["changes"])
    assert run_file()["plan"]["seed"] == str(opening.seed)
    assert {"Even", "Odd"} == opening.bots.keys()
    assert all(opening.bots.values())
    assert ("liars-dice", 2) == (opening.terms["game"], opening.plan["series"])


@pytest.mark.slow
def test_a_seed_is_not_told_before_all_is_played(arena):
    """Neither in the files of a sealed run that was stopped, nor on its screen; nor in run.json of any other run."""
    words = [word if word != "2" else "40" for word in TWO]
    for commit in ("--commit", "--fresh"):
        assert 0 == arena("run", *words, commit, "--max-time", "1ms", "-q")[0]
        with Store.open(Path("out")) as store:
            seed = str(store.meta()["identity"]["seed"])
        told = run_file()
        assert ("stopped", None) == (told["status"], told["plan"]["seed"])
        assert seed not in Path("out/run.json").read_text()
        assert not Path("out/opening.json").exists()
    assert not Path("out/seal.sha256").exists(), "what was begun anew has no seal"


@pytest.mark.slow
def test_a_resumed_run_keeps_its_seal(arena):
    """However it is continued, before its first match too, and whatever changes about it, which is said."""
    words = (*TWO[:4], "--out", "out", "--series")
    _, _, err = arena("run", *words, "2", "--commit", "--max-time", "1ms")
    first = kept_seal()
    assert f"sealed {first.sha256}; the seal is opened when all is played\n" in err
    code, _, err = arena("run", *words, "3", "--commit")
    assert (0, 6, first.sha256) == (code, run_file()["seal"]["opened_after"], kept_seal().sha256)
    assert f"sealed {first.sha256}\n" in err
    assert "since it was sealed: series was 2, and is 3\n" in err
    code, _, err = arena("run", *words, "4")
    assert (0, first.sha256, 6) == (code, kept_seal().sha256, kept_seal().opened_after)
    assert "warning: the seal was opened after 6 matches: whoever has read it knows" in err


@pytest.mark.slow
def test_what_has_not_begun_is_sealed_anew_for_other_terms(arena):
    """Nobody can play with other rules or another seed under a seal that was published for these."""
    arena("run", *TWO, "--commit", "--max-time", "1ms")
    first = kept_seal()
    assert 0 == arena("run", *TWO, "--max-time", "1ms", "--rule", "faces=4")[0]
    second = kept_seal()
    assert 4 == opening_of(second).terms["rules"]["faces"]
    assert 0 == arena("run", *TWO, "--rule", "faces=4", "--seed", str(SEED))[0]
    assert SEED == opening_of(kept_seal()).seed
    assert 3 == len({first.sha256, second.sha256, kept_seal().sha256})


@pytest.mark.slow
def test_what_has_begun_cannot_be_sealed(arena):
    """One sentence and exit code 2, and the folder is as it was; --fresh begins anew, with a seal."""
    arena("run", *TWO)
    before = Path("out/matches.csv").read_bytes()
    code, out, err = arena("run", *TWO, "--commit")
    assert (2, "") == (code, out)
    assert err == (
        "arena: out began without a seal, and what has begun cannot be sealed any more: leave commit out; "
        "--fresh starts over, --out DIR plays elsewhere\n"
    )
    assert before == Path("out/matches.csv").read_bytes()
    assert 0 == arena("run", *TWO, "--commit", "--commit", "--fresh")[0]
    assert Path("out/opening.json").read_text() == kept_seal().opening


def test_a_dry_run_seals_nothing(arena):
    """It says when the seal is made, and leaves no folder."""
    code, _, err = arena("run", *TWO, "--commit", "--dry-run")
    assert (0, False) == (code, Path("out").exists())
    assert "--commit: the seal is printed when the run begins, as its seed is drawn then\n" in err


@pytest.mark.slow
def test_a_seal_that_was_edited_is_found_before_anything_is_played(arena):
    """Whoever edits the database with all its checksums: the hash is not that of the opening."""
    arena("run", *TWO, "--commit")
    with Store.open(Path("out"), write=True) as store:
        seal = seal_of(store)
        edited = seal.opening.replace('"series": 2', '"series": 3')
        assert edited != seal.opening
        store.set_meta(SEAL, attrs.asdict(attrs.evolve(seal, opening=edited)))
    code, _, err = arena("run", *TWO, "--commit")
    assert (2, "arena: out: the seal is not that of the opening which is kept with it\n") == (code, err[-78:])
