"""From a plan to a run that may begin: its game, bots and results folder, if all is as it was.  Rank 5."""
