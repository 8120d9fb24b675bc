"""Finished matches of tables: each with its own game, kept once, read by the commands that read results folders."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path
from random import Random

import attrs
import pytest

from arena.analysis import load
from arena.cli import cli
from arena.errors import ConfigError
from arena.games import GAMES
from arena.games.blef import Blef
from arena.games.holdem import Holdem
from arena.games.liars_dice import LiarsDice
from arena.match.game import CHANCE, Game
from arena.match.record import Decision, MatchRecord
from arena.server.kept.archive import FinishedTable, entry_of, open_archive
from arena.server.kept.keeping import NotKept
from arena.store import DATABASE, Store, store_lock
from arena.telling.replay import EVERYBODY, SPECTATOR, Replay, replay_of, viewer_of
from arena.testing.games import random_match
from arena.tournament.folder.stored import stored_game

NAMES = ("ann", "bob", "cat")
SHORT = {"holdem": Holdem(hands=2), "liars-dice": LiarsDice(dice=2)}
PLAYED = [SHORT.get(name) or GAMES[name]() for name in GAMES]
PLAYED.append(Holdem(hands=1, reset_stacks=False, stacks=(500, 2_000, 10_000)))
"""A game each, and a hand of a ring table, whose house rules differ from hand to hand."""


def finished(game: Game, number: int = 0, seats: int = 3, **more) -> FinishedTable:
    """A random match of ann, bob and cat, the last of whom is a bot with a fault."""
    played = list(random_match(game, seats, Random(number)))
    turns = tuple(moves for moves, _ in played)
    state = played[-1][1].state
    record = MatchRecord(
        turns=turns,
        decisions=decisions(turns),
        ranks=game.ranks(state),
        returns=game.returns(state),
        abandoned=(False,) * seats,
        duration_s=12.5,
    )
    values = {
        "match_id": f"{number:012x}",
        "table_id": "8d0e8f6a-7e1b-4bb0-8a55-7b8f4ab0a6d6",
        "game": game,
        "names": NAMES[:seats],
        "kinds": ("person", "person", "bot")[:seats],
        "seed": 0xDEADBEEFDEADBEEF + number,
        "record": record,
        "started_at": 1_800_000_000.0 + number,
    }
    return FinishedTable(**values | more)


def decisions(turns) -> tuple[Decision, ...]:
    """All of them; the first one of the last seat has a fault."""
    made = [
        Decision(turn, seat, move, 0.25)
        for turn, moves in enumerate(turns)
        for seat, move in moves.items()
        if seat != CHANCE
    ]
    place = next(place for place, each in enumerate(made) if each.seat == max(one.seat for one in made))
    made[place] = made[place]._replace(fault="too_late", reason="no answer within 30 s")
    return tuple(made)


@pytest.fixture
def tables(tmp_path, monkeypatch) -> Path:
    """The folder of an archive with a match of each game, and one with house rules of its own."""
    monkeypatch.chdir(tmp_path)
    with open_archive(tmp_path) as archive:
        for number, game in enumerate(PLAYED):
            archive.add(finished(game, number))
    return tmp_path / "tables"


def arena(*words: str) -> int:
    return cli.main(words, standalone_mode=False) or 0


def test_every_match_is_replayed_by_its_own_rules(tables):
    """The scenes of everybody, of a seat and of a spectator are those of the match as it was played."""
    with Store.checked(tables) as store:
        assert store.damage is None
        found = list(store.matches())
        assert [f"{number:012x}" for number in range(len(found))] == [match.match_id for match in found]
        for number, (match, game) in enumerate(zip(found, PLAYED, strict=True)):
            kept = replay_of(store, match, stored_game(store, match=match))
            assert kept.game == game
            assert [row.fault for row in store.decisions(match.match_id)] == ["too_late"]
            assert (match.own_game.kinds, match.started_at) == (
                ("person", "person", "bot"),
                1_800_000_000.0 + number,
            )
            played = Replay(
                attrs.evolve(match, packed=entry_of(finished(game, number)).packed), game, kept.decisions
            )
            for viewer in (EVERYBODY, SPECTATOR, viewer_of(match, "bob")):
                assert list(kept.scenes(viewer)) == list(played.scenes(viewer))


@pytest.mark.slow
def test_the_commands_that_read_matches_read_it(tables, capsys):
    """`matches` lists all games in order of time, by the names of who played; `replay` tells each."""
    assert arena("matches", str(tables), "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [f"{number:012x}" for number in range(len(GAMES) + 1)] == [row["match_id"] for row in listed]
    assert {"ann; bob; cat"} == {row["bots"] for row in listed}
    assert arena("matches", str(tables), "--bot", "ann", "--fault", "any", "--limit", "2") == 0
    for row in listed:
        assert arena("replay", row["match_id"], str(tables)) == 0
    assert arena("replay", "000000000005", str(tables), "--as", "bob") == 0
    told = capsys.readouterr().out
    assert all(cls.title in told for cls in GAMES.values())
    assert len(load(tables).matches) == len(listed)
    assert set(load(tables).matches["game"]) == set(GAMES)


@pytest.mark.parametrize(
    "words",
    [
        "leaderboard {folder}",
        "leaderboard {folder} --bot ann",
        "report {folder}",
        "run --resume {folder}",
        "run odds bluffer --out {folder}",
        "run odds bluffer --out {folder} --fresh",
        "run odds bluffer --out {folder} --dry-run",
        "compare --resume {folder}",
        "replay 000000000001 {folder} --as ann --logs",
        "verify {folder}",
    ],
)
def test_what_asks_for_a_tournament_is_told_in_one_sentence(tables, words):
    """And nothing is changed, least of all by `--fresh`."""
    before = {path.name: path.read_bytes() for path in tables.iterdir()}
    with pytest.raises(ConfigError) as error:
        arena(*words.format(folder=tables).split())
    assert "matches of a server's tables" in str(error.value)
    assert "\n" not in str(error.value)
    assert before == {path.name: path.read_bytes() for path in tables.iterdir()}


def test_a_match_is_kept_once(tmp_path):
    """A server that was killed before it forgot the match adds it again, in its next life too."""
    match = finished(LiarsDice(dice=2), 1)
    with open_archive(tmp_path) as archive:
        archive.add(match)
        archive.add(match)
    with open_archive(tmp_path) as archive:
        archive.add(match)
        archive.add(finished(LiarsDice(dice=2), 2))
    with Store.checked(tmp_path / "tables") as store:
        assert store.damage is None
        assert [1, 2] == [int(match.match_id, 16) for match in store.matches()]
        assert ["ann", "bob", "cat"] == [bot.bot for bot in store.bots()]


def test_a_full_disk_leaves_a_match_for_later(tmp_path):
    """The sentence names no option of a run; nothing of the match is there, and it can be added again."""
    with open_archive(tmp_path) as archive:
        archive.add(finished(LiarsDice(), 1))
        archive._store.connection.execute("PRAGMA max_page_count = 1")
        match = finished(LiarsDice(), 2, names=("x" * 24, "y" * 24, "z" * 24))
        fault = match.record.decisions[0]._replace(fault="gone", reason="long " * 10_000)
        match = attrs.evolve(match, record=attrs.evolve(match.record, decisions=(fault,)))
        with pytest.raises(
            NotKept, match=r"match 000000000002 is not in .*tables yet: the disk is full"
        ) as error:
            archive.add(match)
        assert "--" not in str(error.value)
        assert archive._store.size() == 1
        archive._store.connection.execute("PRAGMA max_page_count = 100000")
        archive.add(match)
        assert archive._store.size() == 2


def test_a_match_at_which_the_rules_failed_is_kept_too(tmp_path):
    """Aborted, with its traceback, as in a tournament."""
    record = MatchRecord(({CHANCE: "no move"},), (), (), (), (False,) * 3, error="Traceback: …")
    with open_archive(tmp_path) as archive:
        archive.add(finished(Blef(), 1, record=record))
    with Store.checked(tmp_path / "tables") as store:
        assert [("aborted", "Traceback: …")] == [(match.status, match.error) for match in store.matches()]


def test_a_running_match_is_not_taken():
    """What it hides would be in a file that people read."""
    match = finished(LiarsDice(), 1)
    with pytest.raises(AssertionError, match="what a running match hides"):
        attrs.evolve(match, record=attrs.evolve(match.record, ranks=()))


def test_a_game_of_another_version_is_not_replayed(tables, monkeypatch):
    """It would be another match."""
    monkeypatch.setattr(LiarsDice, "version", 99)
    with Store.open(tables) as store:
        match = next(match for match in store.matches() if match.game == LiarsDice.name)
        with pytest.raises(
            ConfigError, match=r"was played with version 1 of liars-dice, and this arena has version 99"
        ):
            stored_game(store, match=match)


@pytest.mark.parametrize("change", ["rules = '{}'", "kinds = '[]'", "version = 9"])
def test_damage_of_a_match_is_noticed_and_the_others_are_shown(tables, capsys, change):
    """House rules are under the checksum of their match, as everything else is."""
    db = sqlite3.connect(tables / DATABASE)
    db.execute(f"UPDATE games SET {change} WHERE match = 3")
    db.commit()
    db.close()
    with Store.checked(tables) as store:
        assert store.damage.match_ids == ("000000000002",)
    assert arena("matches", str(tables), "--json") == 2
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == len(GAMES)
    assert "a copy of the folder, if there is one, may be whole" in err


def test_removing_a_match_leaves_nothing_of_it(tables):
    """Its house rules go with it."""
    with Store.open(tables, write=True) as store:
        store.remove(["000000000002"])
        assert [] == list(store.rows("SELECT * FROM games WHERE match = 3"))
    with Store.checked(tables) as store:
        assert (None, len(GAMES)) == (store.damage, store.size())


def test_one_server_writes_it_and_no_run_does(tmp_path):
    """While it is open, whatever wants to write there is refused; afterwards it is as private as any folder."""
    with open_archive(tmp_path / "data") as archive:
        archive.add(finished(LiarsDice(), 1))
        with (
            pytest.raises(ConfigError, match=rf"another process \({os.getpid()}\) is writing"),
            open_archive(tmp_path / "data"),
        ):
            pytest.fail("opened")
        with pytest.raises(ConfigError, match="another run"), store_lock(tmp_path / "data" / "tables"):
            pytest.fail("locked")
    assert (tmp_path / "data" / "tables").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "data" / "tables" / DATABASE).stat().st_mode & 0o777 == 0o600


def test_a_tournament_in_its_place_is_left_alone(tmp_path):
    """Somebody gave the folder of a run as `--data`."""
    Store.create(tmp_path / "tables", meta={"game_version": 1}).close()
    with pytest.raises(ConfigError, match="tables holds a tournament: move it away"), open_archive(tmp_path):
        pytest.fail("opened")


def test_ids_sort_as_time_goes(tmp_path):
    """Readers list matches by these; two of the same moment differ."""
    ids = [
        entry_of(finished(LiarsDice(), number, started_at=at)).pairing.id
        for number, at in enumerate((9.5, 9.5, 10.25, 2e9))
    ]
    assert ids == sorted(set(ids))
    assert re.fullmatch(r"19700101T000009\.500000Z/000000000000", ids[0])
