"""A repository that a bot made: `git:HEAD~1` runs no command of it, and reads no other repository through it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from needs import needs

from arena.errors import ConfigError
from arena.tournament.bots.revisions import version_at
from arena.tournament.plan import BotSpec

pytestmark = needs("git")
WHO = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")


def git(*words: str, at: Path | str = "mine") -> str:
    done = subprocess.run(["git", *WHO, "-C", str(at), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def make_bot(folder: Path, *, secret: str = "old") -> None:
    """A bot with two commits in a repository of its own, and attributes that ask for filters."""
    folder.mkdir()
    git("init", "-q", "-b", "main", at=folder)
    (folder / ".gitattributes").write_text("*.py filter=hole diff=hole\n")
    for version in (secret, "new"):
        (folder / "bot.py").write_text(f"# {version}\n")
        git("add", ".", at=folder)
        git("commit", "-q", "-m", version, at=folder)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The current folder, with a bot in `mine` and a program that leaves a trace."""
    monkeypatch.chdir(tmp_path)
    make_bot(Path("mine"))
    command = Path("command")
    command.write_text(f"#!/bin/sh\necho $0 $* >>{tmp_path}/trace\ncat\n")
    command.chmod(0o755)
    return tmp_path


def blob_at(revision: str) -> Path:
    name = git("rev-parse", f"{revision}:bot.py")
    return Path("mine/.git/objects", name[:2], name[2:])


def promise(command: str, *, url: str = ".", **more: str) -> None:
    """What `HEAD~1` needs is gone, and a remote promises to have it."""
    blob_at("HEAD~1").unlink()
    git("config", "core.repositoryformatversion", "1")
    git("config", "extensions.partialClone", "x")
    for key, value in {"url": url, "promisor": "true", "uploadpack": command, **more}.items():
        git("config", f"remote.x.{key}", value)


def by_uploadpack(command: str) -> None:
    promise(command)


def by_ext(command: str) -> None:
    promise("git-upload-pack", url=f"ext::{command} %S")
    git("config", "protocol.allow", "always")


def by_ssh(command: str) -> None:
    promise("git-upload-pack", url="nowhere.invalid:x.git")
    git("config", "core.sshCommand", command)


def by_filter(command: str) -> None:
    git("config", "filter.hole.smudge", command)


def by_process(command: str) -> None:
    git("config", "filter.hole.process", command)


def by_include(command: str) -> None:
    Path("mine/more").write_text(f'[filter "hole"]\n smudge = {command}\n')
    git("config", "includeIf.gitdir:**.path", "../more")


def by_worktree_config(command: str) -> None:
    git("config", "core.repositoryformatversion", "1")
    git("config", "extensions.worktreeConfig", "true")
    Path("mine/.git/config.worktree").write_text(f'[filter "hole"]\n smudge = {command}\n')


def by_file_elsewhere(command: str) -> None:
    by_filter(command)
    Path("mine/.git").rename("mine/hidden")
    Path("mine/.git").write_text("gitdir: hidden\n")


def by_common_folder(command: str) -> None:
    """As a worktree whose repository lies in the bot's folder."""
    by_filter(command)
    Path("mine/.git").rename("mine/hidden")
    Path("mine/hidden/worktrees/own").mkdir(parents=True)
    shutil.copy("mine/hidden/HEAD", "mine/hidden/worktrees/own/HEAD")
    Path("mine/hidden/worktrees/own/commondir").write_text("../..\n")
    Path("mine/hidden/worktrees/own/gitdir").write_text(f"{Path.cwd()}/mine/.git\n")
    Path("mine/.git").write_text("gitdir: hidden/worktrees/own\n")


def by_watcher(command: str) -> None:
    git("config", "core.fsmonitor", command)


def by_hooks(command: str) -> None:
    Path("mine/.git/hooks").mkdir(exist_ok=True)
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        shutil.copy(command, Path("mine/.git/hooks", hook))
    git("config", "core.hooksPath", ".git/hooks")


def by_packing(command: str) -> None:
    promise("git-upload-pack")
    git("config", "uploadpack.packObjectsHook", command)
    git("config", "core.alternateRefsCommand", command)
    git("config", "core.pager", command)
    git("config", "tar.tar.command", command)


HOLES = (by_uploadpack, by_ext, by_ssh, by_filter, by_process, by_include, by_worktree_config)
REDIRECTIONS = (by_file_elsewhere, by_common_folder)
QUIET = (by_watcher, by_hooks, by_packing)
"""None of these was ever run by the commands that read a revision."""


@pytest.mark.parametrize("plant", [*HOLES, *REDIRECTIONS, *QUIET])
def test_no_command_of_the_repository_is_run(home, plant: Callable[[str], None]):
    """Whether the revision can be read or not."""
    plant(f"{home}/command")
    try:
        old = version_at("git:HEAD~1", BotSpec("mine", home))
    except ConfigError:
        pass
    else:
        assert "# old\n" == (home / old.spec / "bot.py").read_text()
    assert not (home / "trace").exists(), (home / "trace").read_text()


def test_what_is_missing_is_not_fetched(home):
    """The sentence says which file, and why."""
    promise("git-upload-pack")
    Path("mine/.git/objects/pack/pack-1.promisor").touch()
    with pytest.raises(
        ConfigError, match=r"git:HEAD~1: bot.py is missing \(it is a partial clone.*clone it whole\)"
    ):
        version_at("git:HEAD~1", BotSpec("mine", home))


def file_that_leads_there(private: Path) -> None:
    shutil.rmtree("mine/.git")
    Path("mine/.git").write_text(f"gitdir: {private}/.git\n")


def link_to_it(private: Path) -> None:
    shutil.rmtree("mine/.git")
    Path("mine/.git").symlink_to(private / ".git")


def common_folder_of_it(private: Path) -> None:
    Path("mine/.git/commondir").write_text(f"{private}/.git\n")
    Path("mine/.git/HEAD").write_text(git("rev-parse", "HEAD", at=private))


def alternates(private: Path) -> None:
    Path("mine/.git/objects/info/alternates").write_text(f"{private}/.git/objects\n")
    Path("mine/.git/HEAD").write_text(git("rev-parse", "HEAD", at=private))


def link_to_its_objects(private: Path) -> None:
    shutil.rmtree("mine/.git/objects")
    Path("mine/.git/objects").symlink_to(private / ".git/objects")
    Path("mine/.git/HEAD").write_text(git("rev-parse", "HEAD", at=private))


def link_to_each_object(private: Path) -> None:
    for folder in (private / ".git/objects").iterdir():
        if len(folder.name) == 2:
            (Path("mine/.git/objects") / folder.name).mkdir(exist_ok=True)
            for file in folder.iterdir():
                copy = Path("mine/.git/objects", folder.name, file.name)
                copy.unlink(missing_ok=True)
                copy.symlink_to(file)
    Path("mine/.git/HEAD").write_text(git("rev-parse", "HEAD", at=private))


def link_to_its_packs(private: Path) -> None:
    git("gc", "-q", at=private)
    shutil.rmtree("mine/.git/objects/pack")
    Path("mine/.git/objects/pack").symlink_to(private / ".git/objects/pack")
    Path("mine/.git/HEAD").write_text(git("rev-parse", "HEAD", at=private))


@pytest.mark.parametrize(
    "redirect",
    [
        file_that_leads_there,
        link_to_it,
        common_folder_of_it,
        alternates,
        link_to_its_objects,
        link_to_each_object,
        link_to_its_packs,
    ],
)
def test_no_other_repository_is_read(home, tmp_path_factory, redirect: Callable[[Path], None]):
    """What is private there never comes into the bot's folder; one sentence says what is wrong."""
    private = tmp_path_factory.mktemp("elsewhere") / "private"
    make_bot(private, secret="secret")
    redirect(private)
    with pytest.raises(ConfigError, match=r"^git:HEAD~1: [^\n]+$"):
        version_at("git:HEAD~1", BotSpec("mine", home))
    assert not list(home.glob(".arena/versions/*/*"))


def test_another_repository_in_the_environment_is_not_read(home, tmp_path_factory, monkeypatch):
    """As it is in a hook of git's, which runs with `GIT_DIR`."""
    private = tmp_path_factory.mktemp("elsewhere") / "private"
    make_bot(private, secret="secret")
    monkeypatch.setenv("GIT_DIR", f"{private}/.git")
    old = version_at("git:HEAD~1", BotSpec("mine", home))
    assert "# old\n" == (home / old.spec / "bot.py").read_text()


def tree(*entries: tuple[str, str, str]) -> None:
    """Commits a tree that git itself would not make, as the last but one."""
    raw = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(id) for mode, name, id in entries)
    made = subprocess.run(
        ["git", "-C", "mine", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        input=raw,
        capture_output=True,
        check=True,
    )
    first = git("commit-tree", made.stdout.decode().strip(), "-m", "made by hand")
    git("update-ref", "HEAD", git("commit-tree", "HEAD^{tree}", "-p", first, "-m", "the next"))


@pytest.mark.parametrize("name", ["..", "../../outside", "/outside", ".git", ".GIT", "a/../../../outside"])
def test_files_stay_in_their_folder(home, name):
    """A tree made by hand that names a file elsewhere is refused."""
    tree(("100644", name, git("rev-parse", "HEAD:bot.py")))
    with pytest.raises(ConfigError, match="is no path of a file"):
        version_at("git:HEAD~1", BotSpec("mine", home))
    assert not list(home.rglob("outside"))


def test_links_of_a_commit_are_left_out(home):
    """Another entry of the same name cannot be written through one."""
    Path("target").write_text(str(home))
    link = git("hash-object", "-w", str(home / "target"))
    file, inside = git("rev-parse", "HEAD:bot.py"), git("rev-parse", "HEAD^{tree}")
    tree(("120000", "a", link), ("40000", "a", inside), ("100644", "bot.py", file))
    old = version_at("git:HEAD~1", BotSpec("mine", home))
    assert "# new\n" == (home / old.spec / "a" / "bot.py").read_text()
    assert not (home / "bot.py").exists()


@pytest.mark.slow
def test_a_tree_that_never_ends_is_given_up(home):
    """Ten folders, each of which is ten times the next: a few kB, and ten thousand million files."""
    id = git("rev-parse", "HEAD:bot.py")
    for _ in range(10):
        raw = b"".join(f"{'40000' if _ else '100644'} {n}\0".encode() + bytes.fromhex(id) for n in range(10))
        id = (
            subprocess.run(
                ["git", "-C", "mine", "hash-object", "-t", "tree", "-w", "--stdin"],
                input=raw,
                capture_output=True,
                check=True,
            )
            .stdout.decode()
            .strip()
        )
    tree(("40000", "a", id))
    with pytest.raises(ConfigError, match=r"^git:HEAD~1: .*more than"):
        version_at("git:HEAD~1", BotSpec("mine", home))


def test_versions_are_kept_behind_no_link(home, tmp_path_factory, monkeypatch):
    """A bot's folder, where one may stand, may have one in the way."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir("mine")
    Path(".arena").symlink_to(elsewhere)
    with pytest.raises(ConfigError, match=r"\.arena is a link"):
        version_at("git:HEAD~1", BotSpec(".", home / "mine"))
    assert [] == os.listdir(elsewhere)


# What is no attack is read as before.


def packed() -> None:
    git("tag", "first", "HEAD~1")
    git("gc", "-q")


def annotated() -> None:
    git("tag", "-a", "first", "-m", "first", "HEAD~1")


def remote() -> None:
    git("update-ref", "refs/remotes/origin/first", "HEAD~1")


@pytest.mark.parametrize(
    ("prepare", "revision"),
    [(packed, "first"), (packed, "HEAD~1"), (annotated, "first"), (remote, "origin/first"), (remote, "@{1}")],
)
def test_every_kind_of_name_is_found(home, prepare, revision):
    """Packed, of a tag, of a remote, and by what HEAD was before."""
    prepare()
    old = version_at(f"git:{revision}", BotSpec("mine", home))
    assert "# old\n" == (home / old.spec / "bot.py").read_text()


def test_a_worktree_is_read(home):
    """Its HEAD is its own, its branches are those of its repository."""
    git("worktree", "add", "-q", "../other", "HEAD~1")
    for revision in ("HEAD", "main~1"):
        old = version_at(f"git:{revision}", BotSpec("other", home))
        assert "# old\n" == (home / old.spec / "bot.py").read_text()


def test_a_shallow_clone_says_so(home):
    """What it has is read; for what it lacks there is the command that gets it."""
    git("clone", "-q", "--depth=1", f"file://{home}/mine", "shallow", at=home)
    old = version_at("git:HEAD", BotSpec("shallow", home))
    assert "# new\n" == (home / old.spec / "bot.py").read_text()
    with pytest.raises(ConfigError, match=r"no such commit \(it is a shallow clone: git fetch --unshallow"):
        version_at("git:HEAD~1", BotSpec("shallow", home))


def test_longer_names_of_objects_are_read(home):
    """A repository whose objects have SHA-256 for names."""
    shutil.rmtree("mine")
    Path("mine").mkdir()
    git("init", "-q", "--object-format=sha256")
    Path("mine/bot.py").write_text("# old\n")
    Path("mine/run").write_text("")
    Path("mine/run").chmod(0o755)
    git("add", ".")
    git("commit", "-q", "-m", "old")
    old = home / version_at("git:HEAD", BotSpec("mine", home)).spec
    assert ("# old\n", True, False) == (
        (old / "bot.py").read_text(),
        os.access(old / "run", os.X_OK),
        bool((old / "bot.py").stat().st_mode & 0o100),
    )
