"""Plays the matches of a run: which is next, who sits there, and what follows from how it ends."""
