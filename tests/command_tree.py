"""All commands of the program, those of commands too."""

from __future__ import annotations

from collections.abc import Iterator

import click

from arena.cli import cli


def all_commands() -> dict[str, click.Command]:
    """Every command by its words: `run`, `league`, `league new`."""
    return dict(_within(cli, ""))


def _within(group: click.Group, before: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{before}{name}", command
        if isinstance(command, click.Group):
            yield from _within(command, f"{before}{name} ")
