"""Joins several of our ES modules into one script, for a page that loads nothing.

It reads only the forms of `import` and `export` that our modules and the vendored ones use: an unknown form
is an error, which the tests would see.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from posixpath import dirname, join, normpath

_IMPORT = re.compile(
    r'(?:^|(?<=;))import\s*(?:(\w+)|\{([^}]*)\})\s*from\s*"(\.{1,2}/[\w./-]+)";', re.MULTILINE
)
_LIST = re.compile(r"(?:^|(?<=[;}]))export\s*\{([^}]*)\}(?!\s*from);?", re.MULTILINE)
_DEFAULT = re.compile(r"(?:^|(?<=[;}]))export\s+default\s+", re.MULTILINE)
_DECLARED = re.compile(r"^export\s+((?:async\s+)?function|const|let|class)\s+(\w+)", re.MULTILINE)
_COMMENTS = re.compile(r"^ *//.*\n", re.MULTILINE)
"""Lines that only say something to readers, who find them in the modules."""
_LEFT = re.compile(r"(?:^|(?<=;))(?:import|export)\b(?!\()", re.MULTILINE)


def bundle(entry: str, board: Path | None = None) -> str:
    """The script `entry` of this folder and everything it imports, as one script that needs no module loader.

    The function that it exports as `start` is called with the board, or with null.
    """
    order: list[str] = []
    _collect(entry, order)
    modules = [_wrapped(_name(path), *_read(path)) for path in order]
    drawn = "null"
    if board is not None:
        modules.append(_wrapped("board", *_translated(board.read_text(encoding="utf-8"), "board.js")))
        drawn = "board"
    return "\n".join(['"use strict";(() => {', *modules, f"{_name(entry)}.start({drawn});", "})();"])


def _collect(path: str, order: list[str]) -> None:
    """Adds the module and those it imports to `order`, each after those that it imports."""
    if path not in order:
        for needed in _imports(path):
            _collect(needed, order)
        order.append(path)


@cache
def _text(path: str) -> str:
    return files("arena.page").joinpath(path).read_text(encoding="utf-8")


def _imports(path: str) -> list[str]:
    return [_beside(path, other) for _, _, other in _IMPORT.findall(_text(path))]


def _beside(path: str, other: str) -> str:
    return normpath(join(dirname(path), other))


def _name(path: str) -> str:
    return "m_" + re.sub(r"\W", "_", path.removesuffix(".js"))


@cache
def _read(path: str) -> tuple[str, str]:
    return _translated(_text(path), path)


def _translated(text: str, path: str) -> tuple[str, str]:
    """The body of a module, and its exports as an object.  Raises ValueError for an unknown form."""
    exported: dict[str, str] = {}

    def imported(found: re.Match[str]) -> str:
        default, names, other = found.groups()
        bound = f"{{ default: {default} }}" if default else f"{{ {_renamed(names)} }}"
        return f"const {bound} = {_name(_beside(path, other))};"

    def listed(found: re.Match[str]) -> str:
        for each in filter(None, map(str.strip, found[1].split(","))):
            local, _, public = each.partition(" as ")
            exported[public or local] = local
        return ""

    def declared(found: re.Match[str]) -> str:
        exported[found[2]] = found[2]
        return f"{found[1]} {found[2]}"

    def default(found: re.Match[str]) -> str:
        exported["default"] = "defaultOfModule"
        return "const defaultOfModule = "

    text = _IMPORT.sub(imported, _COMMENTS.sub("", text))
    text = _DECLARED.sub(declared, text)
    text = _DEFAULT.sub(default, text)
    text = _LIST.sub(listed, text)
    if left := _LEFT.search(text):
        line = text[left.start() :].partition("\n")[0][:80]
        raise ValueError(f"{path}: this form of import or export cannot be bundled: {line}")
    return text.strip(), ", ".join(f"{public}: {local}" for public, local in exported.items())


def _renamed(names: str) -> str:
    """The names of an import as those of an object: `a: b, c` from `a as b, c`."""
    return ", ".join(each.strip().replace(" as ", ": ") for each in names.split(",") if each.strip())


def _wrapped(name: str, body: str, exported: str) -> str:
    return f"const {name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"
