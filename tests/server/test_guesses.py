"""Codes that are guessed: slowly from one address, and without shutting out whoever shares it."""

from __future__ import annotations

import pytest
import trio

from arena.server.league.guesses import WAIT_MAX_S, WRONG_AT_ONCE
from tests.server.league_rest import AT, league_rest


@pytest.mark.slow
async def test_forty_at_once_and_one_who_is_right(autojump_clock: trio.testing.MockClock) -> None:
    """After ten wrong ones no answer comes at once, the right one neither; nobody is refused for others' guesses."""
    answers = list[tuple[float, int]]()
    async with league_rest() as rest:
        code = await rest.league()
        token = await rest.join("Ann", code)

        async def tries(code: str) -> None:
            began_at = trio.current_time()
            status, _ = await rest.ask("POST", f"{AT}/owners", {"name": f"n {code}", "code": code})
            answers.append((trio.current_time() - began_at, status))

        for number in range(WRONG_AT_ONCE):
            await tries(f"wrong-{number}")
        assert [(0.0, 403)] * WRONG_AT_ONCE == answers
        answers.clear()
        began_at = trio.current_time()
        async with trio.open_nursery() as nursery:
            for number in range(40):
                nursery.start_soon(tries, f"guess-{number}")
            nursery.start_soon(tries, code)
        assert 41 == len(answers)
        assert all(0.0 < waited_s <= WAIT_MAX_S for waited_s, _ in answers)
        assert [201] + [403] * 40 == sorted(status for _, status in answers)
        began_at = trio.current_time()
        assert (await rest.get(f"{AT}/me", token))["owner"]["name"] == "Ann"
        assert began_at == trio.current_time()
        assert (await rest.ask("GET", AT, token="guessed"))[0] == 401
        assert began_at + WAIT_MAX_S == trio.current_time()
