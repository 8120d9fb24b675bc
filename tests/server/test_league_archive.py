"""Leagues as files: of one moment while they are played, gone on with elsewhere, and refused where they are no leagues."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import attrs
import msgspec
import pytest
import trio
from calls import called

from arena.errors import ConfigError
from arena.ladder.messages import StandingsSaid
from arena.league.entering import hand_in, note_state
from arena.league.joining import hash_of_token
from arena.league.league import League
from arena.server.kept.keeping import open_keeper
from arena.server.league.league_archive import HEAD, RESULTS, ArchiveHead, export_league, import_league
from arena.server.league.league_records import KeptLeagues
from arena.server.league.small_files import Forgotten, note_forgotten
from arena.store import Store
from arena.tournament.folder.published import remove_private
from tests.ladder.ladders import Server, house
from tests.ladder.ladders import league as a_ladder
from tests.server.league_rest import league_rest

pytestmark = pytest.mark.slow
BOTS = ("# Ann's bot\n", "# Bob's bot\n")


@attrs.frozen
class Kept:
    """A league that was played, and the file that was made of it meanwhile."""

    file: Path
    shared: Path
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Ann and Bob have bots that play; both files were made while matches were booked."""
    home = tmp_path_factory.mktemp("kept")

    async def play() -> dict[str, str]:
        data = home / "data"
        with open_keeper(data, tell=print) as keeper:
            async with trio.open_nursery() as nursery:
                await nursery.start(keeper.run)
                async with league_rest(folder=data, records=KeptLeagues(keeper)) as rest:
                    code = await rest.league(rules={"dice": 1})
                    tokens = {name: await rest.join(name, code) for name in ("Ann", "Bob")}
                    for token, bot in zip(tokens.values(), BOTS, strict=True):
                        await rest.post("/api/leagues/class/versions?file=bot.py", bot.encode(), token)
                    for id, why in (("b1@1", "Ann"), ("b2@1", "Bob")):
                        rest.live.change(note_state(rest.live.league, id, "playing", why, "", 2.0))
                    await rest.live.kept()
                    async with a_ladder(data / "leagues" / "class") as server:
                        await server.wants(house(1, "Steady"), house(2, "Doubter"))
                        await until_more(server, data / "leagues" / "class", 0)
                        for name, has_people in (("whole.zip", True), ("shared.zip", False)):
                            export = partial(export_league, data, "class", home / name, has_people=has_people)
                            assert (await trio.to_thread.run_sync(export)).matches > 0
                nursery.cancel_scope.cancel()
        return tokens

    tokens = trio.run(play)
    return Kept(home / "whole.zip", home / "shared.zip", tokens)


async def until_more(server: Server, folder: Path, matches: int) -> None:
    """Returns once more than so many are in a league's folder."""
    while True:
        await server.hear(StandingsSaid)
        with Store.open(folder) as store:
            if store.size() > matches:
                return


def leagues_in(data: Path) -> list[League]:
    with open_keeper(data, tell=print) as keeper:
        return list(KeptLeagues(keeper).leagues(print))


def rewritten(kept: Kept, place: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> Path:
    """The archive with other files in it: None leaves one out."""
    with zipfile.ZipFile(kept.file) as whole, zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as other:
        for name in whole.namelist():
            if (changed := change(name, whole.read(name))) is not None:
                other.writestr(*changed)
    return place


async def test_a_league_goes_on_elsewhere(kept: Kept, tmp_path: Path) -> None:
    """The same tokens and files, the matches as they were; what is played there comes on top of them."""
    moved = import_league(kept.file, tmp_path, 2000.0)
    assert ("class", 2, 2, []) == (moved.name, moved.owners, moved.versions, moved.lost)
    (league,) = leagues_in(tmp_path)
    for name, token in kept.tokens.items():
        assert name == getattr(league.holder(hash_of_token(token)), "name", "")
    files = {path.read_text() for path in (tmp_path / "bots").glob("*/bot.py")}
    assert set(BOTS) == files
    folder = tmp_path / "leagues" / "class"
    assert 0 == called("verify", folder)[0]
    async with a_ladder(folder) as server:
        await server.wants(house(1, "Steady"), house(2, "Doubter"))
        await until_more(server, folder, moved.matches)
    assert 0 == called("verify", folder)[0]
    with pytest.raises(ConfigError, match="there is a league class here already"):
        import_league(kept.file, tmp_path, 2000.0)
    assert "is there already" in called("league", "export", "class", kept.file, "--data", tmp_path)[2]


def test_what_was_lost_is_named(kept: Kept, tmp_path: Path) -> None:
    """Its owner reads why it does not play, and the same files are a new version."""
    league = league_of(kept.file)
    (bob,) = league.entry("b2").versions
    other = rewritten(
        kept, tmp_path / "a.zip", lambda name, octets: None if bob.hash in name else (name, octets)
    )
    assert ["b2@1"] == import_league(other, tmp_path / "data", 2000.0).lost
    (there,) = leagues_in(tmp_path / "data")
    assert ("playing", "failed") == (there.entry("b1").versions[0].state, there.entry("b2").versions[0].state)
    assert "hand it in again" in there.entry("b2").versions[0].reason
    assert hand_in(there, "o2", "", bob.hash, 3000.0)[1].is_new


def test_who_was_forgotten_stays_so(kept: Kept, tmp_path: Path) -> None:
    """In a backup from before it as well, if the server's folder knows of it."""
    made_at = league_of(kept.file).made_at
    note_forgotten(tmp_path, Forgotten("class", made_at, "o1"))
    note_forgotten(tmp_path, Forgotten("class", made_at + 1, "o2"))
    import_league(kept.file, tmp_path, 2000.0)
    (league,) = leagues_in(tmp_path)
    assert 2000.0 == league.owners["o1"].forgotten_at
    assert "Ann" not in str(league)
    assert "Bob" == league.owner("o2").name
    assert [BOTS[1]] == [path.read_text() for path in (tmp_path / "bots").glob("*/bot.py")]


def test_a_shared_league_has_nobody_in_it(kept: Kept, tmp_path: Path) -> None:
    """Neither names and tokens nor what was handed in, nor where it lay; its results are read as ever."""
    with zipfile.ZipFile(kept.shared) as archive:
        assert [HEAD, RESULTS] == archive.namelist()
        whole = b"".join(map(archive.read, archive.namelist()))
        archive.extractall(tmp_path)
    secrets = ["Ann", "Bob", str(kept.file.parent), *map(hash_of_token, kept.tokens.values())]
    assert [] == [secret for secret in secrets if secret.encode() in whole]
    assert 0 == called("verify", tmp_path / "results")[0]
    with pytest.raises(ConfigError, match="without people"):
        import_league(kept.shared, tmp_path / "data", 2000.0)


def test_what_is_shared_says_nothing_of_files_faults_and_hosts(kept: Kept, tmp_path: Path) -> None:
    """Not even in parts of the database that are not used any more; what is left can be computed again."""
    results = tmp_path / "results"
    results.mkdir()
    with zipfile.ZipFile(kept.file) as archive:
        (results / "arena.db").write_bytes(archive.read(RESULTS))
    with closing(sqlite3.connect(results / "arena.db")) as db, db:
        db.execute("UPDATE decisions SET reason = 'secret words' WHERE match = 1")
        db.execute("INSERT INTO capsules VALUES (1, 0, 0, CAST(? AS BLOB))", ("secret print " * 1000,))
        db.execute("INSERT INTO places VALUES (1, 'secret host', '')")
        db.execute("UPDATE bots SET path = '/secret/path', fingerprint = 'secret print of files'")
    remove_private(results)
    assert b"secret" not in (results / "arena.db").read_bytes()
    assert 0 == called("verify", results)[0]


def test_a_bot_that_connects_is_moved_too(kept: Kept, tmp_path: Path) -> None:
    """It has no files, which is no sign of an archive by others."""
    hashes = {version.hash for entry in league_of(kept.file).entries.values() for version in entry.versions}

    def connects(name: str, octets: bytes) -> tuple[str, bytes] | None:
        for hash in hashes:
            octets = octets.replace(b'"%s"' % hash.encode(), b'""')
        return (name, octets) if name in (HEAD, RESULTS) else None

    moved = import_league(rewritten(kept, tmp_path / "a.zip", connects), tmp_path / "data", 2000.0)
    assert (2, []) == (moved.owners, moved.lost)


def league_of(file: Path) -> League:
    with zipfile.ZipFile(file) as archive:
        return msgspec.json.decode(archive.read(HEAD), type=ArchiveHead).league


def edited(old: bytes, new: bytes) -> Callable[[str, bytes], tuple[str, bytes]]:
    """Replaces a word of the head."""
    return lambda name, octets: (name, octets.replace(old, new) if name == HEAD else octets)


BAD = [
    ("a path upwards", lambda name, octets: (f"../{name}", octets), "leads upwards"),
    ("another file", lambda name, octets: (f"{name}.exe", octets), "no part of a league"),
    ("no matches", lambda name, octets: None if name == RESULTS else (name, octets), "missing"),
    (
        "no database",
        lambda name, octets: (name, b"x" if name == RESULTS else octets),
        "its database is empty",
    ),
    ("a newer arena", edited(b'"format":1', b'"format":9'), "update this one"),
    ("no league", edited(b'"format":1', b"?"), "damaged"),
    ("a league in another folder", edited(b'"name":"class"', b'"name":"../class"'), "lower-case letters"),
    ("files of another folder", edited(b'"hash":"', b'"hash":"../'), "a version without files"),
    ("other rules", edited(b'"rules":{"dice":1}', b'"rules":{"dice":2}'), "played by other rules"),
    ("a bomb", lambda name, octets: (name, bytes(20 << 20) if name == RESULTS else octets), "larger than"),
]


@pytest.mark.parametrize(("change", "said"), [each[1:] for each in BAD], ids=[each[0] for each in BAD])
def test_what_is_no_league_changes_nothing(
    change: Callable[[str, bytes], tuple[str, bytes] | None], said: str, kept: Kept, tmp_path: Path
) -> None:
    """One sentence says what is wrong, and of what was unpacked nothing is left."""
    bad = rewritten(kept, tmp_path / "a.zip", change)
    with pytest.raises(ConfigError) as told:
        import_league(bad, tmp_path / "data", 2000.0)
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert [] == leagues_in(tmp_path / "data")
    assert [] == [*(tmp_path / "data").glob("leagues/*"), *(tmp_path / "data").glob("leagues/.*")]


def test_an_import_that_was_killed_is_begun_anew(kept: Kept, tmp_path: Path) -> None:
    """What it left in the place of the results is of no league; what somebody else put there is not touched."""
    (tmp_path / "leagues" / "class").mkdir(parents=True)
    with pytest.raises(ConfigError, match="belongs to no league"):
        import_league(kept.file, tmp_path, 2000.0)
    (tmp_path / "leagues" / "class" / ".importing").touch()
    assert 2 == import_league(kept.file, tmp_path, 2000.0).owners
    assert not (tmp_path / "leagues" / "class" / ".importing").exists()
