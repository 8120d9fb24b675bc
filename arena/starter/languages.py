"""The languages for which there is a template, and what each needs on the machine."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from glob import glob

import attrs

from arena.errors import ConfigError
from arena.reading.strict import did_you_mean
from arena.words import listed


@attrs.frozen
class Language:
    """A language in which `arena new` writes a bot."""

    name: str
    """The name by which people ask for it; also the folder of the language's template."""
    title: str
    """The name as people write it."""
    source: str
    """The file with the numbered TODOs: the whole bot."""
    test: str
    """The command that tests the bot; `{folder}` stands for its folder, quoted for a shell."""
    needs: tuple[str, ...]
    """The programs that build, run or test the bot."""
    packages: tuple[str, ...]
    """The Debian packages that contain these programs and libraries."""
    libraries: Mapping[str, str] = {}
    """The libraries that it needs too, each with a file that Debian installs; `*` stands for anything."""
    also: tuple[str, ...] = ()
    """Other names of the language."""

    @property
    def missing(self) -> list[str]:
        """The programs and libraries that this machine lacks."""
        programs = [program for program in self.needs if shutil.which(program) is None]
        return programs + [name for name, file in self.libraries.items() if not glob(file)]

    @property
    def install(self) -> str:
        """The command that installs what the language needs on Debian; empty: the arena needs it anyway."""
        return f"apt-get install {' '.join(self.packages)}" if self.packages else ""


_PYTHON = "python3 {folder}/test_bot.py"

LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        Language("python", "Python", "bot.py", _PYTHON, ("python3",), (), also=("py", "python3")),
        Language(
            "python-plain",
            "Python without the SDK",
            "bot.py",
            _PYTHON,
            ("python3",),
            (),
            also=("plain",),
        ),
        Language(
            "javascript",
            "JavaScript",
            "bot.js",
            "node --test {folder}/bot.test.js",
            ("node",),
            ("nodejs",),
            also=("js", "node", "nodejs"),
        ),
        Language(
            "cpp",
            "C++",
            "bot.cpp",
            "sh {folder}/test.sh",
            ("g++",),
            ("g++", "libjsoncpp-dev"),
            {"JsonCpp": "/usr/include/jsoncpp/json/json.h"},
            ("c++", "cxx"),
        ),
        Language(
            "go",
            "Go",
            "bot.go",
            "(cd {folder} && go test)",
            ("go",),
            ("golang-go",),
            also=("golang",),
        ),
        Language(
            "java",
            "Java",
            "Bot.java",
            "sh {folder}/test.sh",
            ("javac", "java"),
            ("default-jdk-headless", "libgoogle-gson-java"),
            {"Gson": "/usr/share/java/gson.jar"},
            ("jdk",),
        ),
        Language(
            "rust",
            "Rust",
            "src/main.rs",
            "(cd {folder} && cargo test -- --nocapture)",
            ("cargo",),
            ("cargo", "librust-serde-json-dev"),
            {"serde_json": "/usr/share/cargo/registry/serde_json-1.*"},
            ("rs",),
        ),
    )
}
"""All languages by name, in the order in which they are listed."""


def find_language(word: str) -> Language:
    """The language that a word names.  Raises ConfigError if there is no template for it."""
    words = {other: language for language in LANGUAGES.values() for other in (language.name, *language.also)}
    found = words.get(word.lower())
    if found is None:
        raise ConfigError(
            f"there is no template for {word!r}{did_you_mean(word, words)}; languages are {listed(LANGUAGES)}"
        )
    return found
