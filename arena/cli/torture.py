"""`arena torture`: tries the arena with misbehaving bots."""

from __future__ import annotations

import click

from arena.cli import completion
from arena.cli.group import cli, options
from arena.errors import ConfigError


@cli.command(
    epilog="Exit codes: 0 every promise held; 1 one was broken; 2 a mistake in what was asked; "
    "70 a bug in the arena; 130 Ctrl-C; 143 SIGTERM."
)
@click.argument("bots", metavar="[BOT…]", nargs=-1, shell_complete=completion.bots)
@options(
    "What is tried",
    ("--only", "*HABIT", "Only this habit; may be repeated."),
    ("--game", "NAME", "What BOT plays: a name, a .py file or module:Class.  [its own, or liars-dice]"),
    ("--quick", None, "A third of the matches."),
    ("--sandbox", "shield|strict|off", "What confines the bots.  [shield]"),
    (
        "--box",
        None,
        "Habits, attacks and signals in every box of this machine; as root also by another user.",
    ),
)
@options("Results", ("--json", "as_json", None, "Print as JSON."))
def torture(
    bots: tuple[str, ...],
    only: tuple[str, ...],
    game: str | None,
    sandbox: str | None,
    box: bool,
    quick: bool,
    as_json: bool,
) -> int:
    """Play bots that misbehave, and check that no other is affected.

    Each of some seventy misbehaving bots and strangers plays two honest ones in a run of its own.  A row
    says what it was charged with, how long it delayed the run, how much memory the arena used, how many
    processes were left, and how much later the honest bots answered.  A BOT is tried in the same way, and
    shown beside them.

    \b
    Examples:
      arena torture --quick
      arena torture ./mybot --only crash
      arena torture --box --quick
    """
    if box:
        from arena.trials.torture.boxes import boxes_command

        if bots or game or sandbox:
            raise ConfigError(
                "--box tries its own programs in every box: leave out all but --only and --quick"
            )
        return boxes_command(only, quick=quick, json=as_json)
    from arena.trials.torture.command import torture_command

    return torture_command(bots, only, quick=quick, json=as_json, game=game or "", sandbox=sandbox or "")
