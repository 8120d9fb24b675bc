"""From a plan to a run that may begin: its game, its bots, its results folder, if all is as it was.  Rank 5."""
