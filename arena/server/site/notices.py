"""Pages that say one thing to a person, in the look of the site."""

from __future__ import annotations

from html import escape

PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">{again}<title>{title} · Arena</title>
<link rel="icon" href="/static/page/icon.svg" type="image/svg+xml">
<script src="/static/page/site/theme.js"></script>
<link rel="stylesheet" href="/static/page/page.css">
<link rel="stylesheet" href="/static/page/site.css"></head>
<body><div id="site"><header class="masthead"><a class="brand" href="/">Arena</a>
<nav aria-label="Site"><a href="/">Play</a><a href="/results">Results</a></nav></header>
<main id="main"><h1>{title}</h1><p role="status">{said}</p>
<p>{links}</p></main></div></body>
</html>
"""
AGAIN = """\
<script src="/static/page/again.js" data-seconds="{0}"></script>
<noscript><meta http-equiv="refresh" content="{0}"></noscript>"""


LINKS = '<a href="/">To the games and tables</a> · <a href="/results">to the results</a>'
ALONE = '<a href="{}" target="_blank" rel="noopener">Open it by itself</a>'


def notice(title: str, said: str, *, again_s: int | None = None, alone: str = "") -> str:
    """The page, which reloads itself after `again_s` seconds.

    `alone`: the address at which it is shown by itself, where it stands within another page.
    """
    links = ALONE.format(escape(alone)) if alone else LINKS
    again = "" if again_s is None else AGAIN.format(again_s)
    return PAGE.format(title=escape(title), said=escape(as_sentence(said)), again=again, links=links)


def as_sentence(said: str) -> str:
    """A text with a capital and a full stop."""
    return said[:1].upper() + said[1:] + ("" if said.endswith((".", "?", "!")) else ".")
