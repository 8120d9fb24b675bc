"""The files that the report is made of: templates, styles and scripts."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def shared_source(name: str) -> str:
    """A file of the room `page`."""
    return files("arena.page").joinpath(name).read_text(encoding="utf-8").strip()


@cache
def own_source(name: str) -> str:
    """A file of the report alone."""
    return files("arena.page.report").joinpath(name).read_text(encoding="utf-8").strip()


@cache
def template(name: str) -> Any:
    """A template, which escapes all that it is given."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(own_source),
    )
    return environment.get_template(name)
