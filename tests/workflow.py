"""Carries out the shell steps of examples/compare.yml as a hosted runner would, for `python -m tests.release`.

ARENA is a git repository of this project as it is now.  The bot's repository has `random` on main, and `odds` on the
branch of the pull request.  Two things are not as there: `sudo` is a program that only says what it was asked, so
that nothing is changed on this machine, and bubblewrap is one that may not create user namespaces, as on a runner
whose setting could not be changed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

HOUSE = Path(__file__).parent.parent
WORKFLOW = HOUSE / "examples" / "compare.yml"
STEPS_S_MAX = 300
STUBS = {
    "sudo": 'echo "sudo: $*"',
    "bwrap": 'echo "bwrap: No permissions to create new namespace" >&2; exit 1',
}
GIT = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=main"]


def read_workflow() -> Mapping[str, Any]:
    """The file as data."""
    workflow: Mapping[str, Any] = yaml.safe_load(WORKFLOW.read_text())
    return workflow


def carry_out(top: Path, tracked: list[str], path: str) -> str:
    """What the steps print; `path` is where the runner's Python and its pip are.

    Raises AssertionError if one fails.  `top` is an empty folder, `tracked` the files of the project.
    """
    for name, script in STUBS.items():
        stub = top / "stubs" / name
        stub.parent.mkdir(exist_ok=True)
        stub.write_text(f"#!/bin/sh\n{script}\n")
        stub.chmod(0o755)
    _commit(top / "arena", {each: (HOUSE / each).read_bytes() for each in tracked})
    bots = {
        name: {each.name: each.read_bytes() for each in (HOUSE / "bots" / name).iterdir() if each.is_file()}
        for name in ("random", "odds")
    }
    _commit(top / "origin", bots["random"])
    _git(top, "clone", "-q", str(top / "origin"), "checkout")
    _git(top / "checkout", "checkout", "-q", "-b", "better")
    _commit(top / "checkout", bots["odds"])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {
        "ARENA": f"git+file://{top / 'arena'}@main",
        "GITHUB_BASE_REF": "main",
        "PATH": f"{top / 'stubs'}{os.pathsep}{path}{os.pathsep}{os.environ['PATH']}",
    }
    script = "\n".join(step["run"] for step in read_workflow()["jobs"]["compare"]["steps"] if "run" in step)
    ended = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=top / "checkout",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=STEPS_S_MAX,
        check=False,
    )
    assert 0 == ended.returncode, ended.stdout
    assert (top / "checkout" / "results" / "compare" / "report.html").is_file(), ended.stdout
    return ended.stdout


def _commit(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes the files and commits them, in a repository that is made if there is none."""
    folder.mkdir(exist_ok=True)
    _git(folder, "init", "-q")
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    _git(folder, "add", "-f", ".")
    _git(folder, "commit", "-q", "-m", "as it is")


def _git(folder: Path, *words: str) -> None:
    subprocess.run([*GIT, *words], cwd=folder, check=True)
