"""Pages that say one thing to a person, in the look of the site."""

from __future__ import annotations

from html import escape

PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">{again}<title>{title} · Arena</title>
<link rel="icon" href="{base}/static/page/icon.svg" type="image/svg+xml">
<script src="{base}/static/page/site/theme.js"></script>
<link rel="stylesheet" href="{base}/static/page/page.css">
<link rel="stylesheet" href="{base}/static/page/site.css"></head>
<body><div id="site"><header class="masthead"><a class="brand" href="{base}/">Arena</a>
<nav aria-label="Site"><a href="{base}/">Play</a><a href="{base}/results">Results</a></nav></header>
<main id="main"><h1>{title}</h1><p role="status">{said}</p>
<p>{links}</p></main></div></body>
</html>
"""
AGAIN = """\
<script src="{base}/static/page/again.js" data-seconds="{seconds}"></script>
<noscript><meta http-equiv="refresh" content="{seconds}"></noscript>"""


LINKS = '<a href="{base}/">To the games and tables</a> · <a href="{base}/results">to the results</a>'
ALONE = '<a href="{}" target="_blank" rel="noopener">Open it by itself</a>'


def notice(title: str, said: str, *, again_s: int | None = None, alone: str = "", base: str = "") -> str:
    """The page, which reloads itself after `again_s` seconds.

    `alone`: the address at which it is shown by itself, where it stands within another page.  `base`: the
    path below which all paths of the site lie.
    """
    links = ALONE.format(escape(alone)) if alone else LINKS.format(base=base)
    again = "" if again_s is None else AGAIN.format(base=base, seconds=again_s)
    return PAGE.format(
        title=escape(title), said=escape(as_sentence(said)), again=again, links=links, base=base
    )


def as_sentence(said: str) -> str:
    """A text with a capital and a full stop."""
    return said[:1].upper() + said[1:] + ("" if said.endswith((".", "?", "!")) else ".")
