"""Matches as people see them in a browser: films of matches, the player that shows them, and its drawings.

`film` makes JSON of a match, stored or live; `boards` finds how a game is drawn; `bundle` puts the scripts
into one, for pages that load nothing.
"""
