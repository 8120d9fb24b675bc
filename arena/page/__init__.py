"""Matches as people see them in a browser: films of matches, the player that shows them, and its drawings.

`film` turns a match, stored or live, into JSON; `boards` finds the drawing of a game; `bundle` joins the
scripts into one, for pages that load nothing.
"""
