"""Takes the picture of a report that the README shows: the top of the page, in light.

python tests/report/picture.py [DIR] writes arena/page/report/report.png from DIR/report.html, which
`arena report DIR` writes first.  Needs playwright and chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

WIDTH, HEIGHT = 1100, 1180
PICTURE = Path(__file__).parents[2] / "arena" / "page" / "report" / "report.png"


def take(page: Path, picture: Path = PICTURE) -> None:
    """Writes the picture of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab.goto(page.absolute().as_uri())
        tab.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1] if len(sys.argv) > 1 else "results/latest") / "report.html")
