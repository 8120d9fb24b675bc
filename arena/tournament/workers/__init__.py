"""Lets other processes play matches: the messages on the pipe, the run's side, and the worker's side."""
