"""What all cells of a run share: a clone for each user, and the arena installed as users install it."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs

from .enter import HOUSE, USER
from .entering import USERS

CLONED = ("arena", "bots", "examples", "pyproject.toml", "README.md", "LICENSE")
UNWANTED = ("build", ".arena")
_PIP_S_MAX = 300
_AS_IT_IS = ("-q", "--no-deps", "--no-build-isolation")
"""What builds is taken from this environment, and not installed once more for each build."""


@attrs.frozen
class Ground:
    """Folders that both users can enter; not in /tmp, where each box has one of its own."""

    top: Path

    def clone(self, user: str) -> Path:
        return self.top / f"clone-{user}"

    def home(self, user: str) -> Path:
        return self.top / f"home-{user}"

    def environment(self, install: str, user: str) -> Path:
        """The virtual environment with the arena: an editable one has the clone of its user."""
        return self.top / ("wheel" if install == "wheel" else f"editable-{user}")


@contextmanager
def a_ground(name: str = "") -> Iterator[Ground]:
    """Made once for many cells, by all processes that say the same name, and gone with the last of them."""
    top = Path("/var/tmp", f"arena-worlds-{name or secrets.token_hex(8)}")
    with top.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ground = Ground(top)
        try:
            if not top.exists():
                _make(ground)
            fcntl.flock(lock, fcntl.LOCK_SH)
            yield ground
        finally:
            with suppress(BlockingIOError):  # others still play there
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(top, ignore_errors=True)
                top.with_suffix(".lock").unlink(missing_ok=True)


def clone_into(folder: Path, unwanted: Sequence[str] = ("__pycache__", *UNWANTED)) -> None:
    """A copy of what a clone holds, the tests apart."""
    for name in CLONED:
        if (HOUSE / name).is_dir():
            shutil.copytree(HOUSE / name, folder / name, ignore=shutil.ignore_patterns(*unwanted))
        else:
            shutil.copy2(HOUSE / name, folder / name)


def _make(ground: Ground) -> None:
    ground.top.mkdir(mode=0o755)
    for user in USERS:
        ground.home(user).mkdir()
        ground.clone(user).mkdir()
        # What is compiled goes along: where nobody may keep it (PYTHONDONTWRITEBYTECODE), each start costs 0.3 s more.
        clone_into(ground.clone(user), UNWANTED)
    _install(ground)
    for path in (ground.home("user"), ground.clone("user")):
        hand_over(path)


def hand_over(folder: Path) -> None:
    """Gives the folder, with all in it, to the user without rights; who is not root has it already."""
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", "-h", f"{USER}:{USER}", str(folder)], check=True)


def _install(ground: Ground) -> None:
    """A wheel, and the two clones, in environments of their own; what they need besides is that of this one."""
    wheels = ground.top / "wheels"
    clone = ground.clone("root")
    _run([sys.executable, "-m", "pip", "wheel", *_AS_IT_IS, "-w", str(wheels), str(clone)])
    (wheel,) = wheels.glob("*.whl")
    wanted = [
        (ground.environment("wheel", ""), (str(wheel),)),
        *((ground.environment("editable", user), ("-e", str(ground.clone(user)))) for user in USERS),
    ]
    with ThreadPoolExecutor(len(wanted)) as apart:
        list(apart.map(lambda one: _environment(*one), wanted))


def _environment(folder: Path, words: Sequence[str]) -> None:
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / "bin" / "python"
    site = folder / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    (site / "others.pth").write_text(sysconfig.get_path("purelib"))
    _run([sys.executable, "-m", "pip", "--python", str(python), "install", *_AS_IT_IS, *words])


def _run(words: Sequence[str]) -> None:
    quiet = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    ended = subprocess.run(words, capture_output=True, text=True, env=quiet, timeout=_PIP_S_MAX, check=False)
    if ended.returncode:
        raise OSError(f"{' '.join(words)}: {ended.stderr.strip()[-500:]}")
