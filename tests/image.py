"""Carries out the Dockerfile where there is no Docker, and tries the image: `python -m tests.image [FOLDER]`.

The base image is a folder that debootstrap makes, FOLDER if it is there already (it is changed).  Each RUN, COPY, ENV,
USER and WORKDIR of the last stage is carried out there, as root or as the user, by bubblewrap with the capabilities
that Docker leaves a container; what is installed comes from wherever this machine gets it.  Then the entry point
plays, in the box that the documented options allow, and serves.

What this does not try: Docker's own reading of the file, its layers, its network, and its seccomp and AppArmor profiles.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

HOUSE = Path(__file__).parent.parent
DOCKERFILE = HOUSE / ".devcontainer" / "Dockerfile"
CAPABILITIES = [
    *("CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "MKNOD", "NET_RAW", "SETGID", "SETUID", "SETFCAP"),
    *("SETPCAP", "NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"),
]
"""Docker's default for a container."""
PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
STEP_S_MAX = 1200

SERVES = """
import json, subprocess, sys, urllib.request
server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
for line in server.stdout:
    print(line, end="")
    if "http://" in line:
        break
else:
    sys.exit("it did not start")
page = urllib.request.urlopen("http://127.0.0.1:8080/", timeout=30)
tables = urllib.request.urlopen("http://127.0.0.1:8080/api/tables", timeout=30)
print(page.status, tables.status, json.load(tables))
server.terminate()
server.wait(30)
"""
"""A program that starts the command of its arguments and asks it for two pages, as a browser on the host would."""


@attrs.frozen
class Stage:
    """The steps of a Dockerfile from one FROM to the next."""

    name: str
    base: str
    steps: tuple[tuple[str, str], ...] = ()
    """Each an instruction and what follows it."""


@attrs.define
class Image:
    """What the steps so far have made."""

    root: Path
    variables: dict[str, str] = attrs.field(factory=lambda: {"PATH": PATHS})
    user: str = "root"
    folder: str = "/"
    entry: list[str] = attrs.field(factory=list)
    command: list[str] = attrs.field(factory=list)


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile, without comments, each step on one line."""
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    found: list[Stage] = []
    for line in filter(None, map(str.strip, lines)):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found.append(Stage(name, base))
        else:
            found[-1] = attrs.evolve(found[-1], steps=(*found[-1].steps, (word, rest)))
    return found


def steps_of(all_stages: Sequence[Stage], last: Stage) -> tuple[str, list[tuple[str, str]]]:
    """The image from outside on which a stage stands, and all steps from there to its end."""
    named = {stage.name: stage for stage in all_stages}
    if last.base not in named:
        return last.base, [*last.steps]
    base, steps = steps_of(all_stages, named[last.base])
    return base, [*steps, *last.steps]


def main() -> None:
    """Builds and tries; exit code 1 and the output of the step that failed."""
    all_stages = stages(DOCKERFILE.read_text())
    base, steps = steps_of(all_stages, all_stages[-1])
    with tempfile.TemporaryDirectory(prefix="image-") as made:
        root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(made) / "root"
        if not (root / "etc").is_dir():
            release = base.partition(":")[2].removesuffix("-slim")
            print(f"FROM {base}: debootstrap {release}", flush=True)
            subprocess.run(["debootstrap", "--variant=minbase", release, str(root)], check=True, stdout=2)
        image = Image(root.resolve())
        for word, rest in steps:
            print(word, rest, flush=True)
            carry_out(image, word, rest)
        _try(image)
    print("image: plays and serves")


def carry_out(image: Image, word: str, rest: str) -> None:
    """One step.  Raises ValueError for an instruction that nothing here knows."""
    if word == "RUN":
        inside(image, ["sh", "-c", rest], *_of_packages())
    elif word == "ENV":
        image.variables |= dict(each.split("=", 1) for each in shlex.split(rest))
    elif word == "COPY":
        *sources, target = rest.split()
        for source in sources:
            _copy(HOUSE / source, image.root / target.lstrip("/"), into=target.endswith("/"))
    elif word == "USER":
        image.user = rest
    elif word == "WORKDIR":
        image.folder = rest
    elif word == "ENTRYPOINT":
        image.entry = json.loads(rest)
    elif word == "CMD":
        image.command = json.loads(rest)
    elif word != "EXPOSE":
        raise ValueError(f"{word}: no such instruction is known here")


def inside(image: Image, command: Sequence[str], *options: str) -> str:
    """What a command prints in the image, as its user and in its folder; ends the program if it fails."""
    # A /proc of its own that nothing covers, as with Docker's `systempaths=unconfined`; bubblewrap would mask parts.
    confined = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={image.root}/proc"]
    confined += ["bwrap", "--bind", str(image.root), "/", "--dev", "/dev"]
    confined += ["--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--tmpfs", "/dev/shm"]
    confined += ["--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", "--unshare-ipc", "--unshare-uts"]
    confined += ["--chdir", image.folder, "--clearenv"]
    for name, value in image.variables.items():
        confined += ["--setenv", name, value]
    for name in CAPABILITIES:
        confined += ["--cap-add", f"CAP_{name}"]
    home = "/root" if image.user == "root" else f"/home/{image.user}"
    who = ["setpriv", f"--reuid={image.user}", f"--regid={image.user}", "--init-groups", "--inh-caps=-all"]
    user = [] if image.user == "root" else who
    ended = subprocess.run(
        [*confined, "--setenv", "HOME", home, *options, *user, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=STEP_S_MAX,
        check=False,
    )
    if ended.returncode:
        sys.exit(f"{ended.stdout}\nimage: exit code {ended.returncode}: {shlex.join(command)}")
    return ended.stdout


def _copy(source: Path, target: Path, into: bool) -> None:
    """As COPY does: a folder's content, or a file, into a folder if the target ends with a slash."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True)
        return
    target = target / source.name if into else target
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def _of_packages() -> Iterator[str]:
    """Options of bubblewrap by which pip and apt find their packages as they do on this machine.

    What pip's settings name is below /host, out of the way of the packages that are installed.
    """
    yield from ("--ro-bind-try", "/etc/apt/apt.conf.d", "/etc/apt/apt.conf.d")
    settings = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    place = re.compile(r"(?<=[' ])/[\w./-]+|(?<=file://)/[\w./-]+")
    folders = {Path(each).parent for each in place.findall(settings) if Path(each).exists()}
    for folder in sorted(folders):  # an index may name files beside it
        yield from ("--ro-bind", str(folder), f"/host{folder}")
    for line in settings.splitlines():
        name, _, value = line.partition("=")
        variable = f"PIP_{name.split('.')[-1].replace('-', '_').upper()}"
        yield from ("--setenv", variable, place.sub(lambda found: f"/host{found[0]}", value).strip("'"))


def _try(image: Image) -> None:
    """The entry point plays in a shield and in strict, and serves; in a network of its own, like a container."""
    for words in (
        image.command,
        ["run", "odds", "random", "--sandbox", "strict", "--series", "1"],
        ["doctor"],
    ):
        print(f"+ {shlex.join([*image.entry, *words])}", flush=True)
        said = inside(image, [*image.entry, *words], "--unshare-net")
        print(said)
        if words[0] == "run" and "(bubblewrap" not in said:
            sys.exit("image: its bots did not run in bubblewrap's box")
    serve = [*image.entry, "serve", "--http", "0.0.0.0:8080", "--listen", "0.0.0.0:8888"]
    print(f"+ {shlex.join(serve)}", flush=True)
    print(inside(image, ["python3", "-c", SERVES, *serve], "--unshare-net"))


if __name__ == "__main__":
    main()
