"""A league in its second year: 1,000 owners, 3,000 versions, 1,000,000 matches; what its pages ask takes no longer."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.ladder.messages import LadderRow, StandingsSaid
from arena.league.joining import hash_of_token
from arena.league.league import League, LeagueEntry, LeagueSettings, Owner, TokenHolder, Version
from tests.bench.league import OWNERS, VERSIONS
from tests.server.league_rest import AT, league_rest

PAGE_S = 0.3
"""How long whatever a page asks may take, of processor time: other programs may run beside."""
SERVER_MB = 400.0


def crowded() -> League:
    """The league whose matches `tests.bench.league` makes."""
    numbers = range(1, OWNERS + 1)
    states = ["replaced"] * (VERSIONS - 1) + ["playing"]
    versions = tuple(
        Version(place, f"{place:064x}", 1.0, state, played_at=2.0) for place, state in enumerate(states, 1)
    )
    return League(
        LeagueSettings("class", "liars-dice", seats=2),
        1.0,
        owners={
            f"o{n}": Owner(f"o{n}", f"owner {n}", 1.0, (TokenHolder(hash_of_token(f"token {n}"), 1.0),))
            for n in numbers
        },
        entries={f"b{n}": LeagueEntry(f"b{n}", f"o{n}", f"bot {n}", versions) for n in numbers},
    )


@pytest.mark.slow
@pytest.mark.nightly
async def test_pages_are_as_quick_as_ever(tmp_path: Path) -> None:
    """The league's page and its owner's, whatever each of them asks; the server stays small."""
    folder = tmp_path / "leagues" / "class"
    command = [sys.executable, "-m", "tests.bench.league", str(folder)]
    subprocess.run(command, check=True, timeout=3_600)  # noqa: ASYNC221
    async with league_rest(folder=tmp_path) as rest:
        rest.server.leagues.restore([crowded()])
        rows = tuple(LadderRow(f"b{n}@{VERSIONS}", n, n + 9, 1500.0, 80.0, 300) for n in range(1, OWNERS + 1))
        rest.live.note_standings(StandingsSaid(5_760, 1_000_000, rows))
        of_bot = f"{AT}/bots/b7/matches"
        lost = (await rest.get(f"{of_bot}?only=lost", "token 7"))["matches"][0]
        film = f"{AT}/matches/{lost['match_id']}/film"
        asked = (
            *(AT, f"{AT}/me", f"{AT}/standings", f"{AT}/owners", f"{AT}/bots", f"{AT}/bots/b7"),
            *(
                of_bot,
                f"{of_bot}?only=lost",
                f"{of_bot}?only=faults",
                f"{of_bot}?first=1950",
                film,
                f"{AT}/epochs",
            ),
        )
        took = {path: min([await seconds_of(rest, path) for _ in range(3)]) for path in asked}
    print("\n".join(f"{1000 * s:6.1f} ms  {path}" for path, s in took.items()))
    assert {} == {path: s for path, s in took.items() if s > PAGE_S}
    unit = 1 if sys.platform == "darwin" else 1024
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    print(f"{peak_mb:.0f} MB at most")
    assert peak_mb <= SERVER_MB


async def seconds_of(rest, path: str) -> float:
    began = time.process_time()
    await rest.get(path, "token 7")
    return time.process_time() - began
