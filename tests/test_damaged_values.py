"""Values of a kind that nobody wrote, as one flipped bit of a record's header makes them: told as damage."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import attrs
import pytest
import trio
from tournaments import SHORT, play

from arena.errors import ConfigError
from arena.store import DATABASE, Store
from arena.tournament.folder.stored import stored_form, stored_plan
from arena.tournament.plan import Plan, identity

NO_UTF8 = "CAST(x'7b22ff227d' AS TEXT)"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder as its run left it."""
    folder = tmp_path_factory.mktemp("whole")
    trio.run(lambda: play(folder, series=1))
    with Store.open(folder, write=True) as store:
        plan = Plan(seed=1, series=1, rules=attrs.asdict(SHORT))
        store.set_meta("identity", identity(plan, SHORT))
        store.set_meta("plan", stored_form(plan, folder))
    return folder


@pytest.fixture
def damaged(whole, tmp_path):
    """Makes a copy in which this SQL was carried out."""

    def damaged(*statements: str):
        (tmp_path / DATABASE).write_bytes((whole / DATABASE).read_bytes())
        db = sqlite3.connect(tmp_path / DATABASE)
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()
        return tmp_path

    return damaged


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("UPDATE meta SET key = CAST(key AS BLOB) WHERE key = 'plan'", "meta"),
        (f"UPDATE meta SET value = {NO_UTF8} WHERE key = 'plan'", "meta"),
        ("UPDATE bots SET bot = CAST(bot AS BLOB) WHERE bot = 'ann'", "bots"),
        ("UPDATE checksums SET part = CAST(part AS BLOB) WHERE part = 'bot ann'", "bots"),
        ("UPDATE seats SET match = 'x' WHERE match = (SELECT MAX(match) FROM seats)", "matches"),
        ("UPDATE decisions SET match = x'ff' WHERE match = (SELECT MAX(match) FROM decisions)", "matches"),
        ("UPDATE matches SET series_id = 5 WHERE number = 1", "matches"),
    ],
    ids=str,
)
def test_values_of_another_kind_are_damage(damaged, whole, statement, part):
    """Whatever stands where a text or a number was: the rest is read, and it is said what is damaged."""
    with Store.checked(whole) as store:
        matches = store.size()
    with Store.checked(damaged(statement)) as store:
        assert store.damage is not None
        assert part in ({"matches"} if store.damage.lost else store.damage.parts)
        assert matches - store.damage.lost == len(list(store.matches()))


def damage_of(folder: Path) -> object:
    """What a store says of its damage."""
    with Store.checked(folder) as store:
        return store.damage


@pytest.mark.parametrize(
    "read", [damage_of, lambda folder: stored_plan(folder).damage], ids=["the store", "its plan"]
)
@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE meta SET value = {NO_UTF8} WHERE key = 'plan'",
        f"UPDATE sqlite_master SET name = {NO_UTF8}, sql = 'CREATE TABLE' WHERE name = 'bots'",
    ],
    ids=["a text", "the schema"],
)
def test_what_is_no_utf8_is_a_sentence(damaged, read, statement):
    """Neither a text that is none any more nor SQLite's own words about it end in a traceback."""
    folder = damaged("PRAGMA writable_schema = 1", statement)
    try:
        told = read(folder)
    except ConfigError as error:
        told = error
    assert "damaged" in str(told)


def test_a_header_of_another_format_is_damage(damaged):
    """One flipped bit in the header, of which SQLite says no more than that it is an error."""
    path = damaged() / DATABASE
    content = bytearray(path.read_bytes())
    content[47] ^= 1  # the schema format, which is 1 to 4
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="is damaged"):
        Store.checked(path.parent)
