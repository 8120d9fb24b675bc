"""The Dockerfile as text: what `python -m tests.image` makes of it, and what it shares with the documents."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from arena.box.causes import _FLAGS  # what `arena doctor` prints
from arena.cli import cli
from tests.image import DOCKERFILE, HOUSE, Image, Stage, carry_out, stages, steps_of

README = (HOUSE / ".devcontainer" / "README.md").read_text()
CONTAINER = json.loads(DOCKERFILE.with_name("devcontainer.json").read_text())


def test_a_dockerfile_is_taken_apart() -> None:
    """Stages by name, comments left out, a step on one line however it is broken."""
    text = "# why\nFROM a AS b\nRUN one \\\n  && two\nFROM b\n# more\nCMD []\n"
    found = stages(text)
    assert [Stage("b", "a", (("RUN", "one    && two"),)), Stage("", "b", (("CMD", "[]"),))] == found
    assert ("a", [("RUN", "one    && two"), ("CMD", "[]")]) == steps_of(found, found[1])


def test_an_instruction_that_nothing_carries_out_is_refused(tmp_path) -> None:
    """Whoever adds one to the Dockerfile sees that it was not tried."""
    with pytest.raises(ValueError, match="HEALTHCHECK"):
        carry_out(Image(tmp_path), "HEALTHCHECK", "NONE")


def test_the_options_that_open_a_container_are_those_that_doctor_tells() -> None:
    """In the development container, in the Dockerfile's own example and in the page beside it."""
    options = shlex.split(_FLAGS["docker"])
    assert options == CONTAINER["runArgs"]
    assert _FLAGS["docker"] in DOCKERFILE.read_text()
    assert _FLAGS["docker"] in README


def test_the_development_container_has_what_tests_need() -> None:
    """Every program that CONTRIBUTING.md names, in the stage that it is built from; and its folder's commands."""
    by_name = {stage.name: stage for stage in stages(DOCKERFILE.read_text())}
    _, steps = steps_of([*by_name.values()], by_name[CONTAINER["build"]["target"]])
    installed = {name for word, rest in steps if word == "RUN" for name in rest.split()}
    named = re.search(r"^    apt-get install (.*)$", (HOUSE / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert named is not None
    assert set() == {*named[1].split()} - installed
    assert "pip install -e '.[dev]'" in CONTAINER["postCreateCommand"]


def test_what_is_copied_is_there() -> None:
    """COPY names files and folders of the project, without the tests and results that no image needs."""
    copied = {
        source
        for stage in stages(DOCKERFILE.read_text())
        for word, rest in stage.steps
        if word == "COPY"
        for source in rest.split()[:-1]
    }
    assert set() == {source for source in copied if not (HOUSE / source).exists()}
    assert {"arena", "bots", "pyproject.toml"} <= copied


def test_what_the_readme_runs_in_a_container_is_understood() -> None:
    """The commands after the image's name, by the arena itself."""
    commands = re.findall(r"`docker run [^`]* arena (\w+)([^`]*)`", README)
    assert {"run", "serve"} == {name for name, _ in commands}
    for name, words in commands:
        cli.commands[name].make_context(name, shlex.split(words))
