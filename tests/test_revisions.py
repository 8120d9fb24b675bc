"""`git:HEAD~1`: a bot as it was at a commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from needs import needs

from arena.cli import cli
from arena.errors import ConfigError
from arena.store import Store
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.revisions import VERSIONS, version_at
from arena.tournament.plan import BotSpec

pytestmark = needs("git")
HOUSE = Path(__file__).parent.parent
WHO = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")


def git(*words: str) -> str:
    return subprocess.run(["git", *WHO, *words], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A repository with a bot in a folder, a bot in a file, and two commits."""
    monkeypatch.chdir(tmp_path)
    Path("bots/mine").mkdir(parents=True)
    Path("bots/mine/bot.toml").write_text('run = "python3 bot.py"\n')
    git("init", "-q", "-b", "main")
    for version in ("old", "new"):
        Path("bots/mine/bot.py").write_text(f"# {version}\n")
        Path("single.py").write_text(f"# {version}\n")
        git("add", ".")
        git("commit", "-q", "-m", version)
    Path("bots/mine/later.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "file"), [("bots/mine", "bot.py"), ("mine=bots/mine", "bot.py"), ("single.py", "")]
)
def test_the_files_are_those_of_the_commit(home, spec, file):
    """Of a folder all of them, and none that came later; it is called after its commit, and found by a resume."""
    here = Path.cwd()
    new = resolve(spec, base=here)
    old = version_at("git:HEAD~1", BotSpec(spec, here))
    assert f"{new.name}-{git('rev-parse', 'HEAD~1')[:7]}" == old.name
    assert "# old\n" == (here / old.spec / file if file else here / old.spec).read_text()
    assert not (here / old.spec / "later.py").exists()
    entrant = resolve(old.spec, base=old.base, name=old.name)
    assert (old.name, True) == (entrant.name, entrant.fingerprint != new.fingerprint)
    assert old == version_at("git:main~1", BotSpec(spec, here)), "once is enough"


def test_the_bot_may_be_where_one_stands(home, monkeypatch):
    """`arena compare . git:HEAD~1`; the copy inside its folder does not change its fingerprint."""
    monkeypatch.chdir("bots/mine")
    before = resolve(".", base=Path.cwd()).fingerprint
    old = version_at("git:HEAD~1", BotSpec(".", Path.cwd()))
    assert Path(old.spec).parent == VERSIONS
    assert before == resolve(".", base=Path.cwd()).fingerprint


@pytest.mark.parametrize(
    ("spec", "other", "sentence"),
    [
        ("git:nowhere", "single.py", "git:nowhere: no such commit"),
        ("git:", "single.py", "git:: expected a commit, such as git:HEAD~1"),
        ("git:--help", "single.py", "git:--help: expected a commit"),
        ("git:HEAD", "odds", "git:HEAD: the other bot must be a folder or a file in a git repository"),
        ("git:HEAD", "bots/mine/later.py", "git:HEAD: later.py was not there at"),
        ("git:HEAD", "new", "git:HEAD: the bot was not there yet"),
    ],
)
def test_mistakes_are_told(home, spec, other, sentence):
    """In one sentence; and nothing is left behind."""
    Path("new").mkdir()
    Path("new/bot.toml").write_text('run = "python3 bot.py"\n')
    with pytest.raises(ConfigError, match=sentence):
        version_at(spec, BotSpec(other, Path.cwd()))
    if VERSIONS.exists():
        assert not list(VERSIONS.glob(".new-*"))


def test_outside_of_a_repository(home, monkeypatch, tmp_path_factory):
    """It says so."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    Path("single.py").write_text("")
    with pytest.raises(ConfigError, match=r"single.py is not in a git repository$"):
        version_at("git:HEAD", BotSpec("single.py", elsewhere))


def test_without_git(home, monkeypatch):
    """One sentence says what is missing."""
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(ConfigError, match="there is no git on this machine"):
        version_at("git:HEAD", BotSpec("single.py", home))


def test_two_commits_are_of_no_bot(home):
    """One of both names must be the bot."""
    with pytest.raises(ConfigError, match="One of both must be a bot"):
        cli.main(["compare", "git:HEAD", "git:HEAD~1"], standalone_mode=False)


@pytest.mark.slow
def test_the_workflow_compares_a_bot_with_that_of_main(home, monkeypatch):
    """Its steps run as they stand, but for the number of series; both versions are started and play."""
    truthful = HOUSE / "bots" / "truthful"
    shutil.copytree(truthful, "mine")
    git("add", ".")
    git("commit", "-q", "-m", "it plays")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    monkeypatch.chdir("mine")
    compare, report = script("Compare with main"), script("One page of all matches")
    assert "--max-series 500" in compare
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-e", "-c", f"{compare.replace('--max-series 500', '--max-series 10')}\n{report}"],
        env={**os.environ, "GITHUB_BASE_REF": "main", "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == ended.returncode, ended.stderr
    assert "undecided" in ended.stdout
    with Store.open(Path("results/compare")) as store:
        assert {"truthful", f"truthful-{git('rev-parse', 'HEAD')[:7]}"} == store.players()


def script(step: str) -> str:
    """What a step of the workflow runs."""
    text = (HOUSE / "examples" / "compare.yml").read_text()
    (found,) = re.findall(rf"- name: {step}\n(?: +if: .*\n)? +run: (?:\|\n)?((?:.+\n)+?)(?= +- |\Z)", text)
    return textwrap.dedent(found)
