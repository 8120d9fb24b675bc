"""Versions of the built-in bots that differ in a constant: near copies, as a developer compares them."""

from __future__ import annotations

import importlib.util
from typing import Any

from arena.sdk import Bot
from arena.tournament.bots.entrants import builtin_bots


def version_with(file: str, name: str, **constants: Any) -> type[Bot]:
    """A built-in bot's class, from a copy of its module in which these constants differ.

    `file` is a path within `bots/`, `name` that of the class.  A constant that the module does not have is
    our mistake: both versions would be the same.
    """
    path = builtin_bots()[file.split("/")[0]].parent / file
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None, file
    assert spec.loader is not None, file
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    unknown = constants.keys() - vars(module).keys()
    assert not unknown, f"{file} has no {unknown}"
    vars(module).update(constants)
    found: type[Bot] = getattr(module, name)
    return found
