"""Our modules as one script: it runs where no module loader is, and an unknown form is an error."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from needs import needs

from arena.games import GAMES
from arena.page.boards import board_of
from arena.page.bundle import _translated, bundle


@pytest.mark.slow
@needs("node")
@pytest.mark.parametrize("game", list(GAMES))
def test_a_bundle_is_one_script(game: str, tmp_path: Path) -> None:
    """Node parses it as a classic script, which may not hold `import` or `export`, and no text of it ends a script element."""
    text = bundle("report.js", board_of(GAMES[game]))
    file = tmp_path / "bundle.cjs"
    file.write_text(text)
    done = subprocess.run(["node", "--check", file], capture_output=True, text=True, timeout=60)
    assert (0, "") == (done.returncode, done.stderr)
    assert "</script" not in text.lower()
    assert "<!--" not in text


@pytest.mark.parametrize(
    ("text", "body", "exported"),
    [
        ('import { a, b as c } from "./x.js";\nf(a);', "const { a, b: c } = m_x;\nf(a);", ""),
        ('import x from "./v/x.js";', "const { default: x } = m_v_x;", ""),
        ("export const a = 1;", "const a = 1;", "a: a"),
        ("export function f() {}", "function f() {}", "f: f"),
        ("export async function f() {}", "async function f() {}", "f: f"),
        ("const a = 1;export{a as b,c};", "const a = 1;", "b: a, c: c"),
        ("export default function(a){}", "const defaultOfModule = function(a){}", "default: defaultOfModule"),
    ],
)
def test_the_forms_of_import_and_export(text: str, body: str, exported: str) -> None:
    """Each form that our modules use, and what becomes of it."""
    assert (body, exported) == _translated(text, "y.js")


@pytest.mark.parametrize(
    "text",
    [
        'import "./x.js";',
        'export * from "./x.js";',
        'import * as x from "./x.js";',
        "export { a } from './x.js';",
    ],
)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="this form of import or export cannot be bundled"):
        _translated(text, "y.js")
