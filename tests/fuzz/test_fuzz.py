"""Every target over its corpus, and over some thousand mutations of it; `python -m tests.fuzz` does more."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path
from random import Random

import msgspec
import pytest
from daily import NIGHTLY, nightly
from hypothesis import given
from hypothesis import strategies as st

from . import __main__, moves, wire
from .mutate import mutations
from .targets import CORPUS, TARGETS

HOUSE = Path(__file__).parents[2]
CORPUS_BYTES_MAX = 100_000
MUTATIONS = {"words": 600, "stored": 100}
"""Of each target 2,000, but for those that take a millisecond and more."""

KEPT = [
    pytest.param(name, path, id=f"{name}-{path.name}")
    for name in TARGETS
    for path in sorted((CORPUS / name).glob("*"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "path"), KEPT)
def test_what_is_kept_breaks_no_promise(name, path):
    """Examples that reach much, and all inputs with which anything was ever found, are judged right."""
    assert TARGETS[name].run(path.read_bytes()) is None


@pytest.mark.slow
@pytest.mark.parametrize("part", [4, *nightly(1)])
@pytest.mark.parametrize("name", list(TARGETS))
def test_mutations_break_no_promise(name, part):
    """Thousands of changed examples, at every change a fourth of them, the same ones every time, are judged right."""
    target = TARGETS[name]
    for data in islice(
        mutations(target.corpus, target.words, Random(1), target.bytes_max), MUTATIONS.get(name, 2000) // part
    ):
        assert target.run(data) is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text()
    | st.sampled_from(moves.WORDS),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(moves.WORDS) | st.text(), inner),
)


@pytest.mark.slow
@given(JSON, st.integers(0, 255))
def test_any_value_is_a_move_or_none(value, question):
    """Hypothesis looks for values as well, and shrinks what it finds."""
    assert moves.codec(bytes([question, 0]) + msgspec.json.encode(value)) is None


@pytest.mark.slow
@given(
    st.lists(JSON.map(msgspec.json.encode) | st.binary(max_size=9), max_size=5),
    st.binary(min_size=3, max_size=3),
)
def test_any_text_is_read_as_json_reads_it(texts, head):
    """Values and junk in any order: split anywhere the same, and what `json` and `msgspec` find in them."""
    assert wire.stream(head + b" ".join(texts)) is None


def _of_any_depth(stream, line):
    """A line that is an object, without a look at its brackets."""
    try:
        return msgspec.json.decode(line)
    except ValueError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place", "defect"),
    [
        pytest.param("stream", "arena.wire.json_stream.JsonStream._whole", _of_any_depth, id="any depth"),
        pytest.param(
            "connection",
            "arena.wire.connection._number",
            lambda id: {}[id],
            id="ids are looked up",
            marks=NIGHTLY,
        ),
        pytest.param(
            "codec",
            "arena.match.game.Subset.__contains__",
            lambda of, value: bool(value),
            id="any cards",
            marks=NIGHTLY,
        ),
        pytest.param(
            "plan",
            "arena.reading.strict.did_you_mean",
            lambda word, words: word,
            id="words as they are",
            marks=NIGHTLY,
        ),
    ],
)
def test_targets_find_what_they_are_for(monkeypatch, name, place, defect):
    """With a defect put in, mutations find it."""
    monkeypatch.setattr(place, defect)
    target = TARGETS[name]
    inputs = islice(mutations(target.corpus, target.words, Random(1), target.bytes_max), 20_000)
    with pytest.raises(Exception):  # noqa: B017 - whichever promise it breaks first
        list(map(target.run, inputs))


def test_the_corpus_is_small():
    """A few kilobytes a target: it is kept for ever."""
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < CORPUS_BYTES_MAX
    assert set(TARGETS) == {path.name for path in CORPUS.iterdir()}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan"], 'atheris is not installed: `pip install -e ".[dev]"`'),
        (["plans"], "no such target: plans; there are bot, codec, "),
    ],
)
def test_what_cannot_be_fuzzed_is_a_sentence(monkeypatch, capsys, words, said):
    """Without the dev extra, or with a wrong word: no traceback, and what would be right."""
    monkeypatch.setitem(sys.modules, "atheris", None)
    monkeypatch.setattr(sys, "argv", ["tests.fuzz", *words])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert said in f"{ended.value.code}{capsys.readouterr().err}"


@pytest.mark.slow
@pytest.mark.nightly
def test_the_guided_fuzzer_starts():
    """A few inputs by atheris, where it is installed: nothing else in the suite runs it."""
    pytest.importorskip("atheris", reason="not tried: atheris has no wheel here")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "plan", "--runs", "200", "--seconds", "20"],
        cwd=HOUSE,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == ended.returncode, ended.stderr[-2000:]
    assert "stat::number_of_executed_units: 200" in ended.stderr
