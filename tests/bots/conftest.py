"""Bots of any language behind a real socket."""

import pytest
from liars_dice_questions import RemoteBot


@pytest.fixture
def remote():
    """Starts bots as processes; they are killed after the test."""
    bots = []

    def start(command, folder, **environment):
        bots.append(RemoteBot(command, folder, **environment))
        return bots[-1]

    yield start
    for bot in bots:
        bot.end()
