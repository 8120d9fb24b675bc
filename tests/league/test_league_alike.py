"""Where two owners handed in equal files: what hosts are told, and nobody else."""

from __future__ import annotations

from arena.league.alike import alike_owners
from arena.league.entering import hand_in
from arena.league.joining import forget_owner, join_league
from arena.league.league import League, LeagueSettings
from tests.server.league_rest import AT, league_rest, zipped


def a_league(*hashes: str) -> League:
    """One owner for each, who handed it in; `o1` the first."""
    league = League(LeagueSettings("class", "liars-dice", join="open"), 1.0)
    for number, hash in enumerate(hashes, 1):
        league, _ = join_league(league, f"Owner {number}", None, f"token {number}", 1.0)
        league, _ = hand_in(league, f"o{number}", "", hash, 2.0)
    return league


def test_equal_versions_come_first_and_files_of_many_are_left_out() -> None:
    own = {"a": {"f1": "bot.py", "common": "run.sh"}, "b": {"f1": "main.py", "f2": "b.py", "common": "x"}}
    files = {**own, "c": {"common": "y"}, "d": {"common": "y"}}
    found = alike_owners(a_league("a", "b", "c", "d", "c"), files)
    assert [(each.owners, each.is_whole, each.paths) for each in found] == [
        (("o3", "o5"), True, ()),
        (("o1", "o2"), False, ("bot.py",)),
    ]
    assert found[1].versions == ("b1@1", "b2@1")


def test_a_version_that_many_handed_in_is_told_of_each_once() -> None:
    """A class that hands in the starter as it is is no list of all pairs."""
    found = alike_owners(a_league(*["a"] * 7), {"a": {"f": "bot.py"}})
    assert [each.owners for each in found] == [(f"o{number}", f"o{number + 1}") for number in range(1, 7)]


def test_who_was_forgotten_is_not_compared() -> None:
    league, _ = forget_owner(a_league("a", "a"), "o2", "Eva", 3.0)
    assert alike_owners(league, {"a": {}}) == []


async def test_hosts_alone_see_equal_files() -> None:
    async with league_rest() as rest:
        code = await rest.league()
        tokens = [await rest.join(name, code) for name in ("Ann", "Bob")]
        shared = b"# how to play\n" * 40
        for place, token in enumerate(tokens):
            archive = zipped(bot__py=b"# %d" % place, plan__py=shared)
            await rest.post(f"{AT}/versions", archive, token)
        (found,) = await rest.get(f"{AT}/alike", rest.server.host)
        assert (found["names"], found["is_whole"], found["paths"]) == (["Ann", "Bob"], False, ["plan.py"])
        for token, status in ((tokens[0], 403), (None, 401)):
            assert (await rest.ask("GET", f"{AT}/alike", token=token))[0] == status
